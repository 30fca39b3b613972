-- The tables of layout 1, as the first release made them.
CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  lower TEXT NOT NULL,
  name TEXT NOT NULL,
  frame_id TEXT NOT NULL,
  next_version INTEGER NOT NULL,
  newest INTEGER,
  kept INTEGER NOT NULL,
  expires_at INTEGER,
  ended_reason TEXT,
  ended_at INTEGER,
  UNIQUE (tenant, lower)
) STRICT;
CREATE INDEX names_live ON names (tenant, lower) WHERE newest IS NOT NULL;
CREATE INDEX names_expiring ON names (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX names_kept ON names (kept) WHERE kept > 1;

CREATE TABLE schemas (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  message BLOB NOT NULL,
  columns TEXT NOT NULL
) STRICT;

CREATE TABLE versions (
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  log INTEGER NOT NULL,
  part_count INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  schema_id INTEGER NOT NULL REFERENCES schemas (id),
  created_at INTEGER NOT NULL,
  origin_kind TEXT NOT NULL,
  origin_format TEXT NOT NULL,
  PRIMARY KEY (name_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX versions_schema ON versions (schema_id);

CREATE TABLE parts (
  id INTEGER PRIMARY KEY,
  part_id TEXT NOT NULL UNIQUE,
  name_id INTEGER NOT NULL REFERENCES names (id),
  log INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  arrow_bytes INTEGER,
  parquet_exact INTEGER,
  refusal TEXT,
  UNIQUE (name_id, log, seq)
) STRICT;
CREATE INDEX parts_unsettled ON parts (id) WHERE parquet_exact IS NULL AND refusal IS NULL;
CREATE INDEX parts_evictable ON parts (id) WHERE parquet_exact = 1 AND arrow_bytes IS NOT NULL;

CREATE TABLE objects (
  part INTEGER NOT NULL REFERENCES parts (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (part, kind, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE garbage (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  name_id INTEGER NOT NULL REFERENCES names (id),
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  reason TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (name_id, last)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_ended ON tombstones (ended_at);

CREATE TABLE idempotency (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  answer TEXT NOT NULL,
  schema_id INTEGER NOT NULL REFERENCES schemas (id),
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_used ON idempotency (used_at);
CREATE INDEX idempotency_schema ON idempotency (schema_id);

CREATE TABLE counters (id INTEGER PRIMARY KEY CHECK (id = 1), arrow_bytes INTEGER NOT NULL) STRICT;
INSERT INTO counters VALUES (1, 0);
PRAGMA application_id = 0x46486c64;
PRAGMA user_version = 1;
