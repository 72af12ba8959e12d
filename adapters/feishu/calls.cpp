#include "adapters/feishu/calls.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace kb::feishu {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr std::size_t kMaxWords = 200;  ///< of the platform's message that are kept
constexpr std::chrono::milliseconds kLongestHold = 10min;
constexpr std::chrono::seconds kDefaultLife = 2h;

json parsed(std::string_view text) { return json::parse(text, nullptr, false); }

std::string dumped(json const& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string text_at(json const& object, char const* key) {
  if (!object.is_object()) return {};
  auto const at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

json const& member(json const& object, char const* key) {
  static json const none;
  if (!object.is_object()) return none;
  auto const at = object.find(key);
  return at == object.end() ? none : *at;
}

std::string header(aio::HttpResponse const& response, char const* name) {
  auto const at = response.headers.find(name);
  return at == response.headers.end() ? std::string() : at->second;
}

/// Seconds, as the platform counts them; zero: not said, or no number.
std::chrono::milliseconds seconds_of(std::string_view text) {
  unsigned seconds = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc() || end != text.data() + text.size()) return 0ms;
  return std::min<std::chrono::milliseconds>(std::chrono::seconds(seconds), kLongestHold);
}

/// The platform's words without what they quote from the call: after "ext=" can stand text of a chat.
std::string words(std::string message) {
  message.erase(std::min(message.find("ext="), message.size()));
  while (!message.empty() && (message.back() == ' ' || message.back() == ',')) message.pop_back();
  if (message.size() <= kMaxWords) return message;
  std::size_t cut = kMaxWords;
  while (cut > 0 && (static_cast<unsigned char>(message[cut]) & 0xC0u) == 0x80u) --cut;  // not inside a character
  return message.substr(0, cut);
}

/// Codes that say "something went wrong" and not "no": the call may have worked.
bool says_unknown(Outcome const& outcome) {
  constexpr long long kPressure = 11232, kBeingSent = 230049, kTrouble = 230101;
  if (outcome.ok()) return false;
  return outcome.code == -1 || outcome.http_status >= 500 || outcome.code == kPressure || outcome.code == kBeingSent ||
         outcome.code == kTrouble;
}

}  // namespace

std::string token_request(App const& app) { return dumped({{"app_id", app.id}, {"app_secret", app.secret}}); }

std::string message_request(Part const& part, std::string_view uuid, std::string_view receive_id) {
  json body{{"msg_type", part.msg_type}, {"content", part.content}, {"uuid", uuid}};
  if (!receive_id.empty()) body["receive_id"] = receive_id;
  return dumped(body);
}

std::string reaction_request(std::string_view emoji) { return dumped({{"reaction_type", {{"emoji_type", emoji}}}}); }

Outcome outcome_of(Result<aio::HttpResponse> const& response) {
  Outcome outcome;
  outcome.code = -1;
  if (!response) {
    outcome.remedy = remedy_for(0, -1, {});
    outcome.what = response.error().what;
    // A certificate or an address that is refused ends a call before anything of it is sent.
    outcome.unknown = response.error().code != Errc::denied && response.error().code != Errc::invalid_input;
    return outcome;
  }
  outcome.http_status = static_cast<int>(response->status);
  outcome.log_id = header(*response, "x-tt-logid");
  json const envelope = parsed(response->body);
  if (json const& code = member(envelope, "code"); code.is_number_integer()) outcome.code = code.get<long long>();
  std::string const message = text_at(envelope, "msg");
  outcome.remedy = remedy_for(outcome.http_status, outcome.code, message);
  outcome.unknown = says_unknown(outcome);
  outcome.retry_after = seconds_of(header(*response, "x-ogw-ratelimit-reset"));
  if (outcome.retry_after == 0ms) outcome.retry_after = seconds_of(header(*response, "retry-after"));
  outcome.what = words(message);
  json const& data = member(envelope, "data");
  outcome.id = text_at(data, "message_id");
  if (outcome.id.empty()) outcome.id = text_at(data, "reaction_id");
  return outcome;
}

std::optional<TokenGrant> token_of(std::string_view body) {
  json const answer = parsed(body);
  TokenGrant grant{text_at(answer, "tenant_access_token"), kDefaultLife};
  if (grant.token.empty()) return std::nullopt;
  json const& life = member(answer, "expire");
  if (life.is_number_integer())
    grant.life = std::chrono::seconds(std::clamp<long long>(life.get<long long>(), 1, 7200));
  return grant;
}

std::optional<BotInfo> bot_of(std::string_view body) {
  json const answer = parsed(body);
  json const& bot = member(answer, "bot");
  if (!bot.is_object()) return std::nullopt;
  BotInfo info{text_at(bot, "open_id"), text_at(bot, "app_name"), 0};
  json const& status = member(bot, "activate_status");
  if (status.is_number_integer()) info.activate_status = status.get<int>();
  return info;
}

std::string segment(std::string_view id) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (char const c : id) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

}  // namespace kb::feishu
