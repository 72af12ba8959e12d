#include "config/settings.hpp"

#include <optional>
#include <utility>

#include "tests/config/scratch.hpp"

using kb::RepoId;
using kb::config::find_settings_file;
using kb::config::load_settings;
using kb::config::Loaded;
using kb::config::parse_settings;
using kb::config::QueryLogMode;
using kb::config::RepoKind;
using kb::config::Settings;
using kb::test::all_of;
using kb::test::Marked;
using kb::test::Scratch;

namespace {

/// Sets an environment variable, or unsets it, and puts the old value back.
class Environment {
 public:
  Environment(char const* name, std::optional<std::string> const& value) : name_(name) {
    if (char const* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_); }
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

 private:
  void set(std::optional<std::string> const& value) {
    if (value) {
      ::setenv(name_, value->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

  char const* name_;
  std::optional<std::string> old_;
};

/// A sound repository entry with more keys at its end: repo(R"(, "ref": "x")").
std::string repo(std::string const& more) {
  return R"({"repos": [{"owner": "o", "repo": "r", "kind": "team", "git": "g")" + more + "}]}";
}

/// The example of the interfaces, word for word.
constexpr std::string_view kExample = R"json({
  "state_dir": "state",
  "users": "users.json", "teams": "teams.json", "chat_bindings": "chat_bindings.json",
  "admins": ["ou_root"],
  "repos": [
    {"owner": "nlp", "repo": "nlp-team-kb", "kind": "team", "git": "repos/nlp-team-kb.git",
     "remote": "https://git.example/nlp/nlp-team-kb.git", "ref": "refs/heads/main", "sync_seconds": 60,
     "web_url": "https://git.example/{owner}/{repo}/src/commit/{commit}/{path}#L{start}-L{end}",
     "query_log": "branch", "include": ["**/*.md"], "exclude": ["node_modules/**"]}
  ],
  "listen": {"address": "127.0.0.1", "port": 8642, "token_file": null},
  "adapters": {"feishu": {"enabled": false}, "openclaw": {"enabled": false}},
  "answer": {"drafter": "extractive"},
  "limits": {"max_question_bytes": 4000, "questions_per_user_per_minute": 20}
})json";

}  // namespace

TEST_CASE("the example of the interfaces reads as it says") {
  Loaded<Settings> const loaded = parse_settings(kExample, "/etc/kbgate/kbgate.json");
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  CHECK_EQ(all_of(loaded.warnings), "");
  Settings const& settings = *loaded.value;
  CHECK_EQ(settings.file, "/etc/kbgate/kbgate.json");
  CHECK_EQ(settings.state_dir, "/etc/kbgate/state");
  CHECK_EQ(settings.users, "/etc/kbgate/users.json");
  CHECK_EQ(settings.teams, "/etc/kbgate/teams.json");
  CHECK_EQ(settings.chat_bindings, "/etc/kbgate/chat_bindings.json");
  REQUIRE_EQ(settings.admins.size(), 1);
  CHECK_EQ(settings.admins[0].str(), "ou_root");

  REQUIRE_EQ(settings.repos.size(), 1);
  auto const& repository = settings.repos[0];
  CHECK_EQ(repository.id, RepoId("nlp", "nlp-team-kb"));
  CHECK(repository.kind == RepoKind::team);
  CHECK_EQ(repository.git, "/etc/kbgate/repos/nlp-team-kb.git");
  CHECK(repository.dir.empty());
  CHECK_EQ(repository.remote, "https://git.example/nlp/nlp-team-kb.git");
  CHECK_EQ(repository.ref, "refs/heads/main");
  CHECK_EQ(repository.sync.count(), 60);
  CHECK_EQ(repository.web_url, "https://git.example/{owner}/{repo}/src/commit/{commit}/{path}#L{start}-L{end}");
  CHECK(repository.query_log == QueryLogMode::branch);
  CHECK_FALSE(repository.push_query_log);
  CHECK_EQ(repository.include.at(0), "**/*.md");
  CHECK_EQ(repository.exclude.at(0), "node_modules/**");
  CHECK_EQ(settings.find(RepoId("nlp", "nlp-team-kb")), &repository);
  CHECK(settings.find(RepoId("nlp", "other")) == nullptr);

  CHECK_EQ(settings.listen.address, "127.0.0.1");
  CHECK_EQ(settings.listen.port, 8642);
  CHECK(settings.listen.token_file.empty());
  CHECK_EQ(settings.limits.max_question_bytes, 4000);
  CHECK_EQ(settings.limits.questions_per_user_per_minute, 20);
}

TEST_CASE("an empty file has all defaults and a warning that it can answer nothing") {
  Loaded<Settings> const loaded = parse_settings("{}", "/etc/kbgate/kbgate.json");
  REQUIRE(loaded.value);
  REQUIRE_EQ(loaded.warnings.size(), 1);
  CHECK_EQ(loaded.warnings[0].message, "no repository is configured: every question will be refused");
  CHECK_EQ(loaded.value->state_dir, "/etc/kbgate/state");
  CHECK_EQ(loaded.value->chat_bindings, "/etc/kbgate/chat_bindings.json");
  CHECK_EQ(loaded.value->listen.port, 8642);
  CHECK_EQ(loaded.value->limits.in_flight, kb::config::Limits().in_flight);
}

TEST_CASE("every key has its place in the values") {
  Loaded<Settings> const loaded = parse_settings(R"json({
    "state_dir": "/var/lib/kbgate", "users": "../users.json", "teams": "./t/teams.json", "chat_bindings": "b.json",
    "repos": [
      {"owner": "a", "repo": "1", "kind": "personal", "dir": "/srv/a", "query_log": "local"},
      {"owner": "a", "repo": "2", "kind": "project_docs", "git": "/srv/2.git", "remote": "../two", "sync_seconds": 1},
      {"owner": "a", "repo": "3", "kind": "brain", "git": "/srv/3.git", "remote": "git@host:three", "query_log": "commit",
       "push_query_log": true},
      {"owner": "a", "repo": "4", "kind": "named", "git": "4.git", "remote": "ssh://git@host/4", "ref": null},
      {"owner": "b", "repo": "1", "kind": "search_root", "dir": "docs", "include": [], "sync_seconds": 604800}
    ],
    "listen": {"address": "::", "port": 0, "token_file": "secret/token"},
    "limits": {"max_question_bytes": 1, "questions_per_user_per_minute": 2, "max_pages": 3, "max_page_bytes": 4096,
               "chat_queue": 5, "in_flight": 6, "connections": 7}
  })json",
                                                 "/etc/kbgate/kbgate.json");
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  Settings const& settings = *loaded.value;
  CHECK_EQ(settings.state_dir, "/var/lib/kbgate");
  CHECK_EQ(settings.users, "/etc/users.json");
  CHECK_EQ(settings.teams, "/etc/kbgate/t/teams.json");
  REQUIRE_EQ(settings.repos.size(), 5);
  CHECK(settings.repos[0].kind == RepoKind::personal);
  CHECK_EQ(settings.repos[0].dir, "/srv/a");
  CHECK_EQ(settings.repos[0].git, "/var/lib/kbgate/directories/a/1.git");
  CHECK(settings.repos[0].query_log == QueryLogMode::local);
  CHECK(settings.repos[1].kind == RepoKind::project_docs);
  CHECK_EQ(settings.repos[1].remote, "/etc/two");
  CHECK_EQ(settings.repos[1].sync.count(), 1);
  CHECK(settings.repos[2].kind == RepoKind::brain);
  CHECK_EQ(settings.repos[2].remote, "git@host:three");
  CHECK(settings.repos[2].query_log == QueryLogMode::commit);
  CHECK(settings.repos[2].push_query_log);
  CHECK(settings.repos[3].kind == RepoKind::named);
  CHECK_EQ(settings.repos[3].remote, "ssh://git@host/4");
  CHECK(settings.repos[4].kind == RepoKind::search_root);
  CHECK_EQ(settings.repos[4].dir, "/etc/kbgate/docs");
  CHECK_EQ(settings.listen.address, "::");
  CHECK_EQ(settings.listen.port, 0);
  CHECK_EQ(settings.listen.token_file, "/etc/kbgate/secret/token");
  auto const& limits = settings.limits;
  CHECK_EQ(limits.max_question_bytes, 1);
  CHECK_EQ(limits.questions_per_user_per_minute, 2);
  CHECK_EQ(limits.max_pages, 3);
  CHECK_EQ(limits.max_page_bytes, 4096);
  CHECK_EQ(limits.chat_queue, 5);
  CHECK_EQ(limits.in_flight, 6);
  CHECK_EQ(limits.connections, 7);
}

