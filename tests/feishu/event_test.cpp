#include "adapters/feishu/event.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

using namespace kb;
using namespace kb::feishu;

namespace {

using Json = nlohmann::json;

constexpr char const* kBot = "ou_b0700000000000000000000000000b07";
constexpr char const* kAnna = "ou_a11ce000000000000000000000000001";
constexpr char const* kBen = "ou_b0b00000000000000000000000000002";
constexpr char const* kDirect = "oc_5e1f0000000000000000000000000001";
constexpr char const* kGroup = "oc_96000000000000000000000000000001";
constexpr char const* kTopics = "oc_70b1c000000000000000000000000001";

Identity const us{.app_id = "cli_a1b2c3d4e5f60718", .open_id = kBot};

std::filesystem::path folder() { return std::filesystem::path(KB_SOURCE_DIR) / "tests/feishu/events"; }

std::string read(std::string const& name) {
  std::ifstream in(folder() / (name + ".json"), std::ios::binary);
  REQUIRE_MESSAGE(in.good(), name);
  return {std::istreambuf_iterator<char>(in), {}};
}

Event parsed(std::string const& json) {
  Result<Event> event = parse_event(json, us);
  REQUIRE_MESSAGE(event.has_value(), event.error().what);
  return *event;
}

std::string fault_of(Json const& json) {
  Result<Event> const event = parse_event(json.dump(), us);
  REQUIRE_FALSE(event.has_value());
  CHECK(event.error().code == Errc::invalid_input);
  return event.error().what;
}

using Kind = Incoming::Kind;

struct MessageCase {
  char const* file;
  Kind kind;
  char const* text;
  char const* chat;
  bool direct;
  bool mentioned;
  char const* thread;
  bool external;
  char const* why;
};

MessageCase const kMessages[] = {
    {"text_p2p", Kind::question, "年假怎么申请？", kDirect, true, false, "", false, "a direct message"},
    {"text_p2p_specials", Kind::question,
     "第一行\n第二行 \"引号\" \\反斜杠 <b>不是标签</b> & 🧑‍🚀🇨🇳 "
     "[手册](https://example.invalid/a?b=1&c=2)",
     kDirect, true, false, "", false, "nothing of a text is changed"},
    {"text_p2p_sender_without_user_id", Kind::question, "只有 open_id 和 union_id 的发送者", kDirect, true, false, "",
     false, "the open_id is enough"},
    {"text_p2p_null_user_id", Kind::question, "user_id 是 null", kDirect, true, false, "", false, "null is absent"},
    {"client_retry_new_message_id", Kind::question, "年假怎么申请？", kDirect, true, false, "", false,
     "told apart by client_create_ms, not here"},
    {"text_group_at_bot", Kind::question, "VPN 连不上怎么办？", kGroup, false, true, "", false, "placeholder stripped"},
    {"text_group_at_bot_middle", Kind::question, "麻烦 看一下发票抬头", kGroup, false, true, "", false, "one blank"},
    {"text_group_at_bot_and_user", Kind::question, "请把报销流程发给 @韩梅梅", kGroup, false, true, "", false,
     "others keep their names"},
    {"text_group_at_user_only", Kind::question, "@韩梅梅 下午开会", kGroup, false, false, "", false, "not us"},
    {"text_group_eleven_mentions", Kind::question,
     "通知 @成员2 @成员3 @成员4 @成员5 @成员6 @成员7 @成员8 @成员9 @成员10 @成员11 参加培训", kGroup, false, true, "",
     false, "@_user_1 does not stand in @_user_10"},
    {"text_group_no_mention", Kind::question, "今天食堂有什么？", kGroup, false, false, "", false, "not us"},
    {"text_group_at_all", Kind::question, "@_all 明天十点停机维护", kGroup, false, false, "", false, "all is not us"},
    {"text_group_at_all_with_entry", Kind::question, "@所有人 明天十点停机维护", kGroup, false, false, "", false,
     "an empty open_id is nobody"},
    {"text_group_only_mention", Kind::empty, "", kGroup, false, true, "", false, "nothing is asked: a hint"},
    {"text_group_external_tenant", Kind::question, "外部联系人提问", kGroup, false, true, "", true,
     "another tenant, for the policy to see"},
    {"post_group_at_bot", Kind::question,
     "请教\n这个报错怎么处理：工单 7 (https://example.invalid/ticket/7)\nint main() {\n    return 1;\n}\n谢谢", kGroup,
     false, true, "", false, "title, link, code with its indentation"},
    {"post_p2p", Kind::question, "第一段\n第二段 链接 (https://example.invalid/)", kDirect, true, false, "", false,
     "the video is left out"},
    {"image_p2p", Kind::text_only, "", kDirect, true, false, "", false, "text only"},
    {"file_p2p", Kind::text_only, "", kDirect, true, false, "", false, "text only"},
    {"audio_p2p", Kind::text_only, "", kDirect, true, false, "", false, "text only"},
    {"sticker_p2p", Kind::text_only, "", kDirect, true, false, "", false, "text only"},
    {"merge_forward_p2p", Kind::text_only, "", kDirect, true, false, "", false, "text only"},
    {"interactive_group_at_bot", Kind::question, "旧卡片\n正文 详情 (https://example.invalid/)", kGroup, false, true,
     "", false, "a card's text"},
    {"reply_quote_group_at_bot", Kind::question, "那离职之后呢？", kGroup, false, true, "", false,
     "a quote is no thread"},
    {"reply_in_thread_group_at_bot", Kind::question, "继续这个话题", kGroup, false, true, "omt_1a2b3c4d5e6f", false,
     "stays in its thread"},
    {"reply_in_thread_group_no_mention", Kind::question, "话题里的跟进，没有 @", kGroup, false, false,
     "omt_1a2b3c4d5e6f", false, "not us"},
    {"topic_group_new_topic_at_bot", Kind::question, "新话题：打印机", kTopics, false, true, "omt_2b3c4d5e6f7a", false,
     "a topic group is a group"},
    {"topic_group_reply_without_thread_id", Kind::question, "话题群里的回复，事件不带 thread_id", kTopics, false, true,
     "", false, "answered by its message id"},
    {"edited_message", Kind::question, "VPN 连不上怎么办？（已改：公司外网）", kGroup, false, true, "", false,
     "the same message id: the inbox keeps the first"},
};

struct IgnoredCase {
  char const* file;
  char const* word;
  char const* why;
};

IgnoredCase const kIgnored[] = {
    {"text_group_from_other_bot", "from_bot", "two bots would never end"},
    {"text_group_from_other_app", "from_bot", "the older name of the same"},
    {"text_group_self_echo", "own_echo", "our own words"},
    {"message_read", "read_receipt", "nothing to do"},
    {"reaction_created", "reaction", "votes come by buttons"},
    {"bot_p2p_chat_entered", "chat_entered", "we speak when spoken to"},
    {"unknown_event_type", "unknown_type", "the platform may add types"},
};

struct ChatCase {
  char const* file;
  ChatEvent::Kind kind;
  char const* name;
};

ChatCase const kChats[] = {
    {"bot_added_to_group", ChatEvent::Kind::bot_added, "产品知识库"},
    {"bot_removed_from_group", ChatEvent::Kind::bot_removed, "产品知识库"},
    {"chat_disbanded", ChatEvent::Kind::disbanded, "产品知识库"},
    {"chat_updated_name", ChatEvent::Kind::renamed, "产品知识库（新）"},
};

/// A direct text message whose parts a test changes.
Json direct_message() { return Json::parse(read("text_p2p")); }
Json group_message() { return Json::parse(read("text_group_at_bot")); }

Incoming incoming_of(Json const& json) {
  Event event = parsed(json.dump());
  REQUIRE(std::holds_alternative<Incoming>(event));
  return std::get<Incoming>(std::move(event));
}

std::string why_ignored(Json const& json) {
  Event const event = parsed(json.dump());
  REQUIRE(std::holds_alternative<Ignored>(event));
  return std::get<Ignored>(event).why;
}

Json with_text(Json event, std::string const& text) {
  event["event"]["message"]["content"] = Json{{"text", text}}.dump();
  return event;
}

Json with_post(Json event, Json const& post) {
  event["event"]["message"]["message_type"] = "post";
  event["event"]["message"]["content"] = post.dump();
  return event;
}

TimePoint at_ms(std::int64_t ms) { return TimePoint(std::chrono::milliseconds(ms)); }

}  // namespace

