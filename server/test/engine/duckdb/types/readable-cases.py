"""Writes Arrow streams whose values reach as far as SQL's types do, also inside of lists, structs and maps."""

import decimal
import sys
import uuid

import pyarrow as pa

out = sys.argv[1]
D = decimal.Decimal


def write(name, table):
    with pa.OSFile(f"{out}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)


def column(name, values, type_):
    write(name, pa.table({"v": pa.array(values, type_)}))


seconds = [-9223372036854, 9223372036854, None, 0, -1, 1700000000]
milliseconds = [-9223372036854775, 9223372036854775, None, 0, -1, 1700000000123]
microseconds = [-(2**63) + 2, 2**63 - 2, None, 0, -1, 1700000000123456]
for zone in [None, "UTC", "Europe/Berlin", "+05:30"]:
    label = (zone or "plain").replace("/", "_").replace("+", "p").replace(":", "")
    column(f"near_timestamp_s_{label}", seconds, pa.timestamp("s", zone))
    column(f"near_timestamp_ms_{label}", milliseconds, pa.timestamp("ms", zone))
    column(f"near_timestamp_us_{label}", microseconds, pa.timestamp("us", zone))
    # Whole microseconds, as pandas has them.
    if zone is not None:
        column(f"near_timestamp_ns_{label}", [-9223372036854775000, 9223372036854775000, None, 0, -1000, 1700000000123456000], pa.timestamp("ns", zone))
column("list_of_timestamp_ns_zone", [[1000, None], None, [-1000]], pa.list_(pa.timestamp("ns", "UTC")))
column("struct_of_timestamp_ns_zone", [{"t": 1000, "d": 2000}, None, {"t": None, "d": None}], pa.struct({"t": pa.timestamp("ns", "UTC"), "d": pa.duration("ns")}))
column("near_timestamp_ns_plain", [-(2**63) + 2, 2**63 - 2, None, 0, -1, 1700000000123456789], pa.timestamp("ns"))
# Arrow's interval has nanoseconds: 292 years.
column("near_duration_s", [-9223372036, 9223372036, None, 0], pa.duration("s"))
column("near_duration_ms", [-9223372036854, 9223372036854, None, 0], pa.duration("ms"))
column("near_duration_us", [-9223372036854775, 9223372036854775, None, 0], pa.duration("us"))
column("near_duration_ns", [-9223372036854775000, 9223372036854775000, None, 0, 1000], pa.duration("ns"))
column("near_date64", [0, 86400000 * 2147483646, None, -86400000 * 2147483646], pa.date64())
column("decimal256_narrow", [D("9" * 28 + "." + "9" * 10), D("-0.0000000001"), None], pa.decimal256(38, 10))
column("decimal_all_scale", [D("0.999"), D("-0.001"), None], pa.decimal128(3, 3))
one = uuid.UUID("12345678-9abc-def0-8123-456789abcdef").bytes
uuids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([one, None, b"\0" * 16], pa.binary(16)))
write("list_of_uuid", pa.table({"v": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3]), uuids)}))
column("list_of_seconds", [[1, None, -1], [], None, [1700000000]], pa.list_(pa.timestamp("s")))
column("list_of_list_of_seconds", [[[1], None, []], None, [[None]]], pa.list_(pa.list_(pa.timestamp("s", "UTC"))))
column("struct_of_seconds", [{"t": 5, "n": 1}, None, {"t": None, "n": 2}], pa.struct({"t": pa.time32("s"), "n": pa.int8()}))
column("struct_in_list", [[{"a b": 5, 'q"': [86400000]}, None], None, []], pa.list_(pa.struct({"a b": pa.timestamp("s"), 'q"': pa.list_(pa.date64())})))
column("map_to_seconds", [[("a", 5), ("b", None)], [], None], pa.map_(pa.string(), pa.timestamp("s")))
column("map_from_seconds", [[(7, "x")], None], pa.map_(pa.timestamp("s"), pa.string()))
column("list_of_dictionary", [["a", None], None], pa.list_(pa.dictionary(pa.int8(), pa.string())))
column("large_list_view", [[1], None, []], pa.large_list_view(pa.int16()))
write("bool8", pa.table({"v": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))}))
write("geo_metadata", pa.table({"v": pa.array([b"\x01\x01\x00\x00\x00" + b"\0" * 16, None])}).replace_schema_metadata({"geo": '{"version":"1.0.0","primary_column":"v","columns":{"v":{"encoding":"WKB","geometry_types":[]}}}'}))
write("case_names", pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3]), pa.array([4])], names=["a", "A", "a_1", ""]))


