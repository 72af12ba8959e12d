#include "daemon/app.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "adapters/aio/http.hpp"
#include "adapters/aio/pool.hpp"
#include "adapters/aio/signal.hpp"
#include "adapters/aio/task_group.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/aio/watchdog.hpp"
#include "adapters/bridge/server.hpp"
#include "config/watch.hpp"
#include "daemon/adapter_store.hpp"
#include "daemon/api.hpp"
#include "daemon/conversation.hpp"
#include "daemon/desk.hpp"
#include "daemon/durable.hpp"
#include "daemon/embedder.hpp"
#include "daemon/feishu_apps.hpp"
#include "daemon/http_api.hpp"
#include "daemon/library.hpp"
#include "daemon/model_ask.hpp"
#include "daemon/notify.hpp"
#include "daemon/private_chats.hpp"
#include "daemon/publisher.hpp"
#include "logging/journal.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kDrain = 10s;
constexpr auto kQuiet = 200ms;        ///< after the last edit, before files are read again
constexpr auto kInboxKept = 7 * 24h;  ///< platforms repeat for up to a day
constexpr auto kExpireEvery = 6h;
constexpr auto kPatience = 10s;
constexpr std::size_t kGitThreads = 2;

std::size_t cpu_threads() {
  unsigned const cores = std::thread::hardware_concurrency();
  return cores > 2 ? cores - 1 : 1;
}

class App {
 public:
  App(asio::io_context& io, AppOptions options, std::unique_ptr<logging::Journal> journal)
      : ex_(io.get_executor()),
        token_(std::move(options.token)),
        on_ready_(std::move(options.on_ready)),
        books_(std::make_shared<config::Books const>(std::move(options.books))),
        journal_(std::move(journal)),
        cpu_(cpu_threads()),
        git_(kGitThreads),
        durable_(ex_, *journal_),
        store_(durable_, git_, clock_),
        library_(ex_, git_, clock_),
        model_(make_model(ex_, books_->settings.answer, clock_)),
        embedder_(make_embedder()),
        desk_(git_, durable_, clock_, desk_hooks()),
        private_chats_(store_),
        conversations_(ex_, cpu_, durable_, desk_, clock_, conversation_hooks()),
        publisher_(ex_, git_, durable_, clock_, [this] { return books_; }),
        api_(cpu_, git_, durable_, clock_, metrics_, token_, api_hooks()),
        feishu_(ex_, git_, store_, durable_, clock_, feishu_hooks()),
        bridge_(ex_, bridge::BridgeLimits(), on_message(), on_feedback(), on_delivered(), on_tool(), on_place()),
        server_(ex_, server_limits(), on_request(), on_upgrade(), on_link()),
        signals_(io, SIGTERM, SIGINT, SIGHUP),
        leave_(ex_),
        edited_(ex_),
        tasks_(ex_, aio::log_faults()),
        serving_(ex_, aio::log_faults()) {}

  aio::Task<Result<void>> run() {
    tasks_.spawn("signals", handle_signals());
    tasks_.spawn("watchdog", reassure_manager());
    tasks_.spawn("starting", ask_for_patience());
    co_await library_.open(books_);  // given up when asked to leave
    Result<std::uint16_t> const port = server_.listen(books_->settings.listen.address, books_->settings.listen.port);
    if (!port) {
      co_await end_tasks();
      co_return port.error();
    }
    library_.follow(books_);
    Result<std::vector<logging::UnsettledMessage>> unsettled = journal_->unsettled();
    if (unsettled) {
      if (!unsettled->empty()) log::write(log::Level::warn, "inbox.resumed", {{"messages", unsettled->size()}});
      conversations_.resume(std::move(*unsettled));
    } else {
      log::write(log::Level::error, "inbox.unreadable", {{"reason", unsettled.error().what}});
    }
    feishu_.follow(books_->settings.feishu);
    serving_.spawn("server", server_.run());
    tasks_.spawn("settings", watch_settings());
    tasks_.spawn("reload", reload_when_edited());
    tasks_.spawn("publisher", publisher_.run());
    if (embedder_) tasks_.spawn("embedder", embedder_->run());
    tasks_.spawn("expire", expire_inbox());
    ready_ = true;
    on_ready_(books_->settings.listen.address, *port);
    notify_manager("READY=1\nSTATUS=answering");
    log::write(log::Level::info, "started", {{"port", unsigned{*port}}, {"repos", books_->settings.repos.size()}});

    while (!leaving_) {
      bool const go_on = co_await leave_.wait();
      if (!go_on) break;
    }
    co_await leave();
    co_return Result<void>();
  }

