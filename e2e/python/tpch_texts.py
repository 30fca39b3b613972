"""The texts of TPC-H's 22 queries, as the extension for DuckDB has them. Runs in the environment of scripts/tpch-parts.txt."""

import glob
import json
import os

import duckdb
import duckdb_extension_tpch

folder = os.path.dirname(duckdb_extension_tpch.__file__)
(extension,) = glob.glob(f"{folder}/extensions/v{duckdb.__version__}/tpch.duckdb_extension")
connection = duckdb.connect()
connection.execute(f"LOAD '{extension}'")
print(json.dumps(dict(connection.execute("SELECT query_nr, query FROM tpch_queries() ORDER BY query_nr").fetchall())))