TEST_CASE("every message of the platform becomes what its table says") {
  for (MessageCase const& c : kMessages) {
    CAPTURE(c.file);
    CAPTURE(c.why);
    Json const json = Json::parse(read(c.file));
    Incoming const incoming = incoming_of(json);
    CHECK(incoming.kind == c.kind);
    CHECK(incoming.message.text == c.text);
    CHECK(incoming.chat_id == c.chat);
    CHECK(incoming.message.chat.str() == (c.direct ? "" : c.chat));
    CHECK((incoming.message.chat_type == scope::ChatType::direct) == c.direct);
    CHECK(incoming.message.mentioned == c.mentioned);
    CHECK(incoming.message.thread == c.thread);
    CHECK(incoming.message.external == c.external);
    CHECK(incoming.message.principal.adapter == "feishu");
    CHECK(incoming.message.principal.account == us.app_id);
    CHECK(incoming.message.principal.user.str() == json["event"]["sender"]["sender_id"]["open_id"]);
    CHECK(incoming.message.message_id == json["event"]["message"]["message_id"]);
    CHECK(incoming.event_id == json["header"]["event_id"]);
    std::string const created = json["event"]["message"]["create_time"];
    CHECK(incoming.client_create_ms == created);
    CHECK(incoming.message.sent_at == at_ms(std::stoll(created)));
  }
}

