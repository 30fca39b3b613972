"""Writes Arrow IPC streams with pyarrow into the folder given, and for some of them the values they hold as JSON."""

import decimal
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

decimal.getcontext().prec = 200
folder = Path(sys.argv[1])


def value(scalar):
    """A scalar as JSON: whole numbers as strings, bytes as hex, times as the stored number."""
    kind = scalar.type
    if isinstance(scalar, pa.UnionScalar):
        return None if scalar.value is None else value(scalar.value)
    if not scalar.is_valid:
        return None
    if isinstance(scalar, (pa.DictionaryScalar, pa.ExtensionScalar)):
        return value(scalar.value)
    if pa.types.is_boolean(kind):
        return scalar.as_py()
    if pa.types.is_integer(kind):
        return str(scalar.as_py())
    if pa.types.is_floating(kind):
        number = float(scalar.as_py())
        return number if np.isfinite(number) else str(number)
    if pa.types.is_decimal(kind):
        return str(int(scalar.as_py().scaleb(kind.scale)))
    if isinstance(scalar, pa.MonthDayNanoIntervalScalar):
        return [str(part) for part in scalar.as_py()]
    if pa.types.is_temporal(kind):
        return str(scalar.value)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return scalar.as_py()
    if isinstance(scalar, (pa.BinaryScalar, pa.LargeBinaryScalar, pa.FixedSizeBinaryScalar, pa.BinaryViewScalar)):
        return scalar.as_py().hex()
    if isinstance(scalar, pa.MapScalar):
        return [[value(entry["key"]), value(entry["value"])] for entry in scalar.values]
    if isinstance(scalar, pa.ListScalar) or hasattr(scalar, "values") and not isinstance(scalar, pa.StructScalar):
        return [value(item) for item in scalar.values]
    if isinstance(scalar, pa.StructScalar):
        return {name: value(scalar[index]) for index, name in enumerate(field.name for field in kind)}
    raise TypeError(kind)


def column_values(array):
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    return [value(scalar) for scalar in array]


def write(name, batches, expected=True, schema=None, **options):
    schema = schema or batches[0].schema
    with pa.OSFile(str(folder / f"{name}.arrows"), "wb") as sink:
        with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            for batch in batches:
                writer.write_batch(batch)
    if expected:
        values = [[column_values(column) for column in batch.columns] for batch in batches]
        (folder / f"{name}.json").write_text(json.dumps(values))


def batch(**columns):
    return pa.record_batch(list(columns.values()), names=list(columns.keys()))


def integers(kind, low, high):
    return pa.array([low, None, 0, high, 1], kind)