# Categories: values that no row has, nulls among rows and values, indices of every width.
categories = {
    "bool": pa.array([True, False, None]),
    "int8": pa.array([-1, 2, None], pa.int8()),
    "uint64": pa.array([0, 2**64 - 1, None], pa.uint64()),
    "float16": pa.array([1.5, -0.0, None], pa.float16()),
    "float64": pa.array([1.5, -0.0, None]),
    "decimal32": pa.array([D("1.5"), D("-2.5"), None], pa.decimal32(5, 1)),
    "decimal128": pa.array([D("1.5"), D("-2.5"), None], pa.decimal128(38, 1)),
    "decimal256": pa.array([D("1.5"), D("-2.5"), None], pa.decimal256(38, 1)),
    "date32": pa.array([1, -2, None], pa.int32()).view(pa.date32()),
    "date64": pa.array([86400000, 0, None], pa.int64()).view(pa.date64()),
    "time32": pa.array([1, 2, None], pa.time32("s")),
    "time64": pa.array([1, 2, None], pa.time64("ns")),
    "timestamp_s": pa.array([1, -2, None], pa.timestamp("s")),
    "timestamp_ns": pa.array([1, -2, None], pa.timestamp("ns")),
    "timestamp_ns_zone": pa.array([1000, -2000, None], pa.timestamp("ns", "UTC")),
    "timestamp_us_zone": pa.array([1, -2, None], pa.timestamp("us", "Europe/Berlin")),
    "duration_ns": pa.array([1000, -2000, None], pa.duration("ns")),
    "duration_s": pa.array([1, -2, None], pa.duration("s")),
    "string": pa.array(["a", "", None]),
    "large_string": pa.array(["a", "", None], pa.large_string()),
    "string_view": pa.array(["äöü", "longer than twelve bytes", None], pa.string_view()),
    "binary_view": pa.array([b"\xff", b"longer than twelve bytes", None], pa.binary_view()),
    "fixed_binary": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "list": pa.array([[1, None], [], None]),
    "list_view": pa.array([[1, None], [2], None], pa.list_view(pa.int64())),
    "fixed_list": pa.array([[1, None], [2, 3], None], pa.list_(pa.int8(), 2)),
    "struct": pa.array([{"a": 1, "b": "x"}, {"a": None, "b": "y"}, None]),
    "struct_of_dictionary": pa.StructArray.from_arrays([pa.array(["x", None, "y"], pa.string()).dictionary_encode()], names=["c"]),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "null": pa.nulls(3),
}
write("categories", pa.table({name: pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 0, 2], pa.uint32()), values) for name, values in categories.items()}))
indices = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
texts = pa.array(["unused", "longer than twelve bytes", "b"], pa.string_view())
write("category_indices", pa.table({str(type_): pa.DictionaryArray.from_arrays(pa.array([2, None, 1, 1], type_), texts, ordered=True) for type_ in indices}))
write("category_never_used", pa.table({"never": pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], pa.struct({"a": pa.int8()})))}))
write("category_no_rows", pa.table({"none": pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), pa.array(["a"], pa.string_view()))}))
inner = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.uint8()), pa.array(["a", "b"], pa.string_view()))
write("list_of_category", pa.table({"v": pa.ListArray.from_arrays(pa.array([0, 2, 2, 3]), inner), "w": pa.array([1, 2, 3])}))
# As pandas.cut gives them.
write("category_of_intervals", pa.table({"v": pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1], pa.int8()), pa.array([{"left": 0.998, "right": 2.0}, {"left": 2.0, "right": 3.0}]), ordered=True)}))

# Refused, beside a column that can be read.
def refused(name, array):
    write(f"refused_{name}", pa.table({"ok": pa.array(range(len(array))), "v": array}))

refused("timestamp_ns_zone", pa.array([1, None], pa.timestamp("ns", "UTC")))
refused("list_of_timestamp_ns_zone", pa.array([[1], None], pa.list_(pa.timestamp("ns", "UTC"))))
refused("decimal256", pa.array([D("1.5"), None], pa.decimal256(39, 2)))
refused("date64_with_time", pa.array([86400001, None], pa.int64()).view(pa.date64()))
refused("duration_ns_odd", pa.array([1001, None], pa.duration("ns")))
refused("struct_same_names", pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "A"]))
# Not in the Parquet form.
refused("interval", pa.array([pa.MonthDayNano([1, 2, 3]), None], pa.month_day_nano_interval()))
refused("struct_empty", pa.array([{}, None], pa.struct([])))
refused("dictionary_of_interval", pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array([pa.MonthDayNano([1, 2, 3])])))
refused("negative_scale", pa.array([D("100"), None], pa.decimal128(10, -2)))
refused("union", pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]))
write("refused_twice", pa.Table.from_arrays([pa.array([pa.MonthDayNano([1, 2, 3])], pa.month_day_nano_interval()), pa.array([5]), pa.array([6])], names=["v", "ok", "v"]))
print("null")