 private:
  // ---- what the parts need of each other -------------------------------------------------------------------------
  World world() const {
    return {books_, library_.snapshots(), embedder_ ? embedder_->vectors() : nullptr, nullptr, forms_};
  }

  /// Null without embeddings in the settings.
  std::unique_ptr<Embedder> make_embedder() {
    std::unique_ptr<model::EmbeddingClient> client = make_embeddings(ex_, books_->settings.answer, clock_);
    if (!client) return nullptr;
    Embedder::Hooks hooks;
    hooks.books = [this] { return books_; };
    hooks.snapshots = [this] { return library_.snapshots(); };
    return std::make_unique<Embedder>(ex_, std::move(client), *books_->settings.answer.embeddings, std::move(hooks));
  }

  Desk::Hooks desk_hooks() {
    Desk::Hooks hooks;
    hooks.world = [this] { return world(); };
    hooks.repo_state = [this](RepoId const& id) { return library_.state(id); };
    hooks.reload = [this] { return reload(); };
    return hooks;
  }

  Conversations::Hooks conversation_hooks() {
    Conversations::Hooks hooks;
    hooks.world = [this] { return world(); };
    hooks.model = model_.get();
    bool const by_meaning = embedder_ && books_->settings.answer.embeddings->in_answers;
    if (by_meaning) hooks.embedder = embedder_.get();
    hooks.deliver = [this](adapters::Reply const& reply) {
      metrics_.count_reply(reply.outcome);
      if (reply.to.principal.adapter == "feishu") {
        feishu_.deliver(reply);
      } else {
        bridge_.say(reply);
      }
    };
    return hooks;
  }

  Api::Hooks api_hooks() {
    Api::Hooks hooks;
    hooks.world = [this] { return world(); };
    hooks.repo_state = [this](RepoId const& id) { return library_.state(id); };
    hooks.gauges = [this] { return gauges(); };
    hooks.embedder = embedder_.get();
    hooks.model = model_.get();
    return hooks;
  }

  std::vector<Gauge> gauges() const {
    double pages = 0;
    double passages = 0;
    double vectors = 0;
    if (embedder_) {
      for (auto const& [id, set] : *embedder_->vectors()) vectors += static_cast<double>(set->passages());
    }
    double index_bytes = 0;
    for (auto const& [id, snapshot] : *library_.snapshots()) {
      pages += static_cast<double>(snapshot->stats().pages);
      passages += static_cast<double>(snapshot->stats().passages);
      index_bytes += static_cast<double>(snapshot->stats().index_bytes);
    }
    std::vector<RepoState> const states = library_.states();
    auto const failing = std::count_if(states.begin(), states.end(), [](auto const& s) { return !s.fault.empty(); });
    return {{"repositories", "Repositories configured.", static_cast<double>(states.size())},
            {"repositories_failing", "Of these, not fresh.", static_cast<double>(failing)},
            {"pages", "Pages served.", pages},
            {"passages", "Passages searched.", passages},
            {"vectors", "Passages with a vector.", vectors},
            {"index_size_bytes", "Index in memory.", index_bytes},
            {"connections", "Open connections, of every kind.", static_cast<double>(server_.connections())},
            {"bridge_connections", "Of these, WebSocket peers.", static_cast<double>(bridge_.connections())}};
  }

  FeishuApps::Hooks feishu_hooks() {
    FeishuApps::Hooks hooks;
    hooks.receive = [this](scope::InboundMessage message) { return receive(std::move(message)); };
    hooks.withdraw = [this](std::string const& account, std::string const& message_id) {
      conversations_.withdraw("feishu", account, message_id);
    };
    hooks.vote = [this](adapters::Vote vote) { return note(std::move(vote)); };
    hooks.chat_gone = [this](ChatId chat, std::string why) { return desk_.disable(std::move(chat), std::move(why)); };
    return hooks;
  }

