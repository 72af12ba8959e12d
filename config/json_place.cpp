#include "config/json_place.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace kb::config {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
         c == '.' || c == '_';
}

/// Finds tokens again in a text that the library has already accepted up to there. nlohmann reports events, not places.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text), at_(text.starts_with(kByteOrderMark) ? 3 : 0) {}

  struct Token {
    std::size_t begin;
    std::size_t end;
  };

  /// The next token, commas and colons included.
  Token next_raw() noexcept {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    std::size_t const begin = at_;
    if (at_ >= text_.size()) return {begin, begin};
    if (text_[at_] == '"') {
      skip_string();
    } else if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return {begin, at_};
  }

  /// The next key, value or bracket.
  Token next() noexcept {
    Token token = next_raw();
    while (token.end == token.begin + 1 && (text_[token.begin] == ',' || text_[token.begin] == ':')) token = next_raw();
    return token;
  }

 private:
  void skip_string() noexcept {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_;
};

/// Offsets to places, in O(log lines).
class Lines {
 public:
  explicit Lines(std::string_view text) {
    starts_.push_back(text.starts_with(kByteOrderMark) ? 3 : 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] Place at(std::size_t offset) const {
    auto const after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    if (after == starts_.begin()) return {1, 1};
    return {static_cast<int>(after - starts_.begin()), static_cast<int>(offset - *(after - 1) + 1)};
  }

 private:
  std::vector<std::size_t> starts_;
};

/// The reason out of nlohmann's sentence: what stands after " - ", without the quoted input (which may be anything).
std::string reason_of(std::string_view what) {
  auto const dash = what.find(" - ");
  if (dash == what.npos) return "this is not JSON";
  std::string reason(what.substr(dash + 3));
  auto const quoted = reason.find("; last read: '");
  if (quoted == reason.npos) return reason;
  auto const expected = reason.rfind("'; expected ");
  std::string const tail = expected != reason.npos && expected > quoted ? reason.substr(expected + 1) : std::string();
  return reason.substr(0, quoted) + tail;
}

/// Builds the tree from nlohmann's events; one instance parses one text.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, std::string const& file, std::vector<Fault>& faults)
      : text_(text), file_(file), faults_(faults), cursor_(text), lines_(text) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() override {
    add(Json::Type::null);
    return true;
  }
  bool boolean(bool value) override {
    add(Json::Type::boolean)->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    add(Json::Type::integer)->integer = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) return number_float(0, {});
    return number_integer(static_cast<number_integer_t>(value));
  }
  bool number_float(number_float_t, string_t const&) override {
    add(Json::Type::real);
    return true;
  }
  bool string(string_t& value) override {
    add(Json::Type::text)->text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // never in text
  bool start_object(std::size_t) override { return open(Json::Type::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::Type::array); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    Place const place = lines_.at(cursor_.next().begin);
    Json& object = *open_.back();
    if (Json::Member const* first = member(object, value)) {
      fault(place, "key \"" + value + "\" stands twice in this object",
            "remove one; the first is in line " + std::to_string(first->place.line));
      repeated_.emplace_back();
      target_ = &repeated_.back();
      return true;
    }
    object.members.push_back({std::move(value), place, {}});
    target_ = &object.members.back().value;
    return true;
  }

  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const& problem) override {
    std::size_t const offset = std::min(position == 0 ? 0 : position - 1, text_.size());
    std::string const reason = problem.id == 406 ? "number out of range" : reason_of(problem.what());
    if (reason.starts_with("invalid string") || reason.starts_with("invalid BOM")) {
      fault(lines_.at(offset), reason, string_hint(reason));
      return false;
    }
    Cursor::Token before{0, 0};
    Cursor::Token token = cursor_.next_raw();
    while (token.begin < token.end && !is_at_fault(token, offset, reason)) {
      before = token;
      token = cursor_.next_raw();
    }
    if (token.begin > offset) {  // within what passed for one token: the 1 of 01
      fault(lines_.at(offset), reason, "");
    } else {
      fault(lines_.at(token.begin), reason, token_hint(reason, before, token));
    }
    return false;
  }

 private:
  static Json::Member const* member(Json const& object, std::string_view key) {
    auto const same = [key](Json::Member const& m) { return m.key == key; };
    auto const found = std::find_if(object.members.begin(), object.members.end(), same);
    return found == object.members.end() ? nullptr : &*found;
  }

  /// Puts a value where the last key, or the open array, wants it.
  Json* add(Json::Type type) {
    if (target_ == nullptr) target_ = &open_.back()->items.emplace_back();
    Json* const json = std::exchange(target_, nullptr);
    Cursor::Token const token = cursor_.next();
    json->type = type;
    json->place = lines_.at(token.begin);
    json->begin = token.begin;
    json->end = token.end;
    return json;
  }

  bool open(Json::Type type) {
    open_.push_back(add(type));
    if (open_.size() <= kMaxDepth) return true;
    fault(open_.back()->place, "nested more than " + std::to_string(kMaxDepth) + " levels deep", "");
    return false;
  }

  bool close() {
    open_.back()->end = cursor_.next().end;
    open_.pop_back();
    return true;
  }

  /// Nothing before `offset` was refused. Of a bad literal (nul) the byte after it is what was refused.
  [[nodiscard]] bool is_at_fault(Cursor::Token token, std::size_t offset, std::string_view reason) const {
    if (token.end == offset && is_word(text_[token.begin])) return reason.starts_with("invalid literal");
    return token.end > offset;
  }

  static std::string string_hint(std::string_view reason) {
    if (reason.find("UTF-8") != reason.npos) return "save the file as UTF-8";
    if (reason.find("(LF)") != reason.npos || reason.find("missing closing quote") != reason.npos) {
      return "close the text with a double quote";
    }
    return {};
  }

  [[nodiscard]] std::string token_hint(std::string_view reason, Cursor::Token before, Cursor::Token token) const {
    if (token.begin >= text_.size()) {
      if (open_.empty()) return {};
      bool const object = open_.back()->type == Json::Type::object;
      return std::string("close the ") + (object ? "{" : "[") + " of line " + std::to_string(open_.back()->place.line);
    }
    char const c = text_[token.begin];
    bool const after_comma = before.end > before.begin && text_[before.begin] == ',';
    if ((c == '}' || c == ']') && after_comma) return "remove the comma before it";
    if (c == '/' || c == '#') return "JSON has no comments: remove it";
    if (c == '\'') return "use double quotes";
    if (reason.ends_with("expected ':'")) return "put a colon between key and value";
    bool const value = c == '"' || c == '{' || c == '[' || is_word(c);
    if (value && (reason.ends_with("expected '}'") || reason.ends_with("expected ']'"))) return "put a comma before it";
    if (is_word(c) && reason.starts_with("invalid literal")) return "put text and keys in double quotes";
    return {};
  }

  void fault(Place place, std::string message, std::string hint) {
    faults_.push_back({file_, place.line, place.column, std::move(message), std::move(hint)});
  }

  std::string_view text_;
  std::string const& file_;
  std::vector<Fault>& faults_;
  Cursor cursor_;
  Lines lines_;
  Json root_;
  Json* target_ = &root_;
  std::vector<Json*> open_;  // a parent's list does not grow while a child is open: the pointers hold
  std::deque<Json> repeated_;
};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment distance: insert, delete, replace, swap of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two(b.size() + 1), one(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) one[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool const same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({one[j] + 1, now[j - 1] + 1, one[j - 1] + (same ? 0u : 1u)});
      bool const swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], two[j - 2] + 1);
    }
    std::swap(two, one);
    std::swap(one, now);
  }
  return one[b.size()];
}

}  // namespace

