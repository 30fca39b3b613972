"""
Runs each statement in Python's DuckDB over Parquet files that pyarrow wrote, and over the same tables held as frames, through HTTP as JSON and
as Arrow, and through ADBC: {"http", "grpc", "folder", "statements"} in, {"faults": {statement: {route: fault}}, "compared"} out.
"""

import json
import sys

import duckdb
import pyarrow.flight as flight
import pyarrow.parquet as pq

from sql_routes import Routes
from sql_tables import sql_tables


def statements(path):
    """(statement, whether it must fail), in the order of the file."""
    failing = False
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("-- "):
            failing = line == "-- fails"
        elif line != "":
            assert line.endswith(";"), line
            yield line[:-1], failing


def orders_rows(sql):
    """Whether ORDER BY stands outside of every bracket and quotation."""
    depth, quote, outside = 0, None, []
    for letter in sql:
        if quote is not None:
            quote = None if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += letter in "([{"
            depth -= letter in ")]}"
            if depth == 0:
                outside.append(letter)
    return "ORDER BY" in "".join(outside)


def put_frames(client, tables):
    for name, table in tables.items():
        # In two parts where there are rows for it: a frame that grew by an append is one table.
        half = table.num_rows // 3
        pieces = [table.slice(0, half), table.slice(half)] if half > 1 else [table]
        for number, piece in enumerate(pieces):
            command = json.dumps({"name": name, "mode": "create" if number == 0 else "append"})
            writer, reader = client.do_put(flight.FlightDescriptor.for_command(command), piece.schema)
            # Dictionaries are written as one, so that both parts have the same.
            writer.write_table(piece.unify_dictionaries())
            writer.done_writing()
            assert reader.read() is not None
            writer.close()


def bare_duckdb(folder, tables):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("ATTACH ':memory:' AS framehold")
    connection.execute("USE framehold")
    for name, table in tables.items():
        path = f"{folder}/{name}.parquet"
        pq.write_table(table, path)
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{path}')")
    return connection


def faults(connection, routes, sql, must_fail):
    try:
        wanted = connection.execute(sql).to_arrow_table()
    except duckdb.Error as error:
        return routes.failures(sql) if must_fail else {"duckdb": str(error)}
    if must_fail:
        return {"duckdb": "did not fail"}
    return routes.faults(sql, wanted, orders_rows(sql))


def main():
    request = json.load(sys.stdin)
    tables = sql_tables()
    put_frames(flight.connect(request["grpc"]), tables)
    connection = bare_duckdb(request["folder"], tables)
    routes = Routes(request["http"], request["grpc"])
    found, count = {}, 0
    for sql, must_fail in statements(request["statements"]):
        found[sql] = faults(connection, routes, sql, must_fail)
        count += 1
    routes.close()
    assert len(found) == count, "a statement stands there twice"
    print(json.dumps({"faults": found, "compared": count}))


if __name__ == "__main__":
    main()
