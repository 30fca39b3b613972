"""Writes Parquet files of every kind that pyarrow can write to a directory."""

import datetime
import decimal
import sys

import pyarrow as pa
import pyarrow.parquet as pq

out = sys.argv[1]
n = 20000
types = pa.table({
    "i8": pa.array([k % 100 for k in range(n)], pa.int8()),
    "i64": pa.array([None if k % 7 == 0 else k * 1000003 % 999983 for k in range(n)]),
    "f32": pa.array([k / 7 for k in range(n)], pa.float32()),
    "f64": pa.array([None if k % 11 == 0 else k * 0.5 for k in range(n)]),
    "s": pa.array([None if k % 5 == 0 else f"text {k % 321}" for k in range(n)]),
    "b": pa.array([bytes([k % 256]) * (k % 20) for k in range(n)]),
    "fixed": pa.array([k.to_bytes(8, "big") for k in range(n)], pa.binary(8)),
    "flag": pa.array([None if k % 3 == 0 else k % 2 == 0 for k in range(n)]),
    "d": pa.array([decimal.Decimal(k) / 100 for k in range(n)], pa.decimal128(20, 2)),
    "t": pa.array([k * 10**9 for k in range(n)], pa.timestamp("ns", "UTC")),
    "day": pa.array([datetime.date(2000, 1, 1) + datetime.timedelta(k % 9999) for k in range(n)]),
    "l": pa.array([None if k % 9 == 0 else list(range(k % 6)) for k in range(n)]),
    "st": pa.array([None if k % 8 == 0 else {"a": k, "b": [str(k)]} for k in range(n)]),
    "m": pa.array([[(str(k % 9), k)] for k in range(n)], pa.map_(pa.string(), pa.int64())),
    "nothing": pa.array([None] * n, pa.int64()),
    "null": pa.array([None] * n, pa.null()),
})
types = types.replace_schema_metadata({"key": "value"})


def write(name, table=types, **options):
    pq.write_table(table, f"{out}/{name}.parquet", **{"compression": "zstd", "compression_level": 1, **options})


write("version1")
write("version2", data_page_version="2.0")
write("plain", use_dictionary=False)
write("plain_version2", use_dictionary=False, data_page_version="2.0")
write("small_pages", data_page_size=500, row_group_size=3000)
write("small_pages_version2", data_page_size=500, row_group_size=3000, data_page_version="2.0")
write("checksums", write_page_checksum=True)
write("checksums_version2", write_page_checksum=True, data_page_version="2.0", data_page_size=2000)
write("page_index", write_page_index=True, data_page_size=2000)
write("page_index_version2", write_page_index=True, data_page_size=2000, data_page_version="2.0", use_dictionary=False)
write("old_format", version="1.0", coerce_timestamps="us", allow_truncated_timestamps=True)
write("no_statistics", write_statistics=False)
write("empty", types.slice(0, 0))
write("no_row_groups", types.schema.empty_table())
write("one_row", types.slice(0, 1))
for codec in ["snappy", "gzip", "lz4", "none"]:
    write(f"left_{codec}", compression=codec, compression_level=None)
write("left_mixed", compression={"i64": "zstd", "f64": "snappy"}, compression_level=None)
print("null")
