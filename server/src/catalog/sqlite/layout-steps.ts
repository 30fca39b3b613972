import { transcodeLater, transcodeSoon } from '../transcode-conditions.ts';

/** The catalog's tables, layout by layout. */

/*
 * names      one row for each name ever used in a tenant, kept for ever so that versions are never reused.
 *            `newest` is null once the name has ended (dropped, or expired and swept). `oldest_at` is when its
 *            oldest kept version was made.
 * versions   a version is the parts of a log whose `seq` is below `part_count`, which counts puts: it does not change
 *            when parts are compacted. A log is called by the version that began it.
 * schemas    each once. One that only idempotency keys have left has no message, and no columns if they are many.
 * parts      the log; only parts that a kept version needs are here. A part that was compacted out of others has the
 *            `seq` of the last of them. `arrow_bytes` is null once the Arrow form is evicted, `size` stays;
 *            `parquet_exact` is null as long as there is no Parquet form. `merge_refusal` says why it stays apart.
 * logs       only those that continue another one: their first `base_count` puts are those of `base_log`. A restored version begins
 *            such a log, so its parts are not copied, and appends to it do not touch the log that it came from.
 * merges_due logs that may have parts to compact, in the order in which they are looked at.
 * tombstones runs of ended versions, `first` to `last`.
 * garbage    objects that nothing refers to any more, until the store has removed them.
 * attempts   changes of the last day, for callers that did not get the answer.
 */

const tables = `
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
`;

/** Of an evicted part only the size of its Parquet files is known. When parts were put is not: they count as old. */
const compacting = `
ALTER TABLE names ADD COLUMN oldest_at INTEGER;
UPDATE names SET oldest_at =
  (SELECT created_at FROM versions WHERE name_id = names.id ORDER BY version LIMIT 1);
ALTER TABLE parts ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE parts ADD COLUMN added_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE parts ADD COLUMN merge_refusal TEXT;
UPDATE parts SET size =
  ifnull(arrow_bytes, (SELECT ifnull(sum(bytes), 0) FROM objects WHERE part = parts.id));
DROP INDEX parts_unsettled;
CREATE INDEX names_oldest ON names (oldest_at) WHERE kept > 1;
CREATE INDEX parts_settle_soon ON parts (id) WHERE ${transcodeSoon};
CREATE INDEX parts_settle_later ON parts (added_at) WHERE ${transcodeLater};
CREATE TABLE merges_due (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name_id INTEGER NOT NULL REFERENCES names (id),
  log INTEGER NOT NULL,
  UNIQUE (name_id, log)
) STRICT;
INSERT INTO merges_due (name_id, log) SELECT DISTINCT name_id, log FROM parts WHERE seq > 0;
`;

/*
 * parts.arrow_level: the level of zstd at which the form was compressed anew, or at which that was tried and did not pay; 0 as long as the form is as
 * it was first written. parts.parquet_level and its index were the same for Parquet forms, which are compressed when they are written: only earlier
 * versions of the server use them, which may still run on the same catalog, or be started again.
 */
const formLevels = `
ALTER TABLE parts ADD COLUMN parquet_level INTEGER NOT NULL DEFAULT 0;
ALTER TABLE parts ADD COLUMN arrow_level INTEGER NOT NULL DEFAULT 0;
CREATE INDEX parts_level ON parts (parquet_level, id) WHERE parquet_exact IS NOT NULL;
CREATE INDEX parts_unpacked ON parts (id)
  WHERE arrow_level = 0 AND arrow_bytes IS NOT NULL AND (parquet_exact = 0 OR refusal IS NOT NULL);
`;

/** versions.origin_query: the statement that made the version and the frames that it read, as JSON; of a text how it was read; null for others. */
const queryOrigins = 'ALTER TABLE versions ADD COLUMN origin_query TEXT;';

/*
 * shares   which tenants may read a name beside its own, as long as the name lives.
 * tenants  how many live names each has, and how many bytes its parts have as they were put. Kept by triggers, so that no change is missed.
 */
