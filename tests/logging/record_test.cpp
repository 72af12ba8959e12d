#include "logging/record.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <random>
#include <set>

#include "tests/logging/journal_fixture.hpp"
#include "tests/logging/log_line_property.hpp"

using namespace kb;
using namespace kb::logging;
using test::record;

TEST_CASE("a record's line has the form of the seed, in UTC+8") {  // N-23
  auto r = record("Q1");
  CHECK_EQ(log_line(r),
           "- `2026-01-01 08:00:10` **query** | user=ou_1 scope=team | 上周定了什么？ | "
           "hits=projects/atlas/decisions.md, index.md");
  r.time = "2026-12-31T23:30:00Z";
  r.scope = "both";
  r.question = "what was decided?";
  r.hits = {"a.md"};
  CHECK_EQ(log_line(r), "- `2027-01-01 07:30:00` **query** | user=ou_1 scope=both | what was decided? | hits=a.md");
  r.hits.clear();  // S1-54
  CHECK_EQ(log_line(r), "- `2027-01-01 07:30:00` **query** | user=ou_1 scope=both | what was decided?");
}

TEST_CASE("whatever a question holds, its line is one and says what it was") {
  struct Row {
    std::string question;
    std::string_view want;
    std::string_view why;
  };
  Row const rows[] = {
      {"a\nb\r\nc\td", R"(a\nb\r\nc\td)", "line breaks and tab"},
      {"a | hits=x.md", R"(a \| hits=x.md)", "a made-up hits part"},
      {R"(back\slash\|n)", R"(back\\slash\\\|n)", "escapes in the question"},
      {"- `2026` **query**", R"(- \`2026\` **query**)", "a made-up line"},
      {std::string("\0\x1b[31m\x7f", 7), R"(\u0000\u001b[31m\u007f)", "terminal escapes"},
      {"\u0085\u2028\u2029\u009b", R"(\u0085\u2028\u2029\u009b)", "line ends beyond ASCII, C1"},
      {"\u202eexe.fdp\u202c\u2066x\u2069\u200f\u061c\ufeff", R"(\u202eexe.fdp\u202c\u2066x\u2069\u200f\u061c\ufeff)",
       "bidi and invisible"},
      {"👩‍🔬 é 中文", "👩‍🔬 é 中文", "joined emoji and letters stay"},
      {"\xff\xc3(\xed\xa0\x80\xf5\xc0\xaf", "\ufffd\ufffd(\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd",
       "bytes that are no UTF-8"},
      {"\xe4\xb8", "\ufffd\ufffd", "cut off inside a character"},
      {"", "", "empty"},
      {" x ", " x ", "spaces at the ends"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    auto r = record("Q1");
    r.question = row.question;
    r.hits.clear();
    CHECK_EQ(log_line(r), "- `2026-01-01 08:00:10` **query** | user=ou_1 scope=team | " + std::string(row.want));
  }
}

TEST_CASE("users, scopes and paths cannot break a line either") {
  auto r = record("Q1");
  r.open_id = "a scope=both | x";
  r.hits = {"a, b.md", "c|d`.md", "e\nf.md"};
  CHECK_EQ(log_line(r), R"(- `2026-01-01 08:00:10` **query** | user=a\u0020scope=both\u0020\|\u0020x scope=team | )"
                        R"(上周定了什么？ | hits=a\, b.md, c\|d\`.md, e\nf.md)");
  CHECK_EQ(test::broken_log_line(r), "");
  r.time = "not a time`\n";
  CHECK(log_line(r).starts_with(R"(- `not a time\`\n` **query** | )"));
}

TEST_CASE("undoing the escapes of any line gives the fields back") {
  std::mt19937 random(20260101);
  std::vector<std::string> const pieces{
      "a", "中", " ",   " | ",   "|",     "\\",     "`",      "\n",          "\r",   "\t",    ", ",
      ",", "=",  "\\n", "hits=", "user=", "\u202e", "\u2028", "👩‍🔬", "\x01", "u0041", "\\u0041"};
  auto const text = [&] {
    std::string out;
    for (auto left = random() % 8; left > 0; --left) out += pieces[random() % pieces.size()];
    return out;
  };
  for (int round = 0; round < 20'000; ++round) {
    auto r = record("Q1");
    r.question = text();
    r.open_id = text();
    r.scope = text();
    r.hits.assign(random() % 3, "");
    for (auto& path : r.hits) path = text();
    CAPTURE(log_line(r));
    REQUIRE_EQ(test::broken_log_line(r), "");
  }
}

TEST_CASE("a record goes through JSON and back, in the order of the contract") {
  auto r = record("Q1");
  r.question = "引号 \" 反斜杠 \\ 换行 \n";
  r.gap = true;
  chain(r, "before");
  std::string const json = to_json(r);
  CHECK(json.starts_with(R"({"record_id":")"));
  CHECK(json.find(R"("gap":true,"took_us":402,"prev":"before","hash":")") != json.npos);
  auto const back = parse_record(json);
  REQUIRE(test::succeeds(back));
  CHECK_EQ(to_json(*back), json);
  CHECK(hash_fits(*back));
}

TEST_CASE("what became of a model's sentences is part of the record; without any the record does not name them") {
  auto r = record("Q1");
  chain(r, "before");
  CHECK(to_json(r).find("claims") == std::string::npos);
  r.claims = {{"甲。", "verbatim", "none", "said", {"a.md"}}, {"", "absent", "number", "dropped", {"b.md", "c.md"}}};
  chain(r, "before");
  std::string const json = to_json(r);
  CHECK(
      json.find(
          R"("prev":"before","claims":[{"text":"甲。","verdict":"verbatim","guard":"none","fate":"said","paths":["a.md"]})") !=
      json.npos);
  auto const back = parse_record(json);
  REQUIRE(test::succeeds(back));
  CHECK_EQ(to_json(*back), json);
  CHECK(hash_fits(*back));
  r.claims[1].fate = "said";
  CHECK_FALSE(hash_fits(r));
}

TEST_CASE("the hash is SHA-256 over sorted, compact JSON without the hash") {
  QueryRecord r;
  r.record_id = "r";
  r.question = "中\x7f\n";
  chain(r, "p");
  // printf '%s' '{"chat_id":…}' | sha256sum, with the object as json.dumps(sort_keys=True, ensure_ascii=False) gives it
  CHECK_EQ(r.hash, "e008adaa57e5c34fe5bc0938ca60fcaac334cef48aee4a6eae7911afa9f00fdb");
}

TEST_CASE("bytes that are no UTF-8 do not break the chain") {
  auto r = record("Q1");
  r.question = "\xff\xfe";
  chain(r, "");
  auto const back = parse_record(to_json(r));
  REQUIRE(test::succeeds(back));
  CHECK(hash_fits(*back));
}

TEST_CASE("a change of any field shows in the hash") {
  std::function<void(QueryRecord&)> const changes[] = {
      [](auto& r) { r.record_id += 'x'; },  [](auto& r) { r.query_id += 'x'; },   [](auto& r) { r.time += 'x'; },
      [](auto& r) { r.repo.owner += 'x'; }, [](auto& r) { r.repo.repo += 'x'; },  [](auto& r) { r.open_id += 'x'; },
      [](auto& r) { r.chat_type += 'x'; },  [](auto& r) { r.chat_id += 'x'; },    [](auto& r) { r.scope += 'x'; },
      [](auto& r) { r.question += 'x'; },   [](auto& r) { r.outcome += 'x'; },    [](auto& r) { r.hits.pop_back(); },
      [](auto& r) { r.commit += 'x'; },     [](auto& r) { r.confidence += 'x'; }, [](auto& r) { r.gap = !r.gap; },
      [](auto& r) { ++r.took_us; },         [](auto& r) { r.prev += 'x'; },       [](auto& r) { r.hash[0] ^= 1; },
  };
  for (auto const& change : changes) {
    auto r = record("Q1");
    chain(r, "p");
    REQUIRE(hash_fits(r));
    change(r);
    CHECK_FALSE(hash_fits(r));
  }
}

TEST_CASE("what is no record is refused with the reason") {
  for (auto const* text : {"", "{", "[]", "{}", R"({"record_id":1})", "null", "\xff"}) {
    CAPTURE(text);
    auto const parsed = parse_record(text);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().code == Errc::invalid_input);
    CHECK_FALSE(parsed.error().what.empty());
  }
}

TEST_CASE("a ULID is its time and its randomness, in sorting order") {
  CHECK_EQ(ulid(TimePoint(std::chrono::milliseconds(1469918176385)), 0, 0), "01ARYZ6S410000000000000000");
  CHECK_EQ(ulid(TimePoint(std::chrono::milliseconds(1469918176385)), 0xFFFF, ~0ull), "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
  CHECK_EQ(ulid(TimePoint{}, 0, 1), "00000000000000000000000001");
  CHECK_EQ(ulid(TimePoint{}, 1, 0), "0000000000000G000000000000");
  CHECK_LT(ulid(test::at_second(1), 0xFFFF, ~0ull), ulid(test::at_second(2), 0, 0));
}

TEST_CASE("query ids are new each time") {
  SystemClock const clock;
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(new_query_id(clock));
  CHECK_EQ(ids.size(), 1000);
  CHECK_EQ(ids.begin()->size(), 26);
}

TEST_CASE("a UUID of version 5 depends on its name alone and never changes") {
  std::string const id = uuid5("bridge/main/oc_1/ou_1/m1");
  CHECK_EQ(id, "a8fa338d-c20b-505e-bceb-c88807991f6e");
  CHECK_EQ(id[14], '5');
  CHECK(std::string("89ab").find(id[19]) != std::string::npos);
  CHECK_NE(id, uuid5("bridge/main/oc_1/ou_1/m2"));
}

TEST_CASE("record ids differ by query and by repository") {
  std::set<std::string> const ids{record_id("Q1", {"a", "b"}), record_id("Q1", {"a", "c"}), record_id("Q2", {"a", "b"}),
                                  record_id("Q1 a", {"", "b"}), record_id("Q1", {"", "a/b"})};
  CHECK_EQ(ids.size(), 5);
  CHECK_EQ(record_id("Q1", {"a", "b"}), record_id("Q1", {"a", "b"}));
}
