"""The same interface for programs with asyncio."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from .async_threads import Threads
from .database import DEFAULT_TIMEOUT, Database, connect
from .difference import Difference
from .events import Event
from .follow.batch import Batch
from .frame import Frame
from .handles.links import Link, ListedLink
from .manifest import Manifest
from .notes import UNCHANGED, ColumnChange, Notes, Unchanged
from .rows import Rows
from .sources import Data
from .statement import Result
from .statement_parameters import Parameters
from .handles.tags import Tag

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def aconnect(
    url: str | None = None,
    token: str | None = None,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    ca_file: str | None = None,
    ssl_context: ssl.SSLContext | None = None,
    profile: str | None = None,
    retry_seconds: float | None = None,
) -> AsyncDatabase:
    """As `connect`, for asyncio. No request is sent yet, so there is nothing to await."""
    return AsyncDatabase(
        connect(
            url,
            token,
            timeout=timeout,
            ca_file=ca_file,
            ssl_context=ssl_context,
            profile=profile,
            progress=False,
            retry_seconds=retry_seconds,
        )
    )


class AsyncDatabase:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._threads = Threads()

    async def frame(self, name: str, version: int | None = None) -> AsyncFrame:
        """The newest version of a frame, or another one."""
        return self._wrapped(await self._threads.run(self._database.frame, name, version))

    async def frames(self, prefix: str | None = None) -> list[Manifest]:
        """All frames in alphabetical order."""
        return await self._threads.run(lambda: list(self._database.frames(prefix)))

    async def put(
        self,
        name: str,
        data: Data,
        *,
        ttl: str | None = None,
        create_only: bool = False,
        if_version: int | None = None,
        format: str | None = None,
        csv: Mapping[str, str] | None = None,
        columns: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncFrame:
        """Stores a table or a file under a name."""
        return self._wrapped(
            await self._threads.run(
                self._database.put,
                name,
                data,
                ttl=ttl,
                create_only=create_only,
                if_version=if_version,
                format=format,
                csv=csv,
                columns=columns,
                idempotency_key=idempotency_key,
            )
        )

    async def append(
        self,
        name: str,
        data: Data,
        *,
        if_version: int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncFrame:
        """Adds rows to an existing frame."""
        return self._wrapped(
            await self._threads.run(
                self._database.append,
                name,
                data,
                if_version=if_version,
                format=format,
                columns=columns,
                idempotency_key=idempotency_key,
            )
        )

    async def drop(self, name: str, *, purge: bool = False) -> None:
        await self._threads.run(self._database.drop, name, purge=purge)

    async def undrop(self, name: str) -> AsyncFrame:
        return self._wrapped(await self._threads.run(self._database.undrop, name))

    async def sql(
        self,
        text: str,
        parameters: Parameters | None = None,
        *,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> Result:
        """Runs a statement and reads all its rows."""

        def run() -> Result:
            result = self._database.sql(text, parameters, limit=limit, idempotency_key=idempotency_key)
            result.to_arrow()
            return result

        return await self._threads.run(run)

    def watch(self, after: str | None = None) -> AsyncIterator[Event]:
        """Events as they happen, until the loop is left."""
        return self._threads.iterate(lambda: self._database.watch(after))

    def follow(
        self,
        name: str,
        since: int | str | None = None,
        *,
        columns: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[Batch]:
        """Rows as they are added to a frame, until the loop is left: see `Database.follow`."""
        return self._threads.iterate(lambda: self._database.follow(name, since, columns=columns, timeout=timeout))

    async def close(self) -> None:
        self._database.close()
        self._threads.close()

    async def __aenter__(self) -> AsyncDatabase:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _wrapped(self, frame: Frame) -> AsyncFrame:
        return AsyncFrame(frame, self._threads)


class AsyncFrame:
    """One version of a frame. `sync` is the same with blocking calls."""

    def __init__(self, frame: Frame, threads: Threads) -> None:
        self.sync = frame
        self._threads = threads

    @property
    def handle(self) -> str:
        return self.sync.handle

    @property
    def name(self) -> str:
        return self.sync.name

    @property
    def version(self) -> int:
        return self.sync.version

    @property
    def rows(self) -> int:
        return self.sync.rows

    @property
    def schema(self) -> pa.Schema:
        return self.sync.schema

    async def to_arrow(
        self, columns: Sequence[str] | None = None, *, offset: int | None = None, limit: int | None = None
    ) -> pa.Table:
        return await self._threads.run(self.sync.to_arrow, columns, offset=offset, limit=limit)

    async def to_polars(self) -> pl.DataFrame:
        return await self._threads.run(self.sync.to_polars)

    async def to_pandas(self) -> pd.DataFrame:
        return await self._threads.run(self.sync.to_pandas)

    def batches(self) -> AsyncIterator[pa.RecordBatch]:
        """The rows as they arrive, one batch at a time."""

        def begin() -> Rows:
            return self.sync.open()

        return self._threads.iterate(begin)

    def follow(
        self,
        since: int | str | None = None,
        *,
        columns: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[Batch]:
        """Rows that are added behind those of this version, or of another one."""
        return self._threads.iterate(lambda: self.sync.follow(since, columns=columns, timeout=timeout))

    async def versions(self) -> list[Manifest]:
        return await self._threads.run(lambda: list(self.sync.versions()))

    async def at(self, version: int) -> AsyncFrame:
        return AsyncFrame(await self._threads.run(self.sync.at, version), self._threads)

    async def append(
        self,
        data: Data,
        *,
        if_version: int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> AsyncFrame:
        appended = await self._threads.run(
            self.sync.append, data, if_version=if_version, format=format, columns=columns
        )
        return AsyncFrame(appended, self._threads)

    async def restore(self, version: int | None = None) -> AsyncFrame:
        return AsyncFrame(await self._threads.run(self.sync.restore, version), self._threads)

    async def keep_versions(self, versions: int | None) -> None:
        await self._threads.run(self.sync.keep_versions, versions)

    async def drop(self, *, purge: bool = False) -> None:
        await self._threads.run(self.sync.drop, purge=purge)

    async def diff(self, from_version: int, to_version: int | None = None) -> Difference:
        return await self._threads.run(self.sync.diff, from_version, to_version)

    async def link(self, ttl: str | None = None) -> Link:
        return await self._threads.run(self.sync.link, ttl)

    async def links(self) -> list[ListedLink]:
        return await self._threads.run(self.sync.links)

    async def unlink(self, link: Link | ListedLink | str) -> None:
        await self._threads.run(self.sync.unlink, link)

    async def tag(self, tag: str, *, create_only: bool = False) -> Tag:
        return await self._threads.run(self.sync.tag, tag, create_only=create_only)

    async def tags(self) -> list[Tag]:
        return await self._threads.run(self.sync.tags)

    async def notes(self) -> Notes:
        return await self._threads.run(self.sync.notes)

    async def note(
        self,
        *,
        description: str | None | Unchanged = UNCHANGED,
        owner: str | None | Unchanged = UNCHANGED,
        labels: Sequence[str] | None | Unchanged = UNCHANGED,
        columns: Mapping[str, ColumnChange] | None | Unchanged = UNCHANGED,
    ) -> Notes:
        return await self._threads.run(
            self.sync.note, description=description, owner=owner, labels=labels, columns=columns
        )

    async def untag(self, tag: Tag | str) -> None:
        await self._threads.run(self.sync.untag, tag)

    def __repr__(self) -> str:
        return f"<framehold.AsyncFrame {self.handle}: {self.rows:,} rows>"