TEST_CASE("what needs no answer is named and left alone") {
  for (IgnoredCase const& c : kIgnored) {
    CAPTURE(c.file);
    CAPTURE(c.why);
    Json const json = Json::parse(read(c.file));
    Event const event = parsed(json.dump());
    REQUIRE(std::holds_alternative<Ignored>(event));
    CHECK(std::get<Ignored>(event).why == c.word);
    CHECK(std::get<Ignored>(event).type == json["header"]["event_type"]);
  }
}

TEST_CASE("what happens to a chat keeps its name and who did it") {
  for (ChatCase const& c : kChats) {
    CAPTURE(c.file);
    Event const event = parsed(read(c.file));
    REQUIRE(std::holds_alternative<ChatEvent>(event));
    auto const& chat = std::get<ChatEvent>(event);
    CHECK(chat.kind == c.kind);
    CHECK(chat.chat_id == kGroup);
    CHECK(chat.name == c.name);
    CHECK(chat.by.str() == kAnna);
    CHECK(!chat.event_id.empty());
  }
}

TEST_CASE("a recalled question names its message") {
  Event const event = parsed(read("message_recalled"));
  REQUIRE(std::holds_alternative<Recalled>(event));
  CHECK(std::get<Recalled>(event).message_id == "om_0000100000000000000000000000000a");
  CHECK(std::get<Recalled>(event).chat_id == kGroup);
}

TEST_CASE("every sample event stands in one of the tables") {
  std::set<std::string> covered{"message_recalled", "bot_menu", "card_action_button", "card_action_string_value",
                                "card_action_form"};
  for (auto const& c : kMessages) covered.insert(c.file);
  for (auto const& c : kIgnored) covered.insert(c.file);
  for (auto const& c : kChats) covered.insert(c.file);
  std::set<std::string> present;
  for (auto const& file : std::filesystem::directory_iterator(folder())) present.insert(file.path().stem());
  CHECK(covered == present);
  CHECK(present.size() == 45);
}

