"""Frames for the round trip: each case sets every digit and every bit that its type has."""

import uuid
from decimal import Decimal, getcontext

import numpy as np
import pyarrow as pa

# Python rounds decimals to 28 digits unless told otherwise.
getcontext().prec = 100

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
ODD_BITS = 0x5A5AA5A5C3C33C3D


class Case:
    """A schema, its batches, and how they are written."""

    def __init__(self, schema, batches, options=None, group="types"):
        self.schema = schema
        self.batches = batches
        self.options = options
        self.group = group


def column(array, nullable=True, metadata=None):
    field = pa.field("c", array.type, nullable=nullable, metadata=metadata)
    schema = pa.schema([field])
    return Case(schema, [pa.RecordBatch.from_arrays([array], schema=schema)])


def integers(type_, bits, signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    pattern = ODD_BITS & (2**bits - 1)
    if signed and pattern > high:
        pattern -= 2**bits
    each_bit = [min(high, 2**bit) for bit in range(bits)]
    return column(pa.array([low, high, pattern, 0, None] + each_bit, type_))


def doubles():
    bits = [0, 1 << 63, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF800000000BEEF]
    bits += [0xFFF8000000000001, 1, 0x000FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0x3FB999999999999A]
    bits += [1 << bit for bit in range(52)]
    return column(pa.array(np.array(bits, np.uint64).view(np.float64)))


def floats():
    bits = [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC0BEEF, 1, 0x7F7FFFFF, 0x3DCCCCCD]
    return column(pa.array(np.array(bits + [1 << bit for bit in range(23)], np.uint32).view(np.float32)))


def halves():
    return column(pa.array(np.arange(0, 2**16, 7, dtype=np.uint16).view(np.float16)))


def timestamps(unit, zone):
    values = [INT64_MAX, INT64_MIN + 1, 0, -1, 1, 1704067199123456789, -1704067199123456789, None, ODD_BITS]
    return column(pa.array(values, pa.int64()).cast(pa.timestamp(unit, zone)))


def decimals(type_, digits, scale):
    whole = Decimal(("123456789" * 9)[:digits])
    values = [Decimal("9" * digits), -Decimal("9" * digits), whole, -whole, Decimal(1), Decimal(0), None]
    return column(pa.array([value if value is None else value.scaleb(-scale) for value in values], type_))


def table_case(table, options=None, group="types"):
    return Case(table.schema, table.to_batches(), options, group)


def dictionaries(ordered):
    categories = pa.array(["lo", "mid", "hi", "never used"])
    indices = pa.array([2, 0, None, 2, 1], pa.int8())
    return column(pa.DictionaryArray.from_arrays(indices, categories, ordered=ordered))


def dictionary_batches(options):
    """Three batches, each with another dictionary; the second one continues the first."""
    type_ = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([pa.field("c", type_), pa.field("n", pa.int64())])
    batches = []
    for start, categories in enumerate([["a", "b"], ["a", "b", "c"], ["z", "a"]]):
        indices = pa.array([0, len(categories) - 1, None, 1], pa.int32())
        array = pa.DictionaryArray.from_arrays(indices, pa.array(categories))
        numbers = pa.array(range(start * 4, start * 4 + 4), pa.int64())
        batches.append(pa.RecordBatch.from_arrays([array, numbers], schema=schema))
    return Case(schema, batches, options, "streams")


def dictionary_deltas():
    type_ = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([pa.field("c", type_)])
    batches = []
    for categories in [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]]:
        indices = pa.array(range(len(categories)), pa.int32())
        array = pa.DictionaryArray.from_arrays(indices, pa.array(categories))
        batches.append(pa.RecordBatch.from_arrays([array], schema=schema))
    return Case(schema, batches, pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True), "streams")


class Celsius(pa.ExtensionType):
    def __init__(self, accuracy):
        self.accuracy = accuracy
        super().__init__(pa.float64(), "framehold.test.celsius")

    def __arrow_ext_serialize__(self):
        return self.accuracy.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls(serialized.decode())


pa.register_extension_type(Celsius("any"))


