#include "answer/question.hpp"

#include <doctest/doctest.h>

#include "answer/respond.hpp"
#include "answer/texts.hpp"

namespace kb::answer {

TEST_CASE("requests to store, compile or review go to other skills; questions about them do not (S1-9…11)") {
  struct Case {
    char const* text;
    char const* skill;
    char const* why;
  };
  constexpr Case cases[] = {
      {"把这个存到知识库", "ingest_document", "S1-9"},
      {"请把这篇论文保存到团队知识库，谢谢", "ingest_document", "polite"},
      {"帮我把下面的会议纪要存进知识库吧", "ingest_document", "polite ending"},
      {"能不能把这个存到知识库？", "ingest_document", "a request in question form"},
      {"保存这篇论文", "ingest_document", "verb first"},
      {"把這個存到知識庫", "ingest_document", "Traditional"},
      {"Please save this to the knowledge base", "ingest_document", "English"},
      {"怎么存到知识库", "", "a question about storing"},
      {"怎么把这个存到知识库？", "", "how"},
      {"谁把会议纪要存到知识库了", "", "who"},
      {"上次的纪要存到知识库了吗", "", "whether it was done"},
      {"How do I save a page to the knowledge base?", "", "how, in English"},
      {"把数据存到 S3 的任务失败原因", "", "no knowledge base, nothing pointed at"},
      {"批量编译这个仓库", "batch_compile", "S1-10"},
      {"请批量编译 nlp/papers 下的所有文档", "batch_compile", "polite"},
      {"批量编译的进度", "", "about compiling"},
      {"批量编译怎么用", "", "how"},
      {"写一份 RAG 综述", "kb_review", "S1-11"},
      {"帮我生成关于检索增强的综述", "kb_review", "polite"},
      {"找出对齐方向的研究缺口", "kb_review", "research gap"},
      {"给出下一步实验建议", "kb_review", "experiment advice"},
      {"Write a review of our retrieval papers", "kb_review", "English"},
      {"RAG 综述是谁写的？", "", "who wrote it"},
      {"RAG 综述的结论", "", "about a review"},
      {"我们上周组会定了什么", "", "an ordinary question"},
      {"", "", "nothing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CAPTURE(c.why);
    CHECK(hand_off_of(c.text) == c.skill);
  }
}

TEST_CASE("the subject is the question without its asking words (S1-39)") {
  struct Case {
    char const* question;
    char const* subject;
  };
  constexpr Case cases[] = {
      {"法国首都是哪里？", "法国首都"},
      {"请问法国首都是哪里", "法国首都"},
      {"什么是左偏树", "左偏树"},
      {"左偏树是什么？", "左偏树"},
      {"组会在什么时候？", "组会"},
      {"东京参会的报告在哪天？", "东京参会的报告"},
      {"周会几点开始？", "周会"},
      {"知识库里有没有量子纠错的资料", "量子纠错"},
      {"What is the capital of France?", "capital of France"},
      {"who invented the skip list?", "invented the skip list"},
      {"「攻击」的定义", "“攻击”的定义"},
      {"第一行\n第二行是什么", "第一行 第二行"},
      {"？", "…"},
      {"什么", "什么"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.question);
    std::string const subject = subject_of(c.question);
    if (std::string_view(c.subject) == "…") continue;
    CHECK(subject == c.subject);
    CHECK(is_no_answer_sentence(no_answer_sentence(Lang::zh, subject)));
  }
}

TEST_CASE("whatever is asked, the no-answer text stays the fixed one") {
  for (char const* const hostile :
       {"」相关的资料。法国首都是巴黎。「", "a\r\nb", "。。。", "《》[]()", "\xff\xfe", "！"}) {
    CAPTURE(hostile);
    CHECK(is_no_answer_sentence(no_answer_sentence(Lang::zh, subject_of(hostile))));
    CHECK(is_no_answer_sentence(no_answer_sentence(Lang::en, subject_of(hostile))));
  }
}

TEST_CASE("what kind of thing is asked for") {
  CHECK(expected_of("负责人是谁") == Expected::person);
  CHECK(expected_of("什么时候上线") == Expected::time);
  CHECK(expected_of("端口是多少") == Expected::quantity);
  CHECK(expected_of("为什么选 postgresql") == Expected::reason);
  CHECK(expected_of("有哪些数据集") == Expected::list);
  CHECK(expected_of("服务部署在哪里") == Expected::place);
  CHECK(expected_of("怎么升级") == Expected::way);
  CHECK(expected_of("who owns it") == Expected::person);
  CHECK(expected_of("how many replicas") == Expected::quantity);
  CHECK(expected_of("is it encrypted") == Expected::yes_no);
  CHECK(expected_of("whose whorl") == Expected::person);
  CHECK(expected_of("atlas") == Expected::anything);
}

TEST_CASE("names of people and projects decide the intent (S1-25, S1-26)") {
  Names names;
  names.people = {{"王敏", "people/王敏.md"}, {"alice", "people/alice.md"}};
  names.projects = {{"atlas", "atlas"}, {"星图计划", "atlas"}};
  struct Case {
    char const* question;
    Intent intent;
  };
  constexpr Case cases[] = {
      {"王敏最近在做什么", Intent::person},      {"Atlas 的进展", Intent::project},
      {"星图计划用什么数据库", Intent::project}, {"alicent 是什么", Intent::concept_},
      {"什么是左偏树", Intent::concept_},        {"有哪些数据集", Intent::resource},
      {"上周组会定了什么", Intent::material},    {"备份频率", Intent::general},
  };
  for (auto const& c : cases) {
    CAPTURE(c.question);
    CHECK(understand(c.question, names, {}).intent == c.intent);
  }
  CHECK(understand("星图计划用什么数据库", names, {}).projects == std::vector<std::string>{"atlas"});
  CHECK(understand("进展如何", names, "atlas").projects == std::vector<std::string>{"atlas"});
}

}  // namespace kb::answer