TEST_CASE("a click in the menu is a command of its own") {
  Json json = Json::parse(read("bot_menu"));
  Incoming const help = incoming_of(json);
  CHECK(help.kind == Kind::menu);
  CHECK(help.message.text == "/help");
  CHECK(help.message.chat_type == scope::ChatType::direct);
  CHECK(help.message.chat.empty());
  CHECK(help.message.message_id == help.event_id);
  CHECK(help.message.principal.user.str() == kAnna);
  CHECK(help.message.sent_at == at_ms(1'790'000'103'000));
  CHECK_FALSE(help.message.external);

  for (auto const& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"whoami", "/whoami"},
           {"/Scope", "/scope"},
           {"KBGATE_STATUS", "/status"},
           {"/kbgate_sources", "/sources"},
       }) {
    CAPTURE(key);
    json["event"]["event_key"] = key;
    CHECK(incoming_of(json).message.text == text);
  }
  for (char const* const key : {"bind", "helpme", "/", "kb_"}) {
    CAPTURE(key);
    json["event"]["event_key"] = key;
    CHECK(why_ignored(json) == "unknown_menu_key");
  }
}

TEST_CASE("a click on a card counts only when the button was ours") {
  Json json = Json::parse(read("card_action_button"));
  auto const click = [&json] {
    Event const event = parsed(json.dump());
    REQUIRE(std::holds_alternative<CardClick>(event));
    return std::get<CardClick>(event);
  };
  CHECK(click().operator_id == kAnna);
  CHECK(click().message_id == "om_000000000000000000000000000ca4d1");
  CHECK(click().chat_id == kGroup);
  CHECK(click().query_id.empty());  // it names an answer_id: not one of ours
  CHECK(click().vote.empty());

  Json& action = json["event"]["action"];
  Json const ours{{"kind", "feedback"}, {"vote", "down"}, {"query_id", "q-1"}};
  for (bool const as_text : {false, true}) {
    action["value"] = as_text ? Json(ours.dump()) : ours;
    CHECK(click().query_id == "q-1");
    CHECK(click().vote == "down");
    CHECK(click().kind.empty());
  }
  action["form_value"] = {{"kind", {"outdated"}}};
  CHECK(click().kind == "outdated");
  action["form_value"] = {{"kind", "<b>anything</b>"}};
  CHECK(click().kind.empty());
  action.erase("form_value");
  action["option"] = "wrong";
  CHECK(click().kind == "wrong");

  for (Json const& value : {Json("up"), Json(7), Json::array({1}), Json{{"kind", "feedback"}, {"vote", "up"}},
                            Json{{"kind", "feedback"}, {"vote", "sideways"}, {"query_id", "q-1"}},
                            Json{{"kind", "other"}, {"vote", "up"}, {"query_id", "q-1"}}}) {
    CAPTURE(value.dump());
    action["value"] = value;
    CHECK(click().query_id.empty());
    CHECK(click().vote.empty());
    CHECK(click().kind.empty());
  }
  for (char const* const file : {"card_action_string_value", "card_action_form"}) {
    json = Json::parse(read(file));
    CHECK(click().query_id.empty());
    CHECK(click().operator_id == kAnna);
  }
}

TEST_CASE("an event of another app is not ours") {
  Json json = direct_message();
  json["header"]["app_id"] = "cli_0000000000000000";
  CHECK(why_ignored(json) == "other_app");
}

TEST_CASE("without our own id nobody is us and nothing is mistaken for a mention") {
  Result<Event> const event = parse_event(read("text_group_at_all_with_entry"), {.app_id = us.app_id, .open_id = ""});
  REQUIRE(event.has_value());
  CHECK_FALSE(std::get<Incoming>(*event).message.mentioned);
}

TEST_CASE("mentions are decided by id, whatever the name") {
  Json json = group_message();
  json["event"]["message"]["mentions"][0]["name"] = "renamed";
  CHECK(incoming_of(json).message.mentioned);
  json["event"]["message"]["mentions"][0]["id"]["open_id"] = kBen;
  json["event"]["message"]["mentions"][0]["name"] = "KnowledgeBot";
  CHECK_FALSE(incoming_of(json).message.mentioned);
}

