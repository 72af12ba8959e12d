#include "adapters/feishu/render.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/feishu/escape.hpp"

using namespace kb;
using namespace kb::feishu;

namespace {

using Json = nlohmann::json;

constexpr char const* kUrl = "https://git.example/o/r/src/commit/c/notes/leave.md#L3-L9";

adapters::Reply answered() {
  adapters::Reply out;
  out.query_id = "q-1";
  out.outcome = "answered";
  out.text = std::string("> 年假按入职年限计算。 [1]\n\n来源：\n1. 《员工手册》（团队知识库）") + kUrl;
  out.sources_json = Json::array({{{"title", "员工手册"},
                                   {"owner", "o"},
                                   {"repo", "r"},
                                   {"path", "notes/leave.md"},
                                   {"url", kUrl},
                                   {"lines", {3, 9}},
                                   {"changed_at", "2026-10-01T18:30:00Z"}}})
                         .dump();
  out.details_json = R"({"confidence":"high","stale_files":[]})";
  return out;
}

adapters::Reply said(std::string text) {
  adapters::Reply out;
  out.outcome = "answered";
  out.text = std::move(text);
  return out;
}

Json only_card(adapters::Reply const& reply, Votes const& votes = {}) {
  std::vector<Part> const parts = render(Form::card, reply, votes);
  REQUIRE(parts.size() == 1);
  return Json::parse(parts[0].content);
}

Json element(Json const& card, std::string const& id) {
  for (Json const& one : card["body"]["elements"]) {
    if (one.value("element_id", "") == id) return one;
  }
  return nullptr;
}

std::string body_of(std::string text) { return element(only_card(said(std::move(text))), "answer")["content"]; }

Json vote_button(char const* vote, char const* label, char const* type) {
  Json out = Json::parse(R"({"tag":"button","size":"small","behaviors":[{"type":"callback"}]})");
  out["element_id"] = std::string("vote_") + vote;
  out["type"] = type;
  out["text"] = {{"tag", "plain_text"}, {"content", label}};
  out["behaviors"][0]["value"] = {{"kind", "feedback"}, {"vote", vote}, {"query_id", "q-1"}};
  return Json{{"tag", "column"}, {"width", "auto"}, {"elements", Json::array({out})}};
}

}  // namespace

TEST_CASE("an answer is a calm card: words, sources, facts, votes") {
  Json expected = Json::parse(R"({"schema":"2.0","config":{"update_multi":true,
    "summary":{"content":"年假按入职年限计算。 [1]"}},"body":{"elements":[
    {"tag":"markdown","element_id":"answer","content":"> 年假按入职年限计算。 &#91;1&#93;"},
    {"tag":"hr"},
    {"tag":"markdown","element_id":"sources","text_size":"notation"},
    {"tag":"markdown","element_id":"facts","text_size":"notation",
     "content":"<font color='grey'>置信度：高 · 来源未标记过时</font>"},
    {"tag":"column_set","element_id":"votes"}]}})");
  Json& elements = expected["body"]["elements"];
  elements[2]["content"] =
      std::string("**来源：**\n1. [《员工手册》](") + kUrl + ")（团队知识库） · 第 3–9 行 · 更新于 2026-10-02";
  elements[4]["columns"] =
      Json::array({vote_button("up", "👍 有用", "default"), vote_button("down", "👎 没用", "default")});
  CHECK(only_card(answered()) == expected);
}

TEST_CASE("an English answer has English labels") {
  adapters::Reply reply = answered();
  reply.text = std::string("> Leave grows with the years. [1]\n\nSources:\n1. 《Handbook》（团队知识库）") + kUrl;
  reply.details_json = R"({"confidence":"medium","stale_files":["notes/leave.md"]})";
  Json const card = only_card(reply, {.mine = "down"});
  std::string const sources = element(card, "sources")["content"];
  CHECK(sources.starts_with("**Sources:**\n1. [《Handbook》]("));
  CHECK(sources.ends_with(" · lines 3–9 · changed 2026-10-02"));
  CHECK(element(card, "facts")["content"] ==
        "<font color='grey'>Confidence: medium · ⚠ a source is marked as outdated</font>");
  CHECK(element(card, "votes")["columns"] ==
        Json::array({vote_button("up", "👍 Helpful", "default"), vote_button("down", "👎 Not helpful", "primary")}));
  CHECK(element(card, "recorded")["content"] == "Recorded: Not helpful");
}

