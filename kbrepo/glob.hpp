/// Path patterns of `include` and `exclude`: `*` and `?` inside a segment, `**` across segments, `{a,b}`; anything else
/// stands for itself. Paths are bytes with `/` between segments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"

namespace kb::kbrepo {

[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view path);

/// Which paths of a repository are pages.
class PageFilter {
 public:
  explicit PageFilter(config::RepoSettings const& settings);
  [[nodiscard]] bool takes(std::string_view path) const;
  [[nodiscard]] bool excludes(std::string_view path) const;  ///< by `exclude`, whatever `include` says

 private:
  std::vector<std::string> include_;  ///< braces spelled out; empty: Markdown by its extension, in any case
  std::vector<std::string> exclude_;
};

}  // namespace kb::kbrepo
