"""What was put comes back, value for value and type for type."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from pyarrow import feather, parquet
from random_frames import random_frame

import framehold


def wide_table() -> pa.Table:
    zoned = dt.datetime(2024, 10, 27, 2, 30, 0, 123456, tzinfo=ZoneInfo("Europe/Berlin"))
    return pa.table(
        {
            "int64": pa.array([2**63 - 1, -(2**63), None], pa.int64()),
            "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
            "float": pa.array([float("nan"), float("-inf"), -0.0]),
            "decimal": pa.array(
                [Decimal("12345678901234567890.1234567891"), None, Decimal("-0.0000000001")], pa.decimal128(38, 10)
            ),
            "decimal256": pa.array([Decimal(10**70), None, Decimal(-1)], pa.decimal256(76, 0)),
            "zoned": pa.array([zoned, None, zoned], pa.timestamp("us", "Europe/Berlin")),
            "nanoseconds": pa.array([1, -1, None], pa.timestamp("ns")),
            "text": pa.array(["", "nul\0", None]),
            "dictionary": pa.array(["b", None, "a"]).dictionary_encode(),
            "nested": pa.array([[{"x": 1}], [], None], pa.list_(pa.struct([("x", pa.int8())]))),
            "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
            "interval": pa.array([pa.MonthDayNano([1, 2, 3]), None, None]),
        },
    ).replace_schema_metadata({"who": "me"})


def test_every_type_of_arrow(db: framehold.Database) -> None:
    table = wide_table()
    back = db.put("exact", table).to_arrow()
    # By text, because NaN is not equal to itself.
    assert back.schema.equals(table.schema, check_metadata=True)
    assert str(back.to_pylist()) == str(table.to_pylist())
    assert back.column("dictionary").chunk(0).dictionary == table.column("dictionary").chunk(0).dictionary


def test_the_c_stream_as_often_as_asked(db: framehold.Database) -> None:
    frame = db.put("streamed", wide_table().select(["int64", "text"]))
    for _ in range(3):
        assert pa.table(frame).num_rows == 3
        assert pl.DataFrame(frame).height == 3
    assert pa.schema(frame) == frame.schema


def test_polars(db: framehold.Database) -> None:
    local = random_frame(random.Random(7), 200)
    assert_frame_equal(db.put("from_polars", local).to_polars(), local, check_exact=True)


def test_pandas_with_an_index(db: framehold.Database) -> None:
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 2**63 - 1], dtype="Int64"),
            "when": pd.to_datetime(["2024-02-29T12:00:00.123456789", None, "1970-01-01"], format="ISO8601").tz_localize(
                "Asia/Tokyo"
            ),
            "kind": pd.Categorical(["a", None, "b"], categories=["b", "a", "unused"], ordered=True),
        },
        index=pd.Index(["x", "y", "z"], name="key"),
    )
    put = db.put("from_pandas", frame)
    assert put.columns == ["n", "when", "kind", "key"]
    pd.testing.assert_frame_equal(put.to_pandas(), frame)


def test_pandas_with_a_plain_index(db: framehold.Database) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5]}, index=pd.RangeIndex(10, 12))
    put = db.put("plain_index", frame)
    assert put.columns == ["a"]
    pd.testing.assert_frame_equal(put.to_pandas(), frame)


def test_streams_and_batches(db: framehold.Database) -> None:
    schema = pa.schema([("n", pa.int64())])
    batches = (pa.record_batch([pa.array(range(start, start + 1000))], schema=schema) for start in range(0, 5000, 1000))
    assert db.put("reader", pa.RecordBatchReader.from_batches(schema, batches)).rows == 5000
    assert db.put("batch", pa.record_batch({"n": [1]})).rows == 1
    assert db.put("copied", db["reader"]).to_arrow() == db["reader"].to_arrow()
    assert db.put("no_rows", schema.empty_table()).to_arrow().schema == schema


def test_large_batches_are_cut(db: framehold.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framehold.sources.BATCH_BYTES_MAX", 1_000_000)
    table = pa.table({"n": pa.array(range(200_000), pa.int64())})
    back = db.put("cut", table).to_arrow()
    assert back.column("n").num_chunks == 2
    assert back.equals(table)


@pytest.mark.parametrize(
    "name",
    [
        "t.csv",
        "t.csv.gz",
        "t.parquet",
        "t.arrow",
        "t.arrows",
        "stream.arrow",
        "t.ndjson",
        "t.json",
        "t.tsv",
        "t.feather",
    ],
)
def test_files(db: framehold.Database, tmp_path: object, name: str) -> None:
    import gzip
    from pathlib import Path

    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    path = Path(str(tmp_path)) / name
    if name.startswith("t.csv"):
        data = b"a,b\n1,x\n2,y\n"
        path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    elif name == "t.tsv":
        path.write_text("a\tb\n1\tx\n2\ty\n")
    elif name == "t.ndjson":
        path.write_text('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n')
    elif name == "t.json":
        path.write_text('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]')
    elif name == "t.parquet":
        parquet.write_table(table, path)
    elif name == "t.feather":
        feather.write_feather(table, str(path))
    else:
        new = pa.ipc.new_file if name == "t.arrow" else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table)
    assert db.put("from_file", path).to_arrow().to_pylist() == table.to_pylist()
