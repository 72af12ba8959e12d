#include "config/control_files.hpp"

#include "tests/config/scratch.hpp"

using kb::ChatId;
using kb::RepoId;
using kb::TeamId;
using kb::UserId;
using kb::config::Binding;
using kb::config::Books;
using kb::config::ControlTexts;
using kb::config::Directory;
using kb::config::Fault;
using kb::config::load_books;
using kb::config::Loaded;
using kb::config::parse_directory;
using kb::config::Team;
using kb::config::User;
using kb::test::all_of;
using kb::test::Marked;
using kb::test::Scratch;

namespace {

/// As the other programs of a deployment write them, with fields that are not ours.
constexpr std::string_view kUsers = R"json({
  "ou_ann": {
    "gitea_username": "ann", "name": "安", "research_direction": "检索",
    "personal_kb_owner": "ann", "personal_kb_repo": "ann-personal-kb",
    "team_id": "team_nlp", "role": "admin", "created_at": "2026-01-01 08:00:00", "avatar": {"url": "x"}
  },
  "ou_bob": {"name": "Bob", "team_id": "team_nlp", "team_ids": ["team_cv", "team_nlp"], "role": "member"},
  "ou_cat": {"name": "Cat", "team_id": "", "role": "personal_only", "personal_kb_owner": null, "personal_kb_repo": ""}
})json";
constexpr std::string_view kTeams = R"json({
  "team_nlp": {
    "team_id": "team_nlp", "team_name": "NLP", "research_direction": "语言",
    "team_kb_owner": "nlp", "team_kb_repo": "nlp-team-kb", "admins": ["ou_ann"], "members": ["ou_ann", "ou_bob"],
    "invite_code": "NLP-7F2K",
    "projects": {"general": {"name": "通用", "description": "d", "created_at": "x"}, "atlas": {}}
  },
  "team_cv": {"team_name": "CV", "team_kb_owner": "cv", "team_kb_repo": "cv-team-kb",
              "admins": ["ou_bob"], "members": ["ou_bob"]}
})json";
constexpr std::string_view kBindings = R"json({
  "oc_1": {"chat_id": "oc_1", "chat_name": "周会", "team_id": "team_nlp", "team_name": "NLP", "team_kb_owner": "nlp",
           "team_kb_repo": "nlp-team-kb", "bound_by": "ou_ann", "bound_at": "2026-01-02 09:00:00", "mirror": 1},
  "oc_2": {"team_id": "team_cv", "enabled": false, "mention_only": false}
})json";

ControlTexts texts(std::string_view users, std::string_view teams, std::string_view bindings) {
  return {std::string(users), std::string(teams), std::string(bindings), "users.json", "teams.json", "bindings.json"};
}

Directory parsed(std::string_view users, std::string_view teams, std::string_view bindings) {
  Loaded<Directory> loaded = parse_directory(texts(users, teams, bindings));
  REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
  return std::move(*loaded.value);
}

/// Settings with the repositories of the sample.
kb::config::Settings sample_settings() {
  kb::config::Settings settings;
  settings.file = "/c/kbgate.json";
  settings.users = "users.json";
  settings.teams = "teams.json";
  settings.chat_bindings = "bindings.json";
  auto const add = [&settings](char const* owner, char const* repo, kb::config::RepoKind kind) {
    kb::config::RepoSettings one;
    one.id = RepoId(owner, repo);
    one.kind = kind;
    settings.repos.push_back(one);
  };
  add("nlp", "nlp-team-kb", kb::config::RepoKind::team);
  add("cv", "cv-team-kb", kb::config::RepoKind::team);
  add("ann", "ann-personal-kb", kb::config::RepoKind::personal);
  return settings;
}

struct Faults {
  std::vector<Fault> errors, warnings;
};

Faults crossed(std::string_view users, std::string_view teams, std::string_view bindings) {
  Faults faults;
  kb::config::cross_check(sample_settings(), parsed(users, teams, bindings), faults.errors, faults.warnings);
  return faults;
}

}  // namespace

