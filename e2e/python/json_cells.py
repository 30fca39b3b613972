"""How a cell of a column must stand in a JSON answer, worked out from docs/reference alone and apart from the server's own writer."""

import base64
import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from plain_values import read

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Number(str):
    """A JSON number with the digits that were written."""


def parse(text):
    """Objects become lists of pairs, so that names that occur twice are seen; numbers keep their digits."""
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=Pairs)


class Pairs(list):
    """The members of an object, in order."""


def cells(array):
    kind = array.type
    if types.is_floating(kind):
        return [None if each is None or not math.isfinite(each) else each for each in array.to_pylist()]
    if types.is_integer(kind):
        return [None if each is None else Number(each) for each in array.to_pylist()]
    if types.is_decimal(kind):
        return [None if each is None else f"{each:f}" for each in array.to_pylist()]
    if types.is_binary(kind):
        return [None if each is None else base64.b64encode(each).decode() for each in array.to_pylist()]
    if types.is_timestamp(kind):
        return written(read(array, cells), lambda value: moment(value, kind.unit) + "Z")
    if types.is_date32(kind):
        return written(read(array, cells), lambda value: f"{date(value)}T00:00:00.000Z")
    if types.is_time(kind):
        return written(read(array, cells), lambda value: clock(value, kind.unit))
    if types.is_duration(kind):
        return written(read(array, cells), lambda value: duration(value, kind.unit))
    if types.is_interval(kind):
        return written(read(array, cells), interval)
    if types.is_map(kind):
        as_object = types.is_string(kind.key_type)
        return written(read(array, cells), lambda pairs: Pairs(pairs) if as_object else [list(pair) for pair in pairs])
    if types.is_struct(kind):
        names = [kind.field(index).name for index in range(kind.num_fields)]
        return written(read(array, cells), lambda members: Pairs(zip(names, members)))
    if types.is_union(kind):
        return [Pairs([member]) for member in read(array, cells)]
    return read(array, cells)


def written(values, write):
    return [None if value is None else write(value) for value in values]


def date(day):
    """The proleptic Gregorian calendar by counting; Python's own ends at the years 1 and 9999."""
    era, left = divmod(day + 719_468, 146_097)
    year_of_era = (left - left // 1_460 + left // 36_524 - left // 146_096) // 365
    day_of_year = left - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    year = era * 400 + year_of_era + (1 if month <= 2 else 0)
    text = f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"
    return f"{text}-{month:02d}-{day_of_year - (153 * from_march + 2) // 5 + 1:02d}"


def moment(value, unit):
    day, left = divmod(value, 86_400 * UNITS[unit])
    return f"{date(day)}T{clock(left, unit)}"


def clock(value, unit):
    second, fraction = divmod(value, UNITS[unit])
    digits = 9 if unit == "ns" else 6
    fraction = fraction * 10**digits // UNITS[unit]
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{fraction:0{digits}d}"


def duration(value, unit):
    whole, fraction = divmod(abs(value), UNITS[unit])
    decimals = f".{fraction:0{len(str(UNITS[unit])) - 1}d}".rstrip("0") if fraction else ""
    return f"{'-' if value < 0 else ''}PT{whole}{decimals}S"


def interval(parts):
    months, days, nanoseconds = parts
    negative = max(parts) <= 0 and min(parts) < 0
    if negative:
        months, days, nanoseconds = -months, -days, -nanoseconds
    text = (f"{months}M" if months else "") + (f"{days}D" if days else "")
    if nanoseconds:
        whole, fraction = divmod(abs(nanoseconds), 10**9)
        decimals = f".{fraction:09d}".rstrip("0") if fraction else ""
        text += f"T{'-' if nanoseconds < 0 else ''}{whole}{decimals}S"
    return ("-" if negative else "") + "P" + (text or "T0S")


def typed(cell, kind):
    """A parsed cell, with numbers of float columns as floats."""
    if cell is None:
        return None
    if types.is_floating(kind):
        # The shortest text that means this value among those of its width.
        return float(np.float32(cell)) if kind == pa.float32() else float(cell)
    if types.is_list(kind) or types.is_fixed_size_list(kind):
        return [typed(each, kind.value_type) for each in cell]
    if types.is_struct(kind):
        fields = [kind.field(index).type for index in range(kind.num_fields)]
        return Pairs([(name, typed(value, field)) for (name, value), field in zip(cell, fields)])
    if types.is_map(kind):
        pairs = [(typed(key, kind.key_type), typed(value, kind.item_type)) for key, value in cell]
        return Pairs(pairs) if isinstance(cell, Pairs) else [list(pair) for pair in pairs]
    return cell
