-- runs-with: 6
-- Numbers by which PostgreSQL's catalogs name frames and tenants. Names get theirs when a client first asks for the catalogs.

-- Clients keep them, some as signed numbers of 32 bits; none is given twice, also not after a drop.
CREATE SEQUENCE relation_oid AS integer MINVALUE 16384 NO CYCLE;
CREATE TABLE relation_oids (
  tenant text NOT NULL,
  lower text NOT NULL,
  oid integer NOT NULL DEFAULT nextval('relation_oid') UNIQUE,
  PRIMARY KEY (tenant, lower)
);
ALTER SEQUENCE relation_oid OWNED BY relation_oids.oid;
CREATE FUNCTION forget_relation_oid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM relation_oids WHERE tenant = NEW.tenant AND lower = NEW.lower;
  RETURN NULL;
END $$;
CREATE TRIGGER names_ended AFTER UPDATE OF newest ON names FOR EACH ROW
  WHEN (NEW.newest IS NULL AND OLD.newest IS NOT NULL) EXECUTE FUNCTION forget_relation_oid();
