#include "daemon/safety_net.hpp"

#include "daemon/http_api.hpp"
#include "daemon/json_out.hpp"

namespace kb::daemon {
namespace {

constexpr std::string_view kModel = "kbgate";

std::int64_t seconds_of(TimePoint now) {
  return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
}

Json head(std::string const& id, std::string_view object, std::string const& model, TimePoint now) {
  return {{"id", id}, {"object", object}, {"created", seconds_of(now)}, {"model", model}};
}

std::string event(Json const& json) { return "data: " + dump(json) + "\n\n"; }

/// Who speaks, what, and that it is over: the three steps every client knows.
std::string stream(Json const& chunk, std::string_view sentence, bool with_usage) {
  auto const step = [&chunk](Json delta, Json reason) {
    Json one = chunk;
    one["choices"] = Json::array({{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(reason)}}});
    return event(one);
  };
  std::string out = step({{"role", "assistant"}, {"content", ""}}, nullptr);
  out += step({{"content", sentence}}, nullptr);
  out += step(Json::object(), "stop");
  if (with_usage) {
    Json last = chunk;
    last["choices"] = Json::array();
    last["usage"] = {{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}};
    out += event(last);
  }
  return out + "data: [DONE]\n\n";
}

}  // namespace

aio::HttpResponse say_sentence(std::string_view body, std::string_view sentence, TimePoint now) {
  Json const request = Json::parse(body, nullptr, false);
  if (!request.is_object()) return problem(400, "Bad Request", "the body is no JSON object");
  Json const asked = request.value("model", Json());
  std::string const model = asked.is_string() ? asked.get<std::string>() : std::string(kModel);
  std::string const id = "chatcmpl-" + std::to_string(now.time_since_epoch().count());
  aio::HttpResponse response;
  if (request.value("stream", Json()) == true) {
    Json const options = request.value("stream_options", Json::object());
    bool const with_usage = options.is_object() && options.value("include_usage", Json()) == true;
    response.content_type = "text/event-stream";
    response.headers["cache-control"] = "no-store";
    response.body = stream(head(id, "chat.completion.chunk", model, now), sentence, with_usage);
    return response;
  }
  Json completion = head(id, "chat.completion", model, now);
  Json const message{{"role", "assistant"}, {"content", sentence}};
  completion["choices"] = Json::array({{{"index", 0}, {"message", message}, {"finish_reason", "stop"}}});
  completion["usage"] = {{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}};
  response.body = dump(completion);
  return response;
}

aio::HttpResponse list_models(TimePoint now) {
  aio::HttpResponse response;
  Json const model{{"id", kModel}, {"object", "model"}, {"created", seconds_of(now)}, {"owned_by", "kbgate"}};
  response.body = dump({{"object", "list"}, {"data", Json::array({model})}});
  return response;
}

}  // namespace kb::daemon
