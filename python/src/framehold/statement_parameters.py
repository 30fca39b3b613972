"""Parameters of statements, as JSON that keeps every digit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import cast
from uuid import UUID

from .errors import bad_argument

Parameters = Sequence[object] | Mapping[str, object]


def parameters_of(given: Parameters) -> object:
    if isinstance(given, Mapping):
        return {str(name): json_of(value) for name, value in given.items()}
    if isinstance(given, str | bytes):
        raise bad_argument("Parameters are a list or a dictionary.", 'Write ["text"] for one parameter.')
    if not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument("Parameters are a list or a dictionary.", f"Write [{given!r:.40}] for one parameter.")
    return [json_of(value) for value in given]


def json_of(value: object) -> object:
    """SQL casts texts to the type they are compared with, so texts represent what JSON cannot."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} microseconds"
    if isinstance(value, list | tuple):
        return [json_of(each) for each in cast(Sequence[object], value)]
    if isinstance(value, dict):
        return {str(name): json_of(each) for name, each in cast("dict[object, object]", value).items()}
    if hasattr(value, "tolist"):
        # A scalar or an array of NumPy.
        return json_of(value.tolist())  # pyright: ignore
    raise bad_argument(
        f"A parameter of type {type(value).__qualname__} cannot be sent.",
        "Give a number, a text, a date or time, a decimal, or a list or dictionary of these.",
    )
