#include "tests/logging/journal_fixture.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb::test;
using kb::ChatId;
using kb::UserId;
using kb::logging::MessageSearch;
using kb::scope::ChatType;
using kb::scope::InboundMessage;

namespace {

InboundMessage direct(std::string id, std::string sender, std::string text) {
  InboundMessage m = message(std::move(id), std::move(text));
  m.principal.user = UserId(std::move(sender));
  m.chat_type = ChatType::direct;
  m.chat = ChatId();
  return m;
}

std::string found(kb::logging::Journal const& journal, MessageSearch const& search) {
  std::string out;
  for (auto const& one : value(journal.find_messages(search))) {
    out += (one.sender.empty() ? "bot" : one.sender) + "@" + one.message_id + " ";
  }
  return out;
}

MessageSearch in_group(std::string phrase, std::string chat = "oc_1") {
  MessageSearch search;
  search.chat_type = ChatType::group;
  search.chat = ChatId(std::move(chat));
  search.phrase = std::move(phrase);
  return search;
}
MessageSearch in_private(std::string phrase, std::string sender) {
  MessageSearch search;
  search.sender = UserId(std::move(sender));
  search.phrase = std::move(phrase);
  return search;
}

}  // namespace

TEST_CASE("messages and replies are found by an exact phrase, in their own chat alone (S2-35)") {
  TempDir dir;
  auto const journal = opened(dir.path());
  auto const say = [&](InboundMessage const& m, std::string reply) {
    REQUIRE(succeeds(admit(*journal, m)));
    if (reply.empty()) return;
    REQUIRE(succeeds(settle(*journal, settlement(m, "q_" + m.message_id, std::move(reply)))));
  };
  say(message("m1", "When does the cache expire?"), "The cache expires after 45 minutes.");
  say(message("m2", "And the Cache of images?"), "Nothing is known of that.");
  say(direct("m3", "ou_1", "my cache notes"), "Your cache notes say 30 minutes.");
  say(direct("m4", "ou_2", "another's cache"), "");
  CHECK_EQ(found(*journal, in_group("cache")), "bot@m1 ou_1@m1 ");
  CHECK_EQ(found(*journal, in_group("Cache of")), "ou_1@m2 ");
  CHECK_EQ(found(*journal, in_group("cache expires after 45")), "bot@m1 ");
  CHECK_EQ(found(*journal, in_group("cache", "oc_2")), "");
  CHECK_EQ(found(*journal, in_private("cache", "ou_1")), "bot@m3 ou_1@m3 ");
  CHECK_EQ(found(*journal, in_private("cache", "ou_2")), "ou_2@m4 ");
  CHECK_EQ(found(*journal, in_private("cache", "ou_3")), "");
  CHECK_EQ(found(*journal, in_group("%")), "");  // no pattern: the sign itself
  MessageSearch one = in_group("e");
  one.limit = 1;
  CHECK_EQ(found(*journal, one), "ou_1@m2 ");
}