const tenancy = `
CREATE TABLE shares (
  name_id INTEGER NOT NULL REFERENCES names (id),
  tenant TEXT NOT NULL,
  PRIMARY KEY (name_id, tenant)
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_tenant ON shares (tenant, name_id);
CREATE TABLE tenants (
  tenant TEXT PRIMARY KEY,
  frames INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO tenants
  SELECT tenant, count(newest),
    (SELECT ifnull(sum(p.size), 0) FROM parts p JOIN names m ON m.id = p.name_id WHERE m.tenant = n.tenant)
  FROM names n GROUP BY tenant;
CREATE TRIGGER names_added AFTER INSERT ON names BEGIN
  INSERT INTO tenants VALUES (NEW.tenant, NEW.newest IS NOT NULL, 0)
    ON CONFLICT (tenant) DO UPDATE SET frames = frames + excluded.frames;
END;
CREATE TRIGGER names_changed AFTER UPDATE OF newest ON names
WHEN (OLD.newest IS NULL) <> (NEW.newest IS NULL) BEGIN
  UPDATE tenants SET frames = frames + iif(NEW.newest IS NULL, -1, 1) WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER parts_added AFTER INSERT ON parts BEGIN
  UPDATE tenants SET bytes = bytes + NEW.size WHERE tenant = (SELECT tenant FROM names WHERE id = NEW.name_id);
END;
CREATE TRIGGER parts_removed AFTER DELETE ON parts BEGIN
  UPDATE tenants SET bytes = bytes - OLD.size WHERE tenant = (SELECT tenant FROM names WHERE id = OLD.name_id);
END;
CREATE TRIGGER parts_resized AFTER UPDATE OF size ON parts BEGIN
  UPDATE tenants SET bytes = bytes + NEW.size - OLD.size
  WHERE tenant = (SELECT tenant FROM names WHERE id = NEW.name_id);
END;
`;

/*
 * dropped           names that were dropped and can come back until `until`. A name may have been dropped more than once.
 * dropped_versions  their versions, out of sight of everything that reads `versions`. The same columns as there.
 * kept_versions     both: every version whose parts are needed.
 * names.life        how often the name came back; links from an earlier life have ended.
 */
const restoring = `
ALTER TABLE names ADD COLUMN life INTEGER NOT NULL DEFAULT 0;
ALTER TABLE versions ADD COLUMN restored_from INTEGER;
CREATE TABLE logs (
  name_id INTEGER NOT NULL REFERENCES names (id),
  log INTEGER NOT NULL,
  base_log INTEGER NOT NULL,
  base_count INTEGER NOT NULL,
  PRIMARY KEY (name_id, log)
) STRICT, WITHOUT ROWID;
CREATE INDEX logs_base ON logs (name_id, base_log);
CREATE TABLE dropped (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name_id INTEGER NOT NULL REFERENCES names (id),
  name TEXT NOT NULL,
  expires_at INTEGER,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX dropped_name ON dropped (name_id);
CREATE INDEX dropped_until ON dropped (until);
CREATE TABLE dropped_versions (
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
  origin_query TEXT,
  restored_from INTEGER,
  dropped_id INTEGER NOT NULL REFERENCES dropped (id),
  PRIMARY KEY (name_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX dropped_versions_drop ON dropped_versions (dropped_id);
CREATE INDEX dropped_versions_schema ON dropped_versions (schema_id);
CREATE VIEW kept_versions AS
  SELECT name_id, version, log, part_count, schema_id FROM versions
  UNION ALL SELECT name_id, version, log, part_count, schema_id FROM dropped_versions;
`;

/*
 * attempts            changes of the last day by the id of their attempt, with their answers, for callers that did not get them.
 * claims              work that a process has taken on, and how often it was begun since it last succeeded.
 * garbage.not_before  when the object may be removed; null until a collector has seen it.
 */
const attemptsAndLeases = `
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  made_at INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_made ON attempts (made_at);
CREATE TABLE claims (
  work TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL,
  tries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_until ON claims (until);
ALTER TABLE garbage ADD COLUMN not_before INTEGER;
CREATE INDEX garbage_due ON garbage (not_before, key);
`;

