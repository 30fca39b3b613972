"""Literals of polars' expressions as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import cast

INTEGERS = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "UInt8": "UTINYINT",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "UBIGINT",
}
FLOATS = {"Float32": "FLOAT", "Float64": "DOUBLE"}
_UNITS = {"Milliseconds": 1_000_000, "Microseconds": 1_000, "Nanoseconds": 1}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class NotTranslatable(Exception):
    """SQL has no expression for this, or one with another meaning."""


@dataclass(frozen=True)
class Operand:
    sql: str
    kind: str
    """Operands of the same kind can be compared: an SQL type, `category`, or `other` for what cannot be compared."""
    can_be_nan: bool = False


@dataclass(frozen=True)
class Literal:
    """A value that is sent as a parameter, and the SQL type it has."""

    value: object
    kind: str


def literal_of(scalar: object, other_kind: str) -> Literal:
    """A literal that is compared with an operand of another kind, which decides about digits of decimals and times."""
    if not isinstance(scalar, dict) or len(cast("dict[str, object]", scalar)) != 1:
        raise NotTranslatable
    ((name, value),) = cast("dict[str, object]", scalar).items()
    if name in INTEGERS and isinstance(value, int):
        return Literal(value, INTEGERS[name])
    # NaN and the infinities are null in polars' description.
    if name in FLOATS and isinstance(value, int | float):
        return Literal(float(value), FLOATS[name])
    if name == "String" and isinstance(value, str):
        return Literal(value, "VARCHAR")
    if name == "Boolean" and isinstance(value, bool):
        return Literal(value, "BOOLEAN")
    if name == "Date" and isinstance(value, int):
        return Literal(_instant(value * 86_400_000_000)[:10], "DATE")
    if name == "Datetime" and isinstance(value, list):
        return _time(cast("list[object]", value), other_kind)
    if name == "Decimal" and isinstance(value, list):
        return _decimal(cast("list[object]", value), other_kind)
    raise NotTranslatable


def _time(members: list[object], other_kind: str) -> Literal:
    value, unit, zone = members
    if not isinstance(value, int) or unit not in _UNITS:
        raise NotTranslatable
    microseconds, rest = divmod(value * _UNITS[cast(str, unit)], 1_000)
    kind = (
        "TIMESTAMP WITH TIME ZONE"
        if zone is not None
        else "TIMESTAMP_NS"
        if other_kind == "TIMESTAMP_NS"
        else "TIMESTAMP"
    )
    text = _instant(microseconds)
    if kind == "TIMESTAMP_NS":
        if not 1700 < int(text[:4]) < 2200:
            raise NotTranslatable
        return Literal(f"{text}{rest:03d}", kind)
    if rest != 0:
        raise NotTranslatable
    return Literal(text + ("+00" if zone is not None else ""), kind)


def _instant(microseconds: int) -> str:
    """Within Python's years 1 to 9999."""
    try:
        time = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        raise NotTranslatable from None
    return f"{time.year:04d}-{time:%m-%d %H:%M:%S.%f}"


def _decimal(members: list[object], other_kind: str) -> Literal:
    value, _, scale = members
    if not isinstance(value, int) or not isinstance(scale, int) or not other_kind.startswith("DECIMAL("):
        raise NotTranslatable
    digits, own_scale = map(int, other_kind[len("DECIMAL(") : -1].split(","))
    # With the column's own type nothing is rounded, and nothing overflows.
    if scale > own_scale or abs(value) * 10 ** (own_scale - scale) >= 10**digits:
        raise NotTranslatable
    text = str(abs(value)).rjust(scale + 1, "0")
    whole, fraction = text[: len(text) - scale], text[len(text) - scale :]
    return Literal(f"{'-' if value < 0 else ''}{whole}.{fraction or '0'}", other_kind)
