"""The Python package beside bare pyarrow.flight: the same table, the same server, alternately.

Reads {"url", "grpc", "rows", "rounds", "server"} from standard input and writes a line of JSON for each way: median
seconds, CPU seconds of this process, CPU seconds of the server.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

import framehold

request = json.load(sys.stdin)
TICKS = os.sysconf("SC_CLK_TCK")


def table(rows: int) -> pa.Table:
    """Eight columns of 8 bytes, in batches of 64 Ki rows."""
    generator = np.random.default_rng(1)
    integers = {f"i{number}": generator.integers(0, 2**62, rows) for number in range(4)}
    whole = pa.table({**integers, **{f"f{number}": generator.random(rows) for number in range(4)}})
    return pa.Table.from_batches(whole.to_batches(max_chunksize=65_536))


def server_seconds() -> float:
    fields = Path(f"/proc/{request['server']}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


data = table(request["rows"])
client = flight.connect(request["grpc"])
database = framehold.connect(request["url"], progress=False)


def put_by_flight() -> None:
    writer, reader = client.do_put(flight.FlightDescriptor.for_path("by_flight"), data.schema)
    writer.write_table(data)
    writer.done_writing()
    reader.read()
    writer.close()


def get_by_flight() -> pa.Table:
    return client.do_get(flight.Ticket(b"by_flight")).read_all()


ways: dict[str, Callable[[], object]] = {
    "flight put": put_by_flight,
    "package put": lambda: database.put("by_package", data),
    "flight get": get_by_flight,
    "package get": lambda: database["by_flight"].to_arrow(),
}
measured: dict[str, list[tuple[float, float, float]]] = {way: [] for way in ways}
for round_number in range(request["rounds"] + 1):
    for way, call in ways.items():
        began = (time.perf_counter(), time.process_time(), server_seconds())
        result = call()
        ended = (time.perf_counter(), time.process_time(), server_seconds())
        # The first round warms up, and shows that both read the same.
        if round_number > 0:
            measured[way].append(tuple(after - before for before, after in zip(began, ended)))
        elif way.endswith("get"):
            assert result.equals(data)
        del result
for way, rounds in measured.items():
    seconds, own, server = (statistics.median(column) for column in zip(*rounds))
    print(
        json.dumps(
            {
                "way": way,
                "seconds": round(seconds, 3),
                "cpu": round(own, 3),
                "server_cpu": round(server, 3),
                "gb": round(data.nbytes / 1e9, 3),
            }
        )
    )
