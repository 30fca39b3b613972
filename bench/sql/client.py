"""One measurement a run; the last line is JSON.
client.py put GRPC NAME ROWS SEED | sql HTTP SQL | aggregates HTTP GRPC ROUNDS NAME FILE… | fetch-duckdb SQL NAME FILE… | fetch-http HTTP SQL |
fetch-adbc GRPC SQL | slow-http HTTP SQL MB_PER_SECOND | slow-flight GRPC SQL MB_PER_SECOND"""
import http.client
import json
import sys
import time
from urllib.parse import urlsplit

import adbc_driver_flightsql.dbapi as adbc
import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

BATCH_ROWS = 128 * 1024
THREADS = 2
AGGREGATES = {
    "count and sums": "SELECT count(*), sum(id), sum(value), min(key), max(key) FROM {name}",
    "group by 1,000": "SELECT key, count(*) AS n, sum(value) AS s, avg(value) AS a FROM {name} GROUP BY key ORDER BY key",
    "group by a million": "SELECT count(*), max(s) FROM (SELECT id % 1000000 AS k, sum(value) AS s FROM {name} GROUP BY k)",
    "filter and strings": "SELECT left(text, 1) AS c, count(*), max(text) FROM {name} WHERE value > 500 AND key % 3 = 0 GROUP BY c ORDER BY c",
    "distinct": "SELECT count(DISTINCT key), approx_count_distinct(id) > 0 FROM {name}",
    "window": "SELECT max(r) FROM (SELECT row_number() OVER (PARTITION BY key ORDER BY id) AS r FROM {name} WHERE id % 10 = 0)",
}


def put(grpc, name, rows, seed):
    rows, random = int(rows), np.random.default_rng(int(seed))
    schema = pa.schema([("id", pa.int64()), ("key", pa.int32()), ("value", pa.float64()), ("text", pa.string())])
    words = pa.array(["".join(chr(97 + letter) for letter in random.integers(0, 26, 12)) for _ in range(5000)])
    writer, reader = flight.connect(grpc).do_put(flight.FlightDescriptor.for_path(name), schema)
    for start in range(0, rows, BATCH_ROWS):
        count = min(BATCH_ROWS, rows - start)
        columns = [
            np.arange(start, start + count),
            random.integers(0, 1000, count, dtype=np.int32),
            # Eighths: their sums are exact in any order.
            random.integers(0, 8000, count) / 8,
            words.take(pa.array(random.integers(0, 5000, count))),
        ]
        writer.write_batch(pa.record_batch(columns, schema=schema))
    writer.done_writing()
    manifest = json.loads(reader.read().to_pybytes())
    writer.close()
    return manifest


