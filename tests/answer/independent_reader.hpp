/// Whether each sentence of a reply stands on a page that its sources name. Reads letters and digits alone, and shares
/// no code with what it checks.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kb::test {

/// Letters and digits, lower case; bytes of other scripts as they are, their punctuation left out.
inline std::string letters_and_digits(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    auto const next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (byte >= 'A' && byte <= 'Z') {
      out += static_cast<char>(byte - 'A' + 'a');
    } else if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
      out += text[i];
    } else if ((byte == 0xE3 && next == 0x80) || byte == 0xE2 ||
               (byte == 0xEF && (next == 0xBC || next == 0xBB || next == 0xB8))) {
      i += 2;  // punctuation of three bytes, and how a sign before it is drawn
    } else if (byte >= 0x80) {
      out += text[i];
    }
  }
  return out;
}

/// A page without the targets of its links.
inline std::string without_targets(std::string_view page) {
  std::string out;
  for (std::size_t i = 0; i < page.size();) {
    if (page.substr(i, 2) == "](") {
      std::size_t const end = page.find(')', i);
      if (end != page.npos && page.substr(i, end - i).find('\n') == page.npos) {
        i = end + 1;
        continue;
      }
    }
    if (page.substr(i, 2) == "[[") {
      std::size_t const end = page.find("]]", i);
      std::size_t const bar = page.substr(0, end).rfind('|');
      if (end != page.npos && bar != page.npos && bar > i) i = bar;
    }
    out += page[i++];
  }
  return out;
}

/// Words of letters and digits, and single characters of other scripts.
inline std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  std::string const plain = [&] {
    std::string with_gaps;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t const lead = static_cast<unsigned char>(text[i]);
      std::size_t const size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      std::string const kept = letters_and_digits(text.substr(i, size));
      with_gaps += kept.empty() || size > 1 ? " " + kept + " " : kept;
      i += size;
    }
    return with_gaps + " ";
  }();
  for (char const c : plain) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

/// A sentence in words of its own says nothing that its quotes, the headings and the heads of tables do not, but for
/// the glue between them, and denies no more than they do.
inline bool is_made_of(std::string_view said, std::string const& quotes, std::vector<std::string> const& pages) {
  static std::set<std::string> const glue{"的",  "是", "为",  "在",  "有", "和",        "与", "及", "以",  "中",
                                          "里",  "上", "还",  "关",  "于", "根",        "据", "按", "照",  "is",
                                          "are", "of", "the", "and", "s",  "according", "to", "in", "for", "about"};
  static std::set<std::string> const denials{"不", "没", "未", "无", "非", "not", "no", "never", "cannot", "without"};
  std::string around = quotes;
  for (std::string_view page : pages) {
    while (!page.empty()) {
      auto const end = page.find('\n');
      std::string_view const line = page.substr(0, end);
      page.remove_prefix(end == page.npos ? page.size() : end + 1);
      bool const head = line.starts_with('#') || line.starts_with("title:") ||
                        (line.starts_with('|') && page.find_first_not_of("|-: ") >= page.find('\n'));
      if (head) around.append("\n").append(line);
    }
  }
  std::vector<std::string> const known = words_in(around);
  std::set<std::string> const words(known.begin(), known.end());
  std::size_t denied = 0, may_deny = 0;
  for (std::string const& word : known) may_deny += denials.count(word);
  for (std::string const& word : words_in(said)) {
    if (!words.contains(word) && !glue.contains(word)) return false;
    denied += denials.count(word);
  }
  return denied <= may_deny;
}

/// Every link of a sentence is one of the pages'.
inline bool leads_nowhere_else(std::string_view said, std::vector<std::string> const& pages) {
  for (auto at = said.find("]("); at != said.npos; at = said.find("](", at + 2)) {
    std::string_view const link = said.substr(at, said.find(')', at) - at);
    bool known = false;
    for (std::string const& page : pages) known = known || page.find(link) != std::string::npos;
    if (!known) return false;
  }
  return true;
}

/// Lines of `reply` before its sources that stand on none of the pages and are not made of the quotes right below them.
/// The fixed sentences begin as given.
inline std::vector<std::string> unsupported_lines(std::string_view reply, std::vector<std::string> const& pages) {
  std::vector<std::string> out;
  std::vector<std::string> known;
  for (std::string const& page : pages) {
    known.push_back(letters_and_digits(page));
    known.push_back(letters_and_digits(without_targets(page)));
  }
  std::vector<std::string_view> lines;
  while (!reply.empty()) {
    auto const end = reply.find('\n');
    std::string_view line = reply.substr(0, end);
    reply.remove_prefix(end == reply.npos ? reply.size() : end + 1);
    if (line.starts_with("来源：") || line.starts_with("Sources:")) break;
    auto const mark = line.rfind(" [");
    if (mark != line.npos && line.ends_with(']')) line = line.substr(0, mark);
    if (!line.empty()) lines.push_back(line);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool stands = false;
    for (std::string_view const head : {"我在知识库中没有找到", "我找到了相关资料", "I found ", "关于「", "About \"",
                                        "（注意：", "(Note:", "这个请求不是查询", "This request is not a query"})
      stands = stands || lines[i].starts_with(head);
    std::string const said = letters_and_digits(lines[i]);
    stands = stands || said.empty();
    std::string const read = letters_and_digits(without_targets(lines[i]));
    for (std::string const& page : known)
      stands = stands || page.find(said) != std::string::npos || page.find(read) != std::string::npos;
    std::string quotes;
    for (std::size_t q = i + 1; q < lines.size() && lines[q].starts_with('>'); ++q)
      quotes.append(lines[q]).append("\n");
    bool const own_words = !lines[i].starts_with('>') && !quotes.empty();
    stands = stands ||
             (own_words && is_made_of(without_targets(lines[i]), quotes, pages) && leads_nowhere_else(lines[i], pages));
    if (!stands) out.emplace_back(lines[i]);
  }
  return out;
}

}  // namespace kb::test
