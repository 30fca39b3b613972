"""Runs the blocking calls of this package in threads of their own.

Reading and writing Arrow releases Python's lock, so threads work at full speed, and there is one implementation of HTTP
and of retries instead of two.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")

THREADS_MAX = 16
"""Separate from asyncio's own threads, which slow reads would otherwise occupy."""


class Stream(Protocol[T_co]):
    def __iter__(self) -> Iterator[T_co]: ...

    def abort(self) -> None: ...


class Threads:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="framehold")

    async def run(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: call(*args, **named))

    async def iterate(self, begin: Callable[[], Stream[T]]) -> AsyncIterator[T]:
        """One element at a time: nothing is read ahead of the consumer, and leaving the loop ends the stream."""
        stream = await self.run(begin)
        elements = iter(stream)
        try:
            while (element := await self.run(next, elements, None)) is not None:
                yield element
        finally:
            stream.abort()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