TEST_CASE("the three files read as other programs write them") {
  Directory const directory = parsed(kUsers, kTeams, kBindings);
  REQUIRE_EQ(directory.users.size(), 3);
  User const& ann = *directory.user(UserId("ou_ann"));
  CHECK_EQ(ann.id, UserId("ou_ann"));
  CHECK_EQ(ann.name, "安");
  CHECK_EQ(ann.research_direction, "检索");
  CHECK_EQ(ann.gitea_username, "ann");
  CHECK_EQ(ann.role, "admin");
  CHECK_EQ(ann.personal_kb.value(), RepoId("ann", "ann-personal-kb"));
  CHECK_EQ(ann.place, kb::config::Place{2, 3});
  User const& bob = *directory.user(UserId("ou_bob"));
  REQUIRE_EQ(bob.teams.size(), 2);  // team_id first, no repeats
  CHECK_EQ(bob.teams[0], TeamId("team_nlp"));
  CHECK_EQ(bob.teams[1], TeamId("team_cv"));
  CHECK_FALSE(bob.personal_kb);
  CHECK(directory.user(UserId("ou_cat"))->teams.empty());
  CHECK_FALSE(directory.user(UserId("ou_cat"))->personal_kb);
  CHECK(directory.user(UserId("ou_nobody")) == nullptr);

  Team const& nlp = *directory.team(TeamId("team_nlp"));
  CHECK_EQ(nlp.name, "NLP");
  CHECK_EQ(nlp.kb, RepoId("nlp", "nlp-team-kb"));
  REQUIRE_EQ(nlp.projects.size(), 2);
  CHECK_EQ(nlp.projects[0].id, "general");
  CHECK_EQ(nlp.projects[0].name, "通用");
  CHECK_EQ(nlp.projects[1].name, "atlas");  // without a name: its id
  CHECK(nlp.has_admin(UserId("ou_ann")));
  CHECK_FALSE(nlp.has_admin(UserId("ou_bob")));
  CHECK(nlp.has_member(UserId("ou_bob")));
  CHECK_FALSE(nlp.has_member(UserId("ou_cat")));
  CHECK(directory.team(TeamId("team_x")) == nullptr);

  Binding const& one = *directory.binding(ChatId("oc_1"));
  CHECK_EQ(one.chat_name, "周会");
  CHECK_EQ(one.team, TeamId("team_nlp"));
  CHECK_EQ(one.kb, RepoId("nlp", "nlp-team-kb"));
  CHECK_EQ(one.bound_by, UserId("ou_ann"));
  CHECK_EQ(one.bound_at, "2026-01-02 09:00:00");
  CHECK(one.enabled);       // absent
  CHECK(one.mention_only);  // absent
  CHECK_FALSE(directory.binding(ChatId("oc_2"))->enabled);
  CHECK_FALSE(directory.binding(ChatId("oc_2"))->mention_only);
  CHECK(directory.binding(ChatId("oc_3")) == nullptr);
}

TEST_CASE("an admin is a member also when not listed as one") {
  Directory const directory = parsed("{}", R"({"t": {"admins": ["ou_a"], "members": []}})", "{}");
  CHECK(directory.team(TeamId("t"))->has_member(UserId("ou_a")));
}