Json const* Json::find(std::string_view key) const noexcept {
  for (auto const& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::optional<Json> parse_json(std::string_view text, std::string const& file, std::vector<Fault>& faults) {
  TreeBuilder builder(text, file, faults);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.take();
}

std::string_view describe(Json::Type type) noexcept {
  switch (type) {
    case Json::Type::null:
      return "null";
    case Json::Type::boolean:
      return "true or false";
    case Json::Type::integer:
      return "a whole number";
    case Json::Type::real:
      return "a number";
    case Json::Type::text:
      return "text";
    case Json::Type::array:
      return "a list";
    case Json::Type::object:
      return "an object";
  }
  return "something else";
}

std::string_view nearest(std::string_view word, std::span<std::string_view const> known) {
  constexpr std::size_t kMaxWord = 64;  // longer is no typing error
  if (word.size() > kMaxWord) return {};
  std::string_view best;
  std::size_t best_distance = word.size() + 1;
  for (auto const candidate : known) {
    std::size_t const far = std::max(word.size(), candidate.size()) / 2;
    std::size_t const d = distance(word, candidate);
    if (d > far || d >= best_distance) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<std::string_view const> known) {
  std::string_view const near = nearest(word, known);
  return near.empty() ? std::string() : "did you mean \"" + std::string(near) + "\"?";
}

}  // namespace kb::config
