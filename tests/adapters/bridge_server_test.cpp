#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "adapters/aio/signal.hpp"
#include "adapters/bridge/server.hpp"
#include "logging/service_log.hpp"
#include "tests/support/fake_link.hpp"
#include "tests/support/loop.hpp"

using namespace std::chrono_literals;
using namespace kb;
using nlohmann::json;
using Texts = std::vector<std::string>;

namespace {

struct Peer {
  test::FakeLink* link;
  [[nodiscard]] Texts const& got() const { return link->got; }
};

/// A bridge on a loop and a daemon behind it that does what the test says.
struct Bench {
  test::Loop loop;
  Texts admitted, delivered, feedback;
  std::optional<Error> refuse;                                  ///< what on_message answers
  bool ignore = false;                                          ///< on_message says: not for us
  bool fault = false;                                           ///< the hooks throw
  std::map<std::string, adapters::Reply> settled;               ///< by message id: there is an answer already
  std::function<void(scope::InboundMessage const&)> meanwhile;  ///< runs inside on_message
  std::string group;                                            ///< every message was really said in this group
  bool hold = false;                                            ///< on_message waits for `released`
  aio::Signal released{loop.executor()};
  scope::InboundMessage last;
  bridge::Bridge bridge;

  explicit Bench(bridge::BridgeLimits limits = {})
      : bridge(
            loop.executor(), limits, [this](scope::InboundMessage m) { return on_message(std::move(m)); },
            [this](bridge::FeedbackFrame f) { return on_feedback(std::move(f)); },
            [this](std::string key) { delivered.push_back(std::move(key)); }, {},
            [this](scope::InboundMessage m) { return place(std::move(m)); }) {}

  ~Bench() {
    bridge.drain();
    CHECK(loop.finishes());
    CHECK_EQ(bridge.connections(), 0);
    CHECK_EQ(loop.faults(), Texts{});
  }

  aio::Task<scope::InboundMessage> place(scope::InboundMessage m) {
    if (!group.empty()) m.chat = ChatId(group);
    co_return m;
  }

  aio::Task<Result<bridge::Accepted>> on_message(scope::InboundMessage m) {
    if (fault) throw std::runtime_error("journal broke");
    last = m;
    admitted.push_back(m.principal.account + "/" + m.message_id);
    if (meanwhile) meanwhile(m);
    std::optional<Error> const refused = refuse;
    while (hold) {
      co_await released.wait_through();
    }
    if (refused) co_return *refused;
    bridge::Accepted accepted;
    accepted.ignored = ignore;
    auto const at = settled.find(m.message_id);
    if (at != settled.end()) accepted.reply = at->second;
    co_return accepted;
  }

  aio::Task<Result<void>> on_feedback(bridge::FeedbackFrame f) {
    if (fault) throw std::runtime_error("journal broke");
    if (refuse) co_return *refuse;
    feedback.push_back(f.query_id + " " + f.vote);
    co_return Result<void>();
  }

  Peer join(std::string account = "local") {
    auto link = std::make_unique<test::FakeLink>(loop.executor());
    Peer const peer{link.get()};
    loop.spawn(bridge.serve(std::move(link), std::move(account)));
    loop.settle();
    return peer;
  }

  void says(Peer peer, json const& frame) {
    peer.link->peer_says(frame.dump());
    loop.settle();
  }
};

json ask(std::string id, std::string sender = "ou_1", std::string chat = "oc_1") {
  return json{{"type", "message"},    {"id", id},        {"SenderId", sender}, {"ChatType", "group"},
              {"GroupSubject", chat}, {"text", "what?"}, {"mentioned", true}};
}

adapters::Reply reply_to(scope::InboundMessage const& message, std::string text = "so") {
  adapters::Reply reply;
  reply.to = message;
  reply.key = "key-" + message.message_id;
  reply.outcome = "answered";
  reply.text = std::move(text);
  reply.query_id = "q";
  return reply;
}

std::string answer(std::string id, std::string text = "so") {
  return R"({"type":"answer","id":")" + id + R"(","outcome":"answered","text":")" + text +
         R"(","sources":[],"query_id":"q"})";
}

}  // namespace

TEST_CASE("a link that says hello is told what the bridge can do") {
  Bench b;
  Peer const peer = b.join();
  b.says(peer, json{{"type", "hello"}, {"client", "openclaw"}, {"version", "1.0.0"}, {"boot", "b1"}});
  CHECK_EQ(peer.got(), Texts{bridge::welcome_frame(false)});
  b.says(peer, json{{"type", "tool"}, {"id", "1"}, {"tool", "kb_ask"}, {"SenderId", "ou_1"}, {"ChatType", "direct"}});
  CHECK_EQ(peer.got().back(), bridge::error_frame("1", "bad_request", "this bridge has no tools"));
}

