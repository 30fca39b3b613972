"""The progress bar: on a terminal and in a notebook only, and only if a transfer takes a while."""

from __future__ import annotations

import io
import sys
import types

import pytest

from framehold import progress
from framehold.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def transfer(total: int | None = 100, enabled: bool = True) -> None:
    with Progress("Sending", "bytes", total, enabled=enabled) as bar:
        for _ in range(4):
            bar.add(25)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "STEP_SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_terminal_shows_a_bar_that_disappears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    transfer()
    text = sys.stderr.getvalue()
    assert "[######..................] Sending 25 B" in text and "100%" in text
    assert text.endswith("\r\x1b[K")
    transfer(total=None)
    transfer(total=10)


@pytest.mark.usefixtures("at_once")
def test_a_file_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    transfer()
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    transfer(enabled=False)
    assert sys.stderr.getvalue() == ""


def test_a_short_transfer_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    transfer()
    assert sys.stderr.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_a_notebook_shows_html(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, value: str) -> None:
            shown.append(value)

    def display(value: str, display_id: bool) -> Handle:
        shown.append(value)
        return Handle()

    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython = lambda: types.SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
    module.HTML, module.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    transfer()
    assert shown[0].startswith('<progress value="0.250"') and shown[-1] == ""
