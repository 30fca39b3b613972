"""A progress bar for transfers that take a while: in a terminal and in notebooks, nowhere else."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from IPython.display import DisplayHandle  # pyright: ignore[reportMissingModuleSource]

QUIET_SECONDS = 0.7
"""Shorter transfers show nothing."""
STEP_SECONDS = 0.2
BAR_CHARACTERS = 24


class _Screen(Protocol):
    def show(self, text: str, share: float | None) -> None: ...

    def clear(self) -> None: ...


class Progress:
    """Counts bytes or rows. Use it in a `with` statement; the bar disappears at the end."""

    def __init__(self, label: str, unit: Literal["bytes", "rows"], total: int | None, *, enabled: bool = True) -> None:
        self._label = label
        self._unit = unit
        self._total = total
        self._screen = _screen() if enabled else None
        self._done = 0
        self._began = time.monotonic()
        self._next = self._began + QUIET_SECONDS

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._screen is not None and self._next > self._began + QUIET_SECONDS:
            # What was stored is not a failure because a terminal is gone.
            with suppress(Exception):
                self._screen.clear()

    def add(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if self._screen is not None and now >= self._next:
            self._next = now + STEP_SECONDS
            share = min(1.0, self._done / self._total) if self._total else None
            with suppress(Exception):
                self._screen.show(self._text(now - self._began, share), share)

    def _text(self, seconds: float, share: float | None) -> str:
        rate = self._done / seconds
        text = f"{self._label} {_amount(self._done, self._unit)}, {_amount(rate, self._unit)}/s"
        if share is None or share == 0:
            return text
        return f"{text}, {share:.0%}, {_duration(seconds / share - seconds)} left"


def _amount(value: float, unit: str) -> str:
    if unit == "rows":
        return f"{value:,.0f} rows"
    for name in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {name}"
        value /= 1000
    return f"{value:.1f} GB"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _screen() -> _Screen | None:
    if _is_notebook():
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None  # pyright: ignore[reportUnnecessaryComparison]


def _is_notebook() -> bool:
    """Whether the code runs in a kernel, such as Jupyter's."""
    shell = sys.modules.get("IPython")
    current = getattr(shell, "get_ipython", lambda: None)()
    return hasattr(current, "kernel")


class _Terminal:
    def show(self, text: str, share: float | None) -> None:
        filled = round((share or 0) * BAR_CHARACTERS)
        bar = "" if share is None else f"[{'#' * filled}{'.' * (BAR_CHARACTERS - filled)}] "
        sys.stderr.write(f"\r\x1b[K{bar}{text}")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Notebook:
    def __init__(self) -> None:
        self._display: DisplayHandle | None = None

    def show(self, text: str, share: float | None) -> None:
        from html import escape

        value = "" if share is None else f' value="{share:.3f}"'
        self._update(f"<progress{value} style='width: 16em'></progress> {escape(text)}")

    def clear(self) -> None:
        self._update("")

    def _update(self, html: str) -> None:
        from IPython.display import HTML, display  # pyright: ignore[reportMissingModuleSource]

        if self._display is None:
            self._display = display(HTML(html), display_id=True)
        else:
            self._display.update(HTML(html))
