"""DuckDB in this process, or Framehold over HTTP or ADBC with one of its engines. Each line of input is a statement, each line of output
{"seconds", "rows", "cpu"}, with the result as an Arrow table in this process.
other_clients.py duckdb NAME FILE… | http URL ENGINE | adbc URL ENGINE"""
import http.client
import json
import sys
import time
from urllib.parse import urlsplit

import adbc_driver_flightsql.dbapi as adbc
import duckdb
import pyarrow as pa

THREADS = 2


def in_duckdb(name, *files):
    connection = duckdb.connect()
    connection.execute(f"SET threads = {THREADS}")
    connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({list(files)!r})")
    return lambda sql: connection.execute(sql).to_arrow_table()


def over_http(url, engine):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=7200)

    def run(sql):
        body = json.dumps({"sql": sql, "engine": engine})
        connection.request("POST", "/v1/sql?fmt=arrow", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {answer.read().decode()[:500]}")
        table = pa.ipc.open_stream(answer).read_all()
        answer.read()
        return table

    return run


def over_adbc(url, engine):
    options = {"adbc.flight.sql.rpc.call_header.framehold-engine": engine}
    connection = adbc.connect(url, options, autocommit=True)

    def run(sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    return run


route, *arguments = sys.argv[1:]
execute = {"duckdb": in_duckdb, "http": over_http, "adbc": over_adbc}[route](*arguments)
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    cpu, began = time.process_time(), time.monotonic()
    table = execute(json.loads(line))
    print(
        json.dumps({"seconds": time.monotonic() - began, "rows": table.num_rows, "cpu": time.process_time() - cpu}),
        flush=True,
    )
