/// What the journal's tests share: messages, settlements, and changes that are waited for.
#pragma once

#include <doctest/doctest.h>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "logging/journal.hpp"

namespace kb::test {

inline TimePoint at_second(int seconds) {
  return TimePoint(std::chrono::seconds(1767225600 + seconds));  // from 2026-01-01T00:00:00Z
}

inline scope::InboundMessage message(std::string id, std::string text = "上周定了什么？") {
  scope::InboundMessage m;
  m.principal = {"bridge", "main", UserId("ou_1")};
  m.chat_type = scope::ChatType::group;
  m.chat = ChatId("oc_1");
  m.chat_name = "NLP 组";
  m.thread = "t1";
  m.message_id = std::move(id);
  m.text = std::move(text);
  m.mentioned = true;
  m.external = true;
  m.sent_at = at_second(5);
  return m;
}

inline logging::QueryRecord record(std::string query_id, RepoId repo = {"nlp", "nlp-team-kb"}) {
  logging::QueryRecord r;
  r.query_id = std::move(query_id);
  r.time = "2026-01-01T00:00:10Z";
  r.repo = std::move(repo);
  r.record_id = logging::record_id(r.query_id, r.repo);
  r.open_id = "ou_1";
  r.chat_type = "group";
  r.chat_id = "oc_1";
  r.scope = "team";
  r.question = "上周定了什么？";
  r.outcome = "answered";
  r.hits = {"projects/atlas/decisions.md", "index.md"};
  r.commit = std::string(40, 'a');
  r.confidence = "high";
  r.took_us = 402;
  return r;
}

inline logging::Settlement settlement(scope::InboundMessage const& m, std::string query_id, std::string text) {
  logging::Settlement s;
  s.reply = {logging::inbox_key(m), query_id, "answered", std::move(text), "[]", R"({"confidence":"high"})", {}};
  s.records = {record(std::move(query_id))};
  return s;
}

/// The value, or the test ends with the error's sentence.
template <class T>
T value(Result<T> result) {
  if (!result) FAIL(result.error().what);
  return std::move(*result);
}

/// Whether there is a value; the error's sentence goes to the report.
template <class T>
bool succeeds(Result<T> const& result) {
  if (!result) MESSAGE(result.error().what);
  return result.has_value();
}

inline std::unique_ptr<logging::Journal> opened(std::filesystem::path const& dir,
                                                logging::Journal::Options options = {}) {
  return value(logging::Journal::open(dir, options));
}

/// Calls `change` with a callback and waits for what it gets.
template <class T, class Change>
Result<T> waited(Change change) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> future = promise->get_future();
  change([promise](Result<T> result) { promise->set_value(std::move(result)); });
  return future.get();
}

inline Result<logging::Admitted> admit(logging::Journal& journal, scope::InboundMessage m) {
  return waited<logging::Admitted>([&](auto done) { journal.admit(std::move(m), at_second(6), std::move(done)); });
}
inline Result<void> settle(logging::Journal& journal, logging::Settlement s, TimePoint now = at_second(7)) {
  return waited<void>([&](auto done) { journal.settle(std::move(s), now, std::move(done)); });
}
inline Result<std::vector<logging::QueryRecord>> add_records(logging::Journal& journal,
                                                             std::vector<logging::QueryRecord> records) {
  return waited<std::vector<logging::QueryRecord>>(
      [&](auto done) { journal.add_records(std::move(records), std::move(done)); });
}

}  // namespace kb::test
