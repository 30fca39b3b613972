-- runs-with: 1
-- Versions that are served as one file, and the objects that such a file is made of. The collector of a server of the release before does not know
-- them: until it is replaced, a file may have to be made anew, with another ETag.

CREATE TABLE file_layouts (
  name_id bigint NOT NULL REFERENCES names (id),
  version bigint NOT NULL,
  etag text NOT NULL COLLATE "C",
  bytes bigint NOT NULL,
  used_at bigint NOT NULL,
  pieces bytea NOT NULL,
  PRIMARY KEY (name_id, version)
);
CREATE INDEX file_layouts_used ON file_layouts (used_at);

-- These objects stay, whether or not a part still has them. `own`: no part ever had it.
CREATE TABLE file_objects (
  name_id bigint NOT NULL,
  version bigint NOT NULL,
  seq bigint NOT NULL,
  key text NOT NULL COLLATE "C",
  bytes bigint NOT NULL,
  sha256 text NOT NULL COLLATE "C",
  own boolean NOT NULL,
  PRIMARY KEY (name_id, version, seq),
  FOREIGN KEY (name_id, version) REFERENCES file_layouts (name_id, version) ON DELETE CASCADE
);
CREATE INDEX file_objects_key ON file_objects (key);
