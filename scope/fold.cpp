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

// Traditional, Simplified, … for the characters of the word table; not a converter. 俺 and 嘅, 哋 (Cantonese 的, 们)
// too.
constexpr std::u32string_view kPairs =
    U"個个們们團团隊队組组會会項项學学員员資资庫库筆笔記记寫写過过國国軍军問问請请訴诉給给講讲幫帮說说實实驗验課课題题"
    U"論论裡里裏里"
    U"麼么嗎吗應应該该覺觉認认為为爲为聽听剛刚從从對对這这樣样兩两幾几號号檔档見见夠够還还後后關关與与總总誰谁開开發发"
    U"選选讀读"
    U"參参負负責责進进來来讓让將将歷历儲储錄录紀纪義义東东時时間间點点話话確确識识習习導导師师電电據据內内單单獎奖獨独"
    U"專专"
    U"專专職职務务網网絡络線线連连閱阅覽览編编輯辑處处環环錯错誤误試试設设計计標标準准備备級级劃划業业動动態态轉转傳传"
    U"無无現现錢钱買买賣卖貓猫邊边遠远腦脑軟软體体類类數数變变詞词護护稅税貸贷書书簽签證证簡简歷历權权戶户創创辦办領领"
    U"測测釋释譯译諮咨詢询尋寻歡欢愛爱氣气興兴當当經经結结終终細细絕绝級级紹绍維维繼继續续煩烦謝谢貴贵費费賬账"
    U"帳账遇遇達达運运適适遞递遺遗郵邮鄉乡醫医針针釘钉鈕钮銷销鍵键門门闆板隨随難难雲云離离靈灵預预頁页順顺須须頭头頻频"
    U"額额願愿風风飛飞飯饭館馆驗验髮发麗丽齊齐嘅的哋们俺我";

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
    if (u_isUWhiteSpace(static_cast<UChar32>(c)) != 0 || u_iscntrl(static_cast<UChar32>(c)) != 0) {
      if (!out_.empty() && out_.back() != U' ') out_.push_back(U' ');
      return;
    }
    if (c == U'’' || c == U'‘') c = U'\'';
    if (c < 0x80) {
      c = (c >= U'A' && c <= U'Z') ? c + 32 : c;
    } else {
      c = simplified(static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT)));
    }
    bool const joins = out_.size() >= 2 && out_.back() == U' ' && is_han(c) && is_han(out_[out_.size() - 2]);
    if (joins) out_.pop_back();  // 我 的 is 我的
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
