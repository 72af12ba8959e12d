#include "daemon/conversation.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "adapters/aio/wait.hpp"
#include "adapters/aio/watchdog.hpp"
#include "daemon/asks.hpp"
#include "daemon/messages.hpp"
#include "daemon/model_ask.hpp"
#include "logging/fault_point.hpp"
#include "logging/service_log.hpp"

namespace kb::daemon {
namespace {

constexpr std::size_t kMaxWaiting = 4096;  ///< messages queued in the whole program
constexpr int kSettleTries = 6;
/// An OpenClaw gateway that was down hands over what it missed; an answer to older messages would surprise. (Feishu
/// itself repeats for hours on purpose, and there an answer is owed.)
constexpr auto kStale = std::chrono::minutes(30);
constexpr std::chrono::milliseconds kFirstPause{100};
/// In private only a picture, a file or the like comes without words; in a group a bare mention does, and gets help.
constexpr std::string_view kTextOnly =
    "我只读文字，图片、文件和语音都看不了。请把问题写成文字发给我；发送 /help 查看用法。";

/// The order of a conversation: a group's, or one person's in private.
std::string chat_key(scope::InboundMessage const& m) {
  std::string const& who = m.chat_type == scope::ChatType::group ? m.chat.str() : m.principal.user.str();
  char const kind = m.chat_type == scope::ChatType::group ? 'g' : 'd';
  return m.principal.adapter + '\n' + m.principal.account + '\n' + kind + who;
}

logging::Settlement settlement_of(std::string const& key, std::string query_id, std::string_view outcome,
                                  std::string text) {
  logging::Settlement settlement;
  settlement.reply.key = key;
  settlement.reply.query_id = std::move(query_id);
  settlement.reply.outcome = std::string(outcome);
  settlement.reply.text = std::move(text);
  settlement.reply.sources_json = "[]";
  return settlement;
}

std::string busy_text(std::size_t ahead) {
  return "现在问题较多，前面还有 " + std::to_string(ahead) + " 个在等待。请稍后再问一次。";
}

/// Why nobody will answer this message; empty: we will.
std::string_view why_ignored(scope::InboundMessage const& message, config::Books const& books, TimePoint now) {
  if (message.chat_type == scope::ChatType::group && !message.mentioned) {
    config::Binding const* binding = books.directory.binding(message.chat);
    bool const every_message = binding != nullptr && binding->enabled && !binding->mention_only;
    if (!every_message) return "not_mentioned";
  }
  bool const stale = message.sent_at != TimePoint() && now - message.sent_at > kStale;
  if (stale && message.principal.adapter == "openclaw") return "stale";
  if (message.may_pass) {
    std::string const text = without_mention(message.text, message.mentioned);
    if (!parse_command(text) && !asks(text)) return "no_question";
  }
  return {};
}

}  // namespace

Conversations::Conversations(aio::Executor ex, aio::Pool& cpu, Durable& durable, Desk& desk, Clock const& clock,
                             Hooks hooks)
    : ex_(ex),
      cpu_(cpu),
      durable_(durable),
      desk_(desk),
      clock_(clock),
      hooks_(std::move(hooks)),
      turn_ended_(ex),
      turns_(ex, aio::log_faults()) {}

void Conversations::withdraw(std::string const& adapter, std::string const& account, std::string const& message_id) {
  for (auto& [key, chat] : chats_) {
    for (Turn& turn : chat.waiting) {
      scope::Principal const& from = turn.message.principal;
      if (turn.message.message_id == message_id && from.adapter == adapter && from.account == account) {
        turn.withdrawn = true;
      }
    }
  }
}

aio::Task<Result<adapters::Accepted>> Conversations::receive(scope::InboundMessage message) {
  if (draining_) co_return Error(Errc::unavailable, "kbgate is restarting; send the message again in a moment");
  World const world = hooks_.world();
  config::Limits const& limits = world.books->settings.limits;
  if (message.text.size() > limits.max_question_bytes) {
    co_return Error(Errc::invalid_input, "text is longer than " + std::to_string(limits.max_question_bytes) + " bytes");
  }
  adapters::Accepted accepted;
  accepted.ignored_why = why_ignored(message, *world.books, clock_.now());
  if (!accepted.ignored_why.empty()) {
    accepted.ignored = true;
    co_return accepted;
  }
  std::string const key = logging::inbox_key(message);
  scope::InboundMessage stored = message;
  Result<logging::Admitted> const admitted = co_await durable_.admit(std::move(stored), clock_.now());
  if (!admitted) co_return admitted.error();
  if (admitted->admission == logging::Admission::settled) {
    accepted.reply = reply_of(*admitted->reply, message);
    accepted.over = admitted->reply->state != logging::ReplyState::pending;
  }
  if (admitted->admission != logging::Admission::fresh) co_return accepted;
  logging::fault_point("conversation.admitted");

  Turn turn{key, std::move(message)};
  std::string const who = turn.message.principal.adapter + '\n' + turn.message.principal.user.str();
  bool const within_rate = rate_.admit(who, limits.questions_per_user_per_minute, clock_.steady());
  auto const chat = chats_.find(chat_key(turn.message));
  std::size_t const ahead = chat == chats_.end() ? 0 : chat->second.waiting.size();
  if (within_rate && ahead < limits.chat_queue && waiting_ < kMaxWaiting) {
    enqueue(std::move(turn));
    co_return accepted;
  }
  std::string text = within_rate ? busy_text(std::max<std::size_t>(ahead, 1))
                                 : "你一分钟内的提问已达上限（" + std::to_string(limits.questions_per_user_per_minute) +
                                       " 个）。请过一分钟再问。";
  std::string const id = logging::new_query_id(clock_);
  logging::Settlement settlement = settlement_of(key, id, "busy", std::move(text));
  accepted.reply = reply_of(settlement.reply, turn.message);
  bool const durable = co_await settle(turn, std::move(settlement));
  if (!durable) co_return Error(Errc::unavailable, "the message could not be stored; send it again");
  co_return accepted;
}

void Conversations::resume(std::vector<logging::UnsettledMessage> messages) {
  for (logging::UnsettledMessage& m : messages) enqueue(Turn{std::move(m.key), std::move(m.message)});
}

void Conversations::enqueue(Turn turn) {
  std::string key = chat_key(turn.message);
  Chat& chat = chats_[key];
  chat.waiting.push_back(std::move(turn));
  ++waiting_;
  if (chat.running) return;
  chat.running = true;
  turns_.spawn("chat", run_chat(std::move(key)));
}

aio::Task<> Conversations::run_chat(std::string key) {
  for (;;) {
    std::size_t const most = hooks_.world().books->settings.limits.in_flight;
    while (running_ >= most && !draining_) {
      bool const go_on = co_await turn_ended_.wait();
      if (!go_on) break;
    }
    Chat& chat = chats_[key];
    if (chat.waiting.empty() || draining_) break;
    Turn turn = std::move(chat.waiting.front());
    chat.waiting.pop_front();
    --waiting_;
    ++running_;
    co_await take_turn(std::move(turn));
    --running_;
    turn_ended_.notify();
  }
  chats_.erase(key);
}

aio::Task<> Conversations::take_turn(Turn turn) {
  std::string const query_id = logging::new_query_id(clock_);
  logging::Settlement settlement;
  bool failed = false;
  std::string reason;
  try {
    // The other adapters know which mention is ours and have taken it out; a person's may stand first.
    bool const strip = turn.message.mentioned && turn.message.principal.adapter == "bridge";
    std::string text = without_mention(turn.message.text, strip);
    std::optional<Command> parsed = parse_command(text);
    if (turn.withdrawn) {
      settlement = settlement_of(turn.key, {}, "withdrawn", {});
    } else if (text.empty() && turn.message.chat_type == scope::ChatType::direct) {
      settlement = settlement_of(turn.key, {}, "answered", std::string(kTextOnly));
    } else if (parsed) {
      settlement = co_await command(turn, std::move(*parsed));
    } else {
      settlement = co_await question(turn, query_id, std::move(text));
    }
  } catch (std::exception const& fault) {
    failed = true;
    reason = fault.what();
  }
  if (failed) {
    log::write(log::Level::error, "question.failed", {{"query_id", query_id}, {"reason", reason}});
    settlement = settlement_of(turn.key, query_id, "error",
                               "处理这个问题时出错了（编号 " + query_id + "）。请稍后再试，或把编号告诉管理员。");
  }
  logging::StoredReply const stored = settlement.reply;
  logging::fault_point("conversation.before_settle");
  bool const durable = co_await settle(turn, std::move(settlement));
  if (!durable) co_return;  // still admitted: it runs again after the next start
  logging::fault_point("conversation.before_deliver");
  hooks_.deliver(reply_of(stored, turn.message));
}

aio::Task<logging::Settlement> Conversations::command(Turn const& turn, Command parsed) {
  scope::InboundMessage message = turn.message;
  CommandReply reply = co_await desk_.handle(std::move(parsed), std::move(message));
  logging::Settlement settlement =
      settlement_of(turn.key, {}, reply.done ? "answered" : "scope_refused", std::move(reply.text));
  settlement.reply.sources_json = std::move(reply.sources_json);
  co_return settlement;
}

aio::Task<logging::Settlement> Conversations::question(Turn const& turn, std::string query_id, std::string text) {
  scope::ScopeRequest const request = request_of(turn.message, std::move(text));
  kbrepo::MeaningPtr meaning;
  if (hooks_.embedder != nullptr) {
    std::string words = request.question;
    meaning = co_await hooks_.embedder->question(std::move(words));
  }
  World world = hooks_.world();  // pinned for this question
  world.meaning = std::move(meaning);
  std::vector<answer::EarlierTurn> const earlier = recent_.of(turn.message, clock_.steady());
  answer::Answer answer = co_await ask_in_steps(cpu_, hooks_.model, query_id, request, world, earlier);
  recent_.remember(turn.message, answer, clock_.steady());
  logging::Settlement settlement = settlement_of(turn.key, query_id, answer::to_string(answer.outcome), answer.text);
  settlement.reply.sources_json = answer::sources_json(answer);
  settlement.reply.details_json = details_json(answer);
  settlement.records = records_of(answer, request, world, clock_.now());
  log::write(log::Level::info, "question.settled",
             {{"query_id", query_id},
              {"outcome", answer::to_string(answer.outcome)},
              {"repos", settlement.records.size()},
              {"route", answer.route},
              {"took_us", answer.took_us.total}});
  co_return settlement;
}

aio::Task<bool> Conversations::settle(Turn const& turn, logging::Settlement settlement) {
  std::chrono::milliseconds pause = kFirstPause;
  for (int attempt = 1; attempt <= kSettleTries; ++attempt) {
    logging::Settlement again = settlement;
    Result<void> const settled = co_await durable_.settle(std::move(again), clock_.now());
    if (settled) co_return true;
    log::write(log::Level::error, "reply.not_stored",
               {{"query_id", settlement.reply.query_id}, {"attempt", attempt}, {"reason", settled.error().what}});
    bool const go_on = co_await aio::sleep_for(ex_, pause);
    if (!go_on) break;
    pause *= 3;
  }
  log::write(log::Level::error, "reply.given_up", {{"key", turn.key}, {"query_id", settlement.reply.query_id}});
  co_return false;
}

aio::Task<> Conversations::drain(std::chrono::milliseconds grace) {
  draining_ = true;
  turn_ended_.notify();
  aio::Watchdog enough(ex_, grace, [this] { turns_.cancel(); });
  co_await turns_.join();
}

}  // namespace kb::daemon
