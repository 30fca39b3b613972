"""Frames for the comparison with DuckDB: small, without chance, with nulls and the outermost values of every type that SQL reads."""

import datetime
from decimal import Decimal, getcontext

import pyarrow as pa

# Python rounds decimals to 28 digits unless told otherwise.
getcontext().prec = 100

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
SECOND = 1_000_000
DAY = 86_400 * SECOND
# 2024-01-01 in microseconds since 1970.
NEW_YEAR = 1_704_067_200 * SECOND
# 9999-12-31T23:59:59.999999 and 0044-03-15 BC, in microseconds since 1970.
LAST_MICROSECOND = 253_402_300_799_999_999
IDES = -719_528 * DAY - (44 * 365) * DAY


def mixed(number):
    """The same on every machine, without order a reader could guess."""
    return (number * 2_654_435_761 + 12_345) % 4_294_967_296


def sparse(values, every):
    return [None if index % every == every - 1 else value for index, value in enumerate(values)]


def customers():
    count = 200
    return pa.table(
        {
            "id": pa.array(range(1, count + 1), pa.int32()),
            "name": pa.array(sparse([f"Customer #{number:03d}" for number in range(count)], 17), pa.string()),
            "city": pa.array([["Zürich", "東京", "São Paulo", "", None, "O'Hara"][mixed(n) % 6] for n in range(count)]),
            "segment": pa.array([["gold", "silver", "bronze"][mixed(n * 3) % 3] for n in range(count)]).dictionary_encode(),
            "balance": pa.array(sparse([Decimal(mixed(n) % 2_000_000 - 1_000_000).scaleb(-2) for n in range(count)], 11), pa.decimal128(12, 2)),
            "since": pa.array(sparse([datetime.date(2015, 1, 1) + datetime.timedelta(days=mixed(n) % 3000) for n in range(count)], 13), pa.date32()),
            "vip": pa.array(sparse([mixed(n) % 5 == 0 for n in range(count)], 7), pa.bool_()),
            "referrer": pa.array([None if n < 5 else mixed(n) % n + 1 for n in range(count)], pa.int32()),
        }
    )


def orders():
    count = 3000
    return pa.table(
        {
            "id": pa.array(range(1, count + 1), pa.int64()),
            "customer": pa.array(sparse([mixed(n) % 230 + 1 for n in range(count)], 101), pa.int32()),
            "amount": pa.array(sparse([Decimal(mixed(n * 7) % 10_000_000).scaleb(-4) for n in range(count)], 29), pa.decimal128(18, 4)),
            # Eighths: their sums are exact in any order.
            "weight": pa.array(sparse([(mixed(n * 5) % 8000) / 8 for n in range(count)], 31), pa.float64()),
            "quantity": pa.array([mixed(n * 11) % 50 for n in range(count)], pa.int16()),
            "status": pa.array([["new", "paid", "shipped", "returned", None][mixed(n * 13) % 5] for n in range(count)], pa.large_string()),
            "placed": pa.array(sparse([NEW_YEAR + mixed(n) * 7_000 for n in range(count)], 37), pa.timestamp("us")),
            "paid": pa.array(sparse([NEW_YEAR + mixed(n * 3) * 9_000 for n in range(count)], 5), pa.timestamp("us", "UTC")),
        }
    )


def ticks():
    count = 5000
    return pa.table(
        {
            "moment": pa.array([NEW_YEAR + n * 250_000 for n in range(count)], pa.timestamp("us")),
            "symbol": pa.array([["AAA", "BBB", "CCC"][mixed(n) % 3] for n in range(count)]).dictionary_encode(),
            "price": pa.array(sparse([100 + (mixed(n) % 1024) / 64 for n in range(count)], 53), pa.float64()),
            "size": pa.array([mixed(n * 17) % 1000 for n in range(count)], pa.int32()),
        }
    )


def edges():
    """A row of nulls, a row of zeros, and the outermost values."""
    float_edges = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1.7976931348623157e308, 0.1]
    return pa.table(
        {
            "id": pa.array(range(9), pa.int32()),
            "i8": pa.array([None, 0, -128, 127, 1, -1, 2, 3, 4], pa.int8()),
            "i16": pa.array([None, 0, -(2**15), 2**15 - 1, 1, -1, 2, 3, 4], pa.int16()),
            "i32": pa.array([None, 0, -(2**31), 2**31 - 1, 1, -1, 2, 3, 4], pa.int32()),
            "i64": pa.array([None, 0, INT64_MIN, INT64_MAX, 2**53 + 1, -(2**53) - 1, 1, -1, 2], pa.int64()),
            "u8": pa.array([None, 0, 255, 254, 1, 2, 3, 4, 5], pa.uint8()),
            "u16": pa.array([None, 0, 65535, 65534, 1, 2, 3, 4, 5], pa.uint16()),
            "u32": pa.array([None, 0, 2**32 - 1, 2**32 - 2, 1, 2, 3, 4, 5], pa.uint32()),
            "u64": pa.array([None, 0, 2**64 - 1, 2**64 - 2, 2**63, 2**53 + 1, 3, 4, 5], pa.uint64()),
            "f32": pa.array([None, 0, float("nan"), float("inf"), float("-inf"), 1.5, 3.4028234663852886e38, 1e-45, 0.1], pa.float32()),
            "f64": pa.array([None, 0.0] + float_edges, pa.float64()),
            "d4": pa.array([None, 0, Decimal("99.99"), Decimal("-99.99"), 1, 2, 3, 4, 5], pa.decimal128(4, 2)),
            "d18": pa.array([None, 0, Decimal("999999999999.999999"), Decimal("-999999999999.999999"), 1, 2, 3, 4, 5], pa.decimal128(18, 6)),
            "d38": pa.array([None, 0, Decimal(10**38 - 1).scaleb(-10), Decimal(1 - 10**38).scaleb(-10), 1, 2, 3, 4, 5], pa.decimal128(38, 10)),
            "d38i": pa.array([None, 0, Decimal(10**38 - 1), Decimal(1 - 10**38), 1, 2, 3, 4, 5], pa.decimal128(38, 0)),
            "text": pa.array([None, "", "\u0000", "a\tb\r\n\"c\\", "ÅÄÖ ß", "😀👍🏽", "%_", " x ", "é"], pa.string()),
            "bytes": pa.array([None, b"", b"\x00", bytes(range(256)), b"abc", b"'", b"\xff\xfe", b"x" * 40, b"y"], pa.binary()),
            "flag": pa.array([None, True, False, True, None, False, True, True, False], pa.bool_()),
        }
    )


