/// What a model is asked, and how its reply is read. The pages go as data, each with an id; what comes back is claims.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/claims.hpp"
#include "config/ids.hpp"

namespace kb::answer {

struct Prompt {
  std::string system;
  std::string user;
};

/// A piece of a page that a model gets to see.
struct PromptPassage {
  std::size_t page = 0;  ///< position among the pages read
  std::string title;
  std::string text;
};

/// `refused`: the sentences of its first reply that could not be proven, with the reasons; empty the first time.
struct Refused {
  std::string sentence;
  std::string reason;
};
[[nodiscard]] Prompt make_prompt(std::string_view question, Lang lang, std::span<PromptPassage const> passages,
                                 std::span<Refused const> refused);

/// The claims in a completion, their pages by the ids given. Reads JSON in a fence, behind prose or behind <think>…;
/// of a reply that breaks off what is complete. Nothing: no JSON at all. No claims: the model found no answer.
[[nodiscard]] std::optional<std::vector<Claim>> read_completion(std::string_view text,
                                                                std::span<PromptPassage const> passages);

/// Tells of a completion that grows when its JSON object has come to its end: nothing behind it matters.
class CompletionEnd {
 public:
  /// `text`: all of it so far. Reads only what is new; a shorter text begins anew.
  [[nodiscard]] bool operator()(std::string_view text);

 private:
  std::size_t at_ = 0, begin_ = 0;
  int depth_ = 0;
  bool thinking_ = false, in_string_ = false, escaped_ = false;
};

/// Why a claim was refused, for the model and for whoever explains an answer.
[[nodiscard]] std::string reason_of(ClaimVerdict const& verdict);

}  // namespace kb::answer