TEST_CASE("what is wrong in a control file is an error with its place") {
  enum class File { users, teams, bindings };
  struct Row {
    File file;
    std::string_view text;
    char const* message;
    char const* why;
  };
  static constexpr Row rows[] = {
      {File::users, "§[]", "the file must be an object, not a list", "no object"},
      {File::users, "{\n\"ou_1\": §null}", "user ou_1 must be an object, not null", "entry"},
      {File::users, "{\"ou_1\": {\n  \"name\": §7}}", "user ou_1.name must be text, not a whole number", "text"},
      {File::users, "{\"ou_1\": {\"team_id\": §[\"t\"]}}", "user ou_1.team_id must be text, not a list", "one team"},
      {File::users, "{\"ou_1\": {\"team_ids\": §\"t\"}}", "user ou_1.team_ids must be a list, not text", "several"},
      {File::users, "{\"ou_1\": {\"team_ids\": [\"t\", §true]}}",
       "user ou_1.team_ids must hold text only, not true or false", "items"},
      {File::users, "{§\"\": {}}", "an entry has an empty key", "no id"},
      {File::users, "{\"ou_1\": {},\n §\"ou_1\": {}}", "key \"ou_1\" stands twice in this object", "two of one person"},
      {File::teams, "{\"t\": {\"admins\": §{}}}", "team t.admins must be a list, not an object", "admins"},
      {File::teams, "{\"t\": {\"members\": [§null]}}", "team t.members must hold text only, not null",
       "null in a list"},
      {File::teams, "{\"t\": {\"projects\": §[]}}", "team t.projects must be an object, not a list", "a map"},
      {File::teams, "{\"t\": {\"projects\": {\"p\": §\"x\"}}}", "team t.projects.p must be an object, not text", "one"},
      {File::teams, "{\"t\": {\"projects\": {\"p\": {\"name\": §1}}}}",
       "team t.projects.p.name must be text, not a whole number", "its name"},
      {File::bindings, "{\"oc_1\": {\"enabled\": §\"false\"}}", "binding oc_1.enabled must be true or false, not text",
       "a text is not read as true"},
      {File::bindings, "{\"oc_1\": {\"mention_only\": §0}}",
       "binding oc_1.mention_only must be true or false, not a whole number", "nor a number"},
      {File::bindings, "{\"oc_1\": {\"team_id\": \"t\"§", "unexpected end of input; expected '}'", "cut off"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.why);
    Marked const marked(row.text);
    ControlTexts given = texts("{}", "{}", "{}");
    (row.file == File::users ? given.users : row.file == File::teams ? given.teams : given.bindings) = marked.text;
    Loaded<Directory> const loaded = parse_directory(given);
    CHECK_FALSE(loaded.value);
    REQUIRE_MESSAGE(loaded.errors.size() == 1, all_of(loaded.errors));
    CHECK_EQ(loaded.errors[0].message, row.message);
    CHECK_EQ(kb::test::place_of(loaded.errors[0]), marked.place);
    CHECK_EQ(loaded.errors[0].file, row.file == File::users   ? "users.json"
                                    : row.file == File::teams ? "teams.json"
                                                              : "bindings.json");
  }
}

TEST_CASE("what is odd in a control file is a warning, and the file is read") {
  struct Row {
    std::string_view users, teams, bindings;
    char const* warning;
  };
  static constexpr Row rows[] = {
      {R"({"ou_1": {"role": "admn"}})", "{}", "{}",
       "users.json:1:19: user ou_1.role \"admn\" is unknown (did you mean \"admin\"?)"},
      {R"({"ou_1": {"personal_kb_owner": "a"}})", "{}", "{}",
       "users.json:1:32: user ou_1.personal_kb_owner stands without personal_kb_repo (set both or none; none is used "
       "now)"},
      {"{}", R"({"t": {"team_kb_repo": "a"}})", "{}",
       "teams.json:1:24: team t.team_kb_repo stands without team_kb_owner (set both or none; none is used now)"},
      {"{}", R"({"t": {"team_id": "u"}})", "{}",
       "teams.json:1:19: team t.team_id is \"u\", but the entry is \"t\" (make them the same; the entry's key counts)"},
      {"{}", "{}", R"({"oc_1": {"chat_id": "oc_2"}})",
       "bindings.json:1:22: binding oc_1.chat_id is \"oc_2\", but the entry is \"oc_1\" (make them the same; the "
       "entry's key counts)"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.warning);
    Loaded<Directory> const loaded = parse_directory(texts(row.users, row.teams, row.bindings));
    REQUIRE_MESSAGE(loaded.value, all_of(loaded.errors));
    CHECK_EQ(all_of(loaded.warnings), std::string(row.warning) + "\n");
  }
}

TEST_CASE("faults of all three files come together") {
  Loaded<Directory> const loaded =
      parse_directory(texts("[", R"({"t": 1})", R"({"oc": {"enabled": 1, "team_id": 2}})"));
  CHECK_FALSE(loaded.value);
  REQUIRE_EQ(loaded.errors.size(), 4);
  CHECK_EQ(loaded.errors[0].file, "users.json");
  CHECK_EQ(loaded.errors[1].file, "teams.json");
  CHECK_EQ(loaded.errors[2].file, "bindings.json");
}

TEST_CASE("every truncation of a control file is a placed fault") {
  for (std::size_t size = 0; size < kTeams.size(); ++size) {
    CAPTURE(size);
    Loaded<Directory> const loaded = parse_directory(texts(kUsers, kTeams.substr(0, size), kBindings));
    CHECK_FALSE(loaded.value);
    REQUIRE_EQ(loaded.errors.size(), 1);
    CHECK_EQ(loaded.errors[0].file, "teams.json");
    CHECK_GT(loaded.errors[0].line, 0);
    CHECK_GT(loaded.errors[0].column, 0);
  }
}

