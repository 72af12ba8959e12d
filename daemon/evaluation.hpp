/// One repository as `kbgate eval` asks it: alone on the shelf, with an operator's grant, without a model.
#pragma once

#include <optional>
#include <string>

#include "answer/answer.hpp"
#include "answer/respond.hpp"
#include "config/settings.hpp"
#include "daemon/verbs.hpp"
#include "kbrepo/shelf.hpp"

namespace kb::daemon {

struct Evaluation {
  config::Settings settings;
  config::RepoSettings repo;
  kbrepo::SnapshotPtr snapshot;
  answer::Limits limits;
  scope::ScopeOutcome outcome;

  [[nodiscard]] kbrepo::Shelf shelf_of(kbrepo::SnapshotPtr const& book) const;
  /// With the time it took.
  [[nodiscard]] answer::Answer ask(kbrepo::Shelf const& shelf, std::string const& id,
                                   std::string const& question) const;
  /// Enough passages to see ten distinct pages, whatever the outcome.
  [[nodiscard]] std::vector<answer::Found> find(kbrepo::Shelf const& shelf, std::string const& question) const;
};

/// The repository that `options` name. On failure says why and sets `exit_code`.
[[nodiscard]] std::optional<Evaluation> open_evaluation(RepoOptions const& options, Io io, int& exit_code);

}  // namespace kb::daemon