TEST_CASE("only answers can be voted on") {
  for (auto const& [outcome, query_id, votable] :
       std::vector<std::tuple<std::string, std::string, bool>>{{"answered", "q-1", true},
                                                               {"insufficient", "q-1", true},
                                                               {"answered", "", false},  // a command
                                                               {"no_answer", "q-1", false},
                                                               {"scope_refused", "q-1", false},
                                                               {"error", "q-1", false}}) {
    CAPTURE(outcome);
    CAPTURE(query_id);
    adapters::Reply reply = answered();
    reply.outcome = outcome;
    reply.query_id = query_id;
    Json const card = only_card(reply, {.mine = "up"});
    CHECK(element(card, "votes").is_null() != votable);
    CHECK(element(card, "facts").is_null() != votable);
    CHECK(element(card, "recorded").is_null() != votable);
    CHECK_FALSE(element(card, "sources").is_null());
  }
}

TEST_CASE("a source without a web address we trust is no link") {
  adapters::Reply reply = answered();
  for (char const* const url : {"http://git.example/x", "javascript:alert(1)", ""}) {
    CAPTURE(url);
    Json sources = Json::parse(reply.sources_json);
    sources[0]["url"] = url;
    reply.sources_json = sources.dump();
    std::string const link = *url == '\0' ? "o/r:notes/leave.md#L3-L9" : url;
    reply.text = "> a [1]\n\n来源：\n1. 《员工手册》（团队知识库）" + link;
    std::string const content = element(only_card(reply), "sources")["content"];
    CHECK(content.find("](") == std::string::npos);
    CHECK(content.find(link) != std::string::npos);
    CHECK(content.ends_with(" · 更新于 2026-10-02"));
  }
  reply.sources_json = "no JSON";
  CHECK(element(only_card(reply), "sources")["content"].get<std::string>().find("员工手册") != std::string::npos);
}

TEST_CASE("structure becomes markup of ours, words do not") {
  struct {
    char const* text;
    char const* shown;
    char const* why;
  } const cases[] = {
      {"> a\n> b", "> a\n> b", "a quote"},
      {"> a\n\n> b", "> a\n\n> b", "two quotes"},
      {"> a\nb", "> a\n\nb", "our words do not go on in a quote"},
      {"* a\n  + b\n- c", "- a\n    - b\n- c", "items"},
      {"1. a\n2. b", "1. a\n2. b", "numbers that count"},
      {"3. a", "3\u200B. a", "a list would begin with its own number"},
      {"# a *b*", "**a &#42;b&#42;**", "a heading"},
      {"**a** _b_ `c` ~d~", "&#42;&#42;a&#42;&#42; &#95;b&#95; &#96;c&#96; &#126;d&#126;", "marks of a page"},
      {"[a](https://evil.example)", "&#91;a&#93;&#40;https://evil.example)", "a link of a page"},
      {"<at id=all></at> @all", "&#60;\u200Bat id=all&#62;&#60;\u200B/at&#62; @\u200Ball", "a mention of a page"},
      {"&lt; AT&T &", "&#38;lt; AT&#38;T &", "entities of a page"},
      {"---", "\u200B---", "a rule of a page"},
      {"| a | b |\n|---|---|\n| c\\|d | *e* | [1]", "| a | b |\n| --- | --- |\n| c&#124;d | &#42;e&#42; &#91;1&#93; |",
       "a table"},
      {"| a | b |", "&#124; a &#124; b &#124;", "one row is no table"},
      {"> ```py\n>   x = *y\n> ```", "```py\n  x = *y\n```", "code as it stands"},
      {"~~~\n```\n~~~", "````\n```\n````", "a fence longer than any inside"},
      {"```\n<at id=all></at>\n```", "```\n<\u200Bat id=all><\u200B/at>\n```", "not even in code"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.why);
    CHECK(body_of(c.text) == c.shown);
  }
}

TEST_CASE("a card has three tables at most; the others are lists") {
  std::string text;
  for (int i = 0; i < 5; ++i) text += "| h | i |\n|---|---|\n| a | b |\n\n";
  std::string const body = body_of(text);
  std::size_t tables = 0;
  for (auto at = body.find("| ---"); at != body.npos; at = body.find("| ---", at + 8)) ++tables;
  CHECK(tables == 3);
  CHECK(body.ends_with("- **h** &#124; **i**\n- a &#124; b"));
}

