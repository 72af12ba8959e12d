#include "adapters/feishu/delivery.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "adapters/aio/task_group.hpp"
#include "adapters/aio/watchdog.hpp"
#include "adapters/feishu/courier.hpp"
#include "adapters/feishu/digest.hpp"
#include "adapters/feishu/typing.hpp"
#include "logging/service_log.hpp"

namespace kb::feishu {
namespace {

using adapters::Reply;
using How = Carried::How;
using ErrandPtr = std::shared_ptr<Errand>;

/// The last ids of a kind.
class Lately {
 public:
  void add(std::string const& id) {
    if (!known_.insert(id).second) return;
    order_.push_back(id);
    if (order_.size() <= kMost) return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  [[nodiscard]] bool has(std::string const& id) const { return known_.contains(id); }

 private:
  static constexpr std::size_t kMost = 10'000;
  std::set<std::string> known_;
  std::deque<std::string> order_;
};

struct Chat {
  std::deque<ErrandPtr> waiting;
  ErrandPtr current;
};

std::string chat_of(scope::InboundMessage const& m) {
  return m.chat_type == scope::ChatType::group ? "g" + m.chat.str() : "d" + m.principal.user.str();
}

}  // namespace

struct Delivery::Impl {
  Impl(aio::Executor executor, Api& api, adapters::Store& s, Clock const& clock, DeliveryLimits limits, Hooks h)
      : ex(executor),
        store(s),
        hooks(std::move(h)),
        most_waiting(limits.most_waiting),
        courier(ex, api, store, clock, limits, stats),
        typing(ex, api, store, limits.slow, [this] { return !courier.scarce(); }),
        tasks(ex, aio::log_faults()) {}

  aio::Task<> run_chat(std::string name);
  aio::Task<Carried> carry(ErrandPtr errand);
  aio::Task<> close_chat(std::string name, ChatId chat, std::string reason);
  aio::Task<> announce(std::string key, std::string chat_id, std::string text);
  void end(Errand const& errand, How how);

