#include "adapters/bridge/server.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/bridge/connection.hpp"
#include "logging/service_log.hpp"

namespace kb::bridge {
namespace {

constexpr unsigned short kReplaced = 4409;  ///< close code (adapters/openclaw/PROTOCOL.md)

/// One message of one sender, whichever connection carries it. Names hold no control characters (frames.cpp).
std::string route_of(scope::InboundMessage const& message) {
  std::string route;
  for (auto const* part :
       {&message.principal.account, &message.chat.str(), &message.principal.user.str(), &message.message_id})
    route.append(*part).push_back('\n');
  return route;
}

std::string_view wire_code(Errc code) noexcept {
  switch (code) {
    case Errc::exhausted:
      return "busy";
    case Errc::invalid_input:
    case Errc::not_found:
    case Errc::denied:
      return "bad_request";
    case Errc::unavailable:
    case Errc::corrupt:
    case Errc::cancelled:
      break;
  }
  return "unavailable";
}

/// The sentence for the peer. What is wrong inside the house is for the operator alone.
std::string error_frame_for(std::string_view id, Error const& error) {
  std::string_view const code = wire_code(error.code);
  if (code != "unavailable") return error_frame(id, code, error.what);
  log::write(log::Level::warn, "bridge.unavailable", {{"code", to_string(error.code)}, {"what", error.what}});
  return error_frame(id, code, "not accepted: please send it again later");
}

}  // namespace

struct Bridge::State {
  class Peer;

  aio::Executor ex;
  BridgeLimits limits;
  OnMessage on_message;
  OnFeedback on_feedback;
  OnDelivered on_delivered;
  OnTool on_tool;
  OnPlace on_place;
  bool draining = false;
  std::list<Peer*> peers;
  std::unordered_map<std::string, std::vector<Peer*>> asked;  ///< by route, the newest last
  std::map<std::string, Peer*> by_boot;                       ///< account and process: its newest link

  void forget(std::string const& route, Peer* peer);
};

/// A connection and what it waits for. Known to the State as long as it lives.
class Bridge::State::Peer {
  using Clock = std::chrono::steady_clock;

 public:
  Peer(State& state, std::unique_ptr<aio::Link> link, std::string account);
  ~Peer();
  Peer(Peer const&) = delete;
  Peer& operator=(Peer const&) = delete;

  aio::Task<> run();
  void leave() { connection_.stop(1001, "going away"); }
  /// Answers now, or right after the ack that is on its way. False: this connection cannot.
  bool take(std::string const& route, adapters::Reply const& reply);
  void forget(std::string const& route);

 private:
  struct Waiting {
    unsigned admitting = 0;  ///< tries of it whose admission is not known yet
    bool acked = false;
    std::optional<adapters::Reply> early;  ///< settled before its ack was out
    std::optional<Clock::time_point> deadline;
  };

  aio::Task<> handle(std::string text);
  aio::Task<> on(MessageFrame frame);
  aio::Task<> acknowledge(std::string id, scope::InboundMessage message, std::string route);
  aio::Task<> on(FeedbackFrame frame);
  aio::Task<> on(HelloFrame frame);
  aio::Task<> on(ToolFrame frame);
  aio::Task<> on(PingFrame);
  aio::Task<> on(BadFrame frame);
  aio::Task<Result<scope::InboundMessage>> place(scope::InboundMessage message);
  aio::Task<Result<Accepted>> admit(scope::InboundMessage message);
  aio::Task<Result<void>> note(FeedbackFrame frame);
  aio::Task<Result<std::string>> call(ToolFrame frame);
  void say(std::string text);
  bool answer(adapters::Reply const& reply);
  void leave_process();

