"""Rows that were added to a frame."""

from __future__ import annotations

import pyarrow as pa

from ..exports import Exports


class Batch(Exports):
    """Some rows, in memory. After a restart of the program, `since=batch.position` continues behind them."""

    def __init__(self, table: pa.Table, position: str) -> None:
        self._table = table
        self.position = position
        """The version that was read to its end, such as `20`; or a place between two versions, such as `12..20+65536`."""

    @property
    def rows(self) -> int:
        return self._table.num_rows

    @property
    def schema(self) -> pa.Schema:
        return self._table.schema

    def to_arrow(self) -> pa.Table:
        return self._table

    def batches(self) -> pa.RecordBatchReader:
        return self._table.to_reader()

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"<framehold.Batch up to {self.position}: {self.rows:,} rows>"
