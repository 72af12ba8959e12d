#include "adapters/feishu/content.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kb::feishu {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 8;  // of elements within elements; real cards have two or three
constexpr std::string_view kBlanks = " \t";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string text_of(Json const& object, char const* key) {
  auto const at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// A name as it may stand in a line of text.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

/// Collects text; what is left out (our own mention, an emoji) leaves no doubled blanks behind.
class Words {
 public:
  void add(std::string_view text) {
    if (gap_) {
      bool const at_line_start = out_.empty() || out_.back() == '\n';
      if (at_line_start || kBlanks.find(out_.back()) != kBlanks.npos) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
      }
      if (text.empty()) return;
      if (text.front() == '\n') drop_blanks();
      gap_ = false;
    }
    out_ += text;
  }

  void leave_out() noexcept { gap_ = true; }

  /// A line of its own begins, unless nothing stands in this one.
  void end_line() {
    drop_blanks();
    gap_ = false;
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }

  /// Without blank lines at the start and white space at the end. Indentation of the first line stays: it may be code.
  [[nodiscard]] std::string take() && {
    auto const last = out_.find_last_not_of(" \t\r\n");
    out_.erase(last == out_.npos ? 0 : last + 1);
    auto const first = out_.find_first_not_of(" \t\r\n");
    if (first == out_.npos) return {};
    auto const line = out_.rfind('\n', first);
    return line == out_.npos ? std::move(out_) : out_.substr(line + 1);
  }

 private:
  void drop_blanks() {
    auto const last = out_.find_last_not_of(kBlanks);
    out_.erase(last == out_.npos ? 0 : last + 1);
  }

  std::string out_;
  bool gap_ = false;
};

class Reader {
 public:
  Reader(std::vector<Mention> const& mentions, std::string_view our_open_id)
      : mentions_(mentions), our_open_id_(our_open_id) {}

  [[nodiscard]] Content take() && { return {.text = std::move(words_).take(), .attachment = attachment_}; }

  /// Text with placeholders in it.
  void read_text(std::string_view text) {
    std::size_t begin = 0;
    for (auto at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
      Mention const* const mention = mention_at(text.substr(at));
      if (mention == nullptr) continue;
      words_.add(text.substr(begin, at - begin));
      add(*mention);
      begin = at + mention->key.size();
      at = begin - 1;
    }
    words_.add(text.substr(begin));
  }

  void read_title(std::string const& title) {
    words_.add(title);
    words_.end_line();
  }

  /// Paragraphs of elements; a card may have elements without a paragraph around them.
  void read_paragraphs(Json const& paragraphs, int depth = 0) {
    if (!paragraphs.is_array() || depth > kMaxDepth) return;
    for (Json const& paragraph : paragraphs) {
      if (paragraph.is_array()) {
        for (Json const& element : paragraph) read_element(element, depth);
      } else {
        read_element(paragraph, depth);
      }
      words_.end_line();
    }
  }

 private:
  [[nodiscard]] bool is_ours(Mention const& mention) const noexcept {
    return !mention.open_id.empty() && mention.open_id == our_open_id_;
  }

  /// The mention whose placeholder `text` begins with; never @_user_1 in @_user_10.
  [[nodiscard]] Mention const* mention_at(std::string_view text) const noexcept {
    for (Mention const& mention : mentions_) {
      std::string const& key = mention.key;
      if (key.size() < 2 || !text.starts_with(key)) continue;
      bool const goes_on = text.size() > key.size() && is_digit(key.back()) && is_digit(text[key.size()]);
      if (!goes_on) return &mention;
    }
    return nullptr;
  }

  void add(Mention const& mention) {
    if (is_ours(mention)) {
      words_.leave_out();
    } else {
      words_.add('@' + one_line(mention.name.empty() ? mention.key.substr(1) : mention.name));
    }
  }

  /// An `at` of rich text names the placeholder, not the person.
  void read_at(Json const& element) {
    std::string const key = text_of(element, "user_id");
    for (Mention const& mention : mentions_) {
      if (!key.empty() && (mention.key == key || mention.open_id == key)) return add(mention);
    }
    std::string const name = text_of(element, "user_name");
    if (name.empty()) return words_.leave_out();
    words_.add('@' + one_line(name));
  }

  void read_link(Json const& element) {
    std::string const text = text_of(element, "text");
    std::string const href = text_of(element, "href");
    if (text.empty() || text == href) return words_.add(href);
    words_.add(href.empty() ? text : text + " (" + href + ")");
  }

  void read_element(Json const& element, int depth) {
    if (!element.is_object()) return;
    std::string const tag = text_of(element, "tag");
    if (tag == "at") return read_at(element);
    if (tag == "a") return read_link(element);
    if (tag == "code_block") {
      words_.end_line();
      words_.add(text_of(element, "text"));
      return words_.end_line();
    }
    if (tag == "img" || tag == "media" || tag == "file") attachment_ = true;
    if (tag == "button") return words_.leave_out();  // its words are a label
    if (auto const inner = element.find("elements"); inner != element.end()) {
      return read_paragraphs(*inner, depth + 1);
    }
    std::string const text = text_of(element, "text");
    if (text.empty()) return words_.leave_out();
    words_.add(text);
  }

  std::vector<Mention> const& mentions_;
  std::string_view our_open_id_;
  Words words_;
  bool attachment_ = false;
};

/// Rich text comes bare; as the sending side writes it, it stands under its language.
Json const& without_language(Json const& post) {
  if (post.contains("content") || post.contains("elements") || post.contains("title")) return post;
  for (auto const& [language, inner] : post.items()) {
    if (inner.is_object() && inner.contains("content")) return inner;
  }
  return post;
}

}  // namespace

bool holds_text(std::string_view message_type) noexcept {
  return message_type == "text" || message_type == "post" || message_type == "interactive";
}

Result<Content> read_content(std::string_view message_type, std::string_view content,
                             std::vector<Mention> const& mentions, std::string_view our_open_id) {
  Json const root = Json::parse(content, nullptr, false);
  if (!root.is_object()) return Error(Errc::invalid_input, "event.message.content holds no JSON object");
  Reader reader(mentions, our_open_id);
  if (message_type == "text") {
    auto const text = root.find("text");
    if (text == root.end() || !text->is_string()) {
      return Error(Errc::invalid_input, "event.message.content: text must be a string");
    }
    reader.read_text(text->get_ref<std::string const&>());
    return std::move(reader).take();
  }
  Json const& post = without_language(root);
  reader.read_title(text_of(post, "title"));
  for (char const* const key : {"content", "elements"}) {
    if (auto const paragraphs = post.find(key); paragraphs != post.end()) reader.read_paragraphs(*paragraphs);
  }
  return std::move(reader).take();
}

}  // namespace kb::feishu
