/// How far a reply has come: which of its parts are out, and in which form and by which way the next one goes. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/adapter.hpp"
#include "adapters/feishu/render.hpp"

namespace kb::feishu {

/// One step of the ladder. Steps only go down, so the lowest one that was tried tells where to go on after a crash.
struct Step {
  Form form = Form::card;
  bool neutral = false;  ///< a fixed sentence in place of what the content check refused
  bool to_chat = false;  ///< a message of its own, not a reply to the question
  friend bool operator==(Step const&, Step const&) = default;
};
/// card | post | text | neutral, with "@chat" behind it when it is a message of its own.
[[nodiscard]] std::string to_string(Step const& step);
[[nodiscard]] std::optional<Step> parse_step(std::string_view word) noexcept;

/// What a reply says when the platform's content check refused its words.
[[nodiscard]] std::string_view neutral_sentence() noexcept;

/// The idempotency key of one part in one step: 32 characters, the same after any crash.
[[nodiscard]] std::string uuid_of(std::string_view reply_key, int part, Step const& step);

class Ladder {
 public:
  /// `tried`: what the store knows of this reply. A message that cannot be replied to (a menu click) begins with a
  /// message of its own.
  Ladder(adapters::Reply reply, std::vector<adapters::Sending> tried);

  [[nodiscard]] Step const& step() const noexcept { return step_; }
  /// The first part that is not out yet; nullopt: all are.
  [[nodiscard]] std::optional<int> next() const;
  [[nodiscard]] Part const& part(int number) const;
  /// When a try of this part in this step was begun whose outcome nobody knows.
  [[nodiscard]] std::optional<TimePoint> doubt(int number) const;
  /// Nothing of it has arrived, for certain.
  [[nodiscard]] bool untouched() const;

  /// Remembers what became of a part in this step.
  void note(adapters::Sending sending);
  /// card → post → text. False: there is no lower form.
  bool lower_form();
  /// False: it is a message of its own already, or the question stood in a thread, outside of which it has no place.
  bool leave_question();
  /// False: that was refused too.
  bool say_neutral();

 private:
  [[nodiscard]] std::vector<Part> const& parts() const;
  [[nodiscard]] bool out(int number) const;

  adapters::Reply reply_;
  std::vector<adapters::Sending> tried_;
  Step step_;
  mutable std::map<std::string, std::vector<Part>> rendered_;  ///< by form
};

}  // namespace kb::feishu
