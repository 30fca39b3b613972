"""Names for versions: `trades@gold`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..errors import bad_argument
from ..wire.address import path_part
from ..wire.json_values import list_of, number_of, object_of, text_of, time_of
from ..wire.transport import Request, Transport


@dataclass(frozen=True)
class Tag:
    """A name for a version, which is kept as long as it has one."""

    tag: str
    handle: str
    version: int
    set_at: datetime
    set_by: str

    def __str__(self) -> str:
        return self.tag


def list_tags(transport: Transport, name: str) -> list[Tag]:
    answer = transport.json(Request(f"v1/frames/{path_part(name)}/tags"))
    return [_tag_of(entry) for entry in list_of(answer.get("tags"))]


def set_tag(transport: Transport, handle: str, tag: str, *, create_only: bool) -> Tag:
    headers = {"If-None-Match": "*"} if create_only else {}
    return _tag_of(transport.json(Request(_path(handle, tag), "PUT", headers=headers)))


def remove_tag(transport: Transport, name: str, tag: Tag | str) -> None:
    if not isinstance(tag, Tag | str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument(f"A tag is not a {type(tag).__qualname__}.", "Give one of tags(), or its name.")
    transport.done(Request(_path(name, str(tag)), "DELETE"))


def _path(handle: str, tag: str) -> str:
    return f"v1/frames/{path_part(handle)}/tags/{path_part(tag)}"


def _tag_of(value: object) -> Tag:
    entry = object_of(value)
    return Tag(
        tag=text_of(entry.get("tag")),
        handle=text_of(entry.get("handle")),
        version=number_of(entry.get("version")),
        set_at=time_of(entry.get("setAt")),
        set_by=text_of(entry.get("setBy")),
    )
