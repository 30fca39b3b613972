"""One measurement a run: client.py make FILE BATCHES | get URL TICKET [AUTHORIZATION] | put URL NAME FILE [AUTHORIZATION] | ranges URL NAME N | slow-get URL TICKET N S | slow-put URL NAME FILE N S."""
import json
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.flight as fl

BATCH_ROWS = 128 * 1024  # four columns of eight bytes: 4 MiB


def make(path, batches):
    random = np.random.default_rng(1)
    schema = pa.schema([("id", pa.int64()), ("price", pa.float64()), ("size", pa.int64()), ("ratio", pa.float64())])
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, schema) as writer:
        for _ in range(int(batches)):
            integers = [random.integers(0, 2**62, BATCH_ROWS) for _ in range(2)]
            floats = [random.random(BATCH_ROWS) for _ in range(2)]
            writer.write_batch(pa.record_batch([integers[0], floats[0], integers[1], floats[1]], schema=schema))
    return {}


def options_of(authorization):
    return fl.FlightCallOptions(headers=[(b"authorization", authorization.encode())] if authorization else [])


def get(url, ticket, authorization=""):
    client = fl.connect(url)
    started = time.monotonic()
    count = sum(chunk.data.nbytes for chunk in client.do_get(fl.Ticket(ticket.encode()), options_of(authorization)))
    return {"seconds": time.monotonic() - started, "bytes": count}


def put(url, name, path, authorization=""):
    client = fl.connect(url)
    source = pa.ipc.open_stream(pa.memory_map(path))
    batches = list(source)
    for batch in batches:  # the file's pages are there before the clock runs
        for column in batch.columns:
            np.asarray(column)[:: 512].sum()
    started = time.monotonic()
    writer, reader = client.do_put(fl.FlightDescriptor.for_path(name), source.schema, options_of(authorization))
    for batch in batches:
        writer.write_batch(batch)
    writer.done_writing()
    reader.read()
    writer.close()
    return {"seconds": time.monotonic() - started, "bytes": sum(batch.nbytes for batch in batches)}


def ranges(url, name, count):
    """One client with a connection for each endpoint, read at the same time."""
    wanted = fl.FlightDescriptor.for_command(json.dumps({"name": name, "endpoints": int(count)}))
    endpoints = fl.connect(url).get_flight_info(wanted).endpoints
    clients = [fl.connect(url) for _ in endpoints]
    counts = [0] * len(endpoints)

    def work(number):
        reader = clients[number].do_get(endpoints[number].ticket)
        counts[number] = sum(chunk.data.nbytes for chunk in reader)

    started = time.monotonic()
    at_once(work, len(endpoints))
    return {"seconds": time.monotonic() - started, "bytes": sum(counts)}


def at_once(work, count):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(int(count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {}


def slow_get(url, ticket, count, seconds):
    def work(_):
        reader = fl.connect(url).do_get(fl.Ticket(ticket.encode()))
        for _ in range(int(float(seconds) / 0.2)):
            reader.read_chunk()
            time.sleep(0.2)
        reader.cancel()

    return at_once(work, count)


def slow_put(url, name, path, count, seconds):
    batches = list(pa.ipc.open_stream(pa.memory_map(path)))

    def work(number):
        writer, _ = fl.connect(url).do_put(fl.FlightDescriptor.for_path(f"{name}-{number}"), batches[0].schema)
        for batch in batches[: int(float(seconds) / 0.2)]:
            writer.write_batch(batch)
            time.sleep(0.2)
        writer.close()

    return at_once(work, count)


modes = {"make": make, "get": get, "put": put, "ranges": ranges, "slow-get": slow_get, "slow-put": slow_put}
if __name__ == "__main__":
    print(json.dumps(modes[sys.argv[1]](*sys.argv[2:])))
