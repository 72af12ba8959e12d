#include "adapters/model/openai.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "adapters/aio/tls.hpp"
#include "adapters/aio/url.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/model/completion.hpp"
#include "adapters/model/retry.hpp"
#include "config/secret_file.hpp"

namespace kb::model {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::size_t kMaxReplyBytes = 8 * 1024 * 1024;  ///< events around each word included
constexpr std::size_t kMaxTextBytes = 512 * 1024;
constexpr milliseconds kFirstPause{300};
constexpr milliseconds kLongestPause{8'000};

std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A server that does not know what was asked of it says one of these.
bool is_misunderstanding(unsigned status) noexcept { return status == 400 || status == 422 || status == 501; }

}  // namespace

std::string request_body(config::ModelSettings const& settings, Request const& request, bool plain) {
  Json json{{"model", settings.name}};
  json["messages"] = Json::array();
  json["messages"].push_back({{"role", "system"}, {"content", request.system}});
  json["messages"].push_back({{"role", "user"}, {"content", request.user}});
  json["temperature"] = 0;
  json["max_tokens"] = settings.max_tokens;
  json["stream"] = !plain;
  if (!plain) {
    json["stream_options"] = {{"include_usage", true}};
    json["response_format"] = {{"type", "json_object"}};
  }
  return dump(json);
}

struct OpenAiClient::State {
  aio::Executor ex;
  config::ModelSettings settings;
  Clock const& clock;
  std::string key;
  aio::HttpClient http;
  std::minstd_rand random{std::random_device()()};
  bool plain = false;  ///< the server knows neither streams nor response_format
  std::chrono::sys_days day{};
  std::uint64_t calls = 0, tokens = 0;  ///< of `day`
  Rest rest{"model.resting"};

  State(aio::Executor e, config::ModelSettings s, Clock const& c, std::string k, std::shared_ptr<aio::TlsContext> tls,
        std::optional<aio::Url> proxy)
      : ex(e),
        settings(std::move(s)),
        clock(c),
        key(std::move(k)),
        http(std::move(e), std::move(tls), limits(), std::move(proxy)) {}

  static aio::HttpClient::Limits limits() {
    aio::HttpClient::Limits out;
    out.max_response_bytes = kMaxReplyBytes;
    return out;
  }

  std::optional<Error> spent() {
    auto const today = std::chrono::floor<std::chrono::days>(clock.now());
    if (today != day) {
      day = today;
      calls = tokens = 0;
    }
    if (settings.calls_per_day > 0 && calls >= settings.calls_per_day)
      return Error(Errc::exhausted, "the model's calls of today are spent (answer.model.calls_per_day)");
    if (settings.tokens_per_day > 0 && tokens >= settings.tokens_per_day)
      return Error(Errc::exhausted, "the model's tokens of today are spent (answer.model.tokens_per_day)");
    return std::nullopt;
  }

  aio::HttpCall call_of(Request const& request, bool plainly, milliseconds limit) const {
    aio::HttpCall call;
    call.method = "POST";
    call.url = settings.base_url + "/chat/completions";
    call.headers["content-type"] = "application/json";
    if (!key.empty()) call.headers["authorization"] = "Bearer " + key;
    call.body = request_body(settings, request, plainly);
    call.limit = limit;
    return call;
  }

  /// One call; `reader` has what came of it, whole or not.
  aio::Task<Result<aio::HttpResponse>> call(Request const& request, bool plainly, milliseconds limit,
                                            CompletionReader& reader) {
    aio::HttpCall made = call_of(request, plainly, limit);
    made.on_body = [&](std::string_view piece) {
      reader.feed(piece);
      return !reader.over() && !(request.enough && request.enough(reader.text()));
    };
    co_return co_await http.send(std::move(made));
  }

