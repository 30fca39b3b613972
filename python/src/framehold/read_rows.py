"""Reading a version: its schema, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message

import pyarrow as pa

from .errors import bad_argument
from .manifest import Manifest
from .rows import Rows
from .wire.address import path_part
from .wire.answer import Answer
from .wire.json_values import unreadable
from .wire.transport import Request, Transport


@dataclass(frozen=True)
class RowRange:
    """What an answer has rows of."""

    name: str
    after: int | None
    """Only the rows after this version; None: all."""
    version: int
    rows: int


class FrameHead:
    """What is known about a version before rows are read. After a change, the schema is read when it is asked for: what
    was stored must not fail because of what follows."""

    def __init__(self, transport: Transport, found: RowRange, schema: pa.Schema | None) -> None:
        self._transport = transport
        self.name = found.name
        self.after = found.after
        self.version = found.version
        self.rows = found.rows
        self._schema = schema

    @property
    def handle(self) -> str:
        first = "" if self.after is None else f"{self.after}.."
        return f"{self.name}@{first}{self.version}"

    @property
    def schema(self) -> pa.Schema:
        if self._schema is None:
            self._schema = read_head(self._transport, self.handle).schema
        return self._schema


def head_of(transport: Transport, manifest: Manifest) -> FrameHead:
    return FrameHead(transport, RowRange(manifest.name, None, manifest.version, manifest.rows), None)


def read_head(transport: Transport, handle: str) -> FrameHead:
    rows = open_handle(transport, handle, limit=0)
    table = rows.read_all()
    return FrameHead(transport, range_of(rows.answer.headers), table.schema)


def range_of(headers: Message) -> RowRange:
    name, _, span = headers.get("Framehold-Handle", "").rpartition("@")
    after, _, version = span.rpartition("..")
    total = headers.get("Framehold-Rows-Total", "")
    if not version.isdecimal() or not total.isdecimal() or not (after == "" or after.isdecimal()):
        raise unreadable("The answer does not say which version it is.")
    return RowRange(name, None if after == "" else int(after), int(version), int(total))


def open_rows(
    transport: Transport,
    head: FrameHead,
    columns: Sequence[str] | None = None,
    *,
    offset: int | None = None,
    limit: int | None = None,
) -> Rows:
    return open_handle(transport, head.handle, columns, offset=offset, limit=limit)


def open_handle(
    transport: Transport,
    handle: str,
    columns: Sequence[str] | None = None,
    *,
    offset: int | None = None,
    limit: int | None = None,
) -> Rows:
    for name, value in (("offset", offset), ("limit", limit)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise bad_argument(f"{name} is a number of rows, not {value!r:.40}.", f"Write {name}=10.")
    chosen = _columns_parameter(columns)

    def after(given: int, wanted: str) -> Answer:
        window = {
            "offset": (offset or 0) + given or None,
            "limit": None if limit is None else limit - given,
        }
        path = f"v1/frames/{path_part(wanted)}/rows"
        return transport.send(Request(path, parameters={"fmt": "arrow", "columns": chosen, **window}))

    answer = after(0, handle)
    # What `name` and `name@12..` have may be more a moment later; what the answer names stays the same.
    exact = answer.headers.get("Framehold-Handle", handle)
    return Rows(transport, answer, lambda given: after(given, exact))


def _columns_parameter(columns: Sequence[str] | None) -> str | None:
    if columns is None:
        return None
    if isinstance(columns, str):
        raise bad_argument("columns is a list of names.", f'Write ["{columns}"] for one column.')
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) for name in columns):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument("columns is a list of names.", 'Write them as in ["symbol", "price"].')
    unclear = next((name for name in columns if "," in name), None)
    if unclear is not None:
        raise bad_argument(
            f'The column "{unclear}" cannot be chosen: commas separate names.', "Read all columns, or choose it in SQL."
        )
    return ",".join(columns)
