"""What can be put: tables of many libraries, streams of batches, and files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, Union, cast

import pyarrow as pa
from pyarrow import ipc

from .content import ArrowStream, Content, content_of
from .errors import InvalidRequest, bad_argument
from .file_sets import TextFilesSource, content_of_files, file_failed, files_of
from .numpy_columns import NumpyArray
from .wire.request_body import BodySink, RequestBody

if TYPE_CHECKING:
    import pandas as pd

BATCH_BYTES_MAX = 64 * 1024 * 1024
"""Larger batches are cut, so that readers need not hold more than this at a time."""
FILE_PIECE_BYTES = 1024 * 1024


Data = Union[
    ArrowStream,
    "pd.DataFrame",
    "pd.Series",
    "pa.RecordBatch",
    "pa.Array",
    Mapping[str, object],
    Sequence[Mapping[str, object]],
    Sequence["pa.RecordBatch"],
    Iterator["pa.RecordBatch"],
    NumpyArray,
    BinaryIO,
    TextIO,
    str,
    "os.PathLike[str]",
]

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


def source_of(data: Data, format: str | None = None, columns: Sequence[str] | None = None) -> RequestBody:
    """What to send for this object."""
    if format is not None and not isinstance(format, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument("format is a text.", f"Give format=… as one of {', '.join(MEDIA_TYPES)}.")
    if isinstance(data, str | os.PathLike):
        return _file_source(os.fspath(data), format)
    if isinstance(data, bytes | bytearray | memoryview):
        raise bad_argument("Bytes have no format.", "Put io.BytesIO(data) with format=…, for instance csv.")
    if callable(getattr(data, "read", None)):
        return FileObjectSource(cast(BinaryIO, data), format)
    if format is not None:
        raise bad_argument("format=… applies to files only.", "Leave it out: tables are sent as Arrow.")
    return TableSource(content_of(data, columns))


def _file_source(text: str, format: str | None) -> RequestBody:
    if text == "":
        # For Python, this would be the working folder.
        raise bad_argument("The path is empty.", "Give the path of a file or folder.")
    path = Path(text)
    try:
        files = files_of(path)
        if files is None:
            return FileSource(path, format)
        kinds = {format or _FORMATS.get(each.suffix[1:].lower(), each.suffix) for each in files}
        if len(kinds) > 1:
            raise bad_argument(
                f'"{text}" has files of several kinds: {", ".join(sorted(map(str, kinds)))}.',
                "Choose one with a pattern such as folder/*.parquet.",
            )
        kind = _FORMATS.get(str(kinds.pop()))
        if kind in ("csv", "tsv", "ndjson"):
            return TextFilesSource(files, MEDIA_TYPES[kind], has_header=kind != "ndjson")
        if kind in ("parquet", "arrow", "arrow-stream"):
            return TableSource(content_of_files(files, kind))
    except OSError as error:
        raise file_failed(path, error) from error
    raise bad_argument(
        f'The files of "{text}" cannot be put together: they are neither Parquet, Arrow, CSV, TSV nor NDJSON.',
        "Put them one by one: put the first, and append the others.",
    )


class FileSource(RequestBody):
    """A file, sent as it is: the server reads it."""

    def __init__(self, path: Path, format: str | None) -> None:
        if not path.is_file():
            raise bad_argument(f'The file "{path}" does not exist.', "Check the path; a frame's content can also be a table.")
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
        try:
            file = self._path.open("rb")
        except OSError as error:
            raise file_failed(self._path, error) from error
        with file:
            while left > 0:
                try:
                    piece = file.read(min(left, FILE_PIECE_BYTES))
                except OSError as error:
                    raise file_failed(self._path, error) from error
                if not piece:
                    raise InvalidRequest(
                        f'The file "{self._path}" became shorter while it was sent.',
                        code="bad_argument",
                        hint="Put it again when nothing writes to it.",
                    )
                sink.write(piece)
                left -= len(piece)


class FileObjectSource(RequestBody):
    """An open file, sent from its position to its end, piece by piece."""

    def __init__(self, file: BinaryIO, format: str | None) -> None:
        self._file = file
        self._is_used = False
        self._begin = file.tell() if _is_seekable(file) else None
        self._first: bytes | None = None
        name = getattr(file, "name", None)
        suffixes = [suffix[1:].lower() for suffix in Path(name).suffixes] if isinstance(name, str) else []
        if suffixes and suffixes[-1] in _ENCODINGS:
            self.content_encoding = _ENCODINGS[suffixes.pop()]
        known = _FORMATS.get(format or (suffixes[-1] if suffixes else ""))
        if known is None and format is None:
            self._first = self._read()
            known = next((each for each, magic in _MAGIC.items() if self._first.startswith(magic)), None)
            if self._first.startswith(b"\xff\xff\xff\xff"):
                known = "arrow-stream"
        if known is None:
            raise bad_argument(
                "The format of this file is not known.", f"Give format=… as one of {', '.join(MEDIA_TYPES)}."
            )
        self.content_type = MEDIA_TYPES[known]

    @property
    def can_repeat(self) -> bool:
        return self._begin is not None or not self._is_used

    def send(self, sink: BodySink) -> None:
        first, self._first = self._first, None
        if self._is_used and self._begin is not None:
            first = None
            self._file.seek(self._begin)
        self._is_used = True
        piece = first or self._read()
        while piece:
            sink.write(piece)
            piece = self._read()

    def _read(self) -> bytes:
        # A file that was opened as text, or StringIO.
        piece = cast("bytes | str | None", self._file.read(FILE_PIECE_BYTES))
        return piece.encode() if isinstance(piece, str) else piece or b""


def _is_seekable(file: BinaryIO) -> bool:
    try:
        # Positions in files of text are not numbers of characters, but can be returned to.
        return bool(file.seekable())
    except (AttributeError, OSError, ValueError):
        return False


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
    """Rows, sent as an Arrow stream, batch by batch."""

    content_type = MEDIA_TYPES["arrow-stream"]

    def __init__(self, content: Content) -> None:
        self._content = content
        self.bytes_estimate = content.size
        self._is_used = False

    @property
    def can_repeat(self) -> bool:
        # A stream can be read once, a table as often as necessary.
        return self._content.can_repeat or not self._is_used

    def send(self, sink: BodySink) -> None:
        self._is_used = True
        try:
            with ipc.new_stream(pa.PythonFile(sink, mode="w"), self._content.schema) as writer:
                for batch in self._content.batches():
                    for piece in _pieces(batch):
                        writer.write_batch(piece)
        except pa.ArrowException as error:
            raise bad_argument(f"The rows cannot be sent: {error}.", "Nothing was stored.") from error


def _pieces(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
    if batch.nbytes <= BATCH_BYTES_MAX or batch.num_rows <= 1:
        yield batch
        return
    rows = max(1, batch.num_rows * BATCH_BYTES_MAX // batch.nbytes)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
