#include <doctest/doctest.h>
#include <string>

#include "scope/words.hpp"

TEST_CASE("a Han character that is not merely mentioned makes a question Chinese") {
  struct Row {
    char const* text;
    char const* want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"上周定了什么", "zh", "Han"},
      {"What is 快速排序?", "zh", "Han in the sentence itself"},
      {"Transformer 是什么", "zh", "Han beside Latin"},
      {"組會", "zh", "Traditional"},
      {"《我的奋斗》", "zh", "a title alone"},
      {"“我们”", "zh", "a quotation alone"},
      {"「attention」是什么", "zh", "Latin mentioned, Han spoken"},
      {"what does \"我的\" mean", "en", "Han mentioned, Latin spoken"},
      {"who wrote 《红楼梦》?", "en", "a title in an English question"},
      {"what does `笔记` do", "en", "Han in code"},
      {"what is attention", "en", "Latin"},
      {"", "en", "empty"},
      {"🙂?", "en", "no letter"},
      {"123", "en", "digits"},
      {"\xff\xfe", "en", "malformed"},
      {"これ", "en", "kana alone is no Han"},
  };
  for (auto const& row : rows) {
    std::string const text = row.text;
    std::string const why = row.why;
    CAPTURE(text);
    CAPTURE(why);
    CHECK_EQ(std::string(kb::scope::language_of(text) == kb::Lang::zh ? "zh" : "en"), row.want);
  }
}
