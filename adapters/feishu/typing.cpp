#include "adapters/feishu/typing.hpp"

#include <map>
#include <utility>

#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/aio/watchdog.hpp"
#include "logging/service_log.hpp"

namespace kb::feishu {
namespace {

constexpr std::size_t kMostQuestions = 4096;
constexpr char kEmoji[] = "Typing";
constexpr std::string_view kMessageId = "om_";  // anything else cannot wear one

std::string claim_key(std::string const& message_id) { return "feishu/typing/" + message_id; }

struct Question {
  explicit Question(aio::Executor ex) : changed(std::move(ex)) {}
  bool over = false;
  aio::Signal changed;
};

}  // namespace

struct Typing::Impl {
  Impl(aio::Executor executor, Api& a, adapters::Store& s, std::chrono::milliseconds time, std::function<bool()> ask)
      : ex(executor), api(a), store(s), slow(time), may_add(std::move(ask)), tasks(ex, aio::log_faults()) {}

  aio::Task<> watch(std::string message_id, std::shared_ptr<Question> question);
  aio::Task<std::string> add(std::string message_id);
  aio::Task<> remove(std::string message_id, std::string reaction_id);
  aio::Task<> remove_earlier(std::string message_id);

  aio::Executor ex;
  Api& api;
  adapters::Store& store;
  std::chrono::milliseconds slow;
  std::function<bool()> may_add;
  bool leaving = false;
  std::map<std::string, std::shared_ptr<Question>> questions;
  aio::TaskGroup tasks;
};

aio::Task<> Typing::Impl::watch(std::string message_id, std::shared_ptr<Question> question) {
  bool late = false;
  {
    aio::Watchdog alarm(ex, slow, [&] {
      late = true;
      question->changed.notify();
    });
    while (!late && !question->over && !leaving) {
      bool const go_on = co_await question->changed.wait();
      if (!go_on) break;
    }
  }
  std::string reaction;
  bool const wanted = late && !question->over && !leaving && may_add();
  if (wanted) {
    reaction = co_await add(message_id);
  }
  while (!question->over && !leaving) {  // stays known, so that it is not added again
    bool const go_on = co_await question->changed.wait();
    if (!go_on) break;
  }
  questions.erase(message_id);
  if (!question->over) co_return;
  if (reaction.empty()) {
    co_await remove_earlier(std::move(message_id));  // a quick answer now, after a slow try before a crash
  } else {
    co_await remove(std::move(message_id), std::move(reaction));
  }
}

/// The reaction's id; empty: there is none, or none of ours.
aio::Task<std::string> Typing::Impl::add(std::string message_id) {
  Result<std::string> const earlier = co_await store.holder(claim_key(message_id));
  if (!earlier) co_return std::string();
  if (!earlier->empty()) co_return *earlier;
  std::string emoji = kEmoji;
  Outcome const added = co_await api.add_reaction(message_id, std::move(emoji));
  if (!added.ok() || added.id.empty()) {
    log::write(log::Level::debug, "feishu.reaction_failed",
               {{"message_id", message_id}, {"code", static_cast<std::int64_t>(added.code)}, {"logid", added.log_id}});
    co_return std::string();
  }
  std::string id = added.id;
  Result<std::string> const kept = co_await store.claim(claim_key(message_id), std::move(id));
  if (!kept) log::write(log::Level::error, "feishu.not_noted", {{"reason", kept.error().what}});
  co_return added.id;
}

aio::Task<> Typing::Impl::remove(std::string message_id, std::string reaction_id) {
  Outcome const removed = co_await api.remove_reaction(message_id, std::move(reaction_id));
  if (removed.ok()) co_return;
  log::write(
      log::Level::debug, "feishu.reaction_stays",
      {{"message_id", message_id}, {"code", static_cast<std::int64_t>(removed.code)}, {"logid", removed.log_id}});
}

aio::Task<> Typing::Impl::remove_earlier(std::string message_id) {
  Result<std::string> const held = co_await store.holder(claim_key(message_id));
  if (!held || held->empty()) co_return;
  std::string reaction = *held;
  co_await remove(std::move(message_id), std::move(reaction));
}

Typing::Typing(aio::Executor ex, Api& api, adapters::Store& store, std::chrono::milliseconds slow,
               std::function<bool()> may_add)
    : impl_(std::make_shared<Impl>(std::move(ex), api, store, slow, std::move(may_add))) {}
Typing::~Typing() = default;

void Typing::expect(std::string const& message_id) {
  if (impl_->leaving || !message_id.starts_with(kMessageId) || impl_->questions.size() >= kMostQuestions) return;
  auto const [at, fresh] = impl_->questions.try_emplace(message_id);
  if (!fresh) return;
  at->second = std::make_shared<Question>(impl_->ex);
  impl_->tasks.spawn("typing", impl_->watch(message_id, at->second));
}

void Typing::over(std::string const& message_id) {
  if (!message_id.starts_with(kMessageId)) return;
  auto const known = impl_->questions.find(message_id);
  if (known == impl_->questions.end()) {
    impl_->tasks.spawn("typing", impl_->remove_earlier(message_id));
    return;
  }
  known->second->over = true;
  known->second->changed.notify();
}

void Typing::leave() {
  impl_->leaving = true;
  for (auto const& [id, question] : impl_->questions) question->changed.notify();
}
void Typing::cancel() { impl_->tasks.cancel(); }

aio::Task<> Typing::join() {
  auto const impl = impl_;
  co_await impl->tasks.join();
}

}  // namespace kb::feishu
