/// One question as a function: scope, pages, answer and the records that tell of it. The daemon's jobs, `kbgate ask`,
/// resumed messages and tests all come through here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/answer.hpp"
#include "answer/respond.hpp"
#include "config/control_files.hpp"
#include "config/settings.hpp"
#include "kbrepo/shelf.hpp"
#include "kbrepo/vectors.hpp"
#include "logging/record.hpp"
#include "scope/resolve.hpp"

namespace kb::daemon {

/// What a question is asked against: one generation of the books and the newest snapshots. Immutable; shared by all who
/// use it.
struct World {
  std::shared_ptr<config::Books const> books;
  std::shared_ptr<kbrepo::Snapshots const> snapshots;
  std::shared_ptr<kbrepo::VectorSets const> vectors{};  ///< null: no embeddings
  kbrepo::MeaningPtr meaning{};                         ///< of this question; null: words alone
  std::shared_ptr<answer::KeptForms> forms{};           ///< of pages, kept between questions to a model; may be null
};

/// Resolves the scope, opens the shelf and answers. Pure but for blob reads; timings stay 0 without a stopwatch.
/// `earlier`: what this asker was told in this chat and thread, latest last, for follow-ups (S1-8).
[[nodiscard]] answer::Answer ask(std::string const& query_id, scope::ScopeRequest const& request, World const& world,
                                 answer::Stopwatch const& stopwatch = {},
                                 std::span<answer::EarlierTurn const> earlier = {});

/// The same in steps, for a model to be asked in between (answer/respond.hpp); jobs of a pool.
class Asking {
 public:
  Asking(std::string const& query_id, scope::ScopeRequest const& request, World const& world,
         answer::Stopwatch stopwatch, std::span<answer::EarlierTurn const> earlier, bool with_model);

  /// Null when the scope is refused: conclude.
  [[nodiscard]] answer::Inquiry* inquiry() noexcept { return inquiry_ ? &*inquiry_ : nullptr; }
  [[nodiscard]] answer::Answer conclude();

 private:
  World world_;  ///< pinned
  answer::Stopwatch stopwatch_;
  std::uint64_t start_ = 0, resolved_ = 0;
  std::optional<answer::Inquiry> inquiry_;
  answer::Answer refusal_;
};

/// One record for each repository that was queried, each naming pages of its own only (S1-51, S1-52).
[[nodiscard]] std::vector<logging::QueryRecord> records_of(answer::Answer const& answer,
                                                           scope::ScopeRequest const& request, World const& world,
                                                           TimePoint now);

/// What a platform may show beside the text: {"confidence","stale_files"}.
[[nodiscard]] std::string details_json(answer::Answer const& answer);

/// The scope object of INTERFACES §3, one line of JSON.
[[nodiscard]] std::string to_json(scope::ScopeOutcome const& outcome);
/// `{success, chat_type, chat_id, sender, user, binding, team}`.
[[nodiscard]] std::string chat_context_json(UserId const& sender, scope::ScopeOutcome const& outcome);

/// Microseconds of the steady clock.
[[nodiscard]] answer::Stopwatch steady_stopwatch();

}  // namespace kb::daemon
