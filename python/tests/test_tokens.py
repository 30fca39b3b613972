"""Servers with TLS and tokens."""

from __future__ import annotations

import socket
import traceback

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


@pytest.mark.parametrize("around", ["{}\n", "  {}\t", "\r\n{}\r\n"])
def test_white_space_around_a_token_is_not_part_of_it(
    servers: Servers, frame: framehold.Frame, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    token = around.format(servers.read_token)
    assert connected(servers, token)[frame.handle].rows == 3
    monkeypatch.setenv("FRAMEHOLD_TOKEN", token)
    assert framehold.connect(servers.tls_url, ca_file=servers.tls_ca)[frame.handle].rows == 3


@pytest.mark.parametrize("token", ["fh_se\ncret", "fh_secret\0", "fh secret", "fh_secret\u2026", "fh_secr\xe9t", "\x7ffh_secret"])
def test_a_token_that_cannot_be_sent_is_refused_and_not_printed(token: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(framehold.InvalidRequest, match="The token has a character that cannot be sent") as refused:
        framehold.connect("http://127.0.0.1:9", token)
    for shown in (str(refused.value), repr(refused.value), repr(vars(refused.value)), caplog.text):
        assert "secr" not in shown and "cret" not in shown
    with pytest.raises(framehold.InvalidRequest, match="not a text"):
        framehold.connect("http://127.0.0.1:9", b"fh_secret")  # type: ignore[arg-type]


def test_a_token_is_not_printed(servers: Servers, frame: framehold.Frame) -> None:
    """Also not by tools that print the variables of an exception's frames."""
    secret = "fh_not_" + "to_be_printed"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        nothing = f"http://127.0.0.1:{listening.getsockname()[1]}"
    for db in (connected(servers, secret), framehold.connect(nothing, secret, retry_seconds=0)):
        assert secret not in repr(db) + repr(vars(db)) + repr(vars(db._transport))
        with pytest.raises(framehold.FrameholdError) as failed:
            db.put("trades", pl.DataFrame({"n": [1]}))
        shown = traceback.TracebackException.from_exception(failed.value, capture_locals=True)
        own = [frame for each in chained(shown) for frame in each.stack if "test_tokens" not in frame.filename]
        assert own and secret not in str([frame.locals for frame in own]) + str(failed.value)
    link = frame.link("5m")
    assert link.token not in repr(link) and str(link) == link.url
    for address in (f"grpc://me:{secret}@host", f"{secret}@host:9000", f"host?link={secret}", f"http://u:{secret}@h:99999"):
        with pytest.raises(framehold.InvalidRequest) as wrong:
            framehold.connect(address)
        assert secret not in str(wrong.value)


def chained(shown: traceback.TracebackException | None) -> list[traceback.TracebackException]:
    return [] if shown is None else [shown, *chained(shown.__cause__), *chained(shown.__context__)]
