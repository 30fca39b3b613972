"""Compares Arrow streams and Parquet files with rows and columns of other streams. Reads a list of comparisons as JSON; prints what differs."""

import json
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def stream(path):
    with pa.OSFile(path, "rb") as source, pa.ipc.open_stream(source) as reader:
        return reader.read_all()


def pieces(column):
    """A column as plain arrays: runs and dictionaries written out, floats as their bits, so that NaN and -0 count."""
    for chunk in column.chunks:
        if isinstance(chunk, pa.RunEndEncodedArray):
            chunk = pc.run_end_decode(chunk)
        if isinstance(chunk, pa.DictionaryArray):
            chunk = chunk.dictionary_decode()
        if isinstance(chunk, pa.StructArray) and chunk.type.num_fields > 0:
            valid = chunk.is_valid()
            chunk = pa.StructArray.from_arrays(
                [*(bits(field) for field in chunk.flatten()), valid], [str(index) for index in range(chunk.type.num_fields + 1)]
            )
        yield bits(chunk)


def bits(array):
    if pa.types.is_floating(array.type):
        return array.view(getattr(pa, f"uint{array.type.bit_width}")())
    return array


def same(left, right):
    left = [chunk for chunk in pieces(left) if len(chunk)]
    right = [chunk for chunk in pieces(right) if len(chunk)]
    if sum(map(len, left)) != sum(map(len, right)):
        return False
    at_left = at_right = 0
    while left and right:
        count = min(len(left[0]) - at_left, len(right[0]) - at_right)
        if not left[0].slice(at_left, count).equals(right[0].slice(at_right, count)):
            return False
        at_left, at_right = at_left + count, at_right + count
        if at_left == len(left[0]):
            left, at_left = left[1:], 0
        if at_right == len(right[0]):
            right, at_right = right[1:], 0
    return True


def compare(request):
    actual = pq.read_table(request["actual"]) if request["format"] == "parquet" else stream(request["actual"])
    actual.validate(full=True)
    wanted = pa.concat_tables([stream(path) for path in request["sources"]])
    if request["columns"] is not None:
        wanted = pa.Table.from_arrays(
            [wanted.column(index) for index in request["columns"]],
            schema=pa.schema([wanted.schema.field(index) for index in request["columns"]], metadata=wanted.schema.metadata),
        )
    wanted = wanted.slice(request["offset"], request["rowCount"])
    if request["format"] == "arrow" and not actual.schema.equals(wanted.schema, check_metadata=True):
        yield "schema"
    if actual.num_rows != wanted.num_rows or actual.num_columns != wanted.num_columns:
        yield f"{actual.num_rows} rows, {actual.num_columns} columns"
        return
    for index, name in enumerate(wanted.schema.names):
        left, right = actual.column(index), wanted.column(index)
        if request["format"] == "parquet" and left.type != right.type:
            right = right.cast(left.type)
        if not same(left, right):
            yield name


differences = []
for request in json.load(sys.stdin):
    try:
        found = list(compare(request))
    except Exception as failure:
        found = [f"{type(failure).__name__}: {failure}"]
    if found:
        differences.append([request["actual"].split("/")[-1], *found])
print(json.dumps(differences))
