"""One version of a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from . import changes
from .difference import Difference, read_difference
from .errors import FrameholdError, bad_argument
from .exports import Exports
from .follow.follower import Follower
from .html_table import HEAD_ROWS, NOTHING_SAID, html_table
from .handles.links import Link, ListedLink, create_link, list_links, revoke_link
from .manifest import Manifest, manifest_of
from .notes import UNCHANGED, ColumnChange, Notes, Unchanged, change_notes, read_notes
from .paging import pages
from .progress import Progress
from .read_rows import FrameHead, head_of, open_rows, read_head
from .rows import Rows
from .sources import Data
from .handles.tags import Tag, list_tags, remove_tag, set_tag
from .wire.address import path_part
from .wire.json_values import list_of
from .wire.transport import Request, Transport

if TYPE_CHECKING:
    import polars as pl


class Frame(Exports):
    """A version of a frame, or its rows since another one: they never change. Rows are read when they are asked for, as often as they are."""

    def __init__(self, transport: Transport, head: FrameHead, *, progress: bool) -> None:
        self._transport = transport
        self._head = head
        self._progress = progress

    @property
    def name(self) -> str:
        return self._head.name

    @property
    def version(self) -> int:
        return self._head.version

    @property
    def since(self) -> int | None:
        """Of rows since a version, that version; otherwise None."""
        return self._head.after

    @property
    def handle(self) -> str:
        """`name@version`; of rows since a version, `name@12..20`"""
        return self._head.handle

    @property
    def rows(self) -> int:
        return self._head.rows

    @property
    def schema(self) -> pa.Schema:
        return self._head.schema

    @property
    def columns(self) -> list[str]:
        return self._head.schema.names

    @property
    def manifest(self) -> Manifest:
        """Size, origin and times of this version, as the server has them now."""
        return manifest_of(self._transport.json(Request(f"v1/frames/{path_part(self.handle)}")))

    def __len__(self) -> int:
        return self.rows

    def __bool__(self) -> bool:
        # Without this, a frame without rows would be false.
        return True

    def to_arrow(
        self, columns: Sequence[str] | None = None, *, offset: int | None = None, limit: int | None = None
    ) -> pa.Table:
        """Rows as a table of pyarrow: all, or some columns, or a window of rows."""
        rows = open_rows(self._transport, self._head, columns, offset=offset, limit=limit)
        expected = min(max(self.rows - (offset or 0), 0), self.rows if limit is None else limit)
        with Progress(f"Reading {self.handle}", "rows", expected, enabled=self._progress) as progress:
            rows.on_rows = progress.add
            return rows.read_all()

    def batches(self) -> pa.RecordBatchReader:
        """The rows as they arrive, one batch at a time."""
        return self.open().reader()

    def open(self) -> Rows:
        """The same, as a stream that can be closed or aborted before its end."""
        return open_rows(self._transport, self._head)

    def head(self, rows: int = HEAD_ROWS) -> pa.Table:
        return self.to_arrow(limit=rows)

    def scan(self) -> pl.LazyFrame:
        """A lazy frame of polars. The server applies columns, row limits, and filters as far as SQL can express them."""
        from .scan.lazy_frame import lazy_frame

        return lazy_frame(self._transport, self._head)

    def follow(
        self,
        since: int | str | None = None,
        *,
        columns: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> Follower:
        """Rows that are added behind those of this version, or of another one: see `Database.follow`."""
        return Follower(self._transport, self.name, self.version if since is None else since, columns, timeout)

    def at(self, version: int) -> Frame:
        """Another version of the same frame."""
        return self._opened(f"{self.name}@{version}")

    def latest(self) -> Frame:
        return self._opened(self.name)

    def versions(self) -> Iterator[Manifest]:
        """The kept versions, newest first."""
        for page in pages(self._transport, f"v1/frames/{path_part(self.name)}/versions"):
            yield from map(manifest_of, list_of(page.get("versions")))

    def append(
        self,
        data: Data,
        *,
        if_version: int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Frame:
        """Adds rows: the next version. Values are converted to the frame's types only if nothing is lost."""
        upload = changes.Upload(data, format, idempotency_key, self._progress, columns)
        return self._changed(changes.append(self._transport, self.name, upload, if_version=if_version))

    def restore(self, version: int | None = None) -> Frame:
        """Makes a version the newest: this one, or another."""
        self._check_whole()
        wanted = self.version if version is None else version
        return self._changed(changes.restore(self._transport, self.name, wanted))

    def keep_versions(self, versions: int | None) -> None:
        """Sets how many versions of this frame are kept; `None`: as many as of other frames."""
        changes.keep_versions(self._transport, self.name, versions)

    def drop(self, *, purge: bool = False) -> None:
        """Drops the frame with all its versions. Until it is purged, `Database.undrop` brings it back."""
        self._check_whole()
        changes.drop(self._transport, self.name, purge=purge)

    def diff(self, from_version: int, to_version: int | None = None) -> Difference:
        """How an earlier version differs from a later one, by default from this one."""
        return read_difference(self._transport, self.name, from_version, to_version or self.version)

    def link(self, ttl: str | None = None) -> Link:
        """A URL that reads this version without a token, for a day or for `ttl` (`15m`, `12h`, `30d`).

        The version is kept as long, unless it or the frame is dropped or the frame expires.
        """
        return create_link(self._transport, self.handle, ttl)

    def links(self) -> list[ListedLink]:
        """The links to this frame that are in force."""
        return list_links(self._transport, self.name)

    def unlink(self, link: Link | ListedLink | str) -> None:
        """Revokes a link: from now on nobody can read with it."""
        revoke_link(self._transport, self.name, link)

    def tag(self, tag: str, *, create_only: bool = False) -> Tag:
        """Names this version: `db["trades@gold"]` is it from now on, and it is kept as long as it has a tag.

        A tag that names another version is moved, unless `create_only` is set.
        """
        self._check_whole()
        return set_tag(self._transport, self.handle, tag, create_only=create_only)

    def tags(self) -> list[Tag]:
        """The tags of all versions of this frame, newest version first."""
        return list_tags(self._transport, self.name)

    def untag(self, tag: Tag | str) -> None:
        """Removes a tag from this frame, whatever version it names."""
        remove_tag(self._transport, self.name, tag)

    def notes(self) -> Notes:
        """What people say of this frame. It belongs to the name, not to this version."""
        return read_notes(self._transport, self.name)

    def note(
        self,
        *,
        description: str | None | Unchanged = UNCHANGED,
        owner: str | None | Unchanged = UNCHANGED,
        labels: Sequence[str] | None | Unchanged = UNCHANGED,
        columns: Mapping[str, ColumnChange] | None | Unchanged = UNCHANGED,
    ) -> Notes:
        """Changes what is said: what is given replaces what is there, `None` removes it, and the rest stays.

        `columns={"price": {"comment": "at the close", "unit": "USD"}}`; of columns, too, only those that are given change.
        """
        return change_notes(
            self._transport, self.name, description=description, owner=owner, labels=labels, columns=columns
        )

    def __repr__(self) -> str:
        try:
            columns = f", {len(self.columns)} columns"
        except FrameholdError:
            # Nothing that prints an object should fail because a server does not answer.
            columns = ""
        return f"<framehold.Frame {self.handle}: {self.rows:,} rows{columns}>"

    def _repr_html_(self) -> str:
        first = open_rows(self._transport, self._head, limit=HEAD_ROWS).read_all()
        try:
            notes = self.notes()
        except FrameholdError:
            # The rows are here: a frame of another tenant, or dropped meanwhile, is shown without them.
            notes = NOTHING_SAID
        return html_table(self.handle, first, self.rows, notes)

    def _check_whole(self) -> None:
        if self.since is not None:
            raise bad_argument(
                f"{self.handle} names rows of a frame, not a version of it.", f'Use db["{self.name}"] for this.'
            )

    def _changed(self, manifest: Manifest) -> Frame:
        return Frame(self._transport, head_of(self._transport, manifest), progress=self._progress)

    def _opened(self, handle: str) -> Frame:
        return Frame(self._transport, read_head(self._transport, handle), progress=self._progress)
