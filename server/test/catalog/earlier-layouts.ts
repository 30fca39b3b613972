/** The statements that take the last layout steps back; the oldest layouts take back more. */
const withoutNotes = `
  DROP TRIGGER notes_kept;
  DROP TRIGGER notes_ended;
  DROP TABLE notes;
  ALTER TABLE dropped DROP COLUMN notes;`;
const withoutTags = `
  ${withoutNotes}
  DROP VIEW version_pins;
  DROP TABLE tags;
  CREATE VIEW version_pins AS
    SELECT l.name_id, l.version, 'link' AS kind, l.expires_at AS until
      FROM links l JOIN names n ON n.id = l.name_id AND n.life = l.life WHERE l.revoked_at IS NULL
    UNION ALL SELECT name_id, version, 'file', used_at + 600000 FROM file_layouts
    UNION ALL SELECT name_id, version, kind, until FROM job_pins;`;
export const withoutPositions = `
  ${withoutTags}
  DROP TRIGGER versions_placed;
  DROP TABLE positions;
  DROP TABLE version_runs;
  DROP INDEX parts_rows;
  ALTER TABLE parts DROP COLUMN first_row;`;
export const withoutOids = `
  ${withoutPositions}
  DROP TRIGGER names_ended;
  DROP TABLE relation_oids;`;
const withoutPins = `
  ${withoutOids}
  DROP VIEW version_pins;
  DROP TABLE job_pins;
  ${['surplus', 'own_surplus', 'aged', 'pins', 'pinned'].map((name) => `DROP INDEX names_${name};`).join(' ')}
  ${['versions_keep', 'pinned', 'pinned_bytes', 'pins_until'].map((name) => `ALTER TABLE names DROP COLUMN ${name};`).join(' ')}
  ALTER TABLE dropped DROP COLUMN versions_keep;
  CREATE INDEX names_kept ON names (kept) WHERE kept > 1;
  CREATE INDEX names_oldest ON names (oldest_at) WHERE kept > 1;`;
const laterTables = ['file_objects', 'file_layouts'];
export const withoutEvents = [
  ...laterTables,
  'events',
  'event_heads',
  'links',
  'statistics',
  'saved_queries',
  'history',
]
  .map((name) => `DROP TABLE ${name};`)
  .concat(['versions', 'dropped_versions'].map((name) => `ALTER TABLE ${name} DROP COLUMN version_id;`))
  .reduce((all, each) => `${all} ${each}`, withoutPins);
export const withoutAttempts = `
  ${withoutEvents}
  DROP TABLE attempts;
  DROP TABLE claims;
  DROP INDEX garbage_due;
  ALTER TABLE garbage DROP COLUMN not_before;`;
export const withoutRestoring = `
  ${withoutAttempts}
  DROP VIEW kept_versions;
  DROP TABLE dropped_versions;
  DROP TABLE dropped;
  DROP TABLE logs;
  ALTER TABLE versions DROP COLUMN restored_from;
  ALTER TABLE names DROP COLUMN life;`;
export const withoutTenancy = `
  ${withoutRestoring}
  DROP TABLE shares;
  DROP TABLE tenants;
  ${['names_added', 'names_changed', 'parts_added', 'parts_removed', 'parts_resized']
    .map((name) => `DROP TRIGGER ${name};`)
    .join(' ')}`;
