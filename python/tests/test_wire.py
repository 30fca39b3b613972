"""Connections that fail: what is repeated, what is not, and what is never taken for complete."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from conftest import Servers

import framehold

Behaviour = Callable[[socket.socket, bytes], None]


class FaultyServer:
    """Handles each connection with the next behaviour, the last one again and again, and keeps the heads of requests."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self._behaviours = list(behaviours)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.heads: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            behaviour = self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]
            with connection, contextlib.suppress(OSError):
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    head += piece
                self.heads.append(head)
                behaviour(connection, head)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def faulty() -> Iterator[Callable[..., FaultyServer]]:
    servers: list[FaultyServer] = []

    def start(*behaviours: Behaviour) -> FaultyServer:
        servers.append(FaultyServer(*behaviours))
        return servers[-1]

    yield start
    for each in servers:
        each.close()


def closes(_connection: socket.socket, _head: bytes) -> None: ...


def answers(status: str, body: bytes, *headers: str) -> Behaviour:
    def behave(connection: socket.socket, _head: bytes) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode() + body)

    return behave


BUSY = b'{"code": "overloaded", "detail": "Too much.", "hint": "Wait.", "status": 503}'
STATUS = b'{"version": "1"}'
MANIFEST = b'{"handle": "t@1", "name": "t", "version": 1, "createdAt": "2024-01-01T00:00:00Z", "origin": {}}'


def stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_a_read_is_repeated(faulty: Callable[..., FaultyServer]) -> None:
    server = faulty(closes, answers("503 Busy", BUSY, "Retry-After: 0"), answers("200 OK", STATUS))
    assert framehold.connect(server.url).status() == {"version": "1"}
    assert len(server.heads) == 3


def test_an_unknown_outcome_is_found_out(faulty: Callable[..., FaultyServer]) -> None:
    unknown = b'{"code": "outcome_unknown", "detail": "Nobody knows.", "status": 500}'
    rows = answers("200 OK", stream(pa.table({"n": [1]})), "Framehold-Handle: t@1", "Framehold-Rows-Total: 1")
    server = faulty(rows, answers("500 Unknown", unknown), answers("200 OK", MANIFEST), rows)
    assert framehold.connect(server.url)["t"].restore().handle == "t@1"
    assert server.heads[1] == server.heads[2]


def test_repetitions_end(faulty: Callable[..., FaultyServer]) -> None:
    server = faulty(answers("503 Busy", BUSY, "Retry-After: 0"))
    with pytest.raises(framehold.Unavailable, match="Too much. Wait."):
        framehold.connect(server.url, retry_seconds=2).status()
    assert 2 <= len(server.heads) <= 10
    once = faulty(answers("503 Busy", BUSY))
    with pytest.raises(framehold.Unavailable):
        framehold.connect(once.url, retry_seconds=0).status()
    assert len(once.heads) == 1
    patient = faulty(answers("503 Busy", BUSY, "Retry-After: 600"))
    with pytest.raises(framehold.Unavailable) as late:
        framehold.connect(patient.url).status()
    assert late.value.retry_after == 600 and len(patient.heads) == 1


