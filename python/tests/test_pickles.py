"""Databases and frames in other processes."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import ssl
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Servers

import framehold


@pytest.fixture(autouse=True)
def no_token_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("FRAMEHOLD_URL", "FRAMEHOLD_TOKEN", "FRAMEHOLD_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def connected(servers: Servers, **options: bool) -> framehold.Database:
    return framehold.connect(servers.tls_url, servers.write_token, ca_file=servers.tls_ca, **options)  # type: ignore[arg-type]


def total(frame: framehold.Frame) -> int:
    return sum(frame.to_arrow().column("n").to_pylist())


def test_a_copy_works_without_the_sockets_of_the_first(db: framehold.Database) -> None:
    frame = db.put("pickled", pa.table({"n": [1, 2, 3]}))
    again = pickle.loads(pickle.dumps(frame))
    other = pickle.loads(pickle.dumps(db))
    db.close()
    assert (again.handle, again.rows, again.schema, total(again)) == (frame.handle, 3, pa.schema([("n", pa.int64())]), 6)
    assert other.url == db.url and other["pickled"].rows == 3
    # A copy in the same process is the same connection, which is closed.
    with pytest.raises(framehold.FrameholdError, match="closed"):
        copy.deepcopy(frame).to_arrow()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes(db: framehold.Database, method: str) -> None:
    frame = db.put("pooled", pa.table({"n": list(range(1000))}))
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(total, [frame] * 4)) == [499_500] * 4
    assert total(frame) == 499_500


def inherited(results: multiprocessing.SimpleQueue[int], frame: framehold.Frame) -> None:
    for _ in range(20):
        results.put(total(frame))


def test_a_forked_process_does_not_use_the_connections_of_the_first(db: framehold.Database) -> None:
    frame = db.put("forked", pa.table({"n": list(range(1000))}))
    context = multiprocessing.get_context("fork")
    results: multiprocessing.SimpleQueue[int] = context.SimpleQueue()
    children = [context.Process(target=inherited, args=(results, frame)) for _ in range(2)]
    for child in children:
        child.start()
    assert [total(frame) for _ in range(20)] == [499_500] * 20
    assert [results.get() for _ in range(40)] == [499_500] * 40
    for child in children:
        child.join(60)


def test_the_token_is_not_in_a_pickle(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    db = connected(servers)
    frame = db.put("kept_secret", pa.table({"n": [1]}))
    content = pickle.dumps((db, frame))
    assert servers.write_token.encode() not in content
    assert total(copy.deepcopy(frame)) == 1
    with pytest.raises(framehold.Unauthorized, match="not part of a pickle: set FRAMEHOLD_TOKEN"):
        pickle.loads(content)[1].to_arrow()
    monkeypatch.setenv("FRAMEHOLD_TOKEN", servers.write_token)
    assert total(pickle.loads(content)[1]) == 1


def test_the_token_of_a_profile_is_found_again(servers: Servers, tmp_path: Path) -> None:
    path = tmp_path / "framehold" / "profiles.json"
    path.parent.mkdir()
    profile = {"url": servers.tls_url, "token": servers.write_token, "ca": servers.tls_ca}
    path.write_text(json.dumps({"current": "work", "profiles": {"work": profile}}))
    path.chmod(0o600)
    content = pickle.dumps(framehold.connect())
    assert servers.write_token.encode() not in content
    assert pickle.loads(content).status()
    # Not sent to another server.
    path.write_text(json.dumps({"current": "work", "profiles": {"work": {**profile, "url": "http://other"}}}))
    with pytest.raises(framehold.Unauthorized):
        pickle.loads(content).status()


def test_the_token_is_in_a_pickle_if_asked_for(servers: Servers) -> None:
    again = pickle.loads(pickle.dumps(connected(servers, pickle_token=True)))
    assert again.status() and pickle.loads(pickle.dumps(again)).status()
    assert servers.write_token not in repr(vars(again._transport))


def test_a_context_of_tls_cannot_be_pickled(servers: Servers) -> None:
    db = framehold.connect(servers.tls_url, ssl_context=ssl.create_default_context(cafile=servers.tls_ca))
    with pytest.raises(framehold.InvalidRequest, match="cannot be pickled. Use ca_file"):
        pickle.dumps(db)


def test_a_result_is_pickled_with_its_rows(db: framehold.Database) -> None:
    again = pickle.loads(pickle.dumps(db.sql("SELECT 7 AS n")))
    assert again.to_arrow().to_pylist() == [{"n": 7}] and again.schema.names == ["n"]
