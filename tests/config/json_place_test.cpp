#include "config/json_place.hpp"

#include <random>

#include "tests/config/scratch.hpp"

using kb::config::Fault;
using kb::config::Json;
using kb::config::parse_json;
using kb::test::Marked;

namespace {

constexpr std::string_view kSample = R"({
  "text": "a\"b\\ 中文 \u00e9 }],:",
  "numbers": [0, -17, 2.5e3, 9223372036854775807],
	"nested": {"empty": {}, "none": [], "yes": true, "no": false, "null": null},
  "deep": [[[{"x": [1]}]]]
})";

/// What parse_json promises for any bytes at all. Empty: kept; else what broke.
std::string broken_parse(std::string_view text);

std::string broken_value(Json const& json, std::string_view text) {
  if (json.begin >= json.end || json.end > text.size()) return "a value without a span";
  if (json.place.line < 1 || json.place.column < 1) return "a value without a place";
  std::vector<Fault> faults;
  std::optional<Json> const again = parse_json(text.substr(json.begin, json.end - json.begin), "span", faults);
  if (!again) return "a span that is no JSON: " + std::string(text.substr(json.begin, json.end - json.begin));
  if (again->type != json.type || again->text != json.text) return "a span that reads as another value";
  for (auto const& item : json.items) {
    if (std::string broken = broken_value(item, text); !broken.empty()) return broken;
  }
  for (auto const& member : json.members) {
    if (std::string broken = broken_value(member.value, text); !broken.empty()) return broken;
  }
  return {};
}

std::string broken_parse(std::string_view text) {
  std::vector<Fault> faults;
  std::optional<Json> const json = parse_json(text, "any.json", faults);
  if (!json && faults.empty()) return "nothing returned and no fault";
  int const lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (auto const& fault : faults) {
    if (fault.line < 1 || fault.line > lines) return "a fault outside the text: " + to_string(fault);
    if (fault.column < 1 || static_cast<std::size_t>(fault.column) > text.size() + 1) return "a column outside";
    if (fault.message.empty()) return "a fault without a message";
  }
  return json ? broken_value(*json, text) : std::string();
}

}  // namespace

TEST_CASE("every value knows its line, its column in bytes and its span") {
  std::vector<Fault> faults;
  std::optional<Json> const root = parse_json(kSample, "a.json", faults);
  REQUIRE(root);
  CHECK(faults.empty());
  CHECK_EQ(root->place, kb::config::Place{1, 1});
  REQUIRE_EQ(root->members.size(), 4);

  Json const& text = *root->find("text");
  CHECK_EQ(text.text, "a\"b\\ 中文 é }],:");
  CHECK_EQ(text.place, kb::config::Place{2, 11});
  CHECK_EQ(root->members[0].place, kb::config::Place{2, 3});

  Json const& numbers = *root->find("numbers");
  REQUIRE_EQ(numbers.items.size(), 4);
  CHECK_EQ(numbers.items[1].integer, -17);
  CHECK_EQ(numbers.items[1].place, kb::config::Place{3, 18});
  CHECK(numbers.items[2].type == Json::Type::real);
  CHECK_EQ(numbers.items[3].integer, 9223372036854775807);

  Json const& nested = *root->find("nested");
  CHECK_EQ(root->members[2].place, kb::config::Place{4, 2});  // a tab is one byte
  CHECK_EQ(kSample.substr(nested.begin, nested.end - nested.begin).back(), '}');
  CHECK(nested.find("yes")->boolean);
  CHECK(nested.find("null")->type == Json::Type::null);
  CHECK(nested.find("absent") == nullptr);
  CHECK_EQ(broken_parse(kSample), "");
}

TEST_CASE("a byte order mark and line ends of Windows move nothing") {
  std::vector<Fault> faults;
  std::optional<Json> const root = parse_json("\xEF\xBB\xBF{\"a\": 1,\r\n\"b\": 2}", "a.json", faults);
  REQUIRE(root);
  CHECK_EQ(root->find("a")->place, kb::config::Place{1, 7});
  CHECK_EQ(root->find("b")->place, kb::config::Place{2, 6});
}

