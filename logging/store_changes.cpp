#include <algorithm>

#include "logging/store_sql.hpp"

namespace kb::logging::store {
namespace {

/// The id of the repository's row, made when it is the first time.
std::int64_t repository_row(Connection& db, RepoId const& repo) {
  db.run("INSERT INTO repository(owner, repo, head) VALUES(?, ?, '') ON CONFLICT DO NOTHING", repo.owner, repo.repo);
  return db.number("SELECT id FROM repository WHERE owner = ? AND repo = ?", repo.owner, repo.repo);
}

std::string head_of(Connection& db, std::int64_t repository) {
  Rows rows = db.query("SELECT head FROM repository WHERE id = ?", repository);
  return rows.next() ? rows.text(0) : std::string();
}

/// The record of this id as it stands, or nothing.
Result<std::optional<QueryRecord>> stored_record(Connection& db, std::string const& id) {
  Rows rows = db.query("SELECT json FROM record WHERE record_id = ?", id);
  if (!rows.next()) return std::optional<QueryRecord>();
  Result<QueryRecord> record = parse_record(rows.text(0));
  if (!record) return Error(Errc::corrupt, "record " + id + " in state.db: " + record.error().what);
  return std::optional(std::move(*record));
}

/// Order in the table is order in the chain: prev is read and head is written in the transaction of the insert.
void append_record(Connection& db, QueryRecord& record) {
  std::int64_t const repository = repository_row(db, record.repo);
  chain(record, head_of(db, repository));
  db.run("INSERT INTO record(record_id, repository, query_id, time, json) VALUES(?, ?, ?, ?, ?)", record.record_id,
         repository, record.query_id, record.time, to_json(record));
  db.run("UPDATE repository SET head = ? WHERE id = ?", record.hash, repository);
}

bool has_row(Rows rows) { return rows.next(); }

Result<void> end_reply(Connection& db, std::string const& key, TimePoint now, ReplyState state,
                       std::string const& reason) {
  int const ended = db.run("UPDATE reply SET state = ?, delivered_at = ?, reason = ? WHERE key = ? AND state = 0",
                           static_cast<std::int64_t>(state), to_micros(now), reason, key);
  if (ended > 0 || has_row(db.query("SELECT 1 FROM reply WHERE key = ?", key))) return {};
  return Error(Errc::not_found, "no reply for message key " + key);
}

Error never_begun(SendingRow const& row) {
  return {Errc::not_found,
          "part " + std::to_string(row.part) + " as " + row.form + " of " + row.key + " was not begun"};
}

}  // namespace

Result<Admitted> admit(Connection& db, scope::InboundMessage const& m, TimePoint now) {
  if (m.message_id.empty()) return Error(Errc::invalid_input, "a message without an id cannot be admitted");
  std::string const key = inbox_key(m);
  if (std::optional<StoredReply> reply = reply_of_key(db, key)) return Admitted{Admission::settled, std::move(reply)};
  int const added = db.run(
      "INSERT INTO inbox(key, conversation, adapter, account, sender, is_group, chat, chat_name, thread, message_id,"
      " text, mentioned, external, sent_at, admitted_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT(key) DO NOTHING",
      key, conversation_of(m), m.principal.adapter, m.principal.account, m.principal.user.str(),
      m.chat_type == scope::ChatType::group, m.chat.str(), m.chat_name, m.thread, m.message_id, m.text, m.mentioned,
      m.external, to_micros(m.sent_at), to_micros(now));
  return Admitted{added > 0 ? Admission::fresh : Admission::in_progress, std::nullopt};
}

Result<void> settle(Connection& db, Settlement const& settlement, TimePoint now) {
  StoredReply const& reply = settlement.reply;
  if (reply.key.empty()) return Error(Errc::invalid_input, "a reply without a message key cannot be settled");
  int const added = db.run(
      "INSERT INTO reply(key, conversation, query_id, outcome, text, sources, details, settled_at, state, delivered_at)"
      " VALUES(?1, coalesce((SELECT conversation FROM inbox WHERE key = ?1), ''), ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
      " CASE WHEN ?8 <> 0 THEN ?7 END) ON CONFLICT(key) DO NOTHING",
      reply.key, reply.query_id, reply.outcome, reply.text, reply.sources_json, reply.details_json, to_micros(now),
      static_cast<std::int64_t>(reply.state));
  // The first reply stays, and with it the records that tell of it.
  if (added == 0) return {};
  db.run("UPDATE inbox SET settled_at = ? WHERE key = ?", to_micros(now), reply.key);
  Result<std::vector<QueryRecord>> const stored = add_records(db, settlement.records);
  if (!stored) return stored.error();
  return {};
}

Result<void> mark_delivered(Connection& db, std::string const& key, TimePoint now) {
  return end_reply(db, key, now, ReplyState::delivered, {});
}

Result<void> give_up(Connection& db, std::string const& key, std::string const& reason, TimePoint now) {
  return end_reply(db, key, now, ReplyState::given_up, reason);
}

Result<SendingRow> begin_sending(Connection& db, SendingRow const& row) {
  if (!has_row(db.query("SELECT 1 FROM reply WHERE key = ?", row.key))) {
    return Error(Errc::not_found, "no reply for message key " + row.key);
  }
  // What was refused starts anew, also in order: its id is drawn again.
  db.run("DELETE FROM sending WHERE reply = ? AND part = ? AND form = ? AND refused = 1", row.key,
         static_cast<std::int64_t>(row.part), row.form);
  db.run("INSERT INTO sending(reply, part, form, first_try_at) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING", row.key,
         static_cast<std::int64_t>(row.part), row.form, to_micros(row.first_try));
  SendingRow stands = row;
  Rows rows = db.query("SELECT first_try_at, platform_id FROM sending WHERE reply = ? AND part = ? AND form = ?",
                       row.key, static_cast<std::int64_t>(row.part), row.form);
  if (!rows.next()) return never_begun(row);
  stands.first_try = from_micros(rows.number(0));
  stands.platform_id = rows.text(1);
  stands.refused = false;
  return stands;
}

Result<void> sent(Connection& db, SendingRow const& row) {
  int const noted = db.run("UPDATE sending SET platform_id = ?, refused = 0 WHERE reply = ? AND part = ? AND form = ?",
                           row.platform_id, row.key, static_cast<std::int64_t>(row.part), row.form);
  if (noted == 0) return never_begun(row);
  return {};
}

Result<void> refused(Connection& db, SendingRow const& row) {
  int const noted = db.run("UPDATE sending SET refused = 1 WHERE reply = ? AND part = ? AND form = ?", row.key,
                           static_cast<std::int64_t>(row.part), row.form);
  if (noted == 0) return never_begun(row);
  return {};
}

Result<std::string> claim(Connection& db, std::string const& key, std::string const& value, TimePoint now) {
  if (key.empty() || value.empty()) return Error(Errc::invalid_input, "a claim needs a key and a value");
  db.run("INSERT INTO claim(key, value, claimed_at) VALUES(?, ?, ?) ON CONFLICT(key) DO NOTHING", key, value,
         to_micros(now));
  return holder(db, key);
}

void mark_published(Connection& db, std::vector<std::int64_t> const& rows) {
  for (std::int64_t const row : rows) db.run("UPDATE record SET published = 1 WHERE id = ?", row);
}

Result<std::vector<QueryRecord>> add_records(Connection& db, std::vector<QueryRecord> const& records) {
  std::vector<QueryRecord> stored;
  for (QueryRecord record : records) {
    if (record.record_id.empty()) record.record_id = record_id(record.query_id, record.repo);
    Result<std::optional<QueryRecord>> earlier = stored_record(db, record.record_id);
    if (!earlier) return earlier.error();
    if (*earlier) {
      stored.push_back(std::move(**earlier));
      continue;
    }
    append_record(db, record);
    stored.push_back(std::move(record));
  }
  return stored;
}

void add_binding_event(Connection& db, BindingEventRow const& e) {
  db.run("INSERT INTO binding_event(event, chat_id, team_id, actor, code, created_at) VALUES(?, ?, ?, ?, ?, ?)",
         e.event, e.chat_id, e.team_id, e.actor, e.code, e.created_at);
}

Result<void> add_feedback(Connection& db, Feedback const& f) {
  bool const known = has_row(
      db.query("SELECT 1 FROM reply WHERE query_id = ?1 UNION ALL SELECT 1 FROM record WHERE query_id = ?1 LIMIT 1",
               f.query_id));
  if (!known || f.query_id.empty()) return Error(Errc::not_found, "no answer has query id " + f.query_id);
  db.run(
      "INSERT INTO feedback(query_id, sender, vote, kind, time) VALUES(?, ?, ?, ?, ?) ON CONFLICT(query_id, sender)"
      " DO UPDATE SET vote = excluded.vote, kind = excluded.kind, time = excluded.time",
      f.query_id, f.sender, f.vote, f.kind, f.time);
  return {};
}

Expired expire(Connection& db, TimePoint replies, TimePoint claims, std::size_t limit) {
  auto const most = static_cast<std::int64_t>(limit);
  std::vector<std::string> keys;
  {
    Rows rows =
        db.query("SELECT key FROM reply WHERE settled_at < ? ORDER BY settled_at LIMIT ?", to_micros(replies), most);
    while (rows.next()) keys.push_back(rows.text(0));
  }
  for (std::string const& key : keys) {
    db.run("DELETE FROM reply WHERE key = ?", key);  // and its sendings
    db.run("DELETE FROM inbox WHERE key = ?", key);
  }
  int const unclaimed = db.run(
      "DELETE FROM claim WHERE id IN (SELECT id FROM claim WHERE claimed_at < ? AND key NOT GLOB 'room/*' "
      "ORDER BY claimed_at LIMIT ?)",
      to_micros(claims), most);
  return {keys.size(), static_cast<std::size_t>(unclaimed)};
}

}  // namespace kb::logging::store
