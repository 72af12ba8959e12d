#include "adapters/model/completion.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace kb::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(kBlanks) == text.npos; }

std::string text_of(Json const& message, char const* key) {
  auto const at = message.find(key);
  if (at == message.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  std::string out;
  if (!at->is_array()) return out;
  for (Json const& part : *at) {  // content in parts
    if (part.is_object() && part.contains("text") && part["text"].is_string()) out += part["text"].get<std::string>();
  }
  return out;
}

std::string reasoning_of(Json const& message) {
  std::string out = text_of(message, "reasoning_content");
  return out.empty() ? text_of(message, "reasoning") : out;
}

std::uint64_t tokens_of(Json const& reply) {
  auto const usage = reply.find("usage");
  if (usage == reply.end() || !usage->is_object()) return 0;
  auto const total = usage->find("total_tokens");
  return total != usage->end() && total->is_number_unsigned() ? total->get<std::uint64_t>() : 0;
}

Json const* choice_of(Json const& reply) {
  bool const there = reply.contains("choices") && reply["choices"].is_array() && !reply["choices"].empty() &&
                     reply["choices"][0].is_object();
  return there ? &reply["choices"][0] : nullptr;
}

Result<Completion> checked(std::string text, std::string reasoning, std::uint64_t tokens) {
  if (is_blank(text)) text = std::move(reasoning);
  if (is_blank(text)) return Error(Errc::corrupt, "the model's reply has no text");
  return Completion{std::move(text), tokens};
}

Result<Completion> read_object(std::string_view body) {
  Json const reply = Json::parse(body, nullptr, false);
  Json const* const choice = reply.is_object() ? choice_of(reply) : nullptr;
  if (choice == nullptr) return Error(Errc::corrupt, "the model's reply is no chat completion");
  auto const message = choice->find("message");
  if (message == choice->end() || !message->is_object()) return checked(text_of(*choice, "text"), {}, tokens_of(reply));
  return checked(text_of(*message, "content"), reasoning_of(*message), tokens_of(reply));
}

}  // namespace

void CompletionReader::feed(std::string_view piece) {
  rest_ += piece;
  if (form_ == Form::unknown) {
    auto const first = rest_.find_first_not_of(kBlanks);
    if (first == rest_.npos) return;
    form_ = rest_[first] == '{' ? Form::object : Form::events;
  }
  if (form_ == Form::object) {
    if (rest_.size() > 2 * max_text_bytes_) fault_ = Error(Errc::exhausted, "the model's reply is too long");
    return;
  }
  std::size_t begin = 0;
  for (auto end = rest_.find('\n'); end != rest_.npos && !over(); end = rest_.find('\n', begin)) {
    std::string_view line = std::string_view(rest_).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    read_line(line);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (text_.size() + reasoning_.size() + rest_.size() + data_.size() > max_text_bytes_)
    fault_ = Error(Errc::exhausted, "the model's reply is too long");
}

void CompletionReader::read_line(std::string_view line) {
  constexpr std::string_view kData = "data:";
  if (line.empty()) {
    read_event();
  } else if (line.starts_with(kData)) {
    if (!data_.empty()) data_ += '\n';
    data_ += line.substr(kData.size());
  }
}

void CompletionReader::read_event() {
  std::string const data = std::exchange(data_, {});
  if (is_blank(data)) return;
  if (data.find("[DONE]") < 2) {
    done_ = true;
    return;
  }
  Json const chunk = Json::parse(data, nullptr, false);
  if (!chunk.is_object()) return;
  if (chunk.contains("error")) {
    fault_ = Error(Errc::unavailable, "the model's server says in the middle of its reply that it failed");
    return;
  }
  tokens_ = std::max(tokens_, tokens_of(chunk));
  Json const* const choice = choice_of(chunk);
  if (choice == nullptr) return;
  auto const delta = choice->find("delta");
  if (delta == choice->end() || !delta->is_object()) {
    text_ += text_of(*choice, "text");
  } else {
    text_ += text_of(*delta, "content");
    reasoning_ += reasoning_of(*delta);
  }
}

Result<Completion> CompletionReader::take() {
  if (fault_) return std::move(*fault_);
  if (form_ != Form::events) return read_object(rest_);
  if (!done_) {  // a server may end without the last line break
    read_line(rest_);
    read_event();
  }
  if (fault_) return std::move(*fault_);
  return checked(std::move(text_), std::move(reasoning_), tokens_);
}

}  // namespace kb::model
