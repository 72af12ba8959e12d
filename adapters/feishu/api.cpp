#include "adapters/feishu/api.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/aio/wait.hpp"
#include "adapters/feishu/calls.hpp"
#include "adapters/feishu/token.hpp"

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kHold = 1s;  ///< after "too fast" without a time to wait
constexpr long long kTooFastForChat = 230020, kTooFast = 99991400;
constexpr int kTooMany = 429;

struct Call {
  std::string method = "POST";
  std::string path;
  std::string body;
  std::string chat;         ///< whose turn it takes; empty: the app's alone
  bool repeatable = false;  ///< the platform knows it by its uuid, or it changes nothing
  bool spare = false;       ///< only when there are calls to spare
};

struct Answer {
  Outcome outcome;
  std::string body;
};

/// The sentence of a failed call for the operator.
Error error_of(std::string_view doing, Outcome const& outcome) {
  Errc code = Errc::invalid_input;
  switch (outcome.remedy) {
    case Remedy::wait:
    case Remedy::quota:
      code = Errc::unavailable;
      break;
    case Remedy::new_token:
    case Remedy::operator_needed:
      code = Errc::denied;
      break;
    default:
      break;
  }
  std::string what = std::string(doing) + ": ";
  if (outcome.http_status != 0) what += "status " + std::to_string(outcome.http_status) + ", ";
  if (outcome.code != -1) what += "code " + std::to_string(outcome.code) + ", ";
  what += outcome.what.empty() ? "the answer is no envelope" : outcome.what;
  if (!outcome.log_id.empty()) what += " (log id " + outcome.log_id + ")";
  return {code, std::move(what)};
}

}  // namespace

struct Api::Impl {
  Impl(aio::Executor executor, aio::HttpClient& h, App a, Clock const& c, ApiOptions o)
      : ex(executor),
        http(h),
        app(std::move(a)),
        clock(c),
        options(std::move(o)),
        token(ex, http, app, clock),
        pace(options.pace) {}

  aio::Task<Answer> call(Call call);
  aio::Task<Answer> once(Call const& call, std::string bearer);
  aio::Task<bool> turn(std::string chat);
  aio::Task<bool> pause_until(Pace::Time at);
  void note_too_fast(Outcome const& outcome, std::string const& chat);

  aio::Executor ex;
  aio::HttpClient& http;
  App const app;
  Clock const& clock;
  ApiOptions const options;
  Token token;
  Pace pace;
};

aio::Task<bool> Api::Impl::pause_until(Pace::Time at) {
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(at - clock.steady());
  if (left <= 0ms) co_return true;
  if (!options.pause) {
    bool const over = co_await aio::sleep_for(ex, left);
    co_return over;
  }
  bool const over = co_await options.pause(left);
  co_return over;
}

/// False: cancelled. The chat's turn comes first, so that a busy chat holds no place among the app's calls.
aio::Task<bool> Api::Impl::turn(std::string chat) {
  for (;;) {
    if (!chat.empty()) {
      Pace::Time const at = pace.chat_turn(chat, clock.steady());
      bool const over = co_await pause_until(at);
      if (!over) co_return false;
      if (pace.chat_held(chat, clock.steady())) continue;  // others were told so while we waited
    }
    Pace::Time const at = pace.app_turn(clock.steady());
    bool const over = co_await pause_until(at);
    if (!over) co_return false;
    if (!pace.app_held(clock.steady())) co_return true;
  }
}

/// Whoever was told to wait waits for all: others would be told the same, and each such call counts.
void Api::Impl::note_too_fast(Outcome const& outcome, std::string const& chat) {
  bool const for_chat = outcome.code == kTooFastForChat;
  bool const for_app = outcome.code == kTooFast || outcome.http_status == kTooMany || outcome.retry_after > 0ms;
  auto const until = clock.steady() + std::max(outcome.retry_after, kHold);
  if (for_chat && !chat.empty()) pace.hold_chat(chat, until);
  if (for_app && !for_chat && !outcome.ok()) pace.hold_app(until);
}