TEST_CASE("sources and votes stand on the last part alone") {
  adapters::Reply reply = answered();
  std::string body;
  for (int i = 0; i < 4000; ++i) body += "> 第 " + std::to_string(i) + " 段。\n\n";
  reply.text = body + reply.text;
  std::vector<Part> const parts = render(Form::card, reply);
  REQUIRE(parts.size() > 2);
  for (Part const& part : parts) {
    Json const card = Json::parse(part.content);
    bool const last = &part == &parts.back();
    CHECK(element(card, "votes").is_null() != last);
    CHECK(element(card, "sources").is_null() != last);
    CHECK(Json(part.content).dump().size() < 28'000);
  }
}

TEST_CASE("rich text has each paragraph alone, plain text is the text") {
  std::vector<Part> const posts = render(Form::post, answered());
  REQUIRE(posts.size() == 1);
  Json const content = Json::parse(posts[0].content)["zh_cn"]["content"];
  REQUIRE(content.size() == 3);
  CHECK(content[0] == Json::array({{{"tag", "md"}, {"text", "> 年假按入职年限计算。 &#91;1&#93;"}}}));
  CHECK(content[2] == Json::array({{{"tag", "md"}, {"text", "置信度：高 · 来源未标记过时"}}}));
  std::vector<Part> const texts = render(Form::text, answered());
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].msg_type == "text");
  CHECK(Json::parse(texts[0].content) == Json{{"text", answered().text}});
}

TEST_CASE("plain text pings nobody and links nowhere") {
  struct {
    char const* text;
    char const* shown;
  } const cases[] = {
      {"<at user_id=\"all\"></at>", "<\u200Bat user_id=\"all\"><\u200B/at>"},
      {"< / AT>", "<\u200B / AT>"},
      {"<b>a</b> <bold> a<b", "<\u200Bb>a<\u200B/b> <bold> a<\u200Bb"},
      {"[a](https://evil.example)", "[a]\u200B(https://evil.example)"},
      {"@all @_all x@all.example @allow", "@\u200Ball @\u200B_all x@all.example @allow"},
      {"a < c, d > e", "a < c, d > e"},
  };
  for (auto const& c : cases) CHECK(escape_plain(c.text) == c.shown);
}

TEST_CASE("a link's target cannot end early") {
  CHECK(link_target("https://a.example/b?c=1&d=%20#L3-L9") == "https://a.example/b?c=1&d=%20#L3-L9");
  CHECK(link_target("https://a.example/(x) [y]_é") == "https://a.example/%28x%29%20%5By%5D%5F%C3%A9");
  for (char const* const url : {"", "https://", "http://a.example", "ftp://a.example", "https://a.example/\n"}) {
    CHECK(link_target(url).empty());
  }
  CHECK(link_target("https://a.example/" + std::string(2000, 'x')).empty());
}

TEST_CASE("bytes that are no text are replaced, not refused") {
  CHECK(clean_text("a\xFF\xC0\x80z") == "a\uFFFD\uFFFD\uFFFDz");
  CHECK(clean_text("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(clean_text(std::string_view("a\0\r\x1B\x7F\tb\n", 8)) == "a\tb\n");
  for (Form const form : {Form::card, Form::post, Form::text}) {
    adapters::Reply reply = said("\xE6\xB1 \xF0\x9F");
    reply.query_id = "\xFF";
    CHECK_FALSE(render(form, reply).empty());
    CHECK(render(form, said("")).size() == 1);
  }
}

TEST_CASE("a vote is answered with a toast and the card anew") {
  Json const out = Json::parse(vote_answer(answered(), {.mine = "up"}));
  CHECK(out["toast"] == Json{{"type", "success"}, {"content", "已记录：有用"}});
  CHECK(out["card"]["type"] == "raw");
  CHECK(out["card"]["data"] == only_card(answered(), {.mine = "up"}));
  CHECK(element(out["card"]["data"], "recorded")["content"] == "已记录：有用");
  CHECK(Json::parse(toast_answer("error", "\"稍后\"")) ==
        Json{{"toast", {{"type", "error"}, {"content", "\"稍后\""}}}});
}

TEST_CASE("the greeting says what an admin does next") {
  CHECK(greeting_text().find("/bind") != std::string::npos);
}
