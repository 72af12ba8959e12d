/// Commits that differ from one of a repository in a single file, in a repository of their own that borrows its
/// objects: what would be said if a page told something else, or were gone? The repository itself is not written to.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/result.hpp"
#include "config/settings.hpp"
#include "kbrepo/ids.hpp"

struct git_repository;

namespace kb::kbrepo {

class Variants {
 public:
  /// `home`: a folder that does not exist yet or is empty.
  [[nodiscard]] static Result<Variants> open(config::RepoSettings const& settings, std::filesystem::path const& home);
  Variants(Variants&&) noexcept;
  Variants& operator=(Variants&&) noexcept;
  ~Variants();

  /// Under these Snapshot::build reads the commits made here.
  [[nodiscard]] config::RepoSettings const& settings() const noexcept { return settings_; }
  /// `base` with `text` at `path`, which exists there; without a text the file is gone. The same input gives the same
  /// commit.
  [[nodiscard]] Result<CommitId> commit(CommitId const& base, std::string const& path,
                                        std::optional<std::string_view> text) const;

 private:
  Variants(config::RepoSettings settings, git_repository* repo) : settings_(std::move(settings)), repo_(repo) {}

  struct Free {
    void operator()(git_repository* repo) const noexcept;
  };
  config::RepoSettings settings_;
  std::unique_ptr<git_repository, Free> repo_;
};

}  // namespace kb::kbrepo
