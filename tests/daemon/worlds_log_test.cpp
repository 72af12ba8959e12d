// The service log of two worlds that differ in what the asker may not see: the operator's, who may know everything; yet
// what is written on behalf of a question tells of that question alone, so that whoever reads the lines of one chat
// learns nothing from them.
#include <doctest/doctest.h>
#include <set>
#include <sstream>

#include "daemon/conversation.hpp"
#include "tests/daemon/two_worlds.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/manual_clock.hpp"

namespace kb::test {
namespace {

constexpr int kQuestions = 250;

/// The chats of one world.
class Service {
 public:
  Service(Kind kind, unsigned seed) : world_(kind, seed) {}
  ~Service() {
    loop_.spawn(conversations_.drain(std::chrono::milliseconds(0)));
    (void)loop_.finishes();
  }
  Service(Service const&) = delete;
  Service& operator=(Service const&) = delete;

  [[nodiscard]] SampleWorld const& world() const noexcept { return world_; }

  /// The reply's text.
  std::string say(scope::InboundMessage message) {
    clock_.advance(std::chrono::minutes(1));
    replies_.clear();
    message.sent_at = clock_.now();
    Result<adapters::Accepted> const taken = loop_.get(conversations_.receive(std::move(message)));
    if (!taken) return taken.error().what;
    if (taken->ignored) return std::string(taken->ignored_why);
    if (!loop_.until([this] { return !replies_.empty(); })) return "no reply";
    return world_.without_commits(replies_.front().text + replies_.front().sources_json);
  }

 private:
  daemon::Desk::Hooks desk_hooks() {
    daemon::Desk::Hooks hooks;
    hooks.world = [this] { return world_.world(); };
    hooks.repo_state = [this](RepoId const& id) { return world_.repo_state(id); };
    return hooks;
  }
  daemon::Conversations::Hooks hooks() {
    daemon::Conversations::Hooks out;
    out.world = [this] { return world_.world(); };
    out.deliver = [this](adapters::Reply const& reply) { replies_.push_back(reply); };
    return out;
  }

  SampleWorld world_;
  Loop loop_;
  aio::Pool cpu_{1}, files_{1};
  ManualClock clock_;
  std::vector<adapters::Reply> replies_;
  daemon::Durable durable_{loop_.executor(), world_.journal()};
  daemon::Desk desk_{files_, durable_, clock_, desk_hooks()};
  daemon::Conversations conversations_{loop_.executor(), cpu_, durable_, desk_, clock_, hooks()};
};

scope::InboundMessage a_message(Random& random, int number) {
  static constexpr char const* kSenders[] = {"ou_alice", "ou_alice", "ou_alice", "ou_carol", "ou_eve"};
  static constexpr char const* kCommands[] = {"/status", "/whoami", "/scope 预算", "/sources"};
  scope::InboundMessage out;
  out.principal = {"bridge", "local", UserId(one_of(kSenders, random))};
  out.message_id = "m" + std::to_string(number);
  if (random() % 2 == 0) {
    out.chat_type = scope::ChatType::group;
    out.chat = ChatId(random() % 8 == 0 ? "oc_new" : "oc_nlp");
    out.mentioned = true;
  }
  out.text = random() % 6 == 0 ? one_of(kCommands, random) : a_word(random) + "的" + a_word(random) + "是多少？";
  return out;
}

/// The lines without what differs from one run to the next: times, and ids made by chance.
std::string plain(std::string const& lines) {
  std::string out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    nlohmann::ordered_json object = nlohmann::ordered_json::parse(line);
    for (char const* field : {"time", "took_us", "query_id"}) object.erase(field);
    out += object.dump() + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("what an asker may not see changes no line that the service log has of their questions") {
  Service a(Kind::a, 1);
  Service b(Kind::b, 2);
  CapturedLog log;
  Random random(11);
  std::map<std::string, int> events;
  for (int i = 0; i < kQuestions; ++i) {
    scope::InboundMessage const message = a_message(random, i);
    CAPTURE(message.text);
    CAPTURE(message.principal.user.str());
    std::string const reply_a = a.say(message);
    std::string const lines_a = plain(log.news());
    std::string const reply_b = b.say(message);
    std::string const lines_b = plain(log.news());
    REQUIRE_EQ(reply_a, reply_b);
    REQUIRE_EQ(lines_a, lines_b);
    for (char const* hidden : {"zed", "cv/", "bob", "ghost", "private", "identity"}) {
      CAPTURE(hidden);
      REQUIRE_EQ(lines_b.find(hidden), std::string::npos);
    }
    if (!lines_a.empty()) ++events[nlohmann::json::parse(lines_a.substr(0, lines_a.find('\n')))["event"]];
  }
  CHECK_GT(events["question.settled"], kQuestions / 2);  // there was something to compare
}

TEST_CASE("the same test sees a line that differs") {
  Service a(Kind::a, 1);
  Service b(Kind::b, 2);
  CapturedLog log;
  scope::InboundMessage message;
  message.principal = {"bridge", "local", UserId("ou_bob")};
  std::set<std::string> lines;
  for (int i = 0; i < 20; ++i) {
    message.message_id = "m" + std::to_string(i);
    message.text = std::string("我的") + kWords[static_cast<std::size_t>(i) % std::size(kWords)] + "是多少？";
    (void)a.say(message);
    std::string const of_a = plain(log.news());
    (void)b.say(message);
    if (of_a != plain(log.news())) lines.insert(message.text);
  }
  CHECK_FALSE(lines.empty());
}

}  // namespace kb::test
