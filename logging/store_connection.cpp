#include "logging/store_connection.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

namespace kb::logging::store {

Rows::~Rows() {
  if (statement_ != nullptr) statement_->tryReset();
}

Connection::Connection(std::filesystem::path const& file, Access access, std::chrono::milliseconds busy_timeout)
    : db_(file.string(), access == Access::read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE,
          static_cast<int>(busy_timeout.count())) {}

void Connection::script(char const* sql) { db_.exec(sql); }
int Connection::changes() const { return sqlite3_changes(db_.getHandle()); }
bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_.getHandle()) == 0; }

SQLite::Statement& Connection::prepared(char const* sql) {
  std::unique_ptr<SQLite::Statement>& slot = prepared_[sql];
  if (!slot) slot = std::make_unique<SQLite::Statement>(db_, sql);
  return *slot;
}

void Connection::bind(SQLite::Statement& statement, int index, std::string_view value) {
  statement.bind(index, std::string(value));
}
void Connection::bind(SQLite::Statement& statement, int index, std::string const& value) {
  statement.bind(index, value);
}
void Connection::bind(SQLite::Statement& statement, int index, std::int64_t value) { statement.bind(index, value); }
void Connection::bind(SQLite::Statement& statement, int index, bool value) { statement.bind(index, value ? 1 : 0); }

std::int64_t to_micros(TimePoint time) noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
TimePoint from_micros(std::int64_t micros) noexcept { return TimePoint(std::chrono::microseconds(micros)); }

Error to_error(SQLite::Exception const& e) {
  switch (e.getErrorCode() & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Errc::corrupt, std::string("state.db is damaged: ") + e.what()};
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      return {Errc::invalid_input, std::string("state.db does not take this: ") + e.what()};
    case SQLITE_FULL:
      return {Errc::unavailable, std::string("no room on the disk of state.db: ") + e.what()};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::unavailable, std::string("state.db is locked by another process: ") + e.what()};
    default:
      return {Errc::unavailable, std::string("state.db: ") + e.what()};
  }
}

}  // namespace kb::logging::store