def post(url, sql, format="arrow"):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=3600)
    connection.request("POST", f"/v1/sql?fmt={format}", json.dumps({"sql": sql}), {"content-type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} {answer.read().decode()[:500]}")
    return answer


def run_sql(url, sql):
    began = time.monotonic()
    rows = pa.ipc.open_stream(post(url, sql).read()).read_all().to_pylist()
    return {"seconds": time.monotonic() - began, "rows": json.loads(json.dumps(rows, default=str))}


def bare(name, files):
    connection = duckdb.connect()
    connection.execute(f"SET threads = {THREADS}")
    connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({list(files)!r})")
    return connection


def aggregates(url, grpc, rounds, name, *files):
    connection, client = bare(name, files), adbc.connect(grpc, autocommit=True)

    def in_python(sql):
        return connection.execute(sql).to_arrow_table()

    def over_http(sql):
        return pa.ipc.open_stream(post(url, sql).read()).read_all()

    def over_adbc(sql):
        with client.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    # Statements compare files that the server has not read since its start with their hashes, some at a time. That comes once, and is not measured.
    for _ in range(12):
        over_http(f"SELECT count(*) FROM {name}")
    report = {}
    for title, text in AGGREGATES.items():
        sql = text.format(name=name)
        wanted = in_python(sql).to_pylist()
        seconds = {"duckdb": [], "http": [], "adbc": []}
        # In turns, so that a busy moment of the machine meets all of them. The first round warms caches.
        for round in range(int(rounds) + 1):
            for route, run in (("duckdb", in_python), ("http", over_http), ("adbc", over_adbc)):
                began = time.monotonic()
                got = run(sql)
                if round > 0:
                    seconds[route].append(time.monotonic() - began)
                if got.to_pylist() != wanted:
                    raise RuntimeError(f"{route} differs: {sql}")
        report[title] = {route: sorted(each)[len(each) // 2] for route, each in seconds.items()}
    client.close()
    return report


class Nowhere:
    """Takes bytes and keeps their number."""

    closed, size = False, 0

    def write(self, data):
        self.size += len(data)
        return len(data)

    def close(self):
        pass

    def flush(self):
        pass


def fetch_duckdb(sql, name, *files):
    connection = bare(name, files)
    cpu, began = time.process_time(), time.monotonic()
    table = connection.execute(sql).to_arrow_table()
    as_table = {"cpu": time.process_time() - cpu, "seconds": time.monotonic() - began, "rows": table.num_rows}
    del table
    cpu, began = time.process_time(), time.monotonic()
    reader, sink = connection.execute(sql).to_arrow_reader(65_536), Nowhere()
    with pa.ipc.new_stream(pa.PythonFile(sink, "w"), reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    return {"table": as_table, "ipc": {"cpu": time.process_time() - cpu, "seconds": time.monotonic() - began, "bytes": sink.size}}


def fetch_http(url, sql):
    began, cpu = time.monotonic(), time.process_time()
    rows = sum(batch.num_rows for batch in pa.ipc.open_stream(post(url, sql)))
    return {"rows": rows, "seconds": time.monotonic() - began, "cpu": time.process_time() - cpu}


def fetch_adbc(grpc, sql):
    began, cpu = time.monotonic(), time.process_time()
    with adbc.connect(grpc, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        rows = sum(batch.num_rows for batch in cursor.fetch_record_batch())
    return {"rows": rows, "seconds": time.monotonic() - began, "cpu": time.process_time() - cpu}


def paced(batches, megabytes_per_second):
    began, rows, size = time.monotonic(), 0, 0
    for batch in batches:
        rows, size = rows + batch.num_rows, size + batch.nbytes
        ahead = size / 1e6 / float(megabytes_per_second) - (time.monotonic() - began)
        if ahead > 0:
            time.sleep(ahead)
    return {"rows": rows, "bytes": size, "seconds": time.monotonic() - began}


def slow_http(url, sql, megabytes_per_second):
    return paced(pa.ipc.open_stream(post(url, sql)), megabytes_per_second)


def slow_flight(grpc, sql, megabytes_per_second):
    # Not ADBC: its driver reads ahead of its user into memory of its own.
    def field(number, content):
        assert len(content) < 128 * 128
        size = bytes([len(content)]) if len(content) < 128 else bytes([len(content) % 128 + 128, len(content) // 128])
        return bytes([number * 8 + 2]) + size + content

    name = b"type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
    client = flight.connect(grpc)
    info = client.get_flight_info(flight.FlightDescriptor.for_command(field(1, name) + field(2, field(1, sql.encode()))))
    reader = client.do_get(info.endpoints[0].ticket)
    return paced((chunk.data for chunk in reader), megabytes_per_second)


modes = {
    "put": put,
    "sql": run_sql,
    "aggregates": aggregates,
    "fetch-duckdb": fetch_duckdb,
    "fetch-http": fetch_http,
    "fetch-adbc": fetch_adbc,
    "slow-http": slow_http,
    "slow-flight": slow_flight,
}
print(json.dumps(modes[sys.argv[1]](*sys.argv[2:])))
