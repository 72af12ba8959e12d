/// What a model makes of the pages read: it is asked, its claims are checked, it is asked once more with the reasons,
/// and what is proven is kept. No I/O: whoever owns this carries prompts to the model and completions back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.hpp"
#include "answer/claims.hpp"
#include "answer/prompt.hpp"
#include "kbrepo/page.hpp"

namespace kb::answer {

/// A sentence that may be sent, with what carries it.
struct Said {
  std::string text;    ///< empty: the carriers' own words are said
  bool exact = false;  ///< stands so on the page: needs no quote beside it
  std::vector<Carrier> carriers;
};

class ModelDraft {
 public:
  /// `passages`: what the model sees of the pages.
  ModelDraft(std::string question, Lang lang, std::vector<FormsPtr> pages, std::vector<PromptPassage> passages);

  /// What to ask now; nothing: the model has been heard.
  [[nodiscard]] std::optional<Prompt> const& prompt() const noexcept { return prompt_; }
  void take(std::string_view completion);
  /// No completion comes any more.
  void give_up() noexcept { prompt_.reset(); }

  [[nodiscard]] std::vector<Said> const& said() const noexcept { return said_; }
  /// The repositories of their quotes are still to be filled in.
  [[nodiscard]] std::vector<ClaimNote> const& notes() const noexcept { return notes_; }

 private:
  void judge(Claim const& claim, std::vector<Refused>& refused);
  [[nodiscard]] std::vector<NotedQuote> quotes_of(Claim const& claim, ClaimVerdict const& verdict) const;
  [[nodiscard]] bool is_secret(Claim const& claim, ClaimVerdict const& verdict) const;

  std::string question_;
  Lang lang_;
  std::vector<FormsPtr> pages_;
  std::vector<PromptPassage> passages_;
  std::unique_ptr<ClaimCheck> check_;
  std::optional<Prompt> prompt_;
  bool asked_again_ = false;
  std::vector<Said> said_;
  std::vector<ClaimNote> notes_;
};

/// The text of a passage as a model may see it: the heading path, then its blocks, a table's header row before its
/// first row; without blocks that hold a secret.
[[nodiscard]] std::string text_for_model(kbrepo::Page const& page, kbrepo::Passage const& passage);

}  // namespace kb::answer
