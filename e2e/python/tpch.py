"""
Puts the tables of TPC-H as frames, runs its queries in Python's DuckDB over the same Parquet files and through every route, and compares:
{"http", "grpc", "folder", "queries": {number: text}} in, {"faults": {number: {route: fault}}, "rows", "seconds"} out.
"""

import glob
import json
import os
import sys
import time

import duckdb
import pyarrow.flight as flight

from sql_routes import Routes
from tpch_frames import put


def main():
    request = json.load(sys.stdin)
    client = flight.connect(request["grpc"])
    connection = duckdb.connect()
    seconds = {"put": time.monotonic()}
    rows = {}
    for path in sorted(glob.glob(f"{request['folder']}/*.parquet")):
        name = os.path.basename(path).removesuffix(".parquet")
        rows[name] = put(client, name, path)
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{path}')")
    seconds["put"] = time.monotonic() - seconds["put"]
    routes = Routes(request["http"], request["grpc"])
    faults = {}
    for number, sql in request["queries"].items():
        began = time.monotonic()
        wanted = connection.execute(sql).to_arrow_table()
        seconds[f"duckdb {number}"] = time.monotonic() - began
        began = time.monotonic()
        faults[number] = routes.faults(sql, wanted, True)
        seconds[f"framehold {number}"] = (time.monotonic() - began) / len(routes.all())
        if wanted.num_rows == 0:
            faults[number]["duckdb"] = "no rows, which proves nothing"
    routes.close()
    print(json.dumps({"faults": faults, "rows": rows, "seconds": seconds}))


main()
