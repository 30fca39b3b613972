"""Arrow columns as plain Python values that compare exactly: times as whole numbers of their unit, so that no calendar rounds or refuses them."""

import math
import struct

import pyarrow as pa
import pyarrow.types as types


def columns_of(table):
    return [joined(table.column(index)) for index in range(table.num_columns)]


def joined(column):
    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays(column.chunks) if column.num_chunks != 0 else pa.array([], column.type)
    return column


def masked(array, values):
    return [value if valid else None for value, valid in zip(values, array.is_valid().to_pylist())]


def plain(array):
    """A list of values; null is None, a struct a tuple, a map a list of pairs."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return plain(array.storage)
    if types.is_dictionary(kind):
        values = plain(array.dictionary)
        return [None if index is None else values[index] for index in array.indices.to_pylist()]
    if types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind):
        return array.view(pa.int64()).to_pylist()
    if types.is_date32(kind) or types.is_time32(kind):
        return array.view(pa.int32()).to_pylist()
    if types.is_interval(kind):
        return intervals(array)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return lists(array, plain)
    if types.is_map(kind):
        return maps(array, plain)
    if types.is_struct(kind):
        return masked(array, structs(array, plain))
    if types.is_union(kind):
        return [(kind.field(code).name, member(array, code, row)) for row, code in enumerate(array.type_codes.to_pylist())]
    return array.to_pylist()


def intervals(array):
    fixed = array.view(pa.binary(16)) if hasattr(array, "view") else array
    return [None if each is None else struct.unpack("<iiq", each) for each in fixed.to_pylist()]


def lists(array, read):
    valid = array.is_valid().to_pylist()
    return [read(array[row].values) if valid[row] else None for row in range(len(array))]


def maps(array, read):
    answer = []
    keys, items = read(array.keys), read(array.items)
    base = array.offsets[0].as_py() if len(array) else 0
    offsets = [each.as_py() for each in array.offsets]
    for row, valid in enumerate(array.is_valid().to_pylist()):
        span = range(offsets[row] - base, offsets[row + 1] - base)
        answer.append([(keys[entry], items[entry]) for entry in span] if valid else None)
    return answer


def structs(array, read):
    fields = [read(array.field(index)) for index in range(array.type.num_fields)]
    return list(zip(*fields)) if fields else [()] * len(array)


def member(array, code, row):
    return plain(array.field(code).slice(row, 1))[0]


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
