"""Programs that follow a frame have every row once, whatever happens to the frame and to the server."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from conftest import Servers
from test_restart import RETRY_SECONDS, RestartedServer

import framehold
from framehold.events import Event
from framehold.follow.position import Position, parse_position
from framehold.follow.wakes import is_reason


def numbers(start: int, end: int) -> pa.Table:
    return pa.table({"n": pa.array(range(start, end), pa.int64())})


def listed(batches: Iterator[framehold.Batch]) -> list[int]:
    return [n for batch in batches for n in batch.to_arrow()["n"].to_pylist()]


@pytest.fixture
def name() -> str:
    return f"followed_{uuid4().hex}"


class Following:
    """Follows in a thread until it has so many rows, or until it fails."""

    def __init__(self, follower: framehold.Follower, count: int = 1_000_000) -> None:
        self.numbers: list[int] = []
        self.position = ""
        self.error: framehold.FrameholdError | None = None
        self.follower = follower
        self._count = count
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for batch in self.follower:
                self.numbers += batch.to_arrow()["n"].to_pylist()
                self.position = batch.position
                if len(self.numbers) >= self._count:
                    return
        except framehold.FrameholdError as error:
            self.error = error

    def has(self, count: int) -> None:
        deadline = time.monotonic() + RETRY_SECONDS
        while len(self.numbers) < count and self.error is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert self.error is None, self.error
        assert len(self.numbers) >= count

    def end(self) -> framehold.FrameholdError | None:
        self._thread.join(RETRY_SECONDS)
        assert not self._thread.is_alive()
        return self.error


def test_positions() -> None:
    for text in ("0", "12", "12..20+500", "0..1+1"):
        assert str(parse_position(text)) == text
    assert parse_position(7) == Position(7)
    for since in ("", "-1", "01", "1.5", "12..20", "12..", "12..20+0", "log@12", " 1", "1\n", "²", -1, 1.5, True, [1]):
        with pytest.raises(framehold.InvalidRequest, match="since"):
            parse_position(since)


def test_events_that_are_a_reason_to_look() -> None:
    def reason(kind: str, frame: str | None = "log", **more: str) -> bool:
        return is_reason(Event(kind, "1", {"name": frame, **more}), "log")

    assert all(reason(kind, None) for kind in ("hello", "reset"))
    assert all(reason(f"frame.{kind}") for kind in ("created", "appended", "replaced", "restored", "dropped", "expired"))
    assert reason("frame.changed", change="version")
    assert not reason("frame.changed", change="expiry")
    assert not reason("frame.settled")
    assert not reason("frame.appended", "log2")
    assert not reason("statement.ended", None)


def test_rows_since_a_version_are_a_frame(db: framehold.Database, name: str) -> None:
    db.put(name, numbers(0, 10)).append(numbers(10, 15)).append(numbers(15, 16))
    rows = db[f"{name}@1.."]
    assert (rows.handle, rows.rows, rows.version, rows.since) == (f"{name}@1..3", 6, 3, 1)
    db.append(name, numbers(16, 20))
    assert rows.to_arrow() == numbers(10, 16)
    assert rows.to_arrow(offset=1, limit=2) == numbers(11, 13)
    assert pa.Table.from_batches(rows.batches()) == numbers(10, 16)
    assert rows.to_polars()["n"].to_list() == list(range(10, 16))
    import polars as pl

    assert rows.scan().filter(pl.col("n") > 12).collect()["n"].to_list() == [13, 14, 15]
    assert db[f"{name}@1..2"].to_arrow() == numbers(10, 15)
    assert db[f"{name}@4.."].rows == 0
    assert db[name].since is None
    assert listed(rows.follow(timeout=0)) == list(range(16, 20))
    for change in (rows.drop, rows.restore, rows.link, lambda: rows.manifest):
        with pytest.raises(framehold.InvalidRequest, match="names rows of a frame"):
            change()
    assert name in db


def test_appends_while_others_are_read(db: framehold.Database, name: str) -> None:
    db.put(name, numbers(0, 10))
    early, late = Following(db.follow(name, 0), 700), Following(db.follow(name, 1), 690)
    for start in range(10, 500, 10):
        db.append(name, numbers(start, start + 10))
    db.append(name, numbers(0, 0))
    threads = [
        threading.Thread(target=db.append, args=(name, numbers(start, start + 10))) for start in range(500, 700, 10)
    ]
    for thread in threads:
        thread.start()
    assert early.end() is None
    assert late.end() is None
    assert early.numbers[:500] == list(range(500))
    assert sorted(early.numbers) == list(range(700))
    assert late.numbers == early.numbers[10:]
    assert early.position == str(db[name].version)


def test_a_position_is_good_for_another_program(db: framehold.Database, name: str) -> None:
    batches = (pa.record_batch({"n": pa.array(range(start, start + 10_000), pa.int64())}) for start in range(0, 300_000, 10_000))
    db.put(name, pa.Table.from_batches(batches))
    db.append(name, numbers(300_000, 300_100))
    found: list[int] = []
    position: int | str = 0
    for _ in range(50):
        with db.follow(name, position, timeout=0) as follower:
            batch = next(follower, None)
        if batch is None:
            break
        assert batch.rows == len(batch) <= 75_536
        found += batch.to_polars()["n"].to_list()
        position = batch.position
    assert found == list(range(300_100))
    assert position == "2"
    # Behind a given end there is more.
    assert listed(db.follow(name, "0..1+299000", timeout=0)) == list(range(299_000, 300_100))


def test_versions_of_a_row_each_come_together(db: framehold.Database, name: str) -> None:
    db.put(name, numbers(0, 1))
    for n in range(1, 30):
        db.append(name, numbers(n, n + 1))
    batches = list(db.follow(name, 0, timeout=0))
    assert [(batch.rows, batch.position) for batch in batches] == [(30, "30")]
    assert pa.table(batches[0]) == numbers(0, 30)
    assert repr(batches[0]) == "<framehold.Batch up to 30: 30 rows>"


def test_only_what_is_added_from_now_on(db: framehold.Database, name: str) -> None:
    frame = db.put(name, numbers(0, 5))
    assert listed(db.follow(name, timeout=0)) == []
    following = Following(frame.follow(), 3)
    time.sleep(0.2)
    db.append(name, numbers(5, 8))
    assert following.end() is None
    assert following.numbers == [5, 6, 7]
    assert listed(db.follow(name, "1", columns=["n"], timeout=0.2)) == [5, 6, 7]


def test_a_frame_that_does_not_exist_is_awaited(db: framehold.Database, name: str) -> None:
    followings = [Following(db.follow(name, since), 3) for since in (None, 0)]
    time.sleep(0.3)
    db.put(name, numbers(0, 2))
    db.append(name, numbers(2, 3))
    for each in followings:
        assert each.end() is None
        assert each.numbers == [0, 1, 2]
    for timeout in (0, 0.2):
        with pytest.raises(framehold.NotFound):
            list(db.follow(f"{name}_never", timeout=timeout))
    with pytest.raises(framehold.NotFound):
        list(db.follow(name, 99))


def test_a_frame_that_is_replaced_restored_or_dropped(db: framehold.Database, name: str) -> None:
    db.put(name, numbers(0, 2))
    following = Following(db.follow(name, 0))
    following.has(2)
    db.put(name, numbers(7, 8))
    error = following.end()
    assert isinstance(error, framehold.NotAppendOnly)
    assert (error.code, error.status, following.position) == ("not_append_only", 409, "1")
    assert "read everything again" in str(error).lower()

    db.append(name, numbers(8, 9))
    following = Following(db.follow(name, 0))
    following.has(2)
    db[name].restore(2)
    assert isinstance(following.end(), framehold.NotAppendOnly)
    after = Following(db.follow(name, 2), 1)
    db.append(name, numbers(20, 21))
    assert after.end() is None
    assert after.numbers == [20]

    following = Following(db.follow(name, 0))
    following.has(2)
    db.drop(name)
    error = following.end()
    assert isinstance(error, framehold.NotFound)
    assert error.code == "frame_gone"
    db.undrop(name)
    db.append(name, numbers(21, 22))
    assert listed(db.follow(name, following.position, timeout=0)) == [21]


def test_the_loop_ends_when_it_is_left_or_closed(db: framehold.Database, name: str) -> None:
    def threads() -> list[str]:
        gc.collect()
        return [each.name for each in threading.enumerate() if each.name == "framehold-follow"]

    def end() -> None:
        deadline = time.monotonic() + 10
        while threads() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert threads() == []

    db.put(name, numbers(0, 2))
    for _ in db.follow(name, 0):
        assert threads() != []
        break
    end()
    follower = db.follow(name, 1)
    threading.Timer(0.2, follower.close).start()
    assert list(follower) == []
    end()
    follower = db.follow(name, 1)
    follower.close()
    assert list(follower) == []


def test_arguments_are_checked_before_anything_is_sent(db: framehold.Database) -> None:
    wrong: list[Callable[[], object]] = [
        lambda: db.follow("log@12"),
        lambda: db.follow("log", "newest"),
        lambda: db.follow("log", timeout=-1),
        lambda: db.follow("log", timeout=float("nan")),
        lambda: db.follow("log", timeout="5"),  # pyright: ignore[reportArgumentType]
    ]
    for call in wrong:
        with pytest.raises(framehold.InvalidRequest):
            call()


def test_asyncio(servers: Servers, name: str) -> None:
    async def work() -> None:
        async with framehold.aconnect(servers.url) as db:
            frame = await db.put(name, numbers(0, 2))
            await frame.append(numbers(2, 3))
            found: list[int] = []
            async for batch in db.follow(name, 0):
                found += batch.to_arrow()["n"].to_pylist()
                if batch.position == "2":
                    await db.append(name, numbers(3, 5))
                if len(found) == 5:
                    break
            assert found == [0, 1, 2, 3, 4]
            assert [batch.rows async for batch in frame.follow(timeout=0)] == [3]

            async def wait() -> None:
                async for _ in db.follow(name):
                    pass

            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0.3)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(waiting, 5)

    asyncio.run(work())


@pytest.fixture
def server(servers: Servers, tmp_path: Path) -> Iterator[RestartedServer]:
    started = RestartedServer(servers.server_command, tmp_path)
    yield started
    started.stop(signal.SIGKILL)


def test_restarts_of_the_server(server: RestartedServer) -> None:
    with framehold.connect(server.url, retry_seconds=RETRY_SECONDS) as db:
        db.put("log", numbers(0, 1))
        following = Following(db.follow("log", 0), 5)
        following.has(1)
        for number in (signal.SIGKILL, signal.SIGTERM):
            count = len(following.numbers)
            db.append("log", numbers(count, count + 1))
            server.restart(number)
            db.append("log", numbers(count + 1, count + 2))
            following.has(count + 2)
        assert following.end() is None
        assert following.numbers == [0, 1, 2, 3, 4]


class Log(BaseHTTPRequestHandler):
    """Answers as a test wants it to: what a real server cannot be made to do on demand."""

    protocol_version = "HTTP/1.1"
    version = 1
    cuts: list[int] = []
    """Answers that break off after so many bytes."""
    asked: list[str] = []

    def do_GET(self) -> None:
        if self.path == "/v1/events":
            self._begin("text/event-stream")
            self.wfile.write(b'event: hello\nid: 1\ndata: {"last":1}\n\n')
            if Log.version > 1:
                # After the first rows were read.
                time.sleep(0.3)
                Log.version += 1
                self.wfile.write(b'event: reset\nid: 9\ndata: {"last":9}\n\n')
            self.wfile.flush()
            time.sleep(2)
            return
        Log.asked.append(self.path)
        span = self.path.split("@")[1].split("/")[0]
        after, until = (int(each) if each else Log.version for each in span.split(".."))
        offset = int(dict(part.split("=") for part in self.path.split("?")[1].split("&")).get("offset", 0))
        sink = pa.BufferOutputStream()
        table = numbers(after * 100, until * 100)
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(offset), max_chunksize=10)
        body = sink.getvalue().to_pybytes()
        length = len(body)
        self._begin(
            "application/vnd.apache.arrow.stream", length, span=f"log@{after}..{until}", total=table.num_rows
        )
        self.wfile.write(body[: Log.cuts.pop(0) if Log.cuts else length])

    def _begin(self, kind: str, length: int | None = None, *, span: str = "", total: int = 0) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Framehold-Handle", span)
        self.send_header("Framehold-Rows-Total", str(total))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def log() -> Iterator[str]:
    Log.asked, Log.version, Log.cuts = [], 1, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Log)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_answers_that_break_off_are_continued_at_their_end(log: str) -> None:
    Log.version, Log.cuts = 3, [1_500, 2_500]
    with framehold.connect(log) as db:
        found = list(db.follow("log", 0, timeout=0))
    assert listed(iter(found)) == list(range(300))
    # What is newer by then has other rows at its end.
    assert [path.split("/rows")[0].split("@")[1] for path in Log.asked] == ["0..", "0..3", "0..3", "3.."][: len(Log.asked)]
    assert found[-1].position == "3"


def test_rows_that_always_break_off_are_an_error(log: str) -> None:
    Log.cuts = [1_500] + [20] * 1_000
    found: list[int] = []
    with framehold.connect(log) as db, pytest.raises(framehold.IncompleteAnswer):
        for batch in db.follow("log", 0, timeout=60):
            found += batch.to_arrow()["n"].to_pylist()
    assert found == list(range(len(found)))
    assert 0 < len(found) < 100
    assert len(Log.asked) < 30


def test_rows_are_read_again_after_a_reset(log: str) -> None:
    Log.version = 2
    with framehold.connect(log) as db:
        following = Following(db.follow("log", 0), 300)
        assert following.end() is None
    assert following.numbers == list(range(300))


def test_frames_of_other_tenants_are_asked_for_by_the_clock(log: str) -> None:
    Log.version = 1
    with framehold.connect(log) as db:
        following = Following(db.follow("other:log", 0), 200)
        following.has(100)
        Log.version = 2
        assert following.end() is None
    assert following.numbers == list(range(200))
    assert all(path.startswith("/v1/frames/other:log@") for path in Log.asked), Log.asked


def test_problem_codes() -> None:
    from framehold.errors import kind_of

    assert kind_of("position_unknown", 410) is framehold.PositionUnknown
    assert issubclass(framehold.PositionUnknown, framehold.NotFound)
    assert issubclass(framehold.NotAppendOnly, framehold.Conflict)
