"""Reading a version: its schema, and its rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from .errors import bad_argument
from .manifest import Manifest
from .rows import Rows
from .wire.address import path_part
from .wire.answer import Answer
from .wire.json_values import unreadable
from .wire.transport import Request, Transport

class FrameHead:
    """What is known about a version before rows are read. After a change, the schema is read when it is asked for: what
    was stored must not fail because of what follows."""

    def __init__(self, transport: Transport, name: str, version: int, rows: int, schema: pa.Schema | None) -> None:
        self._transport = transport
        self.name = name
        self.version = version
        self.rows = rows
        self._schema = schema

    @property
    def handle(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def schema(self) -> pa.Schema:
        if self._schema is None:
            self._schema = read_head(self._transport, self.handle).schema
        return self._schema


def head_of(transport: Transport, manifest: Manifest) -> FrameHead:
    return FrameHead(transport, manifest.name, manifest.version, manifest.rows, None)


def read_head(transport: Transport, handle: str) -> FrameHead:
    rows = _open(transport, handle, None, None, 0)
    table = rows.read_all()
    headers = rows.answer.headers
    name, _, version = headers.get("Framehold-Handle", "").rpartition("@")
    total = headers.get("Framehold-Rows-Total", "")
    if not version.isdecimal() or not total.isdecimal():
        raise unreadable("The answer does not say which version it is.")
    return FrameHead(transport, name, int(version), int(total), table.schema)


def open_rows(
    transport: Transport,
    head: FrameHead,
    columns: Sequence[str] | None = None,
    *,
    offset: int | None = None,
    limit: int | None = None,
) -> Rows:
    return _open(transport, head.handle, columns, offset, limit)


def _open(
    transport: Transport, handle: str, columns: Sequence[str] | None, offset: int | None, limit: int | None
) -> Rows:
    for name, value in (("offset", offset), ("limit", limit)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise bad_argument(f"{name} is a number of rows, not {value!r:.40}.", f"Write {name}=10.")
    path, chosen = f"v1/frames/{path_part(handle)}/rows", _columns_parameter(columns)

    def after(given: int) -> Answer:
        window = {
            "offset": (offset or 0) + given or None,
            "limit": None if limit is None else limit - given,
        }
        return transport.send(Request(path, parameters={"fmt": "arrow", "columns": chosen, **window}))

    def continued(given: int) -> Answer | None:
        # Only a version stays the same between two requests.
        return after(given) if given == 0 or "@" in handle else None

    return Rows(transport, after(0), continued)


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
