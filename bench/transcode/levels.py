"""Writes the tables of levels.ts as Arrow streams: levels.py FOLDER ROWS PARTS"""

import subprocess
import sys

import duckdb
import pyarrow as pa

TRADES = """SELECT i::BIGINT AS id, 'sym' || (hash(i) % 50)::VARCHAR AS sym, (hash(i * 3) % 1000000 / 100)::DOUBLE AS price,
  (hash(i * 7) % 1000)::INTEGER AS qty, TIMESTAMP '2024-01-01' + to_microseconds(i * 10007) AS ts, hash(i) % 3 = 0 AS flag FROM range({rows}) t(i)"""
TEXTS = """SELECT i::BIGINT AS id, 'request ' || md5(i::VARCHAR)[:12] || ' of user' || (hash(i) % 5000)::VARCHAR || '@example.com took ' ||
  (hash(i * 5) % 90000)::VARCHAR || ' us and answered ' || (200 + hash(i * 7) % 300)::VARCHAR || ' from /v1/items/' || (hash(i * 11) % 100000)::VARCHAR AS message
  FROM range({rows}) t(i)"""

# The extension is that of another version of DuckDB.
LINEITEM = """
import glob, os, sys, duckdb, duckdb_extension_tpch
folder = os.path.dirname(duckdb_extension_tpch.__file__)
(extension,) = glob.glob(f"{folder}/extensions/v{duckdb.__version__}/tpch.duckdb_extension")
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")
connection.execute(f"CALL dbgen(sf = {sys.argv[2]})")
connection.execute(f"COPY lineitem TO '{sys.argv[1]}' (FORMAT parquet)")
"""


def write(connection, path, sql):
    reader = connection.execute(sql).to_arrow_reader(65_536)
    with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, reader.schema) as out:
        for batch in reader:
            out.write_batch(batch)


def main():
    folder, rows, parts = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    connection = duckdb.connect()
    write(connection, f"{folder}/trades.arrows", TRADES.format(rows=rows))
    write(connection, f"{folder}/texts.arrows", TEXTS.format(rows=rows // 5))
    made = f"{folder}/lineitem.parquet"
    subprocess.run([f"{parts}/tpch/bin/python", "-c", LINEITEM, made, str(rows / 1e7)], check=True)
    write(connection, f"{folder}/lineitem.arrows", f"FROM read_parquet('{made}')")


main()
