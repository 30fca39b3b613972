"""The progress bar: on a real terminal and in a real kernel only, and only if a transfer takes a while."""

from __future__ import annotations

import io
import os
import pty
import select
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import pytest
from conftest import Servers
from jupyter_client.manager import start_new_kernel

from framehold import progress
from framehold.progress import Progress


def transfer(total: int | None = 100, enabled: bool = True) -> None:
    with Progress("Sending", "bytes", total, enabled=enabled) as bar:
        for _ in range(4):
            bar.add(25)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "STEP_SECONDS", 0.0)


@contextmanager
def terminal() -> Iterator[int]:
    """Standard error is a terminal; what it shows can be read. No fixture, because pytest sets standard error after those."""
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w") as file, redirect_stderr(file):
        yield reader
    os.close(reader)


def written(reader: int) -> str:
    text = b""
    while select.select([reader], [], [], 0.2)[0]:
        text += os.read(reader, 100_000)
    return text.decode()


@pytest.mark.usefixtures("at_once")
def test_a_terminal_shows_a_bar_that_disappears() -> None:
    with terminal() as reader:
        transfer()
        text = written(reader)
        assert "[######..................] Sending 25 B" in text and "100%" in text
        assert text.endswith("\r\x1b[K")
        transfer(total=None)
        assert "Sending 100 B" in written(reader)
        transfer(enabled=False)
        assert written(reader) == ""


def test_a_short_transfer_shows_nothing() -> None:
    with terminal() as reader:
        transfer()
        assert written(reader) == ""


@pytest.mark.usefixtures("at_once")
def test_a_file_shows_nothing() -> None:
    with redirect_stderr(io.StringIO()) as file:
        transfer()
    assert file.getvalue() == ""


CELL = """
import framehold, pyarrow as pa
from framehold import progress
progress.QUIET_SECONDS = progress.STEP_SECONDS = 0.0
db = framehold.connect({url!r})
frame = db.put("from_a_notebook", pa.table({{"<n>": list(range(100_000))}}))
frame.to_arrow()
frame
"""


def test_a_notebook_shows_a_bar_and_a_table(servers: Servers) -> None:
    manager, client = start_new_kernel(startup_timeout=60)
    shown: list[tuple[str, str]] = []

    def collect(message: dict[str, dict[str, dict[str, str]]]) -> None:
        html = message["content"].get("data", {}).get("text/html")
        if html is not None:
            shown.append((str(message["msg_type"]), html))

    try:
        reply = client.execute_interactive(CELL.format(url=servers.url), timeout=60, output_hook=collect)
        assert reply["content"]["status"] == "ok", reply
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    kinds = [kind for kind, _ in shown]
    bars = [html for _, html in shown if html.startswith("<progress")]
    assert any("Sending" in bar for bar in bars) and any("Reading from_a_notebook@" in bar for bar in bars), shown
    assert "update_display_data" in kinds and kinds[-1] == "execute_result"
    assert "<caption>from_a_notebook@" in shown[-1][1] and "&lt;n&gt;" in shown[-1][1]