TEST_CASE("no limit of questions a minute is written as 0") {
  Loaded<Settings> const loaded =
      parse_settings(R"({"limits": {"questions_per_user_per_minute": 0}})", "/etc/kbgate/kbgate.json");
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  CHECK_EQ(loaded.value->limits.questions_per_user_per_minute, 0);
}

TEST_CASE("every fault names its place, what is wrong and the fix") {
  struct Row {
    std::string text;  // § marks the place
    char const* message;
    char const* hint;
  };
  Row const rows[] = {
      // Keys
      {R"({§"state_dri": "x"})", R"(unknown key "state_dri")", R"(did you mean "state_dir"?)"},
      {R"({§"zzz": 1})", R"(unknown key "zzz")",
       R"(remove it; known here: "state_dir", "users", "teams", "chat_bindings", "admins", "repos", "listen", "tokens", "adapters", "answer", "knowledge_bases" or "limits")"},
      {repo(",\n §\"sync_second\": 1"), R"(unknown key "sync_second" in repos[0])", R"(did you mean "sync_seconds"?)"},
      {R"({"listen": {§"adress": "::1"}})", R"(unknown key "adress" in listen)", R"(did you mean "address"?)"},
      {R"({"limits": {§"max_page": 1}})", R"(unknown key "max_page" in limits)", R"(did you mean "max_pages"?)"},
      {R"({"answer": {§"draft": 1}})", R"(unknown key "draft" in answer)", R"(did you mean "drafter"?)"},
      {R"({"adapters": {§"fieshu": {}}})", R"(unknown key "fieshu" in adapters)", R"(did you mean "feishu"?)"},
      {R"({"adapters": {"feishu": {§"enable": true}}})", R"(unknown key "enable" in adapters.feishu)",
       R"(did you mean "enabled"?)"},
      {"{\"admins\": [],\n§\"admins\": []}", R"(key "admins" stands twice in this object)",
       "remove one; the first is in line 1"},
      // Secrets
      {R"({"listen": {§"token": "s3cret"}})", R"(key "token" would hold a secret in this file)",
       R"(put the secret into a file of its own and name that in a "…_file" key)"},
      {R"({"adapters": {"feishu": {§"App-Secret": "s3cret"}}})", R"(key "App-Secret" would hold a secret in this file)",
       R"(put the secret into a file of its own and name that in a "…_file" key)"},
      {R"({§"password": 5})", R"(key "password" would hold a secret in this file)",
       R"(put the secret into a file of its own and name that in a "…_file" key)"},
      {repo(R"(, "remote": §"https://me:s3cret@host/x")"), "repos[0].remote holds a password",
       "use ssh or a credential helper: secrets do not stand in this file"},
      // Types
      {"§[]", "the file must be an object, not a list", ""},
      {R"({"state_dir": §5})", "state_dir must be text, not a whole number", ""},
      {R"({"users": §""})", "users is empty", "name a path, or leave the key out"},
      {R"({"admins": §"ou_root"})", "admins must be a list, not text", ""},
      {R"({"admins": ["a", §1]})", "admins must hold text only, not a whole number", ""},
      {R"({"admins": [§""]})", "admins holds an empty text", "remove it"},
      {R"({"repos": §{}})", "repos must be a list, not an object", ""},
      {R"({"repos": [§"o/r"]})", "repos[0] must be an object, not text", ""},
      {R"({"listen": §8642})", "listen must be an object, not a whole number", ""},
      {R"({"listen": {"port": §"8642"}})", "listen.port must be a whole number, not text", ""},
      {R"({"listen": {"port": §8642.5}})", "listen.port must be a whole number, not a number", ""},
      {R"({"adapters": {"openclaw": §false}})", "adapters.openclaw must be an object, not true or false", ""},
      {R"({"adapters": {"feishu": {"enabled": §"no"}}})", "adapters.feishu.enabled must be true or false, not text",
       ""},
      // Ranges
      {R"({"listen": {"port": §65536}})", "listen.port is 65536, outside 0 to 65535", ""},
      {R"({"listen": {"port": §-1}})", "listen.port is -1, outside 0 to 65535", ""},
      {R"({"limits": {"max_question_bytes": §60001}})", "limits.max_question_bytes is 60001, outside 1 to 60000", ""},
      {R"({"limits": {"chat_queue": §0}})", "limits.chat_queue is 0, outside 1 to 10000", ""},
      {repo(R"(, "sync_seconds": §0)"), "repos[0].sync_seconds is 0, outside 1 to 604800", ""},
      // Closed sets
      {R"({"answer": {"drafter": §"modl"}})", R"(unknown answer.drafter "modl")", R"(did you mean "model"?)"},
      // The model
      {R"({"answer": {"drafter": §"model"}})", R"(answer.drafter is "model" and answer.model is missing)",
       R"(add "model": {"base_url": "https://…/v1", "name": "…", "api_key_file": "…"})"},
      {R"({"answer": {"drafter": "model", "model": {"base_url": §"http://h/v1", "name": "m"}}})",
       R"(answer.model.base_url "http://h/v1" is no address kbgate sends pages to)",
       "write https://HOST/v1; http:// only for 127.0.0.1, localhost or [::1]"},
      {R"({"answer": {"model": §{"base_url": "https://h/v1"}}})", "answer.model.name is missing",
       "the model's name as the server knows it"},
      {repo(R"(, "query_log": §"comit")"), R"(unknown repos[0].query_log "comit")", R"(did you mean "commit"?)"},
      {R"({"repos": [{"owner": "o", "repo": "r", "kind": §"projectdocs", "dir": "d"}]})",
       R"(unknown repos[0].kind "projectdocs")", R"(did you mean "project_docs"?)"},
      {R"({"repos": [{"owner": "o", "repo": "r", "kind": §"wiki", "dir": "d"}]})", R"(unknown repos[0].kind "wiki")",
       R"(write "personal", "team", "project_docs", "brain", "named" or "search_root")"},
      {R"({"repos": [§{"owner": "o", "repo": "r", "dir": "d"}]})", "repos[0].kind is missing",
       R"(write "personal", "team", "project_docs", "brain", "named" or "search_root")"},
      // Repositories
      {R"({"repos": [§{"repo": "r", "kind": "team", "dir": "d"}]})", "repos[0].owner is missing",
       R"(name the repository by "owner" and "repo")"},
      {R"({"repos": [{"owner": "o", "repo": §"a/b", "kind": "team", "dir": "d"}]})",
       R"(repos[0].repo is no name: "a/b")", "use the name without slashes and blanks"},
      {R"({"repos": [{"owner": §"..", "repo": "r", "kind": "team", "dir": "d"}]})",
       R"(repos[0].owner is no name: "..")", "use the name without slashes and blanks"},
      {R"({"repos": [{"owner": §"", "repo": "r", "kind": "team", "dir": "d"}]})", R"(repos[0].owner is no name: "")",
       "use the name without slashes and blanks"},
      {repo(R"(, "dir": §"d")"), R"(repos[0] has both "git" and "dir")", "keep one of them"},
      {R"({"repos": [§{"owner": "o", "repo": "r", "kind": "team"}]})", R"(repos[0] has neither "git" nor "dir")",
       "name a git repository or a plain directory"},
      {R"({"repos": [{"owner": "o", "repo": "r", "kind": "team", "git": §""}]})", "repos[0].git is empty",
       "name a path, or remove the key"},
      {R"({"repos": [{"owner": "o", "repo": "r", "kind": "team", "dir": "d", "remote": §"https://h/x"}]})",
       R"(repos[0].remote goes with "git", not with "dir")", R"(remove it, or use "git")"},
      {"{\"repos\": [{\"owner\": \"o\", \"repo\": \"r\", \"kind\": \"team\", \"dir\": \"d\"},\n"
       " §{\"owner\": \"o\", \"repo\": \"r\", \"kind\": \"brain\", \"dir\": \"e\"}]}",
       "repository o/r is configured twice", "remove one; the first is in line 1"},
      {repo(R"(, "push_query_log": §true)"), "repos[0].push_query_log is true without a remote",
       R"(set "remote", or set this to false)"},
      // Refs
      {repo(R"(, "ref": §"main")"), R"(repos[0].ref "main" is no full ref name: it does not begin with refs/)",
       R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"refs/heads/a..b")"),
       R"(repos[0].ref "refs/heads/a..b" is no full ref name: it holds .. or @{)", R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"refs/heads/")"),
       R"(repos[0].ref "refs/heads/" is no full ref name: it ends in a slash or a dot)", R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"refs/heads/.a")"),
       R"(repos[0].ref "refs/heads/.a" is no full ref name: a part is empty or begins with a dot)",
       R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"refs/heads/a.lock")"),
       R"(repos[0].ref "refs/heads/a.lock" is no full ref name: a part ends in .lock)", R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"refs/heads/a b")"),
       R"(repos[0].ref "refs/heads/a b" is no full ref name: it holds a blank or one of ~ ^ : ? * [ \)",
       R"(write "refs/heads/main")"},
      {repo(R"(, "ref": §"a:b")"), R"(repos[0].ref "a:b" is no full ref name: it does not begin with refs/)",
       R"(write "refs/heads/main")"},
      // Links
      {repo(R"(, "web_url": §"git.example/{path}")"), "repos[0].web_url is no web address",
       "begin it with https:// or http://"},
      {repo(R"(, "web_url": §"https://h/{pth}")"), "repos[0].web_url has an unknown field {pth}",
       R"(did you mean "path"?)"},
      {repo(R"(, "web_url": §"https://h/{path")"), "repos[0].web_url has an unknown field {path}",
       R"(did you mean "path"?)"},
      {repo(R"(, "web_url": §"https://h/{}")"), "repos[0].web_url has an unknown field {}",
       R"(use "owner", "repo", "commit", "path", "start" or "end" in braces)"},
      // Listening
      {R"({"listen": {"address": §"0.0.0.0"}})", "listen.address 0.0.0.0 is open to others without a token",
       "set listen.token_file, or listen on 127.0.0.1"},
      {R"({"listen": {"address": §"::", "token_file": null}})", "listen.address :: is open to others without a token",
       "set listen.token_file, or listen on 127.0.0.1"},
      {R"({"listen": {"address": §"example.org", "token_file": "t"}})",
       R"(listen.address "example.org" is no IP address)", R"(write one such as "127.0.0.1" or "::1")"},
      // Syntax
      {"{\n  \"admins\": [],\n§}", "unexpected '}'; expected string literal", "remove the comma before it"},
      {"§", "unexpected end of input; expected '[', '{', or a literal", ""},
  };
  for (auto const& row : rows) {
    Marked const marked(row.text);
    CAPTURE(marked.text);
    Loaded<Settings> const loaded = parse_settings(marked.text, "/etc/kbgate/kbgate.json");
    CHECK_FALSE(loaded.value);
    REQUIRE_MESSAGE(loaded.errors.size() == 1, all_of(loaded.errors));
    CHECK_EQ(loaded.errors[0].message, row.message);
    CHECK_EQ(loaded.errors[0].hint, row.hint);
    CHECK_EQ(kb::test::place_of(loaded.errors[0]), marked.place);
    CHECK_EQ(loaded.errors[0].file, "/etc/kbgate/kbgate.json");
    CHECK(all_of(loaded.errors).find("s3cret") == std::string::npos);
  }
}

TEST_CASE("loopback needs no token, in whichever form it is written") {
  for (std::string const address : {"127.0.0.1", "127.8.9.1", "::1", "localhost"}) {
    CAPTURE(address);
    Loaded<Settings> const loaded = parse_settings("{\"listen\": {\"address\": \"" + address + "\"}}", "/c/k.json");
    REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
    CHECK_EQ(loaded.value->listen.address, address == "localhost" ? "127.0.0.1" : address);
  }
}

TEST_CASE("all faults of a file come together, in the order of reading") {
  Loaded<Settings> const loaded = parse_settings(R"({
  "state_dir": 1,
  "repos": [{"owner": "o", "kind": "tem", "ref": "main"}, 7],
  "listen": {"port": 99999, "colour": "red"},
  "limits": {"max_pages": "5"},
  "tema": []
})",
                                                 "/c/kbgate.json");
  CHECK_FALSE(loaded.value);
  CHECK_EQ(all_of(loaded.errors),
           R"(/c/kbgate.json:2:16: state_dir must be text, not a whole number
/c/kbgate.json:3:13: repos[0].repo is missing (name the repository by "owner" and "repo")
/c/kbgate.json:3:36: unknown repos[0].kind "tem" (did you mean "team"?)
/c/kbgate.json:3:13: repos[0] has neither "git" nor "dir" (name a git repository or a plain directory)
/c/kbgate.json:3:50: repos[0].ref "main" is no full ref name: it does not begin with refs/ (write "refs/heads/main")
/c/kbgate.json:3:59: repos[1] must be an object, not a whole number
/c/kbgate.json:4:22: listen.port is 99999, outside 0 to 65535
/c/kbgate.json:4:29: unknown key "colour" in listen (remove it; known here: "address", "port" or "token_file")
/c/kbgate.json:5:27: limits.max_pages must be a whole number, not text
/c/kbgate.json:6:3: unknown key "tema" (did you mean "teams"?)
)");
}

