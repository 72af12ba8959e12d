#include "adapters/feishu/connection.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/aio/outbox.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/aio/watchdog.hpp"
#include "adapters/feishu/backoff.hpp"
#include "adapters/feishu/discovery.hpp"
#include "adapters/feishu/fragments.hpp"
#include "adapters/feishu/frame.hpp"
#include "logging/service_log.hpp"

namespace kb::feishu {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Phase = ConnectionState::Phase;

constexpr char const* kAck = "ack";  // tags of what goes out
constexpr char const* kPing = "ping";
constexpr std::size_t kSpareWrites = 8;  // beyond one acknowledgement for each event in hand

Fragments::Limits fragment_limits(ConnectionLimits const& limits) {
  Fragments::Limits of;
  of.max_parts = limits.max_fragments;
  of.max_sets = limits.max_open_sets;
  of.max_bytes = limits.max_set_bytes;
  of.life = limits.fragment_life;
  return of;
}

/// One open link and what belongs to it alone. Late acknowledgements find their session, or none.
struct Session {
  std::unique_ptr<aio::Link> link;
  std::int32_t service;
  aio::Outbox outbox;
  Fragments fragments;
  aio::Signal beat;   ///< it may be time for a ping, or another interval holds
  bool over = false;  ///< nothing more comes
  std::string fault;

  Session(aio::Executor ex, std::unique_ptr<aio::Link> l, std::int32_t s, ConnectionLimits const& limits)
      : link(std::move(l)),
        service(s),
        outbox(ex, limits.events_at_once + kSpareWrites),
        fragments(fragment_limits(limits)),
        beat(ex) {
    link->send_binary(true);
  }
};
using SessionPtr = std::shared_ptr<Session>;

}  // namespace

struct Connection::Impl {
  aio::Executor ex;
  aio::HttpClient& http;
  std::shared_ptr<aio::TlsContext> tls;
  App app;
  ConnectionLimits limits;
  OnEvent on_event;

  ConnectionState state;
  Tuning tuning;
  Backoff backoff;
  bool tried = false;         ///< since the last good connection
  bool outage_told = false;   ///< in the log, once
  bool refusal_told = false;  ///< the same
  bool stopping = false;
  std::size_t in_hand = 0;  ///< events being handled
  aio::Signal changed;      ///< stopping, a session's end, in_hand
  aio::TaskGroup events;    ///< outlive their session: what was begun is finished
  aio::TaskGroup life;

  Impl(aio::Executor e, aio::HttpClient& h, std::shared_ptr<aio::TlsContext> t, App a, ConnectionLimits l, OnEvent o)
      : ex(std::move(e)),
        http(h),
        tls(std::move(t)),
        app(std::move(a)),
        limits(l),
        on_event(std::move(o)),
        backoff(l.first_pause, l.seed),
        changed(ex),
        events(ex, aio::log_faults()),
        life(ex, aio::log_faults()) {
    tuning.ping = std::clamp(tuning.ping, limits.shortest_ping, limits.longest_ping);
  }

  aio::Task<> live();
  aio::Task<Trouble> attempt();
  aio::Task<Trouble> serve(std::unique_ptr<aio::Link> link, Endpoint endpoint);
  aio::Task<> read_loop(SessionPtr session);
  aio::Task<Result<std::string>> next(SessionPtr session);
  aio::Task<> hear(SessionPtr session, std::string message);
  aio::Task<bool> room_for_event();
  aio::Task<> handle(std::weak_ptr<Session> from, Frame frame, std::string payload);
  aio::Task<> write_loop(SessionPtr session);
  aio::Task<> ping_loop(SessionPtr session);
  aio::Task<> farewell(SessionPtr session);

  void opened(Endpoint const& endpoint);
  void note(Trouble const& trouble);
  milliseconds pause_after(Trouble const& trouble);
};

namespace {

aio::Task<bool> cancelled() {
  auto const state = co_await aio::asio::this_coro::cancellation_state;
  co_return state.cancelled() != aio::asio::cancellation_type::none;
}

}  // namespace

// One attempt after the other: nothing here can run twice at a time.
aio::Task<> Connection::Impl::live() {
  while (!stopping) {
    Trouble const trouble = co_await attempt();
    bool const given_up = co_await cancelled();
    if (stopping || given_up) break;
    note(trouble);
    state.phase = Phase::waiting;
    milliseconds const pause = pause_after(trouble);
    bool const go_on = co_await aio::sleep_for(ex, pause);
    if (!go_on) break;
  }
  state.phase = Phase::idle;
}

