"""Eight threads put frames until the server dies: {"url", "round"} in, the acknowledged ones out. Or compares what is there."""

import json
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

PUTTERS = 8
PUTS_MAX = 400


def table_of(seed):
    """Every frame is different, and known from its name alone. Sizes from a few kB to a few MB."""
    generator = np.random.default_rng(seed)
    rows = int(generator.integers(100, 100_000))
    return pa.table({"n": generator.integers(-(2**63), 2**63 - 1, rows), "seed": np.full(rows, seed)})


def put(client, name, table):
    writer, reader = client.do_put(flight.FlightDescriptor.for_path(name), table.schema)
    writer.write_table(table, max_chunksize=10_000)
    writer.done_writing()
    acknowledged = None
    while (result := reader.read()) is not None:
        acknowledged = result
    writer.close()
    return json.loads(acknowledged.to_pybytes())["handle"]


def put_until_it_dies(url, round_number, putter, acknowledged):
    client = flight.connect(url)
    for number in range(PUTS_MAX):
        seed = (round_number * PUTTERS + putter) * PUTS_MAX + number
        try:
            put(client, f"seed_{seed}", table_of(seed))
        except (flight.FlightError, pa.ArrowException, OSError):
            return
        acknowledged.append(seed)
        print(f"acknowledged {seed}", file=sys.stderr, flush=True)


def put_all(request):
    acknowledged = []
    threads = [
        threading.Thread(target=put_until_it_dies, args=(request["url"], request["round"], putter, acknowledged))
        for putter in range(PUTTERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"acknowledged": acknowledged}


def compare_all(request):
    client = flight.connect(request["url"])
    visible = [info.descriptor.path[0].decode() for info in client.list_flights()]
    faults = []
    for name in visible:
        seed = int(name.removeprefix("seed_"))
        if not client.do_get(flight.Ticket(name.encode())).read_all().equals(table_of(seed)):
            faults.append(f"{name} differs")
    missing = [seed for seed in request["acknowledged"] if f"seed_{seed}" not in set(visible)]
    return {"visible": len(visible), "faults": faults, "missing": missing}


request = json.load(sys.stdin)
print(json.dumps(put_all(request) if "round" in request else compare_all(request)))
