#include "answer/protocols/brain.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/protocols/books.hpp"

using Json = nlohmann::ordered_json;
using kb::RepoId;
using kb::test::Books;
using namespace kb::protocols;

namespace {

using Texts = std::vector<std::string>;

std::string theme(std::string const& title, std::string const& category, std::string const& body) {
  return "---\ntitle: " + title + "\ncategory: " + category + "\n---\n# " + title + "\n\n" + body +
         "\n\n## Sources\n\n- [x](http://x)\n";
}

std::map<std::string, std::string> const kBrains{
    {"brain/forge-dev/decisions.md",
     "# Decisions\n\n- [`queue-choice`](./themes/queue-choice.md) — which queue the forge uses\n\nADR 7: releases "
     "happen on Tuesdays only.\n"},
    {"brain/forge-dev/reference.md", "# Reference\n"},
    {"brain/forge-dev/log.md", "# Log\n\n## [2026-01-01] seed | start\n"},
    {"brain/forge-dev/themes/queue-choice.md",
     theme("Queue choice", "decision", "The forge uses the zygote queue for events.")},
    {"brain/cycles/patterns.md",
     "# Patterns\n\n- [`small-batches`](./themes/small-batches.md) — review in small batches\n"
     "- [`batch-review`](./themes/batch-review.md) — how batches are reviewed\n"},
    {"brain/cycles/antipatterns.md", "# Antipatterns\n\n- [`giant-merge`](./themes/giant-merge.md) — one huge merge\n"},
    {"brain/cycles/operations.md", "# Operations\n"},
    {"brain/cycles/themes/small-batches.md",
     theme("Small batches", "pattern", "Review small batches of at most 200 lines.\n\n## See also\n\n[[giant-merge]]")},
    {"brain/cycles/themes/batch-review.md",
     theme("Batch review", "pattern", "Two people review small batches within a day.")},
    {"brain/cycles/themes/giant-merge.md",
     theme("Giant merge", "antipattern", "A merge of 5,000 lines hides its faults.")},
    {"brain/cycles/_raw/small-batches.article.md", "# Raw\n\nRaw says the quokka reviews batches.\n"},
    {"brain/projects/shop/profile.md", "# Shop\n\nThe shop runs on port 8443 in Frankfurt.\n"},
    {"brain/projects/shop/themes/checkout-flow.md",
     theme("Checkout flow", "reference", "The checkout flow has three steps.")},
    {"brain/projects/other/profile.md", "# Other\n\nThe other project runs in Oslo.\n"},
    {"brain/projects/other/themes/checkout-flow.md",
     theme("Checkout flow", "reference", "The checkout flow has nine steps.")},
};

struct Bench {
  Books books;
  Bench() { books.add({"acme", "forge"}, kBrains); }
  BrainReply ask(Texts questions, void (*change)(BrainQuery&) = nullptr) const {
    BrainQuery query;
    query.questions = std::move(questions);
    query.scope = "cycles";
    if (change != nullptr) change(query);
    return query_brain(books.all(), query);
  }
  BrainAnswer one(char const* question, void (*change)(BrainQuery&) = nullptr) const {
    BrainReply const reply = ask({question}, change);
    CHECK_EQ(reply.error, "");
    REQUIRE_EQ(reply.answers.size(), 1);
    return reply.answers[0];
  }
};

bool holds(Texts const& list, std::string const& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool all_below(Texts const& list, std::string const& folder) {
  return std::all_of(list.begin(), list.end(), [&](std::string const& path) { return path.starts_with(folder); });
}

}  // namespace

TEST_CASE("a brain is asked index first, then a few themes, and answers in their own words") {
  Bench const b;
  BrainAnswer const answer = b.one("How large are small batches for review?");
  CHECK(answer.read[0] == "brain/cycles/patterns.md");
  CHECK(answer.read[1] == "brain/cycles/antipatterns.md");
  CHECK(answer.read[2] == "brain/cycles/operations.md");
  std::size_t const themes = static_cast<std::size_t>(std::count_if(
      answer.read.begin(), answer.read.end(), [](auto const& path) { return path.find("/themes/") != path.npos; }));
  CHECK_GE(themes, 2);
  CHECK_LE(themes, 6);
  CHECK(answer.answer.find("Review small batches of at most 200 lines.") != std::string::npos);
  CHECK_EQ(answer.answer.find('\n'), std::string::npos);
  CHECK_EQ(answer.confidence, "high");
  CHECK_FALSE(answer.gap);
  CHECK(all_below(answer.sources, "brain/cycles/themes/"));
  Json const json = Json::parse(to_json(b.ask({"How large are small batches for review?"})));
  for (char const* key : {"question", "answer", "confidence", "sources"}) CHECK(json["answers"][0].contains(key));
  CHECK_FALSE(json["answers"][0].contains("gap"));
}

TEST_CASE("a theme of another brain is named beside the answer only when a cited theme leads to it, and never read") {
  Books books;
  auto pages = kBrains;
  pages["brain/projects/shop/themes/checkout-flow.md"] = theme(
      "Checkout flow", "reference",
      "The checkout flow has three steps, see [[queue-choice]] and [batches](../../../cycles/themes/small-batches.md)"
      ".\n\n## See also\n\n[[no-such-theme]]");
  books.add({"acme", "forge"}, pages);
  BrainQuery query;
  query.questions = {"How many steps has the checkout flow?", "On which port does the shop run?"};
  query.scope = "project";
  query.project = "shop";
  BrainReply const reply = query_brain(books.all(), query);
  REQUIRE_EQ(reply.answers.size(), 2);
  BrainAnswer const& linked = reply.answers[0];
  CHECK(linked.see_also == Texts{"brain/forge-dev/themes/queue-choice.md", "brain/cycles/themes/small-batches.md"});
  CHECK(linked.sources == Texts{"brain/projects/shop/themes/checkout-flow.md"});
  CHECK(all_below(linked.read, "brain/projects/shop/"));
  CHECK_EQ(linked.answer.find("zygote"), std::string::npos);
  CHECK(reply.answers[1].see_also.empty());
  Json const json = Json::parse(to_json(reply));
  CHECK_EQ(json["answers"][0]["see_also"].size(), 2);
  CHECK_FALSE(json["answers"][1].contains("see_also"));
}

TEST_CASE("confidence says how many themes carry an answer, and none is a gap") {
  Bench const b;
  auto const forge = [](BrainQuery& q) { q.scope = "forge-dev"; };
  BrainAnswer const one = b.one("Which queue does the forge use?", forge);
  CHECK_EQ(one.confidence, "medium");
  CHECK(one.sources == Texts{"brain/forge-dev/themes/queue-choice.md"});
  BrainAnswer const none = b.one("What is the colour of the moon base?");
  CHECK_EQ(none.confidence, "low");
  CHECK(none.gap);
  CHECK(none.sources.empty());
  CHECK_LE(none.read.size(), 7);
  CHECK(Json::parse(to_json(b.ask({"What is the colour of the moon base?"})))["answers"][0].value("gap", false));
}

TEST_CASE("a pattern is told together with the antipattern it leads to") {
  Bench const b;
  BrainAnswer const answer = b.one("How large are small batches for review?");
  CHECK(holds(answer.sources, "brain/cycles/themes/small-batches.md"));
  CHECK(holds(answer.sources, "brain/cycles/themes/giant-merge.md"));
}

TEST_CASE("raw notes and indexes are never cited; a decision's own text is") {
  Bench const b;
  BrainAnswer const raw = b.one("What does the quokka do?");
  CHECK(raw.gap);
  CHECK(raw.sources.empty());
  auto const forge = [](BrainQuery& q) { q.scope = "forge-dev"; };
  BrainAnswer const fact = b.one("On which days do releases happen?", forge);
  CHECK(fact.sources == Texts{"brain/forge-dev/decisions.md"});
  CHECK(fact.answer.find("releases happen on Tuesdays only") != std::string::npos);
  BrainAnswer const listed = b.one("How are batches reviewed?");
  for (std::string const& source : listed.sources) CHECK(source.find("/themes/") != std::string::npos);
}

TEST_CASE("a project's answer comes from its own brain alone") {
  Bench const b;
  auto const shop = [](BrainQuery& q) {
    q.scope = "project";
    q.project = "shop";
  };
  BrainAnswer const flow = b.one("How many steps has the checkout flow?", shop);
  CHECK_EQ(flow.answer, "The checkout flow has three steps.");
  CHECK(all_below(flow.sources, "brain/projects/shop/"));
  CHECK(all_below(flow.read, "brain/projects/shop/"));
  CHECK(flow.read[0] == "brain/projects/shop/profile.md");
  BrainAnswer const fact = b.one("On which port does the shop run?", shop);
  CHECK(fact.sources == Texts{"brain/projects/shop/profile.md"});
  BrainAnswer const queue = b.one("Which zygote queue is used?", shop);
  CHECK(queue.gap);
  CHECK_EQ(queue.answer.find("zygote"), std::string::npos);
  CHECK_EQ(b.ask({"x"}, [](BrainQuery& q) { q.scope = "cycles,project"; }).error,
           "project is required when scope has project");
  CHECK(b.ask({"x"}, [](BrainQuery& q) { q.scope = "project"; }).answers.empty());
  Books own;
  own.add({"acme", "shop"}, {{"brain/profile.md", "# Shop\n\nThe shop runs on port 9.\n"},
                             {"brain/themes/returns.md", theme("Returns", "reference", "Returns take ten days.")}});
  BrainQuery query;
  query.questions = {"How long do returns take?"};
  shop(query);
  CHECK(query_brain(own.all(), query).answers.at(0).sources == Texts{"brain/projects/shop/themes/returns.md"});
}

TEST_CASE("scope comes from the caller, else from the role, else it is everything with a warning") {
  Bench const b;
  auto const brains = [](BrainAnswer const& answer) {
    std::string out;
    for (char const* folder : {"brain/forge-dev/", "brain/cycles/", "brain/projects/"}) {
      bool const read =
          std::any_of(answer.read.begin(), answer.read.end(), [&](auto const& p) { return p.starts_with(folder); });
      if (read) out.append(folder + 6);
    }
    return out;
  };
  struct Row {
    char const *scope, *role, *want;
    bool warned;
  };
  static constexpr Row rows[] = {
      {"", "architect", "cycles/projects/", false},
      {"", "pm", "cycles/projects/", false},
      {"", "reflector", "forge-dev/cycles/projects/", false},
      {"", "dev-loop", "projects/", false},
      {"", "reviewer", "projects/", false},
      {"", "forge-dev", "forge-dev/cycles/", false},
      {"", "", "forge-dev/cycles/projects/", true},
      {"all", "", "forge-dev/cycles/projects/", false},
      {"cycles", "reflector", "cycles/", false},
      {"cycles, project", "", "cycles/projects/", false},
  };
  for (Row const& row : rows) {
    CAPTURE(row.scope);
    CAPTURE(row.role);
    BrainQuery query;
    query.questions = {"steps of the checkout flow"};
    query.scope = row.scope;
    query.role = row.role;
    query.project = "shop";
    BrainReply const reply = query_brain(b.books.all(), query);
    CHECK_EQ(reply.error, "");
    REQUIRE_EQ(reply.answers.size(), 1);
    CHECK_EQ(brains(reply.answers[0]), row.want);
    CHECK_EQ(reply.warnings.size(), row.warned ? 1 : 0);
  }
  CHECK_EQ(b.ask({"x"}, [](BrainQuery& q) { q.scope.clear(); }).warnings.at(0),
           "[brain-query] no scope supplied — searching all three brains; supply --scope to reduce noise");
  CHECK_FALSE(b.ask({"x"}, [](BrainQuery& q) { q.scope = "everything"; }).error.empty());
  CHECK_FALSE(b.ask({}).error.empty());
}

TEST_CASE("a category narrows what is cited to it") {
  Bench const b;
  BrainAnswer const answer = b.one("merge of lines", [](BrainQuery& q) { q.category = "antipattern"; });
  CHECK(answer.sources == Texts{"brain/cycles/themes/giant-merge.md"});
  CHECK(b.one("How large are small batches for review?", [](BrainQuery& q) { q.category = "antipattern"; }).gap);
  for (char const* category : {"pattern", "antipattern", "decision", "operation", "reference"}) {
    BrainQuery query;
    query.questions = {"x"};
    query.scope = "cycles";
    query.category = category;
    CHECK_EQ(query_brain(b.books.all(), query).error, "");
  }
  CHECK_FALSE(b.ask({"x"}, [](BrainQuery& q) { q.category = "poem"; }).error.empty());
}

TEST_CASE("several questions have as many answers in order, and a broken page costs its own alone") {
  Bench b;
  BrainReply const three =
      b.ask({"How large are small batches for review?", "colour of the moon base", "merge of lines"});
  REQUIRE_EQ(three.answers.size(), 3);
  CHECK_EQ(three.answers[1].question, "colour of the moon base");
  CHECK(three.answers[1].gap);
  CHECK_FALSE(three.answers[2].gap);
  auto const& book = b.books.all()[0];
  auto const* info = book.snapshot->find(book.grant, "brain/cycles/themes/giant-merge.md");
  std::string const hex = info->blob.hex();
  Bench fresh;  // nothing of it is read yet
  std::filesystem::remove(fresh.books.repo({"acme", "forge"}).path() / "objects" / hex.substr(0, 2) / hex.substr(2));
  BrainReply const broken = fresh.ask({"merge of lines", "How are batches reviewed?"});
  REQUIRE_EQ(broken.answers.size(), 2);
  CHECK(broken.answers[0].gap);
  CHECK_FALSE(broken.answers[1].gap);
  CHECK_FALSE(broken.warnings.empty());
}

TEST_CASE("an answer that names an absence is a gap, in both languages") {
  for (char const* text : {"There is no documentation on X.", "It is not documented.", "The tool doesn't have a UI.",
                           "没有记录这件事。", "资料中未提及。"}) {
    CAPTURE(text);
    CHECK(names_absence(text));
  }
  for (char const* text : {"Keys are documented.", "记录在案。", "The record has three parts."})
    CHECK_FALSE(names_absence(text));
  Books books;
  books.add({"acme", "forge"}, {{"brain/cycles/themes/rollback-plan.md",
                                 theme("Rollback plan", "operation", "The rollback plan is not documented.")}});
  BrainQuery query;
  query.questions = {"What is the rollback plan?"};
  query.scope = "cycles";
  BrainAnswer const answer = query_brain(books.all(), query).answers.at(0);
  CHECK_EQ(answer.confidence, "medium");
  CHECK(answer.gap);
}

TEST_CASE("each gap is one line of the cycle's file, numbered on, and the reader is patient") {
  Bench const b;
  BrainReply const reply =
      b.ask({"colour of the moon base", "How large are small batches for review?", "price of tea"});
  kb::TimePoint const now{std::chrono::seconds(1'800'000'000)};
  std::string const first = gap_lines(reply, "cycle-7", now, "");
  CHECK_EQ(std::count(first.begin(), first.end(), '\n'), 2);
  Json const line = Json::parse(first.substr(0, first.find('\n')));
  CHECK_EQ(line.value("gap_id", ""), "GAP-2027-01-15-001");
  CHECK_EQ(line.value("cycle_id", ""), "cycle-7");
  CHECK_EQ(line.value("query", ""), "colour of the moon base");
  CHECK_LT(line.value("confidence", 1.0), .5);
  CHECK_FALSE(line.value("resolved", true));
  CHECK_EQ(line.value("logged_at", ""), "2027-01-15T08:00:00Z");
  CHECK(gap_lines(reply, "cycle-7", now, first).find("-003\"") != std::string::npos);
  auto const gaps =
      parse_gaps(first + "\n{broken\n\n{\"gap_id\":\"G\",\"question\":\"old form\",\"resolved\":true}\n[]\n");
  REQUIRE_EQ(gaps.size(), 3);
  CHECK_EQ(gaps[2].query, "old form");
  CHECK(gaps[2].resolved);
  CHECK(parse_gaps("").empty());
}

TEST_CASE("events tell of start, each hit or gap, and the end, with references and no page text") {
  Bench const b;
  BrainReply const reply = b.ask({"How large are small batches for review?", "colour of the moon base"});
  std::string const lines = event_lines(reply, "cycle-7", kb::TimePoint{std::chrono::seconds(1'800'000'000)});
  std::istringstream in(lines);
  Texts messages;
  for (std::string line; std::getline(in, line);) {
    Json const event = Json::parse(line);
    messages.push_back(event.value("message", ""));
    CHECK_EQ(event.value("skill", ""), "brain-query");
    CHECK_EQ(event.value("cycle_id", ""), "cycle-7");
    CHECK_FALSE(event.value("event_id", "").empty());
  }
  CHECK(messages == Texts{"brain-query.start", "brain-query.hit", "brain-query.gap", "brain-query.end"});
  CHECK(lines.find("How large are small batches") != std::string::npos);
  CHECK(lines.find("brain/cycles/themes/small-batches.md") != std::string::npos);
  CHECK_EQ(lines.find("at most 200 lines"), std::string::npos);
}