/*
 * events         what happened to the frames of each tenant, counted for each tenant on its own, so that nobody sees how busy others are
 *                and none is committed after a later one was read. `data` is JSON.
 * event_heads    the last number given to each tenant; it never goes back, also if the events themselves have been removed.
 * links          links that were signed, until they expire: to list and to revoke them.
 * statistics     of the columns of a version, computed once. `body` is compressed JSON.
 * saved_queries  statements that a tenant has given a name.
 * history        statements of each caller, newest last.
 */
const eventsAndQueries = `
CREATE TABLE events (
  tenant TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_at ON events (at);
CREATE TABLE event_heads (tenant TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE links (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  life INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX links_name ON links (name_id, expires_at);
CREATE INDEX links_expiring ON links (expires_at);
CREATE TABLE statistics (
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (name_id, version)
) STRICT;
CREATE TABLE saved_queries (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  sql TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  saved_by TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  caller TEXT NOT NULL,
  query_id TEXT NOT NULL,
  sql TEXT NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  rows INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX history_caller ON history (tenant, caller, id);
CREATE INDEX history_started ON history (started_at);
`;

/** history.engine: what ran the statement. */
const historyEngines = `ALTER TABLE history ADD COLUMN engine TEXT NOT NULL DEFAULT 'duckdb';`;

/*
 * file_layouts  versions that are served as one file, until they have not been used for an hour.
 * file_objects  what such a file is read from, in order. `pieces` says which bytes of them it is. These objects stay, whether or not a part still has them. `own`: no part ever had it.
 */
const fileLayouts = `
CREATE TABLE file_layouts (
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  etag TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  pieces BLOB NOT NULL,
  PRIMARY KEY (name_id, version)
) STRICT;
CREATE INDEX file_layouts_used ON file_layouts (used_at);
CREATE TABLE file_objects (
  name_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  own INTEGER NOT NULL,
  PRIMARY KEY (name_id, version, seq),
  FOREIGN KEY (name_id, version) REFERENCES file_layouts (name_id, version) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX file_objects_key ON file_objects (key);
`;

/*
 * version_id   of this version alone: a catalog that was restored from a backup gives numbers of versions again, for other rows.
 * mark         of an event, and of the last of a tenant: numbers of events are given again in the same way.
 */
const histories = `
ALTER TABLE versions ADD COLUMN version_id TEXT NOT NULL DEFAULT '';
UPDATE versions SET version_id = lower(hex(randomblob(16)));
ALTER TABLE dropped_versions ADD COLUMN version_id TEXT NOT NULL DEFAULT '';
UPDATE dropped_versions SET version_id = lower(hex(randomblob(16)));
ALTER TABLE events ADD COLUMN mark INTEGER;
ALTER TABLE event_heads ADD COLUMN last_mark INTEGER;
`;

/*
 * names.versions_keep  how many versions of this name are kept; null: as many as the server keeps of all names. dropped has a copy.
 * names.pinned         how many versions the last prune left only because they are pinned: the oldest ones. `pinned_bytes`: of the parts that nothing
 *                      else needs. `pins_until`: when the first of them may end. `oldest_at` is that of the others.
 * job_pins             versions that a statement or a file needs before it can open them.
 * version_pins         every pin: links in force, files that were read in the last ten minutes, and jobs. An index of each leads to those of one name.
 */
