"""
The queries of TPC-H in Python's DuckDB and through Spark, HTTP and ADBC, over the same rows: {"http", "grpc", "folder", "queries": {number: text}}
in, {"faults": {number: {route: fault}}, "rows", "seconds", "tolerances"} out. The frames are put first.
"""

import decimal
import glob
import json
import os
import sys
import time

import adbc_driver_flightsql.dbapi as adbc
import duckdb
import pyarrow.flight as flight

from plain_values import rows_of
from sql_http import HttpSql
from tpch_frames import put

# Every other column is equal, digit by digit. Those below are quotients of decimals: DuckDB answers with a DOUBLE, Spark with a decimal that has
# six digits after the point, rounded half up.
SIX_DIGITS = decimal.Decimal("0.0000005")
TOLERANCES = {
    "1": {"avg_qty": SIX_DIGITS, "avg_price": SIX_DIGITS, "avg_disc": SIX_DIGITS},
    "8": {"mkt_share": SIX_DIGITS},
    "14": {"promo_revenue": SIX_DIGITS},
    "17": {"avg_yearly": SIX_DIGITS},
}
# What ORDER BY names, where it may leave the order of rows open: those may come in any order, and the rest of these rows must be equal.
ORDER = {
    "2": ["s_acctbal", "n_name", "s_name", "p_partkey"],
    "3": ["revenue", "o_orderdate"],
    "10": ["revenue"],
    "11": ["value"],
    "13": ["custdist", "c_count"],
    "15": ["s_suppkey"],
    "16": ["supplier_cnt", "p_brand", "p_type", "p_size"],
    "18": ["o_totalprice", "o_orderdate"],
    "20": ["s_name"],
    "21": ["numwait", "s_name"],
}
# A DOUBLE has about sixteen digits, and none of these quotients has more than seven before the point.
DOUBLE = decimal.Decimal("0.0000000005")
# More digits than any value here has, so that nothing is rounded.
decimal.getcontext().prec = 100


def exact(value):
    """Numbers of any type as decimals: DuckDB widens sums to 38 digits, Spark by ten."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return decimal.Decimal(value).normalize()


def difference(number, wanted, got):
    """What differs; None where nothing does."""
    if got.schema.names != wanted.schema.names:
        return f"columns {got.schema.names}, not {wanted.schema.names}"
    if got.num_rows != wanted.num_rows:
        return f"{got.num_rows} rows, not {wanted.num_rows}"
    names, tolerances = wanted.schema.names, TOLERANCES.get(number, {})
    left, right = ([[exact(value) for value in row] for row in rows_of(table)] for table in (wanted, got))
    if number in ORDER:
        keys = [names.index(name) for name in ORDER[number]]
        for row, (a, b) in enumerate(zip(left, right)):
            if [a[key] for key in keys] != [b[key] for key in keys]:
                return f"row {row} is not in order: {b}, not {a}"
        left, right = sorted(left, key=repr), sorted(right, key=repr)
    for row, (a, b) in enumerate(zip(left, right)):
        for name, expected, value in zip(names, a, b):
            if expected == value:
                continue
            if name not in tolerances or abs(expected - value) > tolerances[name] + DOUBLE:
                return f"row {row}, {name}: {value} is not {expected}"
    return None


def main():
    request = json.load(sys.stdin)
    client = flight.connect(request["grpc"])
    bare = duckdb.connect()
    rows, seconds, faults = {}, {}, {}
    for path in sorted(glob.glob(f"{request['folder']}/*.parquet")):
        name = os.path.basename(path).removesuffix(".parquet")
        rows[name] = put(client, name, path)
        bare.execute(f"CREATE VIEW {name} AS FROM read_parquet('{path}')")
    connection = adbc.connect(
        request["grpc"], {"adbc.flight.sql.rpc.call_header.framehold-engine": "spark"}, autocommit=True
    )

    def through_adbc(sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    def through_http(sql):
        # A connection of its own: a kept one is closed while the other route takes its time.
        http = HttpSql(request["http"], timeout=1200)
        try:
            return http.arrow(sql, engine="spark")
        finally:
            http.connection.close()

    routes = {"http": through_http, "adbc": through_adbc}
    for number, sql in request["queries"].items():
        began = time.monotonic()
        wanted = bare.execute(sql).to_arrow_table()
        seconds[f"duckdb {number}"] = time.monotonic() - began
        faults[number] = {"duckdb": "no rows, which proves nothing"} if wanted.num_rows == 0 else {}
        for route, run in routes.items():
            began = time.monotonic()
            try:
                fault = difference(number, wanted, run(sql))
            except Exception as error:  # each route reports for itself
                fault = f"{type(error).__name__}: {str(error)[:600]}"
            seconds[f"{route} {number}"] = time.monotonic() - began
            if fault is not None:
                faults[number][route] = fault
    connection.close()
    stated = {number: {name: str(value) for name, value in columns.items()} for number, columns in TOLERANCES.items()}
    print(json.dumps({"faults": faults, "rows": rows, "seconds": seconds, "tolerances": stated}))


main()
