#include "logging/store_sql.hpp"

namespace kb::logging::store {
namespace {

/// Reads adapter, account, sender, is_group, chat, chat_name, thread, message_id, text, mentioned, external, sent_at
/// from `first` on.
scope::InboundMessage message_at(Rows const& row, int first) {
  scope::InboundMessage m;
  m.principal.adapter = row.text(first);
  m.principal.account = row.text(first + 1);
  m.principal.user = UserId(row.text(first + 2));
  m.chat_type = row.number(first + 3) != 0 ? scope::ChatType::group : scope::ChatType::direct;
  m.chat = ChatId(row.text(first + 4));
  m.chat_name = row.text(first + 5);
  m.thread = row.text(first + 6);
  m.message_id = row.text(first + 7);
  m.text = row.text(first + 8);
  m.mentioned = row.number(first + 9) != 0;
  m.external = row.number(first + 10) != 0;
  m.sent_at = from_micros(row.number(first + 11));
  return m;
}

/// Reads key, query_id, outcome, text, sources, details, state.
StoredReply reply_at(Rows const& row) {
  return {row.text(0),
          row.text(1),
          row.text(2),
          row.text(3),
          row.text(4),
          row.text(5),
          static_cast<ReplyState>(row.number(6))};
}

std::optional<StoredReply> first_reply(Rows rows) {
  if (!rows.next()) return std::nullopt;
  return reply_at(rows);
}

Result<QueryRecord> record_at(std::string const& json, std::int64_t row) {
  Result<QueryRecord> record = parse_record(json);
  if (!record) return Error(Errc::corrupt, "row " + std::to_string(row) + " of record: " + record.error().what);
  return record;
}

}  // namespace

std::vector<UnsettledMessage> unsettled(Connection& db) {
  std::vector<UnsettledMessage> out;
  Rows rows = db.query(
      "SELECT key, adapter, account, sender, is_group, chat, chat_name, thread, message_id, text, mentioned,"
      " external, sent_at FROM inbox WHERE settled_at IS NULL ORDER BY id");
  while (rows.next()) out.push_back({rows.text(0), message_at(rows, 1)});
  return out;
}

std::vector<UndeliveredReply> undelivered(Connection& db, std::string_view adapter) {
  std::vector<UndeliveredReply> out;
  Rows rows = db.query(
      "SELECT r.key, r.query_id, r.outcome, r.text, r.sources, r.details, r.state, r.settled_at, i.adapter, i.account,"
      " i.sender, i.is_group, i.chat, i.chat_name, i.thread, i.message_id, i.text, i.mentioned, i.external, i.sent_at"
      " FROM reply r JOIN inbox i ON i.key = r.key WHERE r.state = 0 AND (?1 = '' OR i.adapter = ?1) ORDER BY r.id",
      adapter);
  while (rows.next()) out.push_back({reply_at(rows), message_at(rows, 8), from_micros(rows.number(7))});
  return out;
}

std::vector<SendingRow> sendings(Connection& db, std::string_view key) {
  std::vector<SendingRow> out;
  Rows rows = db.query(
      "SELECT reply, part, form, first_try_at, platform_id, refused FROM sending WHERE reply = ?"
      " ORDER BY part, first_try_at, id",
      key);
  while (rows.next()) {
    out.push_back({rows.text(0), static_cast<int>(rows.number(1)), rows.text(2), from_micros(rows.number(3)),
                   rows.text(4), rows.number(5) != 0});
  }
  return out;
}

std::vector<GivenUpReply> given_up(Connection& db, std::size_t limit) {
  std::vector<GivenUpReply> out;
  Rows rows = db.query(
      "SELECT key, query_id, reason, delivered_at FROM reply WHERE state = 2 ORDER BY delivered_at DESC LIMIT ?",
      static_cast<std::int64_t>(limit));
  while (rows.next()) out.push_back({rows.text(0), rows.text(1), rows.text(2), from_micros(rows.number(3))});
  return out;
}

std::string holder(Connection& db, std::string_view key) {
  Rows rows = db.query("SELECT value FROM claim WHERE key = ?", key);
  return rows.next() ? rows.text(0) : std::string();
}

std::optional<StoredReply> reply_of_key(Connection& db, std::string const& key) {
  return first_reply(
      db.query("SELECT key, query_id, outcome, text, sources, details, state FROM reply WHERE key = ?", key));
}

std::optional<StoredReply> reply_of_query(Connection& db, std::string_view query_id) {
  if (query_id.empty()) return std::nullopt;
  return first_reply(db.query(
      "SELECT key, query_id, outcome, text, sources, details, state FROM reply WHERE query_id = ? ORDER BY id LIMIT 1",
      query_id));
}

std::optional<StoredReply> last_reply(Connection& db, std::string const& conversation, std::string_view query_id) {
  return first_reply(
      db.query("SELECT key, query_id, outcome, text, sources, details, state FROM reply WHERE conversation = ?1 AND "
               "query_id <> ''"
               " AND (?2 = '' OR query_id = ?2) ORDER BY id DESC LIMIT 1",
               conversation, query_id));
}

std::vector<FoundMessage> find_messages(Connection& db, MessageSearch const& search) {
  bool const group = search.chat_type == scope::ChatType::group;
  Rows rows = db.query(
      "SELECT message_id, sender, text, at FROM ("
      " SELECT id, 0 AS part, message_id, sender, text, sent_at AS at FROM inbox WHERE is_group = ?1 AND"
      " (CASE WHEN ?1 THEN chat ELSE sender END) = ?2 AND instr(text, ?3) > 0"
      " UNION ALL"
      " SELECT inbox.id, 1, message_id, '', reply.text, reply.settled_at FROM inbox JOIN reply ON reply.key = inbox.key"
      " WHERE is_group = ?1 AND (CASE WHEN ?1 THEN chat ELSE sender END) = ?2 AND instr(reply.text, ?3) > 0)"
      " ORDER BY id DESC, part DESC LIMIT ?4",
      group, group ? search.chat.str() : search.sender.str(), search.phrase, static_cast<std::int64_t>(search.limit));
  std::vector<FoundMessage> out;
  while (rows.next()) out.push_back({rows.text(0), rows.text(1), rows.text(2), from_micros(rows.number(3))});
  return out;
}

Result<std::vector<PendingRecord>> unpublished(Connection& db, RepoId const& repo, std::size_t limit) {
  std::vector<PendingRecord> out;
  Rows rows = db.query(
      "SELECT id, json FROM record WHERE published = 0 AND repository ="
      " (SELECT id FROM repository WHERE owner = ? AND repo = ?) ORDER BY id LIMIT ?",
      repo.owner, repo.repo, static_cast<std::int64_t>(limit));
  while (rows.next()) {
    Result<QueryRecord> record = record_at(rows.text(1), rows.number(0));
    if (!record) return record.error();
    out.push_back({rows.number(0), std::move(*record)});
  }
  return out;
}

std::vector<RepoId> repos_with_unpublished(Connection& db) {
  std::vector<RepoId> out;
  Rows rows = db.query(
      "SELECT owner, repo FROM repository r WHERE EXISTS"
      " (SELECT 1 FROM record WHERE repository = r.id AND published = 0) ORDER BY owner, repo");
  while (rows.next()) out.emplace_back(rows.text(0), rows.text(1));
  return out;
}

Result<std::vector<QueryRecord>> records(Connection& db, RepoId const& repo, std::string_view since) {
  std::vector<QueryRecord> out;
  Rows rows = db.query(
      "SELECT id, json FROM record WHERE repository ="
      " (SELECT id FROM repository WHERE owner = ? AND repo = ?) AND time >= ? ORDER BY id",
      repo.owner, repo.repo, since);
  while (rows.next()) {
    Result<QueryRecord> record = record_at(rows.text(1), rows.number(0));
    if (!record) return record.error();
    out.push_back(std::move(*record));
  }
  return out;
}

std::vector<BindingEventRow> binding_events(Connection& db) {
  std::vector<BindingEventRow> out;
  Rows rows = db.query("SELECT event, chat_id, team_id, actor, code, created_at FROM binding_event ORDER BY id");
  while (rows.next()) {
    out.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5)});
  }
  return out;
}

