"""Servers with TLS and tokens."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import Servers

import framehold


@pytest.fixture
def frame(servers: Servers) -> framehold.Frame:
    db = framehold.connect(servers.tls_url, servers.write_token, ca_file=servers.tls_ca)
    return db.put("secret", pl.DataFrame({"n": [1, 2, 3]}))


def connected(servers: Servers, token: str) -> framehold.Database:
    return framehold.connect(servers.tls_url, token, ca_file=servers.tls_ca)


def test_a_token_over_tls(servers: Servers, frame: framehold.Frame) -> None:
    read_only = connected(servers, servers.read_token)[frame.handle]
    assert read_only.to_polars()["n"].to_list() == [1, 2, 3]
    assert read_only.scan().filter(pl.col("n") > 1).collect().height == 2
    with pytest.raises(framehold.Forbidden) as refused:
        read_only.drop()
    assert refused.value.code == "access_denied"


def test_a_link_as_a_token_reads_one_version(servers: Servers, frame: framehold.Frame) -> None:
    holder = connected(servers, frame.link("5m").token)
    linked = holder[frame.handle]
    assert linked.to_polars()["n"].to_list() == [1, 2, 3]
    # Without statements: rows are read and filtered here.
    assert linked.scan().filter(pl.col("n") > 1).collect()["n"].to_list() == [2, 3]
    for refused in (lambda: list(holder.frames()), lambda: holder.sql("SELECT 1")):
        with pytest.raises(framehold.Forbidden):
            refused()
