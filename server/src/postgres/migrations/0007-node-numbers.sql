-- runs-with: 6
-- A number for each start of a node: connections of PostgreSQL's clients are numbered with it, so that any node knows whose a connection is.

-- Far more nodes than one catalog carries; a number comes again long after its node has gone.
CREATE SEQUENCE node_numbers MINVALUE 1 MAXVALUE 2047 CYCLE;
ALTER TABLE nodes ADD COLUMN number integer;
