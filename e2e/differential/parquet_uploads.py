"""
Parquet of several writers, with random options, put and compared with what pyarrow reads out of the same file:
{"http", "grpc", "folder", "seeds": [first, number]} in, {"faults": [text], "compared": {writer: number}} out.
"""

import json
import pathlib
import random
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

from doors import Doors, Refused, has_dictionary_of_durations
from plain_values import read
from random_tables import RandomTable
from values import column_values, difference, meaning


def by_pyarrow(table, path, pick):
    pq.write_table(
        table,
        path,
        row_group_size=pick.choice([1, 7, 1000]),
        version=pick.choice(["1.0", "2.4", "2.6"]),
        compression=pick.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        use_dictionary=pick.random() < 0.5,
        data_page_version=pick.choice(["1.0", "2.0"]),
        write_statistics=pick.random() < 0.5,
        store_schema=pick.random() < 0.5,
        write_page_index=pick.random() < 0.5,
        use_deprecated_int96_timestamps=pick.random() < 0.1,
    )


def by_duckdb(table, path, pick):
    connection = duckdb.connect()
    connection.register("given", table)
    options = f"COMPRESSION {pick.choice(['uncompressed', 'snappy', 'zstd', 'gzip'])}, ROW_GROUP_SIZE {pick.choice([2048, 100000])}, PARQUET_VERSION {pick.choice(['v1', 'v2'])}"
    connection.execute(f"COPY (FROM given) TO '{path}' (FORMAT parquet, {options})")


def by_polars(table, path, pick):
    polars.from_arrow(table).write_parquet(
        path,
        compression=pick.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4"]),
        statistics=pick.random() < 0.5,
        row_group_size=pick.choice([None, 7]),
    )


WRITERS = {"pyarrow": by_pyarrow, "DuckDB": by_duckdb, "polars": by_polars}


def read_back(table, write, path, seed):
    """What pyarrow reads of it, with the same options for the same seed; None if either of them cannot."""
    try:
        write(table, path, random.Random(seed))
        return pq.ParquetFile(path).read()
    # Polars panics, which is no Exception.
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return None


def written(truth, writer, path):
    """The columns that the writer takes and pyarrow gives back; None if there are none."""
    once = lambda names: read_back(truth.table.select(names), WRITERS[writer], path, f"{truth.seed} {writer}")
    chosen = [name for name in truth.schema.names if once([name]) is not None]
    return once(chosen) if chosen else None


def as_stored(array):
    """A UUID is its bytes: files without an Arrow schema have no more."""
    return array.storage.to_pylist() if array.type == pa.uuid() else read(array, as_stored) if pa.types.is_nested(array.type) else meaning(array)


def fault_of(doors, name, path, wanted, truth):
    try:
        doors.request(f"/v1/frames/{name}", "PUT", pathlib.Path(path).read_bytes(), "application/vnd.apache.parquet")
    except Refused as refused:
        # DuckDB writes durations as intervals, too.
        expected = "has intervals" in str(refused) and any(kind in str(truth.schema) for kind in ("interval", "duration"))
        return None if expected else str(refused)
    got = pa.ipc.open_stream(doors.request(f"/v1/frames/{name}/rows?fmt=arrow")).read_all()
    if got.schema.names != wanted.schema.names:
        return f"{got.schema.names}, not {wanted.schema.names}"
    for index, column in enumerate(wanted.schema.names):
        # pyarrow reads those as plain integers.
        if has_dictionary_of_durations(got.schema.field(index).type):
            continue
        fault = difference(column_values(wanted.column(index), as_stored), column_values(got.column(index), as_stored))
        if fault is not None:
            return f"column {column}, {wanted.schema.field(index).type} as {got.schema.field(index).type}: {fault}"
    return None


def main():
    request = json.load(sys.stdin)
    doors = Doors(request["http"], request["grpc"])
    first, count = request["seeds"]
    faults, compared = [], Counter()
    for seed in range(first, first + count):
        truth = RandomTable(seed)
        for writer in WRITERS:
            path = f"{request['folder']}/{seed}.parquet"
            wanted = written(truth, writer, path)
            if wanted is None:
                continue
            compared[writer] += 1
            try:
                fault = fault_of(doors, f"parquet_{seed}_{writer}", path, wanted, truth)
            except Exception as error:
                fault = f"{type(error).__name__}: {str(error)[:600]}"
            if fault is not None:
                faults.append(f"{truth.describe()}\n  {writer}: {fault}")
            pathlib.Path(path).unlink()
    print(json.dumps({"faults": faults, "compared": compared}))


main()