words = ["", None, "żółw — \U0001f422", "a longer text than twelve bytes", "end"]
raw = [b"", None, b"\x00\xff", b"\x80" * 40, b"z"]
numbers = batch(
    bool=pa.array([True, None, False, True, True]),
    i8=integers(pa.int8(), -128, 127),
    i16=integers(pa.int16(), -(2**15), 2**15 - 1),
    i32=integers(pa.int32(), -(2**31), 2**31 - 1),
    i64=integers(pa.int64(), -(2**63), 2**63 - 1),
    u8=integers(pa.uint8(), 0, 255),
    u16=integers(pa.uint16(), 0, 2**16 - 1),
    u32=integers(pa.uint32(), 0, 2**32 - 1),
    u64=integers(pa.uint64(), 0, 2**64 - 1),
    f16=pa.array(np.array([1.5, -0.25, 65504, 0, np.inf], np.float16)),
    f32=pa.array([1.5, None, float("nan"), float("-inf"), 0.1], pa.float32()),
    f64=pa.array([0.1, None, float("nan"), 1e308, -0.0]),
    null=pa.nulls(5),
    d32=pa.array([decimal.Decimal("1234567.89"), None, 0, -1, 1], pa.decimal32(9, 2)),
    d64=pa.array([decimal.Decimal("-1234567890123456.78"), None, 0, -1, 1], pa.decimal64(18, 2)),
    d128=pa.array([decimal.Decimal("9" * 36 + ".99"), None, 0, -1, 1], pa.decimal128(38, 2)),
    d256=pa.array([decimal.Decimal("-" + "9" * 74 + ".99"), None, 0, -1, 1], pa.decimal256(76, 2)),
)
times = batch(
    date32=pa.array([-1, None, 0, 20000, 1], pa.int32()).cast(pa.date32()),
    date64=pa.array([-86400000, None, 0, 86400000, 0], pa.int64()).cast(pa.date64()),
    time_s=pa.array([0, None, 86399, 1, 2], pa.int32()).cast(pa.time32("s")),
    time_ms=pa.array([0, None, 86399999, 1, 2], pa.int32()).cast(pa.time32("ms")),
    time_us=pa.array([0, None, 86399999999, 1, 2], pa.int64()).cast(pa.time64("us")),
    time_ns=pa.array([0, None, 86399999999999, 1, 2], pa.int64()).cast(pa.time64("ns")),
    ts_s=pa.array([-1, None, 0, 10**10, 2], pa.int64()).cast(pa.timestamp("s")),
    ts_ms=pa.array([-1, None, 0, 10**13, 2], pa.int64()).cast(pa.timestamp("ms", "Europe/Warsaw")),
    ts_us=pa.array([-1, None, 0, 10**16, 2], pa.int64()).cast(pa.timestamp("us")),
    ts_ns=pa.array([-1, None, 0, 2**63 - 1, 2], pa.int64()).cast(pa.timestamp("ns", "UTC")),
    duration=pa.array([-1, None, 0, 2**60, 2], pa.int64()).cast(pa.duration("ns")),
    interval=pa.array([(1, 2, 3), None, (-1, -2, -3), (0, 0, 0), (12, 31, 10**15)], pa.month_day_nano_interval()),
)
texts = batch(
    utf8=pa.array(words),
    large_utf8=pa.array(words, pa.large_string()),
    utf8_view=pa.array(words, pa.string_view()),
    binary=pa.array(raw),
    large_binary=pa.array(raw, pa.large_binary()),
    binary_view=pa.array(raw, pa.binary_view()),
    fixed=pa.array([b"abc", None, b"\x00\x00\x00", b"xyz", b"123"], pa.binary(3)),
    uuid=pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef", None] * 2 + [b"f" * 16], pa.binary(16))),
)
lists = [[1, 2], None, [], [None, 3], [4]]
points = [{"x": 1, "y": "a"}, None, {"x": None, "y": None}, {"x": 2, "y": "b"}, {"x": 3, "y": "ccc"}]
point = pa.struct([("x", pa.int32()), ("y", pa.string())])
nested = batch(
    list=pa.array(lists, pa.list_(pa.int64())),
    large_list=pa.array(lists, pa.large_list(pa.int16())),
    list_view=pa.array(lists, pa.list_view(pa.int32())),
    large_list_view=pa.array(lists, pa.large_list_view(pa.int32())),
    fixed_list=pa.array([[1, 2], None, [3, None], [4, 5], [6, 7]], pa.list_(pa.int8(), 2)),
    struct=pa.array(points, point),
    list_of_struct=pa.array([points, None, [], points[:2], []], pa.list_(point)),
    map=pa.array([[("a", 1)], None, [], [("b", None), ("c", 3)], []], pa.map_(pa.string(), pa.int64())),
    list_of_list=pa.array([[["a"], []], None, [None], [], [["b", None]]], pa.list_(pa.list_(pa.string()))),
)
dense = pa.UnionArray.from_dense(
    pa.array([5, 7, 5, 7, 7], pa.int8()),
    pa.array([0, 0, 1, 1, 2], pa.int32()),
    [pa.array([1, None], pa.int64()), pa.array(["a", "b", None])],
    ["number", "text"],
    [5, 7],
)
sparse = pa.UnionArray.from_sparse(
    pa.array([0, 1, 0, 1, 1], pa.int8()), [pa.array([1, 2, None, 4, 5]), pa.array(["a", "b", "c", None, "e"])]
)
run_ends = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 5], pa.int32()), pa.array(["x", None, "y"]))
short_runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 5], pa.int16()), pa.array([7, 8]))
other = batch(dense=dense, sparse=sparse, run_ends=run_ends, short_runs=short_runs)
codes = pa.array([0, None, 2, 1, 0], pa.int8())
symbols = pa.DictionaryArray.from_arrays(codes, pa.array(["lo", "mid", "hi", "unused"]), ordered=True)
dictionaries = batch(
    symbol=symbols,
    wide=pa.DictionaryArray.from_arrays(codes.cast(pa.int64()), pa.array([10, 20, 30])),
    unsigned=pa.DictionaryArray.from_arrays(codes.cast(pa.uint32()), pa.array(["a", "b", None])),
    of_struct=pa.DictionaryArray.from_arrays(codes, pa.array([points[0], points[3], None], point)),
    in_list=pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 5, 5], pa.int32()), symbols),
    in_struct=pa.StructArray.from_arrays([symbols], ["category"]),
    nested=pa.DictionaryArray.from_arrays(
        codes, pa.StructArray.from_arrays([symbols.slice(0, 3), pa.array([1, 2, 3])], ["category", "n"])
    ),
)