TEST_CASE("files that agree with each other have nothing to check") {
  Faults const faults = crossed(kUsers, kTeams, kBindings);
  CHECK_EQ(all_of(faults.errors), "");
  CHECK_EQ(all_of(faults.warnings), "");
}

TEST_CASE("what the files say of each other is checked") {
  struct Row {
    std::string_view users, teams, bindings;
    char const* errors;
    char const* warnings;
  };
  static constexpr std::string_view kAnn =
      R"({"ou_ann": {"personal_kb_owner": "ann", "personal_kb_repo": "ann-personal-kb"}})";
  static constexpr std::string_view kNlp =
      R"({"team_nlp": {"team_kb_owner": "nlp", "team_kb_repo": "nlp-team-kb", "admins": ["ou_ann"]}})";
  static constexpr Row rows[] = {
      {R"({"ou_1": {"personal_kb_owner": "ann", "personal_kb_repo": "ann-persnal-kb"}})", "{}", "{}",
       "users.json:1:2: user ou_1 has knowledge base ann/ann-persnal-kb, which is not among the repos (did you mean "
       "\"ann/ann-personal-kb\"?)\n",
       ""},
      {R"({"ou_1": {"personal_kb_owner": "x", "personal_kb_repo": "y"}})", "{}", "{}",
       "users.json:1:2: user ou_1 has knowledge base x/y, which is not among the repos (add it to \"repos\" of "
       "kbgate.json)\n",
       ""},
      {kAnn, R"({"t": {"team_kb_owner": "x", "team_kb_repo": "y", "admins": ["ou_ann"]}})", "{}",
       "teams.json:1:2: team t has knowledge base x/y, which is not among the repos (add it to \"repos\" of "
       "kbgate.json)\n",
       ""},
      {R"({"ou_1": {"personal_kb_owner": "nlp", "personal_kb_repo": "nlp-team-kb"}})", "{}", "{}", "",
       "users.json:1:2: user ou_1 has knowledge base nlp/nlp-team-kb of kind team, not personal (correct \"kind\" in "
       "kbgate.json, or the name here)\n"},
      {kAnn, R"({"t": {"team_kb_owner": "ann", "team_kb_repo": "ann-personal-kb", "admins": ["ou_ann"]}})", "{}", "",
       "teams.json:1:2: team t has knowledge base ann/ann-personal-kb of kind personal, not team (correct \"kind\" in "
       "kbgate.json, or the name here)\n"},
      {"{}", R"({"t": {"admins": [], "members": []}})", "{}", "",
       "teams.json:1:2: team t has no knowledge base (set team_kb_owner and team_kb_repo)\n"
       "teams.json:1:2: team t has no admin: nobody can bind a group to it (list one in \"admins\")\n"},
      {kAnn,
       R"({"t": {"team_kb_owner": "nlp", "team_kb_repo": "nlp-team-kb", "admins": ["ou_ann", "ou_x"],
                 "members": ["ou_x", "ou_y"]}})",
       "{}", "",
       "teams.json:1:2: team t has admin ou_x, who is not in users.json (register them; until then they are refused)\n"
       "teams.json:1:2: team t has member ou_y, who is not in users.json (register them; until then they are "
       "refused)\n"},
      {R"({"ou_1": {"team_id": "gone"}})", "{}", "{}", "",
       "users.json:1:2: user ou_1 names team gone, which is not in teams.json (add the team, or remove it from the "
       "user)\n"},
      {R"({"ou_ann": {}, "ou_1": {"team_id": "team_nlp"}})", kNlp, "{}", "",
       "users.json:1:16: user ou_1 names team team_nlp, which does not list them (add them to \"members\" of the team; "
       "until then they are refused in its groups)\n"},
      {kAnn, kNlp, R"({"oc_1": {"team_id": "gone"}})", "",
       "bindings.json:1:2: group oc_1 is bound to team gone, which is not in teams.json (add the team, or set "
       "\"enabled\" to false)\n"},
      {kAnn, kNlp, R"({"oc_1": {}})", "",
       "bindings.json:1:2: group oc_1 is bound to no team (set team_id, or bind the group anew)\n"},
      {kAnn, kNlp, R"({"oc_1": {"team_id": "team_nlp", "team_kb_owner": "cv", "team_kb_repo": "cv-team-kb"}})", "",
       "bindings.json:1:2: group oc_1 names knowledge base cv/cv-team-kb, but its team has nlp/nlp-team-kb (correct "
       "it; the team's counts)\n"},
      {kAnn, kNlp, R"({"oc_1": {"team_id": "gone", "enabled": false}})", "", ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.users);
    CAPTURE(row.teams);
    CAPTURE(row.bindings);
    Faults const faults = crossed(row.users, row.teams, row.bindings);
    CHECK_EQ(all_of(faults.errors), row.errors);
    CHECK_EQ(all_of(faults.warnings), row.warnings);
  }
}

