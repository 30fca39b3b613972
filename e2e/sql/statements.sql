-- One statement a line, over the frames of python/sql_tables.py. Rows are compared in order where the statement orders them.

-- plain
SELECT 1;
SELECT * FROM customers;
SELECT * FROM orders;
SELECT * FROM ticks;
SELECT * FROM nothing;
SELECT * FROM nulls;
SELECT * FROM documents;
SELECT id, name FROM customers ORDER BY id LIMIT 10 OFFSET 5;
SELECT * EXCLUDE (balance, since) FROM customers ORDER BY id;
SELECT * REPLACE (upper(name) AS name) FROM customers ORDER BY id;
SELECT COLUMNS('^[a-c].*') FROM customers ORDER BY id;
SELECT ID, Name FROM Customers WHERE iD = 7;
SELECT c.id AS "Quoted Name", c.name AS "a""b" FROM framehold.main.customers c ORDER BY 1 LIMIT 3;
SELECT id FROM main.customers ORDER BY id DESC LIMIT 3;
SELECT DISTINCT city FROM customers;
SELECT DISTINCT ON (segment) segment, id FROM customers ORDER BY segment, id;
SELECT * FROM customers WHERE name IS NULL ORDER BY id;
SELECT id FROM customers WHERE city = 'Zürich' AND balance > 0 ORDER BY id;
SELECT id FROM customers WHERE balance BETWEEN -100.5 AND 2000.25 ORDER BY id;
SELECT id FROM customers WHERE segment IN ('gold', 'bronze') AND vip ORDER BY id;
SELECT id FROM customers WHERE city NOT IN ('東京', '') ORDER BY id;
SELECT id, city IS DISTINCT FROM 'Zürich' AS other FROM customers ORDER BY id;
SELECT id, CASE WHEN balance < 0 THEN 'owes' WHEN balance IS NULL THEN 'unknown' ELSE 'fine' END AS state FROM customers ORDER BY id;
SELECT id, coalesce(name, city, 'nobody') AS label, nullif(city, '') AS city FROM customers ORDER BY id;
SELECT id, ifnull(balance, 0) AS balance, greatest(id, referrer) AS g, least(id, referrer, 10) AS l FROM customers ORDER BY id;
SELECT customers FROM customers ORDER BY customers.id LIMIT 5;
SELECT rank FROM (VALUES (1, 'a'), (2, NULL), (NULL, 'c')) t(rank, letter) ORDER BY rank NULLS FIRST;
VALUES (1, 'a', 1.5), (2, NULL, 2.25);
FROM customers SELECT count(*);
FROM nothing;
TABLE nothing;
SELECT id FROM orders ORDER BY amount DESC NULLS LAST, id LIMIT 20;
SELECT id FROM orders ORDER BY status NULLS FIRST, placed DESC NULLS LAST, id LIMIT 50;
SELECT id, placed FROM orders WHERE placed >= TIMESTAMP '2024-03-01' ORDER BY placed, id LIMIT 25;
SELECT count(*) FROM orders WHERE paid > TIMESTAMPTZ '2024-06-01 00:00:00+02';
SELECT id FROM customers USING SAMPLE 100 PERCENT ORDER BY id;
SELECT NULL;
SELECT NULL AS a, NULL::INTEGER AS b, NULL::VARCHAR AS c, NULL::TIMESTAMP AS d, NULL::DECIMAL(38,5) AS e, NULL::INTEGER[] AS f;
SELECT true AND NULL AS a, false AND NULL AS b, true OR NULL AS c, NOT NULL::BOOLEAN AS d;
SELECT 'it''s' AS a, '' AS b, 'tab	here' AS c, E'line\nbreak' AS d;

-- joins
SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer = c.id ORDER BY o.id;
SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id ORDER BY o.id;
SELECT o.id, c.id FROM orders o RIGHT JOIN customers c ON o.customer = c.id ORDER BY c.id, o.id;
SELECT o.id, c.id FROM orders o FULL JOIN customers c ON o.customer = c.id ORDER BY o.id NULLS LAST, c.id;
SELECT count(*) FROM orders, customers;
SELECT a.id, b.id FROM customers a JOIN customers b ON a.referrer = b.id ORDER BY a.id;
SELECT count(*) FROM customers a JOIN customers b USING (city);
SELECT count(*) FROM customers a NATURAL JOIN (SELECT id, segment FROM customers) b;
SELECT c.id FROM customers c SEMI JOIN orders o ON o.customer = c.id ORDER BY c.id;
SELECT c.id FROM customers c ANTI JOIN orders o ON o.customer = c.id AND o.status = 'paid' ORDER BY c.id;
SELECT c.id FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND o.quantity > 48) ORDER BY c.id;
SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT customer FROM orders WHERE customer IS NOT NULL) ORDER BY c.id;
SELECT c.id, (SELECT max(amount) FROM orders o WHERE o.customer = c.id) AS largest FROM customers c ORDER BY c.id;
SELECT c.id, l.id AS latest FROM customers c, LATERAL (SELECT o.id FROM orders o WHERE o.customer = c.id ORDER BY o.id DESC LIMIT 1) l ORDER BY c.id;
SELECT count(*) FROM customers a JOIN customers b ON a.balance < b.balance AND a.id > b.id;
SELECT o.id, t.price FROM orders o ASOF JOIN ticks t ON o.placed >= t.moment WHERE t.symbol IS NOT NULL ORDER BY o.id LIMIT 200;
SELECT o.id, t.moment FROM (SELECT id, TIMESTAMP '2024-01-01' + INTERVAL (id) SECOND AS w FROM orders WHERE id < 50) o ASOF LEFT JOIN ticks t ON o.w >= t.moment ORDER BY o.id;
SELECT a.n, b.n FROM nothing a FULL JOIN nulls b ON a.n = b.n;
SELECT a.id, b.id, c.id FROM customers a JOIN customers b ON b.id = a.referrer JOIN customers c ON c.id = b.referrer ORDER BY a.id LIMIT 40;
SELECT count(*) FROM orders o JOIN customers c ON o.customer = c.id OR o.id = c.id;
SELECT a.id, b.id FROM customers a POSITIONAL JOIN customers b WHERE a.id = b.id ORDER BY a.id LIMIT 5;

