"""Slow Flight readers and slow uploads, for ever: slow_callers.py GRPC_URL HTTP_URL NAME READERS FLIGHT_UPLOADS HTTP_UPLOADS.
Every Flight call has a connection of its own. Prints all the time how many are under way, how many ended and how much went."""
import json
import sys
import threading
import time

import pyarrow as pa
import pyarrow.flight as fl
from frames import SCHEMA, ChunkedBody, Source, connect, http_connection

READ_SECONDS = 4  # between batches of 4 MB
UPLOAD_SECONDS = 1
START_SECONDS = 0.05  # between two callers: arriving is not what is measured
UPLOAD_ROWS = 2_000  # about 90 kB a second

flight_url, http_url, name, readers, flight_uploads, http_uploads = sys.argv[1:]
batch = Source().batch(0)
counts = {"answered": 0, "ended": 0, "taken": 0}
errors = []
lock = threading.Lock()


def count(key, by=1):
    with lock:
        counts[key] += by


def read(_):
    stream = connect(flight_url).do_get(fl.Ticket(name.encode()))
    answered = False
    while True:
        taken = stream.read_chunk().data
        if not answered:
            count("answered")
            answered = True
        count("taken", taken.num_rows)
        time.sleep(READ_SECONDS)


def pieces():
    while True:
        for start in range(0, batch.num_rows - UPLOAD_ROWS, UPLOAD_ROWS):
            yield batch.slice(start, UPLOAD_ROWS)


def upload_flight(number):
    writer, _ = connect(flight_url).do_put(fl.FlightDescriptor.for_path(f"slow-flight-{number}"), SCHEMA)
    count("answered")
    for piece in pieces():
        writer.write_batch(piece)
        time.sleep(UPLOAD_SECONDS)


def upload_http(number):
    connection = http_connection(http_url)
    connection.putrequest("PUT", f"/v1/frames/slow-http-{number}")
    connection.putheader("Content-Type", "application/vnd.apache.arrow.stream")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    writer = pa.ipc.new_stream(pa.PythonFile(ChunkedBody(connection), "w"), SCHEMA)
    count("answered")
    for piece in pieces():
        writer.write_batch(piece)
        time.sleep(UPLOAD_SECONDS)


def run(work, number):
    try:
        work(number)
    except Exception as error:
        errors.append(f"{work.__name__}: {error}"[:300])
    count("ended")


def start():
    for work, amount in ((read, readers), (upload_flight, flight_uploads), (upload_http, http_uploads)):
        for number in range(int(amount)):
            threading.Thread(target=run, args=(work, number), daemon=True).start()
            time.sleep(START_SECONDS)


threading.Thread(target=start, daemon=True).start()
while True:
    time.sleep(0.5)
    print(json.dumps({**counts, "errors": errors[:3]}), flush=True)
