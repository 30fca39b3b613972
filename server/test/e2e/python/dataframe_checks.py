"""polars and pandas over ADBC, and pyarrow.flight without a driver."""

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
def polars_lists_are_read_beside_categories(context):
    frame = pl.DataFrame({"k": pl.Series(["a", "b", "a"], dtype=pl.Categorical), "l": [[1, 2], [], None]})
    frame.write_database("polars_nested", context.uri, engine="adbc")
    equal(pl.read_database_uri("SELECT l FROM polars_nested", context.uri, engine="adbc").rows(), [([1, 2],), ([],), (None,)])
    # A dictionary of views, which Parquet does not hold: refused by its name, never read as something else.
    raises(lambda: pl.read_database_uri("SELECT k FROM polars_nested", context.uri, engine="adbc"), "k")
    frame.cast({"k": pl.String}).write_database("polars_strings", context.uri, engine="adbc")
    back = pl.read_database_uri("SELECT k FROM polars_strings", context.uri, engine="adbc")
    equal(back["k"].to_list(), ["a", "b", "a"])


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
