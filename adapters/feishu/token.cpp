#include "adapters/feishu/token.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/feishu/calls.hpp"

namespace kb::feishu {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::seconds kEarly = 5min;  ///< before its end a token is replaced
constexpr std::chrono::seconds kAgain = 30s;   ///< after a failed replacement, while the old one lasts
constexpr std::chrono::milliseconds kLimit = 15s;

}  // namespace

Token::Token(aio::Executor ex, aio::HttpClient& http, App const& app, Clock const& clock)
    : http_(http), app_(app), clock_(clock), fetched_(std::move(ex)) {}

void Token::drop(std::string const& token) {
  if (token == token_) token_.clear();
}

void Token::keep(std::string token, std::chrono::seconds life) {
  auto const now = clock_.steady();
  token_ = std::move(token);
  valid_until_ = now + life;
  fresh_until_ = valid_until_ - std::min(kEarly, life / 4);
}

aio::Task<TokenOr> Token::get() {
  if (!token_.empty() && clock_.steady() < fresh_until_) co_return TokenOr{token_, {}};
  if (!fetching_) {
    fetching_ = true;
    TokenOr answer = co_await fetch();
    last_ = std::move(answer);
    fetching_ = false;
    ++fetches_;
    fetched_.notify();
    co_return last_;
  }
  std::uint64_t const before = fetches_;
  while (fetches_ == before) {
    bool const go_on = co_await fetched_.wait();
    if (go_on) continue;
    Outcome cancelled;
    cancelled.remedy = Remedy::wait;
    cancelled.what = "cancelled while waiting for a token";
    co_return TokenOr{{}, std::move(cancelled)};
  }
  co_return last_;
}

aio::Task<TokenOr> Token::fetch() {
  aio::HttpCall call;
  call.method = "POST";
  call.url = app_.domain + "/open-apis/auth/v3/tenant_access_token/internal";
  call.headers["content-type"] = "application/json; charset=utf-8";
  call.body = token_request(app_);
  call.limit = kLimit;
  call.repeatable = true;
  Result<aio::HttpResponse> const response = co_await http_.send(std::move(call));
  TokenOr answer;
  answer.outcome = outcome_of(response);
  answer.outcome.unknown = false;  // whatever became of it, the call it was for has not been made
  if (answer.outcome.ok()) {
    std::optional<TokenGrant> grant = token_of(response->body);
    if (grant) {
      answer.token = grant->token;
      keep(std::move(grant->token), grant->life);
      co_return answer;
    }
    answer.outcome.remedy = Remedy::wait;
    answer.outcome.what = "the platform's answer holds no token";
  }
  if (!token_.empty() && clock_.steady() < valid_until_) {
    fresh_until_ = clock_.steady() + kAgain;
    co_return TokenOr{token_, {}};
  }
  answer.outcome.what = "fetching a token: " + answer.outcome.what;
  co_return answer;
}

}  // namespace kb::feishu
