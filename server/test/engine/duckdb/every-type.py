"""Writes one stream with a column of every Arrow type, and of each of them inside of others, beside a column of integers."""

import decimal
import sys

import pyarrow as pa

D = decimal.Decimal
span = pa.array([pa.MonthDayNano([1, 2, 3]), None], pa.month_day_nano_interval())
sparse = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
dense = pa.UnionArray.from_dense(pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["b"])])
plain = {
    "null": pa.nulls(2), "bool": pa.array([True, None]), "float16": pa.array([1.5, None], pa.float16()), "float32": pa.array([1.5, None], pa.float32()),
    "decimal32": pa.array([D("1.5"), None], pa.decimal32(5, 1)), "decimal64": pa.array([D("1.5"), None], pa.decimal64(15, 1)),
    "decimal256": pa.array([D("1.5"), None], pa.decimal256(60, 1)), "negative": pa.array([D("100"), None], pa.decimal128(5, -2)),
    "date32": pa.array([1, None], pa.int32()).view(pa.date32()), "date64": pa.array([86400001, None], pa.int64()).view(pa.date64()),
    "time32": pa.array([1, None], pa.time32("s")), "time64": pa.array([1, None], pa.time64("ns")),
    "timestamp": pa.array([1, None], pa.timestamp("ns")), "instant": pa.array([1, None], pa.timestamp("ns", "UTC")),
    "duration": pa.array([1, None], pa.duration("ns")), "interval": span, "utf8": pa.array(["a", None]), "large": pa.array(["a", None], pa.large_string()),
    "view": pa.array(["a", None], pa.string_view()), "binary": pa.array([b"a", None]), "binary_view": pa.array([b"a", None], pa.binary_view()),
    "fixed": pa.array([b"ab", None], pa.binary(2)), "list": pa.array([[1], None]), "large_list": pa.array([[1], None], pa.large_list(pa.int8())),
    "list_view": pa.array([[1], None], pa.list_view(pa.int8())), "fixed_list": pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
    "struct": pa.array([{"a": 1}, None]), "empty": pa.array([{}, None], pa.struct([])), "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int8())),
    "sparse": sparse, "dense": dense, "run_end": pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["a"])),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"1" * 16, None], pa.binary(16))), "same": pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([1, 2])], names=["a", "a"]),
    "nameless": pa.StructArray.from_arrays([pa.array([1, 2])], names=[""]),
}
columns = {"ok": pa.array([20, 22])}
for name, array in plain.items():
    columns[name] = array
    columns[f"{name} in a list"] = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), array)
    columns[f"{name} in a struct"] = pa.StructArray.from_arrays([array], names=["m"])
    columns[f"{name} in a map"] = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["k", "l"]), array)
    if not isinstance(array, pa.ExtensionArray):
        columns[f"{name} in a dictionary"] = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), array)
table = pa.table(columns)
with pa.OSFile(f"{sys.argv[1]}/every.arrows", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
print("null")
