// Whatever an answer says, each form shows all of it, within the limits, and nothing in it acts.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "adapters/feishu/render.hpp"

using namespace kb;
using namespace kb::feishu;

namespace {

using Json = nlohmann::json;

constexpr std::string_view kZeroWidth = "\u200B";
constexpr std::size_t kRichLimit = 28'000;
constexpr std::size_t kTextLimit = 140'000;
constexpr int kMaxTables = 3;

/// Of the content as a string within the request.
std::size_t sent_size(Part const& part) {
  bool const small = part.content.size() * 2 < kRichLimit;  // escaping JSON text doubles it at most
  return small ? part.content.size() * 2 : Json(part.content).dump().size();
}

// --- what a reader sees, read anew here: not by the code under test ------------------------------------------------

std::string without(std::string_view text, std::string_view what) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    auto const at = text.find(what);
    out += text.substr(0, at);
    if (at == text.npos) return out;
    text.remove_prefix(at + what.size());
  }
}

std::string without_any(std::string_view text, std::string_view chars) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto const skip = std::min(text.find_first_not_of(chars), text.size());
    auto const end = text.find_first_of(chars, skip);
    out += text.substr(skip, end - skip);
    text.remove_prefix(std::min(end, text.size()));
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A table's `| --- | --- |` is no word.
bool is_rule(std::string_view line) {
  return line.find('|') != line.npos && line.find('-') != line.npos && line.find_first_not_of("|:- ") == line.npos;
}

std::size_t run(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

std::string_view without_bullet(std::string_view line) {
  bool const bullet = line.size() > 2 && std::string_view("-*+").find(line[0]) != line.npos && line[1] == ' ';
  return bullet && !trimmed(line.substr(1)).empty() ? trimmed(line.substr(1)) : line;
}

struct Fence {
  char mark = 0;
  std::size_t length = 0;
  bool quoted = false;

  bool closes(std::string_view line) const {
    return length > 0 && run(line, mark) == line.size() && line.size() >= length;
  }
  /// The words behind the marks, or nothing.
  bool opens(std::string_view line, std::string& words) {
    for (char const c : {'`', '~'}) {
      std::size_t const n = run(line, c);
      if (n < 3 || (c == '`' && line.find('`', n) != line.npos)) continue;
      mark = c;
      length = n;
      std::string_view const info = trimmed(line.substr(n));
      bool const language = info.size() <= 20 && std::all_of(info.begin(), info.end(), [](unsigned char letter) {
                              return letter < 0x80 && (std::isalnum(letter) != 0 ||
                                                       std::string_view("+#-_.").find(static_cast<char>(letter)) !=
                                                           std::string_view::npos);
                            });
      words = language ? std::string() : std::string(info);
      return true;
    }
    return false;
  }
};

/// The words of an answer's text: structure and white space gone, code with its blanks.
std::string visible(std::string_view text) {
  std::string out;
  Fence fence;
  for (std::string_view const line : lines_of(text)) {
    bool const quoted = line.starts_with('>');
    std::string_view content = quoted ? line.substr(line.starts_with("> ") ? 2 : 1) : line;
    if (fence.length > 0 && (quoted || !fence.quoted)) {
      std::string_view const code = fence.quoted ? content : line;
      if (fence.closes(trimmed(code))) {
        fence.length = 0;
      } else {
        out += code;
      }
      continue;
    }
    fence.length = 0;
    content = trimmed(content);
    std::string words;
    if (fence.opens(content, words)) {
      fence.quoted = quoted;
      out += without_any(words, " \t|");
      continue;
    }
    if (is_rule(content)) continue;
    content = without_bullet(content);
    std::size_t const level = run(content, '#');
    if (level > 0 && level <= 6 && level < content.size() && content[level] == ' ')
      content = trimmed(content.substr(level));
    out += without_any(content, " \t|");
  }
  return without(std::move(out), kZeroWidth);
}

std::string without_entities(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "&#") {
      auto const end = text.find(';', at);
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 2, end - at - 2))));
      at = end + 1;
    } else {
      out += text[at++];
    }
  }
  return out;
}

struct Shown {
  std::string words;
  std::vector<std::string> targets;
  int tables = 0;
  bool acts = false;  ///< something of a page is markup, or code was left open
};

/// `[words](target)` is its words. Every raw bracket has to be one of ours.
std::string without_links(std::string_view line, Shown& shown) {
  std::string out;
  while (!line.empty()) {
    auto const open = line.find('[');
    out += line.substr(0, open);
    if (open == line.npos) break;
    auto const middle = line.find("](", open);
    auto const end = line.find(')', middle);
    if (middle == line.npos || end == line.npos) {
      shown.acts = true;
      break;
    }
    out += line.substr(open + 1, middle - open - 1);
    shown.targets.emplace_back(line.substr(middle + 2, end - middle - 2));
    line.remove_prefix(end + 1);
  }
  shown.acts = shown.acts || out.find(']') != out.npos;
  return out;
}

