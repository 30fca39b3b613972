"""Which Arrow types SQL reads and returns without a change of value."""

from __future__ import annotations

import pyarrow as pa
from pyarrow import types


def is_exact_in_sql(kind: pa.DataType) -> bool:
    """Whether polars gets the same values from SQL as from the rows, after a cast to the frame's own type."""
    if types.is_list(kind) or types.is_large_list(kind):
        return is_exact_in_sql(kind.value_type)
    if types.is_struct(kind):
        return kind.num_fields > 0 and all(is_exact_in_sql(kind.field(index).type) for index in range(kind.num_fields))
    if types.is_dictionary(kind):
        return is_text(kind.value_type)
    return (
        is_text(kind)
        or types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_float32(kind)
        or types.is_float64(kind)
        or (types.is_decimal128(kind) and kind.scale >= 0)
        or types.is_date32(kind)
        or types.is_time(kind)
        or types.is_timestamp(kind)
        or types.is_duration(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def quoted(name: str) -> str:
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
