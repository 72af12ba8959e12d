#include "kbrepo/encoding.hpp"

#include <doctest/doctest.h>
#include <ostream>
#include <string>

using kb::kbrepo::decode;
using kb::kbrepo::Encoding;
using namespace std::string_literals;

namespace kb::kbrepo {
std::ostream& operator<<(std::ostream& out, Encoding encoding) { return out << to_string(encoding); }
}  // namespace kb::kbrepo

TEST_CASE("bytes become UTF-8 by what they are") {
  struct Row {
    std::string raw;
    Encoding encoding;
    std::string text;
    char const* why;
  };
  Row const rows[] = {
      {"", Encoding::utf8, "", "empty"},
      {"plain", Encoding::utf8, "plain", "ASCII"},
      {"知识库 ✓", Encoding::utf8, "知识库 ✓", "valid UTF-8 is UTF-8"},
      {"\xEF\xBB\xBF标题", Encoding::utf8_bom, "标题", "the mark goes"},
      {"\xFF\xFE\x2D\x4E\x87\x65"s, Encoding::utf16, "中文", "little endian"},
      {"\xFE\xFF\x4E\x2D\x65\x87"s, Encoding::utf16, "中文", "big endian"},
      {"\xD6\xAA\xCA\xB6\xBF\xE2", Encoding::gb18030, "知识库", "GB2312 pairs"},
      {"# \xB1\xEA\xCC\xE2\r\n\xD5\xFD\xCE\xC4 abc\r\n", Encoding::gb18030, "# 标题\r\n正文 abc\r\n",
       "mixed with ASCII"},
      {"caf\xE9 na\xEFve", Encoding::latin1, "café naïve", "no pair at all"},
      {"\xE9t\xE9 \xE0 No\xEBl", Encoding::latin1, "été à Noël", "pairs, but with ASCII letters"},
      {"it\x92s \x93good\x94", Encoding::latin1, "it’s “good”", "Windows quotes"},
      {"知识库和团队的文档都在这里面\xE7", Encoding::utf8, "知识库和团队的文档都在这里面\uFFFD",
       "cut inside a character"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    auto const decoded = decode(row.raw);
    REQUIRE(decoded.has_value());
    CHECK_EQ(decoded->encoding, row.encoding);
    CHECK_EQ(decoded->text, row.text);
  }
}

TEST_CASE("binary is recognised, not guessed at") {
  struct Row {
    std::string raw;
    char const* why;
  };
  Row const rows[] = {
      {"text\0more"s, "a NUL"},
      {"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s, "an image"},
      {std::string(40, '\x01') + "ab", "control bytes"},
      {"\xFF\xFE\0\0\0\0"s, "a UTF-16 mark over NULs"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    CHECK_FALSE(decode(row.raw).has_value());
  }
}

TEST_CASE("whatever the bytes, what comes out is UTF-8") {
  std::uint32_t state = 20260301;
  for (int round = 0; round < 2000; ++round) {
    std::string raw;
    for (std::uint32_t i = 0; i < 40; ++i) {
      state = state * 1664525u + 1013904223u;
      raw += static_cast<char>((state >> 24) | ((round & 1) != 0 ? 0x80u : 0u));
    }
    CAPTURE(round);
    auto const decoded = decode(raw);
    if (!decoded) continue;
    auto const again = decode(decoded->text);
    if (!again) continue;  // controls may make up most of it
    CHECK_EQ(again->encoding, decoded->text.starts_with("\xEF\xBB\xBF") ? Encoding::utf8_bom : Encoding::utf8);
    CHECK_EQ(again->text.size(), decoded->text.size() - (decoded->text.starts_with("\xEF\xBB\xBF") ? 3 : 0));
  }
}
