"""What can be put: tables of many libraries, streams of batches, and files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Union, cast, runtime_checkable

import pyarrow as pa
from pyarrow import ipc

from .errors import InvalidRequest, bad_argument
from .wire.request_body import BodySink, RequestBody

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

BATCH_BYTES_MAX = 64 * 1024 * 1024
"""Larger batches are cut, so that readers need not hold more than this at a time."""
FILE_PIECE_BYTES = 1024 * 1024


@runtime_checkable
class ArrowStream(Protocol):
    """Tables of pyarrow, polars, DuckDB, nanoarrow and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Data = Union[ArrowStream, "pd.DataFrame", "pa.RecordBatch", str, "os.PathLike[str]"]

MEDIA_TYPES = {
    "arrow": "application/vnd.apache.arrow.file",
    "arrow-stream": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "ndjson": "application/x-ndjson",
    "json": "application/json",
}
_FORMATS = {
    **{name: name for name in MEDIA_TYPES},
    "feather": "arrow",
    "ipc": "arrow",
    "arrows": "arrow-stream",
    "tab": "tsv",
    "txt": "csv",
    "jsonl": "ndjson",
}
_MAGIC = {"parquet": b"PAR1", "arrow": b"ARROW1"}
_ENCODINGS = {"gz": "gzip", "zst": "zstd"}


def source_of(data: Data, format: str | None = None) -> RequestBody:
    """What to send for this object."""
    if isinstance(data, str | os.PathLike):
        return FileSource(Path(data), format)
    if format is not None:
        raise bad_argument("format=… applies to files only.", "Leave it out: tables are sent as Arrow.")
    return TableSource(data)


class FileSource(RequestBody):
    """A file, sent as it is: the server reads it."""

    def __init__(self, path: Path, format: str | None) -> None:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "does not exist"
            raise bad_argument(f'The file "{path}" {what}.', "Check the path; a frame's content can also be a table.")
        suffixes = [suffix[1:].lower() for suffix in path.suffixes]
        if suffixes and suffixes[-1] in _ENCODINGS:
            self.content_encoding = _ENCODINGS[suffixes.pop()]
        wanted = format or (suffixes[-1] if suffixes else "")
        known = _FORMATS.get(wanted)
        if known is None:
            raise bad_argument(
                f'The format of "{path.name}" is not known.', f"Give format=… as one of {', '.join(MEDIA_TYPES)}."
            )
        if self.content_encoding is None:
            known = _checked(path, known)
        self.content_type = MEDIA_TYPES[known]
        self.length = path.stat().st_size
        self._path = path

    @property
    def can_repeat(self) -> bool:
        return True

    def send(self, sink: BodySink) -> None:
        left = self.length or 0
        with self._path.open("rb") as file:
            while left > 0:
                piece = file.read(min(left, FILE_PIECE_BYTES))
                if not piece:
                    raise InvalidRequest(
                        f'The file "{self._path}" became shorter while it was sent.',
                        code="bad_argument",
                        hint="Put it again when nothing writes to it.",
                    )
                sink.write(piece)
                left -= len(piece)


def _checked(path: Path, format: str) -> str:
    """The format by the first bytes, before a large file is sent in vain."""
    magic = _MAGIC.get(format)
    if magic is None:
        return format
    with path.open("rb") as file:
        first = file.read(len(magic))
    if first == magic:
        return format
    # Many programs write streams into files with the suffix .arrow.
    if format == "arrow" and first.startswith(b"\xff\xff\xff\xff"):
        return "arrow-stream"
    raise bad_argument(
        f'The file "{path.name}" is not in the format {format}: it does not begin with {magic.decode()}.',
        f"Give the format it has as format=…, one of {', '.join(MEDIA_TYPES)}.",
    )


class TableSource(RequestBody):
    """A table, sent as an Arrow stream, batch by batch."""

    content_type = MEDIA_TYPES["arrow-stream"]

    def __init__(self, data: object) -> None:
        try:
            self._content = _opened(data)
        except pa.ArrowException as error:
            raise bad_argument(
                f"The table cannot be represented in Arrow: {error}.",
                "Convert the column to one type, such as text or a decimal.",
            ) from error
        self._is_used = False

    @property
    def can_repeat(self) -> bool:
        # A stream can be read once, a table as often as necessary.
        return isinstance(self._content, pa.Table) or not self._is_used

    @property
    def bytes_estimate(self) -> int | None:
        return self._content.nbytes if isinstance(self._content, pa.Table) else None

    def send(self, sink: BodySink) -> None:
        self._is_used = True
        content = self._content
        batches: Iterable[pa.RecordBatch] = content.to_batches() if isinstance(content, pa.Table) else content
        with ipc.new_stream(pa.PythonFile(sink, mode="w"), content.schema) as writer:
            for batch in batches:
                for piece in _pieces(batch):
                    writer.write_batch(piece)


def _opened(data: object) -> pa.Table | pa.RecordBatchReader:
    if isinstance(data, pa.Table | pa.RecordBatchReader):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    kind = (type(data).__module__.partition(".")[0], type(data).__name__)
    if kind == ("pandas", "DataFrame"):
        # The index becomes columns, except a RangeIndex, which is kept as metadata: pyarrow's default.
        return pa.Table.from_pandas(data)
    if kind == ("polars", "DataFrame"):
        # Its stream has views, which fewer readers know than plain texts.
        return cast("pl.DataFrame", data).to_arrow()
    if kind == ("polars", "LazyFrame"):
        raise bad_argument("A LazyFrame has no rows yet.", "Put its result: frame.collect().")
    if isinstance(data, ArrowStream):
        return pa.RecordBatchReader.from_stream(data)
    raise bad_argument(
        f"An object of type {type(data).__qualname__} cannot be put.",
        "Put a table of pyarrow, polars or pandas, an object with __arrow_c_stream__, or the path of a file.",
    )


def _pieces(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
    if batch.nbytes <= BATCH_BYTES_MAX or batch.num_rows <= 1:
        yield batch
        return
    rows = max(1, batch.num_rows * BATCH_BYTES_MAX // batch.nbytes)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