  /// Full jitter: many askers do not come back at once.
  milliseconds pause(unsigned attempt, std::optional<milliseconds> asked) {
    auto const most = std::min(kFirstPause * (1 << std::min(attempt, 5u)), kLongestPause);
    milliseconds const drawn(std::uniform_int_distribution<std::int64_t>(most.count() / 4, most.count())(random));
    return asked ? std::max(*asked, drawn) : drawn;
  }
};

OpenAiClient::OpenAiClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
OpenAiClient::~OpenAiClient() = default;

Result<std::unique_ptr<OpenAiClient>> OpenAiClient::make(aio::Executor ex, config::ModelSettings settings,
                                                         Clock const& clock) {
  std::string key;
  if (!settings.api_key_file.empty()) {
    Result<std::string> secret = config::read_secret(settings.api_key_file, "answer.model.api_key_file");
    if (!secret) return secret.error();
    key = std::move(*secret);
  }
  std::shared_ptr<aio::TlsContext> tls;
  if (settings.base_url.starts_with("https://")) {
    Result<std::shared_ptr<aio::TlsContext>> context = aio::TlsContext::client(settings.ca_file);
    if (!context) return at("answer.model", context.error());
    tls = std::move(*context);
  }
  std::optional<aio::Url> proxy;
  if (!settings.proxy.empty()) {
    Result<aio::Url> url = aio::parse_url(settings.proxy);
    if (!url) return at("answer.model.proxy", url.error());
    proxy = std::move(*url);
  }
  auto state = std::make_unique<State>(std::move(ex), std::move(settings), clock, std::move(key), std::move(tls),
                                       std::move(proxy));
  return std::unique_ptr<OpenAiClient>(new OpenAiClient(std::move(state)));
}

milliseconds OpenAiClient::question_limit() const { return state_->settings.question_limit; }

aio::Task<Result<std::string>> OpenAiClient::complete(Request request) {
  State& s = *state_;
  auto const start = s.clock.steady();
  auto const end = std::min(request.end, start + s.settings.question_limit);
  if (s.rest.lasts(start))
    co_return Error(Errc::unavailable, "the model failed repeatedly and is left alone for a while");
  Error last(Errc::unavailable, "the model's time for this question is over");
  std::string begun;  // the longest of what broke off
  for (unsigned attempt = 0; attempt <= s.settings.retries; ++attempt) {
    auto const left = std::chrono::duration_cast<milliseconds>(end - s.clock.steady());
    if (left <= milliseconds(0)) break;
    std::optional<Error> spent = s.spent();
    if (spent) co_return std::move(*spent);
    ++s.calls;
    bool const plainly = s.plain;
    CompletionReader reader(kMaxTextBytes);
    Result<aio::HttpResponse> response =
        co_await s.call(request, plainly, std::min(left, s.settings.call_limit), reader);
    std::optional<milliseconds> asked;
    if (response && response->status == 200) {
      Result<Completion> completion = reader.take();
      if (completion) {
        s.tokens += completion->tokens;
        s.rest.note(true, s.clock.steady());
        co_return std::move(completion->text);
      }
      if (completion.error().code != Errc::unavailable) {
        s.rest.note(false, s.clock.steady());
        co_return completion.error();
      }
      last = completion.error();
      if (reader.text().size() > begun.size()) begun = reader.text();
    } else if (!response) {
      last = response.error();
      if (reader.text().size() > begun.size()) begun = reader.text();
      if (last.code != Errc::unavailable) break;
    } else if (is_misunderstanding(response->status) && !plainly) {
      s.plain = true;
      last = Error(Errc::unavailable, "the model's server refuses streams or response_format");
      continue;
    } else {
      bool const denied = response->status == 401 || response->status == 403;
      last = Error(denied ? Errc::denied : Errc::unavailable,
                   "the model's server answers with status " + std::to_string(response->status));
      if (!can_help_to_repeat(response->status)) break;
      asked = retry_after(*response);
    }
    milliseconds const pause = s.pause(attempt, asked);
    if (attempt == s.settings.retries || s.clock.steady() + pause >= end) break;
    bool const go_on = co_await aio::sleep_for(s.ex, pause);
    if (!go_on) co_return Error(Errc::cancelled, "asking the model was given up");
  }
  s.rest.note(!begun.empty(), s.clock.steady());
  if (!begun.empty()) co_return begun;
  co_return last;
}

}  // namespace kb::model
