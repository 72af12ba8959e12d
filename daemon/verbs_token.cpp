// token: makes a bearer token and the entry of `tokens` that lets it in. Writes nothing: the token is shown once, here.
#include "adapters/bridge/access.hpp"
#include "config/token_settings.hpp"
#include "daemon/exit_codes.hpp"
#include "daemon/json_out.hpp"
#include "daemon/verbs.hpp"

namespace kb::daemon {

int token_verb(TokenOptions const& options, Io io) {
  Result<std::string> const token = bridge::new_token();
  if (!token) return fail(io, token.error());
  Json entry{{"name", options.name}, {"sha256", bridge::token_hash(*token)}};
  if (!options.sender_id.empty()) entry["sender_id"] = options.sender_id;
  if (!options.chat_id.empty()) entry["chat_id"] = options.chat_id;
  if (!options.scope.empty()) entry["scope"] = options.scope;
  if (!options.repos.empty()) entry["repos"] = options.repos;
  if (options.requests_per_minute) entry["requests_per_minute"] = *options.requests_per_minute;

  // Held to what serve will hold it to.
  std::vector<config::Fault> errors, warnings;
  config::FaultSink sink("", errors, warnings);
  std::optional<config::Json> const parsed = config::parse_json(dump(entry), "", errors);
  if (parsed) (void)config::read_token(*parsed, "token", sink);
  if (!errors.empty()) return fail(io, "bad_token", errors.front().message + " (" + errors.front().hint + ")", kUsage);
  print(io.out, {{"success", true}, {"token", *token}, {"entry", entry}});
  io.err << "keep the token: it is not shown again; put the entry into \"tokens\" of kbgate.json" << std::endl;
  return kDone;
}

}  // namespace kb::daemon
