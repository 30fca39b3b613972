"""Every exception of the package is a FrameholdError, whatever is passed, and whatever answers."""

from __future__ import annotations

import io
import json
import math
import socket
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pytest
from test_wire import FaultyServer

import framehold
from framehold.read_rows import FrameHead, RowRange

ODD: list[object] = [5, None, b"x", 1.5, [1], {}, "\ud800", "a\nb", "a/b", "", "..", "\xe9", "x" * 5000, object()]
TABLE = pa.table({"n": [1]})


def arguments(db: framehold.Database, frame: framehold.Frame, odd: object) -> Iterator[Callable[[], object]]:
    """Each parameter of each public method."""
    any_: framehold.Database = db
    value: str = odd  # type: ignore[assignment]
    number: int = odd  # type: ignore[assignment]
    text = io.BytesIO(b"a\n1\n")
    yield lambda: any_[value]
    yield lambda: any_.frame("odd", number)
    yield lambda: next(any_.follow(value, timeout=0), None)
    yield lambda: next(any_.follow(value, 0, timeout=0), None)
    yield lambda: next(any_.follow("odd", value, timeout=0), None)
    yield lambda: next(any_.follow("odd", 0, columns=value, timeout=0), None)
    yield lambda: next(any_.follow("odd", 0, timeout=0 if odd is None else number), None)
    yield lambda: value in any_
    yield lambda: list(any_.frames(value))
    yield lambda: any_.put(value, TABLE)
    yield lambda: any_.put("odd2", TABLE, ttl=value)
    yield lambda: any_.put("odd2", TABLE, if_version=number)
    yield lambda: any_.put("odd2", TABLE, format=value)
    yield lambda: any_.put("odd2", text, format=value)
    yield lambda: any_.put("odd2", text, format="csv", csv=value)  # type: ignore[arg-type]
    yield lambda: any_.put("odd2", text, format="csv", csv={"delimiter": value})
    yield lambda: any_.put("odd2", np.zeros((2, 2)), columns=value)  # type: ignore[arg-type]
    yield lambda: any_.put("odd2", np.zeros((2, 1)), columns=[value])  # type: ignore[arg-type]
    yield lambda: any_.put("odd2", TABLE, idempotency_key=value)
    # A folder that exists is none of these.
    yield lambda: None if value == ".." else any_.put("odd2", value)
    yield lambda: any_.put("odd2", {"a": value})
    yield lambda: any_.put("odd2", [value])  # type: ignore[list-item]
    yield lambda: any_.append(value, TABLE)
    yield lambda: any_.drop(value)
    yield lambda: any_.undrop(value)
    yield lambda: any_.sql(value)
    yield lambda: any_.sql("SELECT $1::VARCHAR", value).to_arrow()
    yield lambda: any_.sql("SELECT $1::VARCHAR", [value]).to_arrow()
    yield lambda: any_.sql("SELECT 1", limit=number).to_arrow()
    yield lambda: any_.sql("SELECT 1", engine=value).to_arrow()
    yield lambda: any_.sql("CREATE OR REPLACE TABLE odd3 AS SELECT 1 AS a", idempotency_key=value)
    yield lambda: frame.to_arrow(value)
    yield lambda: frame.to_arrow([value])
    yield lambda: frame.to_arrow(offset=number)
    yield lambda: frame.to_arrow(limit=number)
    yield lambda: frame.head(number)
    yield lambda: frame.at(number)
    yield lambda: None if value == ".." else frame.append(value)
    yield lambda: frame.restore(number)
    yield lambda: frame.keep_versions(number)
    yield lambda: frame.diff(number)
    yield lambda: frame.diff(1, number)
    yield lambda: frame.link(value)
    yield lambda: frame.unlink(value)
    yield lambda: framehold.connect(value)
    yield lambda: framehold.connect(token=value)
    yield lambda: framehold.connect(timeout=number)
    yield lambda: framehold.connect("http://x", ca_file=value)
    yield lambda: framehold.connect(profile=value)
    yield lambda: framehold.connect(retry_seconds=number)


def raised(calls: Iterator[Callable[[], object]]) -> list[str]:
    """Exceptions that are not of the package."""
    wrong: list[str] = []
    for number, call in enumerate(calls):
        try:
            call()
        except framehold.FrameholdError as error:
            if error.code == "" or str(error) == "":
                wrong.append(f"{number}: without a reason")
        except Exception as error:
            wrong.append(f"{number}: {error!r}")
    return wrong


