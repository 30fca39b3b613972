-- runs-with: 6
-- Where rows are in a version: so that the rows which were added after a version are found without the version itself, and without adding up all parts.
-- Older servers go on beside this: triggers place what they write. What they prune is forgotten when it is too old.

-- Rows of the version before the part, those of the logs that its log continues included.
ALTER TABLE parts ADD COLUMN first_row bigint;
WITH RECURSIVE starts (name_id, log, first_row) AS (
  SELECT DISTINCT name_id, log, 0::bigint FROM parts p
    WHERE NOT EXISTS (SELECT 1 FROM logs l WHERE l.name_id = p.name_id AND l.log = p.log)
  UNION ALL
  SELECT l.name_id, l.log, s.first_row + (SELECT coalesce(sum(p.rows), 0)::bigint FROM parts p
      WHERE p.name_id = l.name_id AND p.log = l.base_log AND p.seq < l.base_count)
    FROM starts s JOIN logs l ON l.name_id = s.name_id AND l.base_log = s.log)
UPDATE parts SET first_row = placed.first_row FROM (
  SELECT p.id, (s.first_row + sum(p.rows) OVER (PARTITION BY name_id, log ORDER BY p.seq) - p.rows)::bigint AS first_row
    FROM parts p JOIN starts s USING (name_id, log)) placed
  WHERE placed.id = parts.id;
ALTER TABLE parts ALTER COLUMN first_row SET NOT NULL;
CREATE INDEX parts_rows ON parts (name_id, log, first_row);

CREATE FUNCTION place_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  own bigint := NEW.log;
  below bigint := NEW.seq;
BEGIN
  LOOP
    SELECT first_row + rows INTO NEW.first_row FROM parts
      WHERE name_id = NEW.name_id AND log = own AND seq < below ORDER BY seq DESC LIMIT 1;
    EXIT WHEN FOUND;
    SELECT base_log, base_count INTO own, below FROM logs WHERE name_id = NEW.name_id AND log = own;
    IF NOT FOUND THEN
      NEW.first_row := 0;
      EXIT;
    END IF;
  END LOOP;
  RETURN NEW;
END $$;
CREATE TRIGGER parts_placed BEFORE INSERT ON parts FOR EACH ROW WHEN (NEW.first_row IS NULL) EXECUTE FUNCTION place_part();

-- How many rows a version has, also if it is no longer kept, as long as rows were only added to it since.
CREATE TABLE positions (
  name_id bigint NOT NULL REFERENCES names (id),
  version bigint NOT NULL,
  version_id text NOT NULL COLLATE "C",
  rows bigint NOT NULL,
  PRIMARY KEY (name_id, version)
);
-- Versions without a gap, each of which appends to the one before it. `base`: the version whose rows the first of them continues or restores; null if that
-- began anew. A run goes to where the next one begins.
CREATE TABLE version_runs (
  name_id bigint NOT NULL REFERENCES names (id),
  first bigint NOT NULL,
  base bigint,
  PRIMARY KEY (name_id, first)
);
CREATE INDEX version_runs_base ON version_runs (name_id, base);

CREATE FUNCTION place_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before bigint := NEW.restored_from;
BEGIN
  INSERT INTO positions VALUES (NEW.name_id, NEW.version, NEW.version_id, NEW.rows) ON CONFLICT DO NOTHING;
  -- An undrop: it is known already.
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF NEW.log <> NEW.version THEN
    SELECT version INTO before FROM versions
      WHERE name_id = NEW.name_id AND version < NEW.version AND log = NEW.log ORDER BY version DESC LIMIT 1;
    IF before = NEW.version - 1 THEN
      RETURN NULL;
    END IF;
    before := coalesce(before, NEW.version - 1);
  END IF;
  INSERT INTO version_runs VALUES (NEW.name_id, NEW.version, before) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- Of versions that are kept: where an earlier one ended that is not, is no longer known.
INSERT INTO positions SELECT name_id, version, version_id, rows FROM versions;
INSERT INTO positions SELECT name_id, version, version_id, rows FROM dropped_versions;
INSERT INTO version_runs
  SELECT name_id, version, CASE WHEN log = version THEN restored_from ELSE coalesce(before, version - 1) END FROM (
    SELECT v.name_id, v.version, v.log, coalesce(o.restored_from, d.restored_from) AS restored_from,
      lag(v.version) OVER (PARTITION BY v.name_id, v.log ORDER BY v.version) AS before,
      lag(v.version) OVER (PARTITION BY v.name_id ORDER BY v.version) AS other
    FROM kept_versions v
    LEFT JOIN versions o ON o.name_id = v.name_id AND o.version = v.version
    LEFT JOIN dropped_versions d ON d.name_id = v.name_id AND d.version = v.version) v
  WHERE log = version OR before IS NULL OR before <> other;
CREATE TRIGGER versions_placed AFTER INSERT ON versions FOR EACH ROW EXECUTE FUNCTION place_version();

-- After these versions have gone: runs of versions that no kept one goes back to are forgotten, and what is older than the newest `known` versions.
CREATE FUNCTION forget_positions(of_name bigint, ended bigint[], known bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
  seen bigint := 9007199254740991;
  at_version bigint;
  run version_runs;
  -- Before it: what was looked at already, and may be deleted, is not passed over again and again.
  bound bigint;
  next_first bigint;
  too_old bigint;
BEGIN
  FOR gone IN SELECT version FROM unnest(ended) AS version ORDER BY version DESC LOOP
    CONTINUE WHEN gone >= seen;
    at_version := gone;
    bound := seen;
    WHILE at_version IS NOT NULL LOOP
      SELECT * INTO run FROM version_runs WHERE name_id = of_name AND first <= at_version ORDER BY first DESC LIMIT 1;
      EXIT WHEN NOT FOUND;
      SELECT coalesce(min(first), bound) INTO next_first FROM version_runs
        WHERE name_id = of_name AND first > run.first AND first < bound;
      bound := run.first;
      IF at_version = gone THEN
        seen := bound;
      END IF;
      EXIT WHEN EXISTS (SELECT 1 FROM versions WHERE name_id = of_name AND version >= run.first AND version < next_first)
        OR EXISTS (SELECT 1 FROM dropped_versions WHERE name_id = of_name AND version >= run.first AND version < next_first)
        OR EXISTS (SELECT 1 FROM version_runs WHERE name_id = of_name AND base >= run.first AND base < next_first);
      DELETE FROM version_runs WHERE name_id = of_name AND first = run.first;
      DELETE FROM positions WHERE name_id = of_name AND version >= run.first AND version < next_first;
      at_version := run.base;
    END LOOP;
  END LOOP;
  SELECT next_version - known INTO too_old FROM names WHERE id = of_name;
  DELETE FROM positions WHERE name_id = of_name AND version < too_old;
  -- Never below a version that is kept, however old it is.
  DELETE FROM version_runs WHERE name_id = of_name AND first < (
    SELECT max(first) FROM version_runs WHERE name_id = of_name AND first <= least(too_old,
      (SELECT min(version) FROM versions WHERE name_id = of_name),
      (SELECT min(version) FROM dropped_versions WHERE name_id = of_name)));
END $$;
