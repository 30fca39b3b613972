-- runs-with: 1
-- A database that was restored, or that lost its last transactions in a failover, gives the same numbers again for other things. What nodes and
-- callers remember is therefore compared by values that no other history has. Older servers go on beside this: they only compare the same columns for
-- equality, and defaults and triggers give ids to what they write. A version that one of them drops or undrops gets another id, and is read again.

-- 48 bits of chance: JavaScript keeps them exactly.
CREATE FUNCTION random_mark() RETURNS bigint VOLATILE LANGUAGE sql
  RETURN ('x' || right(gen_random_uuid()::text, 12))::bit(48)::bigint;

-- Older servers give none.
ALTER TABLE versions ADD COLUMN version_id text NOT NULL COLLATE "C" DEFAULT replace(gen_random_uuid()::text, '-', '');
ALTER TABLE dropped_versions ADD COLUMN version_id text NOT NULL COLLATE "C" DEFAULT replace(gen_random_uuid()::text, '-', '');

-- `change` is another number with every change of the row: a node's copy of a record is right as long as it is the same.
DROP TRIGGER names_change ON names;
DROP FUNCTION count_change();
CREATE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.change := random_mark();
  RETURN NEW;
END $$;
CREATE TRIGGER names_change BEFORE INSERT OR UPDATE ON names FOR EACH ROW EXECUTE FUNCTION mark_change();

CREATE OR REPLACE FUNCTION count_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE access_marks SET
    credentials = CASE TG_TABLE_NAME WHEN 'credentials' THEN random_mark() ELSE credentials END,
    limits = CASE TG_TABLE_NAME WHEN 'tenant_limits' THEN random_mark() ELSE limits END,
    link_keys = CASE TG_TABLE_NAME WHEN 'link_keys' THEN random_mark() ELSE link_keys END;
  RETURN NULL;
END $$;

ALTER TABLE prepared_statements ALTER COLUMN change SET DEFAULT random_mark();

-- Together with its number an event is told from those of other histories. null: of an older server.
ALTER TABLE events ADD COLUMN mark bigint;
ALTER TABLE tenants ADD COLUMN last_mark bigint;
