// Questions to the knowledge bases of the demo: answers stay tight, and what is off topic stays unanswered.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "answer/respond.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

using test::Library;

bool holds(std::string const& text, std::string_view part) { return text.find(part) != text.npos; }

bool cites(Answer const& answer, std::string_view path) {
  return std::any_of(answer.sources.begin(), answer.sources.end(), [&](Source const& s) { return s.path == path; });
}

}  // namespace

TEST_CASE("questions to the demo are answered from the page that says it") {
  struct Case {
    char const* question;
    char const* says;
    char const* page;
    char const* why;
  };
  constexpr Case cases[] = {
      {"组会在什么时候？", "10 点半", "onboarding/新人指南.md", "组会 is a word though 会 joins"},
      {"组会什么时候开始？", "10 点半", "onboarding/新人指南.md",
       "a time is asked, so a place without one is beside the point"},
      {"who leads the Atlas project?", "周博", "projects/atlas/people.md", "asked in English, told in Chinese"},
      {"混合来源的难负例 nDCG@10 是多少？", "0.741", "summaries/experiments/2026-09-16-难负例对比.md", "a table"},
      {"韩雪负责什么？", "评测集", "people/韩雪.md", "a person"},
      {"标注平台的地址是什么？", "label-old.example", "resources/标注平台.md", "a resource"},
      {"How long does the reranker take at the 95th percentile?", "118 ms",
       "summaries/experiments/2026-10-28-reranker-latency.md", "English"},
  };
  Library const library = Library::demo();
  for (auto const& c : cases) {
    CAPTURE(c.question);
    CAPTURE(c.why);
    Answer const answer = library.ask_team(c.question);
    CAPTURE(answer.text);
    CHECK(answer.outcome == Outcome::answered);
    CHECK(holds(answer.text, c.says));
    CHECK(cites(answer, c.page));
  }
}

TEST_CASE("invite codes are never a topic, whoever asks (N-31)") {
  Library const library = Library::demo();
  for (char const* const question : {"团队的邀请码是多少？", "NLP 团队的邀请码", "邀请码是多少？"}) {
    CAPTURE(std::string(question));
    Answer const answer = library.ask(question);
    CHECK(answer.outcome == Outcome::no_answer);
    CHECK_FALSE(holds(answer.text, "7K2M"));
  }
}

TEST_CASE("items of one list are one excerpt with one range of lines") {
  Library const library = Library::demo();
  Answer const answer = library.ask_team("新人第一周要做什么？");
  CAPTURE(answer.text);
  REQUIRE(answer.outcome == Outcome::answered);
  REQUIRE(answer.sources.size() == 1);
  CHECK(answer.sources[0].line_begin == 5);
  CHECK(answer.sources[0].line_end == 7);
  for (char const* const item : {"开通 GPU 集群", "五个页面", "跑通一次 atlas-eval"}) CHECK(holds(answer.text, item));
}

TEST_CASE("items that do not answer are not dragged in") {
  Library const library = Library::demo();
  Answer const answer = library.ask_team("Atlas 项目的首次发布推迟到什么时候，为什么？");
  CAPTURE(answer.text);
  REQUIRE(answer.outcome == Outcome::answered);
  CHECK(holds(answer.text, "日语评测集没有按时标完"));
  CHECK_FALSE(holds(answer.text, "上线只开放给三个试点部门"));
  CHECK_FALSE(holds(answer.text, "每两周评审一次"));
}

TEST_CASE("what plainly stands in a small book is answered, however it is asked") {
  Library const library = Library::demo();
  struct Row {
    char const *question, *says;
  };
  static constexpr Row rows[] = {
      {"组会几点开始，在哪个会议室？", "听雨会议室"},
      {"周一的组会几点开始", "上午 10 点半"},
      {"谁负责评测集？", "评测集"},
      {"上线开放给哪些部门？", "法务、客服和研发"},
      {"nDCG 是什么意思？", "best possible order"},
      {"Atlas 项目的负责人是谁？", "周博"},
      {"日语评测集什么时候标完", "没有按时标完"},
  };
  for (Row const& row : rows) {
    CAPTURE(std::string(row.question));
    Answer const answer = library.ask_team(row.question);
    CAPTURE(answer.text);
    CHECK(answer.outcome == Outcome::answered);
    CHECK(holds(answer.text, row.says));
  }
}

TEST_CASE("no page is a source twice for lines that touch") {
  Library const library = Library::demo();
  for (char const* const question : {"新人第一周要做什么？", "Atlas 什么时候上线？", "GPU 集群有哪些机器？",
                                     "难负例有哪些来源？", "韩雪做过什么？", "Atlas 有哪些未决问题？"}) {
    CAPTURE(std::string(question));
    Answer const answer = library.ask_team(question);
    CAPTURE(answer.text);
    for (std::size_t i = 0; i < answer.sources.size(); ++i) {
      for (std::size_t j = i + 1; j < answer.sources.size(); ++j) {
        Source const& a = answer.sources[i];
        Source const& b = answer.sources[j];
        CHECK_FALSE((a.path == b.path && a.line_begin <= b.line_end + 1 && b.line_begin <= a.line_end + 1));
      }
    }
  }
}

TEST_CASE("world facts, weather and chit-chat are not answered by pages that mention a word of them (S1-3)") {
  Library const library(
      {{"a.md",
        "# 查核紀錄\n\n14:20 - 16:00 很有效率光速闢謠100分。\n\n「台北今天在下雨」和「台北今天在下雨嗎」"
        "不同。\n\n後來也改名叫 hacktabl 了，沒有黏在 cotable 這個名字。\n"},
       {"b.md", "# 語言\n\nPython 是一门已在世界上广泛使用的解释型语言，最高的分数是 100。\n"},
       {"c.md", "# Conduct\n\n\"I was joking\" is no excuse. Move the old files into the new bucket.\n"},
       {"d.md", "# 會議記錄\n\n該團隊希望參加法國外交部黑客松，天氣很好。\n"}},
      {});
  for (char const* const question :
       {"光速是多少", "明天会下雨吗？", "你叫什么名字", "世界上最高的山是哪座", "Tell me a joke", "How old are you?",
        "法国首都是哪里？", "法國的首都是哪裡？", "今天天气怎么样"}) {
    CAPTURE(std::string(question));
    Answer const answer = library.ask_team(question);
    CAPTURE(answer.text);
    CHECK(answer.outcome == Outcome::no_answer);
  }
}

}  // namespace kb::answer
