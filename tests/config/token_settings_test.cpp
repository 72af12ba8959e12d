#include "config/settings.hpp"
#include "tests/config/scratch.hpp"

using kb::RepoId;
using kb::config::Loaded;
using kb::config::parse_settings;
using kb::config::Settings;
using kb::test::all_of;

namespace {

std::string const kHash(64, 'a');

/// Settings with one repository, and these entries of `tokens`.
Loaded<Settings> with_tokens(std::string const& entries) {
  return parse_settings(R"({"repos": [{"owner": "o", "repo": "r", "kind": "brain", "git": "g"}],
 "listen": {"token_file": "t"}, "tokens": [)" +
                            entries + "]}",
                        "/c/kbgate.json");
}

std::string entry(std::string const& more) { return R"({"name": "ci", "sha256": ")" + kHash + "\"" + more + "}"; }

}  // namespace

TEST_CASE("a token's entry says for whom it speaks, what it reads and how often") {
  Loaded<Settings> const loaded = with_tokens(
      entry(R"(, "sender_id": "ou_1", "scope": "team", "repos": ["o/r", "o/r"], "agent_id": "coach",
          "channel": "peer-coach:1", "requests_per_minute": 5)") +
      "," + R"({"name": "b", "sha256": ")" + std::string(64, 'b') + R"(", "sender_id": "ou_1", "chat_id": "oc_1"})");
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  CHECK_EQ(all_of(loaded.warnings), "");
  REQUIRE_EQ(loaded.value->tokens.size(), 2);
  kb::config::TokenSettings const& token = loaded.value->tokens[0];
  CHECK_EQ(token.name, "ci");
  CHECK_EQ(token.sha256, kHash);
  CHECK_EQ(token.sender.str(), "ou_1");
  CHECK(token.chat.empty());
  CHECK_EQ(token.scope, "team");
  REQUIRE_EQ(token.repos.size(), 1);
  CHECK_EQ(token.repos[0], RepoId("o", "r"));
  CHECK_EQ(token.agent, "coach");
  CHECK_EQ(token.channel, "peer-coach:1");
  CHECK_EQ(token.requests_per_minute, 5);
  CHECK_EQ(loaded.value->tokens[1].chat.str(), "oc_1");
  CHECK_EQ(loaded.value->tokens[1].requests_per_minute, 60);
}

TEST_CASE("what is wrong with a token's entry is said, and never with a token") {
  struct Row {
    std::string entry;
    char const* said;
  };
  Row const rows[] = {
      {R"({"sha256": ")" + kHash + R"(", "sender_id": "u"})", "tokens[0].name is missing or no plain name"},
      {R"({"name": "a b", "sha256": ")" + kHash + R"(", "sender_id": "u"})", "tokens[0].name is missing"},
      {R"({"name": "ci", "sender_id": "u"})", "tokens[0].sha256 is no SHA-256"},
      {R"({"name": "ci", "sha256": "kbg_0123", "sender_id": "u"})", "tokens[0].sha256 is no SHA-256"},
      {R"({"name": "ci", "sha256": ")" + std::string(64, 'A') + R"(", "sender_id": "u"})", "is no SHA-256"},
      {entry(""), "tokens[0] may read nothing"},
      {entry(R"(, "repos": ["o/r"], "chat_id": "oc_1")"), "but nobody who asks"},
      {entry(R"(, "repos": ["o/r"], "scope": "team")"), "but nobody who asks"},
      {entry(R"(, "sender_id": "u", "chat_id": "oc_1", "scope": "team")"), "does not go with"},
      {entry(R"(, "sender_id": "u", "scope": "all")"), "tokens[0].scope"},
      {entry(R"(, "repos": ["o"])"), "names no repository"},
      {entry(R"(, "repos": ["o/r/x"])"), "names no repository"},
      {entry(R"(, "repos": ["o/other"])"), "token ci may read o/other, which is not configured"},
      {entry(R"(, "sender_id": "u", "requests_per_minute": 0)"), "tokens[0].requests_per_minute"},
      {entry(R"(, "sender_id": "u", "token": "kbg_0123")"), "would hold a secret in this file"},
      {entry(R"(, "sender_id": "u")") + "," + entry(R"(, "sender_id": "v")"), "has the name or the hash of another"},
  };
  for (Row const& row : rows) {
    CAPTURE(row.entry);
    Loaded<Settings> const loaded = with_tokens(row.entry);
    CHECK_FALSE(loaded.value.has_value());
    CHECK(all_of(loaded.errors).find(row.said) != std::string::npos);
    CHECK_EQ(all_of(loaded.errors).find("kbg_"), std::string::npos);
  }
}

TEST_CASE("tokens without one for the gateway leave the bridge open, which is said") {
  Loaded<Settings> const loaded =
      parse_settings(R"({"repos": [{"owner": "o", "repo": "r", "kind": "brain", "git": "g"}], "tokens": [)" +
                         entry(R"(, "repos": ["o/r"])") + "]}",
                     "/c/kbgate.json");
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  CHECK(all_of(loaded.warnings).find("may use the bridge as anyone (set listen.token_file too)") != std::string::npos);
}
