"""Every row of docs/guides/mistakes/python.md: the mistake is made, and the message begins as the page says."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Servers

import framehold


def read_table(root: str) -> dict[str, str]:
    """Mistakes and messages."""
    page = Path(root, "docs", "guides", "mistakes", "python.md").read_text()
    rows = [line for line in page.split("\n") if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in row[2:-2].split(" | ")] for row in rows]
    assert all(len(row) == 3 and row[2] for row in cells), cells
    return {mistake: message.replace("`", "").replace("\\|", "|") for mistake, message, _ in cells}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Mistakes:
    def __init__(self, servers: Servers, db: framehold.Database, folder: Path) -> None:
        self.servers = servers
        self.db = db
        self.folder = folder

    def tls(self, token: str | None) -> framehold.Database:
        return framehold.connect(self.servers.tls_url, token, ca_file=self.servers.tls_ca)

    def file(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.write_text(content)
        return path

    def expired(self) -> None:
        for _ in range(50):
            self.tls(self.servers.expired_token).status()
            time.sleep(0.1)

    def dropped(self) -> None:
        self.db.put("short_lived", pa.table({"n": [1]})).drop()
        self.db["short_lived"]

    def read_twice(self) -> None:
        result = self.db.sql("SELECT 1")
        for _ in range(2):
            result.batches().read_all()

    def all(self) -> dict[str, Callable[[], object]]:
        servers, db = self.servers, self.db
        trades = pa.table({"symbol": ["BTC"], "price": [1.5]})
        return {
            "nothing listens at the port, or the server is down": lambda: framehold.connect(
                f"http://127.0.0.1:{free_port()}"
            )["trades"],
            "the port of Arrow Flight": lambda: framehold.connect(servers.grpc.replace("grpc", "http"))["trades"],
            "an address of Arrow Flight": lambda: framehold.connect("grpc://127.0.0.1:50052"),
            "an address without `http://`": lambda: framehold.connect("127.0.0.1:9000"),
            "a host that does not exist": lambda: framehold.connect("http://frames.invalid:9000")["trades"],
            "`https://` to a server without TLS": lambda: framehold.connect(servers.url.replace("http", "https"))[
                "trades"
            ],
            "`http://` to a server with TLS": lambda: framehold.connect(servers.tls_url.replace("https", "http"))[
                "trades"
            ],
            "a certificate of an authority that Python does not know": lambda: framehold.connect(servers.tls_url)[
                "trades"
            ],
            "no token": lambda: self.tls(None)["trades"],
            "a token that does not exist": lambda: self.tls("fht_wrong")["trades"],
            "a token with a character that cannot be sent": lambda: self.tls("fht_w rng"),
            "a token that has expired": self.expired,
            "a token that was revoked": lambda: self.tls(servers.revoked_token)["trades"],
            "a token without the right": lambda: self.tls(servers.read_token).put("trades", trades),
            "a typing error in a name": lambda: db["tradse"],
            "a name that is not allowed": lambda: db.put("my trades", trades),
            "a version that does not exist": lambda: db["trades@99"],
            "a frame that was dropped": self.dropped,
            "a name that exists, with `create_only`": lambda: db.put("trades", trades, create_only=True),
            "other columns in an append": lambda: db.append("trades", pa.table({"symbol": ["BTC"], "prize": [1.5]})),
            "a value that does not fit in an append": lambda: db.append(
                "trades", pa.table({"symbol": ["BTC"], "price": ["cheap"]})
            ),
            "an object that is not a table": lambda: db.put("trades", [1, 2, 3]),  # type: ignore[arg-type]
            "Python objects in a column of polars": lambda: db.put(
                "trades", pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)})
            ),
            "categories of intervals, as of `pandas.cut`": lambda: db.put(
                "trades", pd.DataFrame({"c": pd.cut([1, 5], [0, 4, 8])})
            ),
            "a NumPy array without names": lambda: db.put("trades", np.zeros((3, 2))),
            "a lazy frame": lambda: db.put("trades", pl.LazyFrame({"a": [1]})),  # type: ignore[arg-type]
            "a file that does not exist": lambda: db.put("trades", "no-such-file.csv"),
            "a file with an unknown suffix": lambda: db.put("trades", self.file("trades.xlsx", "?")),
            "CSV in a file named `.parquet`": lambda: db.put("trades", self.file("trades.parquet", "a,b\n1,2\n")),
            "a CSV row with a missing field": lambda: db.put("trades", self.file("trades.csv", "a,b\n1,2\n3\n")),
            "a disk that is full": lambda: framehold.connect(servers.full_url).put("trades", trades),
            "a statement that is not SQL": lambda: db.sql("SELEC * FROM trades"),
            "a statement over a misspelt frame": lambda: db.sql("SELECT * FROM tradse"),
            "a misspelt column in a statement": lambda: db.sql("SELECT prize FROM trades"),
            "an update": lambda: db.sql("UPDATE trades SET price = 0"),
            "one parameter without a list": lambda: db.sql("SELECT $1", "BTC"),
            "the rows of a result, twice": self.read_twice,
            "one column without a list": lambda: db["trades"].to_arrow("price"),
            "a column that does not exist": lambda: db["trades"].to_arrow(["prize"]),
        }


@pytest.fixture
def mistakes(servers: Servers, tmp_path: Path) -> Iterator[Mistakes]:
    with framehold.connect(servers.url) as db:
        if "trades" in db:
            db.drop("trades", purge=True)
        db.put("trades", pa.table({"symbol": ["BTC"], "price": [1.5]}))
        yield Mistakes(servers, db, tmp_path)


def test_every_row_of_the_table(mistakes: Mistakes) -> None:
    table = read_table(mistakes.servers.root)
    made = mistakes.all()
    assert set(table) == set(made)
    wrong: list[str] = []
    for mistake, make in made.items():
        try:
            make()
        except framehold.FrameholdError as error:
            # A message without advice is not enough.
            if not str(error).startswith(table[mistake]) or error.code == "" or " " not in str(error):
                wrong.append(f"{mistake}: {error}")
        else:
            wrong.append(f"{mistake}: no error")
    assert not wrong, "\n".join(wrong)
