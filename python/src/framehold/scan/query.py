"""The statement that reads the rows a scan needs."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from ..read_rows import FrameHead
from .predicate import Translation, pushed_condition
from .sql_types import is_exact_in_sql, quoted

if TYPE_CHECKING:
    import polars as pl

CONDITION_BYTES_MAX = 256 * 1024
"""Longer conditions, with lists of thousands of values, are applied locally."""


@dataclass(frozen=True)
class Query:
    text: str
    parameters: list[object]


def query_for(head: FrameHead, columns: list[str], predicate: pl.Expr) -> Query | None:
    """None if SQL cannot express any part of the filter, or cannot return these columns exactly."""
    schema = head.schema
    if not columns or not _has_plain_names(schema):
        return None
    if not all(is_exact_in_sql(schema.field(name).type) for name in columns):
        return None
    serialized = _serialized(predicate)
    if serialized is None or len(serialized) > CONDITION_BYTES_MAX:
        return None
    translation = Translation(schema)
    try:
        condition = pushed_condition(translation, json.loads(serialized))
    except RecursionError:
        return None
    if condition is None:
        return None
    names = ", ".join(map(quoted, columns))
    return Query(f"SELECT {names} FROM {quoted(head.handle)} WHERE {condition}", translation.parameters)


def _has_plain_names(schema: pa.Schema) -> bool:
    """SQL ignores case and renames columns that differ in nothing else."""
    names = schema.names
    return len({name.lower() for name in names}) == len(names) and all(name and "\0" not in name for name in names)


def _serialized(predicate: pl.Expr) -> str | None:
    """polars' own description of the expression, with the types of all literals. None if it has none."""
    try:
        with warnings.catch_warnings():
            # polars says that other versions may write it differently: what is not recognised is not pushed down.
            warnings.simplefilter("ignore")
            return predicate.meta.serialize(format="json")
    except Exception:
        # Python functions and plugins, for instance.
        return None