TEST_CASE("whole numbers beyond 64 bits are real") {
  std::vector<Fault> faults;
  std::optional<Json> const root = parse_json("[9223372036854775808, -9223372036854775808]", "a.json", faults);
  REQUIRE(root);
  CHECK(root->items[0].type == Json::Type::real);
  CHECK_EQ(root->items[1].integer, std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("a syntax error says where it is, what it is and what to do") {
  struct Row {
    std::string_view text;  // § marks the place
    char const* message;
    char const* hint;
  };
  static Row const rows[] = {
      {"§", "unexpected end of input; expected '[', '{', or a literal", ""},
      {"{\n  \"a\": 1,\n§}", "unexpected '}'; expected string literal", "remove the comma before it"},
      {"[1,\n 2, §]", "unexpected ']'; expected '[', '{', or a literal", "remove the comma before it"},
      {"[1,§,2]", "unexpected ','; expected '[', '{', or a literal", ""},
      {"{\"a\": 1\n §\"b\": 2}", "unexpected string literal; expected '}'", "put a comma before it"},
      {"[1 §2]", "unexpected number literal; expected ']'", "put a comma before it"},
      {"[{} §{}]", "unexpected '{'; expected ']'", "put a comma before it"},
      {"{\"a\" §1}", "unexpected number literal; expected ':'", "put a colon between key and value"},
      {"{\"a\": §}", "unexpected '}'; expected '[', '{', or a literal", ""},
      {"{§a: 1}", "invalid literal; expected string literal", "put text and keys in double quotes"},
      {"{\"a\": §tru}", "invalid literal", "put text and keys in double quotes"},
      {"{§'a': 1}", "invalid literal; expected string literal", "use double quotes"},
      {"{§// note\n}", "invalid literal; expected string literal", "JSON has no comments: remove it"},
      {"{\"a\": 1} §x", "invalid literal; expected end of input", "put text and keys in double quotes"},
      {"{\"a\": 1}\n§{}", "unexpected '{'; expected end of input", ""},
      {"{\n\"a\": [1,\n2§", "unexpected end of input; expected ']'", "close the [ of line 2"},
      {"{\"a\": 1\n\n§", "unexpected end of input; expected '}'", "close the { of line 1"},
      {"{\"a\": \"open§\n}", "invalid string: control character U+000A (LF) must be escaped to \\u000A or \\n",
       "close the text with a double quote"},
      {"{\"a\": \"open§", "invalid string: missing closing quote", "close the text with a double quote"},
      {"{\"a\": \"\\§x\"}", "invalid string: forbidden character after backslash", ""},
      {"[0§1]", "unexpected number literal; expected ']'", ""},
      {"[§1e999]", "number out of range", ""},
      {"[1, \"中§\xFF\"]", "invalid string: ill-formed UTF-8 byte", "save the file as UTF-8"},
      {"[\"\xD6§\xD0\xCE\xC4\"]", "invalid string: ill-formed UTF-8 byte", "save the file as UTF-8"},
  };
  for (auto const& row : rows) {
    Marked const marked(row.text);
    CAPTURE(marked.text);
    std::vector<Fault> faults;
    CHECK_FALSE(parse_json(marked.text, "a.json", faults).has_value());
    REQUIRE_EQ(faults.size(), 1);
    CHECK_EQ(kb::test::place_of(faults[0]), marked.place);
    CHECK_EQ(faults[0].message, row.message);
    CHECK_EQ(faults[0].hint, row.hint);
    CHECK_EQ(faults[0].file, "a.json");
  }
}

TEST_CASE("a repeated key is a fault at its second place, and the first stays") {
  Marked const marked("{\"a\": 1,\n \"b\": {\"c\": 1, §\"c\": {\"d\": [2]}, \"e\": 3},\n \"f\": 4}");
  std::vector<Fault> faults;
  std::optional<Json> const root = parse_json(marked.text, "a.json", faults);
  REQUIRE(root);
  REQUIRE_EQ(faults.size(), 1);
  CHECK_EQ(kb::test::place_of(faults[0]), marked.place);
  CHECK_EQ(faults[0].message, "key \"c\" stands twice in this object");
  CHECK_EQ(faults[0].hint, "remove one; the first is in line 2");
  CHECK_EQ(root->find("b")->find("c")->integer, 1);
  CHECK_EQ(root->find("b")->find("e")->integer, 3);
  CHECK_EQ(root->find("f")->integer, 4);
}

TEST_CASE("nesting is bounded, so that no file can exhaust the stack") {
  std::vector<Fault> faults;
  CHECK(parse_json(std::string(32, '[') + std::string(32, ']'), "a.json", faults).has_value());
  CHECK(faults.empty());
  CHECK_FALSE(parse_json(std::string(1'000'000, '['), "a.json", faults).has_value());
  REQUIRE_EQ(faults.size(), 1);
  CHECK_EQ(kb::test::place_of(faults[0]), kb::config::Place{1, 33});
  CHECK_EQ(faults[0].message, "nested more than 32 levels deep");
}

TEST_CASE("every truncation of a sound file is one placed fault") {
  for (std::size_t size = 0; size < kSample.size(); ++size) {
    CAPTURE(size);
    std::string_view const text = kSample.substr(0, size);
    std::vector<Fault> faults;
    CHECK_FALSE(parse_json(text, "a.json", faults).has_value());
    CHECK_EQ(faults.size(), 1);
    CHECK_EQ(broken_parse(text), "");
  }
}

TEST_CASE("whatever the bytes, the reader returns values with true spans or faults with places") {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string text(kSample);
    constexpr std::string_view kBytes = "{}[]\",:\\/0189.eE+-tfn \n\t\r\xEF\xBB\xBF\xFF\xE4";
    for (auto edits = random() % 4 + 1; edits > 0; --edits) {
      auto const at = random() % text.size();
      char const byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, random() % 5 + 1);
      }
    }
    REQUIRE_EQ(broken_parse(text), "");
  }
}