  State& state_;
  std::string account_;
  std::list<Peer*>::iterator place_;
  aio::Signal room_;
  std::map<std::string, Waiting> waiting_;  ///< by route
  std::string boot_;                        ///< as in State::by_boot; empty: it said no hello
  unsigned bad_in_a_row_ = 0;
  Connection connection_;
  aio::TaskGroup admissions_;
};

Bridge::State::Peer::Peer(State& state, std::unique_ptr<aio::Link> link, std::string account)
    : state_(state),
      account_(std::move(account)),
      place_(state.peers.insert(state.peers.end(), this)),
      room_(state.ex),
      connection_(
          state.ex, std::move(link),
          Connection::Hooks{[this](std::string text) { return handle(std::move(text)); },
                            [this](std::string const& key) { state_.on_delivered(key); }, [this] { room_.notify(); }},
          ConnectionLimits{state.limits.outbox, state.limits.write, state.limits.grace}),
      admissions_(state.ex, aio::log_faults()) {}

Bridge::State::Peer::~Peer() {
  for (auto const& [route, waiting] : waiting_) state_.forget(route, this);
  leave_process();
  state_.peers.erase(place_);
}

aio::Task<> Bridge::State::Peer::run() {
  std::exception_ptr fault;
  try {
    co_await connection_.run();
  } catch (...) {
    fault = std::current_exception();
  }
  co_await admissions_.join();
  if (fault) std::rethrow_exception(fault);
}

aio::Task<> Bridge::State::Peer::handle(std::string text) {
  Frame frame = parse_frame(text);
  if (!std::holds_alternative<BadFrame>(frame)) bad_in_a_row_ = 0;
  auto dispatch = [this](auto&& kind) { return on(std::move(kind)); };
  co_await std::visit(dispatch, std::move(frame));
}

aio::Task<> Bridge::State::Peer::on(MessageFrame frame) {
  while (waiting_.size() >= state_.limits.in_flight && !connection_.leaving()) {
    bool const go_on = co_await room_.wait();
    if (!go_on) co_return;
  }
  if (connection_.leaving()) co_return;
  std::string& account = frame.message.principal.account;
  account = account.empty() ? account_ : account_ + "/" + account;
  Result<scope::InboundMessage> placed = co_await place(std::move(frame.message));
  if (!placed) {
    say(error_frame_for(frame.id, placed.error()));
    co_return;
  }
  frame.message = std::move(*placed);
  std::string const route = route_of(frame.message);
  // Known before it is admitted: its answer can be there before admit() has returned to us.
  auto const [place, first] = waiting_.try_emplace(route);
  if (first) state_.asked[route].push_back(this);
  ++place->second.admitting;
  if (frame.deadline) place->second.deadline = Clock::now() + *frame.deadline;
  // Admitted in the order they are read, and made durable together: reading goes on meanwhile.
  admissions_.spawn("admission", acknowledge(std::move(frame.id), std::move(frame.message), route));
}

aio::Task<> Bridge::State::Peer::acknowledge(std::string id, scope::InboundMessage message, std::string route) {
  bool const may_pass = message.may_pass;
  Result<Accepted> accepted = co_await admit(std::move(message));
  bool const taken = accepted && !accepted->ignored;
  auto here = waiting_.find(route);
  if (here != waiting_.end()) {
    here->second.acked = here->second.acked || taken;
    bool const last = --here->second.admitting == 0;
    if (last && !here->second.acked) forget(route);  // no try of it was taken
  }
  if (!accepted) {
    say(error_frame_for(id, accepted.error()));
    co_return;
  }
  if (accepted->ignored && may_pass) {
    say(pass_frame(id));
  } else {
    say(ack_frame(id, accepted->ignored_why));
  }
  if (accepted->reply) {
    answer(*accepted->reply);
    forget(route);
    co_return;
  }
  here = waiting_.find(route);
  if (here == waiting_.end() || !here->second.acked || !here->second.early) co_return;
  answer(*here->second.early);
  forget(route);
}

aio::Task<> Bridge::State::Peer::on(FeedbackFrame frame) {
  Result<void> const noted = co_await note(std::move(frame));
  if (!noted) say(error_frame_for({}, noted.error()));
}

aio::Task<> Bridge::State::Peer::on(HelloFrame frame) {
  say(welcome_frame(static_cast<bool>(state_.on_tool)));
  if (frame.boot.empty()) co_return;
  leave_process();
  boot_ = account_ + '\n' + frame.boot;
  Peer*& newest = state_.by_boot[boot_];
  // The older link is one that broke without our hearing of it: what waits there is asked for again on this one.
  if (newest != nullptr && newest != this) newest->connection_.stop(kReplaced, "a newer link of the same process");
  newest = this;
}

aio::Task<> Bridge::State::Peer::on(ToolFrame frame) {
  std::string const id = frame.id;
  std::string& account = frame.from.principal.account;
  account = account.empty() ? account_ : account_ + "/" + account;
  if (!state_.on_tool) {
    say(error_frame(id, "bad_request", "this bridge has no tools"));
    co_return;
  }
  Result<std::string> const result = co_await call(std::move(frame));
  say(result ? tool_result_frame(id, *result) : error_frame_for(id, result.error()));
}

aio::Task<> Bridge::State::Peer::on(PingFrame) {
  say(pong_frame());
  co_return;
}

aio::Task<> Bridge::State::Peer::on(BadFrame frame) {
  say(error_frame(frame.id, "bad_request", frame.message));
  if (++bad_in_a_row_ >= state_.limits.bad_frames_in_a_row) connection_.stop(1008, "too many malformed frames");
  co_return;
}

// A fault of ours is an answer to the peer, not its end.
aio::Task<Result<scope::InboundMessage>> Bridge::State::Peer::place(scope::InboundMessage message) {
  if (!state_.on_place) co_return message;
  std::string fault;
  try {
    scope::InboundMessage placed = co_await state_.on_place(std::move(message));
    co_return placed;
  } catch (std::exception const& e) {
    fault = e.what();
  }
  co_return Error(Errc::unavailable, "placing a message: " + fault);
}

aio::Task<Result<Accepted>> Bridge::State::Peer::admit(scope::InboundMessage message) {
  std::string fault;
  try {
    Result<Accepted> accepted = co_await state_.on_message(std::move(message));
    co_return accepted;
  } catch (std::exception const& e) {
    fault = e.what();
  }
  co_return Error(Errc::unavailable, "admitting a message: " + fault);
}

aio::Task<Result<void>> Bridge::State::Peer::note(FeedbackFrame frame) {
  std::string fault;
  try {
    Result<void> noted = co_await state_.on_feedback(std::move(frame));
    co_return noted;
  } catch (std::exception const& e) {
    fault = e.what();
  }
  co_return Error(Errc::unavailable, "noting feedback: " + fault);
}

aio::Task<Result<std::string>> Bridge::State::Peer::call(ToolFrame frame) {
  std::string fault;
  try {
    Result<std::string> result = co_await state_.on_tool(std::move(frame));
    co_return result;
  } catch (std::exception const& e) {
    fault = e.what();
  }
  co_return Error(Errc::unavailable, "calling a tool: " + fault);
}

/// It is no process's newest link (any more).
void Bridge::State::Peer::leave_process() {
  auto const newest = state_.by_boot.find(boot_);
  if (newest != state_.by_boot.end() && newest->second == this) state_.by_boot.erase(newest);
}

void Bridge::State::Peer::say(std::string text) {
  // False: the connection is ending, and its peer hears of it by that.
  (void)connection_.say(aio::Outgoing(std::move(text), std::string()));
}

bool Bridge::State::Peer::answer(adapters::Reply const& reply) {
  return connection_.say(aio::Outgoing(answer_frame(reply.to.message_id, reply), reply.key));
}

bool Bridge::State::Peer::take(std::string const& route, adapters::Reply const& reply) {
  auto const here = waiting_.find(route);
  if (here == waiting_.end() || connection_.leaving()) return false;
  if (here->second.deadline && Clock::now() > *here->second.deadline) {
    log::write(log::Level::info, "bridge.late_answer", {{"query_id", reply.query_id}});
    forget(route);  // asked again, it gets this answer
    return true;
  }
  if (!here->second.acked) {
    here->second.early = reply;
    return true;
  }
  bool const queued = answer(reply);
  if (queued) forget(route);
  return queued;
}

void Bridge::State::Peer::forget(std::string const& route) {
  auto const here = waiting_.find(route);
  if (here == waiting_.end()) return;
  state_.forget(route, this);
  waiting_.erase(here);
  room_.notify();
}

void Bridge::State::forget(std::string const& route, Peer* peer) {
  auto const at = asked.find(route);
  if (at == asked.end()) return;
  std::erase(at->second, peer);
  if (at->second.empty()) asked.erase(at);
}

Bridge::Bridge(aio::Executor ex, BridgeLimits limits, OnMessage on_message, OnFeedback on_feedback,
               OnDelivered on_delivered, OnTool on_tool, OnPlace on_place)
    : state_(std::make_shared<State>()) {
  state_->ex = std::move(ex);
  state_->limits = limits;
  state_->on_message = std::move(on_message);
  state_->on_feedback = std::move(on_feedback);
  state_->on_delivered = std::move(on_delivered);
  state_->on_tool = std::move(on_tool);
  state_->on_place = std::move(on_place);
}

Bridge::~Bridge() = default;

aio::Task<> Bridge::serve(std::unique_ptr<aio::Link> link, std::string account) {
  auto const state = state_;
  State::Peer peer(*state, std::move(link), std::move(account));
  if (state->draining) peer.leave();
  co_await peer.run();
}

bool Bridge::say(adapters::Reply const& reply) {
  std::string const route = route_of(reply.to);
  auto const at = state_->asked.find(route);
  if (at == state_->asked.end()) return false;
  std::vector<State::Peer*> const peers = at->second;  // a copy: answering forgets
  auto const taker = std::find_if(peers.rbegin(), peers.rend(), [&](auto* peer) { return peer->take(route, reply); });
  if (taker == peers.rend()) return false;
  for (auto* const peer : peers)
    if (peer != *taker) peer->forget(route);  // the answer has gone where its asker is now
  return true;
}

void Bridge::drain() {
  state_->draining = true;
  for (auto* const peer : state_->peers) peer->leave();
}

std::size_t Bridge::connections() const noexcept { return state_->peers.size(); }

}  // namespace kb::bridge