TEST_CASE("OpenClaw's safety net has a sentence of its own or a sane one") {
  Loaded<Settings> const loaded =
      parse_settings(R"({"adapters": {"openclaw": {"enabled": true, "sentence": "Back soon."}}})", "/c/kbgate.json");
  REQUIRE(loaded.value);
  CHECK(loaded.value->openclaw.enabled);
  CHECK_EQ(loaded.value->openclaw.sentence, "Back soon.");
  CHECK_FALSE(Settings().openclaw.enabled);
  CHECK_FALSE(Settings().openclaw.sentence.empty());
}

TEST_CASE("a Feishu app is read with sane defaults, and a disabled one is none") {
  Loaded<Settings> const loaded = parse_settings(
      R"({"adapters": {"feishu": [{"app_id": "cli_1", "app_secret_file": "secret"},
                                  {"app_id": "cli_2", "app_secret_file": "/s", "domain": "lark", "connections": 3, "greet": false},
                                  {"enabled": false}]}})",
      "/c/kbgate.json");
  REQUIRE(loaded.value);
  REQUIRE_EQ(loaded.value->feishu.size(), 2);
  kb::config::FeishuSettings const& first = loaded.value->feishu[0];
  CHECK_EQ(first.domain, "https://open.feishu.cn");
  CHECK_EQ(first.app_secret_file, "/c/secret");
  CHECK_EQ(first.connections, 1);
  CHECK(first.greet);
  kb::config::FeishuSettings const& second = loaded.value->feishu[1];
  CHECK_EQ(second.domain, "https://open.larksuite.com");
  CHECK_EQ(second.connections, 3);
  CHECK_FALSE(second.greet);
}