/// Reads the Markdown of one element as the platform would.
void read_markdown(std::string_view text, Shown& shown) {
  Fence fence;
  for (std::string_view const line : lines_of(text)) {
    if (fence.length > 0) {
      if (fence.closes(line)) {
        fence.length = 0;
      } else {
        shown.words += without(std::string(line), kZeroWidth);
      }
      continue;
    }
    std::string info;
    if (fence.opens(line, info)) continue;
    std::string_view content = trimmed(line);
    if (content.starts_with("> ")) content = trimmed(content.substr(2));
    shown.tables += content.starts_with("| ---") ? 1 : 0;
    shown.acts = shown.acts || content.find_first_of("<~`_") != content.npos;  // the page's own are entities
    std::string words = without_links(without_bullet(content), shown);
    words = without(without_entities(without_any(words, "*")), kZeroWidth);
    if (!is_rule(words)) shown.words += without_any(words, " \t|");
  }
  shown.acts = shown.acts || fence.length > 0;
}

Shown read_cards(std::vector<Part> const& parts) {
  Shown all;
  for (Part const& part : parts) {
    CHECK(part.msg_type == "interactive");
    CHECK(sent_size(part) < kRichLimit);
    Json const card = Json::parse(part.content);
    bool const last = &part == &parts.back();
    Shown shown;
    std::set<std::string> ids;
    for (Json const& element : card["body"]["elements"]) {
      std::string const id = element.value("element_id", "");
      if (!id.empty()) CHECK(ids.insert(id).second);
      if (id == "answer" || id == "sources") read_markdown(element["content"].get_ref<std::string const&>(), shown);
      if (id == "facts" || id == "votes") CHECK(last);
    }
    CHECK(shown.tables <= kMaxTables);
    CHECK(!ids.empty());
    CHECK(ids.contains("votes") == last);
    all.words += shown.words;
    all.acts = all.acts || shown.acts;
    all.targets.insert(all.targets.end(), shown.targets.begin(), shown.targets.end());
  }
  return all;
}

Shown read_posts(std::vector<Part> const& parts) {
  Shown all;
  for (Part const& part : parts) {
    CHECK(part.msg_type == "post");
    CHECK(sent_size(part) < kRichLimit);
    Json const post = Json::parse(part.content);
    for (Json const& paragraph : post["zh_cn"]["content"]) {
      REQUIRE(paragraph.size() == 1);
      CHECK(paragraph[0]["tag"] == "md");
      read_markdown(paragraph[0]["text"].get_ref<std::string const&>(), all);
    }
  }
  CHECK(all.tables == 0);
  return all;
}

std::string read_texts(std::vector<Part> const& parts) {
  std::string out;
  for (Part const& part : parts) {
    CHECK(part.msg_type == "text");
    CHECK(sent_size(part) < kTextLimit);
    std::string const text = Json::parse(part.content)["text"];
    bool const acts = text.find("](") != text.npos || text.find("<b>") != text.npos || text.find("<i>") != text.npos;
    CHECK_FALSE(acts);
    out += text;
  }
  return without_any(without(std::move(out), kZeroWidth), " \t\n");
}

bool pings(std::vector<Part> const& parts) {
  return std::any_of(parts.begin(), parts.end(), [](Part const& part) {
    static constexpr std::string_view kPings[] = {"<at", "<AT", "</at", "@all\"", "@all "};
    return std::any_of(std::begin(kPings), std::end(kPings),
                       [&part](std::string_view ping) { return part.content.find(ping) != std::string::npos; });
  });
}

// --- answers of any kind --------------------------------------------------------------------------------------------