def test_a_wrong_address_is_reported_soon_and_a_lost_server_is_waited_for(
    faulty: Callable[..., FaultyServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framehold.wire.transport.FIRST_CONTACT_SECONDS", 0.2)
    server = faulty(answers("200 OK", STATUS), *[closes] * 6, answers("200 OK", STATUS))
    db = framehold.connect(server.url)
    assert db.status() == db.status() == {"version": "1"}
    assert len(server.heads) == 8
    wrong = faulty(closes)
    with pytest.raises(framehold.ConnectionFailed):
        framehold.connect(wrong.url).status()
    assert len(wrong.heads) <= 4


def test_closing_the_database_ends_a_wait(faulty: Callable[..., FaultyServer]) -> None:
    def closes_the_database(_connection: socket.socket, _head: bytes) -> None:
        db.close()

    server = faulty(answers("200 OK", STATUS, "Connection: close"), closes_the_database)
    db = framehold.connect(server.url, retry_seconds=600)
    db.status()
    with pytest.raises(framehold.ConnectionFailed):
        db.status()


def test_a_proxy_without_its_server_is_waited_for(faulty: Callable[..., FaultyServer]) -> None:
    for status in ("502 Bad Gateway", "503 Service Unavailable", "504 Gateway Time-out"):
        server = faulty(answers(status, b"<html>"), answers("200 OK", STATUS))
        assert framehold.connect(server.url).status() == {"version": "1"}
    other = faulty(answers("500 Error", b"<html>"))
    with pytest.raises(framehold.ConnectionFailed):
        framehold.connect(other.url).status()
    assert len(other.heads) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(faulty: Callable[..., FaultyServer]) -> None:
    """What the server has stored is not a failure because its answer was lost."""

    def cut(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n" % len(MANIFEST) + MANIFEST[:9])

    rows = answers("200 OK", stream(pa.table({"n": [1]})), "Framehold-Handle: t@1", "Framehold-Rows-Total: 1")
    server = faulty(rows, cut, answers("201 Created", MANIFEST), rows)
    assert framehold.connect(server.url)["t"].restore().handle == "t@1"
    assert server.heads[1] == server.heads[2]


def test_only_statements_that_read_are_repeated(faulty: Callable[..., FaultyServer]) -> None:
    rows = answers("200 OK", stream(pa.table({"n": [1]})), "Content-Type: application/vnd.apache.arrow.stream")
    for text in ("SELECT 1", " from t", "WITH a AS (SELECT 1) SELECT * FROM a;"):
        server = faulty(closes, rows)
        assert framehold.connect(server.url).sql(text).to_arrow().num_rows == 1
    for text in ("INSERT INTO t SELECT 1", "WITH a AS (SELECT 1) INSERT INTO t FROM a", "SELECT 1; DROP TABLE t", "x"):
        server = faulty(closes, rows)
        with pytest.raises(framehold.ConnectionFailed):
            framehold.connect(server.url).sql(text)
        assert len(server.heads) == 1, text
    keyed = faulty(closes, rows)
    framehold.connect(keyed.url).sql("INSERT INTO t SELECT 1", idempotency_key="k")
    assert len(keyed.heads) == 2


def test_a_put_is_repeated_with_the_same_key(faulty: Callable[..., FaultyServer]) -> None:
    body = stream(pa.table({"n": [1]}))

    def accepts(connection: socket.socket, head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(65536)
        bodies.append(received)
        answers("201 Created", MANIFEST)(connection, head)

    bodies: list[bytes] = []
    rows = answers("200 OK", body, "Framehold-Handle: t@1", "Framehold-Rows-Total: 1")
    server = faulty(closes, accepts, rows)
    assert framehold.connect(server.url).put("t", pa.table({"n": [1]})).handle == "t@1"
    keys = [line for head in server.heads[:2] for line in head.split(b"\r\n") if line.startswith(b"Idempotency-Key")]
    assert len(keys) == 2 and keys[0] == keys[1]
    assert b"Transfer-Encoding: chunked" in server.heads[0] and body in bodies[0]


def test_a_stream_that_was_used_is_not_repeated(faulty: Callable[..., FaultyServer]) -> None:
    def takes_and_closes(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.recv(65536)

    server = faulty(takes_and_closes)
    table = pa.table({"n": [1]})
    with pytest.raises(framehold.ConnectionFailed):
        framehold.connect(server.url).put("t", table.to_reader())
    assert len(server.heads) == 1
    refusing = faulty(answers("503 Busy", BUSY, "Retry-After: 0"))
    with pytest.raises(framehold.Unavailable):
        framehold.connect(refusing.url, retry_seconds=2).put("t", table.to_reader())
    assert len(refusing.heads) >= 2, "the body had not been asked for, so nothing was used"


def test_a_change_without_a_key_is_not_repeated(faulty: Callable[..., FaultyServer]) -> None:
    server = faulty(closes)
    with pytest.raises(framehold.ConnectionFailed):
        framehold.connect(server.url).drop("t")
    assert len(server.heads) == 1


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_an_answer_that_ends_early_is_an_error(faulty: Callable[..., FaultyServer], framing: str) -> None:
    body = stream(pa.table({"n": list(range(100_000))}))
    head = b"HTTP/1.1 200 OK\r\nFramehold-Handle: t@1\r\nFramehold-Rows-Total: 100000\r\n"

    def cut(connection: socket.socket, _head: bytes) -> None:
        if framing == "length":
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:-8])
        else:
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body)

    server = faulty(cut)
    with pytest.raises(framehold.IncompleteAnswer, match="before its last row"):
        framehold.connect(server.url)["t"]


def test_a_read_that_breaks_off_is_continued(faulty: Callable[..., FaultyServer]) -> None:
    table = pa.table({"n": list(range(100_000)), "s": ["a", "b"] * 50_000})
    batches = table.to_batches(max_chunksize=10_000)
    head = answers("200 OK", stream(table.slice(0, 0)), "Framehold-Handle: t@1", "Framehold-Rows-Total: 100000")
    whole, rest = stream(pa.Table.from_batches(batches)), stream(pa.Table.from_batches(batches[5:]))

    def cut(connection: socket.socket, _head: bytes) -> None:
        # In the middle of the sixth batch.
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(whole) + whole[: len(whole) * 11 // 20]
        )

    server = faulty(head, cut, answers("200 OK", rest))
    frame = framehold.connect(server.url)["t"]
    assert frame.to_arrow().equals(table)
    assert b"offset=50000" in server.heads[2]
    broken = faulty(head, cut)
    with pytest.raises(framehold.IncompleteAnswer):
        framehold.connect(broken.url)["t"].to_arrow()
    assert len(broken.heads) == 5


def test_no_more_connections_than_needed(servers: Servers) -> None:
    with framehold.connect(servers.url) as db:
        frame = db.put("kept", pa.table({"n": [1]}))
        for _ in range(20):
            frame.to_arrow()
        assert len(db._transport._connections._idle) == 1
        partly = frame.batches()
        del partly
        frame.to_arrow()
        assert db._transport._connections._places._value == 64


def test_a_server_behind_a_path(faulty: Callable[..., FaultyServer]) -> None:
    server = faulty(answers("200 OK", STATUS))
    framehold.connect(f"{server.url}/frames", token="secret").status()
    assert (
        server.heads[0].startswith(b"GET /frames/v1/status HTTP/1.1")
        and b"Authorization: Bearer secret" in server.heads[0]
    )


def test_what_was_stored_does_not_fail_afterwards(faulty: Callable[..., FaultyServer]) -> None:
    def accepts(connection: socket.socket, head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(65536)
        answers("201 Created", MANIFEST)(connection, head)

    server = faulty(accepts, closes)
    frame = framehold.connect(server.url, retry_seconds=0).put("t", pa.table({"n": [1]}))
    assert (frame.handle, repr(frame)) == ("t@1", "<framehold.Frame t@1: 0 rows>")
    with pytest.raises(framehold.ConnectionFailed):
        frame.columns  # noqa: B018
