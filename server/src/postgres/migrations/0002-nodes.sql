-- runs-with: 1
-- What nodes share beside the catalog: credentials, limits, keys of links, who is alive, statements under way, prepared statements.

CREATE TABLE credentials (
  id text PRIMARY KEY COLLATE "C",
  kind text NOT NULL COLLATE "C",
  secret_hash bytea,
  subject text COLLATE "C",
  tenant text NOT NULL COLLATE "C",
  name text NOT NULL,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint
);

CREATE TABLE tenant_limits (
  tenant text NOT NULL COLLATE "C",
  name text NOT NULL COLLATE "C",
  value bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);

-- Links name the key that they were signed with. `signs_from` is some seconds after a key was made, so that all nodes know it before one uses it.
CREATE TABLE link_keys (
  id text PRIMARY KEY COLLATE "C",
  bytes bytea NOT NULL,
  signs_from bigint NOT NULL
);

-- One row; each number grows with every change of its table. Nodes read this row several times a second and the tables only after a change.
CREATE TABLE access_marks (
  id smallint PRIMARY KEY CHECK (id = 1),
  credentials bigint NOT NULL,
  limits bigint NOT NULL,
  link_keys bigint NOT NULL
);
INSERT INTO access_marks VALUES (1, 1, 1, 1);

CREATE FUNCTION count_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE access_marks SET
    credentials = credentials + (TG_TABLE_NAME = 'credentials')::int,
    limits = limits + (TG_TABLE_NAME = 'tenant_limits')::int,
    link_keys = link_keys + (TG_TABLE_NAME = 'link_keys')::int;
  RETURN NULL;
END $$;
CREATE TRIGGER credentials_changed AFTER INSERT OR UPDATE OR DELETE ON credentials
  FOR EACH STATEMENT EXECUTE FUNCTION count_access_change();
CREATE TRIGGER tenant_limits_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_limits
  FOR EACH STATEMENT EXECUTE FUNCTION count_access_change();
CREATE TRIGGER link_keys_changed AFTER INSERT OR UPDATE OR DELETE ON link_keys
  FOR EACH STATEMENT EXECUTE FUNCTION count_access_change();

-- UNLOGGED tables are empty after a crash of the database. Their nodes write them again within seconds.
-- `run` is another one at every start of a node.
CREATE UNLOGGED TABLE nodes (
  id text PRIMARY KEY COLLATE "C",
  run text NOT NULL COLLATE "C",
  advertised_url text,
  http_url text,
  release text NOT NULL,
  migration integer NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL
);

-- Statements that have waited or run for a moment. Tenants choose ids, and a node knows only those of its own statements: so two nodes may have the same one.
CREATE UNLOGGED TABLE running_queries (
  node text NOT NULL COLLATE "C",
  tenant text NOT NULL COLLATE "C",
  id text NOT NULL COLLATE "C",
  sql text NOT NULL,
  state text NOT NULL COLLATE "C",
  rows bigint NOT NULL,
  progress double precision,
  started_at bigint NOT NULL,
  is_cancelled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (node, tenant, id)
);
CREATE INDEX running_queries_id ON running_queries (id);

CREATE UNLOGGED TABLE failed_queries (
  tenant text NOT NULL COLLATE "C",
  id text NOT NULL COLLATE "C",
  started_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  rows bigint NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX failed_queries_id ON failed_queries (id);
CREATE INDEX failed_queries_ended ON failed_queries (ended_at);

-- `change` counts what was bound and described, so that a node knows whether its copy is right.
CREATE TABLE prepared_statements (
  handle text PRIMARY KEY COLLATE "C",
  tenant text NOT NULL COLLATE "C",
  sql text NOT NULL,
  is_query boolean NOT NULL,
  schema bytea,
  parameter_schema bytea NOT NULL,
  parameters bytea,
  bytes bigint NOT NULL,
  described_at bigint NOT NULL,
  used_at bigint NOT NULL,
  change bigint NOT NULL DEFAULT 1
);
CREATE INDEX prepared_statements_used ON prepared_statements (used_at);