-- aggregates
SELECT count(*), count(name), count(DISTINCT city) FROM customers;
SELECT sum(amount), avg(amount), min(amount), max(amount) FROM orders;
SELECT sum(quantity), avg(quantity), min(quantity), max(quantity) FROM orders;
SELECT sum(weight), min(weight), max(weight), fsum(weight) FROM orders;
SELECT sum(id), sum(id::HUGEINT), sum(id * 1000000007) FROM orders;
SELECT min(placed), max(placed), min(paid), max(paid) FROM orders;
SELECT status, count(*) AS n, sum(amount) AS total FROM orders GROUP BY status ORDER BY status;
SELECT status, quantity, count(*) FROM orders GROUP BY ALL;
SELECT city, segment, sum(balance) FROM customers GROUP BY ROLLUP (city, segment);
SELECT city, segment, count(*) FROM customers GROUP BY CUBE (city, segment);
SELECT city, segment, count(*), grouping(city, segment) FROM customers GROUP BY GROUPING SETS ((city), (segment), ());
SELECT customer, count(*) AS n FROM orders GROUP BY customer HAVING count(*) > 15 ORDER BY n DESC, customer;
SELECT status, count(*) FILTER (WHERE quantity > 25) AS many, count(*) FILTER (quantity <= 25) AS few FROM orders GROUP BY status ORDER BY status;
SELECT status, string_agg(quantity::VARCHAR, ',' ORDER BY id) FROM orders WHERE id < 60 GROUP BY status ORDER BY status;
SELECT segment, list(id ORDER BY id) FROM customers GROUP BY segment ORDER BY segment;
SELECT segment, array_agg(name ORDER BY id) FROM customers WHERE id < 40 GROUP BY segment ORDER BY segment;
SELECT segment, list(DISTINCT city ORDER BY city) FROM customers GROUP BY segment ORDER BY segment;
SELECT segment, first(id ORDER BY id), last(id ORDER BY id), any_value(segment) FROM customers GROUP BY segment ORDER BY segment;
SELECT arg_min(id, balance), arg_max(id, balance), min_by(name, id), max_by(name, id) FROM customers;
SELECT median(quantity), quantile_cont(quantity, 0.25), quantile_disc(quantity, [0.1, 0.5, 0.9]) FROM orders;
SELECT mode(quantity % 2), approx_count_distinct(1) FROM orders;
SELECT bool_and(vip), bool_or(vip), bit_and(id), bit_or(id), bit_xor(id) FROM customers;
SELECT product(n::DOUBLE) FROM range(1, 15) t(n);
SELECT stddev_samp(quantity), var_pop(quantity), skewness(quantity), kurtosis(quantity) FROM orders;
SELECT corr(quantity, weight), covar_pop(quantity, weight), regr_slope(quantity, weight), regr_r2(quantity, weight) FROM orders;
SELECT histogram(quantity % 5) FROM orders;
SELECT max(name, 3), min(id, 4) FROM customers;
SELECT count(*), sum(n), avg(n), min(t), max(d), list(n) FROM nulls;
SELECT count(*), sum(n), avg(n), min(t), string_agg(t, ',') FROM nothing;
SELECT t, count(*) FROM nothing GROUP BY t;
SELECT date_trunc('month', placed) AS month, count(*), sum(amount) FROM orders GROUP BY month ORDER BY month;
SELECT time_bucket(INTERVAL '1 minute', moment) AS m, symbol, first(price ORDER BY moment), max(price), min(price), sum(size) FROM ticks GROUP BY m, symbol ORDER BY m, symbol;
SELECT entropy(quantity % 3) FROM orders;
SELECT sum(d18), sum(d38) FILTER (WHERE id > 3), max(d38), min(d38i), avg(d4) FROM edges;
SELECT sum(u8), sum(u16), sum(u32), sum(u64), sum(i8), sum(i16), sum(i32) FROM edges;
SELECT min(i64), max(i64), min(u64), max(u64), sum(i64) FROM edges;
SELECT min(f64), max(f64), min(f32), max(f32), count(f64) FROM edges;
SELECT min(text), max(text), count(DISTINCT text), min(bytes), max(bytes) FROM edges;
SELECT sum(CASE WHEN vip THEN 1 ELSE 0 END), count_if(vip) FROM customers;
SELECT geomean(n), weighted_avg(n, n) FROM range(1, 6) t(n);

