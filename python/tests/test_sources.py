"""Everything that can be put besides tables: what is stored, and what is refused before anything is sent."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import framehold

ROWS = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
TABLE = pa.Table.from_pylist(ROWS)
CSV = b"a,b\n1,x\n2,y\n"


def batches(*starts: int) -> Iterator[pa.RecordBatch]:
    return (pa.record_batch({"n": pa.array([start, start + 1], pa.int64())}) for start in starts)


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        (lambda: pd.Series([1, 2], name="n"), [{"n": 1}, {"n": 2}]),
        (lambda: pd.Series([1.5]), [{"value": 1.5}]),
        (lambda: pl.Series("n", [1, None]), [{"n": 1}, {"n": None}]),
        (lambda: pl.Series([1]), [{"value": 1}]),
        (lambda: pa.chunked_array([["x"], ["y"]]), [{"value": "x"}, {"value": "y"}]),
        (lambda: pa.array([1]), [{"value": 1}]),
        (lambda: {"a": [1, 2], "b": ("x", "y")}, ROWS),
        (lambda: {"a": np.array([1, 2]), "b": pl.Series(["x", "y"])}, ROWS),
        (lambda: {"a": range(1, 3), "b": (each for each in "xy")}, ROWS),
        (lambda: {"a": pd.Series([1, 2]), "b": pa.array(["x", "y"])}, ROWS),
        (lambda: ROWS, ROWS),
        (lambda: [{"a": 1}, {"b": "x"}], [{"a": 1, "b": None}, {"a": None, "b": "x"}]),
        (lambda: np.array([(1, "x"), (2, "y")], dtype=[("a", "i8"), ("b", "U4")]), ROWS),
        (lambda: np.rec.fromrecords([(1, "x"), (2, "y")], names=["a", "b"]), ROWS),
        (lambda: np.array([(1, "x")], dtype=[("a", ">i4"), ("b", "U1")]), [ROWS[0]]),
        (lambda: np.array([([1, 2],)], dtype=[("a", "i8", (2,))]), [{"a": [1, 2]}]),
        (lambda: batches(1, 3), [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}]),
        (lambda: list(batches(1)), [{"n": 1}, {"n": 2}]),
        (lambda: (pl.DataFrame({"n": [number]}) for number in (1, 2)), [{"n": 1}, {"n": 2}]),
        (lambda: [pd.DataFrame({"n": [number]}) for number in (1, 2)], [{"n": 1}, {"n": 2}]),
        (lambda: pa.dataset.dataset(TABLE), ROWS),
    ],
)
def test_columns_rows_and_streams(db: framehold.Database, make: Callable[[], object], rows: list[object]) -> None:
    assert db.put("source", make()).to_arrow().to_pylist() == rows  # type: ignore[arg-type]


def test_arrays_with_names(db: framehold.Database) -> None:
    matrix = np.arange(6, dtype="f8").reshape(3, 2)
    frame = db.put("matrix", matrix, columns=["x", "y"])
    assert frame.to_arrow().to_pydict() == {"x": [0, 2, 4], "y": [1, 3, 5]}
    assert frame.append(matrix[:1], columns=["x", "y"]).rows == 4
    assert db.append("matrix", matrix[:1], columns=["x", "y"]).rows == 5
    assert db.put("vector", np.array([1, 2]), columns=["n"]).to_arrow().to_pydict() == {"n": [1, 2]}


def csv_named(name: str) -> io.BytesIO:
    file = io.BytesIO(CSV)
    file.name = name  # type: ignore[misc]
    return file


def written(write: Callable[[io.BytesIO], object]) -> io.BytesIO:
    file = io.BytesIO()
    write(file)
    file.seek(0)
    return file


class Pipe(io.RawIOBase):
    """Can be read once, and not be returned to."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._file.readinto(buffer)


def write_stream(file: io.BytesIO) -> None:
    with pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE)


