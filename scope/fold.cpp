#include "scope/fold.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <utility>

namespace kb::scope {
namespace {

// Traditional, Simplified, … for the characters of the word tables; not a converter. Kept whole by the test that
// converts them with ICU. Last, Cantonese 嘅 (的) and 哋 (们), and northern 俺.
constexpr std::u32string_view kPairs =
    U"來来倆俩個个們们備备傳传兒儿內内兩两別别剛刚劇剧參参員员問问單单嗎吗嚮向國国園园團团報报場场夠够夾夹媽妈學学實实"
    U"寫写對对導导師师帶带幫帮幾几庫库廻回從从復复悶闷慣惯慶庆應应懷怀戶户擔担據据擬拟敗败數数"
    U"斂敛於于時时暈晕曏向會会條条標标樣样機机檔档權权歛敛沒没況况洩泄測测準准濾滤瀏浏為为無无煩烦爲为爾尔獨独現现環环"
    U"當当發发眞真瞭了確确碼码積积筆笔箇个簽签籤签納纳組组結结給给經经編编縣县總总織织聽听腦脑"
    U"腳脚與与萬万蒐搜薦荐號号裏里補补裝装裡里複复覈核覺觉覽览觀观觸触計计訓训記记訪访訴诉証证詐诈詞词詢询該该認认說说"
    U"説说誰谁課课請请論论講讲證证識识議议護护讀读變变讓让負负責责資资賬账趕赶跤交軍军載载辦办"
    U"迴回這这連连週周進进過过遞递選选還还邊边郵邮銷销錄录錯错録录錶表長长門门開开間间関关闆板關关隊队險险隻只難难電电"
    U"項项須须領领題题類类驗验髮发麵面麼么麽么點点黨党佈布甚什帳账羣群嘅的哋们俺我";

struct Pair {
  char32_t from, to;
};

constexpr auto kSimplified = [] {
  std::array<Pair, kPairs.size() / 2> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kPairs[2 * i], kPairs[2 * i + 1]};
  std::sort(pairs.begin(), pairs.end(), [](Pair a, Pair b) { return a.from < b.from; });
  return pairs;
}();

char32_t simplified(char32_t c) noexcept {
  auto const at =
      std::lower_bound(kSimplified.begin(), kSimplified.end(), c, [](Pair p, char32_t v) { return p.from < v; });
  return at != kSimplified.end() && at->from == c ? at->to : c;
}

bool is_invisible(char32_t c) noexcept {
  return c == 0xAD || c == 0xFEFF || c == 0x2060 || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F);
}

bool is_space(char32_t c) noexcept {
  if (c < 0x80) return c <= 0x20 || c == 0x7F;
  return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0 || u_iscntrl(static_cast<UChar32>(c)) != 0;
}

/// One code point from text[at…]; moves `at` behind it. Malformed: U+FFFD.
char32_t next_point(std::string_view text, std::size_t& at) noexcept {
  UChar32 c = 0;
  auto const* bytes = reinterpret_cast<std::uint8_t const*>(text.data());
  U8_NEXT_OR_FFFD(bytes, at, text.size(), c);
  return static_cast<char32_t>(c);
}

