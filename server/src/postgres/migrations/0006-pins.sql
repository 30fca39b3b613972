-- runs-with: 6
-- Raised: the sweep of an older server ends versions that a link pins or that `versions_keep` of their name keeps, and its drops forget `versions_keep`.
-- Pins: versions that `frames.versions_keep` does not end as long as something names them.

-- `versions_keep`: how many versions of this name are kept; null: as many as the server keeps of all names. `dropped` has a copy.
-- `pinned`: how many versions the last prune left only because they are pinned: the oldest ones. `pinned_bytes`: of the parts that nothing else
-- needs. `pins_until`: when the first of them may end. `oldest_at` is that of the others.
ALTER TABLE names
  ADD COLUMN versions_keep bigint,
  ADD COLUMN pinned bigint NOT NULL DEFAULT 0,
  ADD COLUMN pinned_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN pins_until bigint;
ALTER TABLE dropped ADD COLUMN versions_keep bigint;
-- In the place of names_kept and names_oldest, which a later migration removes.
CREATE INDEX names_surplus ON names ((kept - pinned)) WHERE versions_keep IS NULL AND kept - pinned > 1;
CREATE INDEX names_own_surplus ON names (kept) WHERE versions_keep IS NOT NULL AND kept - pinned > versions_keep;
CREATE INDEX names_aged ON names (oldest_at) WHERE kept - pinned > 1;
CREATE INDEX names_pins ON names (pins_until) WHERE pins_until IS NOT NULL;
CREATE INDEX names_pinned ON names (tenant, pinned_bytes, pinned, name, pins_until) WHERE pinned > 0;

-- Versions that a statement or a file needs before it can open them.
CREATE TABLE job_pins (
  id text PRIMARY KEY COLLATE "C",
  name_id bigint NOT NULL REFERENCES names (id),
  version bigint NOT NULL,
  kind text NOT NULL COLLATE "C",
  until bigint NOT NULL
);
CREATE INDEX job_pins_name ON job_pins (name_id);
CREATE INDEX job_pins_until ON job_pins (until);

-- Every pin: links in force, files that were read in the last ten minutes, and jobs. An index of each leads to those of one name.
CREATE VIEW version_pins AS
  SELECT l.name_id, l.version, 'link' AS kind, l.expires_at AS until
    FROM links l JOIN names n ON n.id = l.name_id AND n.life = l.life WHERE l.revoked_at IS NULL
  UNION ALL SELECT name_id, version, 'file', used_at + 600000 FROM file_layouts
  UNION ALL SELECT name_id, version, kind, until FROM job_pins;
