#include "adapters/feishu/feishu.hpp"

#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/feishu/backoff.hpp"
#include "adapters/feishu/digest.hpp"
#include "adapters/feishu/event.hpp"
#include "adapters/feishu/render.hpp"
#include "logging/service_log.hpp"

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestIdentityPause = 60s;

}  // namespace

struct Feishu::Impl {
  Impl(aio::Executor executor, FeishuOptions o, adapters::Store& s, Clock const& c, Hooks h)
      : ex(executor),
        options(std::move(o)),
        store(s),
        clock(c),
        hooks(std::move(h)),
        http(ex, options.tls, aio::HttpClient::Limits()),
        api(ex, http, options.app, clock),
        delivery(ex, api, store, clock, options.delivery, delivery_hooks()),
        identity(ex, aio::log_faults()),
        tasks(ex, aio::log_faults()) {}

  Delivery::Hooks delivery_hooks() {
    Delivery::Hooks d;
    d.chat_gone = [this](ChatId const& chat, std::string const& reason) {
      if (stopping) return;
      tasks.spawn("chat gone", hooks.chat_gone(chat, reason));
    };
    d.room = [this] { hooks.room(); };
    return d;
  }

  aio::Task<> learn_identity();
  aio::Task<EventAnswer> on_event(std::string payload);
  aio::Task<EventAnswer> on(Incoming in);
  aio::Task<EventAnswer> on(Recalled recalled);
  aio::Task<EventAnswer> on(CardClick click);
  aio::Task<EventAnswer> on(ChatEvent event);
  aio::Task<EventAnswer> on(Ignored ignored);
  aio::Task<bool> repeated_by_client(Incoming const& in);
  [[nodiscard]] std::string claim_key(std::string_view kind, std::string_view of) const {
    return "feishu/" + options.app.id + "/" + std::string(kind) + "/" + std::string(of);
  }

  aio::Executor ex;
  FeishuOptions options;
  adapters::Store& store;
  Clock const& clock;
  Hooks hooks;
  aio::HttpClient http;
  Api api;
  Delivery delivery;
  Identity us;
  std::string bot_name;
  std::string fault;  ///< why we do not know who we are
  bool stopping = false;
  std::vector<std::unique_ptr<Connection>> connections;
  aio::TaskGroup identity;
  aio::TaskGroup tasks;
};

/// Until it is known, or stop().
aio::Task<> Feishu::Impl::learn_identity() {
  Backoff backoff(options.connection.first_pause);
  while (!stopping) {
    Result<BotInfo> const info = co_await api.bot_info();
    if (stopping) break;
    if (info && !info->open_id.empty()) {
      us = {options.app.id, info->open_id};
      bot_name = info->name;
      fault.clear();
      co_return;
    }
    std::string why =
        info ? "the platform named no bot: enable the bot ability in the developer console" : info.error().what;
    auto const level = fault.empty() ? log::Level::error : log::Level::debug;  // once, not each time
    log::write(level, "feishu.identity_unknown", {{"app", options.app.id}, {"reason", why}});
    fault = std::move(why);
    bool const go_on = co_await aio::sleep_for(ex, backoff.next(kLongestIdentityPause));
    if (!go_on) break;
  }
}

aio::Task<EventAnswer> Feishu::Impl::on_event(std::string payload) {
  Result<Event> event = parse_event(payload, us);
  if (!event) {
    // Sent again it would be no better, so it is taken and noted.
    log::write(log::Level::warn, "feishu.event_malformed", {{"app", options.app.id}, {"reason", event.error().what}});
    co_return EventAnswer();
  }
  auto dispatch = [this](auto&& kind) { return on(std::move(kind)); };
  EventAnswer answer = co_await std::visit(dispatch, std::move(*event));
  co_return answer;
}

/// A client on a shaky network sends its message again under another id: same sender, chat, text and time.
aio::Task<bool> Feishu::Impl::repeated_by_client(Incoming const& in) {
  if (in.client_create_ms.empty() || in.message.text.empty()) co_return false;
  std::string const what = digest({in.message.principal.user.str(), in.chat_id, in.client_create_ms, in.message.text});
  std::string key = claim_key("said", what);
  std::string value = in.message.message_id;
  Result<std::string> const first = co_await store.claim(std::move(key), std::move(value));
  if (!first) co_return false;  // admitting it will say what is wrong
  co_return *first != in.message.message_id;
}

