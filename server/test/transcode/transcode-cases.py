"""Writes one Arrow stream per type to a directory: hard values, nulls with and without, several batches."""

import datetime
import decimal
import sys
import uuid

import pyarrow as pa

out = sys.argv[1]
D = decimal.Decimal
decimal.getcontext().prec = 100


def write(name, table, batch_rows=3, options=None):
    with pa.OSFile(f"{out}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=batch_rows)


def column(name, values, type_, **more):
    write(name, pa.table({"v": pa.array(values, type_)}), **more)


integers = {
    "int8": (8, True), "int16": (16, True), "int32": (32, True), "int64": (64, True),
    "uint8": (8, False), "uint16": (16, False), "uint32": (32, False), "uint64": (64, False),
}
for name, (bits, signed) in integers.items():
    low = -(2 ** (bits - 1)) if signed else 0
    high = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    column(name, [low, high, None, 0, 1, high - 1, low + 1], getattr(pa, name)())

inf = float("inf")
nan = float("nan")
column("float16", pa.array([0.1, -0.0, None, inf, -inf, nan, 65504.0], pa.float32()).cast(pa.float16()).to_pylist(), pa.float16())
column("float32", [0.1, -0.0, None, inf, -inf, nan, 1e-45], pa.float32())
column("float64", [0.1, -0.0, None, inf, -inf, nan, 5e-324, 1.7976931348623157e308], pa.float64())
column("bool", [True, False, None, True, True, False, None, True, False], pa.bool_())
column("null", [None] * 7, pa.null())
column("decimal32", [D("12345.6789"), D("-99999.9999"), None, D("0.0001")], pa.decimal32(9, 4))
column("decimal64", [D("12345678901234.5678"), D("-99999999999999.9999"), None], pa.decimal64(18, 4))
column("decimal128", [D("9" * 28 + "." + "9" * 10), D("-" + "9" * 28 + "." + "9" * 10), None, D("0.0000000001")], pa.decimal128(38, 10))
column("decimal128_small", [D("1.25"), None, D("-9.99")], pa.decimal128(3, 2))
column("decimal128_middle", [D("1234567890.12"), None, D("-9999999999.99")], pa.decimal128(12, 2))
column("decimal256", [D("9" * 66 + "." + "9" * 10), D("-" + "9" * 66 + "." + "9" * 10), None, D("0.0000000001")], pa.decimal256(76, 10))
column("string", ["", "a", None, "äöü€😀", "x" * 300, "nul\0in it", None], pa.string())
column("large_string", ["", "a", None, "äöü€😀", "x" * 300], pa.large_string())
column("binary", [b"", b"\xff\x00", None, bytes(range(256))], pa.binary())
column("large_binary", [b"", b"\xff\x00", None, bytes(range(256))], pa.large_binary())
column("fixed_binary", [b"\xff" * 5, None, b"\x00" * 5, b"abcde"], pa.binary(5))
column("date32", [-(2**31), 2**31 - 1, None, 0, 19000], pa.date32())
column("date64", [0, 86400000 * 19000, None, -86400000 * 19000, 86400000 * 3000000], pa.date64())
column("time32_s", [0, 86399, None], pa.time32("s"))
column("time32_ms", [0, 86399999, None], pa.time32("ms"))
column("time64_us", [0, 86399999999, None], pa.time64("us"))
column("time64_ns", [0, 86399999999999, None, 1], pa.time64("ns"))
hard = [-(2**63) + 1, 2**63 - 1, None, 0, 1, -1, 1700000000123456789]
for unit in ["s", "ms", "us", "ns"]:
    column(f"timestamp_{unit}", hard, pa.timestamp(unit))
    column(f"timestamp_{unit}_utc", hard, pa.timestamp(unit, "UTC"))
    column(f"timestamp_{unit}_zone", hard, pa.timestamp(unit, "Europe/Berlin"))
    column(f"timestamp_{unit}_offset", hard, pa.timestamp(unit, "+05:30"))
    column(f"duration_{unit}", hard, pa.duration(unit))
column("list", [[1, None, 3], [], None, [2**62]], pa.list_(pa.int64()))
column("list_named", [[1, None], [], None], pa.list_(pa.field("another", pa.int16(), nullable=True, metadata={"k": "v"})))
column("list_required", [[1, 2], [], None], pa.list_(pa.field("item", pa.int16(), nullable=False)))
column("large_list", [["a", None], [], None, [""]], pa.large_list(pa.string()))
column("fixed_list", [[1.5, None], None, [0.1, -0.0]], pa.list_(pa.float64(), 2))
column("list_of_list", [[[1], None, []], None, [], [[None, 5]]], pa.list_(pa.list_(pa.int32())))
column("struct", [{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 4, "b": ""}], pa.struct({"a": pa.int32(), "b": pa.string()}))
column("list_of_struct", [[{"a": 1}, None], None, [], [{"a": None}]], pa.list_(pa.struct({"a": pa.uint64()})))
column("struct_deep", [{"s": {"l": [{"m": D("1.5")}]}}, None, {"s": None}, {"s": {"l": None}}], pa.struct({"s": pa.struct({"l": pa.list_(pa.struct({"m": pa.decimal128(10, 3)}))})}))
column("map", [[("a", 1), ("b", None)], [], None, [("", 2**40)]], pa.map_(pa.string(), pa.int64()))
column("map_sorted", [[("a", 1), ("b", None)], [], None], pa.map_(pa.string(), pa.int64(), keys_sorted=True))
column("map_of_list", [[(1, ["x", None])], None], pa.map_(pa.int32(), pa.list_(pa.string())))
write("required", pa.table([pa.array([1, 2, 3])], schema=pa.schema([pa.field("v", pa.int64(), nullable=False)])))
write("duplicate_names", pa.Table.from_arrays([pa.array([1, 2]), pa.array(["x", "y"]), pa.array([0.5, None])], names=["v", "v", "v"]))
write("strange_names", pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4]), pa.array([0.5, None]), pa.array([7, 8])], names=["", "a.b", "ä\"'`;--\n", "list.element"]))
write("no_rows", pa.table({"a": pa.array([], pa.int64()), "s": pa.array([], pa.string())}))
write("many_columns", pa.table({f"c{i}": pa.array([i, None, i + 2]) for i in range(10000)}))
with pa.OSFile(f"{out}/no_columns.arrows", "wb") as sink:
    with pa.ipc.new_stream(sink, pa.schema([])) as writer:
        writer.write_batch(pa.RecordBatch.from_struct_array(pa.array([{}] * 5, pa.struct([]))))
