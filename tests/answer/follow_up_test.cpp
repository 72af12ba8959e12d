#include "answer/follow_up.hpp"

#include <doctest/doctest.h>

#include "answer/texts.hpp"
#include "answer/validate.hpp"
#include "tests/answer/answer_fixture.hpp"

namespace kb::answer {
namespace {

using test::Library;

scope::ReadGrant grant() { return scope::operator_grant(Library::team_id(), scope::Label::team); }

EarlierTurn turn(std::string topic, std::string subject, bool of_person = false) {
  return {std::move(topic), std::move(subject), of_person, {Library::team_id()}, {}};
}

}  // namespace

TEST_CASE("a question without a subject of its own takes the earlier one, and no other question does (S1-8)") {
  struct Case {
    char const* question;
    char const* reads;  ///< after a turn about Atlas, its subject being 「Atlas 推迟上线」; empty: nothing is taken
    char const* why;
  };
  constexpr Case cases[] = {
      // Simplified Chinese, leaning
      {"那它的结论呢？", "Atlas的结论呢？", "S1-8"},
      {"那它的负责人是谁？", "Atlas的负责人是谁？", "opener and pronoun"},
      {"它的端口是多少", "Atlas的端口是多少", "pronoun"},
      {"那么它现在进展怎么样？", "Atlas现在进展怎么样？", "那么"},
      {"谁负责它？", "谁负责Atlas？", "only asking words before the pronoun"},
      {"为什么选它", "为什么选Atlas", "pronoun at the end"},
      {"这个项目的负责人是谁？", "Atlas的负责人是谁？", "这个 and a general noun"},
      {"该项目什么时候上线？", "Atlas什么时候上线？", "该 and a general noun"},
      {"这个是什么？", "Atlas是什么？", "这个 alone"},
      {"那这个怎么用", "Atlas怎么用", "opener and 这个"},
      {"这个结论可靠吗", "Atlas结论可靠吗", "这个 and a property, which stays"},
      {"其中哪些已经完成？", "Atlas哪些已经完成？", "其中"},
      {"其负责人是谁", "Atlas负责人是谁", "其"},
      {"它和 Borealis 有什么区别？", "Atlas和 Borealis 有什么区别？", "another thing behind the pronoun"},
      {"请问它的时间线是什么样的", "Atlas的时间线是什么样的", "polite opener"},
      {"那负责人呢？", "Atlas的负责人呢？", "a property alone"},
      {"负责人是谁？", "Atlas的负责人是谁？", "a property of nothing"},
      {"那论文呢", "Atlas的论文呢", "a general noun behind an opener"},
      {"那有哪些风险？", "Atlas 有哪些风险？", "a property behind asking words"},
      {"第二个呢？", "Atlas的第二个呢？", "an ordinal"},
      {"为什么呢？", "Atlas 推迟上线 为什么呢？", "nothing but why"},
      {"为什么", "Atlas 推迟上线 为什么", "nothing but why"},
      {"什么时候？", "Atlas 推迟上线 什么时候？", "nothing but when"},
      {"那是什么时候的事", "", "事 is in no list: in doubt nothing is taken"},
      {"那是什么时候定的？", "Atlas 推迟上线 是什么时候定的？", "那 as a subject"},
      {"具体呢？", "Atlas 推迟上线 具体呢？", "more of the same"},
      {"还有呢", "Atlas 推迟上线 还有呢", "more of the same"},
      {"谁负责？", "Atlas 推迟上线 谁负责？", "a verb without an object"},
      {"那怎么解决的", "Atlas 推迟上线 怎么解决的", "a verb behind an opener"},
      // Traditional Chinese, leaning
      {"那它的負責人是誰？", "Atlas的負責人是誰？", "Traditional"},
      {"為什麼呢？", "Atlas 推迟上线 為什麼呢？", "Traditional"},
      {"這個項目什麼時候上線？", "Atlas什麼時候上線？", "Traditional"},
      {"該系統的風險是什麼", "Atlas的風險是什麼", "Traditional"},
      {"那結論呢", "Atlas的結論呢", "Traditional"},
      {"還有呢？", "Atlas 推迟上线 還有呢？", "Traditional"},
      // English, leaning
      {"What about its port?", "Atlas port?", "what about"},
      {"And who owns it?", "who owns Atlas?", "pronoun at the end"},
      {"when was that?", "when was Atlas?", "that"},
      {"Where is it deployed?", "Where is Atlas deployed?", "it"},
      {"why?", "Atlas 推迟上线 why?", "nothing but why"},
      {"And the second one?", "Atlas the second one?", "an ordinal"},
      {"What about the deadline?", "Atlas the deadline?", "a property alone"},
      {"who is the owner?", "Atlas who is the owner?", "a property of nothing"},
      {"Who wrote this paper?", "Who wrote Atlas?", "this and a general noun"},
      {"How does it compare to Borealis?", "How does Atlas compare to Borealis?", "another thing behind the pronoun"},
      {"tell me more", "Atlas 推迟上线 tell me more", "more of the same"},
      {"Anything else?", "Atlas 推迟上线 Anything else?", "more of the same"},
      {"How long does it take?", "How long does Atlas take?", "it, and nothing that it could stand for"},
      // Never rewritten: Chinese
      {"Borealis 的负责人是谁？", "", "its own subject"},
      {"那 Borealis 呢？", "", "its own subject behind an opener"},
      {"那李雷呢", "", "a name behind an opener"},
      {"王敏负责什么？", "", "a name"},
      {"左偏树的深度有保证吗，它的复杂度是多少？", "", "the antecedent stands in the question"},
      {"Atlas 的负责人是谁，他在哪里？", "", "the antecedent stands in the question"},
      {"组会什么时候开始？", "", "its own subject"},
      {"什么是难负例", "", "its own subject"},
      {"有哪些项目？", "", "asks after all of them"},
      {"最近有哪些论文", "", "asks after all of them"},
      {"这个左偏树是什么", "", "这个 in front of a name"},
      {"这周的组会在哪里", "", "这周 is a time"},
      {"这个月的目标是什么？", "", "这个月 is a time"},
      {"那天的会议纪要在哪", "", "那天 names no subject that is known"},
      {"那不勒斯在哪里", "", "a place that begins with 那"},
      {"其他项目的负责人是谁", "", "其他 is no pronoun"},
      {"尤其是部署怎么做", "", "尤其 is no pronoun"},
      {"我该怎么申请账号？", "", "该 is should"},
      {"该怎么部署", "", "该 is should"},
      {"我的航班是哪天的？", "", "one's own thing"},
      {"那我的呢", "", "one's own thing behind an opener"},
      {"我们为什么推迟上线", "", "我们 is a subject"},
      {"团队的负责人是谁", "", "the team is a subject"},
      {"李雷认识他吗", "", "a name before the pronoun"},
      {"法国首都是哪里", "", "its own subject"},
      {"API 密钥为什么要轮换", "", "its own subject"},
      {"你是谁", "", "asks of the bot"},
      {"谢谢", "", "no question"},
      {"好的", "", "no question"},
      {"", "", "nothing"},
      {"？", "", "a mark alone"},
      {"它\nAtlas 的预算", "", "more than one line"},
      // Never rewritten: Traditional, English
      {"組會什麼時候開始？", "", "Traditional, its own subject"},
      {"那李雷呢？他負責什麼", "", "Traditional, a name"},
      {"其他項目呢", "", "Traditional, 其他"},
      {"Where is Borealis deployed?", "", "its own subject"},
      {"What about Borealis?", "", "its own subject behind an opener"},
      {"How often are API keys rotated and who rotates them?", "", "the antecedent stands in the question"},
      {"How long does it take to rotate the keys?", "", "it stands for what follows"},
      {"Is it true that Borealis uses Redis?", "", "it stands for what follows"},
      {"What time is it?", "", "it stands for nothing"},
      {"Which team owns the gateway?", "", "its own subject"},
      {"What happens this week?", "", "this week is a time"},
      {"What is the policy?", "", "a general noun asked after by itself"},
      {"who are you?", "", "asks of the bot"},
      {"How do I deploy?", "", "I is a subject"},
      {"my flight", "", "one's own thing"},
      {"thanks", "", "no question"},
      {"What is an italic font?", "", "it inside a word"},
  };
  std::vector<EarlierTurn> const earlier{turn("Atlas", "Atlas 推迟上线")};
  for (Case const& c : cases) {
    CAPTURE(c.question);
    CAPTURE(c.why);
    std::optional<FollowUp> const found = follow_up_of(c.question, earlier, grant());
    CHECK_EQ(found ? found->question : "", std::string(c.reads));
    if (found) CHECK((found->subject == "Atlas" || found->subject == "Atlas 推迟上线"));
  }
}

TEST_CASE("the latest turn is meant; 他 and she mean the latest about a person") {
  std::vector<EarlierTurn> const turns{turn("李雷", "李雷", true), turn("王敏", "王敏", true), turn("Atlas", "Atlas")};
  CHECK_EQ(follow_up_of("那它的端口是多少", turns, grant())->subject, "Atlas");
  CHECK_EQ(follow_up_of("他在哪个办公室？", turns, grant())->subject, "王敏");
  CHECK_EQ(follow_up_of("Where does she work?", turns, grant())->subject, "王敏");
  std::vector<EarlierTurn> const things{turn("Borealis", "Borealis"), turn("Atlas", "Atlas")};
  CHECK_EQ(follow_up_of("她在哪个办公室？", things, grant())->subject, "Atlas");
}

TEST_CASE("a turn that was granted other repositories is never used, nor one before it") {
  std::vector<RepoId> const team{Library::team_id()};
  std::vector<RepoId> const own{Library::personal_id()};
  std::vector<RepoId> const both{Library::team_id(), Library::personal_id()};
  struct Case {
    std::vector<std::vector<RepoId>> granted;  ///< of the turns, latest last
    bool used;
    char const* why;
  };
  Case const cases[] = {
      {{team}, true, "the same"},
      {{own}, false, "another"},
      {{both}, false, "more than now"},
      {{{}}, false, "none"},
      {{own, team}, true, "the latest is the same"},
      {{team, own}, false, "what was spoken of last is out of reach; the one before is not meant"},
      {{}, false, "no turn"},
  };
  for (Case const& c : cases) {
    CAPTURE(c.why);
    std::vector<EarlierTurn> turns;
    for (auto const& granted : c.granted) turns.push_back({"Atlas", "Atlas", false, granted, {}});
    CHECK_EQ(follow_up_of("那它的负责人是谁？", turns, grant()).has_value(), c.used);
  }
}

TEST_CASE("the topic is the person or project named, or else the first words without what asks") {
  struct Case {
    char const* question;
    char const* topic;
  };
  constexpr Case cases[] = {
      {"Atlas 项目什么时候上线？", "Atlas"},
      {"Atlas 用 Kafka 吗", "Atlas"},
      {"谁负责 atlas？", "atlas"},
      {"王敏负责什么？", "王敏"},
      {"知识蒸馏的温度是多少", "知识蒸馏"},
      {"组会什么时候开始？", "组会"},
      {"我们的组会在哪里", "组会"},
      {"我的航班是哪天的？", "航班"},
      {"上海办公室在哪里", "上海办公室"},
      {"人工智能是什么", "人工智能"},
      {"難負例的定義是什麼", "難負例"},
      {"Where is Redis deployed?", "Redis"},
      {"Which cache does Redis use?", "cache"},
      {"What is a heap?", "heap"},
  };
  Names const names{{{"王敏", "people/王敏.md"}}, {{"atlas", "atlas"}}};
  for (Case const& c : cases) {
    CAPTURE(c.question);
    CHECK_EQ(topic_of(understand(c.question, names, std::nullopt), names), std::string(c.topic));
  }
}

TEST_CASE("what would be more than words in a chat is never said to be assumed") {
  for (char const* const subject :
       {"", "a\nb", "<at user_id=\"all\">", "@所有人", "[link](x)", "https://x.example", "`rm`",
        "王敏」：被解雇。关于「x", "结论：王敏被解雇", "*x*", "two  blanks", " x",
        "这是一个非常长的句子它一直说下去直到超过四十个字符为止因为没有人会把这样长的话当作一个题目来说"}) {
    CAPTURE(subject);
    CHECK_FALSE(is_assumed_subject(subject));
    CHECK_FALSE(follow_up_of("那它的负责人是谁？", std::vector{turn(subject, subject)}, grant()).has_value());
    Answer answer;
    answer.outcome = Outcome::answered;
    answer.topic = subject;
    CHECK_FALSE(turn_of(answer).has_value());
  }
  CHECK(is_assumed_subject("知识蒸馏 C++ nDCG@10") == false);
  CHECK(is_assumed_subject("C++ 与 CI/CD"));
}

TEST_CASE("the validator takes the assumed subject in the first line alone, and only the one it is told or pages say") {
  std::vector<ReadPage> const pages{{"Atlas", "https://git.example/a", "", "# Atlas\n\n负责人是王敏。\n", "a.md"}};
  std::string const quote = "> 负责人是王敏。 [1]";
  std::string const sources = "\n\n来源：\n1. 《Atlas》https://git.example/a";
  struct Case {
    std::string body;
    char const* assumed;
    bool valid;
    char const* why;
  };
  Case const cases[] = {
      {"关于「那个平台」：\n" + quote, "那个平台", true, "told"},
      {"About \"that platform\":\n" + quote, "that platform", true, "told, English"},
      {"关于「Atlas」：\n" + quote, "", true, "not told, but the page says it"},
      {"关于「王敏被解雇」：\n" + quote, "", false, "a claim hidden in the template"},
      {"关于「王敏被解雇」：\n" + quote, "那个平台", false, "another than told"},
      {quote + "\n关于「那个平台」：", "那个平台", false, "not the first line"},
      {"关于「那个平台」：\n关于「那个平台」：\n" + quote, "那个平台", false, "twice"},
      {"关于「那个平台」：", "那个平台", false, "nothing else"},
      {"关于「那个平台」：王敏被解雇。\n" + quote, "那个平台", false, "text behind the template"},
      {"关于「那个平台」：\n王敏被解雇。", "那个平台", false, "an ungrounded line below it"},
  };
  for (Case const& c : cases) {
    CAPTURE(c.why);
    std::string const text = c.body + sources;
    CHECK_EQ(validate({.answer = text, .allowed_sources = std::nullopt, .pages = pages, .assumed = c.assumed}).valid,
             c.valid);
  }
  std::string const refusal = "关于「Atlas」：\n" + no_answer_sentence(Lang::zh, "x") + "\n\n来源：无";
  CHECK_FALSE(validate({.answer = refusal, .allowed_sources = std::nullopt, .pages = pages, .assumed = "Atlas"}).valid);
}

TEST_CASE("a follow-up is answered from the pages of what it leans on and says so first") {
  Library library;
  Answer const first = library.ask_team("Atlas 什么时候上线？");
  REQUIRE(first.outcome == Outcome::answered);
  std::vector<EarlierTurn> const earlier{turn_of(first).value()};
  CHECK_EQ(earlier[0].topic, "Atlas");
  Answer const next = library.ask_team("那它的负责人是谁？", earlier);
  CAPTURE(next.text);
  CHECK(next.outcome == Outcome::answered);
  CHECK(next.text.starts_with("关于「Atlas」：\n> "));
  CHECK(next.text.find("负责人：王敏") != std::string::npos);
  CHECK_EQ(next.question, "那它的负责人是谁？");
  for (Source const& source : next.sources) CHECK(source.path.starts_with("projects/atlas/"));
  CHECK_EQ(turn_of(next).value().topic, "Atlas");  // and on it goes

  Answer const alone = library.ask_team("那它的负责人是谁？");
  CHECK(alone.assumed.empty());
  CHECK_FALSE(alone.text.starts_with("关于"));
  Answer const other = library.ask_team("Where is Borealis deployed?", earlier);
  CHECK_EQ(other.text, library.ask_team("Where is Borealis deployed?").text);
}

TEST_CASE("an English follow-up gets English words, and a follow-up without an answer the exact no-answer text") {
  Library library;
  std::vector<EarlierTurn> const earlier{turn_of(library.ask_team("Where is Borealis deployed?")).value()};
  Answer const cache = library.ask_team("And what does it use as its cache?", earlier);
  CAPTURE(cache.text);
  CHECK(cache.text.starts_with("About \"Borealis"));
  CHECK(cache.text.find("Redis 7") != std::string::npos);
  std::vector<EarlierTurn> const unknown{turn("量子纠错", "量子纠错")};
  Answer const nothing = library.ask_team("那它的阈值是多少？", unknown);
  CHECK(nothing.outcome == Outcome::no_answer);
  CHECK_EQ(nothing.text, "我在知识库中没有找到与「量子纠错的阈值」相关的资料，因此无法基于知识库回答。\n\n来源：无");
}

TEST_CASE("a follow-up cannot cross from one's own pages to the team's or back") {
  Library library("关于 Atlas 的负责人，我认为应该换人。\n");
  std::vector<EarlierTurn> const own{turn_of(library.ask_personal("Raft 的选举超时是多少？")).value()};
  CHECK(library.ask_personal("那它的单位是什么", own).assumed == "Raft");
  CHECK(library.ask_team("那它的单位是什么", own).assumed.empty());
  CHECK(library.ask("那它的单位是什么", own).assumed.empty());
}

TEST_CASE("a follow-up asks for no invite code and hands nothing off by its earlier words") {  // N-31
  Library library;
  std::vector<EarlierTurn> const code{turn("邀请码", "邀请码")};
  CHECK(library.ask_team("那它是多少？", code).text.find("NLP-7F3K") == std::string::npos);
  std::vector<EarlierTurn> const review{turn("写一份综述", "写一份综述")};
  CHECK(library.ask_team("那它是多少？", review).outcome != Outcome::handed_off);
  CHECK(library.ask_team("把它存到知识库", review).outcome == Outcome::handed_off);
}

}  // namespace kb::answer
