"""The ways to run a statement, HTTP as JSON and as Arrow and ADBC, each compared with a table that is known to be right."""

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa

from json_cells import Number, cells, parse, typed
from plain_values import difference, intervals, joined, rows_of
from sql_http import HttpSql


def compare_arrow(wanted, got, ordered):
    if got.schema.names != wanted.schema.names:
        return f"columns {got.schema.names}, not {wanted.schema.names}"
    for field, expected in zip(got.schema, wanted.schema):
        if not field.type.equals(expected.type):
            return f"column {field.name}: {field.type}, not {expected.type}"
    got.validate(full=True)
    return difference(rows_of(wanted), rows_of(got), ordered)


def compare_json(wanted, answer, ordered):
    got = dict(parse(answer))
    if list(got) != ["query", "columns", "dataset", "count"]:
        return f"members {list(got)}"
    names = [dict(column)["name"] for column in got["columns"]]
    if names != wanted.schema.names:
        return f"columns {names}, not {wanted.schema.names}"
    if got["count"] != str(wanted.num_rows):
        return f"count {got['count']}, not {wanted.num_rows}"
    kinds = wanted.schema.types
    rows = [[typed(cell, kind) for cell, kind in zip(row, kinds)] for row in got["dataset"]]
    huge = [dict(column)["type"] == "HUGEINT" for column in got["columns"]]
    expected = [
        [Number(cell) if is_huge and cell is not None else cell for cell, is_huge in zip(row, huge)]
        for row in rows_of(wanted, cells)
    ]
    return difference(expected, rows, ordered)


def with_durations(wanted, got):
    """DuckDB has intervals only: those that arrive as durations are compared as what they are."""
    columns = [
        pa.array([microseconds(each) for each in intervals(joined(column))], pa.duration("us"))
        if pa.types.is_duration(field.type) and pa.types.is_interval(column.type)
        else column
        for field, column in zip(got.schema, wanted.columns)
    ]
    return pa.table(columns, names=wanted.schema.names)


def microseconds(interval):
    if interval is None:
        return None
    months, days, nanoseconds = interval
    assert months == 0, interval
    return days * 86_400_000_000 + nanoseconds // 1000


class Routes:
    def __init__(self, http, grpc):
        self.http = HttpSql(http)
        self.adbc = adbc.connect(grpc, autocommit=True)

    def all(self):
        return {"http arrow": self.http.arrow, "http json": self.http.json, "adbc": self.through_adbc}

    def through_adbc(self, sql):
        with self.adbc.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    def faults(self, sql, wanted, ordered):
        """What is wrong, by the way that it came; empty where nothing is."""
        faults = {}
        if any(pa.types.is_interval(kind) for kind in wanted.schema.types):
            wanted = with_durations(wanted, self.http.arrow(sql))
        for route, run in self.all().items():
            try:
                got = run(sql)
                fault = (compare_json if route == "http json" else compare_arrow)(wanted, got, ordered)
            except Exception as error:  # each route reports for itself
                fault = f"{type(error).__name__}: {str(error)[:600]}"
            if fault is not None:
                faults[route] = fault
        return faults

    def failures(self, sql):
        """As faults, of a statement that must fail."""
        faults = {}
        for route, run in self.all().items():
            try:
                run(sql)
                faults[route] = "did not fail"
            except Exception as error:
                text = str(error)
                if "internal" in text.lower() or ".parquet" in text:
                    faults[route] = f"an error that helps nobody: {text[:600]}"
        return faults

    def close(self):
        self.adbc.close()
