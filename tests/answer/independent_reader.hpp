/// Whether each sentence of a reply stands on a page that its sources name. Reads letters and digits alone, and shares
/// no code with what it checks.
#pragma once

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
    } else if ((byte == 0xE3 && next == 0x80) || byte == 0xE2 || (byte == 0xEF && (next == 0xBC || next == 0xBB))) {
      i += 2;  // punctuation of three bytes
    } else if (byte >= 0x80) {
      out += text[i];
    }
  }
  return out;
}

/// Lines of `reply` before its sources that stand on none of the pages. The fixed sentences begin as given.
inline std::vector<std::string> unsupported_lines(std::string_view reply, std::vector<std::string> const& pages) {
  std::vector<std::string> out;
  std::vector<std::string> known;
  for (std::string const& page : pages) known.push_back(letters_and_digits(page));
  while (!reply.empty()) {
    auto const end = reply.find('\n');
    std::string_view line = reply.substr(0, end);
    reply.remove_prefix(end == reply.npos ? reply.size() : end + 1);
    if (line.starts_with("来源：") || line.starts_with("Sources:")) break;
    bool fixed = false;
    for (std::string_view const head :
         {"我在知识库中没有找到", "我找到了相关资料", "I found ", "关于「", "About \"", "（注意：", "(Note:"})
      fixed = fixed || line.starts_with(head);
    auto const mark = line.rfind(" [");
    if (mark != line.npos && line.ends_with(']')) line = line.substr(0, mark);
    std::string const said = letters_and_digits(line);
    bool stands = fixed || said.empty();
    for (std::string const& page : known) stands = stands || page.find(said) != std::string::npos;
    if (!stands) out.emplace_back(line);
  }
  return out;
}

}  // namespace kb::test
