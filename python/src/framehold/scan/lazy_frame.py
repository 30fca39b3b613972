"""Frames for polars' lazy engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pyarrow as pa

from ..errors import Forbidden, InvalidStatement, bad_argument
from ..exports import import_polars
from ..read_rows import FrameHead, open_rows
from ..statement import run_statement
from ..wire.transport import Transport
from .query import Query, query_for

import_polars()

import polars as pl  # noqa: E402
from polars.io.plugins import register_io_source  # noqa: E402


def lazy_frame(transport: Transport, head: FrameHead) -> pl.LazyFrame:
    schema = _polars_schema(head)

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, rows_max: int | None, _batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        names = columns if columns is not None else list(schema)
        wanted = {name: schema[name] for name in names}
        yield from _read(transport, head, wanted, predicate, rows_max)

    return register_io_source(source, schema=schema)


def _polars_schema(head: FrameHead) -> pl.Schema:
    try:
        return cast(pl.DataFrame, pl.from_arrow(head.schema.empty_table())).schema
    except (pl.exceptions.PolarsError, pa.ArrowException, ValueError, TypeError, NotImplementedError) as error:
        raise bad_argument(
            f"polars cannot represent {head.handle}: {error}.", "Use to_arrow(), which represents every frame."
        ) from error


def _read(
    transport: Transport,
    head: FrameHead,
    wanted: dict[str, pl.DataType],
    predicate: pl.Expr | None,
    rows_max: int | None,
) -> Iterator[pl.DataFrame]:
    # polars counts rows before it filters, so a limited scan must not be filtered by the server.
    query = query_for(head, list(wanted), predicate) if predicate is not None and rows_max is None else None
    given = 0
    if query is not None:
        try:
            for frame in _filtered(_answer(transport, query), wanted, predicate):
                yield frame
                given += frame.height
            return
        except (InvalidStatement, Forbidden):
            # SQL cannot read a value, the statement needs too much, or the token is a link, which allows no statements.
            # The rows can still be read and filtered here; those that were given come first in the same order.
            pass
    for frame in _filtered(_rows(transport, head, list(wanted), rows_max), wanted, predicate):
        skipped = min(given, frame.height)
        given -= skipped
        yield frame.slice(skipped) if skipped else frame


def _answer(transport: Transport, query: Query) -> pa.RecordBatchReader:
    return run_statement(transport, query.text, query.parameters, in_history=False).batches()


def _rows(transport: Transport, head: FrameHead, names: list[str], rows_max: int | None) -> pa.RecordBatchReader:
    # The server separates names with commas.
    columns = None if any("," in name for name in names) or not names else names
    return open_rows(transport, head, columns, limit=rows_max).reader()


def _filtered(
    batches: pa.RecordBatchReader, wanted: dict[str, pl.DataType], predicate: pl.Expr | None
) -> Iterator[pl.DataFrame]:
    """Every row is filtered here too, so a filter that the server did not apply changes nothing but the time."""
    for batch in batches:
        frame = cast(pl.DataFrame, pl.from_arrow(batch)).select(list(wanted))
        # SQL gives the values of categories, and times in microseconds and UTC.
        if frame.schema != wanted:
            frame = frame.cast(wanted)  # pyright: ignore[reportArgumentType]
        yield frame.filter(predicate) if predicate is not None else frame