struct Generated {
  adapters::Reply reply;
  std::string body, sources;         ///< of the text
  std::string shown_sources;         ///< as card and rich text have them
  std::vector<std::string> targets;  ///< of the links, in order
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Generated answer(std::size_t size) {
    Generated out;
    while (out.body.size() < size) {
      if (!out.body.empty()) out.body += below(3) == 0 ? "\n\n" : "\n";
      out.body += block(size > 3000 ? 40 : 6);
    }
    english_ = below(3) == 0;
    Json json = Json::array();
    if (below(4) != 0) add_sources(out, json);
    out.reply.text = out.body + (out.sources.empty() ? "" : "\n\n" + out.sources);
    out.reply.sources_json = json.dump();
    out.reply.query_id = "q-1";
    out.reply.outcome = below(2) == 0 ? "answered" : "insufficient";
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  template <std::size_t N>
  char const* one_of(char const* const (&words)[N]) {
    return words[below(N)];
  }

  std::string words(std::size_t most) {
    static char const* const kWords[] = {"难负例",
                                         "评测集，",
                                         "由韩雪负责。",
                                         "the reranker",
                                         "takes 92 ms",
                                         "snake_case_name",
                                         "**bold**",
                                         "`code`",
                                         "*a*",
                                         "~~old~~",
                                         "<at user_id=\"all\"></at>",
                                         "<at id=all></at>",
                                         "< AT id=x>",
                                         "@all",
                                         "@_all ",
                                         "a@all.example",
                                         "[text](https://evil.example/a_b)",
                                         "![img](x)",
                                         "[[wiki-link]]",
                                         "<b>bold</b>",
                                         "<font color='red'>",
                                         "&lt;at&gt;",
                                         "&#42;",
                                         "&amp",
                                         "\\*",
                                         "C:\\dir",
                                         "\"quoted\"",
                                         "🧑‍🚀",
                                         "🇨🇳",
                                         "a | b",
                                         "#tag",
                                         "x_y_z",
                                         "3 < 5 > 2",
                                         "(1)",
                                         "$x$",
                                         "https://kb.example/a?b=1&c=2",
                                         "1.",
                                         "-",
                                         "> q",
                                         "——",
                                         "café",
                                         "\t",
                                         "＜at＞",
                                         "\u200B",
                                         "](",
                                         "- ",
                                         "12. x",
                                         "::"};
    std::string out;
    for (std::size_t i = 1 + below(most); i > 0; --i) out.append(out.empty() ? "" : " ").append(one_of(kWords));
    return out;
  }

  std::string soup() {
    static constexpr std::string_view kChars = "*_~`<>[]()#|&\\-+=.!@:;/ \t\"'19aZ";
    std::string out;
    for (std::size_t i = 1 + below(30); i > 0; --i) {
      char const c = kChars[below(kChars.size())];
      bool const escaped_pipe = c == '|' && out.ends_with('\\');  // the one thing a table's cell takes away
      out += escaped_pipe ? '.' : c;
    }
    bool const row = out.find_first_not_of("> \t") != out.npos && out[out.find_first_not_of("> \t")] == '|';
    if (row) std::replace(out.begin(), out.end(), '-', '.');
    return out;
  }

  std::string table(std::string const& quote) {
    std::size_t const columns = 1 + below(4);
    std::string out;
    std::size_t const rows = 2 + below(5);
    for (std::size_t row = 0; row < rows; ++row) {
      if (row > 0) out += '\n';
      out += quote + '|';
      for (std::size_t i = 0; i < columns; ++i) out += ' ' + without_any(words(2), "|\\-") + " |";
      if (row == 0 && columns > 1 && below(2) == 0) {
        out += '\n' + quote + '|';
        for (std::size_t i = 0; i < columns; ++i) out += " --- |";
      }
    }
    return out + (below(2) == 0 ? " [1]" : "");
  }

  std::string code(std::string const& quote) {
    static char const* const kLines[] = {"int main() {",     "    return 1;", "}",     "",       "```",      "  a  b ",
                                         "<at id=all></at>", "x = \"*_*\"",   "&#42;", "- item", "| a | b |"};
    std::string out = quote + one_of({"````", "````cpp", "~~~~", "````这是 说明"});
    std::string const close(out.find('~') == out.npos ? "````" : "~~~~");
    for (std::size_t i = below(8); i > 0; --i) out += '\n' + quote + one_of(kLines);
    return below(12) == 0 ? out + '\n' + quote + "}" : out + '\n' + quote + close;
  }

  std::string block(std::size_t most) {
    std::string const quote = below(2) == 0 ? "> " : "";
    switch (below(10)) {
      case 0:
        return table(quote);
      case 1:
        return code(quote);
      case 2:
        return quote + soup();
      case 3:
        return quote + std::string(1 + below(6), '#') + ' ' + words(4);
      case 4:
      case 5:
        return quote + std::string(below(3) * 2, ' ') + one_of({"- ", "* ", "+ ", "1. ", "2. ", "7) "}) + words(most);
      default:
        return quote + words(most);
    }
  }

  void add_sources(Generated& out, Json& json) {
    out.sources = english_ ? "Sources:" : "来源：";
    out.shown_sources = out.sources;
    std::size_t const count = 1 + below(4);
    for (std::size_t i = 1; i <= count; ++i) {
      std::string const title = "《" + std::string(trimmed(without(without_any(words(4), "\t"), "《"))) + "》";
      std::string const label = below(2) == 0 ? "（团队知识库）" : "";
      std::string const page = "notes/" + std::to_string(i) + ".md";
      bool const linked = below(3) != 0;
      std::string const url = linked ? "https://git.example/o/r/src/" + page + "#L3-L9" : "";
      std::string const number = std::to_string(i) + ". ";
      out.sources += '\n' + number + title + label + (linked ? url : "o/r:" + page + "#L3-L9");
      json.push_back({{"title", title},
                      {"owner", "o"},
                      {"repo", "r"},
                      {"path", page},
                      {"url", url},
                      {"lines", {3, 9}},
                      {"changed_at", "2026-10-01T18:30:00Z"}});
      std::string facts = linked ? (english_ ? " · lines 3–9" : " · 第 3–9 行") : "";
      facts += english_ ? " · changed 2026-10-02" : " · 更新于 2026-10-02";
      out.shown_sources += '\n' + number + title + label + (linked ? "" : "o/r:" + page + "#L3-L9") + facts;
      if (linked) out.targets.push_back(url);
      std::string below_it;
      if (below(3) == 0) below_it += "\n   > " + std::string(trimmed(without_any(words(6), "\t")));
      if (below(3) == 0) below_it += "\n   ⚠ 此页已标记为过时（自 2026-03-02 起），建议更新后再引用。";
      out.sources += below_it;
      out.shown_sources += below_it;
    }
  }

  std::mt19937 random_;
  bool english_ = false;
};

/// The block is not read for structure: only its lines' own marks go.
std::string visible_sources(std::string_view block) {
  std::string out;
  for (std::string_view line : lines_of(block)) {
    line = trimmed(line);
    if (line.starts_with("> ")) line = trimmed(line.substr(2));
    out += without_any(line, " \t|");
  }
  return without(std::move(out), kZeroWidth);
}

/// Empty, or where two texts part.
std::string difference(std::string_view shown, std::string_view expected) {
  if (shown == expected) return {};
  auto const [a, b] = std::mismatch(shown.begin(), shown.end(), expected.begin(), expected.end());
  auto const at = static_cast<std::size_t>(a - shown.begin());
  std::size_t const from = at > 60 ? at - 60 : 0;
  return "shown …" + std::string(shown.substr(from, 120)) + "… expected …" + std::string(expected.substr(from, 120)) +
         "…";
}

void check(Generated const& generated) {
  CAPTURE(generated.reply.text.substr(0, 1000));
  std::string const expected = visible(generated.body) + visible_sources(generated.shown_sources);
  std::vector<Part> const cards = render(Form::card, generated.reply);
  std::vector<Part> const posts = render(Form::post, generated.reply);
  std::vector<Part> const texts = render(Form::text, generated.reply);
  Shown const card = read_cards(cards);
  Shown const post = read_posts(posts);
  CHECK(difference(card.words, expected) == "");
  CHECK_FALSE(card.acts);
  CHECK_FALSE(post.acts);
  CHECK(card.targets == generated.targets);
  CHECK(difference(post.words, expected) == "");
  CHECK(post.targets == generated.targets);
  CHECK(difference(read_texts(texts), without_any(without(generated.reply.text, kZeroWidth), " \t\n")) == "");
  for (auto const* const parts : {&cards, &posts, &texts}) CHECK_FALSE(pings(*parts));
}

Generated plain_answer(std::string body) {
  Generated out;
  out.body = out.reply.text = std::move(body);
  out.reply.query_id = "q";
  out.reply.outcome = "answered";
  return out;
}

}  // namespace

