#include "daemon/adapter_store.hpp"

#include <doctest/doctest.h>

#include "tests/support/loop.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_repo.hpp"

using namespace kb;
using namespace kb::daemon;
using adapters::Sending;
using namespace std::chrono_literals;

namespace {

struct Bench {
  explicit Bench(std::filesystem::path const& dir) : journal(std::move(*logging::Journal::open(dir))) {}
  ~Bench() {
    CHECK(loop.finishes());
    files.join();
  }

  /// A reply to a message of this id, waiting to be sent; returns its key.
  std::string settled(std::string id) {
    scope::InboundMessage m;
    m.principal = {"feishu", "app", UserId("ou_1")};
    m.message_id = std::move(id);
    logging::Settlement s;
    s.reply.key = logging::inbox_key(m);
    s.reply.query_id = "Q" + m.message_id;
    REQUIRE(loop.get(durable.admit(m, clock.now())).has_value());
    REQUIRE(loop.get(durable.settle(s, clock.now())).has_value());
    return s.reply.key;
  }
  std::vector<Sending> sendings(std::string key) { return *loop.get(store.sendings(std::move(key))); }

  test::Loop loop;
  test::ManualClock clock;
  std::unique_ptr<logging::Journal> journal;
  aio::Pool files{1};
  Durable durable{loop.executor(), *journal};
  DurableStore store{durable, files, clock};
};

}  // namespace

TEST_CASE("what an adapter keeps is there after a restart") {
  test::TempDir const dir;
  std::string key;
  Sending card, post;
  {
    Bench b(dir.path());
    key = b.settled("om_1");
    card = {key, 0, "card", b.clock.now(), {}, false};
    post = {key, 0, "post", b.clock.now() + 1s, {}, false};
    CHECK(*b.loop.get(b.store.begin_sending(card)) == card);
    CHECK(b.loop.get(b.store.refused(card)).has_value());
    CHECK(*b.loop.get(b.store.begin_sending(post)) == post);
    post.platform_id = "om_9";
    CHECK(b.loop.get(b.store.sent(post)).has_value());
    CHECK_EQ(*b.loop.get(b.store.claim("event", "first")), "first");
  }
  Bench b(dir.path());
  card.refused = true;
  CHECK(b.sendings(key) == std::vector<Sending>{card, post});
  CHECK_EQ(*b.loop.get(b.store.claim("event", "second")), "first");
  CHECK_EQ(*b.loop.get(b.store.holder("event")), "first");
  CHECK_EQ(*b.loop.get(b.store.holder("other")), "");
}

TEST_CASE("a reply is closed once, as delivered or with the reason why not") {
  test::TempDir const dir;
  Bench b(dir.path());
  std::string const first = b.settled("om_1"), second = b.settled("om_2");
  CHECK_EQ(b.journal->undelivered("feishu")->size(), 2);
  CHECK(b.loop.get(b.store.delivered(first)).has_value());
  CHECK(b.loop.get(b.store.give_up(first, "too late")).has_value());
  CHECK(b.loop.get(b.store.give_up(second, "recalled")).has_value());
  CHECK(b.journal->undelivered("feishu")->empty());
  auto const given_up = *b.journal->given_up(10);
  REQUIRE_EQ(given_up.size(), 1);
  CHECK_EQ(given_up[0].reason, "recalled");
  Sending nobodys{"no such key", 0, "card", b.clock.now(), {}, false};
  Result<Sending> const refused = b.loop.get(b.store.begin_sending(nobodys));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Errc::not_found);
}