const pins = `
ALTER TABLE names ADD COLUMN versions_keep INTEGER;
ALTER TABLE names ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE names ADD COLUMN pinned_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE names ADD COLUMN pins_until INTEGER;
ALTER TABLE dropped ADD COLUMN versions_keep INTEGER;
DROP INDEX names_kept;
DROP INDEX names_oldest;
CREATE INDEX names_surplus ON names (kept - pinned) WHERE versions_keep IS NULL AND kept - pinned > 1;
CREATE INDEX names_own_surplus ON names (kept) WHERE versions_keep IS NOT NULL AND kept - pinned > versions_keep;
CREATE INDEX names_aged ON names (oldest_at) WHERE kept - pinned > 1;
CREATE INDEX names_pins ON names (pins_until) WHERE pins_until IS NOT NULL;
CREATE INDEX names_pinned ON names (tenant, pinned_bytes, pinned, name, pins_until) WHERE pinned > 0;
CREATE TABLE job_pins (
  id TEXT PRIMARY KEY,
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_pins_name ON job_pins (name_id);
CREATE INDEX job_pins_until ON job_pins (until);
CREATE VIEW version_pins AS
  SELECT l.name_id, l.version, 'link' AS kind, l.expires_at AS until
    FROM links l JOIN names n ON n.id = l.name_id AND n.life = l.life WHERE l.revoked_at IS NULL
  UNION ALL SELECT name_id, version, 'file', used_at + 600000 FROM file_layouts
  UNION ALL SELECT name_id, version, kind, until FROM job_pins;
`;

/*
 * relation_oids  numbers of names and tenants (whose `lower` is empty) in PostgreSQL's catalogs, given on first need. AUTOINCREMENT gives none again, also after
 *                the one with the highest was removed; the first one is above PostgreSQL's own.
 */
const relationOids = `
CREATE TABLE relation_oids (
  oid INTEGER PRIMARY KEY AUTOINCREMENT CHECK (oid <= 2147483647),
  tenant TEXT NOT NULL,
  lower TEXT NOT NULL,
  UNIQUE (tenant, lower)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) VALUES ('relation_oids', 16383);
CREATE TRIGGER names_ended AFTER UPDATE OF newest ON names WHEN NEW.newest IS NULL AND OLD.newest IS NOT NULL
BEGIN
  DELETE FROM relation_oids WHERE tenant = NEW.tenant AND lower = NEW.lower;
END;
`;

/*
 * parts.first_row  rows of the version before the part, those of the logs that its log continues included: a range of rows is found without adding up all parts.
 * positions        how many rows each version has, also if it is no longer kept, as long as rows were only added to it since.
 * version_runs     versions without a gap, each of which appends to the one before it. `base`: the version whose rows the first of them continues or
 *                  restores; null if that began anew. A run goes to where the next one begins. Kept by a trigger, so that no way to make a version is missed.
 */
const rowPositions = `
ALTER TABLE parts ADD COLUMN first_row INTEGER NOT NULL DEFAULT 0;
WITH RECURSIVE starts (name_id, log, first_row) AS (
  SELECT DISTINCT name_id, log, 0 FROM parts p
    WHERE NOT EXISTS (SELECT 1 FROM logs l WHERE l.name_id = p.name_id AND l.log = p.log)
  UNION ALL
  SELECT l.name_id, l.log, s.first_row + (SELECT ifnull(sum(p.rows), 0) FROM parts p
      WHERE p.name_id = l.name_id AND p.log = l.base_log AND p.seq < l.base_count)
    FROM starts s JOIN logs l ON l.name_id = s.name_id AND l.base_log = s.log)
UPDATE parts SET first_row = placed.first_row FROM (
  SELECT p.id, s.first_row + sum(p.rows) OVER (PARTITION BY p.name_id, p.log ORDER BY p.seq) - p.rows AS first_row
    FROM parts p JOIN starts s ON s.name_id = p.name_id AND s.log = p.log) placed
  WHERE placed.id = parts.id;
CREATE INDEX parts_rows ON parts (name_id, log, first_row);
CREATE TABLE positions (
  name_id INTEGER NOT NULL REFERENCES names (id),
  version INTEGER NOT NULL,
  version_id TEXT NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (name_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE version_runs (
  name_id INTEGER NOT NULL REFERENCES names (id),
  first INTEGER NOT NULL,
  base INTEGER,
  PRIMARY KEY (name_id, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_runs_base ON version_runs (name_id, base);
INSERT INTO positions SELECT name_id, version, version_id, rows FROM versions;
INSERT INTO positions SELECT name_id, version, version_id, rows FROM dropped_versions;
INSERT INTO version_runs
  SELECT name_id, version, iif(log = version, restored_from, ifnull(before, version - 1)) FROM (
    SELECT v.name_id, v.version, v.log, ifnull(o.restored_from, d.restored_from) AS restored_from,
      lag(v.version) OVER (PARTITION BY v.name_id, v.log ORDER BY v.version) AS before,
      lag(v.version) OVER (PARTITION BY v.name_id ORDER BY v.version) AS other
    FROM kept_versions v
    LEFT JOIN versions o ON o.name_id = v.name_id AND o.version = v.version
    LEFT JOIN dropped_versions d ON d.name_id = v.name_id AND d.version = v.version)
  WHERE log = version OR before IS NULL OR before <> other;
CREATE TRIGGER versions_placed AFTER INSERT ON versions
WHEN NOT EXISTS (SELECT 1 FROM positions WHERE name_id = NEW.name_id AND version = NEW.version) BEGIN
  INSERT INTO positions VALUES (NEW.name_id, NEW.version, NEW.version_id, NEW.rows);
  INSERT OR IGNORE INTO version_runs
    SELECT NEW.name_id, NEW.version, iif(NEW.log = NEW.version, NEW.restored_from, ifnull(before, NEW.version - 1))
    FROM (SELECT iif(NEW.log = NEW.version, NULL, (SELECT version FROM versions
      WHERE name_id = NEW.name_id AND version < NEW.version AND log = NEW.log ORDER BY version DESC LIMIT 1)) AS before)
    WHERE NEW.log = NEW.version OR before IS NOT NEW.version - 1;
END;
`;

