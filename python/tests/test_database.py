"""Frames, versions, statements, links and events."""

from __future__ import annotations

import datetime as dt
import pickle
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

import framehold


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


def test_a_frame_is_one_version(db: framehold.Database) -> None:
    first = db.put("life", numbers(1, 2), ttl="1h")
    second = first.append(pl.DataFrame({"n": [3]}))
    one, two = first.version, first.version + 1
    assert (first.rows, second.version, len(second)) == (2, two, 3)
    assert first.to_polars()["n"].to_list() == [1, 2]
    assert (
        db[f"life@{one}"].handle == first.handle
        and db["life"].handle == second.handle
        and first.latest().version == two
    )
    assert [each.version for each in second.versions()][:2] == [two, one]
    assert second.manifest.expires_at is not None and second.manifest.origin["kind"] == "append"
    restored = second.restore(one)
    assert (restored.version, restored.rows) == (two + 1, 2)
    assert second.at(two + 1).to_arrow() == first.to_arrow()
    assert bool(db.put("nothing", numbers())) is True


def test_drop_and_undrop(db: framehold.Database) -> None:
    db.put("dropped", numbers(1)).drop()
    assert "dropped" not in db
    with pytest.raises(framehold.NotFound) as gone:
        db["dropped"]
    assert gone.value.code == "frame_gone" and gone.value.status == 410
    assert db.undrop("dropped").rows == 1
    db.drop("dropped", purge=True)
    with pytest.raises(framehold.NotFound):
        db.undrop("dropped")


def test_conditions_of_a_put(db: framehold.Database) -> None:
    db.drop("once", purge=True) if "once" in db else None
    first = db.put("once", numbers(1), create_only=True)
    with pytest.raises(framehold.Conflict) as exists:
        db.put("once", numbers(2), create_only=True)
    assert exists.value.code == "frame_exists"
    db.put("once", numbers(2), if_version=first.version)
    with pytest.raises(framehold.Conflict) as changed:
        db.put("once", numbers(3), if_version=first.version)
    assert changed.value.code == "version_mismatch"
    with pytest.raises(framehold.Conflict) as appended:
        db["once"].append(numbers(1), if_version=1)
    assert appended.value.code == "version_mismatch"
    assert db["once"].append(numbers(1), if_version=db["once"].version).rows == 2


def test_a_version_that_is_no_longer_kept_is_not_the_newest(db: framehold.Database) -> None:
    read = db.put("pruned", numbers(1))
    for _ in range(2):
        last = db.put("pruned", numbers(2))
    db.drop(read.handle)
    for version in (read.version, last.version + 1):
        with pytest.raises(framehold.Conflict) as gone:
            db.put("pruned", numbers(3), if_version=version)
        assert (gone.value.code, gone.value.status) == ("version_mismatch", 412)
    assert db["pruned"].version == last.version


def test_a_statement_with_a_key_has_one_effect(db: framehold.Database) -> None:
    db.put("inserted", numbers(1))
    column = db["inserted"].columns[0]
    for _ in range(2):
        statement = f'INSERT INTO inserted ("{column}") VALUES (7)'
        assert db.sql(statement, idempotency_key="python-insert").changed_rows == 1
    assert db["inserted"].rows == 2
    with pytest.raises(framehold.Conflict) as other:
        db.sql(f'INSERT INTO inserted ("{column}") VALUES (8)', idempotency_key="python-insert")
    assert other.value.code == "idempotency_conflict"
    with pytest.raises(framehold.InvalidRequest):
        db.sql("SELECT 1", idempotency_key="python-query")


def test_a_repeated_key_stores_once(db: framehold.Database) -> None:
    first = db.put("keyed", numbers(1), idempotency_key="python-key-1")
    assert db.put("keyed", numbers(1), idempotency_key="python-key-1").handle == first.handle
    with pytest.raises(framehold.Conflict) as other:
        db.put("keyed", numbers(2), idempotency_key="python-key-1")
    assert other.value.code == "idempotency_conflict"


