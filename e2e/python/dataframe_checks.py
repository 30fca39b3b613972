"""polars and pandas over ADBC, and pyarrow.flight without a driver."""

import datetime
import warnings

import adbc_driver_flightsql.dbapi as dbapi
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.flight as flight

from client_checks import broken_million, check, equal, items, put, raises, run_checks
from sql_http import HttpSql

BROKEN = "SELECT n, text::BIGINT AS number FROM broken"


class Context:
    def __init__(self, request):
        self.grpc = request["grpc"]
        self.http = HttpSql(request["http"])
        # What polars makes of it: without TLS, as it is told.
        self.uri = request["grpc"].replace("grpc://", "flightsql://") + "?transport=tcp"
        put(self.grpc, "items", items())
        put(self.grpc, "broken", broken_million())

    def connect(self):
        return dbapi.connect(self.grpc, autocommit=True)


@check
def polars_reads_by_uri(context):
    frame = pl.read_database_uri("SELECT * FROM items ORDER BY id", context.uri, engine="adbc")
    equal(frame["name"].to_list(), ["one", "two", None, "vier"])
    equal(frame.schema["price"], pl.Decimal(10, 2))
    equal(frame.schema["moment"], pl.Datetime("us"))


@check
def polars_reads_with_a_connection(context):
    with context.connect() as connection:
        frame = pl.read_database("SELECT id, name FROM items WHERE id > 2 ORDER BY id", connection)
        equal(frame.rows(), [(3, None), (4, "vier")])
        parts = list(pl.read_database("SELECT n FROM range(300000) t(n)", connection, iter_batches=True, batch_size=50_000))
        equal(sum(part.height for part in parts), 300_000)


@check
def polars_writes(context):
    frame = pl.DataFrame({"a": [1, 2, None], "b": ["x", None, "ü"], "c": [1.5, float("nan"), None], "d": [True, False, None]})
    equal(frame.write_database("from_polars", context.uri, engine="adbc"), 3)
    back = pl.read_database_uri("SELECT * FROM from_polars", context.uri, engine="adbc")
    assert back.equals(frame), back


@check
def polars_writes_where_there_is_something(context):
    frame = pl.DataFrame({"a": [1, 2]})
    frame.write_database("twice", context.uri, engine="adbc")
    raises(lambda: frame.write_database("twice", context.uri, engine="adbc", if_table_exists="fail"), "exist")
    frame.write_database("twice", context.uri, engine="adbc", if_table_exists="append")
    equal(pl.read_database_uri("SELECT count(*) AS n FROM twice", context.uri, engine="adbc")["n"].to_list(), [4])
    frame.write_database("twice", context.uri, engine="adbc", if_table_exists="replace")
    equal(pl.read_database_uri("SELECT count(*) AS n FROM twice", context.uri, engine="adbc")["n"].to_list(), [2])


@check
def polars_categories_are_read_by_sql(context):
    names = pl.Series(["a", None, "longer than twelve bytes", "a"])
    frame = pl.DataFrame({
        "k": names.cast(pl.Categorical),
        "e": names.cast(pl.Enum(["unused", "longer than twelve bytes", "a"])),
        "l": [[1, 2], [], None, [3]],
        "lk": pl.Series([["a"], [], None, ["b", None]], dtype=pl.List(pl.Categorical)),
    })
    frame.write_database("polars_categories", context.uri, engine="adbc")
    back = pl.read_database_uri("SELECT * FROM polars_categories", context.uri, engine="adbc")
    equal(back["k"].to_list(), names.to_list())
    equal(back["e"].to_list(), names.to_list())
    equal(back.select("l", "lk").rows(), [([1, 2], ["a"]), ([], []), (None, None), ([3], ["b", None])])
    counted = pl.read_database_uri("SELECT k, count(*) AS n FROM polars_categories WHERE e = 'a' GROUP BY k", context.uri, engine="adbc")
    equal(counted.rows(), [("a", 2)])