TEST_CASE("of two links of one process the newer stays, and only for one principal") {
  Bench b;
  json const hello{{"type", "hello"}, {"client", "openclaw"}, {"boot", "b1"}};
  Peer const older = b.join("one");
  b.says(older, hello);
  Peer const other = b.join("two");
  b.says(other, hello);
  CHECK_EQ(b.bridge.connections(), 2);
  Peer const newer = b.join("one");
  b.says(newer, hello);
  CHECK(b.loop.until([&] { return b.bridge.connections() == 2; }));
  b.says(newer, ask("m1"));
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(newer.got().back(), answer("m1"));
}

TEST_CASE("a link that says hello a second time is of that process alone") {
  Bench b;
  auto const hello = [](char const* boot) { return json{{"type", "hello"}, {"client", "openclaw"}, {"boot", boot}}; };
  Peer const moved = b.join();
  b.says(moved, hello("b1"));
  b.says(moved, hello("b2"));
  Peer const first = b.join();
  b.says(first, hello("b1"));
  CHECK_FALSE(moved.link->closed);
  Peer const second = b.join();
  b.says(second, hello("b2"));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 2; }));
  Peer const third = b.join();
  b.says(third, hello("b1"));
  CHECK(b.loop.until([&] { return b.bridge.connections() == 2; }));
}

TEST_CASE("an answer after its deadline is not sent, and the message asked again gets it") {
  Bench b;
  Peer const peer = b.join();
  json message = ask("m1");
  message["deadlineMs"] = 0;
  b.says(peer, message);
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1")});
  CHECK(b.delivered.empty());
  b.settled["m1"] = reply_to(b.last);
  b.says(peer, ask("m1"));
  CHECK_EQ(peer.got().back(), answer("m1"));
}

TEST_CASE("what nobody will answer is passed back when the host can go on, else acked with the reason") {
  Bench b;
  b.ignore = true;
  Peer const peer = b.join();
  json message = ask("m1");
  message["mayPass"] = true;
  b.says(peer, message);
  CHECK_EQ(peer.got(), Texts{bridge::pass_frame("m1")});
}

TEST_CASE("a message is acked, then answered, and the answer is reported as delivered") {
  Bench b;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1")});
  CHECK_EQ(b.admitted, Texts{"local/m1"});
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
  CHECK_EQ(b.delivered, Texts{"key-m1"});
  CHECK_FALSE(b.bridge.say(reply_to(b.last)));  // answered once
}

TEST_CASE("a message that was really said in a group is answered as that group's") {
  Bench b;
  b.group = "oc_topic";
  Peer const peer = b.join();
  b.says(peer, ask("m1", "ou_1", "oc_elsewhere"));
  CHECK_EQ(b.last.chat.str(), "oc_topic");
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
}

TEST_CASE("a message that is not durable yet holds up no other, and the acks keep their order") {
  Bench b;
  b.hold = true;
  Peer const peer = b.join();
  for (char const* id : {"m1", "m2", "m3"}) b.says(peer, ask(id));
  CHECK_EQ(b.admitted, Texts{"local/m1", "local/m2", "local/m3"});
  CHECK(peer.got().empty());
  b.hold = false;
  b.released.notify();
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), bridge::ack_frame("m2"), bridge::ack_frame("m3")});
}

TEST_CASE("a message said twice is answered when only its first try could not be taken") {
  Bench b;
  b.hold = true;
  Peer const peer = b.join();
  b.refuse = Error(Errc::exhausted, "too many");
  b.says(peer, ask("m1"));
  b.refuse.reset();
  b.says(peer, ask("m1"));
  b.hold = false;
  b.released.notify();
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::error_frame("m1", "busy", "too many"), bridge::ack_frame("m1")});
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(peer.got().back(), answer("m1"));
}

TEST_CASE("a link that goes while its message is being made durable is let go when it is") {
  Bench b;
  b.hold = true;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  peer.link->peer_leaves();
  b.loop.settle();
  CHECK_EQ(b.bridge.connections(), 1);
  b.hold = false;
  b.released.notify();
  b.loop.settle();
  CHECK_EQ(b.bridge.connections(), 0);
}

TEST_CASE("an answer that is there before the ack goes out after it") {
  Bench b;
  b.meanwhile = [&b](scope::InboundMessage const& m) { CHECK(b.bridge.say(reply_to(m))); };
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
}

