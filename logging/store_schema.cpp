#include "logging/store_schema.hpp"

#include <SQLiteCpp/Exception.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "config/atomic_file.hpp"

namespace kb::logging::store {
namespace {

constexpr std::int64_t kApplicationId = 0x6b626774;  // "kbgt", in the file's header
// quick_check reads the whole file: on a larger one it would cost the start more than it tells.
constexpr std::uintmax_t kMaxCheckedBytes = 32 * 1024 * 1024;

/// Element n brings a file of user_version n to n + 1. Never edited once released: changes are appended.
constexpr std::array kMigrations{
    // Times are microseconds since the epoch, in columns named *_at. Order of id is order of commit.
    R"sql(
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  adapter TEXT NOT NULL, account TEXT NOT NULL, sender TEXT NOT NULL,
  is_group INTEGER NOT NULL, chat TEXT NOT NULL, chat_name TEXT NOT NULL, thread TEXT NOT NULL,
  message_id TEXT NOT NULL, text TEXT NOT NULL, mentioned INTEGER NOT NULL,
  sent_at INTEGER NOT NULL, admitted_at INTEGER NOT NULL, settled_at INTEGER);
CREATE INDEX inbox_unsettled ON inbox(id) WHERE settled_at IS NULL;
CREATE INDEX inbox_settled ON inbox(settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE reply (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  query_id TEXT NOT NULL, outcome TEXT NOT NULL, text TEXT NOT NULL, sources TEXT NOT NULL,
  settled_at INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,  -- 0 pending, 1 delivered, 2 given up
  delivered_at INTEGER);
CREATE INDEX reply_pending ON reply(id) WHERE state = 0;
CREATE INDEX reply_query ON reply(query_id);
CREATE INDEX reply_conversation ON reply(conversation, id) WHERE query_id <> '';
CREATE INDEX reply_settled ON reply(settled_at);

CREATE TABLE repository (
  id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL, repo TEXT NOT NULL,
  head TEXT NOT NULL,  -- hash of its newest record: a removed tail shows
  UNIQUE (owner, repo));

CREATE TABLE record (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  record_id TEXT NOT NULL UNIQUE,
  repository INTEGER NOT NULL REFERENCES repository(id),
  query_id TEXT NOT NULL, time TEXT NOT NULL,
  published INTEGER NOT NULL DEFAULT 0,
  json TEXT NOT NULL);
CREATE INDEX record_repository ON record(repository, id);
CREATE INDEX record_query ON record(query_id);
CREATE INDEX record_pending ON record(repository, id) WHERE published = 0;

CREATE TABLE feedback (
  id INTEGER PRIMARY KEY,
  query_id TEXT NOT NULL, sender TEXT NOT NULL, vote TEXT NOT NULL, kind TEXT NOT NULL, time TEXT NOT NULL,
  UNIQUE (query_id, sender));

CREATE TABLE binding_event (
  id INTEGER PRIMARY KEY,
  event TEXT NOT NULL, chat_id TEXT NOT NULL, team_id TEXT NOT NULL, actor TEXT NOT NULL,
  code TEXT NOT NULL, created_at TEXT NOT NULL);
)sql",
    // Replies that are pushed, part by part, to a platform that may answer late or not at all.
    R"sql(
ALTER TABLE inbox ADD COLUMN external INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply ADD COLUMN details TEXT NOT NULL DEFAULT '';
ALTER TABLE reply ADD COLUMN reason TEXT NOT NULL DEFAULT '';  -- of state 2
CREATE INDEX reply_given_up ON reply(delivered_at) WHERE state = 2;

CREATE TABLE sending (
  id INTEGER PRIMARY KEY,
  reply TEXT NOT NULL REFERENCES reply(key) ON DELETE CASCADE,
  part INTEGER NOT NULL, form TEXT NOT NULL,
  first_try_at INTEGER NOT NULL,
  platform_id TEXT NOT NULL DEFAULT '',
  refused INTEGER NOT NULL DEFAULT 0,
  UNIQUE (reply, part, form));

CREATE TABLE claim (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL,
  claimed_at INTEGER NOT NULL);
CREATE INDEX claim_age ON claim(claimed_at);
)sql"};

Error system_error(std::string const& doing, std::filesystem::path const& path) {
  int const cause = errno;
  Errc const code = cause == EACCES || cause == EPERM || cause == EROFS ? Errc::denied : Errc::unavailable;
  return {code, doing + " " + path.string() + ": " + std::strerror(cause)};
}

/// The file holds questions and answers of people: for its owner alone. SQLite gives -wal and -shm the same mode.
Result<void> make_private(std::filesystem::path const& dir, std::filesystem::path const& file) {
  std::error_code failed;
  std::filesystem::create_directories(dir.parent_path(), failed);
  if (::mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) return system_error("making the state directory", dir);
  if (::chmod(dir.c_str(), 0700) != 0) return system_error("closing to others", dir);
  // Only a new file is opened here: closing a descriptor of a database in use would drop this process's locks on it.
  int const made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) {
    ::close(made);
  } else if (errno != EEXIST) {
    return system_error("making", file);
  }
  if (::chmod(file.c_str(), 0600) != 0) return system_error("closing to others", file);
  return {};
}

