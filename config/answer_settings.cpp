#include "config/answer_settings.hpp"

#include <array>

#include "config/secret_file.hpp"

namespace kb::config {
namespace {

constexpr std::array<std::string_view, 2> kDrafters{"extractive", "model"};

/// Plain http is for a server on this machine only: questions, pages and the key travel in it.
bool is_usable_url(std::string_view url) noexcept {
  if (url.find_first_of(" \t\r\n?#@") != url.npos) return false;
  if (url.starts_with("https://")) return url.size() > 8 && url[8] != '/';
  for (std::string_view const place : {"http://127.0.0.1", "http://localhost", "http://[::1]"}) {
    if (!url.starts_with(place)) continue;
    return url.size() == place.size() || url[place.size()] == ':' || url[place.size()] == '/';
  }
  return false;
}

/// What passes through it is encrypted between the server and us, so that it may stand anywhere.
bool is_proxy_url(std::string_view url) noexcept {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme) || url.find_first_of(" \t\r\n?#@") != url.npos) return false;
  std::string_view const place = url.substr(kScheme.size());
  return !place.empty() && place.front() != ':' && place.find('/') == place.npos;
}

/// What every OpenAI-compatible server has.
template <class Settings>
void read_server(Fields& fields, std::filesystem::path const& base, FaultSink& sink, Settings& out) {
  out.base_url = fields.text("base_url");
  while (out.base_url.ends_with('/')) out.base_url.pop_back();
  out.name = fields.text("name");
  out.api_key_file = secret_file(fields, "api_key_file", base, sink);
  std::string const ca_file = fields.text("ca_file");
  if (!ca_file.empty()) out.ca_file = (base / ca_file).lexically_normal();
  if (!is_usable_url(out.base_url)) {
    sink.error(fields.place("base_url"),
               fields.path("base_url") + " \"" + out.base_url + "\" is no address kbgate sends pages to",
               "write https://HOST/v1; http:// only for 127.0.0.1, localhost or [::1]");
  }
  if (out.name.empty()) {
    sink.error(fields.place("name"), fields.path("name") + " is missing", "the model's name as the server knows it");
  }
}

ModelSettings read_model(Json const& json, std::filesystem::path const& base, FaultSink& sink) {
  Fields fields(json, "answer.model", sink);
  ModelSettings model;
  read_server(fields, base, sink, model);
  model.proxy = fields.text("proxy");
  while (model.proxy.ends_with('/')) model.proxy.pop_back();
  auto const milliseconds = [&fields](std::string_view key, std::chrono::milliseconds value, std::int64_t high) {
    return std::chrono::milliseconds(fields.number(key, value.count(), 100, high));
  };
  model.call_limit = milliseconds("call_milliseconds", model.call_limit, 300'000);
  model.question_limit = milliseconds("question_milliseconds", model.question_limit, 600'000);
  auto const count = [&fields](std::string_view key, unsigned value, std::int64_t low, std::int64_t high) {
    return static_cast<unsigned>(fields.number(key, value, low, high));
  };
  model.retries = count("retries", model.retries, 0, 10);
  model.max_tokens = count("max_tokens", model.max_tokens, 64, 32'768);
  model.calls_per_day = count("calls_per_day", model.calls_per_day, 0, 100'000'000);
  model.tokens_per_day = static_cast<std::uint64_t>(
      fields.number("tokens_per_day", static_cast<std::int64_t>(model.tokens_per_day), 0, 1'000'000'000'000));
  fields.reject_unknown();
  if (!model.proxy.empty() && !is_proxy_url(model.proxy)) {
    sink.error(fields.place("proxy"), "answer.model.proxy \"" + model.proxy + "\" is no proxy's address",
               "write http://HOST:PORT");
  }
  return model;
}

EmbeddingSettings read_embeddings(Json const& json, std::filesystem::path const& base, FaultSink& sink) {
  Fields fields(json, "answer.embeddings", sink);
  EmbeddingSettings out;
  read_server(fields, base, sink, out);
  auto const milliseconds = [&fields](std::string_view key, std::chrono::milliseconds value) {
    return std::chrono::milliseconds(fields.number(key, value.count(), 50, 300'000));
  };
  out.call_limit = milliseconds("call_milliseconds", out.call_limit);
  out.query_limit = milliseconds("query_milliseconds", out.query_limit);
  out.retries = static_cast<unsigned>(fields.number("retries", out.retries, 0, 10));
  out.batch = static_cast<unsigned>(fields.number("batch", out.batch, 1, 2048));
  out.in_answers = fields.flag("in_answers", false);
  fields.reject_unknown();
  return out;
}

}  // namespace

AnswerSettings read_answer(Json const& json, std::filesystem::path const& base, FaultSink& sink) {
  Fields fields(json, "answer", sink);
  AnswerSettings out;
  bool const by_model = fields.word("drafter", kDrafters, kDrafters.front()) == kDrafters[1];
  Json const* const model = fields.object("model");
  if (model != nullptr) {
    ModelSettings settings = read_model(*model, base, sink);
    if (by_model) out.model = std::move(settings);
  } else if (by_model) {
    sink.error(fields.place("drafter"), "answer.drafter is \"model\" and answer.model is missing",
               R"(add "model": {"base_url": "https://…/v1", "name": "…", "api_key_file": "…"})");
  }
  if (Json const* const embeddings = fields.object("embeddings")) {
    out.embeddings = read_embeddings(*embeddings, base, sink);
  }
  fields.reject_unknown();
  return out;
}

}  // namespace kb::config
