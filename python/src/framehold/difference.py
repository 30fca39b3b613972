"""How two versions differ."""

from __future__ import annotations

from dataclasses import dataclass

from .wire.address import path_part
from .wire.json_values import (
    JsonObject,
    list_of,
    object_of,
    optional_number,
    optional_text,
    text_of,
)
from .wire.transport import Request, Transport


@dataclass(frozen=True)
class Difference:
    from_version: int
    to_version: int
    kind: str
    """`same`, `appended`, `compared` or `not_comparable`."""
    rows_removed: int | None
    """Rows that only the earlier version has. None if they could not be compared."""
    rows_added: int | None
    """Rows that only the later version has."""
    columns_added: tuple[str, ...]
    columns_removed: tuple[str, ...]
    columns_changed: tuple[str, ...]
    """Columns whose type changed."""
    columns_reordered: bool
    reason: str | None
    """Why rows could not be compared."""


def read_difference(transport: Transport, name: str, from_version: int, to_version: int) -> Difference:
    """The server compares rows exactly, without their order, within the limits of its statements."""
    parameters = {"from": from_version, "to": to_version}
    answer = transport.json(Request(f"v1/frames/{path_part(name)}/diff", parameters=parameters))
    schema, rows = object_of(answer.get("schema")), object_of(answer.get("rows"))
    removed, added = _counts(rows)
    return Difference(
        from_version=from_version,
        to_version=to_version,
        kind=text_of(rows.get("kind")),
        rows_removed=removed,
        rows_added=added,
        columns_added=_names(schema.get("added")),
        columns_removed=_names(schema.get("removed")),
        columns_changed=_names(schema.get("changed")),
        columns_reordered=schema.get("reordered") is True,
        reason=optional_text(rows.get("reason")),
    )


def _counts(rows: JsonObject) -> tuple[int | None, int | None]:
    if rows.get("kind") == "same":
        return 0, 0
    if rows.get("kind") == "appended":
        return 0, optional_number(rows.get("count"))
    return optional_number(rows.get("onlyInFrom")), optional_number(rows.get("onlyInTo"))


def _names(value: object) -> tuple[str, ...]:
    """Columns are listed by name, or as an object that has one."""
    return tuple(each if isinstance(each, str) else text_of(object_of(each).get("name")) for each in list_of(value))
