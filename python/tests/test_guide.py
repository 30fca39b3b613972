"""docs/guides/python.md is one program; it prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from conftest import Servers

import framehold

TRADES = """time,symbol,price,size
2024-02-29T12:30:00.123456,BTC-USD,62450.5,0.25
2024-02-29T12:30:01.000001,ETH-USD,3421.75,1.5
2024-02-29T12:30:02.5,BTC-USD,62449.0,0.1
"""


def test_the_examples_of_the_guide(servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAMEHOLD_URL", servers.url)
    csv = tmp_path / "trades.csv"
    csv.write_text(TRADES)
    with framehold.connect() as db:
        for name in ("cities", "large_trades"):
            assert name not in db, "the guide begins with an empty server"
        db.put("trades", csv)
    page = Path(servers.root, "docs", "guides", "python.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    for (language, text), (following, promise) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "docs/guides/python.md", "exec"), names)
        if following == "text":
            assert printed.getvalue() == promise, text
