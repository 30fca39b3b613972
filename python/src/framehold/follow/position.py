"""How far the rows of a frame were read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import bad_argument

_PATTERN = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.\.([1-9][0-9]{0,14})\+([1-9][0-9]{0,14}))?", re.ASCII)


@dataclass(frozen=True)
class Position:
    after: int
    """All rows of this version were read; 0: none of any."""
    until: int | None = None
    """What was being read then: the rows up to this version."""
    rows: int = 0
    """So many of these."""

    def __str__(self) -> str:
        return str(self.after) if self.rows == 0 else f"{self.after}..{self.until}+{self.rows}"

    @property
    def is_beginning(self) -> bool:
        return self.after == 0 and self.rows == 0

    def handle(self, name: str) -> str:
        """What is asked for next. The end is named if it is known: another one could have other rows before it."""
        return f"{name}@{self.after}..{'' if self.until is None else self.until}"


def parse_position(since: object) -> Position:
    """`20`, or `12..20+500`: the first 500 of the rows that `name@12..20` has."""
    # True is an int.
    text = str(since) if isinstance(since, int | str) and not isinstance(since, bool) else ""
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise bad_argument(
            f"since is a version or the position of a batch, not {since!r:.60}.",
            "Write since=0 for all rows, since=12 for those after version 12, or give the position of the last batch.",
        )
    after, until, rows = found.groups()
    return Position(int(after)) if until is None else Position(int(after), int(until), int(rows))
