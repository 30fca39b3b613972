"""One measurement a run; the last line is JSON.
client.py put GRPC NAME ROWS SEED | sql HTTP SQL | fetch-http HTTP SQL |
fetch-adbc GRPC SQL | slow-http HTTP SQL MB_PER_SECOND | slow-flight GRPC SQL MB_PER_SECOND"""
import http.client
import json
import sys
import time
from urllib.parse import urlsplit

import adbc_driver_flightsql.dbapi as adbc
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

BATCH_ROWS = 128 * 1024


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
    "fetch-http": fetch_http,
    "fetch-adbc": fetch_adbc,
    "slow-http": slow_http,
    "slow-flight": slow_flight,
}
print(json.dumps(modes[sys.argv[1]](*sys.argv[2:])))
