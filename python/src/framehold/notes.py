"""What people say of frames: descriptions, owners, labels, and what columns mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .wire.address import path_part
from .wire.json_values import list_of, object_of, optional_text, text_of
from .wire.transport import Request, Transport


@dataclass(frozen=True)
class ColumnNotes:
    comment: str | None = None
    unit: str | None = None
    """Of its values, such as `USD` or `m/s`."""


@dataclass(frozen=True)
class Notes:
    """They belong to the name of the frame, whatever its versions are."""

    description: str | None = None
    owner: str | None = None
    labels: tuple[str, ...] = ()
    columns: Mapping[str, ColumnNotes] = field(default_factory=dict[str, ColumnNotes])


class Unchanged:
    """The default of what `None` would remove."""

    def __repr__(self) -> str:
        return "…"


UNCHANGED = Unchanged()

ColumnChange = Mapping[str, str | None] | None


def read_notes(transport: Transport, name: str) -> Notes:
    return _notes_of(transport.json(Request(_path(name))))


def change_notes(
    transport: Transport,
    name: str,
    *,
    description: str | None | Unchanged,
    owner: str | None | Unchanged,
    labels: Sequence[str] | None | Unchanged,
    columns: Mapping[str, ColumnChange] | None | Unchanged,
) -> Notes:
    given = {"description": description, "owner": owner, "labels": labels, "columns": columns}
    body = {member: value for member, value in given.items() if not isinstance(value, Unchanged)}
    headers = {"Content-Type": "application/json"}
    return _notes_of(transport.json(Request(_path(name), "PATCH", headers=headers, body=json.dumps(body).encode())))


def _path(name: str) -> str:
    return f"v1/frames/{path_part(name)}/notes"


def _notes_of(value: object) -> Notes:
    answer = object_of(value)
    columns = object_of(answer.get("columns"))
    return Notes(
        description=optional_text(answer.get("description")),
        owner=optional_text(answer.get("owner")),
        labels=tuple(text_of(label) for label in list_of(answer.get("labels"))),
        columns={
            name: ColumnNotes(
                comment=optional_text(object_of(notes).get("comment")), unit=optional_text(object_of(notes).get("unit"))
            )
            for name, notes in columns.items()
        },
    )
