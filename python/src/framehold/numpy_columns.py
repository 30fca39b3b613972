"""Columns of NumPy arrays. NumPy is used if the caller has it; this package does not need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import pyarrow as pa

from .errors import bad_argument


class NumpyType(Protocol):
    names: tuple[str, ...] | None
    isnative: bool

    def newbyteorder(self, order: str) -> NumpyType: ...


class NumpyArray(Protocol):
    ndim: int
    shape: tuple[int, ...]
    dtype: NumpyType

    def __getitem__(self, key: object) -> NumpyArray: ...

    def astype(self, dtype: NumpyType) -> NumpyArray: ...


def is_array(data: object) -> bool:
    return any((each.__module__, each.__name__) == ("numpy", "ndarray") for each in type(data).__mro__)


def columns_of_array(array: NumpyArray, names: Sequence[str] | None) -> dict[str, object]:
    """Of a structured array its fields, of a matrix its columns, of a vector itself."""
    fields = array.dtype.names
    if fields is not None and array.ndim == 1:
        if names is not None and list(names) != list(fields):
            raise bad_argument("The array has names already.", "Leave out columns=…")
        return {name: _column(name, array[name]) for name in fields}
    if fields is not None or array.ndim not in (1, 2):
        raise bad_argument(
            f"An array with {array.ndim} dimensions is not a table.", "Put one with two dimensions, or with one."
        )
    width = array.shape[1] if array.ndim == 2 else 1
    if names is None:
        example = ", ".join(f'"c{number}"' for number in range(min(width, 3)))
        raise bad_argument("The columns of this array have no names.", f"Give them: columns=[{example}].")
    if isinstance(names, str) or len(names) != width or len(set(names)) != width:
        raise bad_argument(
            f"The array has {width} columns, and needs as many different names.", "Give them as a list: columns=[…]."
        )
    if array.ndim == 1:
        return {names[0]: _column(names[0], array)}
    return {name: _column(name, array[:, index]) for index, name in enumerate(names)}


def _column(name: str, values: NumpyArray) -> object:
    if values.dtype.names is not None:
        raise bad_argument(f'The field "{name}" is structured itself.', "Put its fields as columns of their own.")
    if not values.dtype.isnative:
        # Arrow has one byte order.
        values = values.astype(values.dtype.newbyteorder("="))
    try:
        # A field with several values in each row is a column of lists.
        return pa.array(list(cast("Sequence[object]", values)) if values.ndim > 1 else values)
    except Exception as error:
        raise bad_argument(
            f'The column "{name}" cannot be represented in Arrow: {error}.', "Convert it to another type."
        ) from error