def mixed(rows, start=0):
    numbers = np.arange(start, start + rows, dtype=np.int64)
    return pa.table(
        {
            "id": pa.array(numbers * 1000003 + ODD_BITS % 2**40),
            "price": pa.array(np.sqrt(numbers.astype(np.float64))),
            "name": pa.array([None if n % 7 == 0 else f"name-{n}-é" for n in numbers.tolist()], pa.string()),
            "flag": pa.array([n % 3 == 0 for n in numbers.tolist()]),
            "when": pa.array(numbers * 1_000_001, pa.timestamp("us", "UTC")),
        }
    )


def with_metadata():
    fields = [
        pa.field("id", pa.int64(), nullable=False, metadata={"unit": "pieces", "empty": ""}),
        pa.field("list", pa.list_(pa.field("piece", pa.int32(), nullable=False, metadata={"inner": "yes"}))),
    ]
    schema = pa.schema(fields, metadata={"owner": "tests", "pandas": '{"index_columns": []}', "empty": ""})
    arrays = [pa.array([1, 2, 3], pa.int64()), pa.array([[1], [], None], fields[1].type)]
    return Case(schema, [pa.RecordBatch.from_arrays(arrays, schema=schema)], None, "shapes")


def with_raw_metadata():
    field = pa.field("c", pa.int64(), metadata={b"raw\xff": b"\x00\x01\xfe"})
    schema = pa.schema([field], metadata={b"\x80": b"\xff"})
    return Case(schema, [pa.RecordBatch.from_arrays([pa.array([1, None], pa.int64())], schema=schema)], None, "shapes")


def pandas_category():
    import pandas as pd

    frame = pd.DataFrame(
        {"size": pd.Categorical(["hi", "lo", "hi"], categories=["lo", "mid", "hi", "unused"], ordered=True)},
        index=pd.Index([10, 20, 30], name="key"),
    )
    return table_case(pa.Table.from_pandas(frame))


def zero_columns(rows):
    batch = pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
    return Case(batch.schema, [batch], None, "shapes")


def wide(columns):
    schema = pa.schema([pa.field(f"column_{number}", pa.int32()) for number in range(columns)])
    arrays = [pa.array([number, None], pa.int32()) for number in range(columns)]
    return Case(schema, [pa.RecordBatch.from_arrays(arrays, schema=schema)], None, "shapes")


def partly_writable():
    union = pa.UnionArray.from_dense(
        pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["a"])]
    )
    interval = pa.array([pa.MonthDayNano([1, 2, 3]), None, None], pa.month_day_nano_interval())
    batch = pa.record_batch(
        {"a": pa.array([ODD_BITS, None, 3]), "union": union, "interval": interval, "b": pa.array(["x", None, "z"])}
    )
    return Case(batch.schema, [batch], None, "shapes")


def duplicate_names():
    schema = pa.schema([pa.field("a", pa.int64()), pa.field("a", pa.string()), pa.field("", pa.int8())])
    arrays = [pa.array([1], pa.int64()), pa.array(["x"]), pa.array([7], pa.int8())]
    return Case(schema, [pa.RecordBatch.from_arrays(arrays, schema=schema)], None, "shapes")


def empty_batches():
    full = mixed(5).to_batches()[0]
    none = full.slice(0, 0)
    return Case(full.schema, [none, full, none, full, none], None, "shapes")


def many_batches():
    schema = mixed(1).schema
    return Case(schema, [mixed(100, part * 100).to_batches()[0] for part in range(50)], None, "shapes")


def sliced():
    return Case(mixed(1).schema, [mixed(1000).to_batches()[0].slice(13, 100)], None, "shapes")


def long_strings():
    values = ["x" * length for length in range(0, 40)] + [None, "y" * 100_000]
    return values


def compressed(codec):
    return table_case(mixed(5000), pa.ipc.IpcWriteOptions(compression=codec), "streams")


def compressed_nested(codec):
    table = pa.table(
        {
            "list": pa.array([[1, None], [], None] * 50, pa.list_(pa.int64())),
            "dictionary": pa.array(["a", "b", None] * 50).dictionary_encode(),
            "view": pa.array(["short", "longer than twelve bytes", None] * 50, pa.string_view()),
        }
    )
    return table_case(table, pa.ipc.IpcWriteOptions(compression=codec), "streams")


