-- The journal. Rows are only ever added; hash covers every other column and the
-- hash before it. request is the idempotency key under which the row was made.
CREATE TABLE events (
  seq     INTEGER PRIMARY KEY,
  v       INTEGER NOT NULL,
  id      TEXT NOT NULL,
  at      TEXT NOT NULL,
  project TEXT NOT NULL,
  actor   TEXT NOT NULL,
  type    TEXT NOT NULL,
  data    TEXT NOT NULL,
  request TEXT NOT NULL,
  hash    TEXT NOT NULL
) STRICT;
CREATE INDEX events_request ON events(request) WHERE request <> '';

-- Everything below is a fold of events and can be made again from them.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE docs (
  n    INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  pos  INTEGER NOT NULL,
  doc  TEXT NOT NULL,
  UNIQUE (kind, id)
) STRICT;

-- rowid = docs.n
CREATE VIRTUAL TABLE search USING fts5 (
  title, body, tokenize = 'unicode61 remove_diacritics 2'
);
