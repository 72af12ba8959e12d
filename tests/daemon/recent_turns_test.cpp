#include "daemon/recent_turns.hpp"

#include <doctest/doctest.h>

namespace kb::daemon {
namespace {

using namespace std::chrono_literals;
RecentTurns::Time const kStart{};

scope::InboundMessage from(std::string user, std::string chat = "oc_nlp", std::string thread = {}) {
  scope::InboundMessage out;
  out.principal = {"bridge", "main", UserId(std::move(user))};
  out.chat_type = chat.empty() ? scope::ChatType::direct : scope::ChatType::group;
  out.chat = ChatId(std::move(chat));
  out.thread = std::move(thread);
  return out;
}

answer::Answer about(std::string topic, answer::Outcome outcome = answer::Outcome::answered) {
  answer::Answer out;
  out.outcome = outcome;
  out.topic = out.subject = std::move(topic);
  return out;
}

std::string latest(RecentTurns const& recent, scope::InboundMessage const& message, RecentTurns::Time now = kStart) {
  std::vector<answer::EarlierTurn> const turns = recent.of(message, now);
  return turns.empty() ? "" : turns.back().topic;
}

}  // namespace

TEST_CASE("only the same person on the same account in the same chat and thread has the turn") {
  RecentTurns recent;
  recent.remember(from("ou_1", "oc_nlp", "t1"), about("Atlas"), kStart);
  CHECK_EQ(latest(recent, from("ou_1", "oc_nlp", "t1")), "Atlas");
  CHECK_EQ(latest(recent, from("ou_2", "oc_nlp", "t1")), "");
  CHECK_EQ(latest(recent, from("ou_1", "oc_cv", "t1")), "");
  CHECK_EQ(latest(recent, from("ou_1", "oc_nlp", "t2")), "");
  CHECK_EQ(latest(recent, from("ou_1", "oc_nlp")), "");
  CHECK_EQ(latest(recent, from("ou_1", "")), "");
  scope::InboundMessage other_account = from("ou_1", "oc_nlp", "t1");
  other_account.principal.account = "second";
  CHECK_EQ(latest(recent, other_account), "");
  scope::InboundMessage other_adapter = from("ou_1", "oc_nlp", "t1");
  other_adapter.principal.adapter = "feishu";
  CHECK_EQ(latest(recent, other_adapter), "");
  scope::InboundMessage direct = from("ou_1", "oc_nlp", "t1");
  direct.chat_type = scope::ChatType::direct;
  CHECK_EQ(latest(recent, direct), "");
}

TEST_CASE("a turn lives ten minutes, and the last three are kept") {
  RecentTurns recent;
  for (char const* const topic : {"a1", "a2", "a3", "a4"}) recent.remember(from("ou_1"), about(topic), kStart);
  std::vector<answer::EarlierTurn> const turns = recent.of(from("ou_1"), kStart);
  REQUIRE_EQ(turns.size(), 3);
  CHECK_EQ(turns.front().topic, "a2");
  CHECK_EQ(turns.back().topic, "a4");
  CHECK_EQ(latest(recent, from("ou_1"), kStart + 10min), "a4");
  CHECK_EQ(latest(recent, from("ou_1"), kStart + 10min + 1s), "");
}

TEST_CASE("what found nothing or was refused ends what can be leant on; what leant itself does not") {
  struct Case {
    answer::Outcome outcome;
    bool leant;
    char const* latest;
    char const* why;
  };
  constexpr Case cases[] = {
      {answer::Outcome::answered, false, "France", "a new subject"},
      {answer::Outcome::insufficient, false, "France", "a new subject with pages"},
      {answer::Outcome::no_answer, false, "", "spoken of, but nowhere to be found"},
      {answer::Outcome::scope_refused, false, "", "refused"},
      {answer::Outcome::no_answer, true, "Atlas", "a follow-up that found nothing: still about Atlas"},
      {answer::Outcome::handed_off, false, "Atlas", "no question"},
  };
  for (Case const& c : cases) {
    CAPTURE(c.why);
    RecentTurns recent;
    recent.remember(from("ou_1"), about("Atlas"), kStart);
    answer::Answer next = about("France", c.outcome);
    if (c.leant) next.assumed = "Atlas";
    recent.remember(from("ou_1"), next, kStart);
    CHECK_EQ(latest(recent, from("ou_1")), c.latest);
  }
}

TEST_CASE("the number of askers is bounded: the one silent longest is forgotten first") {
  RecentTurns recent;
  for (int i = 0; i < 2000; ++i)
    recent.remember(from("ou_" + std::to_string(i)), about("Atlas"), kStart + std::chrono::milliseconds(i));
  CHECK_EQ(recent.askers(), 1024);
  CHECK_EQ(latest(recent, from("ou_0"), kStart + 2s), "");
  CHECK_EQ(latest(recent, from("ou_1999"), kStart + 2s), "Atlas");
}

}  // namespace kb::daemon