// Discovery, handshake, and the open connection until it ends. The URL of a discovery is good for one handshake.
aio::Task<Trouble> Connection::Impl::attempt() {
  Trouble trouble;
  state.phase = Phase::discovering;
  aio::HttpCall question = discovery_call(app, limits.discovery);
  Result<aio::HttpResponse> const answer = co_await http.send(std::move(question));
  if (!answer) {
    trouble.what = "discovery: " + redacted(answer.error().what, {app.secret});
    co_return trouble;
  }
  Discovery discovery = read_discovery(*answer, app, tuning, limits);
  if (!discovery.endpoint) co_return std::move(discovery.trouble);

  state.phase = Phase::connecting;
  aio::WsCall call;
  call.url = discovery.endpoint->url;
  call.tls = tls;
  call.limits.handshake = limits.handshake;
  call.limits.max_message_bytes = limits.max_message_bytes;
  call.limits.idle = 2 * limits.websocket_ping;  // a ping goes out at half of it
  aio::WsAnswer link = co_await aio::open_ws(ex, std::move(call));
  if (!link.link) {
    trouble = read_refusal(link);
    trouble.what = redacted(std::move(trouble.what), discovery.endpoint->secrets);
    co_return trouble;
  }
  if (stopping) co_return trouble;
  trouble = co_await serve(std::move(link.link), std::move(*discovery.endpoint));
  co_return trouble;
}

aio::Task<Trouble> Connection::Impl::serve(std::unique_ptr<aio::Link> link, Endpoint endpoint) {
  auto const start = steady_clock::now();
  auto const session = std::make_shared<Session>(ex, std::move(link), endpoint.service, limits);
  opened(endpoint);
  aio::TaskGroup loops(ex, aio::log_faults());
  aio::TaskGroup pings(ex, aio::log_faults());
  loops.spawn("feishu read", read_loop(session));
  loops.spawn("feishu write", write_loop(session));
  loops.spawn("feishu farewell", farewell(session));
  pings.spawn("feishu ping", ping_loop(session));
  co_await loops.join();
  pings.cancel();
  co_await pings.join();
  if (steady_clock::now() - start >= limits.good_connection) {
    tried = false;
    backoff.reset();
  }
  Trouble trouble;
  trouble.what = redacted(session->fault, endpoint.secrets);
  co_return trouble;
}

aio::Task<> Connection::Impl::read_loop(SessionPtr session) {
  for (;;) {
    Result<std::string> message = co_await next(session);
    if (!message) {
      session->fault = message.error().what;
      break;
    }
    state.last_heard = SystemClock().now();
    co_await hear(session, std::move(*message));
  }
  session->over = true;
  session->outbox.close();
  changed.notify();
}

// A link on which nothing comes, not even pongs, is dead, whatever TCP says.
aio::Task<Result<std::string>> Connection::Impl::next(SessionPtr session) {
  milliseconds const limit = std::max(2 * tuning.ping, limits.least_silence);
  aio::Watchdog silence(ex, limit, [&session] { session->link->abort(); });
  Result<std::string> message = co_await session->link->read();
  if (silence.bitten()) co_return Error(Errc::unavailable, "nothing came for too long");
  co_return message;
}

aio::Task<> Connection::Impl::hear(SessionPtr session, std::string message) {
  bool const binary = session->link->got_binary();
  Result<Frame> frame = binary ? Frame::decode(message) : Error(Errc::invalid_input, "text");
  if (frame && frame->control()) {
    if (frame->header("type") == "pong") tune(tuning, frame->payload(), limits);
    session->beat.notify();
    co_return;
  }
  bool const event = frame && frame->data() && (frame->header("type") == "event" || frame->header("type") == "card");
  if (!event) {
    ++state.dropped_frames;
    co_return;
  }
  if (stopping) co_return;  // not acknowledged: it goes to another connection, or comes again
  std::uint64_t const dropped = session->fragments.dropped();
  std::optional<std::string> payload = session->fragments.add(*frame, steady_clock::now());
  state.dropped_frames += session->fragments.dropped() - dropped;
  if (!payload) co_return;
  bool const room = co_await room_for_event();
  if (!room) co_return;
  ++state.events;
  ++in_hand;
  events.spawn("feishu event", handle(session, std::move(*frame), std::move(*payload)));
}

// When too many are in hand, the reader waits, and so does the server.
aio::Task<bool> Connection::Impl::room_for_event() {
  while (in_hand >= limits.events_at_once && !stopping) {
    bool const go_on = co_await changed.wait();
    if (!go_on) co_return false;
  }
  co_return !stopping;
}

aio::Task<> Connection::Impl::handle(std::weak_ptr<Session> from, Frame frame, std::string payload) {
  auto const start = steady_clock::now();
  EventAnswer answer;
  std::string type(frame.header("type"));
  try {
    answer = co_await on_event(std::move(type), std::move(payload));
  } catch (std::exception const& e) {
    log::write(log::Level::error, "feishu.event_failed", {{"app_id", app.id}, {"what", e.what()}});
    answer.code = 500;
  } catch (...) {
    log::write(log::Level::error, "feishu.event_failed", {{"app_id", app.id}});
    answer.code = 500;
  }
  auto const took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
  auto const session = from.lock();
  if (session) {
    (void)session->outbox.offer(aio::Outgoing(frame.ack(answer.code, answer.data, took).encode(), kAck));
  }
  --in_hand;
  changed.notify();
}

