"""
Random statements in Python's DuckDB over Parquet files and over the same tables as frames, through HTTP as Arrow and as JSON:
{"http", "grpc", "folder", "seeds": [first, number]} in, {"faults": [text], "compared", "failed"} out.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))

import duckdb
import pyarrow.flight as flight

from equal_to_duckdb import bare_duckdb, put_frames
from random_statements import RandomStatement
from sql_http import HttpSql
from sql_routes import compare_arrow, compare_json
from sql_tables import sql_tables

LIMIT_SECONDS = 60


def fault_of(connection, http, statement):
    """What is wrong, and whether the statement failed on both sides, as it should."""
    given = {"parameters": statement.parameters} if statement.parameters else {}
    try:
        wanted = connection.execute(statement.text, statement.parameters).to_arrow_table()
    except duckdb.Error as error:
        try:
            http.arrow(statement.text, **given)
        except RuntimeError:
            return None, True
        return f"did not fail, as DuckDB did: {str(error)[:300]}", False
    fault = compare_arrow(wanted, http.arrow(statement.text, **given), True)
    return fault or compare_json(wanted, http.json(statement.text, **given), True), False


def main():
    request = json.load(sys.stdin)
    tables = sql_tables()
    put_frames(flight.connect(request["grpc"]), tables)
    connection = bare_duckdb(request["folder"], tables)
    http = HttpSql(request["http"], LIMIT_SECONDS)
    first, count = request["seeds"]
    faults, failed = [], 0
    for seed in range(first, first + count):
        statement = RandomStatement(seed)
        try:
            fault, did_fail = fault_of(connection, http, statement)
            failed += did_fail
        except Exception as error:
            fault = f"{type(error).__name__}: {str(error)[:600]}"
        if fault is not None:
            faults.append(f"seed {seed}: {statement.text}\n  {statement.parameters}\n  {fault}")
    print(json.dumps({"faults": faults, "compared": count, "failed": failed}))


main()