write("numbers", [numbers, numbers.slice(1, 3), numbers.slice(5)])
write("times", [times, times.slice(2)])
write("texts", [texts, texts.slice(1, 3), texts.slice(0, 0)])
write("nested", [nested, nested.slice(1, 3), nested.slice(4)])
write("other", [other])
write("other-v4", [batch(dense=dense, sparse=sparse)], metadata_version=pa.ipc.MetadataVersion.V4)
write("dictionaries", [dictionaries, dictionaries.slice(1, 3)])
everything = pa.record_batch(
    [column for part in (numbers, times, texts, nested, dictionaries) for column in part.columns],
    names=[name for part in (numbers, times, texts, nested, dictionaries) for name in part.schema.names],
)
long = pa.Table.from_batches([everything] * 200).combine_chunks().to_batches()[0]
for codec in ("lz4", "zstd"):
    write(f"everything-{codec}", [everything, everything.slice(2, 2)], compression=codec)
    write(f"long-{codec}", [long], compression=codec)
write("everything", [everything])


def symbol_batch(values, codes):
    return batch(symbol=pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(values)))


growing = [symbol_batch(["a", "b"], [0, 1]), symbol_batch(["a", "b", "c"], [2, None, 0]), symbol_batch(["a", "b", "c", "d"], [3])]
write("dictionary-delta", growing, emit_dictionary_deltas=True)
write("dictionary-replaced", [symbol_batch(["a", "b"], [0, 1]), symbol_batch(["c"], [0, 0])])


def delta_of(name, values):
    """The same values with a dictionary that grows by a delta."""
    head = values.slice(0, 2)
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int16()), head)
    second = pa.DictionaryArray.from_arrays(pa.array(list(range(len(values))), pa.int16()), values)
    write(f"delta-{name}", [batch(c=first), batch(c=second)], emit_dictionary_deltas=True)


for part in (numbers, times, texts, nested):
    for name in part.schema.names:
        if name not in ("list_view", "large_list_view", "uuid"):
            try:
                delta_of(name, part.column(name))
            except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as refusal:
                print(f"no delta of {name}: {refusal}", file=sys.stderr)

empty = numbers.slice(0, 0)
write("no-batches", [], expected=False, schema=nested.schema)
write("empty-batches", [empty, empty])
write("no-columns", [pa.record_batch([], schema=pa.schema([]))])
wide = pa.record_batch([pa.array([index, None]) for index in range(10_000)], names=[f"c{index}" for index in range(10_000)])
write("wide", [wide, wide], expected=False)
described = pa.schema(
    [pa.field("a", pa.int64(), nullable=False, metadata={"unit": "m", b"\xff\xfe": b"\x80abc"})],
    metadata={"pandas": "{}", "żółw": "\U0001f422"},
)
write("metadata", [pa.record_batch([pa.array([1, 2])], schema=described)])
with pa.OSFile(str(folder / "batch-metadata.arrows"), "wb") as sink:
    with pa.ipc.new_stream(sink, pa.schema([("a", pa.int64())])) as writer:
        writer.write_batch(batch(a=pa.array([1])), custom_metadata={"k": "v"})
print(json.dumps(pa.__version__))