  aio::Task<Result<adapters::Accepted>> receive(scope::InboundMessage message) {
    scope::InboundMessage placed = co_await private_chats_.place(std::move(message));
    co_return co_await conversations_.receive(std::move(placed));
  }

  aio::Task<Result<void>> note(adapters::Vote vote) {
    logging::Feedback feedback;
    feedback.query_id = std::move(vote.query_id);
    feedback.sender = vote.sender.str();
    feedback.vote = std::move(vote.vote);
    feedback.kind = std::move(vote.kind);
    feedback.time = iso8601(clock_.now());
    return durable_.add_feedback(std::move(feedback));
  }

  bridge::Bridge::OnMessage on_message() {
    return [this](scope::InboundMessage message) { return conversations_.receive(std::move(message)); };
  }

  bridge::Bridge::OnPlace on_place() {
    return [this](scope::InboundMessage message) { return private_chats_.place(std::move(message)); };
  }

  bridge::Bridge::OnFeedback on_feedback() {
    return [this](bridge::FeedbackFrame frame) {
      return note({std::move(frame.query_id), std::move(frame.sender), std::move(frame.vote), std::move(frame.kind)});
    };
  }

  bridge::Bridge::OnDelivered on_delivered() {
    return [this](std::string key) { durable_.mark_delivered(std::move(key), clock_.now()); };
  }

  /// Agents' calls: the identity is the host's, and a private chat is looked at as for a message.
  bridge::Bridge::OnTool on_tool() {
    return [this](bridge::ToolFrame frame) { return answer_tool(std::move(frame)); };
  }

  aio::Task<Result<std::string>> answer_tool(bridge::ToolFrame frame) {
    scope::InboundMessage const from = co_await private_chats_.place(std::move(frame.from));
    Caller caller{from.principal.user, from.chat_type, from.chat};
    Result<std::string> result =
        co_await api_.call(std::move(frame.tool), std::move(frame.arguments), std::move(caller));
    co_return result;
  }

  aio::ServerLimits server_limits() const {
    aio::ServerLimits limits;
    limits.connections = books_->settings.limits.connections;
    return limits;
  }

  aio::HttpServer::OnRequest on_request() {
    return [this](aio::HttpRequest request) { return answer_http(std::move(request)); };
  }

  aio::Task<aio::HttpResponse> answer_http(aio::HttpRequest request) {
    if (Api::serves(request.path())) {
      aio::HttpResponse response = co_await api_.answer(std::move(request));
      co_return response;
    }
    co_return handle_http(
        request, [this] { return checks(); }, token_);
  }

  aio::HttpServer::OnUpgrade on_upgrade() {
    return [this](aio::HttpRequest const& request) -> std::optional<aio::HttpResponse> {
      if (request.path() != "/ws") return problem(404, "Not Found", "the bridge is at /ws");
      if (leaving_) return problem(503, "Service Unavailable", "kbgate is stopping");
      if (!token_.empty()) {
        if (!bridge::token_matches(request.header("authorization"), token_)) {
          aio::HttpResponse response = problem(401, "Unauthorized", "Authorization: Bearer TOKEN is missing or wrong");
          response.headers["www-authenticate"] = "Bearer";
          return response;
        }
      }
      // A page whose name was rebound to this machine has an Origin that fits its Host: without a token only this
      // machine's own names count.
      bool const ours = !token_.empty() || bridge::loopback_host(request.header("host"));
      if (!ours || !bridge::origin_allowed(request.header("origin"), request.header("host"))) {
        return problem(403, "Forbidden", "pages of another site may not connect");
      }
      return std::nullopt;
    };
  }

  aio::HttpServer::OnLink on_link() {
    return
        [this](std::unique_ptr<aio::Link> link, aio::HttpRequest) { return bridge_.serve(std::move(link), account()); };
  }

  /// Who stands behind a link: the holder of the token, or anyone on this machine.
  std::string account() const { return token_.empty() ? "local" : bridge::token_account(token_); }

