#include "kbrepo/index/scan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kbrepo/index/fold.hpp"
#include "kbrepo/index/stem.hpp"

namespace kb::kbrepo::index {
namespace {

constexpr std::size_t kMaxRun = 512;  // characters; longer runs (base64, minified code) are cut, never kept whole

/// One folded character and the source bytes it came from.
struct Glyph {
  char32_t point = 0;
  std::uint32_t begin = 0, end = 0;
  CharClass kind = CharClass::other;
  bool upper = false;
};

constexpr auto kAscii = [] {
  std::array<CharClass, 128> table{};
  for (char32_t c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = CharClass::letter;
  for (char32_t c = '0'; c <= '9'; ++c) table[c] = CharClass::digit;
  return table;
}();

bool is_joiner(char32_t c) noexcept {
  return c == '_' || c == '-' || c == '.' || c == '\'' || c == 0x2019 || c == 0x2010;
}

class Scanner {
 public:
  Scanner(std::string_view text, TermBuffer& out) : text_(text), out_(out) {}

  void run() {
    for (std::uint32_t at = 0; at < text_.size();) {
      auto const lead = static_cast<unsigned char>(text_[at]);
      if (lead < 0x80) {
        if (std::uint32_t const end = word_.empty() ? plain_word_end(at) : 0; end > 0) {
          take_plain_word(at, end);
          at = end;
          continue;
        }
        bool const upper = lead >= 'A' && lead <= 'Z';
        take({upper ? lead + 32u : lead, at, at + 1, kAscii[lead], upper});
        ++at;
        continue;
      }
      Decoded const decoded = decode(text_, at);
      std::uint32_t const end = at + decoded.size;
      Folded const folded = fold_point(decoded.point);
      for (std::uint32_t i = 0; i < folded.size; ++i) {
        take({folded[i], at, end, class_of(folded[i]), i == 0 && is_upper(decoded.point)});
      }
      at = end;
    }
    end_word();
  }

 private:
  static CharClass ascii_class(char c) noexcept {
    auto const byte = static_cast<unsigned char>(c);
    return byte < 0x80 ? kAscii[byte] : CharClass::cjk;  // of the rest it is enough that it is no plain mark
  }
  static bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }

  /// The end of a word as most are: ASCII letters, none but the first a capital, or all, and nothing behind them that
  /// could belong to it. 0: this is none.
  [[nodiscard]] std::uint32_t plain_word_end(std::uint32_t at) const noexcept {
    std::uint32_t end = at;
    std::uint32_t capitals = 0;
    for (; end < text_.size() && ascii_class(text_[end]) == CharClass::letter; ++end) {
      capitals += is_capital(text_[end]) ? 1 : 0;
    }
    std::uint32_t const size = end - at;
    bool const one_piece = capitals == 0 || capitals == size || (capitals == 1 && is_capital(text_[at]));
    if (size == 0 || size > kMaxRun || !one_piece) return 0;
    for (std::uint32_t next = end; next < text_.size() && next < end + 2; ++next) {
      if (ascii_class(text_[next]) != CharClass::other) return 0;
      if (!is_joiner(static_cast<unsigned char>(text_[next]))) return end;
      if (next > end) return 0;
    }
    return end;
  }

  void take_plain_word(std::uint32_t begin, std::uint32_t end) {
    last_cjk_ = {};
    start(begin, end);
    digits_ = false;
    for (std::uint32_t i = begin; i < end; ++i) {
      out_.text.push_back(is_capital(text_[i]) ? static_cast<char>(text_[i] + 32) : text_[i]);
    }
    finish_word(TermKind::word);
    ++position_;
  }

  void take(Glyph const& glyph) {
    switch (glyph.kind) {
      case CharClass::cjk:
        end_word();
        take_cjk(glyph);
        return;
      case CharClass::letter:
      case CharClass::digit:
        last_cjk_ = {};
        if (word_.size() >= kMaxRun) end_word();
        if (joiner_.point != 0) word_.push_back(std::exchange(joiner_, {}));
        word_.push_back(glyph);
        return;
      case CharClass::other:
        last_cjk_ = {};
        take_other(glyph);
    }
  }

  /// A joiner counts only between two word characters; underscores may repeat (a__b).
  void take_other(Glyph glyph) {
    if (word_.empty()) return;
    if (joiner_.point == '_' && glyph.point == '_') return;
    if (joiner_.point != 0 || !is_joiner(glyph.point)) {
      end_word();
      return;
    }
    if (glyph.point == 0x2019) glyph.point = '\'';
    if (glyph.point == 0x2010) glyph.point = '-';
    joiner_ = glyph;
  }

  void take_cjk(Glyph const& glyph) {
    if (last_cjk_.point != 0) {
      start(last_cjk_.begin, glyph.end);
      put(last_cjk_.point);
      put(glyph.point);
      finish(TermKind::bigram, position_ - 1);
    }
    start(glyph.begin, glyph.end);
    put(glyph.point);
    finish(TermKind::unigram, position_++);
    last_cjk_ = glyph;
  }

  void end_word() {
    joiner_ = {};
    std::size_t size = word_.size();
    if (size == 0) return;
    if (size > 2 && word_[size - 1].point == 's' && word_[size - 2].point == '\'') size -= 2;  // possessive
    split(size);
    if (parts_.size() > 1) emit_joined(size);
    for (Part const part : parts_) emit_part(part, parts_.size() > 1 ? TermKind::part : TermKind::word);
    ++position_;
    word_.clear();
  }

  struct Part {
    std::size_t begin, end;  ///< glyphs of word_
  };

  [[nodiscard]] CharClass kind_at(std::size_t i) const { return word_[i].kind; }

  /// `.` between digits belongs to the number; `'` to the word; the other joiners separate parts.
  [[nodiscard]] bool separates(std::size_t i) const {
    char32_t const c = word_[i].point;
    if (kind_at(i) != CharClass::other || c == '\'') return false;
    return c != '.' || kind_at(i - 1) != CharClass::digit || kind_at(i + 1) != CharClass::digit;
  }

  /// aB, ABc (before B), 8Bc: a hump of camelCase begins at i.
  [[nodiscard]] bool hump(std::size_t i, std::size_t size) const {
    if (!word_[i].upper) return false;
    bool const after_lower = kind_at(i - 1) == CharClass::letter && !word_[i - 1].upper;
    bool const before_lower = i + 1 < size && kind_at(i + 1) == CharClass::letter && !word_[i + 1].upper;
    return after_lower || (before_lower && kind_at(i - 1) != CharClass::other);
  }

  /// v1.2.3, python3.11: the number begins at i.
  [[nodiscard]] bool decimal_after_letters(std::size_t i, std::size_t size) const {
    if (kind_at(i) != CharClass::digit || kind_at(i - 1) != CharClass::letter) return false;
    while (i < size && kind_at(i) == CharClass::digit) ++i;
    return i < size && word_[i].point == '.' && !separates(i);
  }

  void split(std::size_t size) {
    parts_.clear();
    std::size_t begin = 0;
    auto close = [&](std::size_t end) {
      if (end > begin) parts_.push_back({begin, end});
    };
    for (std::size_t i = 1; i < size; ++i) {
      if (separates(i)) {
        close(i);
        begin = i + 1;
      } else if (i > begin && (hump(i, size) || decimal_after_letters(i, size))) {
        close(i);
        begin = i;
      }
    }
    close(size);
  }

  /// All ways to write one name meet here: snake_case, snakeCase, snake-case.
  void emit_joined(std::size_t size) {
    start(word_[0].begin, word_[size - 1].end);
    for (std::size_t i = 0; i < size; ++i) {
      if (!separates_safely(i)) put(word_[i].point);
    }
    finish_word(TermKind::word);
  }

  [[nodiscard]] bool separates_safely(std::size_t i) const { return i > 0 && separates(i); }

  void emit_part(Part part, TermKind kind) {
    start(word_[part.begin].begin, word_[part.end - 1].end);
    for (std::size_t i = part.begin; i < part.end; ++i) put(word_[i].point);
    finish_word(kind);
  }

  void start(std::uint32_t begin, std::uint32_t end) {
    piece_ = {static_cast<std::uint32_t>(out_.text.size()), begin, end, 0, 0, TermKind::word};
    plain_ = true;
    digits_ = true;
  }

  void put(char32_t point) {
    if (point < 0x80) {
      out_.text.push_back(static_cast<char>(point));
      bool const digit = point >= '0' && point <= '9';
      plain_ = plain_ && !digit && point != '.';
      digits_ = digits_ && (digit || point == '.');
      return;
    }
    std::array<char, 4> bytes;
    out_.text.append(bytes.data(), encode(point, bytes.data()));
    plain_ = digits_ = false;
  }

  void finish_word(TermKind kind) {
    if (plain_) {
      std::string_view const stemmed = stem(std::string_view(out_.text).substr(piece_.at));
      out_.text.replace(piece_.at, std::string::npos, stemmed);
    }
    finish(digits_ ? TermKind::number : kind, position_);
  }

  void finish(TermKind kind, std::uint32_t position) {
    std::size_t const size = out_.text.size() - piece_.at;
    if (size == 0 || size > kMaxTermBytes) {
      out_.text.resize(piece_.at);
      return;
    }
    piece_.size = static_cast<std::uint8_t>(size);
    piece_.kind = kind;
    piece_.position = position;
    out_.pieces.push_back(piece_);
  }

  std::string_view text_;
  TermBuffer& out_;
  std::vector<Glyph> word_;
  std::vector<Part> parts_;
  Glyph joiner_, last_cjk_;
  TermBuffer::Piece piece_{};
  std::uint32_t position_ = 0;
  bool plain_ = true, digits_ = true;  ///< the open term: letters only (and '), digits and dots only
};

}  // namespace

void scan_terms(std::string_view text, TermBuffer& out) {
  out.text.clear();
  out.pieces.clear();
  Scanner(text, out).run();
}

}  // namespace kb::kbrepo::index
