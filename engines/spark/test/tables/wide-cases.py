"""Puts the columns of many Arrow streams side by side: one frame for each number of rows, so that few statements read them all."""

import json
import sys
from pathlib import Path

import pyarrow as pa

sources, out = Path(sys.argv[1]), Path(sys.argv[2])
groups = {}
for path in sorted(sources.glob("*.arrows")):
    table = pa.ipc.open_stream(path.read_bytes()).read_all()
    if table.num_rows == 0 or table.num_rows > 100 or table.num_columns > 40:
        continue
    for index, field in enumerate(table.schema):
        name = path.stem if table.num_columns == 1 else f"{path.stem} {field.name} {index}"
        groups.setdefault(table.num_rows, []).append((field.with_name(name), table.column(index)))
names = []
for rows, columns in groups.items():
    # Spark gives the rows of several files in any order.
    columns.append((pa.field("nr", pa.int32()), pa.array(range(rows), pa.int32())))
    schema = pa.schema([field for field, _ in columns])
    table = pa.Table.from_arrays([column for _, column in columns], schema=schema)
    with pa.OSFile(str(out / f"rows{rows}.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    names.append(f"rows{rows}")
print(json.dumps(names))
