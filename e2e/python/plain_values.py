"""Arrow columns as plain Python values that compare exactly: times as whole numbers of their unit, so that no calendar rounds or refuses them."""

import math
import struct

import numpy as np
import pyarrow as pa
import pyarrow.types as types


def columns_of(table):
    return [joined(table.column(index)) for index in range(table.num_columns)]


def joined(column):
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays(column.chunks) if column.num_chunks != 0 else pa.array([], column.type)
    return column


def plain(array):
    """A list of values; null is None, a struct a tuple, a map a list of pairs."""
    return read(array, plain)


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
    if types.is_date64(kind) or types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind):
        return array.view(pa.int64()).to_pylist()
    if types.is_date32(kind) or types.is_time32(kind):
        return array.view(pa.int32()).to_pylist()
    if types.is_interval(kind):
        return intervals(array)
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


def intervals(array):
    fixed = array.view(pa.binary(16)) if hasattr(array, "view") else array
    return [None if each is None else struct.unpack("<iiq", each) for each in fixed.to_pylist()]


def same(left, right):
    """Equal, where a float may differ in its last digits: engines add in another order."""
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right or math.isclose(left, right, rel_tol=1e-12)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    return type(left) is type(right) and left == right


def difference(wanted, got, ordered):
    """What differs between two lists of rows; None where nothing does."""
    if len(wanted) != len(got):
        return f"{len(got)} rows, not {len(wanted)}"
    if not ordered:
        wanted, got = sorted(wanted, key=repr), sorted(got, key=repr)
    for row, (left, right) in enumerate(zip(wanted, got)):
        if not same(left, right):
            return f"row {row}: {str(right)[:300]} is not {str(left)[:300]}"
    return None


def rows_of(table, read=plain):
    columns = [read(column) for column in columns_of(table)]
    return [list(row) for row in zip(*columns)] if columns else []
