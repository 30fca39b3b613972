-- runs-with: 6
-- What people say of names. Older servers go on beside this and do not know of it: of a name that one of them undrops, it does not come back.
CREATE TABLE notes (
  name_id bigint PRIMARY KEY REFERENCES names (id),
  tenant text NOT NULL COLLATE "C",
  -- JSON as it was written: jsonb would give other numbers and another order.
  body text NOT NULL,
  -- What a search looks into.
  words text NOT NULL,
  bytes bigint NOT NULL,
  set_at bigint NOT NULL,
  set_by text NOT NULL
);
CREATE INDEX notes_tenant ON notes (tenant) INCLUDE (bytes);

-- Of a dropped name: a JSON array of the columns after the tenant.
ALTER TABLE dropped ADD COLUMN notes text;

CREATE FUNCTION keep_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dropped SET notes = (
    SELECT json_build_array(body, words, bytes, set_at, set_by)::text FROM notes WHERE name_id = NEW.name_id)
  WHERE id = NEW.id;
  RETURN NULL;
END $$;
-- What is copied from another catalog has its own.
CREATE TRIGGER notes_kept AFTER INSERT ON dropped FOR EACH ROW WHEN (NEW.notes IS NULL) EXECUTE FUNCTION keep_notes();

CREATE FUNCTION end_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notes WHERE name_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_ended AFTER UPDATE OF newest ON names FOR EACH ROW
  WHEN (NEW.newest IS NULL AND OLD.newest IS NOT NULL) EXECUTE FUNCTION end_notes();
