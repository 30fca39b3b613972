"""Puts, appends, reads and drops over Flight at a fixed rate, for ever: soak_flight.py URL NUMBER. Prints counts."""
import json
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.flight as fl

url, number = sys.argv[1:]
client = fl.connect(url)
counts = {"done": 0, "expected": 0, "failed": 0, "late": 0, "failure": ""}
STEP_SECONDS = 0.2
NAMES = 6
APPENDS_MAX = 30
random = np.random.default_rng(int(number))


def table(rows):
    return pa.table({"id": np.arange(rows), "value": random.random(rows), "text": [f"text {row % 50}" for row in range(rows)]})


def put(command, rows):
    made = table(rows)
    writer, reader = client.do_put(fl.FlightDescriptor.for_command(json.dumps(command)), made.schema)
    writer.write_table(made)
    writer.done_writing()
    reader.read()
    writer.close()


def step(at):
    name = f"f{number}-{(at // 5) % NAMES}"
    kind = at % 5
    if kind == 0:
        put({"name": name, "mode": "replace"}, 20_000)
    elif kind == 1:
        mode = "replace" if (at // 5) % APPENDS_MAX == 0 else "append"
        put({"name": f"fa{number}", "mode": mode}, 1_000)
    elif kind == 2:
        client.do_get(fl.Ticket(f"fa{number}".encode())).read_all()
    elif kind == 4 and (at // 5) % 4 == 0:
        list(client.do_action(fl.Action("drop", json.dumps({"name": name, "purge": True}).encode())))
    else:
        client.do_get(fl.Ticket(name.encode())).read_all()


due = time.monotonic()
at = 0
while True:
    try:
        step(at)
        counts["done"] += 1
    except (fl.FlightServerError, pa.ArrowKeyError, KeyError) as error:
        counts["expected"] += 1
    except Exception as error:
        counts["failed"] += 1
        counts["failure"] = f"{type(error).__name__}: {error}"[:300]
    at += 1
    due += STEP_SECONDS
    wait = due - time.monotonic()
    if wait > 0:
        time.sleep(wait)
    else:
        counts["late"] += 1
        due = time.monotonic()
    if at % 3 == 0:
        print(json.dumps(counts), flush=True)