TEST_CASE("a repeated id gets its ack and the stored answer") {
  Bench b;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  b.settled["m1"] = reply_to(b.last, "stored");
  b.says(peer, ask("m1"));
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), bridge::ack_frame("m1"), answer("m1", "stored")});
  CHECK_EQ(b.delivered, Texts{"key-m1"});
}

TEST_CASE("an id repeated while its first run goes on is acked again and answered once") {
  Bench b;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  b.says(peer, ask("m1"));
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), bridge::ack_frame("m1"), answer("m1")});
}

TEST_CASE("a client that reconnects and asks again gets the answer of the first run") {
  Bench b;
  Peer const before = b.join("token:1");
  b.says(before, ask("m1"));
  SUBCASE("after the old connection ended") {
    before.link->peer_leaves();
    b.loop.settle();
    CHECK_EQ(b.bridge.connections(), 0);
    CHECK_FALSE(b.bridge.say(reply_to(b.last)));  // nobody there: the journal keeps it
    Peer const now = b.join("token:1");
    b.says(now, ask("m1"));
    CHECK(b.bridge.say(reply_to(b.last)));
    b.loop.settle();
    CHECK_EQ(now.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
  }
  SUBCASE("while the old connection seems to live") {
    Peer const now = b.join("token:1");
    b.says(now, ask("m1"));
    CHECK(b.bridge.say(reply_to(b.last)));
    b.loop.settle();
    CHECK_EQ(now.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
    CHECK_EQ(before.got(), Texts{bridge::ack_frame("m1")});
  }
  SUBCASE("when the new connection ended too, the old one is the newest") {
    Peer const now = b.join("token:1");
    b.says(now, ask("m1"));
    now.link->peer_leaves();
    b.loop.settle();
    CHECK(b.bridge.say(reply_to(b.last)));
    b.loop.settle();
    CHECK_EQ(before.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
  }
}

TEST_CASE("one id of two accounts, chats or senders is two messages") {
  Bench b;
  Peer const one = b.join("token:1");
  Peer const two = b.join("token:2");
  b.says(one, ask("m1", "ou_1", "oc_1"));
  scope::InboundMessage const first = b.last;
  b.says(two, ask("m1", "ou_1", "oc_1"));
  b.says(two, ask("m1", "ou_2", "oc_1"));
  b.says(two, ask("m1", "ou_1", "oc_2"));
  CHECK(b.bridge.say(reply_to(first, "for one")));
  b.loop.settle();
  CHECK_EQ(one.got(), Texts{bridge::ack_frame("m1"), answer("m1", "for one")});
  CHECK_EQ(two.got(), Texts{bridge::ack_frame("m1"), bridge::ack_frame("m1"), bridge::ack_frame("m1")});
}

TEST_CASE("a message that is not for us is acked and never answered") {
  Bench b;
  b.ignore = true;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1")});
  CHECK_FALSE(b.bridge.say(reply_to(b.last)));
}

TEST_CASE("a message that could not be made durable gets an error and no ack") {
  struct Row {
    Errc code;
    char const* want;
  };
  static constexpr Row rows[] = {
      {Errc::exhausted, R"({"type":"error","id":"m1","error":"busy","message":"words"})"},
      {Errc::invalid_input, R"({"type":"error","id":"m1","error":"bad_request","message":"words"})"},
      {Errc::denied, R"({"type":"error","id":"m1","error":"bad_request","message":"words"})"},
      {Errc::unavailable,
       R"({"type":"error","id":"m1","error":"unavailable","message":"not accepted: please send it again later"})"},
      {Errc::corrupt,
       R"({"type":"error","id":"m1","error":"unavailable","message":"not accepted: please send it again later"})"},
  };
  kb::log::set_level(kb::log::Level::error);
  for (auto const& row : rows) {
    Bench b;
    b.refuse = Error(row.code, "words");
    Peer const peer = b.join();
    b.says(peer, ask("m1"));
    CHECK_EQ(peer.got(), Texts{row.want});
    CHECK_FALSE(b.bridge.say(reply_to(b.last)));
    b.refuse.reset();
    b.says(peer, ask("m1"));  // sent again, it is taken
    CHECK_EQ(peer.got().back(), bridge::ack_frame("m1"));
  }
}

TEST_CASE("a fault of ours is an error for the peer, and the connection lives") {
  kb::log::set_level(kb::log::Level::error);
  Bench b;
  b.fault = true;
  Peer const peer = b.join();
  b.says(peer, ask("m1"));
  b.says(peer, json{{"type", "feedback"}, {"query_id", "q"}, {"vote", "up"}, {"SenderId", "ou_1"}});
  b.says(peer, json{{"type", "ping"}});
  REQUIRE_EQ(peer.got().size(), 3);
  CHECK_EQ(json::parse(peer.got()[0])["error"], "unavailable");
  CHECK_EQ(json::parse(peer.got()[0])["id"], "m1");
  CHECK_EQ(json::parse(peer.got()[1])["error"], "unavailable");
  CHECK_EQ(peer.got()[2], bridge::pong_frame());
}

TEST_CASE("feedback goes to the daemon, and only its refusal is answered") {
  Bench b;
  Peer const peer = b.join();
  json const frame{{"type", "feedback"}, {"query_id", "q7"}, {"vote", "up"}, {"SenderId", "ou_1"}};
  b.says(peer, frame);
  CHECK_EQ(b.feedback, Texts{"q7 up"});
  CHECK_EQ(peer.got(), Texts{});
  b.refuse = Error(Errc::not_found, "no such query");
  b.says(peer, frame);
  CHECK_EQ(peer.got(), Texts{bridge::error_frame("", "bad_request", "no such query")});
}

TEST_CASE("twenty malformed frames in a row close with 1008; a good one in between starts anew") {
  Bench b;
  Peer const peer = b.join();
  for (int i = 0; i < 19; ++i) b.says(peer, json("not a frame"));
  b.says(peer, json{{"type", "ping"}});
  for (int i = 0; i < 19; ++i) b.says(peer, json("not a frame"));
  CHECK_EQ(b.bridge.connections(), 1);
  CHECK_FALSE(peer.link->closed);
  // FakeLink dies with its connection: look at it while the close is unanswered.
  peer.link->peer_answers_close = false;
  b.says(peer, json("not a frame"));
  CHECK_EQ(peer.got().size(), 40);
  CHECK(peer.link->closed);
  CHECK_EQ(peer.link->close_code, 1008);
  peer.link->peer_leaves();
}

TEST_CASE("a connection with too many unanswered messages is not read until one is answered") {
  bridge::BridgeLimits limits;
  limits.in_flight = 2;
  Bench b(limits);
  Peer const peer = b.join();
  for (auto const* const id : {"m1", "m2", "m3", "m4"}) peer.link->peer_says(ask(id).dump());
  b.loop.settle();
  CHECK_EQ(b.admitted, Texts{"local/m1", "local/m2"});
  CHECK_EQ(peer.link->unread(), 1);
  CHECK(b.bridge.say(reply_to(b.last)));
  b.loop.settle();
  CHECK_EQ(b.admitted.size(), 3);
}

TEST_CASE("drain closes with 1001 after what is queued, also who comes during it") {
  Bench b;
  Peer const peer = b.join();
  peer.link->peer_answers_close = false;
  b.says(peer, ask("m1"));
  CHECK(b.bridge.say(reply_to(b.last)));
  b.bridge.drain();
  b.says(peer, ask("m2"));
  CHECK_EQ(b.admitted, Texts{"local/m1"});
  CHECK_EQ(peer.got(), Texts{bridge::ack_frame("m1"), answer("m1")});
  CHECK(peer.link->closed);
  CHECK_EQ(peer.link->close_code, 1001);
  peer.link->peer_leaves();
  b.loop.settle();
  CHECK_EQ(b.bridge.connections(), 0);
  auto late = std::make_unique<test::FakeLink>(b.loop.executor());
  late->peer_answers_close = false;
  test::FakeLink* const link = late.get();
  b.loop.spawn(b.bridge.serve(std::move(late), "local"));
  b.loop.settle();
  CHECK(link->closed);
  CHECK_EQ(link->close_code, 1001);
  link->peer_leaves();
}

TEST_CASE("a slow reader's lost answers are not reported as delivered") {
  bridge::BridgeLimits limits;
  limits.outbox = 3;
  Bench b(limits);
  Peer const peer = b.join();
  peer.link->peer_reads = false;
  std::vector<scope::InboundMessage> asked;
  for (auto const* const id : {"m1", "m2"}) {
    b.says(peer, ask(id));
    asked.push_back(b.last);
  }
  CHECK(b.bridge.say(reply_to(asked[0])));  // being written: ack; queued: ack, answer
  CHECK(b.bridge.say(reply_to(asked[1])));
  b.says(peer, json{{"type", "ping"}});  // one too many
  b.loop.settle();
  CHECK_EQ(peer.link->close_code, 1008);
  CHECK_EQ(b.delivered, Texts{});
  peer.link->abort();
}