  std::vector<Check> checks() const {
    std::vector<Check> out;
    out.push_back({"serving", !leaving_, true, leaving_ ? "stopping" : ""});
    Result<logging::JournalStats> const stats = journal_->stats();
    out.push_back({"journal", stats.has_value(), true, stats ? "" : stats.error().what});
    out.push_back({"config", config_fault_.empty(), false, config_fault_});
    for (RepoState const& state : library_.states()) {
      std::string detail = state.fault;
      if (detail.empty()) detail = state.commit.substr(0, 12) + ", " + std::to_string(state.pages) + " pages";
      out.push_back({"repository " + state.id.str(), state.fault.empty() && !state.commit.empty(), false, detail});
    }
    for (FeishuApps::State const& app : feishu_.states()) {
      std::string detail = app.state.fault;
      if (detail.empty()) detail = app.state.bot + ", " + std::to_string(app.state.open) + " connections";
      out.push_back({"feishu " + app.app_id, app.state.fault.empty(), false, detail});
    }
    return out;
  }

  // ---- tasks ------------------------------------------------------------------------------------------------------
  aio::Task<> handle_signals() {
    for (;;) {
      boost::system::error_code failed;
      int const number = co_await signals_.async_wait(asio::redirect_error(asio::use_awaitable, failed));
      if (failed) co_return;
      if (number == SIGHUP) {
        edited_now_ = true;
        edited_.notify();
        continue;
      }
      if (leaving_) std::_Exit(130);  // asked twice: at once
      leaving_ = true;
      library_.give_up();
      leave_.notify();
    }
  }

  /// A first index of large repositories takes longer than a service may take to start.
  aio::Task<> ask_for_patience() {
    while (!ready_) {
      notify_manager("STATUS=indexing\nEXTEND_TIMEOUT_USEC=60000000");
      bool const go_on = co_await aio::sleep_for(ex_, kPatience);
      if (!go_on) co_return;
    }
  }

  aio::Task<> watch_settings() {
    for (;;) {
      auto const books = books_;
      config::Settings const& s = books->settings;
      Result<config::Watch> watch = config::Watch::open({s.file, s.users, s.teams, s.chat_bindings});
      if (!watch) {
        log::write(log::Level::warn, "settings.not_watched", {{"reason", watch.error().what}});
        co_return;  // SIGHUP still works
      }
      // A reload may name other files: watch those then.
      while (books == books_) {
        bool const go_on = co_await aio::wait_readable(ex_, watch->descriptor());
        if (!go_on) co_return;
        if (!watch->drain()) continue;
        edited_now_ = true;
        edited_.notify();
      }
    }
  }

  aio::Task<> reload_when_edited() {
    for (;;) {
      while (!edited_now_) {
        bool const go_on = co_await edited_.wait();
        if (!go_on) co_return;
      }
      while (edited_now_) {  // editors write more than once
        edited_now_ = false;
        bool const go_on = co_await aio::sleep_for(ex_, kQuiet);
        if (!go_on) co_return;
      }
      notify_reloading();
      co_await reload();
      notify_manager("READY=1");
    }
  }

  aio::Task<> reload() {
    std::uint64_t const turn = ++reloads_started_;
    std::filesystem::path const file = books_->settings.file;
    config::Loaded<config::Books> loaded;
    auto job = [&] { loaded = config::load_books(file); };
    co_await git_.run(job);
    if (leaving_) co_return;                 // what it would start, nobody would end
    if (turn < reload_in_force_) co_return;  // one that began later has seen newer files
    reload_in_force_ = turn;
    if (!loaded.value) {
      config_fault_ =
          loaded.errors.empty() ? file.string() + " cannot be loaded" : config::to_string(loaded.errors.front());
      for (config::Fault const& fault : loaded.errors) {
        log::write(log::Level::error, "settings.rejected",
                   {{"file", fault.file}, {"line", fault.line}, {"reason", fault.message}, {"hint", fault.hint}});
      }
      co_return;  // the last good one stays in force
    }
    config_fault_.clear();
    config::Settings const& now = loaded.value->settings;
    config::Settings const& was = books_->settings;
    if (now.listen.address != was.listen.address || now.listen.port != was.listen.port ||
        now.listen.token_file != was.listen.token_file || now.state_dir != was.state_dir) {
      config_fault_ = "listen and state_dir take effect after a restart";
      log::write(log::Level::warn, "settings.need_restart", {{"reason", config_fault_}});
    }
    bool const other_books = now.repos != was.repos || now.limits.max_page_bytes != was.limits.max_page_bytes;
    books_ = std::make_shared<config::Books const>(std::move(*loaded.value));
    if (other_books) library_.follow(books_);
    feishu_.follow(books_->settings.feishu);
    log::write(log::Level::info, "settings.loaded",
               {{"repos", books_->settings.repos.size()}, {"bindings", books_->directory.bindings.size()}});
  }