def moments():
    return pa.table(
        {
            "id": pa.array(range(8), pa.int32()),
            "day": pa.array([None, 0, 2_932_896, -719_528, IDES // DAY, -1, 19_782, 11_016], pa.int32()).cast(pa.date32()),
            "us": pa.array([None, 0, LAST_MICROSECOND, -62_135_596_800 * SECOND, IDES, -1, 1_709_210_096_789_012, 951_782_400 * SECOND], pa.timestamp("us")),
            "ms": pa.array([None, 0, 253_402_300_799_999, -62_135_596_800_000, -1, 1, 1_709_210_096_789, 951_782_400_000], pa.timestamp("ms")),
            "ns": pa.array([None, 0, 9_223_372_036_854_775_806, -9_223_286_400_000_000_000, -1, 1, 1_709_210_096_789_012_345, 951_782_400_000_000_000], pa.timestamp("ns")),
            "utc": pa.array([None, 0, LAST_MICROSECOND, -62_135_596_800 * SECOND, IDES, -1, 1_709_210_096_789_012, 951_782_400 * SECOND], pa.timestamp("us", "UTC")),
            "clock": pa.array([None, 0, DAY - 1, 1, 3_600 * SECOND, 43_200 * SECOND, 45_296_789_012, 59 * SECOND], pa.time64("us")),
        }
    )


def nested():
    point = pa.struct([("x", pa.int32()), ("label", pa.string())])
    return pa.table(
        {
            "id": pa.array(range(7), pa.int32()),
            "numbers": pa.array([[1, 2, 3], [], None, [None], [5, None, 5, -7], [INT64_MAX, INT64_MIN], [0]], pa.list_(pa.int64())),
            "words": pa.array([["a", "b"], [], None, [None, ""], ["ü", "😀"], ["x"] * 5, ["z", "y"]], pa.list_(pa.string())),
            "point": pa.array([{"x": 1, "label": "one"}, {"x": None, "label": "none"}, None, {"x": 3, "label": None}, {"x": -1, "label": ""}, {"x": 7, "label": "q\"q"}, {"x": 0, "label": "o"}], point),
            "grid": pa.array([[[1, 2], [3]], [[]], None, [None, [4]], [[5]], [], [[6], [7, None]]], pa.list_(pa.list_(pa.int32()))),
            "points": pa.array([[{"x": 1, "label": "a"}], [], None, [None], [{"x": None, "label": None}], [{"x": 2, "label": "b"}, {"x": 3, "label": "c"}], [{"x": 9, "label": "i"}]], pa.list_(point)),
            "tags": pa.array([[("a", 1), ("b", 2)], [], None, [("n", None)], [("ü", 3)], [("k", -1)], [("z", 0)]], pa.map_(pa.string(), pa.int32())),
            "deep": pa.array([{"when": NEW_YEAR, "prices": [Decimal("1.25"), None]}, {"when": None, "prices": []}, None, {"when": 0, "prices": None}, {"when": LAST_MICROSECOND, "prices": [Decimal("-0.01")]}, {"when": 1, "prices": [Decimal("99.99")]}, {"when": -1, "prices": [None]}], pa.struct([("when", pa.timestamp("us")), ("prices", pa.list_(pa.decimal128(10, 2)))])),
        }
    )


def documents():
    texts = ['{"a": 1, "b": [1, 2, {"c": "x"}], "d": null}', '{"a": 2.5, "b": [], "d": {"e": true}}', "[1, 2, 3]", '"text"', "null", None, '{"a": 12345678901234567890, "ü": "\\u00fc"}']
    return pa.table({"id": pa.array(range(len(texts)), pa.int32()), "body": pa.array(texts, pa.string())})


def nothing():
    return pa.table({"n": pa.array([], pa.int64()), "t": pa.array([], pa.string())})


def nulls():
    return pa.table({"n": pa.array([None] * 5, pa.int64()), "t": pa.array([None] * 5, pa.string()), "d": pa.array([None] * 5, pa.decimal128(10, 2))})


def sql_tables():
    makers = [customers, orders, ticks, edges, moments, nested, documents, nothing, nulls]
    return {make.__name__: make() for make in makers}
