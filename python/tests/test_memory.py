"""Bodies are not collected in memory: what is sent and read may be larger than it."""

from __future__ import annotations

import subprocess
import sys

from conftest import Servers

BATCHES = 32
BATCH_BYTES = 4_000_000
GROWTH_MAX = 80_000_000

PROGRAM = """
import resource, sys
import pyarrow as pa
import framehold

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def batches(count):
    return (batch for _ in range(count))

url, count, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) // 8
schema = pa.schema([("n", pa.int64())])
batch = pa.record_batch([pa.array(range(rows), pa.int64())], schema=schema)
db = framehold.connect(url)
list(db.put("small", pa.RecordBatchReader.from_batches(schema, batches(2))).batches())
before = peak()
frame = db.put("large", pa.RecordBatchReader.from_batches(schema, batches(count)))
assert sum(each.num_rows for each in frame.batches()) == count * rows
print(peak() - before)
"""


def test_a_put_and_a_read_take_a_few_batches(servers: Servers) -> None:
    arguments = [servers.url, str(BATCHES), str(BATCH_BYTES)]
    run = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < GROWTH_MAX < BATCHES * BATCH_BYTES, run.stdout
