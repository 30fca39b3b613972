"""Arrow streams that are large enough to be worth compressing, of types that keep their Arrow form."""

import os
import sys

import pyarrow as pa

out = sys.argv[1]
n = 30000


def write(name, table, metadata=None, **options):
    with pa.OSFile(f"{out}/{name}.arrows", "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            for batch in table.to_batches(max_chunksize=7001):
                writer.write_batch(batch, custom_metadata=metadata)


values = pa.array([f"value {k}" for k in range(2000)] + ["never used"])
codes = pa.array([None if k % 17 == 0 else k * 7 % 2000 for k in range(n)], pa.int32())
write("bulk_dictionary", pa.table({"v": pa.DictionaryArray.from_arrays(codes, values), "k": pa.array(range(n))}))
ordered = pa.DictionaryArray.from_arrays(codes, values, ordered=True)
write("bulk_ordered", pa.table({"v": ordered}), {"a key": "a value"})
inner = pa.DictionaryArray.from_arrays(pa.array([k % 3 for k in range(2001)], pa.int8()), pa.array(["x", "y", "z"]))
struct = pa.StructArray.from_arrays([inner, pa.array(range(2001))], ["symbol", "number"])
write("bulk_nested_dictionary", pa.table({"v": pa.DictionaryArray.from_arrays(codes, struct)}))
lists = pa.ListArray.from_arrays(pa.array(range(0, n + 1, 3), pa.int32()), pa.DictionaryArray.from_arrays(codes, values))
write("bulk_list_of_dictionary", pa.table({"v": lists}))
write("bulk_views", pa.table({"s": pa.array([None if k % 9 == 0 else f"{k % 50} " * (k % 12) for k in range(n)], pa.string_view()), "l": pa.array([[k] * (k % 4) for k in range(n)], pa.list_view(pa.int64()))}))
write("bulk_run_ends", pa.table({"v": pa.RunEndEncodedArray.from_arrays(pa.array(range(2, n + 1, 2), pa.int32()), pa.array([f"run {k % 7}" for k in range(n // 2)]))}))
ids = pa.array([k % 2 for k in range(n)], pa.int8())
write("bulk_sparse_union", pa.table({"v": pa.UnionArray.from_sparse(ids, [pa.array(range(n)), pa.array([str(k % 9) for k in range(n)])])}))
write("bulk_dense_union", pa.table({"v": pa.UnionArray.from_dense(ids, pa.array([k // 2 for k in range(n)], pa.int32()), [pa.array(range(n // 2 + 1)), pa.array([str(k % 9) for k in range(n // 2 + 1)])])}))
write("bulk_intervals", pa.table({"v": pa.array([pa.MonthDayNano([k % 12, 1, 5]) for k in range(n)], pa.month_day_nano_interval())}))
write("bulk_random", pa.table({"v": pa.array([os.urandom(16) for _ in range(n)], pa.binary(16))}))
# Before version 5 of the format there was no compression: these stay as they are.
write("version4_dictionary", pa.table({"v": pa.DictionaryArray.from_arrays(codes, values)}), metadata_version=pa.ipc.MetadataVersion.V4)
schema = pa.schema([("v", pa.dictionary(pa.int32(), pa.string()))])
with pa.OSFile(f"{out}/bulk_deltas.arrows", "wb") as sink:
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
        for size in [1000, 3000, 9000]:
            grown = pa.array([f"value {k}" for k in range(size)])
            writer.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array(range(size), pa.int32()), grown)], schema=schema))
print("null")
