#include "daemon/feishu_apps.hpp"

#include <algorithm>
#include <utility>

#include "config/secret_file.hpp"
#include "daemon/messages.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kEndGrace = 10s;  ///< for an app that a reload ends

}  // namespace

Result<feishu::FeishuOptions> options_of(config::FeishuSettings const& settings) {
  feishu::FeishuOptions options;
  options.app.domain = settings.domain;
  options.app.id = settings.app_id;
  Result<std::string> secret = config::read_secret(settings.app_secret_file, "adapters.feishu.app_secret_file");
  if (!secret) return secret.error();
  options.app.secret = std::move(*secret);
  Result<std::shared_ptr<aio::TlsContext>> tls = aio::TlsContext::client(settings.ca_file);
  if (!tls) return at("adapters.feishu.ca_file", tls.error());
  options.tls = std::move(*tls);
  options.connections = settings.connections;
  options.greet = settings.greet;
  return options;
}

/// One app. Owned by the map while it is wanted, by its end() until it has ended.
struct FeishuApps::Running {
  Running(aio::Executor ex, config::FeishuSettings s, feishu::FeishuOptions options, adapters::Store& store,
          Clock const& clock, feishu::Feishu::Hooks hooks)
      : settings(std::move(s)),
        secret(options.app.secret),
        app(ex, std::move(options), store, clock, std::move(hooks)),
        tasks(ex, aio::log_faults()) {}

  config::FeishuSettings settings;
  std::string secret;
  feishu::Feishu app;
  aio::TaskGroup tasks;
};

FeishuApps::FeishuApps(aio::Executor ex, aio::Pool& files, adapters::Store& store, Durable& durable, Clock const& clock,
                       Hooks hooks)
    : ex_(ex),
      files_(files),
      store_(store),
      durable_(durable),
      clock_(clock),
      hooks_(std::move(hooks)),
      tasks_(ex, aio::log_faults()) {}

FeishuApps::~FeishuApps() = default;

feishu::Feishu::Hooks FeishuApps::hooks_of_app(std::string const& app_id) {
  feishu::Feishu::Hooks hooks;
  hooks.receive = hooks_.receive;
  hooks.withdraw = hooks_.withdraw;
  hooks.vote = hooks_.vote;
  hooks.chat_gone = hooks_.chat_gone;
  hooks.answered = [this](std::string query_id) { return answered(std::move(query_id)); };
  hooks.room = [this, app_id] { resume({app_id}); };
  return hooks;
}

aio::Task<std::optional<adapters::Reply>> FeishuApps::answered(std::string query_id) {
  Result<std::optional<logging::StoredReply>> stored = std::optional<logging::StoredReply>();
  auto look = [&] { stored = durable_.journal().reply_of(query_id); };
  co_await files_.run(look);
  if (!stored || !*stored) co_return std::nullopt;
  co_return reply_of(**stored, {});
}

void FeishuApps::follow(std::vector<config::FeishuSettings> const& settings) {
  std::map<std::string, feishu::FeishuOptions> wanted;
  faults_.clear();
  for (config::FeishuSettings const& one : settings) {
    Result<feishu::FeishuOptions> options = options_of(one);
    if (options) {
      wanted.emplace(one.app_id, std::move(*options));
      continue;
    }
    faults_[one.app_id] = options.error().what;
    log::write(log::Level::error, "feishu.not_started", {{"app", one.app_id}, {"reason", options.error().what}});
  }
  for (auto at = running_.begin(); at != running_.end();) {
    Running& running = *at->second;
    auto const same = [&running](config::FeishuSettings const& one) { return one == running.settings; };
    auto const options = wanted.find(at->first);
    if (options != wanted.end() && options->second.app.secret == running.secret &&
        std::any_of(settings.begin(), settings.end(), same)) {
      wanted.erase(options);
      ++at;
      continue;
    }
    running.app.stop();
    tasks_.spawn("feishu ends", end(at->second, kEndGrace));
    at = running_.erase(at);
  }
  std::set<std::string> started;
  for (config::FeishuSettings const& one : settings) {
    auto const options = wanted.find(one.app_id);
    if (options == wanted.end()) continue;
    auto running =
        std::make_shared<Running>(ex_, one, std::move(options->second), store_, clock_, hooks_of_app(one.app_id));
    running->tasks.spawn("feishu", running->app.run());
    running_.emplace(one.app_id, std::move(running));
    started.insert(one.app_id);
  }
  if (!started.empty()) resume(started);
}

void FeishuApps::deliver(adapters::Reply reply) {
  auto const at = running_.find(reply.to.principal.account);
  if (at != running_.end()) at->second->app.deliver(std::move(reply));
}

// Read on the loop, as it happens seldom: what is owed goes before what is answered from now on.
void FeishuApps::resume(std::set<std::string> const& apps) {
  Result<std::vector<logging::UndeliveredReply>> owed = durable_.journal().undelivered("feishu");
  if (!owed) {
    log::write(log::Level::error, "replies.unreadable", {{"reason", owed.error().what}});
    return;
  }
  for (logging::UndeliveredReply& one : *owed) {
    if (apps.contains(one.message.principal.account)) deliver(reply_of(one.reply, std::move(one.message)));
  }
}

void FeishuApps::stop() {
  for (auto const& [id, running] : running_) running->app.stop();
}

aio::Task<> FeishuApps::end(std::shared_ptr<Running> running, std::chrono::milliseconds grace) {
  co_await running->tasks.join();
  co_await running->app.drain(grace);
}

aio::Task<> FeishuApps::drain(std::chrono::milliseconds grace) {
  for (auto const& [id, running] : running_) tasks_.spawn("feishu ends", end(running, grace));
  co_await tasks_.join();
  running_.clear();
}

std::vector<FeishuApps::State> FeishuApps::states() const {
  std::vector<State> out;
  for (auto const& [id, running] : running_) out.push_back({id, running->app.state()});
  for (auto const& [id, fault] : faults_) {
    if (running_.contains(id)) continue;
    feishu::FeishuState state;
    state.fault = fault;
    out.push_back({id, std::move(state)});
  }
  return out;
}

}  // namespace kb::daemon
