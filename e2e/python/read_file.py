"""Reads two columns of a Parquet file by its URL, with one tool: {"tool", "url", "columns"} in, {"rows", "sums"} out; for "metadata" the bytes of the columns' pages."""

import json
import os
import sys

request = json.load(sys.stdin)
url, columns = request["url"], request["columns"]


def with_polars():
    import polars as pl

    return pl.scan_parquet(url).select(columns).collect().to_arrow()


def with_polars_filter():
    import polars as pl

    return pl.scan_parquet(url).filter(pl.col("id") < request["below"]).select(columns).collect().to_arrow()


def duckdb_connection():
    import duckdb
    import duckdb_extension_httpfs

    folder = os.path.join(os.path.dirname(duckdb_extension_httpfs.__file__), "extensions", f"v{duckdb.__version__}")
    connection = duckdb.connect()
    connection.execute(f"LOAD '{folder}/httpfs.duckdb_extension'")
    return connection


def with_duckdb():
    names = ", ".join(f'"{name}"' for name in columns)
    return duckdb_connection().execute(f"SELECT {names} FROM read_parquet('{url}')").to_arrow_table()


def with_duckdb_filter():
    names = ", ".join(f'"{name}"' for name in columns)
    below = request["below"]
    return duckdb_connection().execute(f"SELECT {names} FROM read_parquet('{url}') WHERE id < {below}").to_arrow_table()


def with_pyarrow():
    import fsspec
    import pyarrow.parquet as pq

    with fsspec.open(url, block_size=64 * 1024, cache_type="none") as file:
        return pq.ParquetFile(file, pre_buffer=True).read(columns=columns)


def with_pandas():
    import pandas as pd
    import pyarrow as pa

    return pa.Table.from_pandas(pd.read_parquet(url), preserve_index=False)


def metadata():
    import fsspec
    import pyarrow.parquet as pq

    with fsspec.open(url, cache_type="none") as file:
        described = pq.read_metadata(file)
    places = {described.schema.column(index).name: index for index in range(described.num_columns)}
    groups = [described.row_group(index) for index in range(described.num_row_groups)]
    return {
        "rows": described.num_rows,
        "groups": described.num_row_groups,
        "footer": described.serialized_size,
        "pages": sum(group.column(places[name]).total_compressed_size for group in groups for name in columns),
        "statistics": all(group.column(index).is_stats_set for group in groups for index in places.values()),
        "indexes": all(
            group.column(index).has_offset_index and group.column(index).has_column_index
            for group in groups
            for index in places.values()
        ),
    }


def digest(table):
    """A hash of the values of each column, which are numbers without nulls."""
    import hashlib

    sums = {}
    for name in table.column_names:
        digest = hashlib.sha256()
        for chunk in table[name].chunks:
            digest.update(chunk.to_numpy().tobytes())
        sums[name] = digest.hexdigest()
    return {"rows": table.num_rows, "sums": sums}


tools = {
    "polars": with_polars,
    "polars-filter": with_polars_filter,
    "duckdb": with_duckdb,
    "duckdb-filter": with_duckdb_filter,
    "pyarrow": with_pyarrow,
    "pandas": with_pandas,
}
tool = request["tool"]
print(json.dumps(metadata() if tool == "metadata" else digest(tools[tool]())))
