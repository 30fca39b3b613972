"""Reading a version: its schema, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from .errors import bad_argument
from .rows import Rows
from .wire.address import path_part
from .wire.answer import Answer
from .wire.transport import Request, Transport

HEAD_ROWS = 10


@dataclass(frozen=True)
class FrameHead:
    """What is known about a version before rows are read."""

    name: str
    version: int
    rows: int
    schema: pa.Schema

    @property
    def handle(self) -> str:
        return f"{self.name}@{self.version}"


def read_head(transport: Transport, handle: str) -> FrameHead:
    rows = _open(transport, handle, None, None, 0)
    rows.read_all()
    headers = rows.answer.headers
    name, _, version = headers.get("Framehold-Handle", "").rpartition("@")
    return FrameHead(name, int(version), int(headers.get("Framehold-Rows-Total", "0")), rows.schema)


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
    unclear = next((name for name in columns if "," in name), None)
    if unclear is not None:
        raise bad_argument(
            f'The column "{unclear}" cannot be chosen: commas separate names.', "Read all columns, or choose it in SQL."
        )
    return ",".join(columns)
