// kbgate eval: a knowledge base asked about itself.
#include <doctest/doctest.h>
#include <sstream>

#include "tests/support/workspace.hpp"

namespace kb::test {
namespace {

struct Bench {
  Workspace w;
  Bench() {
    w.team.commit({{"concepts/segment-tree.md",
                    "# 线段树\n\n线段树是一种用来求区间和的结构，建树的复杂度是线性的。\n\n## "
                    "懒标记\n\n懒标记把整段的修改推迟到访问子节点的时候。\n"},
                   {"resources/machines.md",
                    "# 机器清单\n\n| 机器 | 显存容量 | 用途 |\n|---|---|---|\n| 天狼星服务器 | 5120 GB | 训练 |\n| "
                    "北极星服务器 | 768 GB | 推理 |\n"},
                   {"summaries/launch.md", "# 发布记录\n\n天狼星服务器在 2026-03-19 正式交付给所有训练小组使用。\n"}});
  }
  Finished eval(std::vector<std::string> more) const {
    for (char const* const word : {"nlp-team-kb", "--repo", "nlp", "--owner"}) more.insert(more.begin() + 1, word);
    more.insert(more.begin(), "eval");
    return w.run(KB_PROGRAM, std::move(more));
  }
};

std::vector<Json> lines_of(std::string const& out) {
  std::vector<Json> lines;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("eval generate makes a question set that eval scores") {
  Bench const b;
  Finished const made = b.eval({"generate"});
  REQUIRE_EQ(made.exit_code, 0);
  std::map<std::string, int> types;
  for (Json const& q : lines_of(made.out)) {
    ++types[q.at("type").get<std::string>()];
    CHECK(q.at("answerable").get<bool>());
    CHECK_EQ(q.at("gold_pages").size(), 1);
  }
  for (char const* const type : {"heading", "table", "date", "definition"}) CHECK_MESSAGE(types[type] > 0, type);
  b.w.write("made.jsonl", made.out);
  Finished const scored = b.eval({"score", "--questions", (b.w.path() / "made.jsonl").string()});
  REQUIRE_EQ(scored.exit_code, 0);
  Json const total = Json::parse(scored.out);
  CHECK_EQ(total.at("questions").get<std::size_t>(), lines_of(made.out).size());
  CHECK(total.at("page_at_1").get<double>() > 0.8);
}

TEST_CASE("eval run: without its page a question loses the citation, with another value the answer follows") {
  Bench const b;
  Finished const run = b.eval({"run", "--details"});
  CHECK_EQ(run.exit_code, 0);
  std::vector<Json> const lines = lines_of(run.out);
  REQUIRE_FALSE(lines.empty());
  Json const& sum = lines.back();
  CHECK(sum.at("success").get<bool>());
  int followed = 0;
  for (auto const& [type, tally] : sum.at("types").items()) {
    CAPTURE(type);
    CHECK_EQ(tally.at("page_removed").at("asked"), tally.at("questions"));
    CHECK_EQ(tally.at("page_removed").at("cites_it"), 0);
    CHECK_EQ(tally.at("value_swapped").at("old_value"), 0);
    CHECK_EQ(tally.at("value_swapped").at("new_value"), tally.at("value_swapped").at("asked"));
    followed += tally.at("value_swapped").at("new_value").get<int>();
  }
  CHECK(followed > 0);
}

TEST_CASE("eval without a question set says what it needs") {
  Bench const b;
  Finished const none = b.eval({"score"});
  CHECK_EQ(none.exit_code, 2);
  CHECK(Json::parse(none.out).at("message").get<std::string>().find("--questions") != std::string::npos);
}

TEST_CASE("ask --explain shows what was asked of the index and every part of a score") {
  Bench const b;
  Finished const asked = b.w.run(KB_PROGRAM, {"ask", "--sender_id", "ou_alice", "--chat_type", "direct", "--scope",
                                              "team", "--question", "What is 懶標記 for in the databse?", "--explain"});
  Json const explain = Json::parse(asked.out).at("search");
  REQUIRE_EQ(explain.at("asked").size(), 1);
  CHECK_EQ(explain["asked"][0].at("repo"), "nlp/nlp-team-kb");
  CHECK(explain["asked"][0].at("terms").size() > 3);
  REQUIRE(explain.at("ranked").size() > 0);
  Json const& best = explain["ranked"][0];
  CHECK_EQ(best.at("path"), "concepts/segment-tree.md");
  double sum = 0;
  for (auto const& [part, value] : best.at("parts").items()) sum += value.get<double>();
  CHECK(best.at("score").get<double>() == doctest::Approx(sum * best.at("prior").get<double>()).epsilon(0.001));
  CHECK(explain.at("evidence").at("best_passage").get<double>() > 0);
}

}  // namespace kb::test