TEST_CASE("each form shows every word of ten thousand answers, and no word acts") {
  Generator generator(2026);
  for (int i = 0; i < 10'000; ++i) {
    check(generator.answer(i % 10 == 0 ? 600 : 60));
    if (i % 1000 == 999) check(generator.answer(static_cast<std::size_t>(i) * 20));  // up to 200 KB
  }
}

TEST_CASE("lines without any place to cut them are shown whole, too") {
  static char const* const kAround[] = {"", "> ", "- ", "# ", "1. ", "| a | "};
  std::size_t turn = 0;
  for (char const* const unit : {"x", "汉", "🧑‍🚀", "*", "\"", "\\", "<at>", "`", "@all ", "](", "- ", "#"}) {
    for (int i = 0; i < 2; ++i) {
      char const* const around = kAround[turn++ % std::size(kAround)];
      CAPTURE(unit);
      CAPTURE(around);
      std::string body = around;
      while (body.size() < 40'000) body += unit;
      check(plain_answer(std::move(body)));
    }
  }
}

TEST_CASE("code of any length stays code in each part") {
  std::string body = "> ```cpp\n";
  for (int i = 0; i < 2000; ++i) body += ">     auto x_" + std::to_string(i) + " = \"<at id=all></at>\";  // ``\n";
  body += "> ```\n> [1]";
  Generated const one = plain_answer(std::move(body));
  check(one);
  std::vector<Part> const cards = render(Form::card, one.reply);
  CHECK(cards.size() > 2);
  for (Part const& part : cards) {
    std::string const content = Json::parse(part.content)["body"]["elements"][0]["content"];
    CHECK(content.starts_with("```cpp\n    auto x_"));  // cut between lines, opened anew, indentation kept
  }
}