@pytest.mark.parametrize(
    ("make", "format"),
    [
        (lambda: csv_named("data.csv"), None),
        (lambda: io.BytesIO(CSV), "csv"),
        (lambda: io.StringIO(CSV.decode()), "csv"),
        (lambda: Pipe(CSV), "csv"),
        (lambda: written(lambda file: pa.parquet.write_table(TABLE, file)), None),
        (lambda: Pipe(written(lambda file: pa.parquet.write_table(TABLE, file)).read()), None),
        (lambda: written(write_stream), None),
    ],
)
def test_open_files(db: framehold.Database, make: Callable[[], object], format: str | None) -> None:
    assert db.put("from_object", make(), format=format).to_arrow().to_pylist() == ROWS  # type: ignore[arg-type]


def test_an_open_file_is_sent_from_its_position_and_left_open(db: framehold.Database, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"# comment\n" + CSV)
    with path.open("rb") as file:
        file.readline()
        assert db.put("position", file).to_arrow().to_pylist() == ROWS
        assert not file.closed


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv", "ndjson"])
def test_folders_and_patterns(db: framehold.Database, tmp_path: Path, form: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "_SUCCESS").write_text("")
    for number, name in enumerate(["a", "deep/b", "deep/c"]):
        path = tmp_path / f"{name}.{form}"
        table = pa.table({"n": pa.array([number * 2, number * 2 + 1], pa.int64())})
        values = table.column("n").to_pylist()
        if form == "parquet":
            pa.parquet.write_table(table, path)
        elif form == "csv":
            # Without a newline at the end, and with the mark of Excel at the beginning.
            path.write_text("\ufeffn\n" + "\n".join(map(str, values)))
        elif form == "ndjson":
            path.write_text("".join(f'{{"n": {value}}}\n' for value in values))
        else:
            new = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
            with new(str(path), table.schema) as writer:
                writer.write_table(table)
    assert db.put("folder", tmp_path).to_arrow().column("n").to_pylist() == list(range(6))
    assert db.put("pattern", f"{tmp_path}/deep/*.{form}").to_arrow().column("n").to_pylist() == [2, 3, 4, 5]
    assert db.append("pattern", f"{tmp_path}/**/a.{form}").rows == 6


def test_a_dataset_with_folders_for_values(db: framehold.Database, tmp_path: Path) -> None:
    pa.dataset.write_dataset(
        TABLE, tmp_path, format="parquet", partitioning=pa.dataset.partitioning(pa.schema([("a", pa.int64())]), flavor="hive")
    )
    found = db.put("hive", pa.dataset.dataset(tmp_path, partitioning="hive")).to_arrow()
    assert sorted(found.to_pylist(), key=lambda row: row["a"]) == [{"b": "x", "a": 1}, {"b": "y", "a": 2}]
    with pytest.raises(framehold.InvalidRequest, match="columns in the names of its folders: a="):
        db.put("hive", tmp_path)


