-- The tables that every client reads, as a real PostgreSQL holds them. `tables.py` has the same rows in Arrow.
CREATE TABLE every_type (
  id int4, flag bool, small int2, whole int4, large int8, single float4, precise float8, amount numeric(18, 4), huge numeric(38, 0),
  label text, data bytea, day date, moment timestamp, instant timestamptz, clock time, numbers int4[], labels text[]
);
INSERT INTO every_type VALUES
  (1, true, 1, 2, 3, 1.5, 2.25, 12345.6789, 170141183460469231731687303715884105, 'plain', '\xdead', '2024-02-29',
   '2024-02-29 12:30:00.123456', '2024-02-29 12:30:00+00', '12:30:00.5', '{1,2,3}', '{a,b}'),
  (2, false, -32768, -2147483648, -9223372036854775808, -3.4028235e38, 2.2250738585072014e-308, -99999999999999.9999,
   99999999999999999999999999999999999999, E'é"\\,{}\tNULL', '\x00ff0a', '0001-01-01', '9999-12-31 23:59:59.999999',
   '0001-01-01 00:00:00+00', '23:59:59.999999', '{-2147483648,NULL,2147483647}', E'{"",NULL,"NULL","a b","q\\"\\\\z"}'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, false, 0, 0, 0, 'NaN', '-Infinity', 0, 0, '', '', '1969-12-31', '2000-01-01', '2000-01-01 00:00:00+00', '00:00:00', '{}', '{}');

CREATE TABLE trades (id int8, symbol text, price float8, size int4, traded_at timestamp);
INSERT INTO trades
  SELECT i, (array['ACME', 'GLOB', 'INIT', 'UMBR'])[1 + i % 4], 100 + (i * 37 % 1000) / 8.0,
         CASE WHEN i % 10 = 0 THEN NULL ELSE i % 100 END, timestamp '2024-01-01' + i * interval '1 minute'
  FROM generate_series(1, 1000) i;

-- A name that must be quoted.
CREATE TABLE "Daily-Sales" ("Region" text, "Total" numeric(10, 2));
INSERT INTO "Daily-Sales" VALUES ('north', 10.50), ('south', NULL);

-- What people say of them. Framehold is sent the same statements.
COMMENT ON TABLE trades IS 'Trades of a day';
COMMENT ON COLUMN trades.price IS 'What the ''taker'' has paid, in USD';
COMMENT ON COLUMN "Daily-Sales"."Total" IS $$Größe in €, without "returns"$$;
