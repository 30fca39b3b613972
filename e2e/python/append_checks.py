"""pandas, polars and pyarrow append to each other's frames, and to those of a CSV and of NDJSON."""

import datetime
import io
import json
import urllib.error
import urllib.request
from decimal import Decimal

import adbc_driver_flightsql.dbapi as dbapi
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.flight as flight

from client_checks import check, equal, put, raises, run_checks

ARROW = "application/vnd.apache.arrow.stream"
NOON = datetime.datetime(2024, 2, 29, 12, 30)


class Context:
    def __init__(self, request):
        self.http = request["http"]
        self.grpc = request["grpc"]
        self.uri = request["grpc"].replace("grpc://", "flightsql://") + "?transport=tcp"

    def connect(self):
        return dbapi.connect(self.grpc, autocommit=True)

    def send(self, method, path, body, kind, query=""):
        if isinstance(body, str):
            body = body.encode()
        request = urllib.request.Request(
            f"{self.http}/v1/frames/{path}{query}", data=body, method=method, headers={"Content-Type": kind}
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            raise RuntimeError(f"{problem['status']} {problem['code']}: {problem['detail']} ({problem.get('hint')})")

    def create(self, name, body, kind=ARROW):
        return self.send("PUT", name, body, kind)

    def append(self, name, body, kind=ARROW, query=""):
        return self.send("POST", f"{name}/rows", body, kind, query)

    def read(self, name):
        return flight.connect(self.grpc).do_get(flight.Ticket(name.encode())).read_all()


def stream(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def polars_stream(frame):
    """With the types that polars has: texts are views, categories are dictionaries of views."""
    sink = io.BytesIO()
    frame.write_ipc_stream(sink, compat_level=pl.CompatLevel.newest())
    return sink.getvalue()


def pandas_stream(frame):
    return stream(pa.Table.from_pandas(frame, preserve_index=False))


def pandas_trades(symbols=("BTC", "ETH")):
    return pd.DataFrame({"symbol": list(symbols), "price": [1.5, 2.0], "size": [1, 2], "at": pd.to_datetime([NOON] * 2)})


def polars_trades():
    return pl.DataFrame(
        {"size": [3, None], "at": [NOON, None], "symbol": ["SOL", None], "price": [4.0, None]},
        schema={"size": pl.Int32, "at": pl.Datetime("us"), "symbol": pl.String, "price": pl.Float64},
    )


CSV_TRADES = "symbol,price,size,at\nXRP,3.5,4,2024-02-29T12:30:00\n"


@check
def each_appends_to_each_others_frame(context):
    writers = {
        "pandas": (pandas_stream(pandas_trades()), ARROW, 2),
        "polars": (polars_stream(polars_trades()), ARROW, 2),
        "csv": (CSV_TRADES, "text/csv", 1),
        "ndjson": ('{"symbol":"ADA","price":5,"size":6,"at":"2024-02-29T12:30:00"}\n', "application/x-ndjson", 1),
    }
    for owner, (body, kind, count) in writers.items():
        if owner == "ndjson":
            continue  # its times are texts, which the others do not have
        name = f"owned_by_{owner}"
        context.create(name, body, kind)
        before = context.read(name)
        rows = count
        for other, (more, more_kind, more_rows) in writers.items():
            manifest = context.append(name, more, more_kind)
            rows += more_rows
            equal((other, manifest["rows"]), (other, rows))
        table = context.read(name)
        equal(table.schema.types, before.schema.types)
        equal(table.slice(0, before.num_rows).to_pylist(), before.to_pylist())
        appended = table.slice(before.num_rows).to_pylist()
        wanted = [
            {"symbol": "BTC", "price": 1.5, "size": 1, "at": NOON},
            {"symbol": "ETH", "price": 2.0, "size": 2, "at": NOON},
            {"symbol": "SOL", "price": 4.0, "size": 3, "at": NOON},
            {"symbol": None, "price": None, "size": None, "at": None},
            {"symbol": "XRP", "price": 3.5, "size": 4, "at": NOON},
            {"symbol": "ADA", "price": 5.0, "size": 6, "at": NOON},
        ]
        equal([{key: row[key] for key in ("symbol", "price", "size", "at")} for row in appended], wanted)


@check
def write_database_and_to_sql_append_to_each_other(context):
    with context.connect() as connection:
        pandas_trades().to_sql("sql_pandas", connection, index=False)
        polars_trades().write_database("sql_pandas", context.uri, engine="adbc", if_table_exists="append")
        polars_trades().write_database("sql_polars", context.uri, engine="adbc")
        pandas_trades().to_sql("sql_polars", connection, index=False, if_exists="append")
        for name in ("sql_pandas", "sql_polars"):
            rows = pd.read_sql(f"SELECT symbol, size FROM {name} ORDER BY size", connection)
            equal(rows["symbol"].tolist()[:3], ["BTC", "ETH", "SOL"])
        try:
            pandas_trades().to_sql("sql_pandas", connection, index=True, if_exists="append")
            raise AssertionError("an index was appended")
        except pd.errors.DatabaseError as error:
            for words in ('not in the frame: "__index_level_0__"', "index=False"):
                assert words in str(error.__cause__), error.__cause__


@check
def flight_do_put_appends_with_other_types_and_order(context):
    put(context.grpc, "flown", pa.table({"a": pa.array([1], pa.int64()), "b": pa.array(["x"], pa.large_utf8())}))
    client = flight.connect(context.grpc)

    def append(table):
        command = flight.FlightDescriptor.for_command(json.dumps({"name": "flown", "mode": "append"}))
        writer, reader = client.do_put(command, table.schema)
        writer.write_table(table)
        writer.done_writing()
        reader.read()
        writer.close()

    append(pa.table({"b": pa.array(["y", None]).dictionary_encode(), "a": pa.array([2, 3], pa.uint8())}))
    equal(context.read("flown").to_pydict(), {"a": [1, 2, 3], "b": ["x", "y", None]})
    raises(lambda: append(pa.table({"b": ["z"], "a": [2.5]})), "row 1", '"a"', "2.5", "int64")


@check
def one_csv_row_goes_into_a_column_of_doubles_and_nulls_are_empty_fields(context):
    context.create("prices", "name,price\na,1.5\n", "text/csv")
    context.append("prices", "name,price\nb,2\n", "text/csv")
    context.append("prices", 'price,name\n,""\n3,\n', "text/csv")
    table = context.read("prices")
    equal(table.to_pydict(), {"name": ["a", "b", "", None], "price": [1.5, 2.0, None, 3.0]})
    raises(lambda: context.append("prices", "name,price\nc,x\n", "text/csv"), "409", "line 2", '"price"', "DOUBLE")
    raises(lambda: context.append("prices", "name,price\nc,9007199254740993\n", "text/csv"), "409", "9007199254740993")


@check
def missing_and_extra_columns_are_named(context):
    context.create("named", "a,b,c\n1,2,3\n", "text/csv")
    raises(lambda: context.append("named", "a,d\n1,2\n", "text/csv"), "409 schema_conflict", 'missing: "b", "c"', 'not in the frame: "d"')
    raises(lambda: context.append("named", '{"a":1,"b":2}\n', "application/x-ndjson"), "409", 'missing: "c"')
    frame = pd.DataFrame({"a": [1], "b": [2], "c": [3]}, index=[7])
    body = stream(pa.Table.from_pandas(frame, preserve_index=True))
    raises(lambda: context.append("named", body), "409", "__index_level_0__", "preserve_index=False")
    equal(context.read("named").num_rows, 1)


@check
def the_first_value_that_does_not_fit_is_named_with_its_row(context):
    context.create("small", stream(pa.table({"n": pa.array([1], pa.int8()), "t": pa.array([NOON], pa.timestamp("s"))})))
    later = pa.table({"t": pa.array([NOON, NOON, NOON.replace(microsecond=1)], pa.timestamp("us")), "n": [1, 2, 300]})
    raises(lambda: context.append("small", stream(later)), "409", "Row 3", '"n"', "300", "int8")
    earlier = pa.table({"t": pa.array([NOON, NOON.replace(microsecond=1), NOON], pa.timestamp("us")), "n": [1, 2, 300]})
    raises(lambda: context.append("small", stream(earlier)), "Row 2", '"t"', "12:30:00.000001")
    raises(lambda: context.append("small", stream(pa.table({"t": later["t"], "n": [float("nan")] * 3}))), "NaN", "null")
    equal(context.read("small").num_rows, 1)


@check
def categories_of_pandas_and_polars_grow(context):
    frame = pd.DataFrame({"k": pd.Categorical(["a", "b"])})
    context.create("grown", pandas_stream(frame))
    context.append("grown", polars_stream(pl.DataFrame({"k": pl.Series(["b", "c"], dtype=pl.Categorical)})))
    context.append("grown", "k\nd\n\na\n", "text/csv")
    context.append("grown", stream(pa.table({"k": ["e"]})))
    table = context.read("grown")
    equal(table["k"].to_pylist(), ["a", "b", "b", "c", "d", None, "a", "e"])
    equal(table.schema.field("k").type, pa.dictionary(pa.int8(), pa.Table.from_pandas(frame).schema.field("k").type.value_type))
    equal(table.to_pandas()["k"].cat.categories.tolist(), ["a", "b", "c", "d", "e"])
    many = pa.table({"k": [str(number) for number in range(200)]})
    raises(lambda: context.append("grown", stream(many)), "409", "Row 124", '"123"', "128")


@check
def an_ordered_dictionary_keeps_its_order_and_refuses_new_values(context):
    def sizes(values, order=("S", "M", "L")):
        return pd.DataFrame({"size": pd.Categorical(values, categories=list(order), ordered=True)})

    context.create("sizes", pandas_stream(sizes(["M", "S"])))
    before = context.append("sizes", pandas_stream(sizes(["L"])))
    context.append("sizes", "size\nM\n", "text/csv")
    context.append("sizes", pandas_stream(sizes(["L", "S"], ("L", "M", "S", "XL"))))
    table = context.read("sizes")
    equal(table["size"].to_pylist(), ["M", "S", "L", "M", "L", "S"])
    equal(table.to_pandas()["size"].cat.categories.tolist(), ["S", "M", "L"])
    raises(lambda: context.append("sizes", pandas_stream(sizes(["S", "XL"], ("S", "M", "L", "XL")))), "Row 2", '"XL"', "ordered")
    raises(lambda: context.append("sizes", "size\nXL\n", "text/csv"), "409", '"XL"')
    equal(before["rows"], 3)


@check
def matching_arrow_passes_byte_for_byte(context):
    table = pa.table({"n": [1, 2], "s": ["a", None]})
    body = stream(table.replace_schema_metadata({"from": "here"}))
    context.create("exact", stream(table))
    context.append("exact", body)
    part = context.read("exact")
    equal(part.to_pydict(), {"n": [1, 2, 1, 2], "s": ["a", None, "a", None]})


@check
def nested_values_convert_and_members_are_matched_by_name(context):
    base = pa.schema(
        [
            ("l", pa.list_(pa.float64())),
            ("m", pa.struct([("x", pa.int64()), ("y", pa.large_utf8())])),
            ("d", pa.decimal128(10, 2)),
            ("day", pa.date32()),
        ]
    )
    context.create("nested", stream(pa.table({"l": [[1.5]], "m": [{"x": 1, "y": "a"}], "d": [Decimal("1.25")], "day": [NOON.date()]}, schema=base)))
    other = pa.table(
        {
            "day": pa.array([NOON.replace(hour=0, minute=0)], pa.timestamp("ns")),
            "m": pa.array([{"y": "b", "x": 2}], pa.struct([("y", pa.string_view()), ("x", pa.int16())])),
            "l": pa.array([[1, None, 3]], pa.large_list(pa.int32())),
            "d": pa.array([7], pa.int64()),
        }
    )
    context.append("nested", stream(other))
    context.append("nested", '{"l":[4,5],"m":{"y":"c","x":3},"d":2.5,"day":"2024-03-01"}\n', "application/x-ndjson")
    equal(
        context.read("nested").to_pylist()[1:],
        [
            {"l": [1.0, None, 3.0], "m": {"x": 2, "y": "b"}, "d": Decimal("7.00"), "day": NOON.date()},
            {"l": [4.0, 5.0], "m": {"x": 3, "y": "c"}, "d": Decimal("2.50"), "day": datetime.date(2024, 3, 1)},
        ],
    )


@check
def zones_keep_the_instant_and_a_time_without_one_is_refused(context):
    base = pa.table({"t": pa.array([NOON], pa.timestamp("us", "Europe/Berlin"))})
    context.create("zoned", stream(base))
    context.append("zoned", stream(pa.table({"t": pa.array([NOON], pa.timestamp("ns", "UTC"))})))
    table = context.read("zoned")
    equal(table.schema, base.schema)
    equal(table["t"].cast(pa.int64()).to_pylist()[0], table["t"].cast(pa.int64()).to_pylist()[1])
    raises(lambda: context.append("zoned", stream(pa.table({"t": pa.array([NOON], pa.timestamp("us"))}))), "409", "timestamp[us]", "Europe/Berlin")


@check
def duplicate_names_are_matched_by_position(context):
    def two(first, second):
        return stream(pa.Table.from_arrays([pa.array(first), pa.array(second)], names=["a", "a"]))

    context.create("twice", two([1.5], ["x"]))
    context.append("twice", two([2], ["y"]))
    context.append("twice", "a,a\n3,z\n", "text/csv")
    table = context.read("twice")
    equal([table.column(0).to_pylist(), table.column(1).to_pylist()], [[1.5, 2.0, 3.0], ["x", "y", "z"]])


@check
def parquet_and_arrow_files_are_converted_too(context):
    import pyarrow.parquet as pq

    context.create("files", stream(pa.table({"n": pa.array([1], pa.int64()), "s": pa.array(["a"], pa.string_view())})))
    other = pa.table({"s": ["b"], "n": pa.array([2], pa.int16())})
    sink = io.BytesIO()
    pq.write_table(other, sink)
    context.append("files", sink.getvalue(), "application/vnd.apache.parquet")
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, other.schema) as writer:
        writer.write_table(other)
    context.append("files", sink.getvalue(), "application/vnd.apache.arrow.file")
    equal(context.read("files").to_pydict(), {"n": [1, 2, 2], "s": ["a", "b", "b"]})


@check
def an_insert_reaches_a_frame_of_polars(context):
    context.create("inserted", polars_stream(pl.DataFrame({"s": ["a"], "n": [1]}, schema={"s": pl.String, "n": pl.Int16})))
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO inserted VALUES ('b', 2)")
    equal(context.read("inserted").to_pydict(), {"s": ["a", "b"], "n": [1, 2]})


run_checks(Context)