-- windows
SELECT id, row_number() OVER (ORDER BY id) AS n FROM customers ORDER BY id;
SELECT id, rank() OVER (ORDER BY city) AS r, dense_rank() OVER (ORDER BY city) AS d FROM customers ORDER BY id;
SELECT id, percent_rank() OVER (ORDER BY id) AS p, cume_dist() OVER (ORDER BY id) AS c, ntile(7) OVER (ORDER BY id) AS n FROM customers ORDER BY id;
SELECT id, lag(id) OVER (ORDER BY id) AS a, lead(id, 2, -1) OVER (ORDER BY id) AS b FROM customers ORDER BY id;
SELECT id, first_value(name) OVER w AS f, last_value(name) OVER w AS l, nth_value(name, 2) OVER w AS n FROM customers WINDOW w AS (PARTITION BY segment ORDER BY id) ORDER BY id;
SELECT id, sum(balance) OVER (PARTITION BY segment ORDER BY id) AS running FROM customers ORDER BY id;
SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) AS s FROM orders ORDER BY id LIMIT 300;
SELECT moment, symbol, avg(size) OVER (PARTITION BY symbol ORDER BY moment RANGE BETWEEN INTERVAL 10 SECOND PRECEDING AND CURRENT ROW) AS a FROM ticks ORDER BY moment LIMIT 300;
SELECT id, count(*) OVER (PARTITION BY city ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS n FROM customers ORDER BY id;
SELECT id, lag(name IGNORE NULLS) OVER (ORDER BY id) AS earlier FROM customers ORDER BY id;
SELECT id, segment FROM customers QUALIFY row_number() OVER (PARTITION BY segment ORDER BY balance DESC NULLS LAST, id) <= 3 ORDER BY segment, id;
SELECT id, amount - lag(amount) OVER (PARTITION BY customer ORDER BY id) AS change FROM orders ORDER BY id LIMIT 500;
SELECT id, list(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS last3 FROM customers ORDER BY id LIMIT 20;
SELECT id, max(placed) OVER (ORDER BY id) AS latest FROM orders ORDER BY id LIMIT 200;
SELECT id, count(DISTINCT city) OVER (ORDER BY id ROWS 20 PRECEDING) AS n FROM customers ORDER BY id;
SELECT id, sum(quantity) FILTER (WHERE status = 'paid') OVER (ORDER BY id) AS s FROM orders ORDER BY id LIMIT 100;
SELECT n, row_number() OVER () FROM nulls;

-- common table expressions, subqueries, set operations
WITH a AS (SELECT id FROM customers WHERE vip), b AS (SELECT id FROM a WHERE id > 50) SELECT count(*) FROM b;
WITH RECURSIVE f(n, a, b) AS (SELECT 1, 0::HUGEINT, 1::HUGEINT UNION ALL SELECT n + 1, b, a + b FROM f WHERE n < 150) SELECT n, a FROM f ORDER BY n;
WITH RECURSIVE up(id, depth) AS (SELECT 200, 0 UNION ALL SELECT c.referrer, depth + 1 FROM up JOIN customers c ON c.id = up.id WHERE c.referrer IS NOT NULL) SELECT * FROM up ORDER BY depth;
WITH RECURSIVE seen(n) AS (SELECT 1 UNION SELECT n % 7 + 1 FROM seen) SELECT n FROM seen ORDER BY n;
WITH t AS MATERIALIZED (SELECT customer, sum(amount) AS s FROM orders GROUP BY customer) SELECT * FROM t WHERE s > (SELECT avg(s) FROM t) ORDER BY customer;
WITH customers AS (SELECT 1 AS id) SELECT * FROM customers;
SELECT id FROM customers WHERE id < 5 UNION SELECT id FROM customers WHERE id < 8;
SELECT id FROM customers WHERE id < 5 UNION ALL SELECT id FROM customers WHERE id < 8;
SELECT city FROM customers INTERSECT SELECT city FROM customers WHERE vip;
SELECT id FROM customers EXCEPT SELECT customer FROM orders;
SELECT city FROM customers INTERSECT ALL SELECT city FROM customers WHERE id > 50;
SELECT city FROM customers EXCEPT ALL SELECT city FROM customers WHERE id > 50;
SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS c;
SELECT 1 AS a UNION ALL SELECT 2.5 UNION ALL SELECT NULL ORDER BY a;
(SELECT id FROM customers ORDER BY id LIMIT 3) UNION ALL (SELECT id FROM customers ORDER BY id DESC LIMIT 3);
SELECT * FROM (SELECT id, balance FROM customers WHERE balance > (SELECT avg(balance) FROM customers)) ORDER BY id;
SELECT id = ANY (SELECT referrer FROM customers) AS a FROM customers ORDER BY id LIMIT 30;
SELECT id > ALL (SELECT referrer FROM customers WHERE referrer < 5) AS a FROM customers ORDER BY id LIMIT 30;
SELECT ARRAY(SELECT id FROM customers ORDER BY id LIMIT 5) AS ids;

-- pivots
PIVOT orders ON status IN ('new', 'paid', 'shipped') USING sum(quantity) GROUP BY customer ORDER BY customer;
PIVOT (SELECT segment, city, balance FROM customers) ON segment IN ('gold', 'silver') USING sum(balance) AS total, count(*) AS n GROUP BY city ORDER BY city;
SELECT * FROM (PIVOT (SELECT symbol, price, date_trunc('minute', moment) AS minute FROM ticks) ON symbol IN ('AAA', 'BBB', 'CCC') USING max(price) GROUP BY minute) ORDER BY 1;
UNPIVOT (SELECT id, i8::BIGINT AS i8, i16::BIGINT AS i16, i32::BIGINT AS i32 FROM edges) ON i8, i16, i32 INTO NAME kind VALUE value ORDER BY id, kind;
SELECT * FROM (SELECT id, u8::UINTEGER AS a, u16::UINTEGER AS b FROM edges) UNPIVOT INCLUDE NULLS (value FOR kind IN (a, b)) ORDER BY id, kind;

-- integers and hugeint
SELECT * FROM edges ORDER BY id;
SELECT id, i64 FROM edges WHERE i64 IN (9223372036854775807, -9223372036854775808) ORDER BY id;
SELECT i64::HUGEINT * 4 AS a, u64::HUGEINT + 1 AS b, -u64::HUGEINT AS c FROM edges ORDER BY id;
SELECT 99999999999999999999999999999999999999::HUGEINT AS a, -99999999999999999999999999999999999999::HUGEINT AS b;
SELECT sum(n::HUGEINT * 1000000000000000000) FROM range(100) t(n);
SELECT 18446744073709551615::UBIGINT AS a, 9223372036854775807 AS b, (-9223372036854775807 - 1) AS c;
SELECT i8 + i16::INTEGER AS a, i16 * 2::INTEGER AS b, i32 // 3 AS c, i32 % 7 AS d, -i16 AS e FROM edges WHERE id <> 2 ORDER BY id;
SELECT i8 & 15 AS a, i16 | 1 AS b, xor(i32, 255) AS c, ~i8 AS d, u8 << 2 AS e FROM edges WHERE u8 < 20 ORDER BY id;
SELECT i64 / 2 AS a, i64 // 2 AS b, try_cast(i64 AS INTEGER) AS c, try_cast(i64 AS UBIGINT) AS d FROM edges ORDER BY id;
SELECT i8::SMALLINT AS a, i16::INTEGER AS b, i32::BIGINT AS c, u32::BIGINT AS d, u64::VARCHAR AS e FROM edges ORDER BY id;
SELECT typeof(i8), typeof(u64), typeof(d38), typeof(f32), typeof(text), typeof(bytes) FROM edges LIMIT 1;
SELECT abs(i32 + 1) AS a, sign(i64) AS b, gcd(i16, 12) AS c, lcm(u8::INTEGER, 6) AS d, factorial(10) AS e FROM edges WHERE id > 3 ORDER BY id;
SELECT bin(u8) AS a, hex(u32) AS b, to_base(u16::BIGINT, 36) AS c, bit_count(i8) AS d FROM edges ORDER BY id;
SELECT 7 // 2, -7 // 2, 7 % -3, -7 % 3, 2 ** 10, 10 / 4;
SELECT 255::UTINYINT AS a, 65535::USMALLINT AS b, 4294967295::UINTEGER AS c, (-128)::TINYINT AS d;

-- decimals
SELECT d4, d18, d38, d38i FROM edges ORDER BY id;
SELECT d4 + d18::DECIMAL(24, 6) AS a, d4 * d4 AS b, d18::DECIMAL(24, 6) - d4 AS c, -d38 AS d FROM edges ORDER BY id;
SELECT d4 / 3 AS a, d18::DECIMAL(20, 2) AS b, round(d18, 3) AS c, trunc(d4) AS d, ceil(d4) AS e, floor(d4) AS f FROM edges ORDER BY id;
SELECT 0.1 + 0.2 AS a, 0.1::DOUBLE + 0.2::DOUBLE AS b, 1.10::DECIMAL(5,2) * 1.10::DECIMAL(5,2) AS c;
SELECT '1234567890.0123456789'::DECIMAL(38, 28) AS a, '-0.0000000000000000000000000001'::DECIMAL(38, 28) AS b;
SELECT '99999999999999999999999999999999999999'::DECIMAL(38, 0) AS a, '0.99999999999999999999999999999999999999'::DECIMAL(38, 38) AS b;
SELECT 1::DECIMAL(4,0) AS a, 1::DECIMAL(9,4) AS b, 1::DECIMAL(18,9) AS c, 1::DECIMAL(19,9) AS d, 1::DECIMAL(38,37) AS e;
SELECT sum(amount) / count(amount) AS a, sum(amount * quantity) AS b, avg(amount::DECIMAL(38, 10)) AS c FROM orders;
SELECT balance, balance::DOUBLE AS d, balance::INTEGER AS i, balance::VARCHAR AS v FROM customers ORDER BY id;
SELECT try_cast('12.345' AS DECIMAL(4, 2)) AS a, try_cast('123.4' AS DECIMAL(4, 2)) AS b, '1e3'::DECIMAL(10, 1) AS c;
SELECT abs(d38) AS a, d38i % 7 AS b, greatest(d38, 0) AS c FROM edges ORDER BY id;

-- floats
SELECT id, f32, f64 FROM edges ORDER BY f64, id;
SELECT f64 = f64 AS a, isnan(f64) AS b, isinf(f64) AS c, isfinite(f64) AS d, f64 > 'infinity'::DOUBLE AS e FROM edges ORDER BY id;
SELECT 'nan'::DOUBLE AS a, 'infinity'::DOUBLE AS b, '-infinity'::DOUBLE AS c, '-0'::DOUBLE AS d, 'nan'::FLOAT AS e;
SELECT 1e308 * 10 AS a, 1 / 3::DOUBLE AS b, 5e-324 AS c, 123456789012345680.0::DOUBLE AS d, 0.1::FLOAT AS e, 16777217::FLOAT AS f;
SELECT sqrt(2), cbrt(27), exp(1), ln(10), log2(8), log10(1000), pi(), sin(1), cos(1), tan(1), atan2(1, 2), degrees(pi()), radians(180);
SELECT round(2.5::DOUBLE), round(-2.5::DOUBLE), round(1234.5678::DOUBLE, -2), even(3.2), trunc(-1.7::DOUBLE), ceil(1.2::DOUBLE), floor(-1.2::DOUBLE);
SELECT 1::DOUBLE / 0 AS a, -1::DOUBLE / 0 AS b, 0::DOUBLE / 0 AS c, 1 / 0 AS d, 1 % 0 AS e, 1 // 0 AS f;
SELECT f32::DOUBLE AS a, f64::VARCHAR AS b, try_cast(f64 AS INTEGER) AS c, f32::VARCHAR AS d FROM edges ORDER BY id;
SELECT n, n::DOUBLE / 7 AS d, (n::DOUBLE / 7)::FLOAT AS f FROM range(-50, 50) t(n) ORDER BY n;

-- strings
SELECT id, text, length(text) AS n, strlen(text) AS bytes, length_grapheme(text) AS g FROM edges ORDER BY id;
SELECT upper(text) AS a, lower(text) AS b, reverse(text) AS c, trim(text) AS d, md5(text) AS e FROM edges ORDER BY id;
SELECT name || ' / ' || city AS a, concat(name, city) AS b, concat_ws('-', name, city, segment) AS c FROM customers ORDER BY id;
SELECT substring(name, 3, 5) AS a, name[1:4] AS b, left(name, 2) AS c, right(name, 3) AS d, name[-1] AS e FROM customers ORDER BY id;
SELECT replace(name, 'Customer', 'C') AS a, translate(name, '0123', 'abcd') AS b, lpad(id::VARCHAR, 6, '0') AS c, rpad(city, 4, '.') AS d FROM customers ORDER BY id;
SELECT id FROM customers WHERE name LIKE '%1_' ORDER BY id;
SELECT id FROM customers WHERE name ILIKE 'CUSTOMER #0%' AND name NOT LIKE '%5' ORDER BY id;
SELECT id FROM edges WHERE text LIKE '\%\_' ESCAPE '\' ORDER BY id;
SELECT id FROM customers WHERE name SIMILAR TO 'Customer #[0-4].*' ORDER BY id;
SELECT id FROM customers WHERE name GLOB 'Customer #1*' ORDER BY id;
SELECT starts_with(city, 'Z') AS a, suffix(city, 'o') AS b, contains(city, ' ') AS c, position('o' IN city) AS d, instr(city, '京') AS e FROM customers ORDER BY id;
SELECT split(name, ' ') AS a, string_split_regex(name, '[ #]+') AS b, split_part(name, '#', 2) AS c FROM customers ORDER BY id;
SELECT ascii('A'), chr(8364), unicode('😀'), repeat('ab', 3), format('{}-{:05d}', 'x', 42), printf('%s %.2f', 'y', 1.5), strip_accents('Zürich');
SELECT levenshtein('kitten', 'sitting'), hamming('abc', 'abd'), jaccard('duck', 'luck'), jaro_similarity('duck', 'duke');
SELECT base64('abc'::BLOB), from_base64('YWJj'), hex('ü'), unhex('c3bc'), encode('ü'), decode('\xC3\xBC'::BLOB), sha256('abc');
SELECT text COLLATE NOCASE FROM edges ORDER BY text COLLATE NOCASE NULLS FIRST, id;
SELECT text FROM edges ORDER BY text NULLS FIRST;
SELECT string_agg(DISTINCT city, '|' ORDER BY city) FROM customers;
SELECT repeat('x', 100000) AS long, length(repeat('😀', 5000)) AS n;
SELECT repeat(chr(97 + (n % 26)::INTEGER), (n % 40)::INTEGER) AS s FROM range(3000) t(n) ORDER BY n;
SELECT nfc_normalize('é') = 'é' AS a, 'é' = 'é' AS b, bar(5, 0, 10, 10) AS c;
SELECT url_encode('a b&c/ü'), url_decode('a%20b'), parse_filename('/x/y.csv'), trim('xxabcxx', 'x');

-- regular expressions
SELECT regexp_matches(name, '#0[0-9]+') AS a, regexp_full_match(name, 'C.*') AS b FROM customers ORDER BY id;
SELECT regexp_replace(name, '(\w+) #(\d+)', '\2 \1') AS a, regexp_replace(name, '[aeiou]', '*', 'g') AS b FROM customers ORDER BY id;
SELECT regexp_extract(name, '#(\d)(\d)(\d)', 2) AS a, regexp_extract_all(name, '\d') AS b FROM customers ORDER BY id;
SELECT regexp_extract('2024-02-29', '(\d+)-(\d+)-(\d+)', ['y', 'm', 'd']) AS parts;
SELECT regexp_split_to_array('a, b;c', '[,;] ?') AS a, 'Zürich' ~ 'Z.r.*' AS b, regexp_escape('a.b*c') AS c;

-- dates and times
SELECT * FROM moments ORDER BY id;
SELECT id, day, us, utc FROM moments WHERE id <> 4 ORDER BY us NULLS FIRST;
SELECT id, year(day) AS y, month(day) AS m, day(day) AS d, dayofweek(day) AS w, isodow(day) AS i, week(day) AS k, dayofyear(day) AS n, era(day) AS e FROM moments ORDER BY id;
SELECT id, extract(hour FROM us) AS h, extract(minute FROM us) AS m, extract(microseconds FROM us) AS u, date_part('epoch', us) AS e FROM moments ORDER BY id;
SELECT id, date_trunc('month', us) AS a, date_trunc('hour', us) AS b, date_trunc('year', day) AS c FROM moments ORDER BY id;
SELECT id, us::DATE AS a, us::TIME AS b, us::VARCHAR AS c, day::VARCHAR AS d, day::TIMESTAMP AS e FROM moments ORDER BY id;
SELECT id, utc::VARCHAR AS a, utc AT TIME ZONE 'America/New_York' AS b, us AT TIME ZONE 'Europe/Zurich' AS c FROM moments WHERE id NOT IN (2, 3, 4) ORDER BY id;
SELECT id, ms, ms::TIMESTAMP AS a, ns, ns::VARCHAR AS b, epoch_ns(ns) AS c FROM moments ORDER BY id;
SELECT id, epoch_us(us) AS a, epoch_ms(us) AS b, epoch(us) AS c, make_timestamp(epoch_us(us)) AS d FROM moments ORDER BY id;
SELECT id, strftime(us, '%Y-%m-%dT%H:%M:%S.%f') AS a, strftime(day, '%d.%m.%Y %A') AS b FROM moments WHERE id <> 4 ORDER BY id;
SELECT strptime('29.02.2024 12:34', '%d.%m.%Y %H:%M') AS a, try_strptime('x', '%Y') AS b, '2024-02-29 12:34:56.789012'::TIMESTAMP AS c;
SELECT DATE '9999-12-31' AS a, DATE '0001-01-01' AS b, DATE '0044-03-15 (BC)' AS c, DATE '2024-02-29' + 366 AS d, DATE '2024-03-01' - DATE '2023-03-01' AS e;
SELECT TIMESTAMP '9999-12-31 23:59:59.999999' AS a, TIMESTAMP '0001-01-01' AS b, TIMESTAMP '0044-03-15 (BC) 01:02:03' AS c, TIMESTAMP 'epoch' AS d;
SELECT TIMESTAMP '294247-01-10 04:00:54.775806' AS a, TIMESTAMP '290309-12-22 (BC) 00:00:00' AS b;
SELECT TIMESTAMPTZ '2024-03-31 02:30:00 Europe/Zurich' AS a, TIMESTAMPTZ '2024-07-01 12:00:00-07' AS b, '2024-01-01'::TIMESTAMPTZ AS c;
SELECT TIMESTAMP_S '2024-01-01 00:00:01' AS a, TIMESTAMP_MS '2024-01-01 00:00:00.123' AS b, TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS c;
SELECT TIME '00:00:00' AS a, TIME '23:59:59.999999' AS b, clock, clock + INTERVAL 1 HOUR AS d FROM moments ORDER BY id;
SELECT date_diff('day', placed, paid::TIMESTAMP) AS a, date_sub('hour', placed, paid::TIMESTAMP) AS b, age(paid::TIMESTAMP, placed) AS c FROM orders ORDER BY id LIMIT 200;
SELECT last_day(since) AS a, monthname(since) AS b, dayname(since) AS c, since + INTERVAL 1 MONTH AS d FROM customers ORDER BY id;
SELECT unnest(generate_series(TIMESTAMP '2024-01-31', TIMESTAMP '2024-06-30', INTERVAL 1 MONTH)) AS t ORDER BY t;
SELECT * FROM generate_series(DATE '2024-02-27', DATE '2024-03-02', INTERVAL 1 DAY) t(d) ORDER BY d;
SELECT make_date(2024, 2, 29) AS a, make_time(12, 34, 56.789012) AS b, make_timestamp(2024, 2, 29, 12, 34, 56.5) AS c, to_timestamp(1700000000) AS d;
SELECT isfinite(DATE 'infinity') AS a, DATE '2024-01-01' < DATE 'infinity' AS b, TIMESTAMP '-infinity' < TIMESTAMP '2024-01-01' AS c;
SELECT date_trunc('week', paid) AS w, count(*) FROM orders GROUP BY w ORDER BY w;

-- intervals
SELECT INTERVAL 1 YEAR AS a, INTERVAL '1 month 2 days 03:04:05.678901' AS b, INTERVAL '-5 days' AS c, INTERVAL 90 MINUTE AS d;
SELECT TIMESTAMP '2024-01-31' + INTERVAL 1 MONTH AS a, TIMESTAMP '2024-03-31' - INTERVAL 1 MONTH AS b, INTERVAL 1 DAY * 2 + INTERVAL 1 HOUR AS c;
SELECT id, us - TIMESTAMP '2000-01-01' AS a FROM moments ORDER BY id;
SELECT n, to_months(n::INTEGER) AS a, to_days(n::INTEGER) AS b, to_microseconds(n) AS c FROM range(-3, 4) t(n) ORDER BY n;
SELECT datepart('month', INTERVAL '14 months') AS a, INTERVAL 30 DAY = INTERVAL 1 MONTH AS b, (INTERVAL 36 HOUR)::VARCHAR AS c;

-- lists
SELECT id, numbers, words, grid, points FROM nested ORDER BY id;
SELECT id, len(numbers) AS n, numbers[1] AS a, numbers[-1] AS b, numbers[2:3] AS c, list_contains(numbers, 5) AS d FROM nested ORDER BY id;
SELECT id, unnest(numbers) AS n FROM nested ORDER BY id, n NULLS FIRST;
SELECT id, u.w FROM nested, unnest(words) u(w) ORDER BY id, w NULLS FIRST;
SELECT id, list_sort(numbers) AS a, list_reverse(words) AS b, list_distinct(numbers) IS NULL AS c, list_concat(words, ['!']) AS d FROM nested ORDER BY id;
SELECT id, list_transform(numbers, lambda x: x // 2) AS a, list_filter(numbers, lambda x: x > 0) AS b, [upper(w) FOR w IN words IF w <> ''] AS c FROM nested ORDER BY id;
SELECT id, list_min(numbers) AS a, list_max(numbers) AS b, list_aggregate(words, 'string_agg', '+') AS c, list_count(numbers) AS d FROM nested ORDER BY id;
SELECT list_reduce([1, 2, 3, 4], lambda a, b: a * b) AS a, range(5) AS b, generate_series(1, 10, 3) AS c, flatten([[1], [2, 3], []]) AS d;
SELECT list_zip([1, 2], ['a', 'b', 'c']) AS a, list_position(['x', 'y'], 'y') AS b, list_has_any([1, 2], [2, 3]) AS c, list_intersect([1, 2], [2, 3]) AS d;
SELECT [] AS a, [NULL] AS b, [[], [NULL]] AS c, [1, NULL, 3] AS d, ['a', NULL] AS e, [true, NULL, false] AS f;
SELECT [1, 2, 3]::INTEGER[3] AS a, array_value(1.5, 2.5) AS b, array_inner_product([1, 2]::FLOAT[2], [3, 4]::FLOAT[2]) AS c;
SELECT [DATE '2024-01-01', NULL] AS a, [TIMESTAMP '2024-01-01 00:00:01'] AS b, [1.25::DECIMAL(10,2), NULL] AS c, ['ab'::BLOB] AS d, [INTERVAL 1 DAY] AS e;
SELECT segment, list({'id': id, 'since': since} ORDER BY id) AS people FROM customers WHERE id < 30 GROUP BY segment ORDER BY segment;
SELECT n, range(n) AS r, [x::VARCHAR FOR x IN range(n)] AS s FROM range(200) t(n) ORDER BY n;

-- structs
SELECT id, point, point.x AS x, point['label'] AS l, deep FROM nested ORDER BY id;
SELECT {'a': 1, 'b': 'x', 'c': NULL, 'd': {'e': [1, 2]}} AS s;
SELECT struct_pack(x := 1, y := 'two') AS a, row(1, 'b') AS b, struct_insert({'a': 1}, b := 2.5) AS c, struct_extract({'k': 9}, 'k') AS d;
SELECT point.* FROM nested ORDER BY id;
SELECT unnest(deep) FROM nested ORDER BY id;
SELECT unnest(points, recursive := true) FROM nested ORDER BY id;
SELECT point = {'x': 1, 'label': 'one'} AS same, point IS NULL AS gone FROM nested ORDER BY id;
SELECT max(point), min(point), count(DISTINCT point) FROM nested;
SELECT {'n': n, 't': TIMESTAMP '2024-01-01' + INTERVAL (n) HOUR, 'd': (n / 4)::DECIMAL(8, 2)} AS s FROM range(100) t(n) ORDER BY n;

-- maps
SELECT id, tags, tags['a'] AS a, map_keys(tags) AS k, map_values(tags) AS v, cardinality(tags) AS n FROM nested ORDER BY id;
SELECT MAP {'x': 1, 'y': NULL} AS a, MAP {1: 'one', 2: 'two'} AS b, MAP() AS c, map_from_entries([('k', 1.5)]) AS d;
SELECT MAP {DATE '2024-01-01': [1, 2], DATE '2024-01-02': NULL} AS a, map_entries(MAP {'p': {'q': 1}}) AS b, map_concat(MAP {'a': 1}, MAP {'b': 2}) AS c;
SELECT map(['a', 'b'], [n, NULL]) AS m FROM range(50) t(n) ORDER BY n;

-- other types
SELECT '550e8400-e29b-41d4-a716-446655440000'::UUID AS a, NULL::UUID AS b;
SELECT 'happy'::ENUM('sad', 'ok', 'happy') AS a, NULL::ENUM('x', 'y') AS b;
SELECT (['sad', 'ok', 'happy'])[n % 3 + 1]::ENUM('sad', 'ok', 'happy') AS e FROM range(5000) t(n) ORDER BY n;
SELECT '\xAA\x00\xFF'::BLOB AS a, ''::BLOB AS b, bytes, octet_length(bytes) AS n, hex(bytes) AS h FROM edges ORDER BY id;
SELECT '10101'::BIT AS a, bit_count('1110'::BIT) AS b, bitstring('1', 9) AS c;
SELECT union_value(num := 1) AS a;
SELECT CASE WHEN n % 2 = 0 THEN union_value(num := n) ELSE union_value(num := n)::UNION(num BIGINT, str VARCHAR) END AS u FROM range(4) t(n) ORDER BY n;
SELECT (n % 2 = 0) AS b, CASE WHEN n % 3 = 0 THEN NULL ELSE n % 2 = 0 END AS c FROM range(3000) t(n) ORDER BY n;
SELECT TIMETZ '12:34:56.789+02' AS a, hash('x') AS h;

-- JSON
SELECT id, body::JSON AS j, json_valid(body) AS v, json_type(body::JSON) AS t FROM documents ORDER BY id;
SELECT id, body::JSON -> '$.a' AS a, body::JSON ->> '$.b[2].c' AS b, json_extract(body, '$.d') AS d, json_extract_string(body, 'a') AS e FROM documents ORDER BY id;
SELECT id, json_array_length(body::JSON) AS n, json_keys(body::JSON) AS k, json_exists(body, '$.d.e') AS x FROM documents ORDER BY id;
SELECT to_json({'a': 1, 'b': [NULL, 'x'], 'c': DATE '2024-01-01'}) AS a, json_object('k', 1.5) AS b, json_array(1, NULL, 'z') AS c, json_merge_patch('{"a":1}', '{"b":2}') AS d;
SELECT from_json('{"a": 1, "b": ["x"]}', '{"a": "INTEGER", "b": ["VARCHAR"]}') AS s, json_structure('{"a": [1, 2.5]}') AS t, json_group_array(7) AS g FROM customers;
SELECT j.key, j.value FROM json_each('{"a": 1, "b": [2]}') j ORDER BY j.key;
SELECT json_quote('a"b') AS a, '{"duck": [1, 2, 3]}'::JSON AS b, json_contains('[1, 2]', '1') AS c, json_value('{"a": "x"}', '$.a') AS d;

-- casts and conversions
SELECT try_cast('x' AS INTEGER) AS a, '42'::INTEGER AS b, 42::VARCHAR AS c, true::INTEGER AS d, 'yes'::BOOLEAN AS e, 1::BOOLEAN AS f;
SELECT '[1, 2]'::INTEGER[] AS a, '{"x": 1}'::STRUCT(x INTEGER) AS b, [1, 2]::VARCHAR AS c, {'a': 1}::VARCHAR AS d, '1 day'::INTERVAL AS e;
SELECT i64::DOUBLE AS a, u64::DOUBLE AS b, i64::DECIMAL(38, 0) AS c, d38::DOUBLE AS d, d38i::HUGEINT AS e FROM edges ORDER BY id;
SELECT '2024-01-01'::DATE AS a, '12:34'::TIME AS b, DATE '2024-01-01'::TIMESTAMPTZ AS c, epoch_ms(1700000000123) AS d, 20240101::VARCHAR::DATE IS NULL AS e WHERE false;
SELECT try_cast(text AS INTEGER) AS a, try_cast(text AS DATE) AS b FROM edges ORDER BY id;

-- generated rows, more than a vector and a row group
SELECT count(*), sum(n), min(n), max(n) FROM range(1000000) t(n);
SELECT n FROM range(10000) t(n) ORDER BY n;
SELECT n, n * n AS square, n % 7 = 0 AS seventh, 'row ' || n AS label FROM range(20000) t(n) ORDER BY n;
SELECT CASE WHEN n % 10 <> 0 THEN n END AS n, CASE WHEN n % 3 <> 0 THEN repeat('é', (n % 30)::INTEGER) END AS t FROM range(10000) t(n) ORDER BY t.n;
SELECT CASE WHEN n % 2 = 0 THEN [n, NULL, n + 1] END AS l, CASE WHEN n % 5 <> 0 THEN {'a': n, 'b': n::VARCHAR} END AS s FROM range(6000) t(n) ORDER BY n;
SELECT CASE WHEN n % 3 <> 0 THEN n::DECIMAL(30, 6) / 8 END AS d, (n - 5000)::HUGEINT * 10000000000000000000 AS h FROM range(10000) t(n) ORDER BY n;
SELECT TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (n) MILLISECOND AS t, (TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (n) MILLISECOND)::TIMESTAMPTZ AS z FROM range(4000) t(n) ORDER BY n;
SELECT n % 100 AS k, count(*) AS c, sum(n) AS s FROM range(300000) t(n) GROUP BY k ORDER BY k;
SELECT md5(n::VARCHAR) AS m FROM range(5000) t(n) ORDER BY m;

-- what a statement says of itself
DESCRIBE customers;
DESCRIBE SELECT id, balance * 2 AS twice FROM customers;
SUMMARIZE nothing;

-- fails
SELECT 'x'::INTEGER;
SELECT i64 * 2 FROM edges;
SELECT i8 + i16 FROM edges;
SELECT CASE WHEN n = 9000 THEN 'not a number' ELSE n::VARCHAR END::INTEGER FROM range(10000) t(n);
SELECT no_such_column FROM customers;
SELECT * FROM no_such_frame;
SELECT no_such_function(1);
SELECT (SELECT id FROM customers);
SELECT '2023-02-29'::DATE;
SELECT id, count(*) FROM customers;
SELECT 1 +;
SELECT error('stop');
SELECT 300::TINYINT;
SELECT strptime('x', '%Y');