write("schema_metadata", pa.table({"v": pa.array([1, 2])}).replace_schema_metadata({"b": "2", "a": "ä"}))
write("field_metadata", pa.table([pa.array([1, 2])], schema=pa.schema([pa.field("v", pa.int64(), metadata={"b": "2", "a": "1"})])))
write("uuid", pa.table({"v": pa.array([uuid.UUID(int=2**128 - 1).bytes, None, uuid.UUID(int=5).bytes], pa.uuid())}))
write("json_extension", pa.table({"v": pa.array(['{"a":1}', None], pa.json_())}))
write("tensor_extension", pa.table({"v": pa.FixedShapeTensorArray.from_storage(pa.fixed_shape_tensor(pa.int32(), [2, 2]), pa.array([[1, 2, 3, 4], [5, 6, 7, 8]], pa.list_(pa.int32(), 4)))}))
everything = pa.table({
    "i": pa.array([None if k % 7 == 0 else k * 2**40 for k in range(3000)]),
    "f": pa.array([None if k % 5 == 0 else k / 7 for k in range(3000)]),
    "s": pa.array([None if k % 3 == 0 else "s" * (k % 50) for k in range(3000)]),
    "b": pa.array([None if k % 11 == 0 else k % 2 == 0 for k in range(3000)]),
    "l": pa.array([None if k % 13 == 0 else [j for j in range(k % 5)] for k in range(3000)]),
    "t": pa.array([None if k % 4 == 0 else k * 10**9 for k in range(3000)], pa.timestamp("ns", "UTC")),
})
for codec in ["lz4", "zstd"]:
    write(f"compressed_{codec}", everything, 1000, pa.ipc.IpcWriteOptions(compression=codec))
