/// users.json, teams.json and chat_bindings.json (ACCEPTANCE 1.2) as one immutable value, the Directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/ids.hpp"
#include "config/reach.hpp"
#include "config/settings.hpp"

namespace kb::config {

struct User {
  UserId id;
  std::string name;
  std::string research_direction;
  std::string gitea_username;
  std::optional<RepoId> personal_kb;
  std::vector<TeamId> teams;  ///< from `team_id` and `team_ids`, without repeats, in file order
  std::string role;           ///< personal_only | member | admin
  Place place;                ///< of its key in users.json
};

struct Project {
  std::string id;
  std::string name;
  std::string description;
};

/// The invite code is deliberately not parsed: what is not held cannot be quoted.
struct Team {
  TeamId id;
  std::string name;
  std::string research_direction;
  RepoId kb;
  std::vector<UserId> admins;
  std::vector<UserId> members;
  std::vector<Project> projects;
  Place place;  ///< of its key in teams.json

  [[nodiscard]] bool has_member(UserId const& user) const;  ///< admins are members
  [[nodiscard]] bool has_admin(UserId const& user) const;
};

struct Binding {
  ChatId chat;
  std::string chat_name;
  TeamId team;
  std::string team_name;
  RepoId kb;
  UserId bound_by;
  std::string bound_at;
  bool enabled = true;          ///< absent in the file: true
  bool mention_only = true;     ///< false: every message of the group is a question
  bool allow_external = false;  ///< true: members of other organisations may ask
  Place place;                  ///< of its key in chat_bindings.json
};

/// All three files at one generation. Immutable once made; shared by shared_ptr<Directory const>.
struct Directory {
  RoomyMap<UserId, User> users;
  RoomyMap<TeamId, Team> teams;
  RoomyMap<ChatId, Binding> bindings;

  [[nodiscard]] User const* user(UserId const& id) const;
  [[nodiscard]] Team const* team(TeamId const& id) const;
  [[nodiscard]] Binding const* binding(ChatId const& id) const;
};

/// The texts of the three files and their names for messages.
struct ControlTexts {
  std::string users, teams, bindings;
  std::filesystem::path users_file, teams_file, bindings_file;
};

/// Fields that we do not know belong to other programs and are no fault; null reads as absent; a wrong type is an
/// error.
[[nodiscard]] Loaded<Directory> parse_directory(ControlTexts const& texts);
/// Reads the three files that the settings name. A missing file is empty (`{}`) with a warning, an unreadable one an
/// error.
[[nodiscard]] Loaded<Directory> load_directory(Settings const& settings);
/// What the files say of each other. Error: a knowledge base of a user or team that is not among `repos`. Warnings: a
/// member or admin who is not registered, a knowledge base of another kind, a team without admins, members or knowledge
/// base, an enabled binding whose team is gone or whose knowledge base is not the team's, a user whose team is gone or
/// does not list them.
void cross_check(Settings const& settings, Directory const& directory, std::vector<Fault>& errors,
                 std::vector<Fault>& warnings);

/// Settings and directory of one generation: what a reload replaces as a whole. Unchanged once made, for `reach`
/// follows from the other two.
struct Books {
  Books() = default;
  Books(Settings s, Directory d);
  /// As configured; null: it is not.
  [[nodiscard]] RepoSettings const* find(RepoId const& id) const;

  Settings settings;
  Directory directory;
  Reach reach;
};
/// All or nothing; the faults of all four files together. With faulty settings the other files cannot be found.
[[nodiscard]] Loaded<Books> load_books(std::filesystem::path const& settings_file);

}  // namespace kb::config
