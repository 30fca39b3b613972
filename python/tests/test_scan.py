"""`.scan()` gives what the same expression gives on the local frame."""

from __future__ import annotations

import os
import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from random_frames import random_columns, random_filter, random_frame

import framehold
from framehold.scan import lazy_frame

EXPRESSIONS = int(os.environ.get("EXPRESSIONS", "500"))
SEED = int(os.environ.get("SEED", "20261117"))


@pytest.fixture(scope="module")
def local() -> pl.DataFrame:
    return random_frame(random.Random(SEED), 3000)


@pytest.fixture
def frame(db: framehold.Database, local: pl.DataFrame) -> framehold.Frame:
    # In several parts, because a scan reads across them.
    if "scanned" not in db:
        db.put("scanned", local[:1500])
        db.append("scanned", local[1500:1510])
        db.append("scanned", local[1510:])
    return db["scanned"]


class Pushed:
    """Counts the statements that scans send."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queries: list[str] = []
        original = lazy_frame.query_for

        def counted(*args: object) -> object:
            query = original(*args)  # type: ignore[arg-type]
            if query is not None:
                self.queries.append(query.text)
            return query

        monkeypatch.setattr(lazy_frame, "query_for", counted)


def outcome(lazy: pl.LazyFrame) -> pl.DataFrame | str:
    try:
        return lazy.collect()
    except pl.exceptions.PolarsError as error:
        return type(error).__name__


def test_random_expressions(frame: framehold.Frame, local: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    pushed = Pushed(monkeypatch)
    scan, matched, failed = frame.scan(), 0, 0
    for number in range(EXPRESSIONS):
        each = random.Random(f"{SEED}-{number}")
        condition, columns = random_filter(each, local), random_columns(each, local)
        names = columns or local.columns
        expected = outcome(local.lazy().filter(condition).select(names))
        if isinstance(expected, str):
            failed += 1
            continue
        found = scan.filter(condition).select(names).collect()
        try:
            assert_frame_equal(found, expected, check_exact=True, categorical_as_str=True)
        except AssertionError as error:
            raise AssertionError(f"expression {number} over {names}: {condition}\n{pushed.queries[-1:]}") from error
        matched += 0 < expected.height < local.height
    # The test would show little if nothing were pushed down, or if every filter took all or nothing.
    assert failed < EXPRESSIONS * 0.1, failed
    assert len(pushed.queries) > EXPRESSIONS * 0.4, len(pushed.queries)
    assert matched > EXPRESSIONS * 0.4, matched


def test_limits_and_slices(frame: framehold.Frame, local: pl.DataFrame) -> None:
    scan, lazy = frame.scan(), local.lazy()
    for query in (
        lambda each: each.head(7),
        lambda each: each.head(1600).filter(pl.col("i8") > 0).select("i8", "text"),
        lambda each: each.filter(pl.col("i8") > 0).head(5),
        lambda each: each.slice(1495, 20).select("text"),
        lambda each: each.tail(3),
        lambda each: each.select(pl.len()),
        lambda each: each.filter(pl.col("i8") > 100_000),
        lambda each: each.group_by("kind").agg(pl.len()).sort("kind"),
        lambda each: each.with_row_index().filter(pl.col("index") == 1502),
        lambda each: each.sort("i64", "us", nulls_last=True).head(10).select("i64"),
    ):
        assert_frame_equal(query(scan).collect(), query(lazy).collect(), categorical_as_str=True)


def test_a_filter_is_applied_by_the_server(frame: framehold.Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    pushed = Pushed(monkeypatch)
    frame.scan().filter((pl.col("a b,c") == "abc") & (pl.col("i8") + 1 > 3)).select("i8").collect()
    assert pushed.queries == [
        f'SELECT "i8", "a b,c" FROM "{frame.handle}" WHERE ("a b,c" = CAST($1 AS VARCHAR))'
    ] or pushed.queries == [f'SELECT "a b,c", "i8" FROM "{frame.handle}" WHERE ("a b,c" = CAST($1 AS VARCHAR))']


def test_a_statement_that_fails_is_replaced_by_a_read(
    frame: framehold.Frame, local: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after rows were given."""
    original = lazy_frame.query_for

    def broken(*args: object) -> object:
        query = original(*args)  # type: ignore[arg-type]
        text = f"{query.text} AND (CASE WHEN i64 = 2 THEN error('no') ELSE true END)"  # type: ignore[union-attr]
        return lazy_frame.Query(text, query.parameters)  # type: ignore[union-attr]

    monkeypatch.setattr(lazy_frame, "query_for", broken)
    found = frame.scan().filter(pl.col("i8") >= 0).select("i8", "i64").collect()
    assert_frame_equal(found, local.filter(pl.col("i8") >= 0).select("i8", "i64"))


def test_the_version_is_pinned(db: framehold.Database) -> None:
    scan = db.put("moving", pl.DataFrame({"a": [1, 2]})).scan()
    db.put("moving", pl.DataFrame({"b": ["x"]}))
    assert scan.filter(pl.col("a") > 1).collect().rows() == [(2,)]
    assert scan.collect().rows() == [(1,), (2,)]
