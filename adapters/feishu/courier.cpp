#include "adapters/feishu/courier.hpp"

#include <algorithm>
#include <utility>

#include "adapters/aio/watchdog.hpp"
#include "adapters/feishu/backoff.hpp"
#include "logging/service_log.hpp"

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;
using adapters::Sending;
using How = Carried::How;

constexpr int kAnnounceTries = 4;
constexpr std::string_view kUnnamed = "?";  ///< the platform has it and did not say under which id

/// The order of a conversation, and whose rate it is.
std::string chat_of(scope::InboundMessage const& m) {
  return m.chat_type == scope::ChatType::group ? m.chat.str() : m.principal.user.str();
}

std::string words_of(Outcome const& outcome) {
  std::string words =
      outcome.code > 0 ? "code " + std::to_string(outcome.code) : "status " + std::to_string(outcome.http_status);
  if (!outcome.what.empty()) words += ": " + outcome.what;
  return words;
}

bool somebody_must_act(Remedy remedy) {
  return remedy == Remedy::quota || remedy == Remedy::operator_needed || remedy == Remedy::new_token;
}

bool waits(Remedy remedy) { return remedy == Remedy::wait || somebody_must_act(remedy); }

/// Frees its place when a call ends in whatever way.
class Slot {
 public:
  Slot(std::size_t& used, aio::Signal& freed) : used_(used), freed_(freed) { ++used_; }
  ~Slot() {
    --used_;
    freed_.notify();
  }
  Slot(Slot const&) = delete;
  Slot& operator=(Slot const&) = delete;

 private:
  std::size_t& used_;
  aio::Signal& freed_;
};

}  // namespace

Courier::Courier(aio::Executor ex, Api& api, adapters::Store& store, Clock const& clock, DeliveryLimits const& limits,
                 DeliveryStats& stats)
    : ex_(ex), api_(api), store_(store), clock_(clock), limits_(limits), stats_(stats), slot_free_(ex) {}

aio::Task<Carried> Courier::carry(std::shared_ptr<Errand> errand) {
  std::optional<Ladder> ladder = co_await ladder_of(errand);
  if (!ladder) co_return Carried{How::left, {}};
  int parts = 0;
  for (std::optional<int> number = ladder->next(); number; number = ladder->next()) {
    Carried step = co_await take_step(errand, *ladder, *number);
    if (step.how != How::on) co_return step;
    ++parts;
  }
  std::function<aio::Task<Result<void>>()> write = [this, key = errand->reply.key] { return store_.delivered(key); };
  Result<void> const noted = co_await persist<void>(errand, write);
  if (!noted) co_return Carried{How::left, {}};
  ++stats_.delivered;
  log::write(log::Level::debug, "feishu.delivered",
             {{"query_id", errand->reply.query_id}, {"steps", parts}, {"form", to_string(ladder->step())}});
  co_return Carried{How::delivered, {}};
}

aio::Task<std::optional<Ladder>> Courier::ladder_of(std::shared_ptr<Errand> errand) {
  std::function<aio::Task<Result<std::vector<Sending>>>()> read = [this, key = errand->reply.key] {
    return store_.sendings(key);
  };
  Result<std::vector<Sending>> tried = co_await persist<std::vector<Sending>>(errand, read);
  if (!tried) co_return std::nullopt;
  co_return Ladder(errand->reply, std::move(*tried));
}

