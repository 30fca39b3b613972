"""
Columns as lists of Python values that compare exactly, apart from every reader and writer of the server. `exact` keeps bits and units; `meaning`
is what stays the same if a format writes the value in another unit, width or encoding.
"""

import struct
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.types as types

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
FLOAT_BITS = {2: pa.uint16(), 4: pa.uint32(), 8: pa.uint64()}


def exact(array):
    return read(array, exact)


def meaning(array):
    kind = array.type
    if kind == pa.uuid():
        return [None if each is None else str(uuid.UUID(bytes=each)) for each in array.storage.to_pylist()]
    if isinstance(array, pa.ExtensionArray):
        return meaning(array.storage)
    if types.is_date64(kind):
        return scaled(array.view(pa.int64()).to_pylist(), 1, 86_400_000)
    if types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind):
        return scaled(array.view(pa.int64()).to_pylist(), NANOSECONDS[kind.unit])
    if types.is_time32(kind):
        return scaled(array.view(pa.int32()).to_pylist(), NANOSECONDS[kind.unit])
    if types.is_floating(kind):
        return [None if each is None else repr(float(each)) for each in array.to_pylist()]
    return read(array, meaning)


def scaled(values, factor, divisor=1):
    return [None if each is None else each * factor // divisor for each in values]


def read(array, inner):
    """The values, and what `inner` makes of those inside of others."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return inner(array.storage)
    if types.is_dictionary(kind):
        values = inner(array.dictionary)
        return [None if index is None else values[index] for index in array.indices.to_pylist()]
    if types.is_run_end_encoded(kind):
        return runs(array, inner)
    if types.is_floating(kind):
        return array.view(FLOAT_BITS[kind.bit_width // 8]).to_pylist()
    if types.is_date64(kind) or types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind):
        return array.view(pa.int64()).to_pylist()
    if types.is_date32(kind) or types.is_time32(kind):
        return array.view(pa.int32()).to_pylist()
    if types.is_interval(kind):
        return [None if each is None else struct.unpack("<iiq", each) for each in array.view(pa.binary(16)).to_pylist()]
    if types.is_map(kind):
        return rows(array, lambda entries: list(zip(inner(entries.field(0)), inner(entries.field(1)))))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or types.is_list_view(kind) or types.is_large_list_view(kind):
        return rows(array, inner)
    if types.is_struct(kind):
        members = [inner(array.field(index)) for index in range(kind.num_fields)]
        valid = array.is_valid().to_pylist()
        return [tuple(member[row] for member in members) if valid[row] else None for row in range(len(array))]
    if types.is_union(kind):
        return union(array, inner)
    return array.to_pylist()


def rows(array, inner):
    valid = array.is_valid().to_pylist()
    return [inner(array[row].values) if valid[row] else None for row in range(len(array))]


def runs(array, inner):
    values = inner(array.values)
    ends = array.run_ends.to_pylist()
    answer, run = [], 0
    for row in range(array.offset, array.offset + len(array)):
        while ends[run] <= row:
            run += 1
        answer.append(values[run])
    return answer


def union(array, inner):
    """From its buffers: pyarrow itself crashes over the codes and offsets of an array without rows."""
    kind, start, end = array.type, array.offset, array.offset + len(array)
    if len(array) == 0:
        return []
    _, codes, offsets = array.buffers()[:3]
    codes = np.frombuffer(codes, np.int8)[start:end].tolist()
    dense = kind.mode == "dense"
    places = np.frombuffer(offsets, np.int32)[start:end].tolist() if dense else range(len(array))
    names = [kind.field(index).name for index in range(kind.num_fields)]
    members = [inner(array.field(index)) for index in range(kind.num_fields)]
    return [(names[code], members[code][place]) for code, place in zip(codes, places)]


def column_values(column, of):
    """Of a column in pieces."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [value for chunk in chunks for value in of(chunk)]


def difference(wanted, got):
    """The first that differs; None if nothing does."""
    if len(wanted) != len(got):
        return f"{len(got)} rows, not {len(wanted)}"
    for row, (left, right) in enumerate(zip(wanted, got)):
        if left != right:
            return f"row {row}: {str(right)[:300]} is not {str(left)[:300]}"
    return None
