import type { DatabaseSync } from 'node:sqlite';

/*
 * damaged  damaged objects of parts that nothing can replace.
 * removed_objects  damaged objects that were removed because another form replaces them, for the record.
 * scrub    how far the check of all objects has come.
 */
const tables = `
CREATE TABLE IF NOT EXISTS damaged (
  key TEXT PRIMARY KEY,
  fault TEXT NOT NULL,
  found_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed_objects (
  key TEXT PRIMARY KEY,
  fault TEXT NOT NULL,
  frames TEXT NOT NULL,
  found_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scrub (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  after TEXT,
  finished_at INTEGER
) STRICT;
INSERT OR IGNORE INTO scrub VALUES (1, NULL, NULL);
`;

/** Adds the tables if they are missing. A server that does not know them works as before, so the layout stays the same. */
export function addDamageTables(db: DatabaseSync): void {
  db.exec(`BEGIN IMMEDIATE; ${tables} COMMIT;`);
}