void count(Connection& db, JournalStats& stats) {
  auto const number = [&db](char const* sql) { return static_cast<std::size_t>(db.number(sql)); };
  stats.inbox_unsettled = number("SELECT count(*) FROM inbox WHERE settled_at IS NULL");
  stats.replies_pending = number("SELECT count(*) FROM reply WHERE state = 0");
  stats.replies_given_up = number("SELECT count(*) FROM reply WHERE state = 2");
  stats.records_pending = number("SELECT count(*) FROM record WHERE published = 0");
}

std::string verify(Connection& db, RepoId const& repo) {
  std::string prev;
  Rows rows = db.query(
      "SELECT id, record_id, json FROM record WHERE repository ="
      " (SELECT id FROM repository WHERE owner = ? AND repo = ?) ORDER BY id",
      repo.owner, repo.repo);
  while (rows.next()) {
    std::string const name = "record " + rows.text(1) + " (row " + std::to_string(rows.number(0)) + ")";
    Result<QueryRecord> const record = parse_record(rows.text(2));
    if (!record) return name + ": " + record.error().what;
    if (record->record_id != rows.text(1)) return name + ": the id inside is " + record->record_id;
    if (record->repo != repo) return name + ": belongs to " + record->repo.str();
    if (record->prev != prev) return name + ": does not follow the record before it";
    if (!hash_fits(*record)) return name + ": its hash does not fit its fields";
    prev = record->hash;
  }
  Rows head = db.query("SELECT head FROM repository WHERE owner = ? AND repo = ?", repo.owner, repo.repo);
  if (head.next() && head.text(0) != prev) return "the newest records of " + repo.str() + " are missing";
  return {};
}

}  // namespace kb::logging::store