write("small_batches", everything, 7)
# Sliced arrays: offsets that do not begin at zero, bitmaps that do not begin at a byte.
write("sliced", everything.slice(3, 2991), 501)

# Not exact, but written.
column("dictionary", pa.array(["a", None, "b", "a", "c"]).dictionary_encode().to_pylist(), pa.dictionary(pa.int32(), pa.string()))
ordered = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int8()), pa.array(["lo", "mid", "hi", "unused"]), ordered=True)
write("dictionary_ordered", pa.table({"v": ordered}))
write("dictionary_compressed", pa.table({"v": ordered, "i": pa.array([1, 2, 3, 4])}), 2, pa.ipc.IpcWriteOptions(compression="zstd"))
write("dictionary_of_int", pa.table({"v": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint8()), pa.array([2**40, 5]))}))
def replaced(name, deltas):
    schema = pa.schema([("v", pa.dictionary(pa.int32(), pa.string()))])
    with pa.OSFile(f"{out}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)) as writer:
            for values in ["ab", "abc", "abcd"] if deltas else ["ab", "cd", "e"]:
                indices = pa.array(range(len(values)), pa.int32())
                writer.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(indices, pa.array(list(values)))], schema=schema))
replaced("dictionary_deltas", True)
replaced("dictionary_replaced", False)
column("string_view", ["", "a", None, "x" * 300], pa.string_view())
column("binary_view", [b"", b"a", None, b"x" * 300], pa.binary_view())
write("list_view", pa.table({"v": pa.array([[1, None], [], None], pa.list_view(pa.int64()))}))
write("run_end", pa.table({"v": pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array(["a", None]))}))
schema = pa.schema([("v", pa.int64())])
with pa.OSFile(f"{out}/batch_metadata.arrows", "wb") as sink:
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch([pa.array([1, 2])], schema=schema), custom_metadata={"k": "v"})

# Not writable.
write("union_sparse", pa.table({"v": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])])}))
write("union_dense", pa.table({"v": pa.UnionArray.from_dense(pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])])}))
write("interval", pa.table({"v": pa.array([pa.MonthDayNano([1, 2, 3]), None], pa.month_day_nano_interval())}))
column("struct_empty", [{}, None, {}], pa.struct([]))
write("dictionary_of_struct", pa.table({"v": pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array([{"a": 1}]))}))

# Written without the columns that Parquet cannot hold.
union = pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["a"])])
sparse = pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])])
rest = {
    "i": pa.array([1, None, 3]),
    "union": union,
    "s": pa.array(["a", None, "c"]),
    "sparse": sparse,
    "interval": pa.array([pa.MonthDayNano([1, 2, 3]), None, None], pa.month_day_nano_interval()),
    "empty": pa.array([{}, None, {}], pa.struct([])),
    "deep": pa.array([[{"a": {}}], None, []], pa.list_(pa.struct([("a", pa.struct([]))]))),
    "of_struct": pa.DictionaryArray.from_arrays(pa.array([0, None, 0], pa.int8()), pa.array([{"a": 1}])),
    "d": pa.array(["x", None, "y"]).dictionary_encode(),
    "negative": pa.array([D("1.5E+3"), None, D("2E+2")], pa.decimal128(10, -2)),
    "ree": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", None])),
    "view": pa.array(["", None, "x" * 50], pa.string_view()),
    "l": pa.array([[1.5], None, []], pa.list_(pa.float64())),
}
write("partial", pa.table(rest))
write("partial_small_batches", pa.concat_tables([pa.table(rest)] * 5), 2)
write("partial_compressed", pa.table({k: v for k, v in rest.items() if k != "ree"}), 2, pa.ipc.IpcWriteOptions(compression="zstd"))
odd = pa.schema([pa.field("v", pa.int64(), metadata={b"k": b"\xff", b"ok": b"1"})], metadata={b"\xfe": b"x", b"fine": b"2"})
write("partial_metadata", pa.table([pa.array([1, None, 3])], schema=odd))
print("null")
