-- runs-with: 6
-- Names for versions. Older servers go on beside this: they see that a version is pinned; tags of what they drop are not shown, and forgotten later.
CREATE TABLE tags (
  name_id bigint NOT NULL REFERENCES names (id),
  tag text NOT NULL COLLATE "C",
  version bigint NOT NULL,
  set_at bigint NOT NULL,
  set_by text NOT NULL,
  PRIMARY KEY (name_id, tag)
);

CREATE OR REPLACE VIEW version_pins AS
  SELECT l.name_id, l.version, 'link' AS kind, l.expires_at AS until
    FROM links l JOIN names n ON n.id = l.name_id AND n.life = l.life WHERE l.revoked_at IS NULL
  UNION ALL SELECT name_id, version, 'file', used_at + 600000 FROM file_layouts
  UNION ALL SELECT name_id, version, kind, until FROM job_pins
  UNION ALL SELECT name_id, version, 'tag', 8640000000000000 FROM tags;