Result<void> check(Connection& connection, std::filesystem::path const& file) {
  std::error_code unknown;
  if (std::filesystem::file_size(file, unknown) > kMaxCheckedBytes) return {};
  Rows rows = connection.query("PRAGMA quick_check(1)");
  std::string const verdict = rows.next() ? rows.text(0) : "no verdict";
  if (verdict != "ok") return Error(Errc::corrupt, "state.db is damaged: " + verdict);
  return {};
}

Result<void> migrate(Connection& connection) {
  connection.script("BEGIN IMMEDIATE");  // two programs may start at once
  std::int64_t const version = connection.number("PRAGMA user_version");
  std::int64_t const application = connection.number("PRAGMA application_id");
  std::int64_t const tables = connection.number("SELECT count(*) FROM sqlite_master");
  bool const empty = version == 0 && application == 0 && tables == 0;
  if (!empty && application != kApplicationId) return Error(Errc::corrupt, "not a database of kbgate");
  auto const newest = static_cast<std::int64_t>(kMigrations.size());
  if (version > newest) {
    return Error(Errc::invalid_input, "schema " + std::to_string(version) + " is newer than this program's " +
                                          std::to_string(newest) + ": run the newer kbgate or restore a backup");
  }
  for (auto at = static_cast<std::size_t>(version); at < kMigrations.size(); ++at) connection.script(kMigrations[at]);
  if (version < newest) {
    connection.script(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
    connection.script(("PRAGMA user_version = " + std::to_string(newest)).c_str());
  }
  connection.script("COMMIT");
  return {};
}

std::filesystem::path file_in(std::filesystem::path const& state_dir) { return state_dir / "state.db"; }

}  // namespace

Result<std::unique_ptr<Connection>> open_writer(std::filesystem::path const& state_dir,
                                                std::chrono::milliseconds busy_timeout) {
  std::filesystem::path const file = file_in(state_dir);
  if (Result<void> ready = make_private(state_dir, file); !ready) return ready.error();
  std::string const opening = "opening " + file.string();
  // Programs that start at once take turns: SQLite changes a new file to WAL only while nobody looks at it, and does
  // not wait for that.
  Result<config::FileLock> const turn = config::FileLock::acquire(file);
  if (!turn) return at(opening, turn.error());
  try {
    auto connection = std::make_unique<Connection>(file, Connection::Access::read_write, busy_timeout);
    if (Result<void> sound = check(*connection, file); !sound) return at(opening, sound.error());
    connection->script(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
        "PRAGMA journal_size_limit = 67108864");
    // An error leaves the transaction open; it ends with the connection.
    if (Result<void> migrated = migrate(*connection); !migrated) return at(opening, migrated.error());
    return connection;
  } catch (SQLite::Exception const& e) {
    return at(opening, to_error(e));
  }
}

Result<std::unique_ptr<Connection>> open_reader(std::filesystem::path const& state_dir,
                                                std::chrono::milliseconds busy_timeout) {
  std::filesystem::path const file = file_in(state_dir);
  try {
    return std::make_unique<Connection>(file, Connection::Access::read_only, busy_timeout);
  } catch (SQLite::Exception const& e) {
    return at("opening " + file.string(), to_error(e));
  }
}

}  // namespace kb::logging::store
