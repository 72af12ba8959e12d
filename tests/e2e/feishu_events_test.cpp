// Every sample event of Feishu, through the built program: acknowledged, and answered as often as it should be.
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/e2e/feishu_tenant.hpp"

namespace kb::test {
namespace {

Json sample(std::string const& file) {
  std::ifstream in(KB_SOURCE_DIR "/tests/feishu/events/" + file);
  return Json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

struct Expected {
  std::string file;
  int replies;
  std::string why;
};

// In the order they are sent: an edit and a client's repeat follow what they repeat.
std::vector<Expected> const kEvents{
    {"text_p2p.json", 1, "a private message"},
    {"text_p2p_specials.json", 1, "newlines, quotes, markup, emoji"},
    {"text_p2p_sender_without_user_id.json", 1, "open_id is enough"},
    {"text_p2p_null_user_id.json", 1, "null is no error"},
    {"text_group_at_bot.json", 1, "mentioned"},
    {"text_group_at_bot_middle.json", 1, "mentioned in the middle"},
    {"text_group_at_bot_and_user.json", 1, "mentioned beside a person"},
    {"text_group_at_user_only.json", 0, "somebody else is mentioned"},
    {"text_group_eleven_mentions.json", 1, "the first of eleven"},
    {"text_group_no_mention.json", 0, "not mentioned"},
    {"text_group_at_all.json", 0, "everybody is not the bot"},
    {"text_group_at_all_with_entry.json", 0, "everybody is not the bot"},
    {"text_group_only_mention.json", 1, "nothing but the mention gets help"},
    {"text_group_external_tenant.json", 1, "refused with a sentence"},
    {"text_group_from_other_bot.json", 0, "bots are not answered"},
    {"text_group_from_other_app.json", 0, "bots are not answered"},
    {"text_group_self_echo.json", 0, "our own message"},
    {"post_group_at_bot.json", 1, "rich text"},
    {"post_p2p.json", 1, "rich text with a video"},
    {"image_p2p.json", 1, "text only, please"},
    {"file_p2p.json", 1, "text only, please"},
    {"audio_p2p.json", 1, "text only, please"},
    {"sticker_p2p.json", 1, "text only, please"},
    {"merge_forward_p2p.json", 1, "text only, please"},
    {"reply_quote_group_at_bot.json", 1, "a quote reply"},
    {"reply_in_thread_group_at_bot.json", 1, "in a thread"},
    {"reply_in_thread_group_no_mention.json", 0, "not mentioned"},
    {"topic_group_new_topic_at_bot.json", 1, "a new topic"},
    {"topic_group_reply_without_thread_id.json", 1, "a topic's reply without its thread"},
    {"edited_message.json", 1, "the same message id: the answer it has"},
    {"client_retry_new_message_id.json", 0, "the same message again under another id"},
    {"chat_updated_name.json", 0, "a new name"},
    {"message_read.json", 0, "a read receipt"},
    {"reaction_created.json", 0, "a reaction"},
    {"bot_p2p_chat_entered.json", 0, "somebody opened the chat"},
    {"card_action_button.json", 0, "a click"},
    {"card_action_string_value.json", 0, "a click"},
    {"card_action_form.json", 0, "a form"},
    {"unknown_event_type.json", 0, "nobody knows it"},
    {"message_recalled.json", 0, "a question taken back"},
};

}  // namespace

TEST_CASE("Feishu: every sample event is acknowledged, and answered as often as it should be") {
  Tenant t;
  t.w.configure([](Json& config) {
    config["limits"]["questions_per_user_per_minute"] = 0;
    config["limits"]["chat_queue"] = 100;
  });
  t.start();
  std::size_t sent = 0;
  for (Expected const& e : kEvents) {
    t.act("event", {{"file", e.file}});
    ++sent;
    CAPTURE(e.file);
    REQUIRE(t.comes([&] { return t.platform.count("settled") == sent; }));
  }
  std::map<std::string, int> expected;
  for (Expected const& e : kEvents) {
    std::string const id = sample(e.file).value("/event/message/message_id"_json_pointer, e.file);
    expected[id] = std::max(expected[id], e.replies);
  }
  std::size_t total = 0;
  for (auto const& [id, count] : expected) total += static_cast<std::size_t>(count);
  CHECK(t.replies(total));

  // What is left comes without a message to answer: a click in the menu, and the group's comings and goings.
  t.act("event", {{"file", "bot_added_to_group.json"}});
  CHECK(t.replies(total + 1));
  for (char const* file :
       {"bot_menu.json", "bot_removed_from_group.json", "chat_disbanded.json", "interactive_group_at_bot.json"}) {
    t.act("event", {{"file", file}});
    ++sent;
  }
  ++sent;
  CHECK(t.comes([&] { return t.platform.count("settled") == sent; }));
  CHECK_EQ(t.stop(), 0);

  std::map<std::string, int> got;
  for (Json const& message : t.read("messages")) ++got[message.value("parent_id", "")];
  for (Expected const& e : kEvents) {
    CAPTURE(e.file);
    CAPTURE(e.why);
    std::string const id = sample(e.file).value("/event/message/message_id"_json_pointer, e.file);
    CHECK_EQ(got[id], expected[id]);
  }
  CHECK_EQ(t.read("violations"), Json::array());
  for (Json const& settled : t.read("settled")) {
    CAPTURE(settled.dump());
    CHECK_EQ(settled.value("status", ""), "acked");
  }
}

}  // namespace kb::test