bool ascii_word(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Of the characters that links, paths and @names are made of.
bool in_run(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x80 && !is_blank(c) &&
         std::string_view("\"'`<>()[]{},;?!").find(c) == std::string_view::npos;
}

enum class Kind { quotation, title, code };

struct Quote {
  std::string_view open, close;
  Kind kind;
};

// Longest opener first. The straight ' has conditions of its own: it is mostly an apostrophe.
constexpr std::array kQuotes{
    Quote{"```", "```", Kind::code},    Quote{"`", "`", Kind::code},        Quote{"《", "》", Kind::title},
    Quote{"〈", "〉", Kind::title},     Quote{"「", "」", Kind::quotation}, Quote{"『", "』", Kind::quotation},
    Quote{"“", "”", Kind::quotation},   Quote{"‘", "’", Kind::quotation},   Quote{"«", "»", Kind::quotation},
    Quote{"\"", "\"", Kind::quotation}, Quote{"'", "'", Kind::quotation},
};

struct Mention {
  std::size_t begin, end;
  Kind kind;
  std::size_t mark = 0;  ///< bytes of one quotation mark
};

/// Finds mentions from left to right. Linear: a closing mark that is not there is looked for once.
class Mentions {
 public:
  explicit Mentions(std::string_view text) noexcept : text_(text) {}

  /// The mention that starts at `at`, if one does. `at` must not go backwards.
  std::optional<Mention> starting(std::size_t at) noexcept {
    for (std::size_t i = 0; i < kQuotes.size(); ++i) {
      if (!text_.substr(at).starts_with(kQuotes[i].open)) continue;
      if (auto quote = quoted(at, i)) return quote;
    }
    if (auto const end = unspoken_run(at); end != at) return Mention{at, end, Kind::code};
    return std::nullopt;
  }

 private:
  std::optional<Mention> quoted(std::size_t at, std::size_t i) noexcept {
    auto const& quote = kQuotes[i];
    if (unclosed_[i]) return std::nullopt;
    bool const straight = quote.open == "'";
    if (straight && at > 0 && ascii_word(text_[at - 1])) return std::nullopt;  // don't, team's
    auto close = text_.find(quote.close, at + quote.open.size());
    while (straight && close != text_.npos && close + 1 < text_.size() && ascii_word(text_[close + 1]))
      close = text_.find(quote.close, close + 1);
    if (close == text_.npos) {
      unclosed_[i] = true;
      return std::nullopt;
    }
    return Mention{at, close + quote.close.size(), quote.kind, quote.open.size()};
  }

  /// A link, a path, an @name or the country US: no words of the speaker. Returns its end, or `at`.
  std::size_t unspoken_run(std::size_t at) const noexcept {
    char const first = text_[at];
    if (!in_run(first) || (at > 0 && in_run(text_[at - 1]))) return at;  // each run is looked at once
    auto end = at;
    while (end < text_.size() && in_run(text_[end])) ++end;
    auto const run = text_.substr(at, end - at);
    bool const link = run.find("://") != run.npos || run.starts_with("www.");
    bool const path = std::count(run.begin(), run.end(), '/') >= 2 || run.starts_with("~/") || run.starts_with("./");
    bool const name = first == '@' && run.size() > 1;
    return link || path || name || run == "US" || run == "US." || run == "U.S." ? end : at;
  }

  std::string_view text_;
  std::array<bool, kQuotes.size()> unclosed_{};
};

/// Appends code points in folded form.
class Folder {
 public:
  void add(char32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFEE0;  // full width
    if (is_invisible(c)) return;
    if (c == U'\n') {
      out_.push_back(c);
      return;
    }
    if (is_space(c)) {
      if (!out_.empty() && out_.back() != U' ' && !is_han(out_.back())) out_.push_back(U' ');
      return;
    }
    if (c == U'’' || c == U'‘') c = U'\'';
    if (c < 0x80) {
      c = (c >= U'A' && c <= U'Z') ? c + 32 : c;
    } else {
      c = simplified(static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT)));
    }
    if (is_han(c) && !out_.empty() && out_.back() == U' ') out_.pop_back();  // 我 的 is 我的
    out_.push_back(c);
  }

  void add(std::string_view utf8) {
    for (std::size_t at = 0; at < utf8.size();) add(next_point(utf8, at));
  }

  std::u32string take() { return std::move(out_); }

 private:
  std::u32string out_;
};

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// “…” around the whole message quotes nothing; 《…》 and code still name a thing.
std::string_view unwrapped(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.empty()) return text;
  auto const whole = Mentions(text).starting(0);
  if (!whole || whole->kind != Kind::quotation || whole->end != text.size()) return text;
  return trimmed(text.substr(whole->mark, text.size() - 2 * whole->mark));
}

}  // namespace

bool is_han(char32_t c) noexcept {
  if (c < 0x2E80) return false;
  if (c >= 0x4E00 && c <= 0x9FFF) return true;
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_IDEOGRAPHIC) != 0;
}

bool is_word(char32_t c) noexcept {
  if (c < 0x80) return c < 0x7F && ascii_word(static_cast<char>(c));
  return c < 0x2E80 && u_isalnum(static_cast<UChar32>(c)) != 0;
}

bool stands_alone(std::u32string_view text, std::size_t at, std::size_t length) noexcept {
  auto const word_at = [&](std::size_t i) { return i < text.size() && is_word(text[i]); };
  auto const joint_at = [&](std::size_t i) { return i < text.size() && (text[i] == U'-' || text[i] == U'.'); };
  auto const end = at + length;
  if (word_at(at) && at > 0) {
    if (word_at(at - 1)) return false;
    if (at > 1 && joint_at(at - 1) && word_at(at - 2)) return false;
  }
  if (length > 0 && word_at(end - 1)) {
    if (word_at(end)) return false;
    if (joint_at(end) && word_at(end + 1)) return false;
  }
  return true;
}

std::u32string fold(std::string_view utf8) {
  Folder folder;
  folder.add(utf8);
  return folder.take();
}

std::u32string spoken(std::string_view utf8) {
  auto const text = unwrapped(utf8);
  Mentions mentions(text);
  Folder folder;
  for (std::size_t at = 0; at < text.size();) {
    if (auto const mention = mentions.starting(at)) {
      folder.add(kMention);
      at = mention->end;
    } else {
      folder.add(next_point(text, at));
    }
  }
  return folder.take();
}

bool speaks_han(std::string_view utf8) noexcept {
  auto const text = unwrapped(utf8);
  Mentions mentions(text);
  bool mentioned = false;  // a Han character inside a mention
  bool latin = false;      // words outside mentions
  for (std::size_t at = 0; at < text.size();) {
    auto const mention = mentions.starting(at);
    auto const end = mention ? mention->end : at;
    while (at < end) mentioned |= is_han(next_point(text, at));
    if (mention) continue;
    auto const c = next_point(text, at);
    if (is_han(c)) return true;
    latin |= is_word(c);
  }
  return mentioned && !latin;
}

}  // namespace kb::scope
