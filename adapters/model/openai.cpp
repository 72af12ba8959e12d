#include "adapters/model/openai.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "adapters/aio/tls.hpp"
#include "adapters/aio/wait.hpp"
#include "config/secret_file.hpp"
#include "logging/service_log.hpp"

namespace kb::model {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::size_t kMaxReplyBytes = 1024 * 1024;
constexpr milliseconds kFirstPause{300};
constexpr milliseconds kLongestPause{8'000};
constexpr int kFaultsToRest = 3;       ///< in a row, before the server is left alone
constexpr milliseconds kRest{30'000};  ///< … for so long

std::string dump(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string trimmed(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  auto const begin = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; });
  text.erase(text.begin(), begin);
  return text;
}

/// Seconds of a Retry-After header; nothing for a date.
std::optional<milliseconds> retry_after(aio::HttpResponse const& response) {
  auto const at = response.headers.find("retry-after");
  if (at == response.headers.end()) return std::nullopt;
  unsigned seconds = 0;
  char const* const end = at->second.data() + at->second.size();
  auto const [rest, fault] = std::from_chars(at->second.data(), end, seconds);
  if (fault != std::errc() || rest != end || seconds > 3600) return std::nullopt;
  return milliseconds(seconds * 1000);
}

bool can_help_to_repeat(unsigned status) noexcept {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

std::string text_of(Json const& message, char const* key) {
  auto const at = message.find(key);
  if (at == message.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  std::string out;
  if (!at->is_array()) return out;
  for (Json const& part : *at) {  // content in parts
    if (part.is_object() && part.contains("text") && part["text"].is_string()) out += part["text"].get<std::string>();
  }
  return out;
}

}  // namespace

Result<Completion> read_reply(std::string_view body) {
  Json const json = Json::parse(body, nullptr, false);
  bool const has_choice = json.is_object() && json.contains("choices") && json["choices"].is_array() &&
                          !json["choices"].empty() && json["choices"][0].is_object();
  if (!has_choice) return Error(Errc::corrupt, "the model's reply is no chat completion");
  Json const& choice = json["choices"][0];
  Completion out;
  if (choice.contains("message") && choice["message"].is_object()) {
    Json const& message = choice["message"];
    out.text = text_of(message, "content");
    for (char const* const key : {"reasoning_content", "reasoning"}) {
      if (trimmed(out.text).empty()) out.text = text_of(message, key);
    }
  } else {
    out.text = text_of(choice, "text");
  }
  if (trimmed(out.text).empty()) return Error(Errc::corrupt, "the model's reply has no text");
  if (json.contains("usage") && json["usage"].is_object()) {
    auto const total = json["usage"].find("total_tokens");
    if (total != json["usage"].end() && total->is_number_unsigned()) out.tokens = total->get<std::uint64_t>();
  }
  return out;
}

std::string request_body(config::ModelSettings const& settings, Request const& request, bool plain) {
  Json json{{"model", settings.name}};
  json["messages"] = Json::array();
  json["messages"].push_back({{"role", "system"}, {"content", request.system}});
  json["messages"].push_back({{"role", "user"}, {"content", request.user}});
  json["temperature"] = 0;
  json["max_tokens"] = settings.max_tokens;
  json["stream"] = false;
  if (!plain) json["response_format"] = {{"type", "json_object"}};
  return dump(json);
}

struct OpenAiClient::State {
  aio::Executor ex;
  config::ModelSettings settings;
  Clock const& clock;
  std::string key;
  aio::HttpClient http;
  std::minstd_rand random{std::random_device()()};
  bool plain = false;  ///< the server has refused response_format
  std::chrono::sys_days day{};
  std::uint64_t calls = 0, tokens = 0;  ///< of `day`
  int faults = 0;                       ///< in a row
  std::chrono::steady_clock::time_point rest_until{};

  State(aio::Executor e, config::ModelSettings s, Clock const& c, std::string k, std::shared_ptr<aio::TlsContext> tls)
      : ex(e), settings(std::move(s)), clock(c), key(std::move(k)), http(std::move(e), std::move(tls), limits()) {}

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

  aio::HttpCall call_of(Request const& request, milliseconds limit) const {
    aio::HttpCall call;
    call.method = "POST";
    call.url = settings.base_url + "/chat/completions";
    call.headers["content-type"] = "application/json";
    if (!key.empty()) call.headers["authorization"] = "Bearer " + key;
    call.body = request_body(settings, request, plain);
    call.limit = limit;
    return call;
  }

  /// Full jitter: many askers do not come back at once.
  milliseconds pause(unsigned attempt, std::optional<milliseconds> asked) {
    auto const most = std::min(kFirstPause * (1 << std::min(attempt, 5u)), kLongestPause);
    milliseconds const drawn(std::uniform_int_distribution<std::int64_t>(most.count() / 4, most.count())(random));
    return asked ? std::max(*asked, drawn) : drawn;
  }

  void note(bool worked) {
    faults = worked ? 0 : faults + 1;
    if (faults < kFaultsToRest) return;
    rest_until = clock.steady() + kRest;
    log::write(log::Level::warn, "model.resting", {{"seconds", kRest.count() / 1000}});
    faults = 0;
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
  auto state = std::make_unique<State>(std::move(ex), std::move(settings), clock, std::move(key), std::move(tls));
  return std::unique_ptr<OpenAiClient>(new OpenAiClient(std::move(state)));
}

aio::Task<Result<std::string>> OpenAiClient::complete(Request request) {
  State& s = *state_;
  auto const start = s.clock.steady();
  if (start < s.rest_until)
    co_return Error(Errc::unavailable, "the model failed repeatedly and is left alone for a while");
  Error last(Errc::unavailable, "the model was not called");
  for (unsigned attempt = 0; attempt <= s.settings.retries; ++attempt) {
    auto const used = std::chrono::duration_cast<milliseconds>(s.clock.steady() - start);
    milliseconds const left = s.settings.question_limit - used;
    if (left <= milliseconds(0)) break;
    if (std::optional<Error> spent = s.spent()) co_return std::move(*spent);
    ++s.calls;
    aio::HttpCall call = s.call_of(request, std::min(left, s.settings.call_limit));
    bool const with_format = !s.plain;
    Result<aio::HttpResponse> response = co_await s.http.send(std::move(call));
    std::optional<milliseconds> asked;
    if (!response) {
      last = response.error();
      if (last.code != Errc::unavailable) break;
    } else if (response->status == 200) {
      Result<Completion> completion = read_reply(response->body);
      s.note(completion.has_value());
      if (!completion) co_return completion.error();
      s.tokens += completion->tokens;
      co_return std::move(completion->text);
    } else if (response->status == 400 && with_format && response->body.find("response_format") != std::string::npos) {
      s.plain = true;  // a server that does not know it
      last = Error(Errc::unavailable, "the model's server refuses response_format");
      continue;
    } else {
      bool const denied = response->status == 401 || response->status == 403;
      last = Error(denied ? Errc::denied : Errc::unavailable,
                   "the model's server answers with status " + std::to_string(response->status));
      if (!can_help_to_repeat(response->status)) break;
      asked = retry_after(*response);
    }
    milliseconds const pause = s.pause(attempt, asked);
    auto const so_far = std::chrono::duration_cast<milliseconds>(s.clock.steady() - start);
    if (attempt == s.settings.retries || so_far + pause >= s.settings.question_limit) break;
    bool const go_on = co_await aio::sleep_for(s.ex, pause);
    if (!go_on) co_return Error(Errc::cancelled, "asking the model was given up");
  }
  s.note(false);
  co_return last;
}

}  // namespace kb::model