  aio::Task<> expire_inbox() {
    for (;;) {
      Result<std::size_t> const gone = co_await durable_.expire(clock_.now(), kInboxKept);
      if (!gone) log::write(log::Level::warn, "inbox.not_expired", {{"reason", gone.error().what}});
      bool const go_on = co_await aio::sleep_for(ex_, kExpireEvery);
      if (!go_on) co_return;
    }
  }

  aio::Task<> reassure_manager() {
    std::optional<std::chrono::milliseconds> const every = watchdog_interval();
    if (!every) co_return;
    for (;;) {
      notify_manager("WATCHDOG=1");
      bool const go_on = co_await aio::sleep_for(ex_, *every);
      if (!go_on) co_return;
    }
  }

  /// DESIGN "Leaving": each step is bounded, and nothing durable depends on it.
  aio::Task<> leave() {
    notify_manager("STOPPING=1");
    log::write(log::Level::info, "stopping");
    server_.stop();
    feishu_.stop();
    co_await conversations_.drain(kDrain);
    bridge_.drain();
    co_await feishu_.drain(kDrain);
    aio::Watchdog cut(ex_, kDrain, [this] { server_.abort(); });
    co_await serving_.join();
    co_await end_tasks();
    co_await publisher_.publish_all(Publisher::Urgency::last_chance);
    log::write(log::Level::info, "stopped");
  }

  aio::Task<> end_tasks() {
    co_await library_.stop();
    tasks_.cancel();
    signals_.cancel();
    co_await tasks_.join();
  }

  aio::Executor ex_;
  SystemClock clock_;
  std::string token_;
  std::function<void(std::string const&, std::uint16_t)> on_ready_;
  std::shared_ptr<config::Books const> books_;
  std::string config_fault_;
  bool leaving_ = false;
  bool ready_ = false;
  std::uint64_t reloads_started_ = 0;
  std::uint64_t reload_in_force_ = 0;
  bool edited_now_ = false;
  std::unique_ptr<logging::Journal> journal_;
  aio::Pool cpu_;
  aio::Pool git_;
  Durable durable_;
  DurableStore store_;
  Library library_;
  std::unique_ptr<model::ModelClient> model_;
  std::unique_ptr<Embedder> embedder_;
  std::shared_ptr<answer::KeptForms> forms_ = std::make_shared<answer::KeptForms>();
  Desk desk_;
  PrivateChats private_chats_;
  Conversations conversations_;
  Publisher publisher_;
  Metrics metrics_;
  Api api_;
  FeishuApps feishu_;
  bridge::Bridge bridge_;
  aio::HttpServer server_;
  asio::signal_set signals_;
  aio::Signal leave_;
  aio::Signal edited_;
  aio::TaskGroup tasks_;
  aio::TaskGroup serving_;
};

}  // namespace

Result<void> run_app(AppOptions options) {
  Result<std::unique_ptr<logging::Journal>> journal = logging::Journal::open(options.books.settings.state_dir);
  if (!journal) return journal.error();
  asio::io_context io(1);
  App app(io, std::move(options), std::move(*journal));
  Result<void> outcome = Error(Errc::cancelled, "not run");
  std::exception_ptr fault;
  asio::co_spawn(io, app.run(), [&](std::exception_ptr e, Result<void> result) {
    fault = e;
    if (!e) outcome = std::move(result);
    io.stop();
  });
  io.run();
  if (fault) std::rethrow_exception(fault);
  return outcome;
}

}  // namespace kb::daemon