namespace {

constexpr std::string_view kSettings = R"json({"repos": [
  {"owner": "nlp", "repo": "nlp-team-kb", "kind": "team", "git": "nlp.git"},
  {"owner": "cv", "repo": "cv-team-kb", "kind": "team", "git": "cv.git"},
  {"owner": "ann", "repo": "ann-personal-kb", "kind": "personal", "git": "ann.git"}
]})json";

}  // namespace

TEST_CASE("settings and control files load as one") {
  Scratch dir;
  auto const file = dir.write("kbgate.json", kSettings);
  dir.write("users.json", kUsers);
  dir.write("teams.json", kTeams);
  dir.write("chat_bindings.json", kBindings);
  Loaded<Books> const books = load_books(file);
  REQUIRE_MESSAGE(books.value, all_of(books.errors));
  CHECK_EQ(all_of(books.warnings), "");
  CHECK_EQ(books.value->settings.repos.size(), 3);
  CHECK_EQ(books.value->directory.teams.size(), 2);
}

TEST_CASE("a control file that is not there is empty, with a warning") {
  Scratch dir;
  Loaded<Books> const books = load_books(dir.write("kbgate.json", kSettings));
  REQUIRE_MESSAGE(books.value, all_of(books.errors));
  CHECK(books.value->directory.users.empty());
  REQUIRE_EQ(books.warnings.size(), 3);
  CHECK_EQ(books.warnings[0].file, (dir / "users.json").string());
  CHECK_EQ(books.warnings[0].message, "the file does not exist: it counts as empty");
}

TEST_CASE("a broken part leaves no books, and says all it knows") {
  Scratch dir;
  auto const file = dir.write("kbgate.json", kSettings);
  SUBCASE("settings") {
    dir.write("kbgate.json", "{\"lisen\": {}}");
    Loaded<Books> const books = load_books(file);
    CHECK_FALSE(books.value);
    REQUIRE_EQ(books.errors.size(), 1);
    CHECK_EQ(books.errors[0].hint, "did you mean \"listen\"?");
  }
  SUBCASE("a control file") {
    dir.write("users.json", kUsers);
    dir.write("teams.json", "{\"t\": {\"admins\": 1}, \"u\": 2}");
    Loaded<Books> const books = load_books(file);
    CHECK_FALSE(books.value);
    CHECK_EQ(books.errors.size(), 2);
    CHECK_EQ(books.warnings.size(), 1);  // no chat_bindings.json
  }
  SUBCASE("a file that cannot be read") {
    std::filesystem::create_directory(dir / "users.json");
    Loaded<Books> const books = load_books(file);
    CHECK_FALSE(books.value);
    REQUIRE_EQ(books.errors.size(), 1);
    CHECK_EQ(books.errors[0].file, (dir / "users.json").string());
  }
  SUBCASE("files that do not agree") {
    dir.write("users.json", R"({"ou_1": {"personal_kb_owner": "x", "personal_kb_repo": "y"}})");
    Loaded<Books> const books = load_books(file);
    CHECK_FALSE(books.value);
    REQUIRE_EQ(books.errors.size(), 1);
    CHECK_EQ(books.errors[0].line, 1);
  }
  SUBCASE("all of it") {
    Loaded<Books> const books = load_books(dir / "absent.json");
    CHECK_FALSE(books.value);
    CHECK_EQ(books.errors.size(), 1);
  }
}
