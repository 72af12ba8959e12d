#include "answer/likeness.hpp"

#include <algorithm>
#include <utility>

#include "answer/characters.hpp"

namespace kb::answer {
namespace {

constexpr std::size_t kMaxNameChars = 4;
// The hundred commonest family names: a differing run of Han that begins with one names somebody.
constexpr std::u32string_view kFamilyNames =
    U"王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭"
    U"吕呂苏蘇卢盧"
    U"蒋蔣蔡贾賈丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段";

/// FNV-1a over characters.
constexpr std::uint32_t kEmpty = 2166136261u;
std::uint32_t mix(std::uint32_t hash, std::uint32_t value) noexcept { return (hash ^ value) * 16777619u; }

/// Calls `character` for each character of a unit and `end` behind each unit.
template <class Character, class End>
void read_units(std::string_view text, Character const& character, End const& end) {
  bool inside = false;
  auto const flush = [&] {
    if (inside) end();
    inside = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    char32_t const code = next_char(text, at);
    bool const alone = is_han(code) || (is_wide(code) && code > 0x3040 && code < 0xFF00);
    if (alone) {
      flush();
      character(code);
      end();
    } else if (is_ascii_alnum(code) || (code > 0x7F && !is_wide(code)) || code == '_') {
      character(code);
      inside = true;
    } else if (code != '\'') {
      flush();
    }
  }
  flush();
}

}  // namespace

std::vector<std::string> units_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  auto const end = [&] {
    out.push_back(std::move(word));
    word.clear();
  };
  read_units(
      text, [&word](char32_t code) { append_char(word, code); }, end);
  return out;
}

Grams grams_of(std::string_view text) {
  Grams out;
  out.reserve(text.size() / 2);
  std::uint32_t word = kEmpty;
  std::uint32_t last = 0;
  bool first = true;
  auto const end = [&] {
    if (!first) out.push_back(mix(mix(last, ' '), word));
    out.push_back(word);
    first = false;
    last = std::exchange(word, kEmpty);
  };
  read_units(
      text, [&word](char32_t code) { word = mix(word, code); }, end);
  std::sort(out.begin(), out.end());
  return out;
}

double likeness(Grams const& a, Grams const& b) noexcept {
  if (a.empty() || b.empty()) return 0;
  std::size_t both = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    both += *x == *y ? 1u : 0u;
    bool const step_x = *x <= *y;
    bool const step_y = *y <= *x;
    if (step_x) ++x;
    if (step_y) ++y;
  }
  return 2.0 * static_cast<double>(both) / static_cast<double>(a.size() + b.size());
}

bool is_name(std::span<std::string const> run) {
  if (run.empty()) return false;
  std::size_t at = 0;
  char32_t const first = next_char(run.front(), at);
  if (is_han(first))
    return run.size() >= 2 && run.size() <= kMaxNameChars && kFamilyNames.find(first) != kFamilyNames.npos;
  return std::any_of(run.begin(), run.end(), [](std::string const& unit) {
    return std::any_of(unit.begin(), unit.end(), [](char c) {
      return (c >= 'A' && c <= 'Z') || c == '_' || is_digit(static_cast<unsigned char>(c));
    });
  });
}

bool differs_in_a_name(std::span<std::string const> a, std::span<std::string const> b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  auto const middle = [&](std::span<std::string const> units) {
    return units.subspan(head, units.size() - tail - head);
  };
  return is_name(middle(a)) || is_name(middle(b));
}

}  // namespace kb::answer
