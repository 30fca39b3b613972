"""The tables of `tables.sql` as streams of Arrow, one file a table, in the folder that is named."""

import datetime
import sys
from decimal import Decimal

import pyarrow as pa

utc = datetime.timezone.utc
day, moment, clock = datetime.date, datetime.datetime, datetime.time

every_type = {
    "id": (pa.int32(), [1, 2, 3, 4]),
    "flag": (pa.bool_(), [True, False, None, False]),
    "small": (pa.int16(), [1, -32768, None, 0]),
    "whole": (pa.int32(), [2, -2147483648, None, 0]),
    "large": (pa.int64(), [3, -9223372036854775808, None, 0]),
    "single": (pa.float32(), [1.5, -3.4028235e38, None, float("nan")]),
    "precise": (pa.float64(), [2.25, 2.2250738585072014e-308, None, float("-inf")]),
    "amount": (pa.decimal128(18, 4), [Decimal("12345.6789"), Decimal("-99999999999999.9999"), None, Decimal(0)]),
    "huge": (pa.decimal128(38, 0), [Decimal("170141183460469231731687303715884105"), Decimal("9" * 38), None, Decimal(0)]),
    "label": (pa.string(), ["plain", 'é"\\,{}\tNULL', None, ""]),
    "data": (pa.binary(), [b"\xde\xad", b"\x00\xff\x0a", None, b""]),
    "day": (pa.date32(), [day(2024, 2, 29), day(1, 1, 1), None, day(1969, 12, 31)]),
    "moment": (
        pa.timestamp("us"),
        [moment(2024, 2, 29, 12, 30, 0, 123456), moment(9999, 12, 31, 23, 59, 59, 999999), None, moment(2000, 1, 1)],
    ),
    "instant": (
        pa.timestamp("us", "UTC"),
        [moment(2024, 2, 29, 12, 30, tzinfo=utc), moment(1, 1, 1, tzinfo=utc), None, moment(2000, 1, 1, tzinfo=utc)],
    ),
    "clock": (pa.time64("us"), [clock(12, 30, 0, 500000), clock(23, 59, 59, 999999), None, clock(0)]),
    "numbers": (pa.list_(pa.int32()), [[1, 2, 3], [-2147483648, None, 2147483647], None, []]),
    "labels": (pa.list_(pa.string()), [["a", "b"], ["", None, "NULL", "a b", 'q"\\z'], None, []]),
}
ids = range(1, 1001)
trades = {
    "id": (pa.int64(), list(ids)),
    "symbol": (pa.string(), [["ACME", "GLOB", "INIT", "UMBR"][i % 4] for i in ids]),
    "price": (pa.float64(), [100 + (i * 37 % 1000) / 8 for i in ids]),
    "size": (pa.int32(), [None if i % 10 == 0 else i % 100 for i in ids]),
    "traded_at": (pa.timestamp("us"), [moment(2024, 1, 1) + datetime.timedelta(minutes=i) for i in ids]),
}
daily_sales = {
    "Region": (pa.string(), ["north", "south"]),
    "Total": (pa.decimal128(10, 2), [Decimal("10.50"), None]),
}

for name, columns in {"every_type": every_type, "trades": trades, "Daily-Sales": daily_sales}.items():
    table = pa.table({column: pa.array(values, kind) for column, (kind, values) in columns.items()})
    with pa.ipc.new_stream(f"{sys.argv[1]}/{name}.arrows", table.schema) as writer:
        writer.write_table(table)
print("null")
