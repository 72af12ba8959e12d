/// Follow-ups (S1-8): whether a question leans on an earlier one of the same asker, and what it asks then.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.hpp"
#include "answer/question.hpp"
#include "config/ids.hpp"
#include "scope/grant.hpp"

namespace kb::answer {

/// A question that was answered, or nearly, as far as a later one may lean on it.
struct EarlierTurn {
  std::string topic;            ///< what "it" would be: "Atlas"
  std::string subject;          ///< the whole matter, for a bare "why?": "Atlas 的上线日期推迟"
  bool of_person = false;       ///< what 他, she… look for
  std::vector<RepoId> granted;  ///< what that question was allowed to read
  std::vector<Consulted> cited;
};

struct FollowUp {
  std::string subject;             ///< what is taken as meant; the reply says so
  std::string question;            ///< with the subject in it; decides nothing about scope
  std::vector<Consulted> context;  ///< pages cited in the earlier turn
};

/// `earlier`: the asker's turns in this chat and thread, latest last. A turn that was granted other repositories than
/// `grant` is never used, nor is one before it. A question with a subject of its own gives nothing. Pure.
[[nodiscard]] std::optional<FollowUp> follow_up_of(std::string_view question, std::span<EarlierTurn const> earlier,
                                                   scope::ReadGrant const& grant);

/// What a later question could lean on; nothing when `answer` has no subject that can be named.
[[nodiscard]] std::optional<EarlierTurn> turn_of(Answer const& answer);

/// The thing a question is about, as it is written there: a person or project that it names, or else its first words
/// without what asks. May be empty.
[[nodiscard]] std::string topic_of(Question const& question, Names const& names);

/// How a question leans on what was said before it.
enum class Leaning {
  none,      ///< has a subject of its own
  thing,     ///< 它, 这个项目, "it", "that"; or names a property alone: 那负责人呢
  person,    ///< 他, "she"
  question,  ///< nothing but asks: 为什么呢, "when?"
};
[[nodiscard]] Leaning leaning_of(std::string_view question);

/// `question` with `subject` in the place of its pronoun, or in front. Only for one that leans.
[[nodiscard]] std::string with_subject(std::string_view question, std::string_view subject);

}  // namespace kb::answer
