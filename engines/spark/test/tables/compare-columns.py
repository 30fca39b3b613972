"""Compares columns of results with columns of the same names in frames, bit for bit; answers those that differ."""

import json
import sys
import uuid  # noqa: F401 (used by the functions below)
from pathlib import Path

import pyarrow as pa

here = Path(__file__).parent
compare = (here.parent.parent / "duckdb" / "types" / "readable-compare.py").read_text()
# Its functions, without its own comparison.
exec(compare[compare.index("def plain") : compare.index("for name in request")])
request = json.load(sys.stdin)


def bits(array):
    """Every bit of a floating-point number, also of one that is none."""
    return [None if not value.is_valid else number for value, number in zip(array, array.view(pa.uint64() if array.type == pa.float64() else pa.uint32()))]


differing = {}
for name, path in request["results"].items():
    source = pa.ipc.open_stream(request["sources"][name]).read_all()
    result = pa.ipc.open_stream(path).read_all()
    for column in result.schema.names:
        one, other = source.column(column), result.column(column)
        if pa.types.is_null(one.type):
            same = other.null_count == len(other)
        elif one.type in (pa.float32(), pa.float64()):
            same = one.type == other.type and bits(one.combine_chunks()) == bits(other.combine_chunks())
        else:
            same = rows(one) == rows(other)
        if not same:
            differing[f"{name}.{column}"] = f"{one.type} {rows(one)[:10]} {other.type} {rows(other)[:10]}"
print(json.dumps({"differing": differing}))
