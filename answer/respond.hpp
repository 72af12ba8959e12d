/// The whole chain of one question as a function of its arguments: same input, same bytes out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "answer/answer.hpp"
#include "answer/follow_up.hpp"
#include "answer/page_forms.hpp"
#include "answer/plan.hpp"
#include "answer/prompt.hpp"
#include "kbrepo/shelf.hpp"
#include "scope/resolve.hpp"

namespace kb::answer {

struct Limits {
  std::size_t max_pages = 5;  ///< read in full
  std::size_t max_quote_bytes = 1200;
  std::size_t max_answer_bytes = 12000;
};

/// What is to be read and quoted instead of what a search would find: whole blocks of pages, in order.
struct GivenReading {
  struct Quote {
    PlannedPage page;
    std::uint32_t first_block = 0, last_block = 0;  ///< inclusive
  };
  std::string route;  ///< for the log: the query type and level, "overview 1"
  std::vector<Consulted> guides;
  std::vector<Quote> quotes;  ///< at least one
};

/// Monotonic microseconds, for Timings; empty: timings stay 0 and the result is reproducible.
using Stopwatch = std::function<std::uint64_t()>;

/// `outcome` must be granted, and `shelf` opened with its grant. Understands, plans, searches, reads, drafts, renders
/// and validates; what the validator rejects is replaced by the insufficient text. Never throws for input; CPU work and
/// blob reads only. A question that leans on one of the asker's `earlier` turns is read with its subject and says so in
/// its first line (S1-8); scope, hand-offs and records go by what was typed.
[[nodiscard]] Answer respond(std::string const& query_id, std::string const& question,
                             scope::ScopeOutcome const& outcome, kbrepo::Shelf const& shelf, Limits const& limits,
                             Stopwatch const& stopwatch = {}, std::span<EarlierTurn const> earlier = {});

/// The same in steps, for a model to be asked in between: prepare, then each prompt() to the model and its completion
/// to take(), then conclude(). Each step is pure CPU work; the steps may run on different threads, one after the other.
/// Whatever a model says, what leaves is proven against the pages that were read; without it the answer is respond()'s.
class Inquiry {
 public:
  /// Prepares. `outcome` must be granted. `given`: nothing is searched, and no model is asked. `kept`: where a model's
  /// claims find the forms of pages; null: made anew.
  Inquiry(std::string const& query_id, std::string const& question, scope::ScopeOutcome outcome, kbrepo::Shelf shelf,
          Limits const& limits, Stopwatch stopwatch, std::span<EarlierTurn const> earlier, bool with_model,
          std::optional<GivenReading> const& given = {}, KeptForms* kept = nullptr);
  ~Inquiry();
  Inquiry(Inquiry&&) noexcept;
  Inquiry& operator=(Inquiry&&) noexcept;

  /// What to ask a model now; nothing: conclude.
  [[nodiscard]] std::optional<Prompt> prompt() const;
  void take(std::string_view completion);
  /// The model is not there; `why` for the operator.
  void give_up(std::string why);
  [[nodiscard]] Answer conclude();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The reply for a refused scope: exact text of ACCEPTANCE 1.2; no repository is touched.
[[nodiscard]] Answer refused(std::string const& query_id, std::string const& question,
                             scope::ScopeOutcome const& outcome);

/// Storing, batch compiling and reviews are other skills' work (S1-9…11): recognised by their words; else empty.
[[nodiscard]] std::string hand_off_of(std::string_view question);

/// The best passages for a question without drafting an answer, best first: for eval and search. At most `limit`.
struct Found {
  RepoId repo;
  std::string path;
  std::uint32_t line_begin = 0, line_end = 0;
  float score = 0;
};
[[nodiscard]] std::vector<Found> find_passages(std::string const& question, scope::ScopeOutcome const& outcome,
                                               kbrepo::Shelf const& shelf, std::size_t limit);

}  // namespace kb::answer