def test_windows_and_columns(db: framehold.Database) -> None:
    frame = db.put("window", pa.table({"a": list(range(100)), "b": ["x"] * 100}))
    assert frame.to_arrow(["b", "a"], offset=10, limit=2).to_pydict() == {"b": ["x", "x"], "a": [10, 11]}
    assert frame.head(3).num_rows == 3
    assert [batch.num_rows for batch in frame.batches()] == [100]
    reader = frame.batches()
    del reader


def test_lists_are_read_page_by_page(db: framehold.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framehold.paging.PAGE_ENTRIES", 2)
    for number in range(5):
        db.put(f"paged_{number}", numbers(number))
    assert [each.name for each in db.frames("paged_")] == [f"paged_{number}" for number in range(5)]
    assert set(db) >= {f"paged_{number}" for number in range(5)}


def test_differences(db: framehold.Database) -> None:
    frame = db.put("differs", numbers(1, 2, 3))
    newer = db.put("differs", pa.table({"n": [2, 3, 4, 4]}))
    difference = newer.diff(frame.version)
    assert (difference.kind, difference.rows_removed, difference.rows_added) == ("compared", 1, 2)
    other = db.put("differs", pa.table({"m": ["x"], "n": ["y"]}))
    difference = other.diff(newer.version)
    assert (difference.columns_added, difference.columns_changed) == (("m",), ("n",))


def test_statements(db: framehold.Database) -> None:
    db.put("asked", pa.table({"n": pa.array([1, 2**62, None], pa.int64()), "d": [dt.date(2024, 1, 1)] * 3}))
    assert db.sql("SELECT n FROM asked WHERE n > $1 AND d = $2", [1, dt.date(2024, 1, 1)]).to_polars().rows() == [
        (2**62,)
    ]
    assert db.sql(
        "SELECT $price::DECIMAL(30, 10) AS p", {"price": Decimal("12345678901234567890.1234567891")}
    ).to_arrow().to_pylist() == [{"p": Decimal("12345678901234567890.1234567891")}]
    assert len(db.sql("SELECT * FROM range(10)", limit=3)) == 3
    made = db.sql("CREATE OR REPLACE TABLE made AS SELECT 1 AS one")
    assert made.changed is not None and made.changed.name == "made" and made.changed_rows == 1
    streamed = db.sql("SELECT * FROM range(200000)")
    assert sum(batch.num_rows for batch in streamed.batches()) == 200_000
    with pytest.raises(framehold.FrameholdError, match="have been read"):
        streamed.batches()
    unread = db.sql("SELECT * FROM range(100000000)")
    unread.close()


def test_a_statement_that_fails_late_says_why(db: framehold.Database) -> None:
    text = "SELECT CASE WHEN i = 2800000 THEN error('row ' || i || ' is bad') ELSE i::VARCHAR END AS v FROM range(3000000) t(i)"
    with pytest.raises(framehold.InvalidStatement, match="row 2800000 is bad") as failed:
        db.sql(text).to_arrow()
    assert failed.value.code == "sql_failed"


def test_links(db: framehold.Database) -> None:
    frame = db.put("linked", numbers(7))
    link = frame.link("15m")
    with urllib.request.urlopen(f"{link.url}&fmt=csv") as answer:
        assert answer.read() == b"n\r\n7\r\n"
    assert [each.id for each in frame.links()] == [link.id]
    frame.unlink(link)
    assert frame.links() == []


def test_versions_that_are_kept(db: framehold.Database) -> None:
    frame = db.put("keeping", numbers(1))
    frame.keep_versions(30)
    assert db["keeping"].manifest.versions_keep == 30
    frame.keep_versions(None)
    assert db["keeping"].manifest.versions_keep is None


def test_events_continue_after_the_last_one(db: framehold.Database) -> None:
    with db.watch() as events:
        assert next(events).kind == "hello"
        db.put("watched", numbers(1))
        event = next(each for each in events if each.name == "watched" and each.kind != "frame.settled")
        assert event.kind in ("frame.created", "frame.replaced") and event.data["rows"] == 1
    db.append("watched", numbers(2))
    with db.watch(after=event.id) as events:
        assert next(each for each in events if each.kind == "frame.appended").name == "watched"


def test_closing_events_from_another_thread(db: framehold.Database) -> None:
    events = db.watch()
    assert next(events).kind == "hello"
    threading.Timer(0.1, events.close).start()
    assert [each for each in events if each.name is not None and each.name == "never"] == []


def test_many_threads(db: framehold.Database) -> None:
    frame = db.put("shared", numbers(*range(1000)))
    with ThreadPoolExecutor(16) as pool:
        sums = list(pool.map(lambda _: sum(frame.to_arrow().column("n").to_pylist()), range(64)))
    assert sums == [499_500] * 64


def test_html_is_escaped_and_bounded(db: framehold.Database) -> None:
    columns = {f"c{number}": [number] * 50 for number in range(30)}
    html = db.put("shown", pa.table({"<b>": ["<script>" + "x" * 100] * 50, **columns}))._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html and "x" * 61 not in html
    assert html.count("<tr>") == 11 and html.count("<th>") == 20
    assert "50 rows, 31 columns, 20 shown" in html and "<small>int64</small>" in html


def test_notes_are_changed_member_by_member_and_shown(db: framehold.Database) -> None:
    frame = db.put("noted", numbers(1))
    assert frame.notes() == framehold.Notes()
    said = frame.note(
        description="<i>of the day</i>" + "x" * 600, labels=["daily"], columns={"n": {"comment": 'a "count"', "unit": "<b>"}}
    )
    assert said.labels == ("daily",) and said.columns["n"] == framehold.ColumnNotes('a "count"', "<b>")
    html = db.append("noted", numbers(2))._repr_html_()
    assert "<i>" not in html and "<b>" not in html and "&lt;i&gt;of the day" in html and "x" * 501 not in html
    assert 'title="a &quot;count&quot;"' in html and "int64, &lt;b&gt;</small>" in html
    assert frame.note(description=None, columns={"n": {"unit": None}}) == framehold.Notes(
        labels=("daily",), columns={"n": framehold.ColumnNotes('a "count"')}
    )
    with pytest.raises(framehold.FrameholdError) as refused:
        frame.note(owner="x" * 201)
    assert refused.value.code == "bad_request" and refused.value.hint


def test_the_html_of_a_result_is_escaped_and_bounded(db: framehold.Database) -> None:
    columns = ", ".join(f"i AS c{number}" for number in range(30))
    result = db.sql(f"""SELECT '<script>' || repeat('x', 100) AS "<b>", {columns} FROM range(1000) t(i)""")
    html = result._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html and "<b>" not in html and "x" * 61 not in html
    assert html.count("<tr>") == 11 and html.count("<th>") == 20
    assert "1,000 rows, 31 columns, 20 shown" in html
    assert len(result) == 1000, "the rows are kept"
    streamed = db.sql("SELECT 1 AS n")
    streamed.batches().read_all()
    assert "rows already read, 1 columns" in streamed._repr_html_()
    assert "made_html@" in db.sql("CREATE OR REPLACE TABLE made_html AS SELECT 1 AS n")._repr_html_()


def test_errors_survive_pickling() -> None:
    error = framehold.NotFound("No.", code="frame_not_found", status=404, hint="Look.")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.code, copy.status, copy.hint) == (
        framehold.NotFound,
        "No. Look.",
        "frame_not_found",
        404,
        "Look.",
    )


def test_a_closed_database(db: framehold.Database) -> None:
    db.close()
    with pytest.raises(framehold.FrameholdError, match="closed"):
        db["any"]
