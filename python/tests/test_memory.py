"""Bodies are not collected in memory: what is sent and read may be larger than it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import Servers

BATCHES = 32
BATCH_BYTES = 4_000_000
BATCHES_GROWTH_MAX = 80_000_000

FILES = 24
FILE_ROWS = 500_000
FILES_GROWTH_MAX = 70_000_000

PEAK = """
import pathlib, resource, sys
import pyarrow as pa, pyarrow.dataset
import framehold

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

db = framehold.connect(sys.argv[1])
"""

BATCHES_PROGRAM = """
def batches(count):
    return (batch for _ in range(count))

count, rows = int(sys.argv[2]), int(sys.argv[3]) // 8
schema = pa.schema([("n", pa.int64())])
batch = pa.record_batch([pa.array(range(rows), pa.int64())], schema=schema)
list(db.put("small", pa.RecordBatchReader.from_batches(schema, batches(2))).batches())
before = peak()
frame = db.put("large", pa.RecordBatchReader.from_batches(schema, batches(count)))
assert sum(each.num_rows for each in frame.batches()) == count * rows
print(peak() - before)
"""

FILES_PROGRAM = """
folder, kind = pathlib.Path(sys.argv[2]), sys.argv[3]
source = (lambda path: path) if kind == "folder" else (lambda path: pa.dataset.dataset(path))
db.put("small_files", source(folder / "small"))
before = peak()
frame = db.put("many_files", source(folder / "large"))
print(frame.rows, peak() - before)
"""


def printed(program: str, servers: Servers, *arguments: str) -> list[int]:
    """The numbers that a program prints, in a process whose memory is its own."""
    command = [sys.executable, "-c", PEAK + program, servers.url, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [int(number) for number in run.stdout.split()]


def test_a_put_and_a_read_take_a_few_batches(servers: Servers) -> None:
    (growth,) = printed(BATCHES_PROGRAM, servers, str(BATCHES), str(BATCH_BYTES))
    assert growth < BATCHES_GROWTH_MAX < BATCHES * BATCH_BYTES, growth


@pytest.mark.parametrize("kind", ["folder", "dataset"])
def test_many_files_take_a_few_batches_of_memory(servers: Servers, tmp_path: Path, kind: str) -> None:
    table = pa.table({"n": pa.array(range(FILE_ROWS), pa.int64())})
    for name, count in (("small", 2), ("large", FILES)):
        (tmp_path / name).mkdir()
        for number in range(count):
            pa.parquet.write_table(table, tmp_path / name / f"{number:03}.parquet")
    rows, growth = printed(FILES_PROGRAM, servers, str(tmp_path), kind)
    assert rows == FILES * FILE_ROWS
    assert growth < FILES_GROWTH_MAX < FILES * table.nbytes, growth