def unions(dense):
    types = pa.array([0, 1, 1, 0, 2], pa.int8())
    if dense:
        children = [pa.array([1, ODD_BITS], pa.int64()), pa.array(["a", None]), pa.array([1.5])]
        array = pa.UnionArray.from_dense(types, pa.array([0, 0, 1, 1, 0], pa.int32()), children, ["i", "s", "d"])
    else:
        children = [pa.array([1, 2, 3, ODD_BITS, 5], pa.int64()), pa.array(["p", "a", None, "q", "r"])]
        children.append(pa.array([1.5] * 5))
        array = pa.UnionArray.from_sparse(types, children, ["i", "s", "d"])
    return column(array)


def nested_everything():
    inner = pa.struct([pa.field("when", pa.timestamp("ns", "Asia/Tokyo")), pa.field("tags", pa.list_(pa.string()))])
    type_ = pa.list_(pa.struct([pa.field("m", pa.map_(pa.string(), inner)), pa.field("d", pa.decimal128(20, 4))]))
    value = {"m": [("k", {"when": 1704067199123456789, "tags": ["a", None]})], "d": Decimal("1234567890123456.7891")}
    return column(pa.array([[value, None], [], None, [{"m": [], "d": None}]], type_))


def cases():
    all_cases = {
        "bool": column(pa.array([True, False, None] * 7)),
        "null": column(pa.nulls(5)),
        "int8": integers(pa.int8(), 8, True),
        "int16": integers(pa.int16(), 16, True),
        "int32": integers(pa.int32(), 32, True),
        "int64": integers(pa.int64(), 64, True),
        "uint8": integers(pa.uint8(), 8, False),
        "uint16": integers(pa.uint16(), 16, False),
        "uint32": integers(pa.uint32(), 32, False),
        "uint64": integers(pa.uint64(), 64, False),
        "float16": halves(),
        "float32": floats(),
        "float64": doubles(),
        "decimal32(1,0)": decimals(pa.decimal32(1, 0), 1, 0),
        "decimal32(9,2)": decimals(pa.decimal32(9, 2), 9, 2),
        "decimal64(18,6)": decimals(pa.decimal64(18, 6), 18, 6),
        "decimal128(38,9)": decimals(pa.decimal128(38, 9), 38, 9),
        "decimal128(10,-2)": column(pa.array([Decimal("12300"), Decimal("-99999999900")], pa.decimal128(10, -2))),
        "decimal256(76,38)": decimals(pa.decimal256(76, 38), 76, 38),
        "date32": column(pa.array([0, -1, 19782, 2**31 - 1, -(2**31), None], pa.int32()).cast(pa.date32())),
        "date64": column(pa.array([0, -86400000, 1709164800000, 253402214400000, None], pa.int64()).cast(pa.date64())),
        "time32[s]": column(pa.array([0, 86399, 12345, None], pa.int32()).cast(pa.time32("s"))),
        "time32[ms]": column(pa.array([0, 86399999, 12345678, None], pa.int32()).cast(pa.time32("ms"))),
        "time64[us]": column(pa.array([0, 86399999999, 12345678901, None], pa.int64()).cast(pa.time64("us"))),
        "time64[ns]": column(pa.array([0, 86399999999999, 12345678901234, None], pa.int64()).cast(pa.time64("ns"))),
        "interval[month_day_nano]": column(
            pa.array([pa.MonthDayNano([2**31 - 1, -(2**31), INT64_MAX]), pa.MonthDayNano([-1, 1, -1]), None])
        ),
        "utf8": column(pa.array(long_strings() + ["\x00", "é\u2028\U0001f600"])),
        "large_utf8": column(pa.array(long_strings(), pa.large_utf8())),
        "utf8_view": column(pa.array(long_strings(), pa.string_view())),
        "binary": column(pa.array([bytes(range(256)), b"", None])),
        "large_binary": column(pa.array([bytes(range(256)), b"", None], pa.large_binary())),
        "binary_view": column(pa.array([bytes(range(256)), b"", None, b"short"], pa.binary_view())),
        "fixed_size_binary(5)": column(pa.array([b"\x00\xff\x01\xfe\x7f", None, b"abcde"], pa.binary(5))),
        "list": column(pa.array([[ODD_BITS, None], [], None, [1, 2, 3]], pa.list_(pa.int64()))),
        "list<non-null>": column(pa.array([[1], []], pa.list_(pa.field("item", pa.int64(), nullable=False)))),
        "large_list": column(pa.array([["a", None], [], None], pa.large_list(pa.string()))),
        "list_view": column(pa.array([[1, 2], [], None, [3]], pa.list_view(pa.int64()))),
        "large_list_view": column(pa.array([[1, 2], [], None, [3]], pa.large_list_view(pa.int64()))),
        "fixed_size_list(3)": column(pa.array([[1, 2, 3], None, [4, None, 6]], pa.list_(pa.int32(), 3))),
        "list of lists": column(pa.array([[[1.5, None], None], [], None], pa.list_(pa.list_(pa.float64())))),
        "struct": column(
            pa.array([{"a": ODD_BITS, "b": None}, None], pa.struct([("a", pa.int64()), ("b", pa.string())]))
        ),
        "empty struct": column(pa.array([{}, None, {}], pa.struct([]))),
        "map": column(pa.array([[("k", 1), ("k", None)], [], None], pa.map_(pa.string(), pa.int64()))),
        "map, keys sorted": column(pa.array([[(1, "a")], None], pa.map_(pa.int32(), pa.string(), keys_sorted=True))),
        "nested everything": nested_everything(),
        "dense union": unions(True),
        "sparse union": unions(False),
        "run-end encoded": column(
            pa.RunEndEncodedArray.from_arrays(pa.array([3, 4, 9], pa.int32()), pa.array([ODD_BITS, None, -1]))
        ),
        "dictionary": dictionaries(False),
        "dictionary, ordered": dictionaries(True),
        "dictionary of int64": column(pa.array([2**62, 5, None, 2**62]).dictionary_encode()),
        "dictionary of struct": column(
            pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int16()), pa.array([{"a": 1}, {"a": 2}]))
        ),
        "list of dictionary": column(
            pa.ListArray.from_arrays(
                pa.array([0, 2, 3], pa.int32()),
                pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int8()), pa.array(["x", "y", "unused"])),
            )
        ),
        "pandas category, ordered": pandas_category(),
        "extension: uuid": column(
            pa.array([uuid.UUID(int=2**128 - 1).bytes, uuid.UUID(int=1).bytes, None], pa.uuid())
        ),
        "extension: json": column(pa.array(['{"a": 1}', None, "[]"], pa.json_())),
        "extension: bool8": column(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))),
        "extension: own, registered": column(
            pa.ExtensionArray.from_storage(Celsius("±0.1"), pa.array([21.5, None, -273.15]))
        ),
        "extension: unknown to the server": column(
            pa.array(["geo"]), metadata={"ARROW:extension:name": "acme.unknown", "ARROW:extension:metadata": "{}"}
        ),
        "non-nullable": column(pa.array([1, 2, 3], pa.int64()), nullable=False),
        "schema and field metadata": with_metadata(),
        "metadata that is not UTF-8": with_raw_metadata(),
        "columns that Parquet cannot hold, beside others": partly_writable(),
        "duplicate and empty names": duplicate_names(),
        "zero rows": Case(mixed(1).schema, [mixed(1).to_batches()[0].slice(0, 0)], None, "shapes"),
        "no batches": Case(mixed(1).schema, [], None, "shapes"),
        "empty batches": empty_batches(),
        "zero columns, zero rows": zero_columns(0),
        "zero columns, five rows": zero_columns(5),
        "10,000 columns": wide(10_000),
        "50 batches": many_batches(),
        "a slice": sliced(),
        "lz4 bodies": compressed("lz4"),
        "zstd bodies": compressed("zstd"),
        "lz4 bodies, nested": compressed_nested("lz4"),
        "zstd bodies, nested": compressed_nested("zstd"),
        "dictionary replacement": dictionary_batches(None),
        "dictionary delta": dictionary_deltas(),
    }
    for unit in ["s", "ms", "us", "ns"]:
        all_cases[f"timestamp[{unit}]"] = timestamps(unit, None)
        all_cases[f"timestamp[{unit}, UTC]"] = timestamps(unit, "UTC")
        all_cases[f"timestamp[{unit}, Europe/Berlin]"] = timestamps(unit, "Europe/Berlin")
        values = [INT64_MAX, INT64_MIN + 1, 0, -1, ODD_BITS, None]
        all_cases[f"duration[{unit}]"] = column(pa.array(values, pa.int64()).cast(pa.duration(unit)))
    all_cases["timestamp[ns, +05:30]"] = timestamps("ns", "+05:30")
    return all_cases
