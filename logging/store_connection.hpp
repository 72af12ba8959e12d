/// One connection to state.db with its prepared statements. Of this room only; not thread-safe. Its members throw
/// SQLite::Exception; to_error() turns that into a value.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/clock.hpp"
#include "config/result.hpp"

namespace kb::logging::store {

/// The rows of a running statement. Ready for its next use when this goes, also on the way of an exception.
class Rows {
 public:
  explicit Rows(SQLite::Statement& statement) : statement_(&statement) {}
  Rows(Rows&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  [[nodiscard]] bool next() { return statement_->executeStep(); }
  [[nodiscard]] std::string text(int column) const { return statement_->getColumn(column).getString(); }
  [[nodiscard]] std::int64_t number(int column) const { return statement_->getColumn(column).getInt64(); }
  [[nodiscard]] bool is_null(int column) const { return statement_->getColumn(column).isNull(); }

 private:
  SQLite::Statement* statement_;
};

class Connection {
 public:
  enum class Access { read_write, read_only };
  Connection(std::filesystem::path const& file, Access access, std::chrono::milliseconds busy_timeout);

  /// `sql` is a literal: its address names the prepared statement.
  template <class... Args>
  [[nodiscard]] Rows query(char const* sql, Args const&... args) {
    SQLite::Statement& statement = prepared(sql);
    Rows rows(statement);
    int index = 0;
    (bind(statement, ++index, args), ...);
    return rows;
  }
  /// Runs it to its end; returns the number of rows it changed.
  template <class... Args>
  int run(char const* sql, Args const&... args) {
    Rows rows = query(sql, args...);
    while (rows.next()) {
    }
    return changes();
  }
  void script(char const* sql);  ///< several statements, not prepared

  [[nodiscard]] int changes() const;          ///< rows the last statement changed
  [[nodiscard]] bool in_transaction() const;  ///< false after SQLite has rolled back by itself
  /// First column of the first row; 0 without rows.
  template <class... Args>
  [[nodiscard]] std::int64_t number(char const* sql, Args const&... args) {
    Rows rows = query(sql, args...);
    return rows.next() ? rows.number(0) : 0;
  }

 private:
  SQLite::Statement& prepared(char const* sql);
  static void bind(SQLite::Statement& statement, int index, std::string_view value);
  static void bind(SQLite::Statement& statement, int index, std::string const& value);
  static void bind(SQLite::Statement& statement, int index, std::int64_t value);
  static void bind(SQLite::Statement& statement, int index, bool value);

  SQLite::Database db_;
  std::unordered_map<void const*, std::unique_ptr<SQLite::Statement>> prepared_;
};

/// Times are stored as microseconds since the epoch.
[[nodiscard]] std::int64_t to_micros(TimePoint time) noexcept;
[[nodiscard]] TimePoint from_micros(std::int64_t micros) noexcept;

/// corrupt for a damaged file or one that is no database; unavailable for a full disk, a lock or failed I/O.
[[nodiscard]] Error to_error(SQLite::Exception const& e);

}  // namespace kb::logging::store