TEST_CASE("a fault of a Feishu app names the key and what to write") {
  struct Case {
    std::string why, feishu, message;
  };
  for (Case const& c : {
           Case{"no id", R"({"enabled": true, "app_secret_file": "s"})", "adapters.feishu.app_id is missing"},
           Case{"no secret", R"({"app_id": "cli_1"})", "adapters.feishu.app_secret_file is missing"},
           Case{"the secret itself", R"({"app_id": "cli_1", "app_secret_file": "s", "app_secret": "x"})",
                R"(key "app_secret" would hold a secret in this file)"},
           Case{"in clear over the network",
                R"({"app_id": "cli_1", "app_secret_file": "s", "domain": "http://open.feishu.cn"})",
                R"(adapters.feishu.domain "http://open.feishu.cn" is no origin kbgate will send a secret to)"},
           Case{"a look-alike of loopback",
                R"({"app_id": "cli_1", "app_secret_file": "s", "domain": "http://127.0.0.1.example"})",
                R"(adapters.feishu.domain "http://127.0.0.1.example" is no origin kbgate will send a secret to)"},
           Case{"a path", R"({"app_id": "cli_1", "app_secret_file": "s", "domain": "https://h/x"})",
                R"(adapters.feishu.domain "https://h/x" is no origin kbgate will send a secret to)"},
           Case{"too many", R"({"app_id": "cli_1", "app_secret_file": "s", "connections": 51})",
                "adapters.feishu.connections is 51, outside 1 to 50"},
           Case{"twice",
                R"([{"app_id": "cli_1", "app_secret_file": "s"}, {"app_id": "cli_1", "app_secret_file": "s"}])",
                "app cli_1 is configured twice"},
           Case{"no object", R"([7])", "adapters.feishu[0] must be an object, not a whole number"},
       }) {
    CAPTURE(c.why);
    Loaded<Settings> const loaded = parse_settings(R"({"adapters": {"feishu": )" + c.feishu + "}}", "/c/kbgate.json");
    REQUIRE_EQ(loaded.errors.size(), 1);
    CHECK_EQ(loaded.errors[0].message, c.message);
  }
}

TEST_CASE("a Feishu app on this machine may be spoken to without TLS") {
  for (std::string const domain : {"http://127.0.0.1:9100", "http://localhost:9100/", "http://[::1]:9100"}) {
    CAPTURE(domain);
    Loaded<Settings> const loaded = parse_settings(
        R"({"adapters": {"feishu": {"app_id": "cli_1", "app_secret_file": "s", "domain": ")" + domain + R"("}}})",
        "/c/kbgate.json");
    CHECK(loaded.value);
  }
}

TEST_CASE("a secret may stand in systemd's credentials directory") {
  constexpr std::string_view kText =
      R"({"listen": {"address": "0.0.0.0", "token_file": "$CREDENTIALS_DIRECTORY/token"}})";
  {
    Environment const set("CREDENTIALS_DIRECTORY", "/run/credentials/kbgate");
    Loaded<Settings> const loaded = parse_settings(kText, "/c/kbgate.json");
    REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
    CHECK_EQ(loaded.value->listen.token_file, "/run/credentials/kbgate/token");
  }
  Environment const unset("CREDENTIALS_DIRECTORY", std::nullopt);
  Loaded<Settings> const loaded = parse_settings(kText, "/c/kbgate.json");
  REQUIRE_EQ(loaded.errors.size(), 1);
  CHECK_EQ(loaded.errors[0].message, "listen.token_file names $CREDENTIALS_DIRECTORY, which is not set");
}

TEST_CASE("every truncation of the example is a placed fault") {
  for (std::size_t size = 0; size < kExample.size(); ++size) {
    CAPTURE(size);
    Loaded<Settings> const loaded = parse_settings(kExample.substr(0, size), "/c/kbgate.json");
    CHECK_FALSE(loaded.value);
    REQUIRE_EQ(loaded.errors.size(), 1);
    CHECK_GT(loaded.errors[0].line, 0);
    CHECK_GT(loaded.errors[0].column, 0);
  }
}

TEST_CASE("the settings file is searched in the documented order") {
  Scratch dir;
  auto const given = dir.write("given/kbgate.json", "{}");
  auto const named = dir.write("named/kbgate.json", "{}");
  auto const xdg = dir.write("xdg/kbgate/kbgate.json", "{}");
  auto const home = dir.write("home/.config/kbgate/kbgate.json", "{}");
  Environment const a("KBGATE_CONFIG", named.string());
  Environment const b("XDG_CONFIG_HOME", (dir / "xdg").string());
  Environment const c("HOME", (dir / "home").string());
  CHECK_EQ(find_settings_file(given.string()).value(), given);
  CHECK_EQ(find_settings_file((dir / "given").string()).value(), given);  // a directory that holds it
  CHECK_EQ(find_settings_file("").value(), named);
  Environment const d("KBGATE_CONFIG", std::nullopt);
  CHECK_EQ(find_settings_file("").value(), xdg);
  Environment const e("XDG_CONFIG_HOME", std::nullopt);
  CHECK_EQ(find_settings_file("").value(), home);
}

TEST_CASE("a settings file that is not there is an error that names the places") {
  Scratch dir;
  Environment const a("KBGATE_CONFIG", std::nullopt);
  Environment const b("XDG_CONFIG_HOME", (dir / "xdg").string());
  // What was named outright is not replaced by another file.
  auto const given = find_settings_file((dir / "typo.json").string());
  REQUIRE(given.has_error());
  CHECK_EQ(given.error().what, "no configuration file; looked at " + (dir / "typo.json").string());
  if (std::filesystem::exists("/etc/kbgate/kbgate.json")) return;
  auto const searched = find_settings_file("");
  REQUIRE(searched.has_error());
  CHECK_EQ(searched.error().code, kb::Errc::not_found);
  CHECK_EQ(searched.error().what, "no configuration file; looked at " + (dir / "xdg/kbgate/kbgate.json").string() +
                                      ", /etc/kbgate/kbgate.json");
}

TEST_CASE("loading reads the file and says when it cannot") {
  Scratch dir;
  auto const file = dir.write("kbgate.json", R"({"users": "u.json"})");
  Loaded<Settings> const loaded = load_settings(file);
  REQUIRE(loaded.value);
  CHECK_EQ(loaded.value->users, dir / "u.json");
  CHECK_EQ(loaded.value->file, file);

  Loaded<Settings> const absent = load_settings(dir / "absent.json");
  CHECK_FALSE(absent.value);
  REQUIRE_EQ(absent.errors.size(), 1);
  CHECK_EQ(absent.errors[0].file, (dir / "absent.json").string());
  CHECK_EQ(absent.errors[0].line, 0);
}
