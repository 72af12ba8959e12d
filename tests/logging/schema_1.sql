-- The schema of the first release, as it made it. Never edited: journals of that form exist.
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
PRAGMA application_id = 0x6b626774;
PRAGMA user_version = 1;