TEST_CASE("only placeholders of the mentions are replaced, and blanks around ours do not double") {
  struct {
    char const* given;
    char const* text;
    char const* why;
  } const cases[] = {
      {"@_user_1 a", "a", "at the start"},
      {"a @_user_1", "a", "at the end"},
      {"a @_user_1 b", "a b", "in the middle"},
      {"a@_user_1b", "ab", "no blanks of its own"},
      {"a @_user_1\nb", "a\nb", "at a line's end"},
      {"@_user_1\n    if (x)\n        y();", "    if (x)\n        y();", "code keeps its indentation"},
      {"@_user_1 @_user_1 a", "a", "twice"},
      {"@_user_1 what is @_user_2?", "what is @_user_2?", "typed by hand"},
      {"@_user_1 what is @_user_10?", "what is @_user_10?", "typed by hand, and longer"},
      {"@_user_1 a  b\t\tc", "a  b\t\tc", "blanks that people typed"},
      {"\n\n@_user_1 a\n\nb\n\n", "a\n\nb", "blank lines inside stay"},
      {"@_user_1 /help", "/help", "a command"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.why);
    CHECK(incoming_of(with_text(group_message(), c.given)).message.text == c.text);
  }
}

TEST_CASE("a name that looks like a placeholder is not replaced again") {
  Json json = Json::parse(read("text_group_at_bot_and_user"));
  json["event"]["message"]["mentions"][1]["name"] = "@_user_1\nx";
  CHECK(incoming_of(json).message.text == "请把报销流程发给 @@_user_1 x");
}

TEST_CASE("rich text keeps what people wrote") {
  Json const text{{"tag", "text"}, {"text", "    two\n  three"}};
  Json const link{{"tag", "a"}, {"text", "https://x.invalid/"}, {"href", "https://x.invalid/"}};
  Json const odd{{"tag", "future"}, {"text", "four"}};
  Json const typed{{"tag", "text"}, {"text", "@_user_1"}};
  Json const post{{"title", "one"}, {"content", {{text}, {link}, {odd}, {typed}, {nullptr, 3}, "x"}}};
  Incoming const incoming = incoming_of(with_post(group_message(), post));
  CHECK(incoming.message.text == "one\n    two\n  three\nhttps://x.invalid/\nfour\n@_user_1");

  Json const wrapped{{"zh_cn", post}};
  CHECK(incoming_of(with_post(direct_message(), wrapped)).message.text == incoming.message.text);
}

TEST_CASE("rich text without words is an attachment or nothing at all") {
  Json const image{{"tag", "img"}, {"image_key", "img_1"}};
  CHECK(incoming_of(with_post(direct_message(), {{"content", {{image}}}})).kind == Kind::text_only);
  CHECK(incoming_of(with_post(direct_message(), {{"content", Json::array()}})).kind == Kind::empty);
  CHECK(incoming_of(with_text(direct_message(), " \n ")).kind == Kind::empty);
  Json group = Json::parse(read("text_group_no_mention"));
  CHECK(why_ignored(with_post(group, {{"content", {{image}}}})) == "not_mentioned");
  group["event"]["message"]["message_type"] = "image";
  CHECK(why_ignored(group) == "not_text");
}

TEST_CASE("elements within elements are read, but not without end") {
  std::string deep = R"({"tag":"text","text":"far down"})";
  for (int i = 0; i < 2000; ++i) deep = R"({"tag":"column","elements":[)" + deep + "]}";
  std::string const shallow = R"({"tag":"note","elements":[{"tag":"plain_text","text":"near"}]})";
  Json json = direct_message();
  json["event"]["message"]["message_type"] = "interactive";
  json["event"]["message"]["content"] = R"({"elements":[)" + deep + "," + shallow + "]}";
  CHECK(incoming_of(json).message.text == "near");
}

TEST_CASE("a sender without a tenant counts as external") {
  Json json = direct_message();
  json["event"]["sender"].erase("tenant_key");
  CHECK(incoming_of(json).message.external);
}

