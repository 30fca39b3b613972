"""Compares what SQL gave with the frames; answers the names that differ, and what each column's type became."""

import json
import sys
import uuid

import pyarrow as pa
import pyarrow.compute as pc

request = json.load(sys.stdin)
differing = {}
types = {}


def plain(value):
    """Arrow values as Python's, exact: integers for times, so that no calendar ends."""
    type_ = value.type
    if isinstance(type_, pa.BaseExtensionType):
        if isinstance(type_, pa.UuidType):
            return None if not value.is_valid else str(uuid.UUID(bytes=value.value.as_py()))
        return plain(value.value) if value.is_valid else None
    if pa.types.is_dictionary(type_):
        return plain(value.value) if value.is_valid else None
    if not value.is_valid:
        return None
    if pa.types.is_run_end_encoded(type_):
        return value.as_py()
    if pa.types.is_timestamp(type_):
        return (value.value * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[type_.unit], type_.tz is not None)
    if pa.types.is_duration(type_):
        return value.value * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[type_.unit]
    if pa.types.is_interval(type_):
        months, days, nanoseconds = value.as_py()
        return nanoseconds if months == 0 and days == 0 else (months, days, nanoseconds)
    if pa.types.is_date64(type_):
        return value.value // 86400000 if value.value % 86400000 == 0 else ("ms", value.value)
    if pa.types.is_date32(type_):
        return value.value
    if pa.types.is_time(type_):
        return value.value * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[type_.unit]
    if pa.types.is_map(type_):
        entries = value.values
        return [(plain(entries.field(0)[i]), plain(entries.field(1)[i])) for i in range(len(entries))]
    if pa.types.is_struct(type_):
        return [(type_.field(i).name, plain(value[i])) for i in range(type_.num_fields)]
    if hasattr(value, "values"):
        return [plain(item) for item in value.values]
    if pa.types.is_floating(type_):
        return repr(float(value.as_py()))
    return value.as_py()


def rows(column):
    return [plain(value) for chunk in column.chunks for value in chunk]


for name in request["names"]:
    source = pa.ipc.open_stream(f"{request['sources'][name]}").read_all()
    result = pa.ipc.open_stream(f"{request['results'][name]}").read_all()
    types[name] = [str(field.type) for field in result.schema]
    if source.num_columns != result.num_columns or source.num_rows != result.num_rows:
        differing[name] = f"{source.shape} {result.shape}"
        continue
    for one, other in zip(source.columns, result.columns):
        if pa.types.is_null(one.type):
            same = other.null_count == len(other)
        else:
            same = rows(one) == rows(other)
        if not same:
            differing[name] = f"{rows(one)[:8]} {rows(other)[:8]}"
print(json.dumps({"differing": differing, "types": types}))