/// Tries one part in one step until the answer is a definite one.
aio::Task<Carried> Courier::take_step(std::shared_ptr<Errand> errand, Ladder& ladder, int number) {
  Sending sending{errand->reply.key, number, to_string(ladder.step()), {}, {}, false};
  std::string const uuid = uuid_of(sending.key, number, ladder.step());
  std::optional<TimePoint> doubt = ladder.doubt(number);
  Backoff backoff(limits_.first_pause);
  Outcome no_outcome;
  for (bool begun = false;;) {
    if (errand->recalled && ladder.untouched()) {
      Carried recalled = co_await give_up(errand, "recalled", std::move(no_outcome));
      co_return recalled;
    }
    if (doubt && clock_.now() - *doubt > limits_.uuid_window) {
      // The platform may have it and does not know its uuid any more: once more could be twice.
      std::string reason = "the outcome of a try at " + iso8601(*doubt) + " is unknown";
      Carried unknown = co_await give_up(errand, std::move(reason), std::move(no_outcome));
      co_return unknown;
    }
    if (!begun) {
      sending.first_try = clock_.now();
      std::function<aio::Task<Result<Sending>>()> write = [this, sending] { return store_.begin_sending(sending); };
      Result<Sending> stands = co_await persist<Sending>(errand, write);
      if (!stands) co_return Carried{How::left, {}};
      begun = true;
      sending = *stands;
      ladder.note(std::move(*stands));
      if (!sending.platform_id.empty()) co_return Carried();
    }
    Part part = ladder.part(number);
    std::string same_uuid = uuid;
    Step const step = ladder.step();
    Outcome outcome = co_await call(errand, step, std::move(part), std::move(same_uuid));
    if (outcome.ok()) {
      note_success();
      sending.platform_id = outcome.id.empty() ? std::string(kUnnamed) : outcome.id;
      std::function<aio::Task<Result<void>>()> write = [this, sending] { return store_.sent(sending); };
      Result<void> const noted = co_await persist<void>(errand, write);
      if (!noted) co_return Carried{How::left, {}};
      ladder.note(sending);
      co_return Carried();
    }
    if (outcome.unknown && !doubt) doubt = sending.first_try;
    if (!waits(outcome.remedy)) {
      bool const may_have_arrived = doubt && outcome.remedy == Remedy::send_to_chat;
      if (may_have_arrived) outcome.remedy = Remedy::drop;
      Carried met = co_await meet(errand, ladder, sending, std::move(outcome));
      co_return met;
    }
    if (!doubt) {
      std::function<aio::Task<Result<void>>()> write = [this, sending] { return store_.refused(sending); };
      Result<void> const noted = co_await persist<void>(errand, write);
      if (!noted) co_return Carried{How::left, {}};
      sending.refused = true;
      ladder.note(sending);
      sending.refused = false;
      begun = false;
    }
    note_trouble(*errand, outcome);
    std::chrono::milliseconds const drawn = backoff.next(limits_.longest_pause);
    std::chrono::milliseconds const time = somebody_must_act(outcome.remedy) ? limits_.longest_pause : drawn;
    bool const go_on = co_await pause(errand, time);  // and as long as the platform says, in the next call
    if (!go_on) co_return Carried{How::left, {}};
    ++stats_.retries;
  }
}

/// A definite no: what to do instead.
aio::Task<Carried> Courier::meet(std::shared_ptr<Errand> errand, Ladder& ladder, Sending sending, Outcome outcome) {
  bool possible = false;
  switch (outcome.remedy) {
    case Remedy::next_form:
    case Remedy::split:  // parts are far below the limits of the lower forms
      possible = ladder.lower_form();
      break;
    case Remedy::send_to_chat:
      possible = ladder.leave_question();
      break;
    case Remedy::neutral_text:
      possible = ladder.say_neutral();
      break;
    default:
      break;
  }
  if (!possible) {
    bool const gone = outcome.remedy == Remedy::chat_gone;
    std::string reason = "refused with " + words_of(outcome);
    Carried ended = co_await give_up(errand, std::move(reason), std::move(outcome));
    if (gone && ended.how == How::given_up) ended.how = How::chat_gone;
    co_return ended;
  }
  log::write(log::Level::info, "feishu.degraded",
             {{"query_id", errand->reply.query_id},
              {"remedy", to_string(outcome.remedy)},
              {"code", static_cast<std::int64_t>(outcome.code)},
              {"logid", outcome.log_id},
              {"to", to_string(ladder.step())}});
  ++stats_.degraded;
  std::function<aio::Task<Result<void>>()> write = [this, sending] { return store_.refused(sending); };
  Result<void> const noted = co_await persist<void>(errand, write);
  if (!noted) co_return Carried{How::left, {}};
  sending.refused = true;
  ladder.note(std::move(sending));
  co_return Carried();
}

aio::Task<Carried> Courier::give_up(std::shared_ptr<Errand> errand, std::string reason, Outcome outcome) {
  std::function<aio::Task<Result<void>>()> write = [this, key = errand->reply.key, reason] {
    return store_.give_up(key, reason);
  };
  Result<void> const noted = co_await persist<void>(errand, write);
  if (!noted) co_return Carried{How::left, {}};
  ++stats_.given_up;
  log::write(log::Level::warn, "feishu.given_up",
             {{"query_id", errand->reply.query_id},
              {"message_id", errand->reply.to.message_id},
              {"reason", reason},
              {"code", static_cast<std::int64_t>(outcome.code)},
              {"logid", outcome.log_id}});
  co_return Carried{How::given_up, std::move(reason)};
}

