"""A lazy scan beside reading everything and filtering locally, with the same result.

Reads {"url", "rows", "rounds"} from standard input and writes a line of JSON for each filter: median seconds and CPU
seconds of this process, for both.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import framehold

request = json.load(sys.stdin)
rows = request["rows"]
generator = np.random.default_rng(3)
local = pl.DataFrame(
    {
        "id": np.arange(rows),
        "price": generator.random(rows),
        "size": generator.integers(0, 1000, rows),
        "symbol": pl.Series(generator.integers(0, 50, rows)).cast(pl.String) + "-USD",
    }
)
database = framehold.connect(request["url"], progress=False)
frame = database.put("scanned", local)
# Statements wait for the Parquet form; this is not what is measured.
while database.status()["settling"]["parts"] > 0:
    time.sleep(0.2)

filters = {
    "a range of ids, 0.03 % of the rows": pl.col("id").is_between(rows // 2, rows // 2 + 2000),
    "one of 1,000 sizes, 0.1 %": pl.col("size") == 7,
    "texts that begin with 1, 22 %": pl.col("symbol").str.starts_with("1"),
    "half of the prices, 50 %": pl.col("price") < 0.5,
    "arithmetic, which is not pushed down, 50 %": pl.col("price") * 2 < 1,
}


def timed(call: Callable[[], pl.DataFrame]) -> tuple[float, float, pl.DataFrame]:
    began, cpu = time.perf_counter(), time.process_time()
    found = call()
    return time.perf_counter() - began, time.process_time() - cpu, found


for name, condition in filters.items():
    measured: dict[str, list[tuple[float, float]]] = {"scan": [], "local": []}
    # Another select each time: the server would answer the same statement from memory.
    for number in range(request["rounds"]):
        threshold = pl.col("id") >= number - 1
        scanned = timed(lambda: frame.scan().filter(condition & threshold).select("id", "price").collect())
        filtered = timed(lambda: frame.to_polars().filter(condition & threshold).select("id", "price"))
        assert scanned[2].equals(filtered[2])
        measured["scan"].append(scanned[:2])
        measured["local"].append(filtered[:2])
    medians = {way: [round(statistics.median(column), 3) for column in zip(*each)] for way, each in measured.items()}
    print(json.dumps({"filter": name, **medians}))
