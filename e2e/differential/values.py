"""
Columns as lists of Python values that compare exactly, apart from every reader and writer of the server. `exact` keeps bits and units; `meaning`
is what stays the same if a format writes the value in another unit, width or encoding.
"""

import uuid

import pyarrow as pa
import pyarrow.types as types

from plain_values import read

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
FLOAT_BITS = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


def exact(array):
    if types.is_floating(array.type):
        return array.view(FLOAT_BITS[array.type.bit_width]).to_pylist()
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