TEST_CASE("the nearest known word is found by edits, swaps and case") {
  static constexpr std::array<std::string_view, 6> kKnown{"team_id", "team_ids", "name", "kind", "sync_seconds", "ref"};
  struct Row {
    std::string_view word;
    std::string_view want;
    char const* why;
  };
  static constexpr Row rows[] = {
      {"tema_id", "team_id", "a swap"},
      {"teamid", "team_id", "a letter missing"},
      {"Team_ID", "team_id", "case"},
      {"team_idss", "team_ids", "the nearer of two"},
      {"sync_second", "sync_seconds", "one short"},
      {"sync_secs", "sync_seconds", "three letters of twelve"},
      {"nam", "name", "the end missing"},
      {"knd", "kind", "one of three letters"},
      {"rev", "ref", "one of three letters"},
      {"owner", "", "nothing is near"},
      {"x", "", "a single letter is near to nothing here"},
      {"", "", "empty"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.word);
    CAPTURE(row.why);
    CHECK_EQ(kb::config::nearest(row.word, kKnown), row.want);
  }
  CHECK_EQ(kb::config::nearest(std::string(100'000, 'a'), kKnown), "");
  CHECK_EQ(kb::config::did_you_mean("nmae", kKnown), "did you mean \"name\"?");
  CHECK_EQ(kb::config::did_you_mean("owner", kKnown), "");
}

TEST_CASE("a fault prints as file, line, column, message and hint, as far as they are known") {
  CHECK_EQ(to_string(Fault{"users.json", 3, 9, "unknown key \"tema_id\"", "did you mean \"team_id\"?"}),
           "users.json:3:9: unknown key \"tema_id\" (did you mean \"team_id\"?)");
  CHECK_EQ(to_string(Fault{"users.json", 3, 0, "broken", ""}), "users.json:3: broken");
  CHECK_EQ(to_string(Fault{"users.json", 0, 0, "missing", ""}), "users.json: missing");
}