@pytest.mark.parametrize("odd", ODD, ids=[f"{type(each).__name__}-{number}" for number, each in enumerate(ODD)])
def test_arguments_of_wrong_types(db: framehold.Database, odd: object) -> None:
    frame = db.put("odd", TABLE)
    assert raised(arguments(db, frame, odd)) == []


def test_an_event_id_that_cannot_be_sent_is_refused_at_once(db: framehold.Database) -> None:
    with pytest.raises(framehold.InvalidRequest, match="Last-Event-ID"):
        next(db.watch("a\nb"))


ADDRESSES = [
    "http://", "http://[", "http://[::1", "http://a b", "http://a:b", "http://a:99999", "http://" + "a" * 300, "ftp://x",
    "http://x/\xe9", "http://x/a b", "http://\x00", "//x", "http://a..b", "http://\ud800",
]  # fmt: skip


def test_addresses_that_cannot_be(db: framehold.Database) -> None:
    def calls() -> Iterator[Callable[[], object]]:
        for address in ADDRESSES:
            yield lambda address=address: framehold.connect(address, retry_seconds=0).status()
        for value in (math.nan, math.inf, np.array([1, 2]), np.float32(1.5), {1: 2}, [object()], 2**100, {1, 2}):
            yield lambda value=value: db.sql("SELECT $1::VARCHAR", [value]).to_arrow()

    assert raised(calls()) == []


def answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


ANSWERS = [
    b"", answer(b"abc"), answer(b"{}"), answer(b"[]"), answer(b"\xff\xfe\xfd\xfc"), b"garbage\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"HTTP/1.1 204 No\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\n{\"code\":5}",
    b"HTTP/1.1 200 OK\r\n\r\nevent: x\ndata: {bad\n\n", b"HTTP/1.1 200 OK\r\n\r\nevent: x\ndata: \xff\n\n",
    answer(json.dumps({"handle": "a@1", "createdAt": "yesterday", "origin": {}, "frames": [1], "versions": [{}], "links": [{}],
                       "schema": {}, "rows": {}}).encode()),
    answer(json.dumps({"frames": {"a": 1}, "version": 1.5, "createdAt": "2024-01-01T00:00:00Z", "origin": []}).encode()),
]  # fmt: skip


@pytest.mark.parametrize("content", ANSWERS, ids=range(len(ANSWERS)))
def test_answers_of_another_server(content: bytes) -> None:
    def behave(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(content)

    server = FaultyServer(behave)
    with framehold.connect(server.url, retry_seconds=0) as db:
        head = FrameHead(db._transport, RowRange("a", None, 1, 1), TABLE.schema)
        frame = framehold.Frame(db._transport, head, progress=False)

        def calls() -> Iterator[Callable[[], object]]:
            yield lambda: db["a"]
            yield lambda: "a" in db
            yield lambda: list(db.frames())
            yield lambda: db.put("a", TABLE)
            yield lambda: db.append("a", TABLE)
            yield lambda: db.drop("a")
            yield lambda: db.undrop("a")
            yield lambda: db.sql("SELECT 1").to_arrow()
            yield lambda: db.status()
            yield lambda: next(db.watch()._read_connection(), None)
            yield lambda: next(db.follow("a", timeout=0), None)
            yield lambda: next(db.follow("a", 0, timeout=0), None)
            yield lambda: next(frame.follow(timeout=0.1), None)
            yield lambda: frame.to_arrow()
            yield lambda: frame.batches().read_all()
            yield lambda: frame.to_pandas()
            yield lambda: frame.to_polars()
            yield lambda: frame._repr_html_()
            yield lambda: list(frame.versions())
            yield lambda: frame.diff(1)
            yield lambda: frame.link()
            yield lambda: frame.links()
            yield lambda: frame.unlink("x")
            yield lambda: frame.manifest
            yield lambda: frame.keep_versions(3)
            yield lambda: frame.restore()

        assert raised(calls()) == []
    server.close()


def test_columns_that_a_library_cannot_represent(db: framehold.Database) -> None:
    table = pa.table({"c": pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])})
    frame = db.put("run_ends", table)
    assert frame.to_arrow().equals(table)
    for call in (frame.to_polars, frame.to_pandas, frame.scan):
        with pytest.raises(framehold.InvalidRequest, match="Use to_arrow"):
            call()
    assert db.put("json", pa.table({"c": pa.array(["{}"], pa.json_())})).to_pandas()["c"].tolist() == ["{}"]
