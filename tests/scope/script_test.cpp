#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <string>
#include <unicode/translit.h>
#include <unicode/unistr.h>

#include "scope/fold.hpp"
#include "scope/words_table.hpp"

TEST_CASE("every word of the tables is the same in Traditional characters") {
  UErrorCode failed = U_ZERO_ERROR;
  std::unique_ptr<icu::Transliterator> const traditional(
      icu::Transliterator::createInstance("Simplified-Traditional", UTRANS_FORWARD, failed));
  REQUIRE(U_SUCCESS(failed));
  std::size_t changed = 0;
  auto const check = [&](std::u32string_view words) {
    auto text = icu::UnicodeString::fromUTF32(reinterpret_cast<UChar32 const*>(words.data()),
                                              static_cast<std::int32_t>(words.size()));
    auto const before = text;
    traditional->transliterate(text);
    changed += text == before ? 0 : 1;
    std::string converted;
    text.toUTF8String(converted);
    CAPTURE(converted);
    CHECK(kb::scope::fold(converted) == words);
  };
  for (auto const& family : kb::scope::kWords) check(family.words);
  for (auto const& family : kb::scope::kAfterPronoun) check(family.words);
  for (auto const& family : kb::scope::kAfterMy) check(family.words);
  for (auto const words : kb::scope::kTelling) check(words);
  for (auto const words : kb::scope::kNotTelling) check(words);
  for (auto const words : kb::scope::kHow) check(words);
  for (auto const words : kb::scope::kAsking) check(words);
  for (auto const words : kb::scope::kNoPast) check(words);
  CHECK_GT(changed, 50);
}

TEST_CASE("the tables hold no empty word and no word twice with two meanings") {
  auto const check = [](auto const& families) {
    std::map<std::u32string_view, kb::scope::Says> seen;
    for (auto const& family : families) {
      CHECK_FALSE(family.words.starts_with(U'|'));
      CHECK_FALSE(family.words.ends_with(U'|'));
      for (auto words = family.words; !words.empty();) {
        auto const word = words.substr(0, words.find(U'|'));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        std::string name;
        icu::UnicodeString::fromUTF32(reinterpret_cast<UChar32 const*>(word.data()), static_cast<int>(word.size()))
            .toUTF8String(name);
        CAPTURE(name);
        CHECK_FALSE(word.empty());
        CHECK(seen.emplace(word, family.says).second);
      }
    }
  };
  check(kb::scope::kWords);
  check(kb::scope::kAfterPronoun);
  check(kb::scope::kAfterMy);
}
