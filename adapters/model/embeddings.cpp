#include "adapters/model/embeddings.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "adapters/aio/http_client.hpp"
#include "adapters/aio/tls.hpp"
#include "adapters/aio/wait.hpp"
#include "adapters/model/retry.hpp"
#include "config/secret_file.hpp"

namespace kb::model {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kMaxReplyBytes = 64 * 1024 * 1024;  // 2048 vectors of 1536 numbers, in decimal
constexpr milliseconds kFirstPause{250};

Error corrupt(std::string const& what) { return {Errc::corrupt, "the embeddings' reply " + what}; }

/// Length 1, so that a product of two is the cosine between them; false for what has no direction.
bool normalise(float* vector, std::size_t n) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{vector[i]} * double{vector[i]};
  if (!(sum > 0) || !std::isfinite(sum)) return false;
  auto const scale = static_cast<float>(1 / std::sqrt(sum));
  for (std::size_t i = 0; i < n; ++i) vector[i] *= scale;
  return true;
}

}  // namespace

std::string embeddings_body(std::string const& model, std::span<std::string const> texts) {
  Json json{{"model", model}, {"input", Json::array()}, {"encoding_format", "float"}};
  for (std::string const& text : texts) json["input"].push_back(text);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Embedded> read_embeddings(std::string_view body, std::size_t texts) {
  Json const json = Json::parse(body, nullptr, false);
  auto const data = json.is_object() ? json.find("data") : json.end();
  if (!json.is_object() || data == json.end() || !data->is_array()) return corrupt("holds no data");
  if (data->size() != texts) {
    return corrupt("holds " + std::to_string(data->size()) + " vectors for " + std::to_string(texts) + " texts");
  }
  Embedded out;
  std::vector<bool> seen(texts, false);
  for (std::size_t i = 0; i < texts; ++i) {
    Json const& row = (*data)[i];
    auto const vector = row.is_object() ? row.find("embedding") : row.end();
    if (!row.is_object() || vector == row.end() || !vector->is_array() || vector->empty()) {
      return corrupt("has an entry without a vector");
    }
    auto const index = row.find("index");
    std::size_t const at = index != row.end() && index->is_number_unsigned() ? index->get<std::size_t>() : i;
    if (at >= texts || seen[at]) return corrupt("numbers its vectors wrongly");
    seen[at] = true;
    if (out.dimension == 0) {
      out.dimension = vector->size();
      out.values.resize(texts * out.dimension);
    }
    if (vector->size() != out.dimension) return corrupt("holds vectors of different lengths");
    float* const to = out.values.data() + at * out.dimension;
    for (std::size_t k = 0; k < out.dimension; ++k) {
      if (!(*vector)[k].is_number()) return corrupt("has a vector that is none");
      to[k] = (*vector)[k].get<float>();
    }
    if (!normalise(to, out.dimension)) return corrupt("has a vector without direction");
  }
  return out;
}

struct OpenAiEmbeddings::State {
  aio::Executor ex;
  config::EmbeddingSettings settings;
  Clock const& clock;
  std::string key;
  aio::HttpClient http;
  Rest rest{"embeddings.resting"};

  State(aio::Executor e, config::EmbeddingSettings s, Clock const& c, std::string k,
        std::shared_ptr<aio::TlsContext> tls)
      : ex(e), settings(std::move(s)), clock(c), key(std::move(k)), http(std::move(e), std::move(tls), limits()) {}

  static aio::HttpClient::Limits limits() {
    aio::HttpClient::Limits out;
    out.max_response_bytes = kMaxReplyBytes;
    return out;
  }

  aio::HttpCall call_of(std::string const& body, milliseconds limit) const {
    aio::HttpCall call;
    call.method = "POST";
    call.url = settings.base_url + "/embeddings";
    call.headers["content-type"] = "application/json";
    if (!key.empty()) call.headers["authorization"] = "Bearer " + key;
    call.body = body;
    call.limit = limit;
    call.repeatable = true;  // it changes nothing
    return call;
  }
};

OpenAiEmbeddings::OpenAiEmbeddings(std::unique_ptr<State> state) : state_(std::move(state)) {}
OpenAiEmbeddings::~OpenAiEmbeddings() = default;

Result<std::unique_ptr<OpenAiEmbeddings>> OpenAiEmbeddings::make(aio::Executor ex, config::EmbeddingSettings settings,
                                                                 Clock const& clock) {
  std::string key;
  if (!settings.api_key_file.empty()) {
    Result<std::string> secret = config::read_secret(settings.api_key_file, "answer.embeddings.api_key_file");
    if (!secret) return secret.error();
    key = std::move(*secret);
  }
  std::shared_ptr<aio::TlsContext> tls;
  if (settings.base_url.starts_with("https://")) {
    Result<std::shared_ptr<aio::TlsContext>> context = aio::TlsContext::client(settings.ca_file);
    if (!context) return at("answer.embeddings", context.error());
    tls = std::move(*context);
  }
  auto state = std::make_unique<State>(std::move(ex), std::move(settings), clock, std::move(key), std::move(tls));
  return std::unique_ptr<OpenAiEmbeddings>(new OpenAiEmbeddings(std::move(state)));
}

aio::Task<Result<Embedded>> OpenAiEmbeddings::embed(std::vector<std::string> texts, milliseconds limit) {
  State& s = *state_;
  auto const start = s.clock.steady();
  if (s.rest.lasts(start)) {
    co_return Error(Errc::unavailable, "the embeddings failed repeatedly and are left alone for a while");
  }
  std::string const body = embeddings_body(s.settings.name, texts);
  Error last(Errc::unavailable, "the embeddings were not asked for");
  for (unsigned attempt = 0; attempt <= s.settings.retries; ++attempt) {
    milliseconds const left = limit - std::chrono::duration_cast<milliseconds>(s.clock.steady() - start);
    if (left <= milliseconds(0)) break;
    aio::HttpCall call = s.call_of(body, std::min(left, s.settings.call_limit));
    Result<aio::HttpResponse> response = co_await s.http.send(std::move(call));
    std::optional<milliseconds> asked;
    if (!response) {
      last = response.error();
      if (last.code != Errc::unavailable) break;
    } else if (response->status == 200) {
      Result<Embedded> read = read_embeddings(response->body, texts.size());
      s.rest.note(read.has_value(), s.clock.steady());
      co_return read;
    } else {
      bool const denied = response->status == 401 || response->status == 403;
      last = Error(denied ? Errc::denied : Errc::unavailable,
                   "the embeddings' server answers with status " + std::to_string(response->status));
      if (!can_help_to_repeat(response->status)) break;
      asked = retry_after(*response);
    }
    milliseconds const pause = asked.value_or(kFirstPause * (1 << std::min(attempt, 5u)));
    auto const used = std::chrono::duration_cast<milliseconds>(s.clock.steady() - start);
    if (attempt == s.settings.retries || used + pause >= limit) break;
    bool const go_on = co_await aio::sleep_for(s.ex, pause);
    if (!go_on) co_return Error(Errc::cancelled, "asking for embeddings was given up");
  }
  s.rest.note(false, s.clock.steady());
  co_return last;
}

}  // namespace kb::model
