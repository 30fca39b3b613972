"""Writes good Parquet and Arrow files, small ones of every type, codec and encoding, into the folder given."""

import datetime
import decimal
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

folder = Path(sys.argv[1])
rows = 12
numbers = pa.table(
    {
        "bool": pa.array([True, None, False] * 4),
        "i8": pa.array([1, None, -128] * 4, pa.int8()),
        "i64": pa.array([1, None, 2**62] * 4, pa.int64()),
        "u32": pa.array([1, None, 2**32 - 1] * 4, pa.uint32()),
        "f16": pa.array(np.array([1.5, -0.25, 0] * 4, np.float16)),
        "f64": pa.array([0.5, None, float("nan")] * 4),
        "decimal": pa.array([decimal.Decimal("1.23"), None, decimal.Decimal("-9.99")] * 4, pa.decimal128(20, 2)),
        "big": pa.array([decimal.Decimal("1.23"), None, decimal.Decimal("-9.99")] * 4, pa.decimal256(60, 2)),
        "null": pa.nulls(rows),
    }
)
times = pa.table(
    {
        "date": pa.array([datetime.date(2024, 1, 2), None, datetime.date(1900, 1, 1)] * 4),
        "time": pa.array([1, None, 86399999999] * 4, pa.int64()).cast(pa.time64("us")),
        "stamp": pa.array([1, None, 10**15] * 4, pa.int64()).cast(pa.timestamp("us", "UTC")),
        "nano": pa.array([1, None, 10**18] * 4, pa.int64()).cast(pa.timestamp("ns")),
        "duration": pa.array([1, None, 5] * 4, pa.int64()).cast(pa.duration("s")),
    }
)
texts = pa.table(
    {
        "text": pa.array(["", None, "żółw and a longer one"] * 4),
        "view": pa.array(["", None, "żółw and a longer one"] * 4, pa.string_view()),
        "binary": pa.array([b"", None, b"\x00\xff" * 20] * 4),
        "fixed": pa.array([b"abc", None, b"\x00\x00\x00"] * 4, pa.binary(3)),
        "symbol": pa.array(["lo", None, "hi"] * 4).dictionary_encode(),
    }
)
nested = pa.table(
    {
        "list": pa.array([[1, 2], None, []] * 4, pa.list_(pa.int32())),
        "deep": pa.array([[["a"], []], None, [None, ["b", None]]] * 4, pa.list_(pa.list_(pa.string()))),
        "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}] * 4),
        "map": pa.array([[("a", 1)], None, []] * 4, pa.map_(pa.string(), pa.int64())),
        "fixed_list": pa.array([[1, 2], None, [3, 4]] * 4, pa.list_(pa.int8(), 2)),
    }
)
tables = {"numbers": numbers, "times": times, "texts": texts, "nested": nested}
for name, table in tables.items():
    for codec in ("none", "snappy", "gzip", "brotli", "lz4", "zstd"):
        pq.write_table(table, folder / f"{name}-{codec}.parquet", compression=codec)
    pq.write_table(table, folder / f"{name}-v2.parquet", data_page_version="2.0", compression="zstd")
    pq.write_table(table, folder / f"{name}-plain.parquet", use_dictionary=False, store_schema=False)
    pq.write_table(table, folder / f"{name}-groups.parquet", row_group_size=5, write_page_index=True)
    for codec in (None, "lz4", "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_file(folder / f"{name}-{codec}.arrow", table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=7)
encodings = {"i64": "DELTA_BINARY_PACKED", "f64": "BYTE_STREAM_SPLIT"}
pq.write_table(numbers.select(["i64", "f64"]), folder / "delta.parquet", use_dictionary=False, column_encoding=encodings)
for encoding in ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
    only = texts.select(["text"])
    pq.write_table(only, folder / f"{encoding}.parquet", use_dictionary=False, column_encoding={"text": encoding})
with pq.ParquetWriter(folder / "bloom.parquet", texts.schema) as writer:
    writer.write_table(texts)
print("null")
