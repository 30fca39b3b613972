"""The interface for asyncio."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest
from conftest import Servers

import framehold


def test_everything_in_one_loop(servers: Servers) -> None:
    asyncio.run(work(servers.url))


async def work(url: str) -> None:
    async with framehold.aconnect(url) as db:
        frame = await db.put("async", pa.table({"n": list(range(200_000))}))
        frame = await frame.append(pa.table({"n": [1]}))
        assert (await frame.to_polars()).height == 200_001
        assert [each.version for each in await frame.versions()][:2] == [frame.version, frame.version - 1]
        assert sum([batch.num_rows async for batch in frame.batches()]) == 200_001
        assert (await db.sql("SELECT count(*) AS n FROM async")).to_arrow().to_pylist() == [{"n": 200_001}]
        tables = await asyncio.gather(*(frame.to_arrow(limit=10) for _ in range(40)))
        assert {table.num_rows for table in tables} == {10}
        with pytest.raises(framehold.NotFound):
            await db.frame("no_such_frame")
        await watch(db)


async def watch(db: framehold.AsyncDatabase) -> None:
    async def first() -> str:
        async for event in db.watch():
            if event.kind == "hello":
                began.set()
            elif event.name == "async_watched":
                return event.kind
        return ""

    began = asyncio.Event()
    task = asyncio.create_task(first())
    await asyncio.wait_for(began.wait(), 10)
    await db.put("async_watched", pa.table({"n": [1]}))
    assert (await asyncio.wait_for(task, 10)).startswith("frame.")
    began.clear()
    waiting = asyncio.create_task(first())
    await asyncio.wait_for(began.wait(), 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, 5)
