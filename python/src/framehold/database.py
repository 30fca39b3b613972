"""The frames of a server."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping, Sequence

from . import changes
from .errors import NotFound, bad_argument
from .events import EventStream
from .follow.follower import Follower
from .frame import Frame
from .manifest import Manifest, manifest_of
from .paging import pages
from .profiles import choose_server
from .read_rows import head_of, read_head
from .settings import Settings
from .sources import Data
from .statement import Result, run_statement
from .statement_parameters import Parameters
from .wire.address import path_part
from .wire.json_values import JsonObject, list_of
from .wire.transport import Request, Transport

DEFAULT_TIMEOUT = 300.0
"""Seconds without a single byte. A statement may work for minutes before its first row."""

SECONDS_MAX = 1_000_000
"""More than the timeouts of sockets can be on some systems."""


def connect(
    url: str | None = None,
    token: str | None = None,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    ca_file: str | None = None,
    ssl_context: ssl.SSLContext | None = None,
    profile: str | None = None,
    progress: bool = True,
    retry_seconds: float | None = None,
    pickle_token: bool = False,
) -> Database:
    """Opens a server's frames.

    Without arguments: FRAMEHOLD_URL and FRAMEHOLD_TOKEN, else the profile of `framehold login`, else the local server.
    No request is sent yet. `ca_file` is a certificate authority of your own; `ssl_context` has the other options of TLS.
    `retry_seconds`: how long requests that are safe to repeat are repeated while the server cannot be reached or is busy.
    Without it 30 seconds, and 2 for a server that has never answered. `pickle_token`: a pickle of the database or of its
    frames contains the token; otherwise it is looked up again where the pickle is loaded.
    """
    _check_seconds("timeout", timeout, at_least=0.001)
    if retry_seconds is not None:
        _check_seconds("retry_seconds", retry_seconds, at_least=0)
    server = choose_server(url, token, ca_file, profile)
    settings = Settings(
        url=server.url,
        token=server.token,
        timeout=timeout,
        ca_file=server.ca_file,
        ssl_context=ssl_context,
        retry_seconds=retry_seconds,
        profile=profile,
        pickle_token=pickle_token,
    )
    return Database(Transport(settings), progress=progress)


def _check_seconds(name: str, value: object, *, at_least: float) -> None:
    # NaN is not at least anything.
    if isinstance(value, bool) or not isinstance(value, int | float) or not at_least <= value <= SECONDS_MAX:
        raise bad_argument(f"{name} is a number of seconds, from {at_least:g} to {SECONDS_MAX:,}.", f"Write {name}=60.")


class Database:
    """Safe to use from several threads."""

    def __init__(self, transport: Transport, *, progress: bool) -> None:
        self._transport = transport
        self._progress = progress

    @property
    def url(self) -> str:
        return self._transport.address.origin + self._transport.address.path

    def __getitem__(self, handle: str) -> Frame:
        """The newest version of a frame; with `name@3` that one, with `name@3..` or `name@3..5` the rows since a version."""
        return Frame(self._transport, read_head(self._transport, handle), progress=self._progress)

    def frame(self, name: str, version: int | None = None) -> Frame:
        return self[name if version is None else f"{name}@{version}"]

    def __contains__(self, handle: object) -> bool:
        if not isinstance(handle, str):
            return False
        try:
            self._transport.done(Request(f"v1/frames/{path_part(handle)}"))
        except NotFound:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """Names."""
        return (manifest.name for manifest in self.frames())

    def frames(self, prefix: str | None = None) -> Iterator[Manifest]:
        """All frames in alphabetical order, each with its newest version."""
        for page in pages(self._transport, "v1/frames", {"prefix": prefix}):
            yield from map(manifest_of, list_of(page.get("frames")))

    def put(
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
        progress: bool | None = None,
    ) -> Frame:
        """Stores a table or files under a name, as its first or next version. It is durable when this returns.

        `ttl`: when the name expires, such as `12h`. `create_only`: fail if the name exists. `if_version`: fail unless
        this is the newest version. `format`: of a file without a known suffix. `csv`: how to read text, such as
        `{"delimiter": ";"}`. `columns`: names for the columns of a NumPy array.
        """
        manifest = changes.put(
            self._transport,
            name,
            self._upload(data, format, idempotency_key, progress, columns),
            ttl=ttl,
            create_only=create_only,
            if_version=if_version,
            csv=csv,
        )
        return self._changed(manifest)

    def append(
        self,
        name: str,
        data: Data,
        *,
        if_version: int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        progress: bool | None = None,
    ) -> Frame:
        """Adds rows to an existing frame, as its next version. `if_version`: fail unless this is the newest version."""
        upload = self._upload(data, format, idempotency_key, progress, columns)
        return self._changed(changes.append(self._transport, name, upload, if_version=if_version))

    def drop(self, name: str, *, purge: bool = False) -> None:
        """Drops a frame, or with `name@version` one version of it."""
        changes.drop(self._transport, name, purge=purge)

    def undrop(self, name: str) -> Frame:
        """Brings back a frame that was dropped."""
        return self._changed(changes.undrop(self._transport, name))

    def sql(
        self,
        text: str,
        parameters: Parameters | None = None,
        *,
        limit: int | None = None,
        engine: str | None = None,
        idempotency_key: str | None = None,
    ) -> Result:
        """Runs a statement over frames. Parameters are a list for `$1`, `$2` … or `?`, or a dictionary for `$name`.

        `idempotency_key`: makes repeating a statement that changes something safe.
        """
        return run_statement(
            self._transport, text, parameters, limit=limit, engine=engine, idempotency_key=idempotency_key
        )

    def watch(self, after: str | None = None) -> EventStream:
        """Events as they happen. `after` is the id of the last event that was received."""
        return EventStream(self._transport, after)

    def follow(
        self,
        name: str,
        since: int | str | None = None,
        *,
        columns: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> Follower:
        """Rows as they are added to a frame, each once and in order. Waits for more, over restarts of the server.

        `since`: a version, or the `position` of a batch; 0: all rows; without it rows that are added from now on. A frame
        that does not exist yet is awaited. `timeout`: ends after so many seconds without a new row; 0: with the last row
        that there is. `NotAppendOnly`: the rows were replaced. `PositionUnknown`: that version was too long ago.
        """
        return Follower(self._transport, name, since, columns, timeout)

    def status(self) -> JsonObject:
        """The server as this token sees it: version, limits, usage."""
        return self._transport.json(Request("v1/status"))

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<framehold.Database {self.url}>"

    def _changed(self, manifest: Manifest) -> Frame:
        return Frame(self._transport, head_of(self._transport, manifest), progress=self._progress)

    def _upload(
        self,
        data: Data,
        format: str | None,
        key: str | None,
        progress: bool | None,
        columns: Sequence[str] | None,
    ) -> changes.Upload:
        return changes.Upload(data, format, key, self._progress if progress is None else progress, columns)
