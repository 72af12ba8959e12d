#include "adapters/feishu/ladder.hpp"

#include <doctest/doctest.h>
#include <set>

using namespace kb;
using namespace kb::feishu;
using adapters::Sending;

namespace {

adapters::Reply reply(std::string message_id = "om_1", std::string thread = {}) {
  adapters::Reply r;
  r.key = "key";
  r.text = "answer";
  r.to.message_id = std::move(message_id);
  r.to.thread = std::move(thread);
  return r;
}

Sending tried(std::string form, std::string platform_id = {}, bool refused = false, int part = 0) {
  return {"key", part, std::move(form), TimePoint(std::chrono::seconds(9)), std::move(platform_id), refused};
}

}  // namespace

TEST_CASE("steps have words that read back") {
  for (auto const* word : {"card", "post", "text", "neutral", "card@chat", "post@chat", "text@chat", "neutral@chat"}) {
    CAPTURE(word);
    auto const step = parse_step(word);
    REQUIRE(step.has_value());
    CHECK_EQ(to_string(*step), word);
  }
  CHECK_FALSE(parse_step("").has_value());
  CHECK_FALSE(parse_step("@chat").has_value());
  CHECK_FALSE(parse_step("image").has_value());
}

TEST_CASE("a uuid is the same for the same part and step, and fits the platform") {
  std::set<std::string> all;
  for (auto const* key : {"a", "b"}) {
    for (int const part : {0, 1}) {
      for (auto const* word : {"card", "post", "text", "neutral", "card@chat"}) {
        std::string const uuid = uuid_of(key, part, *parse_step(word));
        CHECK_EQ(uuid, uuid_of(key, part, *parse_step(word)));
        CHECK_LE(uuid.size(), 50);
        all.insert(uuid);
      }
    }
  }
  CHECK_EQ(all.size(), 20);
}

TEST_CASE("where a reply goes on after a crash") {
  struct Row {
    std::vector<Sending> tried;
    char const* step;
    bool done;
    char const* why;
  };
  Row const rows[] = {
      {{}, "card", false, "nothing was tried"},
      {{tried("card")}, "card", false, "its outcome is unknown"},
      {{tried("card", "om_9")}, "card", true, "it is out"},
      {{tried("card", "", true), tried("post")}, "post", false, "the last form tried goes on"},
      {{tried("card", "", true), tried("post", "om_9")}, "post", true, "out in a lower form"},
      {{tried("card", "", true), tried("card@chat")}, "card@chat", false, "the question is gone"},
      {{tried("post", "", true), tried("card@chat", "", true)}, "post@chat", false, "lowest in form and way"},
      {{tried("card", "", true), tried("neutral", "om_9")}, "neutral", true, "the fixed sentence is out"},
      {{tried("card", "om_9"), tried("post", "", false, 1)}, "post", false, "a lower form says it all again"},
      {{tried("from a newer version")}, "card", false, "an unknown word is passed over"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.why);
    Ladder const ladder(reply(), row.tried);
    CHECK_EQ(to_string(ladder.step()), row.step);
    CHECK_EQ(ladder.next().has_value(), !row.done);
  }
}

TEST_CASE("the ladder ends below text, outside a thread, and after the fixed sentence") {
  Ladder ladder(reply(), {});
  CHECK(ladder.lower_form());
  CHECK(ladder.lower_form());
  CHECK_FALSE(ladder.lower_form());
  CHECK_EQ(to_string(ladder.step()), "text");
  CHECK(ladder.leave_question());
  CHECK_FALSE(ladder.leave_question());
  CHECK(ladder.say_neutral());
  CHECK_FALSE(ladder.say_neutral());
  CHECK_FALSE(ladder.lower_form());
  CHECK(ladder.part(0).content.find("内容检查") != std::string::npos);
  CHECK_EQ(ladder.part(0).msg_type, "text");

  Ladder threaded(reply("om_1", "omt_1"), {});
  CHECK_FALSE(threaded.leave_question());
  CHECK_EQ(to_string(Ladder(reply("menu_1"), {}).step()), "card@chat");
}

TEST_CASE("doubt is a try of this step that neither arrived nor was refused") {
  CHECK_FALSE(Ladder(reply(), {}).doubt(0).has_value());
  CHECK(Ladder(reply(), {tried("card")}).doubt(0) == TimePoint(std::chrono::seconds(9)));
  CHECK_FALSE(Ladder(reply(), {tried("card")}).doubt(1).has_value());
  CHECK_FALSE(Ladder(reply(), {tried("card", "", true)}).doubt(0).has_value());
  CHECK_FALSE(Ladder(reply(), {tried("card", "om_1")}).doubt(0).has_value());
  CHECK_FALSE(Ladder(reply(), {tried("card", "", true), tried("post", "", true)}).doubt(0).has_value());
  CHECK(Ladder(reply(), {tried("card", "", true)}).untouched());
  CHECK_FALSE(Ladder(reply(), {tried("card")}).untouched());
  CHECK_FALSE(Ladder(reply(), {tried("card", "om_1")}).untouched());
}
