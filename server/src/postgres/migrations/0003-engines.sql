-- runs-with: 1
-- Statements run on one of several engines. Servers of the release before have one, the default.

ALTER TABLE running_queries ADD COLUMN engine text NOT NULL COLLATE "C" DEFAULT 'duckdb';
ALTER TABLE history ADD COLUMN engine text NOT NULL COLLATE "C" DEFAULT 'duckdb';