@check
def polars_durations_come_back_as_durations(context):
    spans = [datetime.timedelta(days=400, microseconds=1), None, datetime.timedelta(microseconds=-1)]
    for unit in ("ms", "us", "ns"):
        frame = pl.DataFrame({"d": pl.Series(spans, dtype=pl.Duration(unit)), "t": pl.Series([0, 1, 2]).cast(pl.Datetime("us"))})
        frame.write_database("polars_spans", context.uri, engine="adbc", if_table_exists="replace")
        back = pl.read_database_uri("SELECT d, d + d AS twice, max(t) OVER () - t AS since FROM polars_spans", context.uri, engine="adbc")
        equal(back.schema["d"], pl.Duration("us"))
        equal(back["d"].to_list(), frame["d"].to_list())
        equal(back.schema["since"], pl.Duration("us"))
        with context.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE OR REPLACE TABLE held_spans AS SELECT max(d) AS d FROM polars_spans")
        equal(pl.read_database_uri("SELECT d FROM held_spans", context.uri, engine="adbc")["d"].to_list(), [frame["d"].max()])


@check
def polars_reads_around_a_column_that_sql_cannot_read(context):
    frame = pl.DataFrame({"n": [1, 2], "t": pl.Series([1, 2]).cast(pl.Datetime("ns", "UTC"))})
    frame.write_database("polars_fine", context.uri, engine="adbc")
    equal(pl.read_database_uri("SELECT sum(n)::BIGINT AS n FROM polars_fine", context.uri, engine="adbc")["n"].to_list(), [3])
    raises(lambda: pl.read_database_uri("SELECT * FROM polars_fine", context.uri, engine="adbc"), '"t"', "EXCLUDE", "finer")


@check
def polars_notices_a_failure_far_into_the_rows(context):
    raises(lambda: pl.read_database_uri(BROKEN, context.uri, engine="adbc"), "not a number")


@check
def pandas_reads_sql(context):
    with context.connect() as connection:
        frame = pd.read_sql("SELECT id, name FROM items ORDER BY id", connection)
    equal(frame["id"].tolist(), [1, 2, 3, 4])
    equal(frame["name"].isna().tolist(), [False, False, True, False])


@check
def pandas_reads_sql_with_an_index_and_exact_types(context):
    with context.connect() as connection:
        frame = pd.read_sql("SELECT id, name FROM items WHERE id >= 2 ORDER BY id", connection, index_col="id")
        equal(frame.index.tolist(), [2, 3, 4])
        typed = pd.read_sql("SELECT * FROM items ORDER BY id", connection, dtype_backend="pyarrow")
        equal(str(typed.dtypes["price"]), "decimal128(10, 2)[pyarrow]")


