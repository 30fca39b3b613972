"""Conversions that frames and results share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from .errors import FrameholdError, bad_argument

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class Exports(ABC):
    """Anything with rows."""

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The Arrow schema, with metadata."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """All rows, as a table of pyarrow."""

    @abstractmethod
    def batches(self) -> pa.RecordBatchReader:
        """The rows as they arrive."""

    def to_polars(self) -> pl.DataFrame:
        """All rows, as a frame of polars."""
        import_polars()
        import polars as pl

        table = self.to_arrow()
        try:
            return cast(pl.DataFrame, pl.from_arrow(table))
        except Exception as error:
            raise _not_representable("polars", error) from error

    def to_pandas(self) -> pd.DataFrame:
        """All rows, as a frame of pandas. An index that pandas had when the frame was put comes back."""
        if not _is_installed("pandas"):
            raise _not_installed("pandas")
        table = self.to_arrow()
        try:
            return pandas_of(table)
        except Exception as error:
            raise _not_representable("pandas", error) from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.batches().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()


def pandas_of(table: pa.Table) -> pd.DataFrame:
    try:
        # With a block for each column, no second copy of all of them is made.
        return table.to_pandas(split_blocks=True)
    except KeyError:
        # pyarrow does not find columns of some extension types in separate blocks.
        return table.to_pandas()


def _not_representable(library: str, error: Exception) -> FrameholdError:
    return bad_argument(
        f"{library} cannot represent these columns: {error}.",
        "Use to_arrow(), which represents every frame, or read the other columns: to_arrow([…]).",
    )


def import_polars() -> None:
    if not _is_installed("polars"):
        raise _not_installed("polars")


def _is_installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _not_installed(module: str) -> FrameholdError:
    return bad_argument(
        f"{module} is not installed.", f"Install it: pip install {module}. to_arrow() needs only pyarrow."
    )