aio::Task<> Connection::Impl::write_loop(SessionPtr session) {
  for (;;) {
    std::optional<aio::Outgoing> out = co_await session->outbox.take();
    if (!out) break;
    aio::Watchdog stuck(ex, limits.write, [&session] { session->link->abort(); });
    Result<void> const sent = co_await session->link->write(std::move(out->text));
    if (!sent) break;
    if (out->tag == kAck) ++state.acks;
  }
  aio::Watchdog grace(ex, limits.close, [&session] { session->link->abort(); });
  co_await session->link->close();
  session->link->abort();
}

// At once, then at the server's interval, which can change meanwhile.
aio::Task<> Connection::Impl::ping_loop(SessionPtr session) {
  for (;;) {
    (void)session->outbox.offer(aio::Outgoing(Frame::ping(session->service).encode(), kPing));
    auto const sent = steady_clock::now();
    for (;;) {
      auto const left = std::chrono::ceil<milliseconds>(sent + tuning.ping - steady_clock::now());
      if (left <= milliseconds::zero()) break;
      aio::Watchdog due(ex, left, [&session] { session->beat.notify(); });
      bool const go_on = co_await session->beat.wait();
      if (!go_on) co_return;
    }
    std::uint64_t const dropped = session->fragments.dropped();
    session->fragments.expire(steady_clock::now());
    state.dropped_frames += session->fragments.dropped() - dropped;
  }
}

// Until somebody stops us; then events in hand are acknowledged before the link closes.
aio::Task<> Connection::Impl::farewell(SessionPtr session) {
  bool go_on = true;
  while (go_on && !stopping && !session->over) {
    go_on = co_await changed.wait();
  }
  aio::Watchdog patience(ex, limits.farewell, [this] { changed.notify(); });
  while (go_on && in_hand != 0 && !session->over && !patience.bitten()) {
    go_on = co_await changed.wait();
  }
  session->outbox.close();
}

void Connection::Impl::opened(Endpoint const& endpoint) {
  state.phase = Phase::open;
  state.fault.clear();
  state.refused = false;
  state.device_id = endpoint.device_id;
  ++state.connects;
  state.last_heard = SystemClock().now();
  outage_told = refusal_told = false;
  log::write(log::Level::info, "feishu.connected", {{"app_id", app.id}, {"device_id", endpoint.device_id}});
}

// Once an outage, not once a try.
void Connection::Impl::note(Trouble const& trouble) {
  state.fault = trouble.what;
  state.refused = trouble.refused;
  bool& told = trouble.refused ? refusal_told : outage_told;
  auto const level = trouble.refused ? log::Level::error : log::Level::warn;
  char const* const event = trouble.refused ? "feishu.refused" : "feishu.lost";
  log::write(told ? log::Level::debug : level, event, {{"app_id", app.id}, {"what", trouble.what}});
  told = true;
}

// Jittered, so that a thousand clients do not come back in one second.
milliseconds Connection::Impl::pause_after(Trouble const& trouble) {
  milliseconds pause;
  if (trouble.refused) {
    pause = backoff.between(limits.refused_retry, limits.refused_retry * 5 / 4);
  } else if (!std::exchange(tried, true)) {
    pause = backoff.between(milliseconds::zero(), std::min(tuning.nonce, limits.first_try));
  } else {
    pause = backoff.next(std::clamp(tuning.reconnect, limits.first_pause, limits.longest_pause));
  }
  return std::max(trouble.wait, pause);
}

Connection::Connection(aio::Executor ex, aio::HttpClient& http, std::shared_ptr<aio::TlsContext> tls, App app,
                       ConnectionLimits limits, OnEvent on_event)
    : impl_(std::make_shared<Impl>(std::move(ex), http, std::move(tls), std::move(app), limits, std::move(on_event))) {}
Connection::~Connection() = default;

aio::Task<> Connection::run() {
  auto const impl = impl_;
  impl->life.spawn("feishu connection", impl->live());
  co_await impl->life.join();
  aio::Watchdog patience(impl->ex, impl->limits.farewell, [&impl] { impl->events.cancel(); });
  co_await impl->events.join();
}

void Connection::stop() {
  impl_->stopping = true;
  impl_->changed.notify();
  if (impl_->state.phase != Phase::open) impl_->life.cancel();
}

ConnectionState const& Connection::state() const noexcept { return impl_->state; }

}  // namespace kb::feishu