@check
def pandas_gets_what_a_cursor_with_parameters_gives(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, name FROM items WHERE id >= ? ORDER BY id", (3,))
        equal(cursor.fetch_df()["id"].tolist(), [3, 4])


@check
def pandas_reads_a_frame_by_its_name(context):
    with context.connect() as connection:
        equal(pd.read_sql("items", connection).shape, (4, 4))
        equal(pd.read_sql_table("items", connection, columns=["id"]).shape, (4, 1))


@check
def pandas_writes(context):
    frame = pd.DataFrame({"when": pd.to_datetime(["2024-01-01 12:00:00.123456", None]), "n": [1, 2], "t": ["a", "ü"]})
    with context.connect() as connection:
        equal(frame.to_sql("from_pandas", connection, index=False), 2)
        back = pd.read_sql("SELECT * FROM from_pandas", connection)
    equal(back["n"].tolist(), [1, 2])
    equal(back["t"].tolist(), ["a", "ü"])
    equal(back["when"][0], frame["when"][0])
    equal(back["when"].isna().tolist(), [False, True])


@check
def pandas_categories_and_instants_are_read_by_sql(context):
    frame = pd.DataFrame({
        "c": pd.Categorical(["a", None, "b"], categories=["unused", "b", "a"], ordered=True),
        "n": pd.Categorical([3, 1, None]),
        "when": pd.Categorical(pd.to_datetime(["2024-01-01", None, "2024-01-02"])),
        "bin": pd.cut([1.0, 2.0, 3.0], 2),
        "tz": pd.to_datetime(["2024-07-01 12:00:00.123456", None, "1969-12-31 00:00:00.000001"]).tz_localize("Europe/Berlin").as_unit("ns"),
        "span": pd.to_timedelta(["1 days 00:00:01", None, "-1us"]).as_unit("ns"),
    })
    table = pa.Table.from_pandas(frame, preserve_index=False)
    equal(table.schema.field("tz").type, pa.timestamp("ns", "Europe/Berlin"))
    put(context.grpc, "pandas_typed", table)
    with context.connect() as connection:
        back = pd.read_sql("SELECT * FROM pandas_typed", connection)
        equal(back["c"].tolist()[0::2], ["a", "b"])
        equal(back["c"].isna().tolist(), [False, True, False])
        equal(back["n"].tolist()[:2], [3, 1])
        equal(back["when"][2], pd.Timestamp("2024-01-02"))
        equal(back["bin"][0], {"left": 0.998, "right": 2.0})
        equal(back["tz"].isna().tolist(), [False, True, False])
        equal(back["tz"][0], frame["tz"][0])
        equal(back["tz"][2], frame["tz"][2])
        equal(back["span"][0], frame["span"][0])
        equal(back["span"][2], frame["span"][2])
        found = pd.read_sql("SELECT count(*) AS n FROM pandas_typed WHERE tz = TIMESTAMPTZ '2024-07-01 10:00:00.123456Z'", connection)
        equal(found["n"].tolist(), [1])


@check
def pandas_writes_where_there_is_something(context):
    frame = pd.DataFrame({"n": [1, 2, 3]})
    with context.connect() as connection:
        frame.to_sql("pandas_twice", connection, index=False)
        raises(lambda: frame.to_sql("pandas_twice", connection, index=False, if_exists="fail"), "exist")
        frame.to_sql("pandas_twice", connection, index=False, if_exists="append")
        equal(pd.read_sql("SELECT count(*) AS n FROM pandas_twice", connection)["n"].tolist(), [6])
        frame.to_sql("pandas_twice", connection, index=False, if_exists="replace")
        equal(pd.read_sql("SELECT count(*) AS n FROM pandas_twice", connection)["n"].tolist(), [3])


@check
def pandas_with_the_connection_that_dbapi_makes_by_itself(context):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with dbapi.connect(context.grpc) as connection:
            pd.DataFrame({"n": [1]}).to_sql("plain_connection", connection, index=False)
            connection.commit()
            equal(pd.read_sql("SELECT n FROM plain_connection", connection)["n"].tolist(), [1])


@check
def pandas_notices_a_failure_far_into_the_rows(context):
    with context.connect() as connection:
        raises(lambda: pd.read_sql(BROKEN, connection), "not a number")


def field(number, content):
    """A protobuf field of bytes."""
    size, length = b"", len(content)
    while length > 127:
        size += bytes([length % 128 + 128])
        length //= 128
    return bytes([number * 8 + 2]) + size + bytes([length]) + content


def statement(sql):
    """CommandStatementQuery in an Any, as any Flight client can write it."""
    name = b"type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
    return flight.FlightDescriptor.for_command(field(1, name) + field(2, field(1, sql.encode())))


def through_flight(context, sql):
    client = flight.connect(context.grpc)
    info = client.get_flight_info(statement(sql))
    return info, pa.concat_tables([client.do_get(endpoint.ticket).read_all() for endpoint in info.endpoints])


@check
def pyarrow_flight_runs_a_statement(context):
    info, table = through_flight(context, "SELECT id, name FROM items ORDER BY id")
    equal(info.schema.names, ["id", "name"])
    equal(table.to_pydict(), items().select(["id", "name"]).to_pydict())
    equal(flight.connect(context.grpc).get_schema(statement("SELECT 1 AS one")).schema.names, ["one"])


@check
def pyarrow_flight_notices_a_failure_far_into_the_rows(context):
    raises(lambda: through_flight(context, BROKEN), "not a number")


@check
def pyarrow_flight_still_puts_and_gets_frames(context):
    put(context.grpc, "beside_sql", items())
    equal(flight.connect(context.grpc).do_get(flight.Ticket(b"beside_sql")).read_all(), items())


@check
def http_breaks_off_where_a_failure_comes_far_into_the_rows(context):
    for format in ("json", "ndjson", "csv", "arrow", "parquet"):
        raises(lambda: context.http.send(BROKEN, format))


run_checks(Context)