aio::Task<Answer> Api::Impl::once(Call const& call, std::string bearer) {
  aio::HttpCall http_call;
  http_call.method = call.method;
  http_call.url = app.domain + call.path;
  http_call.headers["authorization"] = "Bearer " + std::move(bearer);
  if (!call.body.empty()) http_call.headers["content-type"] = "application/json; charset=utf-8";
  http_call.body = call.body;
  http_call.limit = options.limit;
  http_call.repeatable = call.repeatable;
  bool sent = false;
  http_call.sent = &sent;
  Result<aio::HttpResponse> response = co_await http.send(std::move(http_call));
  Answer answer;
  answer.outcome = outcome_of(response);
  if (!sent) answer.outcome.unknown = false;  // an outage, however long, leaves no doubt about what never left
  if (response) answer.body = std::move(response->body);
  co_return answer;
}

aio::Task<Answer> Api::Impl::call(Call call) {
  Answer answer;
  for (int tries = 0; tries < 2; ++tries) {
    TokenOr bearer = co_await token.get();
    if (bearer.token.empty()) {
      answer.outcome = std::move(bearer.outcome);
      break;
    }
    bool go_on = true;
    if (call.spare) {
      go_on = pace.spare_turn(clock.steady());
    } else {
      go_on = co_await turn(call.chat);
    }
    if (!go_on) {
      answer.outcome = Outcome();
      answer.outcome.remedy = Remedy::wait;
      answer.outcome.what = call.spare ? "no calls to spare" : "cancelled while waiting for its turn";
      break;
    }
    std::string used = bearer.token;
    answer = co_await once(call, std::move(used));
    note_too_fast(answer.outcome, call.chat);
    if (answer.outcome.remedy != Remedy::new_token) break;
    token.drop(bearer.token);
  }
  co_return answer;
}

Api::Api(aio::Executor ex, aio::HttpClient& http, App app, Clock const& clock, ApiOptions options)
    : impl_(std::make_shared<Impl>(std::move(ex), http, std::move(app), clock, std::move(options))) {}
Api::~Api() = default;

aio::Task<Outcome> Api::reply(std::string message_id, Part part, std::string uuid, std::string chat) {
  auto const impl = impl_;
  Call call;
  call.path = "/open-apis/im/v1/messages/" + segment(message_id) + "/reply";
  call.body = message_request(part, uuid);
  call.chat = std::move(chat);
  call.repeatable = true;
  Answer answer = co_await impl->call(std::move(call));
  co_return std::move(answer.outcome);
}

aio::Task<Outcome> Api::send(std::string id_type, std::string receive_id, Part part, std::string uuid,
                             std::string chat) {
  auto const impl = impl_;
  Call call;
  call.path = "/open-apis/im/v1/messages?receive_id_type=" + id_type;
  call.body = message_request(part, uuid, receive_id);
  call.chat = std::move(chat);
  call.repeatable = true;
  Answer answer = co_await impl->call(std::move(call));
  co_return std::move(answer.outcome);
}

aio::Task<Outcome> Api::add_reaction(std::string message_id, std::string emoji) {
  auto const impl = impl_;
  Call call;
  call.path = "/open-apis/im/v1/messages/" + segment(message_id) + "/reactions";
  call.body = reaction_request(emoji);
  call.spare = true;
  Answer answer = co_await impl->call(std::move(call));
  co_return std::move(answer.outcome);
}

aio::Task<Outcome> Api::remove_reaction(std::string message_id, std::string reaction_id) {
  auto const impl = impl_;
  Call call;
  call.method = "DELETE";
  call.path = "/open-apis/im/v1/messages/" + segment(message_id) + "/reactions/" + segment(reaction_id);
  call.spare = true;
  Answer answer = co_await impl->call(std::move(call));
  co_return std::move(answer.outcome);
}

aio::Task<Result<std::string>> Api::get(std::string path) {
  auto const impl = impl_;
  Call call;
  call.method = "GET";
  call.path = path;
  call.repeatable = true;
  Answer answer = co_await impl->call(std::move(call));
  if (!answer.outcome.ok()) co_return error_of("GET " + path, answer.outcome);
  co_return std::move(answer.body);
}

aio::Task<Result<BotInfo>> Api::bot_info() {
  std::string path = "/open-apis/bot/v3/info";
  Result<std::string> const body = co_await get(std::move(path));
  if (!body) co_return body.error();
  std::optional<BotInfo> info = bot_of(*body);
  if (!info) co_return Error(Errc::unavailable, "GET /open-apis/bot/v3/info: the answer names no bot");
  co_return std::move(*info);
}

}  // namespace kb::feishu
