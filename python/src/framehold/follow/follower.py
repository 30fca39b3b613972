"""Every row that is added to a frame, once and in order."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ..errors import FrameholdError, IncompleteAnswer, bad_argument
from ..events import FAILURES_MAX, FIRST_WAIT_SECONDS, WAIT_SECONDS_MAX
from ..manifest import manifest_of
from ..rows import Rows
from ..wire.address import path_part
from ..wire.repetition import is_passing
from ..wire.transport import Request, Transport
from .added_rows import read_added
from .batch import Batch
from .position import Position, parse_position
from .wakes import Wakes

BROKEN_MAX = 3
"""Answers that break off without a row: a server that restarts breaks one or two, rows that cannot be read break all."""


class Follower(Iterator[Batch]):
    """Waits for rows, over restarts of the server. Any thread may `close` it, which ends the loop."""

    def __init__(
        self,
        transport: Transport,
        name: str,
        since: int | str | None,
        columns: Sequence[str] | None,
        timeout: float | None,
    ) -> None:
        # Refuses what is no text.
        path_part(name)
        if "@" in name:
            raise bad_argument(f'"{name:.140}" is not the name of a frame.', 'Write follow("trades", since=12).')
        self._task = _Task(transport, name, columns, _checked_timeout(timeout))
        position = None if since is None else parse_position(since)
        # The loop does not refer to this object, so that it ends with the last reference to it.
        self._batches = _follow(self._task, position)

    def __next__(self) -> Batch:
        return next(self._batches)

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        task = getattr(self, "_task", None)
        if task is not None:
            task.close()

    def abort(self) -> None:
        self.close()

    def close(self) -> None:
        self._task.close()


class _Task:
    """What the loop works with, and what ends it from outside."""

    def __init__(
        self, transport: Transport, name: str, columns: Sequence[str] | None, timeout: float | None
    ) -> None:
        self.transport = transport
        self.name = name
        self.columns = columns
        self.timeout = timeout
        self.is_closed = False
        self.wakes: Wakes | None = None
        self.rows: Rows | None = None

    def open(self) -> None:
        # Whoever does not wait need not be woken.
        if self.timeout != 0:
            self.wakes = Wakes(self.transport, self.name)
        if self.is_closed:
            self.close()

    def opened(self, rows: Rows) -> None:
        self.rows = rows
        if self.is_closed:
            rows.abort()

    def close(self) -> None:
        self.is_closed = True
        if self.wakes is not None:
            self.wakes.close()
        if self.rows is not None:
            self.rows.abort()


def _follow(task: _Task, position: Position | None) -> Iterator[Batch]:
    if task.is_closed:
        return
    task.open()
    patience = _Patience(task)
    try:
        while not task.is_closed:
            try:
                if position is None:
                    position = _newest(task)
                # What lies behind an end that was given is not known yet.
                has_end = position.until is not None
                for position, batch in read_added(task.transport, task.name, position, task.columns, task.opened):
                    patience.restore()
                    if batch is not None:
                        yield batch
                        patience.begin()
                if has_end:
                    continue
            except FrameholdError as error:
                if task.is_closed:
                    return
                if not _is_awaited(error, position):
                    patience.wait_after(error)
                    continue
                position = Position(0)
                if not patience.is_awake():
                    if task.is_closed:
                        return
                    raise
                continue
            if not patience.is_awake():
                return
    finally:
        task.close()


def _newest(task: _Task) -> Position:
    answer = task.transport.json(Request(f"v1/frames/{path_part(task.name)}"))
    return Position(manifest_of(answer).version)


def _is_awaited(error: FrameholdError, position: Position | None) -> bool:
    """A frame that does not exist yet. One that rows were read of has ended: what comes under its name is another."""
    is_at_beginning = position is None or position.is_beginning
    return is_at_beginning and error.code in ("frame_not_found", "frame_gone")


class _Patience:
    """How long rows are awaited, and how long failures are borne that come one after the other."""

    def __init__(self, task: _Task) -> None:
        self._task = task
        self._has_begun = False
        self._failures = 0
        self._broken = 0
        self.begin()

    def begin(self) -> None:
        timeout = self._task.timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout

    def restore(self) -> None:
        self._has_begun = True
        self._failures = 0
        self._broken = 0

    def is_awake(self) -> bool:
        """Waits until the frame may have changed; False if there is no time left, or it was closed."""
        return self._task.wakes is not None and self._task.wakes.wait(self._left())

    def wait_after(self, error: FrameholdError) -> None:
        """Waits until the next try, or raises an error that waiting does not solve."""
        left = self._left()
        self._failures += 1
        self._broken += isinstance(error, IncompleteAnswer)
        is_hopeless = self._failures > FAILURES_MAX or self._broken > BROKEN_MAX
        # The first question was repeated already; the address may be wrong.
        if is_hopeless or not self._has_begun or not is_passing(error, has_answered=True) or left == 0:
            raise error
        wait = min(FIRST_WAIT_SECONDS * 2.0 ** (self._failures - 1), WAIT_SECONDS_MAX)
        if self._task.wakes is not None:
            self._task.wakes.sleep(max(wait, error.retry_after or 0.0) if left is None else min(wait, left))

    def _left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


def _checked_timeout(timeout: object) -> float | None:
    if timeout is None:
        return None
    # NaN is not at least 0. More than a million is more than the waits of some systems can be.
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 <= timeout <= 1_000_000:
        raise bad_argument("timeout is a number of seconds, from 0 to 1,000,000, or None.", "Write timeout=60.")
    return float(timeout)
