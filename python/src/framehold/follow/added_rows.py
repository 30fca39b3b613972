"""Reads once what there is after a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from ..errors import FrameholdError
from ..read_rows import open_handle, range_of
from ..rows import Rows
from ..wire.transport import Transport
from .batch import Batch
from .position import Position

BATCH_ROWS = 65_536
"""Versions of a row each come together. With more rows, what is done for each batch is no longer noticed."""
BATCH_BYTES = 16 * 1024 * 1024
"""Of wide rows fewer are enough. A single batch of the server is not cut."""

Step = tuple[Position, "Batch | None"]


def read_added(
    transport: Transport,
    name: str,
    position: Position,
    columns: Sequence[str] | None,
    on_open: Callable[[Rows], None],
) -> Iterator[Step]:
    """Batches with the positions behind them, and the end of what was asked for, even if there was no row."""
    rows = open_handle(transport, position.handle(name), columns, offset=position.rows or None)
    try:
        on_open(rows)
        found = range_of(rows.answer.headers)
        gathered: list[pa.RecordBatch] = []
        gathered_bytes = 0
        given = count = position.rows

        def reached() -> Position:
            at_end = count >= found.rows
            return Position(found.version) if at_end else Position(position.after, found.version, count)

        def step() -> Step:
            nonlocal gathered_bytes, given
            table = pa.Table.from_batches(gathered, schema=rows.schema)
            gathered.clear()
            gathered_bytes = 0
            given = count
            return reached(), Batch(table, str(reached()))

        try:
            for batch in rows:
                if batch.num_rows == 0:
                    continue
                count += batch.num_rows
                gathered.append(batch)
                gathered_bytes += batch.nbytes
                if count - given >= BATCH_ROWS or gathered_bytes >= BATCH_BYTES:
                    yield step()
        except FrameholdError:
            # What has arrived is whole.
            if gathered:
                yield step()
            raise
        yield step() if gathered else (reached(), None)
    finally:
        rows.close()
