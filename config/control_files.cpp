#include "config/control_files.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "config/atomic_file.hpp"
#include "config/json_fields.hpp"

namespace kb::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxControlFile = 32 * 1024 * 1024;
constexpr std::array<std::string_view, 3> kRoles{"personal_only", "member", "admin"};

template <class T>
bool contains(std::vector<T> const& list, T const& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The inner repetition of an entry's key; the key wins.
void check_repeated_id(Fields& fields, std::string_view key, std::string const& id, FaultSink& sink) {
  std::string const inner = fields.text(key);
  if (inner.empty() || inner == id) return;
  sink.warning(fields.place(key), fields.path(key) + " is \"" + inner + "\", but the entry is \"" + id + "\"",
               "make them the same; the entry's key counts");
}

/// A repository in two fields. Both or none: half a name is none, with a warning.
RepoId repo_of(Fields& fields, std::string_view owner_key, std::string_view repo_key, FaultSink& sink) {
  RepoId id(fields.text(owner_key), fields.text(repo_key));
  if (id.owner.empty() == id.repo.empty()) return id;
  std::string_view const present = id.owner.empty() ? repo_key : owner_key;
  std::string_view const missing = id.owner.empty() ? owner_key : repo_key;
  sink.warning(fields.place(present), fields.path(present) + " stands without " + std::string(missing),
               "set both or none; none is used now");
  return {};
}

template <class Id>
std::vector<Id> ids_of(Fields& fields, std::string_view key) {
  std::vector<Id> ids;
  for (auto& text : fields.texts(key)) {
    Id id(std::move(text));
    if (!contains(ids, id)) ids.push_back(std::move(id));
  }
  return ids;
}

User read_user(Json::Member const& entry, FaultSink& sink) {
  Fields fields(entry.value, "user " + entry.key, sink);
  User user;
  user.id = UserId(entry.key);
  user.place = entry.place;
  user.name = fields.text("name");
  user.research_direction = fields.text("research_direction");
  user.gitea_username = fields.text("gitea_username");
  RepoId kb = repo_of(fields, "personal_kb_owner", "personal_kb_repo", sink);
  if (!kb.empty()) user.personal_kb = std::move(kb);
  if (TeamId team(fields.text("team_id")); !team.empty()) user.teams.push_back(std::move(team));
  for (auto& team : ids_of<TeamId>(fields, "team_ids")) {
    if (!contains(user.teams, team)) user.teams.push_back(std::move(team));
  }
  user.role = fields.text("role");
  if (!user.role.empty() && std::find(kRoles.begin(), kRoles.end(), user.role) == kRoles.end()) {
    sink.warning(fields.place("role"), fields.path("role") + " \"" + user.role + "\" is unknown",
                 did_you_mean(user.role, kRoles));
  }
  return user;
}

std::vector<Project> read_projects(Fields& team, FaultSink& sink) {
  std::vector<Project> projects;
  Json const* const list = team.object("projects");
  if (list == nullptr) return projects;
  for (auto const& entry : list->members) {
    Fields fields(entry.value, team.path("projects." + entry.key), sink);
    projects.push_back({entry.key, fields.text("name", entry.key), fields.text("description")});
  }
  return projects;
}

Team read_team(Json::Member const& entry, FaultSink& sink) {
  Fields fields(entry.value, "team " + entry.key, sink);
  check_repeated_id(fields, "team_id", entry.key, sink);
  Team team;
  team.id = TeamId(entry.key);
  team.place = entry.place;
  team.name = fields.text("team_name", entry.key);
  team.research_direction = fields.text("research_direction");
  team.kb = repo_of(fields, "team_kb_owner", "team_kb_repo", sink);
  team.admins = ids_of<UserId>(fields, "admins");
  team.members = ids_of<UserId>(fields, "members");
  team.projects = read_projects(fields, sink);
  return team;
}

Binding read_binding(Json::Member const& entry, FaultSink& sink) {
  Fields fields(entry.value, "binding " + entry.key, sink);
  check_repeated_id(fields, "chat_id", entry.key, sink);
  Binding binding;
  binding.chat = ChatId(entry.key);
  binding.place = entry.place;
  binding.chat_name = fields.text("chat_name");
  binding.team = TeamId(fields.text("team_id"));
  binding.team_name = fields.text("team_name");
  binding.kb = repo_of(fields, "team_kb_owner", "team_kb_repo", sink);
  binding.bound_by = UserId(fields.text("bound_by"));
  binding.bound_at = fields.text("bound_at");
  binding.enabled = fields.flag("enabled", true);
  binding.mention_only = fields.flag("mention_only", true);
  binding.allow_external = fields.flag("allow_external", false);
  return binding;
}

/// Every entry of one file, which is an object keyed by id.
template <class Map, class Read>
void read_entries(std::string_view text, fs::path const& file, Loaded<Directory>& loaded, Map& map, Read read) {
  std::optional<Json> const root = parse_json(text, file.string(), loaded.errors);
  if (!root) return;
  FaultSink sink(file.string(), loaded.errors, loaded.warnings);
  Fields const top(*root, "", sink);  // reports anything but an object
  for (auto const& entry : root->members) {
    if (entry.key.empty()) {
      sink.error(entry.place, "an entry has an empty key", "remove it, or give it its id");
      continue;
    }
    map.emplace(typename Map::key_type(entry.key), read(entry, sink));
  }
}

/// Cross-checks of one generation; each method is about one file.
class CrossCheck {
 public:
  CrossCheck(Settings const& settings, Directory const& directory, std::vector<Fault>& errors,
             std::vector<Fault>& warnings)
      : settings_(settings),
        directory_(directory),
        users_(settings.users.string(), errors, warnings),
        teams_(settings.teams.string(), errors, warnings),
        bindings_(settings.chat_bindings.string(), errors, warnings) {}

  void check(User const& user) {
    std::string const who = "user " + user.id.str();
    if (user.personal_kb) check_kb(users_, user.place, who, *user.personal_kb, RepoKind::personal);
    for (auto const& id : user.teams) {
      Team const* const team = directory_.team(id);
      if (team == nullptr) {
        users_.warning(user.place, who + " names team " + id.str() + ", which is not in teams.json",
                       "add the team, or remove it from the user");
      } else if (!team->has_member(user.id)) {
        users_.warning(user.place, who + " names team " + id.str() + ", which does not list them",
                       "add them to \"members\" of the team; until then they are refused in its groups");
      }
    }
  }

  void check(Team const& team) {
    std::string const which = "team " + team.id.str();
    if (team.kb.empty()) {
      teams_.warning(team.place, which + " has no knowledge base", "set team_kb_owner and team_kb_repo");
    } else {
      check_kb(teams_, team.place, which, team.kb, RepoKind::team);
    }
    if (team.admins.empty()) {
      teams_.warning(team.place, which + " has no admin: nobody can bind a group to it", "list one in \"admins\"");
    }
    for (auto const& id : team.admins) check_registered(team, "admin", id);
    for (auto const& id : team.members) {
      if (!contains(team.admins, id)) check_registered(team, "member", id);
    }
  }

  void check(Binding const& binding) {
    if (!binding.enabled) return;
    std::string const which = "group " + binding.chat.str();
    Team const* const team = directory_.team(binding.team);
    if (binding.team.empty()) {
      bindings_.warning(binding.place, which + " is bound to no team", "set team_id, or bind the group anew");
    } else if (team == nullptr) {
      bindings_.warning(binding.place,
                        which + " is bound to team " + binding.team.str() + ", which is not in teams.json",
                        "add the team, or set \"enabled\" to false");
    } else if (!binding.kb.empty() && binding.kb != team->kb) {
      bindings_.warning(binding.place,
                        which + " names knowledge base " + binding.kb.str() + ", but its team has " + team->kb.str(),
                        "correct it; the team's counts");
    }
  }

 private:
  void check_kb(FaultSink& sink, Place place, std::string const& whose, RepoId const& kb, RepoKind want) {
    RepoSettings const* const repo = settings_.find(kb);
    if (repo == nullptr) {
      sink.error(place, whose + " has knowledge base " + kb.str() + ", which is not among the repos",
                 known_repo_hint(kb));
    } else if (repo->kind != want) {
      sink.warning(place,
                   whose + " has knowledge base " + kb.str() + " of kind " + std::string(to_string(repo->kind)) +
                       ", not " + std::string(to_string(want)),
                   "correct \"kind\" in " + settings_.file.filename().string() + ", or the name here");
    }
  }

  [[nodiscard]] std::string known_repo_hint(RepoId const& kb) const {
    std::vector<std::string> names;
    for (auto const& repo : settings_.repos) names.push_back(repo.id.str());
    std::vector<std::string_view> const views(names.begin(), names.end());
    std::string hint = did_you_mean(kb.str(), views);
    return hint.empty() ? "add it to \"repos\" of " + settings_.file.filename().string() : hint;
  }

  void check_registered(Team const& team, std::string_view role, UserId const& id) {
    if (directory_.user(id) != nullptr) return;
    teams_.warning(
        team.place,
        "team " + team.id.str() + " has " + std::string(role) + " " + id.str() + ", who is not in users.json",
        "register them; until then they are refused");
  }

  Settings const& settings_;
  Directory const& directory_;
  FaultSink users_, teams_, bindings_;
};

/// The text of a control file; `{}` with a warning when it is not there.
std::string text_of(fs::path const& file, Loaded<Directory>& loaded) {
  Result<std::string> text = read_file(file, kMaxControlFile);
  if (text) return std::move(*text);
  if (text.error().code == Errc::not_found) {
    loaded.warnings.push_back({file.string(), 0, 0, "the file does not exist: it counts as empty", "create it"});
  } else {
    loaded.errors.push_back({file.string(), 0, 0, text.error().what, "check the rights and the size"});
  }
  return "{}";
}

template <class Map, class Key>
auto const* find_in(Map const& map, Key const& key) {
  auto const found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

void append(std::vector<Fault>& to, std::vector<Fault>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

bool Team::has_member(UserId const& user) const { return contains(members, user) || has_admin(user); }
bool Team::has_admin(UserId const& user) const { return contains(admins, user); }

User const* Directory::user(UserId const& id) const { return find_in(users, id); }
Team const* Directory::team(TeamId const& id) const { return find_in(teams, id); }
Binding const* Directory::binding(ChatId const& id) const { return find_in(bindings, id); }

Loaded<Directory> parse_directory(ControlTexts const& texts) {
  Loaded<Directory> loaded;
  Directory directory;
  read_entries(texts.users, texts.users_file, loaded, directory.users, read_user);
  read_entries(texts.teams, texts.teams_file, loaded, directory.teams, read_team);
  read_entries(texts.bindings, texts.bindings_file, loaded, directory.bindings, read_binding);
  if (loaded.errors.empty()) loaded.value = std::move(directory);
  return loaded;
}

Loaded<Directory> load_directory(Settings const& settings) {
  Loaded<Directory> found;
  ControlTexts texts;
  texts.users_file = settings.users;
  texts.teams_file = settings.teams;
  texts.bindings_file = settings.chat_bindings;
  texts.users = text_of(texts.users_file, found);
  texts.teams = text_of(texts.teams_file, found);
  texts.bindings = text_of(texts.bindings_file, found);
  Loaded<Directory> parsed = parse_directory(texts);
  append(found.errors, parsed.errors);
  append(found.warnings, parsed.warnings);
  if (found.errors.empty()) found.value = std::move(parsed.value);
  return found;
}

void cross_check(Settings const& settings, Directory const& directory, std::vector<Fault>& errors,
                 std::vector<Fault>& warnings) {
  CrossCheck check(settings, directory, errors, warnings);
  for (User const* user : directory.users.in_order()) check.check(*user);
  for (Team const* team : directory.teams.in_order()) check.check(*team);
  for (Binding const* binding : directory.bindings.in_order()) check.check(*binding);
}

Books::Books(Settings s, Directory d) : settings(std::move(s)), directory(std::move(d)), reach(settings, directory) {}

RepoSettings const* Books::find(RepoId const& id) const {
  std::optional<std::size_t> const place = reach.place(id);
  return place ? &settings.repos[*place] : nullptr;
}

Loaded<Books> load_books(fs::path const& settings_file) {
  Loaded<Books> books;
  Loaded<Settings> settings = load_settings(settings_file);
  append(books.errors, settings.errors);
  append(books.warnings, settings.warnings);
  if (!settings.value) return books;

  Loaded<Directory> directory = load_directory(*settings.value);
  append(books.errors, directory.errors);
  append(books.warnings, directory.warnings);
  if (!directory.value) return books;

  cross_check(*settings.value, *directory.value, books.errors, books.warnings);
  if (books.errors.empty()) books.value = Books{std::move(*settings.value), std::move(*directory.value)};
  return books;
}

}  // namespace kb::config
