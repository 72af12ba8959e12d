/// What an OpenAI-compatible server says: a chat completion as one JSON object, or as a stream of server-sent events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/result.hpp"

namespace kb::model {

struct Completion {
  std::string text;
  std::uint64_t tokens = 0;  ///< as counted by the server, prompt included; 0: it does not say
};

/// Reads one response while it comes. Servers differ: some ignore that a stream was asked for, some put reasoning into
/// fields of its own, some send comments to keep the line open. Reasoning stays out; where a server puts everything
/// into it, it is the text.
class CompletionReader {
 public:
  explicit CompletionReader(std::size_t max_text_bytes) : max_text_bytes_(max_text_bytes) {}

  /// The next bytes of the body, cut anywhere.
  void feed(std::string_view piece);
  /// Of a stream: what the model has said so far.
  [[nodiscard]] std::string const& text() const noexcept { return text_; }
  /// Nothing that follows matters: the stream has ended, failed, or grown too long.
  [[nodiscard]] bool over() const noexcept { return done_ || fault_; }

  /// Behind the last byte, or where the response broke off. corrupt: no message in it; unavailable: the server says
  /// that it failed; exhausted: too long.
  [[nodiscard]] Result<Completion> take();

 private:
  enum class Form { unknown, object, events };
  void read_line(std::string_view line);
  void read_event();

  std::size_t max_text_bytes_;
  Form form_ = Form::unknown;
  std::string rest_;  ///< the whole object, or the line that is not complete
  std::string data_;  ///< of the event that is not complete
  std::string text_, reasoning_;
  std::uint64_t tokens_ = 0;
  bool done_ = false;
  std::optional<Error> fault_;
};

}  // namespace kb::model