  aio::Executor ex;
  adapters::Store& store;
  Hooks hooks;
  std::size_t const most_waiting;
  bool left_behind = false;  ///< a reply stays in the store for want of room, and so do those that come after it
  DeliveryStats stats;
  Courier courier;
  Typing typing;
  std::map<std::string, Chat> chats;
  std::set<std::string> open;  ///< keys of what waits or is under way
  Lately ended;                ///< keys of replies that are done with: offered again, they stay so
  Lately recalled;             ///< questions: the answer to one can still be on its way to us
  std::set<ErrandPtr> announcing;
  std::random_device random;
  bool draining = false;
  aio::TaskGroup tasks;
};

/// One at a time, in order. Chats wait for nobody but the platform and a free call.
aio::Task<> Delivery::Impl::run_chat(std::string name) {
  Chat& chat = chats[name];  // stays: it is erased here alone
  while (!chat.waiting.empty() && !draining) {
    ErrandPtr const errand = chat.waiting.front();
    chat.waiting.pop_front();
    chat.current = errand;
    Carried carried = co_await carry(errand);
    chat.current.reset();
    end(*errand, carried.how);
    if (carried.how == How::chat_gone) {
      co_await close_chat(name, errand->reply.to.chat, std::move(carried.reason));
    }
  }
  chats.erase(name);
}

/// A fault of ours costs this reply a restart, not the chat its order.
aio::Task<Carried> Delivery::Impl::carry(ErrandPtr errand) {
  Carried carried{How::left, {}};
  try {
    carried = co_await courier.carry(errand);
  } catch (std::exception const& fault) {
    log::write(log::Level::error, "feishu.delivery_failed",
               {{"query_id", errand->reply.query_id}, {"reason", fault.what()}});
  }
  co_return carried;
}

aio::Task<> Delivery::Impl::close_chat(std::string name, ChatId chat, std::string reason) {
  std::deque<ErrandPtr> const waiting = std::exchange(chats[name].waiting, {});
  for (ErrandPtr const& errand : waiting) {
    std::string same = reason;
    Outcome none;
    Carried const ended_as = co_await courier.give_up(errand, std::move(same), std::move(none));
    end(*errand, ended_as.how);
  }
  if (!chat.empty() && hooks.chat_gone) hooks.chat_gone(chat, reason);
}

void Delivery::Impl::end(Errand const& errand, How how) {
  std::string const& key = errand.reply.key;
  open.erase(key);
  stats.waiting = open.size();
  if (how != How::left) {
    typing.over(errand.reply.to.message_id);
    ended.add(key);
  }
  bool const room = open.size() * 2 <= most_waiting;
  if (!left_behind || !room || draining) return;
  left_behind = false;
  hooks.room();
}

aio::Task<> Delivery::Impl::announce(std::string key, std::string chat_id, std::string text) {
  std::string mine = digest({"announcement", key, std::to_string(random()), std::to_string(random())});
  std::string const own = mine;
  std::string claimed = key;
  Result<std::string> const first = co_await store.claim(std::move(claimed), std::move(mine));
  if (!first) log::write(log::Level::error, "feishu.not_noted", {{"reason", first.error().what}});
  if (!first || *first != own) co_return;
  Reply reply;
  reply.key = key;
  reply.text = std::move(text);
  std::vector<Part> const parts = render(Form::text, reply);
  auto const errand = std::make_shared<Errand>(ex, std::move(reply));
  announcing.insert(errand);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    Part part = parts[n];
    std::string chat = chat_id;
    std::string uuid = digest({"announcement", key, std::to_string(n)});
    Outcome const said = co_await courier.announce(errand, std::move(chat), std::move(part), std::move(uuid));
    if (said.ok()) continue;
    log::write(log::Level::warn, "feishu.not_announced",
               {{"chat_id", chat_id}, {"code", static_cast<std::int64_t>(said.code)}, {"logid", said.log_id}});
    break;
  }
  announcing.erase(errand);
}

Delivery::Delivery(aio::Executor ex, Api& api, adapters::Store& store, Clock const& clock, DeliveryLimits limits,
                   Hooks hooks)
    : impl_(std::make_shared<Impl>(std::move(ex), api, store, clock, limits, std::move(hooks))) {}
Delivery::~Delivery() = default;

void Delivery::expect(scope::InboundMessage const& message) { impl_->typing.expect(message.message_id); }

void Delivery::deliver(Reply reply) {
  bool const again = impl_->open.contains(reply.key) || impl_->ended.has(reply.key);
  if (impl_->draining || again) return;
  impl_->left_behind = impl_->left_behind || impl_->open.size() >= impl_->most_waiting;
  if (impl_->left_behind) return;
  impl_->open.insert(reply.key);
  impl_->stats.waiting = impl_->open.size();
  std::string const name = chat_of(reply.to);
  auto const [chat, idle] = impl_->chats.try_emplace(name);
  auto const errand = std::make_shared<Errand>(impl_->ex, std::move(reply));
  errand->recalled = errand->reply.text.empty() || impl_->recalled.has(errand->reply.to.message_id);
  chat->second.waiting.push_back(errand);
  if (idle) impl_->tasks.spawn("chat", impl_->run_chat(name));
}

void Delivery::withdraw(std::string const& message_id) {
  auto const recall = [&](ErrandPtr const& errand) {
    if (errand && errand->reply.to.message_id == message_id) errand->recalled = true;
  };
  for (auto const& [name, chat] : impl_->chats) {
    recall(chat.current);
    std::for_each(chat.waiting.begin(), chat.waiting.end(), recall);
  }
  impl_->recalled.add(message_id);
  impl_->typing.over(message_id);
}

void Delivery::over(std::string const& message_id) { impl_->typing.over(message_id); }

void Delivery::announce(std::string key, std::string chat_id, std::string text) {
  if (impl_->draining || chat_id.empty()) return;
  impl_->tasks.spawn("announce", impl_->announce(std::move(key), std::move(chat_id), std::move(text)));
}

aio::Task<> Delivery::drain(std::chrono::milliseconds grace) {
  auto const impl = impl_;
  impl->draining = true;
  impl->courier.leave();
  impl->typing.leave();
  for (auto const& [name, chat] : impl->chats) {
    if (chat.current) chat.current->woken.notify();
  }
  for (ErrandPtr const& errand : impl->announcing) errand->woken.notify();
  aio::Watchdog const alarm(impl->ex, grace, [raw = impl.get()] {
    raw->tasks.cancel();
    raw->typing.cancel();
  });
  co_await impl->tasks.join();
  co_await impl->typing.join();
}

DeliveryStats const& Delivery::stats() const noexcept { return impl_->stats; }

}  // namespace kb::feishu
