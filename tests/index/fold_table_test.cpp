// Makes kbrepo/index/fold_table.inc from ICU's data, and holds that the file in the tree is what ICU says.
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <memory>
#include <string>
#include <unicode/normalizer2.h>
#include <unicode/translit.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <utility>
#include <vector>

namespace {

using icu::UnicodeString;

/// Compatibility and case folding, accents off, Traditional → Simplified; each character by itself.
class Folder {
 public:
  Folder() {
    UErrorCode error = U_ZERO_ERROR;
    UParseError place;
    casefold_ = icu::Normalizer2::getNFKCCasefoldInstance(error);
    apart_ = icu::Normalizer2::getNFDInstance(error);
    together_ = icu::Normalizer2::getNFCInstance(error);
    simplified_.reset(icu::Transliterator::createInstance("Traditional-Simplified", UTRANS_FORWARD, place, error));
    REQUIRE(U_SUCCESS(error));
  }

  [[nodiscard]] UnicodeString fold(UChar32 point) const {
    UErrorCode error = U_ZERO_ERROR;
    UnicodeString const marked = apart_->normalize(casefold_->normalize(UnicodeString(point), error), error);
    UnicodeString plain;
    for (std::int32_t i = 0; i < marked.length(); ++i) {
      if (marked[i] < 0x300 || marked[i] > 0x36F) plain.append(marked[i]);
    }
    UnicodeString out = together_->normalize(plain, error);
    REQUIRE(U_SUCCESS(error));
    simplified_->transliterate(out);
    return out;
  }

 private:
  icu::Normalizer2 const *casefold_, *apart_, *together_;
  std::unique_ptr<icu::Transliterator> simplified_;
};

/// Latin, Greek, Cyrillic, symbols, CJK and their compatibility forms: what Chinese and English pages contain.
bool in_table(UChar32 c) {
  static constexpr std::pair<UChar32, UChar32> kRanges[] = {{0x80, 0x5FF},    {0x1D00, 0x9FFF}, {0xA640, 0xA7FF},
                                                            {0xF900, 0xFB06}, {0xFE00, 0xFE6F}, {0xFEFF, 0xFEFF},
                                                            {0xFF00, 0xFFFF}};
  for (auto const& [first, last] : kRanges) {
    if (c >= first && c <= last) return u_isdefined(c) != 0;
  }
  return false;
}

bool has_surrogate(UnicodeString const& text) {
  for (std::int32_t i = 0; i < text.length(); ++i) {
    if (U16_IS_SURROGATE(text[i])) return true;
  }
  return false;
}

bool is_han(UChar32 c) { return c >= 0x3400 && c <= 0x9FFF; }

std::string escaped(UChar32 c) {
  if (c == '"' || c == '\\') return std::string("\\") + static_cast<char>(c);
  if (c >= 0x20 && c < 0x7F) return std::string(1, static_cast<char>(c));
  char out[8];
  std::snprintf(out, sizeof out, "\\u%04x", static_cast<unsigned>(c));
  return out;
}

/// Lines of one char16_t literal.
class Literal {
 public:
  void add(std::string const& text, std::size_t width) {
    line_ += text;
    if (line_.size() > width) end_line();
  }
  void end_line() {
    if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
  }
  [[nodiscard]] std::string text() {
    end_line();
    std::string out;
    for (std::string const& line : lines_) out += "    u\"" + line + "\"\n";
    out.insert(out.size() - 1, ";");
    return out;
  }

 private:
  std::string line_;
  std::vector<std::string> lines_;
};

std::string make_table() {
  Folder const folder;
  Literal pairs;
  Literal han;
  Literal longs;
  for (UChar32 c = 0x80; c < 0x10000; ++c) {
    if (!in_table(c)) continue;
    UnicodeString const to = folder.fold(c);
    if (to == UnicodeString(c) || to.length() > 8 || has_surrogate(to)) continue;
    if (to.length() == 1 && is_han(c) && is_han(to[0])) {
      std::string both;
      UnicodeString(c).append(to[0]).toUTF8String(both);
      han.add(both, 28 * 6 - 1);
    } else if (to.length() <= 1) {
      pairs.add(escaped(c) + (to.isEmpty() ? "\\1" : escaped(to[0])), 96);
    } else {
      std::string entry = escaped(c);
      for (std::int32_t i = 0; i < to.length(); ++i) entry += escaped(to[i]);
      longs.add(entry + "\\1", 90);
    }
  }
  std::string first = pairs.text();
  first.erase(first.size() - 2, 1);  // the literal goes on
  return "// Generated from ICU's data by tests/index/fold_table_test.cpp (KB_UPDATE_GOLDEN=1); do not edit.\n"
         "// Pairs of one character and what it folds to; U+0001: nothing.\n"
         "constexpr char16_t kPairs[] =\n" +
         first + han.text() +
         "\n// One character and the several it folds to, each entry ended by U+0001.\n"
         "constexpr char16_t kLong[] =\n" +
         longs.text();
}

}  // namespace

TEST_CASE("the folding table is what ICU says") {
  std::string const file = KB_SOURCE_DIR "/kbrepo/index/fold_table.inc";
  std::string const made = make_table();
  if (std::getenv("KB_UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << made;
  std::ifstream in(file, std::ios::binary);
  std::string const kept{std::istreambuf_iterator<char>(in), {}};
  CHECK_MESSAGE(kept == made, "fold_table.inc is not what ICU " U_ICU_VERSION " says");
}
