"""Several files as one table: folders and patterns such as `2024/*.parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from .content import Content
from .errors import FrameholdError, bad_argument
from .wire.request_body import BodySink, RequestBody

FILES_MAX = 100_000
"""A pattern with more is most likely a mistake, and its list alone takes megabytes."""
BATCH_ROWS = 64 * 1024
PIECE_BYTES = 1024 * 1024
HEADER_BYTES_MAX = 1024 * 1024


def files_of(path: Path) -> list[Path] | None:
    """The files of a folder, or of a pattern, in the order of their names; None if the path is that of one file."""
    if path.is_file():
        return None
    if path.is_dir():
        found = path.rglob("*")
        root = path
    elif any(sign in str(path) for sign in "*?["):
        root = Path(path.anchor) if path.is_absolute() else Path()
        found = root.glob(str(path.relative_to(path.anchor)) if path.is_absolute() else str(path))
    else:
        return None
    files: list[Path] = []
    for each in found:
        inner = each.relative_to(root).parts
        # Other programs leave these beside their files: _SUCCESS, .part.crc and the like.
        if not each.is_file() or (path.is_dir() and any(part.startswith((".", "_")) for part in inner)):
            continue
        if any("=" in part for part in inner[:-1]):
            raise bad_argument(
                f'"{path}" has columns in the names of its folders: {"/".join(inner[:-1])}.',
                'Put pyarrow.dataset.dataset(path, partitioning="hive"), which reads them.',
            )
        files.append(each)
        if len(files) > FILES_MAX:
            raise bad_argument(f'"{path}" has more than {FILES_MAX:,} files.', "Put them in several steps.")
    if not files:
        raise bad_argument(f'There are no files in "{path}".', "Check the path.")
    return sorted(files)


def content_of_files(files: list[Path], kind: str) -> Content:
    """Batch by batch. All files must have the columns of the first, which is checked before anything is sent."""
    schema = _schema(files[0], kind)
    for each in files[1:]:
        if not _schema(each, kind).equals(schema):
            raise bad_argument(
                f'The columns of "{each}" differ from those of "{files[0]}".',
                "Nothing was sent. Give all files the same columns and types.",
            )

    def batches() -> Iterator[pa.RecordBatch]:
        for each in files:
            try:
                yield from _batches(each, kind)
            except (OSError, pa.ArrowException) as error:
                raise file_failed(each, error) from error

    return Content(schema, batches, True)


def _schema(path: Path, kind: str) -> pa.Schema:
    try:
        if kind == "parquet":
            from pyarrow import parquet

            return parquet.read_schema(str(path))
        if _is_stream(path):
            with ipc.open_stream(str(path)) as stream:
                return stream.schema
        with ipc.open_file(str(path)) as file:
            return file.schema
    except (OSError, pa.ArrowException) as error:
        raise file_failed(path, error) from error


def _batches(path: Path, kind: str) -> Iterable[pa.RecordBatch]:
    if kind == "parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(str(path)) as file:
            yield from file.iter_batches(batch_size=BATCH_ROWS)
    elif _is_stream(path):
        with ipc.open_stream(str(path)) as stream:
            yield from stream
    else:
        with ipc.open_file(str(path)) as file:
            for index in range(file.num_record_batches):
                yield file.get_batch(index)


def _is_stream(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) != b"ARROW1"


class TextFilesSource(RequestBody):
    """Files of text as one: of the second and later ones without the header, which must be the same."""

    def __init__(self, files: list[Path], content_type: str, *, has_header: bool) -> None:
        self.content_type = content_type
        self._files = files
        self._has_header = has_header
        if not has_header:
            return
        first = _header(files[0])
        if first.count(b'"') % 2 == 1:
            raise bad_argument(f'The header of "{files[0]}" has more than one line.', "Put the files one by one.")
        for each in files[1:]:
            if _header(each) != first:
                raise bad_argument(
                    f'The header of "{each}" differs from that of "{files[0]}".',
                    "Nothing was sent. Give all files the same columns in the same order.",
                )

    @property
    def can_repeat(self) -> bool:
        return True

    def send(self, sink: BodySink) -> None:
        for number, path in enumerate(self._files):
            last = b""
            for piece in _pieces(path, without_header=self._has_header and number > 0):
                sink.write(piece)
                last = piece[-1:]
            if last not in (b"", b"\n"):
                sink.write(b"\n")


def _pieces(path: Path, *, without_header: bool) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            if without_header:
                file.readline()
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError as error:
        raise file_failed(path, error) from error


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        line = file.readline(HEADER_BYTES_MAX)
    return line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")


def file_failed(path: Path, error: Exception) -> FrameholdError:
    reason = getattr(error, "strerror", None) or error
    return bad_argument(f'The file "{path}" cannot be read: {reason}.', "Check the file and the rights to read it.")