aio::Task<EventAnswer> Feishu::Impl::on(Incoming in) {
  EventAnswer answer;
  in.message.room = in.chat_id;
  bool const wanted = in.message.chat_type == scope::ChatType::direct || in.message.mentioned;
  if (wanted) {
    bool const again = co_await repeated_by_client(in);
    if (again) {
      log::write(log::Level::info, "feishu.client_repeat",
                 {{"app", options.app.id}, {"message_id", in.message.message_id}});
      co_return answer;
    }
  }
  scope::InboundMessage const message = in.message;
  Result<adapters::Accepted> accepted = co_await hooks.receive(std::move(in.message));
  if (!accepted && accepted.error().code == Errc::invalid_input) {
    delivery.announce(claim_key("refused", message.message_id), in.chat_id,
                      "没有收下这条消息：" + accepted.error().what);
    co_return answer;
  }
  if (!accepted) {
    log::write(log::Level::warn, "feishu.not_taken", {{"app", options.app.id}, {"reason", accepted.error().what}});
    answer.code = 500;
    co_return answer;
  }
  if (accepted->ignored) co_return answer;
  if (accepted->over) {
    delivery.over(message.message_id);
  } else if (accepted->reply) {
    delivery.deliver(std::move(*accepted->reply));
  } else {
    delivery.expect(message);
  }
  co_return answer;
}

aio::Task<EventAnswer> Feishu::Impl::on(Recalled recalled) {
  delivery.withdraw(recalled.message_id);
  hooks.withdraw(options.app.id, recalled.message_id);
  co_return EventAnswer();
}

aio::Task<EventAnswer> Feishu::Impl::on(CardClick click) {
  EventAnswer answer;
  if (click.query_id.empty()) co_return answer;
  std::string const query_id = click.query_id;
  adapters::Vote vote{click.query_id, UserId(click.operator_id), click.vote, click.kind};
  Result<void> const noted = co_await hooks.vote(std::move(vote));
  if (!noted) {
    bool const gone = noted.error().code == Errc::not_found;
    answer.data =
        toast_answer(gone ? "info" : "error", gone ? "这条回答太久了，反馈没有记下。" : "反馈没有记下，请稍后再试。");
    co_return answer;
  }
  std::string id = query_id;
  std::optional<adapters::Reply> reply = co_await hooks.answered(std::move(id));
  answer.data = reply ? vote_answer(*reply, Votes{click.vote}) : toast_answer("success", "已记下，谢谢。");
  co_return answer;
}

aio::Task<EventAnswer> Feishu::Impl::on(ChatEvent event) {
  switch (event.kind) {
    case ChatEvent::Kind::bot_added:
      if (options.greet) delivery.announce(claim_key("greeting", event.event_id), event.chat_id, greeting_text());
      break;
    case ChatEvent::Kind::bot_removed:
      co_await hooks.chat_gone(ChatId(event.chat_id), "the bot was removed from the group");
      break;
    case ChatEvent::Kind::disbanded:
      co_await hooks.chat_gone(ChatId(event.chat_id), "the group was disbanded");
      break;
    case ChatEvent::Kind::renamed:
      break;
  }
  co_return EventAnswer();
}

aio::Task<EventAnswer> Feishu::Impl::on(Ignored ignored) {
  log::write(log::Level::debug, "feishu.ignored",
             {{"app", options.app.id}, {"why", ignored.why}, {"type", ignored.type}});
  co_return EventAnswer();
}

Feishu::Feishu(aio::Executor ex, FeishuOptions options, adapters::Store& store, Clock const& clock, Hooks hooks)
    : impl_(std::make_shared<Impl>(std::move(ex), std::move(options), store, clock, std::move(hooks))) {}
Feishu::~Feishu() = default;

aio::Task<> Feishu::run() {
  auto const impl = impl_;
  impl->identity.spawn("feishu identity", impl->learn_identity());
  co_await impl->identity.join();
  if (!impl->us.open_id.empty()) {
    auto on_event = [raw = impl.get()](std::string, std::string payload) { return raw->on_event(std::move(payload)); };
    for (unsigned n = 0; n < impl->options.connections && !impl->stopping; ++n) {
      impl->connections.push_back(std::make_unique<Connection>(impl->ex, impl->http, impl->options.tls,
                                                               impl->options.app, impl->options.connection, on_event));
      impl->tasks.spawn("connection", impl->connections.back()->run());
    }
  }
  co_await impl->tasks.join();
}

void Feishu::stop() {
  impl_->stopping = true;
  for (auto const& connection : impl_->connections) connection->stop();
  impl_->identity.cancel();
}

void Feishu::deliver(adapters::Reply reply) { impl_->delivery.deliver(std::move(reply)); }

aio::Task<> Feishu::drain(std::chrono::milliseconds grace) {
  auto const impl = impl_;
  co_await impl->delivery.drain(grace);
  co_await impl->tasks.join();
  impl->http.close_idle();
}

FeishuState Feishu::state() const {
  FeishuState state;
  state.bot = impl_->bot_name;
  state.fault = impl_->fault;
  if (state.fault.empty() && impl_->bot_name.empty() && impl_->connections.empty()) state.fault = "starting";
  for (auto const& connection : impl_->connections) {
    ConnectionState const& one = connection->state();
    if (one.phase == ConnectionState::Phase::open) {
      ++state.open;
    } else if (state.fault.empty()) {
      state.fault = one.fault.empty() ? "connecting" : one.fault;
    }
  }
  if (state.fault.empty()) state.fault = impl_->delivery.stats().fault;
  return state;
}

}  // namespace kb::feishu
