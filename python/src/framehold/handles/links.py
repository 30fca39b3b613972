"""Links that read one version without a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ..errors import bad_argument
from ..wire.address import path_part
from ..wire.json_values import list_of, object_of, text_of, time_of
from ..wire.transport import Request, Transport


@dataclass(frozen=True)
class Link:
    """A new link. Its URL is a secret: everyone who has it can read the rows."""

    id: str
    handle: str
    # Not in what is printed for an object: print(link) and link.url show it.
    url: str = field(repr=False)
    token: str = field(repr=False)
    """For `connect(token=…)`: reads this version and nothing else."""
    expires_at: datetime

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class ListedLink:
    """A link in force, without its URL, which the server does not keep."""

    id: str
    handle: str
    created_at: datetime
    created_by: str
    expires_at: datetime


def create_link(transport: Transport, handle: str, ttl: str | None) -> Link:
    answer = transport.json(Request(f"v1/frames/{path_part(handle)}/links", "POST", parameters={"ttl": ttl}))
    return Link(
        id=text_of(answer.get("id")),
        handle=text_of(answer.get("handle")),
        url=text_of(answer.get("url")),
        token=text_of(answer.get("link")),
        expires_at=time_of(answer.get("expiresAt")),
    )


def list_links(transport: Transport, name: str) -> list[ListedLink]:
    answer = transport.json(Request(f"v1/frames/{path_part(name)}/links"))
    return [_listed(entry) for entry in list_of(answer.get("links"))]


def revoke_link(transport: Transport, name: str, link: Link | ListedLink | str) -> None:
    if not isinstance(link, Link | ListedLink | str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad_argument(f"A link is not a {type(link).__qualname__}.", "Give one of links(), or its id.")
    id = link if isinstance(link, str) else link.id
    transport.done(Request(f"v1/frames/{path_part(name)}/links/{path_part(id)}", "DELETE"))


def _listed(value: object) -> ListedLink:
    entry = object_of(value)
    return ListedLink(
        id=text_of(entry.get("id")),
        handle=text_of(entry.get("handle")),
        created_at=time_of(entry.get("createdAt")),
        created_by=text_of(entry.get("createdBy")),
        expires_at=time_of(entry.get("expiresAt")),
    )