aio::Task<Outcome> Courier::announce(std::shared_ptr<Errand> errand, std::string chat_id, Part part, std::string uuid) {
  Outcome outcome;
  Backoff backoff(limits_.first_pause);
  for (int tries = 0; tries < kAnnounceTries; ++tries) {
    Part same = part;
    std::string chat = chat_id, receiver = chat_id, same_uuid = uuid, kind = "chat_id";
    bool const free = co_await take_slot();
    if (!free) break;
    {
      Slot const slot(calls_, slot_free_);
      outcome = co_await api_.send(std::move(kind), std::move(receiver), std::move(same), std::move(same_uuid),
                                   std::move(chat));
    }
    if (outcome.remedy != Remedy::wait) break;
    bool const go_on = co_await pause(errand, backoff.next(limits_.longest_pause));
    if (!go_on) break;
  }
  co_return outcome;
}

aio::Task<Outcome> Courier::call(std::shared_ptr<Errand> errand, Step step, Part part, std::string uuid) {
  Outcome outcome;
  bool const free = co_await take_slot();
  if (!free) {
    outcome.remedy = Remedy::wait;
    outcome.what = "cancelled before it was sent";
    co_return outcome;
  }
  Slot const slot(calls_, slot_free_);
  scope::InboundMessage const& to = errand->reply.to;
  std::string chat = chat_of(to);
  if (!step.to_chat) {
    std::string question = to.message_id;
    outcome = co_await api_.reply(std::move(question), std::move(part), std::move(uuid), std::move(chat));
  } else {
    std::string kind = to.chat_type == scope::ChatType::group ? "chat_id" : "open_id";
    std::string receiver = chat;
    outcome =
        co_await api_.send(std::move(kind), std::move(receiver), std::move(part), std::move(uuid), std::move(chat));
  }
  co_return outcome;
}

aio::Task<bool> Courier::take_slot() {
  while (calls_ >= limits_.chats_at_once) {
    bool const go_on = co_await slot_free_.wait();
    if (!go_on) co_return false;
  }
  co_return true;
}

aio::Task<bool> Courier::pause(std::shared_ptr<Errand> errand, std::chrono::milliseconds time) {
  bool over = false;
  aio::Watchdog const alarm(ex_, time, [&] {
    over = true;
    errand->woken.notify();
  });
  while (!over && !leaving_) {
    bool const go_on = co_await errand->woken.wait();
    if (!go_on) co_return false;
  }
  co_return !leaving_;
}

/// Until the store takes it; an error: the reply is not there, or we leave.
template <class T>
aio::Task<Result<T>> Courier::persist(std::shared_ptr<Errand> errand, std::function<aio::Task<Result<T>>()> write) {
  Backoff backoff(limits_.first_pause);
  for (bool told = false;; told = true) {
    Result<T> written = co_await write();
    if (written) co_return written;
    if (!told) {
      log::write(log::Level::error, "feishu.not_noted",
                 {{"query_id", errand->reply.query_id}, {"reason", written.error().what}});
    }
    if (written.error().code == Errc::not_found) co_return written;
    bool const go_on = co_await pause(errand, backoff.next(limits_.longest_pause));
    if (!go_on) co_return written;
  }
}

/// A warning when it starts, and one more when somebody has to act.
void Courier::note_trouble(Errand const& errand, Outcome const& outcome) {
  auto const say = [&](log::Level level, std::string_view event) {
    log::write(level, event,
               {{"query_id", errand.reply.query_id},
                {"remedy", to_string(outcome.remedy)},
                {"status", outcome.http_status},
                {"code", static_cast<std::int64_t>(outcome.code)},
                {"logid", outcome.log_id},
                {"reason", outcome.what}});
  };
  if (!outage_) say(log::Level::warn, "feishu.retry");
  outage_ = true;
  if (!somebody_must_act(outcome.remedy)) return;
  if (stats_.fault.empty()) say(log::Level::error, "feishu.operator_needed");
  stats_.fault = "replies are held up: " + words_of(outcome);
}

void Courier::note_success() {
  if (outage_) log::write(log::Level::warn, "feishu.recovered");
  outage_ = false;
  stats_.fault.clear();
}

}  // namespace kb::feishu