TEST_CASE("times are read by their length") {
  Json json = direct_message();
  for (auto const& [text, ms] :
       std::vector<std::pair<std::string, std::int64_t>>{{"1790000000", 1'790'000'000'000},
                                                         {"1790000000820", 1'790'000'000'820},
                                                         {"1790000000820456", 1'790'000'000'820}}) {
    CAPTURE(text);
    json["event"]["message"]["create_time"] = text;
    CHECK(std::chrono::floor<std::chrono::milliseconds>(incoming_of(json).message.sent_at) == at_ms(ms));
  }
  json["event"]["message"].erase("create_time");
  CHECK(incoming_of(json).message.sent_at == at_ms(1'790'000'001'000));  // the header's
  for (char const* const text : {"", "yesterday", "-5", "99999999999999999", "17900000000000000000000"}) {
    CAPTURE(text);
    json["event"]["message"]["create_time"] = text;
    CHECK(fault_of(json) == "event.message.create_time holds no time");
  }
}

TEST_CASE("a missing member is named by its path") {
  struct {
    char const* pointer;
    char const* fault;
  } const cases[] = {
      {"/header/event_type", "header.event_type is missing"},
      {"/header/app_id", "header.app_id is missing"},
      {"/header/event_id", "header.event_id is missing"},
      {"/event/sender/sender_id/open_id", "event.sender.sender_id.open_id is missing"},
      {"/event/sender/sender_type", "event.sender.sender_type is missing"},
      {"/event/message/message_id", "event.message.message_id is missing"},
      {"/event/message/chat_id", "event.message.chat_id is missing"},
      {"/event/message/chat_type", "event.message.chat_type is missing"},
      {"/event/message/message_type", "event.message.message_type is missing"},
      {"/event/message/content", "event.message.content is missing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.pointer);
    Json json = direct_message();
    Json::json_pointer const at(c.pointer);
    json[at.parent_pointer()].erase(at.back());
    CHECK(fault_of(json) == c.fault);
    json = direct_message();
    json[at] = 7;
    CHECK(fault_of(json).ends_with("must be a string"));
  }
  CHECK(fault_of(Json::array()) == "the event is no JSON object");
  CHECK_FALSE(parse_event("{\"header\":", us).has_value());
}

TEST_CASE("no event, however damaged, does more than fail") {
  std::vector<std::string> samples;
  for (auto const& file : std::filesystem::directory_iterator(folder())) samples.push_back(read(file.path().stem()));
  std::sort(samples.begin(), samples.end());
  std::mt19937 random(20261130);
  auto const below = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  Json const odd[] = {nullptr,
                      true,
                      -1,
                      1e300,
                      "",
                      "@_user_1",
                      Json::array(),
                      Json::object(),
                      Json::array({Json::array()}),
                      "{\"text\":5}",
                      "[[",
                      std::string(3, '\0')};
  int good = 0, bad = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string const& sample = samples[below(samples.size())];
    std::string text;
    if (round % 4 == 0) {  // bytes
      text = sample;
      if (below(2) == 0) text.resize(below(text.size()));
      for (std::size_t i = below(4); i > 0 && !text.empty(); --i)
        text[below(text.size())] = static_cast<char>(below(256));
    } else {  // members
      Json flat = Json::parse(sample).flatten();
      for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
        auto at = flat.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(flat.size())));
        if (below(2) == 0 && flat.size() > 1) {
          flat.erase(at);
        } else {
          *at = odd[below(std::size(odd))];
          if (at->is_structured()) *at = at->dump();
        }
      }
      Json whole = flat.unflatten();
      for (Json::json_pointer const& at : {Json::json_pointer("/event/message"), Json::json_pointer("/event/action"),
                                           Json::json_pointer("/event"), Json::json_pointer("/header")}) {
        if (below(40) == 0 && whole.contains(at)) whole[at] = odd[below(std::size(odd))];
      }
      text = whole.dump();
    }
    Result<Event> const event = parse_event(text, us);
    ++(event ? good : bad);
    if (!event) CHECK_FALSE(event.error().what.empty());
  }
  CHECK(good > 200);
  CHECK(bad > 200);
}