/*
 * tags          names for versions; those of a dropped name wait for it with its versions.
 * version_pins  with them: a tag pins for ever.
 */
const tags = `
CREATE TABLE tags (
  name_id INTEGER NOT NULL REFERENCES names (id),
  tag TEXT NOT NULL,
  version INTEGER NOT NULL,
  set_at INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  PRIMARY KEY (name_id, tag)
) STRICT, WITHOUT ROWID;
DROP VIEW version_pins;
CREATE VIEW version_pins AS
  SELECT l.name_id, l.version, 'link' AS kind, l.expires_at AS until
    FROM links l JOIN names n ON n.id = l.name_id AND n.life = l.life WHERE l.revoked_at IS NULL
  UNION ALL SELECT name_id, version, 'file', used_at + 600000 FROM file_layouts
  UNION ALL SELECT name_id, version, kind, until FROM job_pins
  UNION ALL SELECT name_id, version, 'tag', 8640000000000000 FROM tags;
`;

/*
 * notes          what people say of live names: JSON, and the text that is searched. `bytes`: of both.
 * dropped.notes  of a dropped name, as a JSON array of the other columns. A trigger writes it, unless it is copied from another catalog, and others take it back, so that no way in which a name ends
 *                leaves notes to the next frame of that name.
 */
const notes = `
CREATE TABLE notes (
  name_id INTEGER PRIMARY KEY REFERENCES names (id),
  tenant TEXT NOT NULL,
  body TEXT NOT NULL,
  words TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  set_at INTEGER NOT NULL,
  set_by TEXT NOT NULL
) STRICT;
CREATE INDEX notes_tenant ON notes (tenant, bytes);
ALTER TABLE dropped ADD COLUMN notes TEXT;
CREATE TRIGGER notes_kept AFTER INSERT ON dropped WHEN NEW.notes IS NULL BEGIN
  UPDATE dropped SET notes = (
    SELECT json_array(body, words, bytes, set_at, set_by) FROM notes WHERE name_id = NEW.name_id)
  WHERE id = NEW.id;
END;
CREATE TRIGGER notes_ended AFTER UPDATE OF newest ON names WHEN NEW.newest IS NULL AND OLD.newest IS NOT NULL BEGIN
  DELETE FROM notes WHERE name_id = NEW.id;
END;
`;

/** What leads from each layout to the next; a new file goes through all of them. Only ever added to. */
export const layoutSteps = [
  tables,
  compacting,
  formLevels,
  queryOrigins,
  tenancy,
  restoring,
  attemptsAndLeases,
  eventsAndQueries,
  historyEngines,
  fileLayouts,
  histories,
  pins,
  relationOids,
  rowPositions,
  tags,
  notes,
];