def files(folder: Path, **contents: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def interval_index() -> pd.DataFrame:
    return pd.DataFrame({"v": [1.0, 5.0]}).assign(b=lambda each: pd.cut(each.v, 2)).groupby("b", observed=True).sum()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: pd.DataFrame({"c": pd.cut([1, 5], [0, 4, 8])}), 'The column "c" has a type that cannot be read back'),
        (lambda _: interval_index(), 'The column "b" has a type that cannot be read back'),
        (lambda _: pd.DataFrame([[1, 2]], columns=pd.cut([1, 5], [0, 4, 8])), "pandas could not restore this DataFrame"),
        (lambda _: pd.DataFrame({"c": pd.Categorical(pd.period_range("2024", periods=2, freq="M"))}), 'The column "c"'),
        (lambda _: pd.DataFrame({"c": pd.Categorical([(1, 2), (3, 4)])}), 'The column "c" has a type'),
        (lambda _: pd.DataFrame({"c": pd.Categorical(pd.date_range("2024", periods=2, tz="UTC"))}), "with a time zone"),
        (lambda _: pd.DataFrame({"c": pd.arrays.SparseArray([0, 1])}), "cannot be represented in Arrow: Sparse"),
        (lambda _: pd.DataFrame([[1, 2]], columns=["a", "a"]), "Duplicate column names"),
        (lambda _: pd.Series([1j], name="c"), "Conversion failed for column c"),
        (lambda _: pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([b"0" * 16], pa.uuid()))}), '"c"'),
        (lambda _: pl.DataFrame({"n": [1], "c": pl.Series([object()], dtype=pl.Object)}), 'The column "c" has the type Object'),
        (lambda _: pl.Series("c", [object()], dtype=pl.Object), 'The column "c" has the type Object'),
        (lambda _: {"c": pl.Series([object()], dtype=pl.Object)}, "Python objects, which cannot be stored"),
        (lambda _: pl.DataFrame({"c": pl.Series([1], dtype=pl.Int128)}), "cannot be represented in Arrow"),
        (lambda _: {"a": [1, 2], "b": [1]}, 'different numbers of rows: "a": 2, "b": 1'),
        (lambda _: {"a": "text"}, 'The column "a" is not a list of values'),
        (lambda _: {"a": 1}, 'The column "a" is not a list of values'),
        (lambda _: {1: [1]}, "not a text"),
        (lambda _: {"a": [1, "x"]}, 'The column "a" cannot be represented in Arrow'),
        (lambda _: [{"a": 1}, {"a": "x"}], 'The column "a" cannot be represented in Arrow'),
        (lambda _: [], "An empty list has no columns"),
        (lambda _: iter(()), "The iterator is empty"),
        (lambda _: ({"a": each} for each in range(2)), "An iterator of dict cannot be put"),
        (lambda _: {1, 2}, "An object of type set cannot be put"),
        (lambda _: b"a,b\n1,2\n", "Bytes have no format"),
        (lambda _: io.BytesIO(CSV), "The format of this file is not known"),
        (lambda _: np.zeros((2, 2)), r'have no names. Give them: columns=\["c0", "c1"\]'),
        (lambda _: np.zeros((2, 2, 2)), "An array with 3 dimensions"),
        (lambda _: np.array([((1,),)], dtype=[("a", [("b", "i8")])]), 'The field "a" is structured'),
        (lambda _: np.array([(1j,)], dtype=[("a", "c16")]), 'The column "a" cannot be represented'),
        (lambda folder: files(folder / "empty"), "There are no files"),
        (lambda folder: f"{folder}/*.nothing", "There are no files"),
        (lambda folder: files(folder / "mixed", a_csv="a\n1\n", b_ndjson="{}"), "files of several kinds: csv, ndjson"),
        (lambda folder: files(folder / "heads", a_csv="a\n1\n", b_csv="b\n1\n"), "The header of .*b.csv"),
        (lambda folder: files(folder / "json", a_json="[]", b_json="[]"), "cannot be put together"),
        (lambda folder: files(folder / "bad", a_parquet="a", b_parquet="b"), "a.parquet.* cannot be read"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_it_is_sent(
    db: framehold.Database, tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    with pytest.raises(framehold.InvalidRequest, match=message) as refused:
        db.put("refused", make(tmp_path))  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.status) == ("bad_argument", 0)
    assert "refused" not in db


def test_files_with_other_columns_are_refused(db: framehold.Database, tmp_path: Path) -> None:
    """pyarrow would leave out the columns that the first file does not have."""
    pa.parquet.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pa.parquet.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "2.parquet")
    with pytest.raises(framehold.InvalidRequest, match="The columns of .*2.parquet.* differ"):
        db.put("refused", tmp_path)


@pytest.mark.parametrize("error", [OSError("disk"), ValueError("no"), KeyboardInterrupt()])
def test_what_an_iterator_raises_arrives_and_nothing_is_stored(db: framehold.Database, error: BaseException) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(1, 3)
        raise error

    with pytest.raises(type(error)) as raised:
        db.put("broken_off", failing())
    assert raised.value is error
    assert "broken_off" not in db


def test_batches_that_differ_are_not_stored(db: framehold.Database) -> None:
    with pytest.raises(framehold.InvalidRequest, match="Element 2 of the iterator has other columns"):
        db.put("broken_off", iter([pa.record_batch({"n": [1]}), pa.record_batch({"m": [1]})]))
    assert "broken_off" not in db


def test_categories_of_intervals_can_be_put_as_the_message_says(db: framehold.Database) -> None:
    column = pd.Series(pd.cut([1, 5, 5], [0, 4, 8]), name="c")
    restored = db.put("intervals", column.astype(column.cat.categories.dtype)).to_pandas()
    assert restored["c"].tolist() == column.tolist()
    assert db.put("intervals", column.astype(str)).to_pandas()["c"].tolist() == ["(0, 4]", "(4, 8]", "(4, 8]"]
