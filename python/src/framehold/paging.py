"""Lists that the server gives in pages."""

from __future__ import annotations

from collections.abc import Iterator

from .wire.json_values import JsonObject, optional_text
from .wire.transport import Parameters, Request, Transport

PAGE_ENTRIES = 1000


def pages(transport: Transport, path: str, parameters: Parameters | None = None) -> Iterator[JsonObject]:
    cursor: str | None = None
    while True:
        request = Request(path, parameters={**(parameters or {}), "limit": PAGE_ENTRIES, "cursor": cursor})
        page = transport.json(request)
        yield page
        cursor = optional_text(page.get("next"))
        if cursor is None:
            return
