"""Puts and reads a frame that is made as it goes, and hashes its values as they stream, whatever the batches they come in:
frames.py put-flight|put-http|get-flight|get-http URL NAME [BATCHES]. Prints seconds, bytes of values, rows and a hash."""
import hashlib
import http.client
import json
import sys
import time
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.flight as fl

ROWS = 96 * 1024
TEXT_BYTES = 12
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("at", pa.timestamp("us", "UTC")),
        pa.field("price", pa.float64()),
        pa.field("size", pa.int32()),
        pa.field("text", pa.string()),
    ]
)


class Source:
    """Batches of about 4 MB from a seed. Random blocks are made once and moved about: making them must not be what is measured."""

    def __init__(self):
        random = np.random.default_rng(7)
        self.prices = random.normal(100, 5, ROWS * 2)
        self.sizes = random.integers(0, 10_000, ROWS * 2, dtype=np.int32)
        self.text = random.integers(97, 123, ROWS * TEXT_BYTES * 2, dtype=np.uint8)
        self.offsets = pa.py_buffer((np.arange(ROWS + 1, dtype=np.int32) * TEXT_BYTES).tobytes())
        self.valid = [pa.py_buffer(np.packbits(random.random(ROWS) > 0.1, bitorder="little").tobytes()) for _ in range(4)]

    def batch(self, number):
        shift = (number * 7919) % ROWS
        ids = np.arange(number * ROWS, (number + 1) * ROWS, dtype=np.int64)
        text = np.ascontiguousarray(self.text[shift * TEXT_BYTES : (shift + ROWS) * TEXT_BYTES])
        size = pa.Array.from_buffers(
            pa.int32(), ROWS, [self.valid[number % 4], pa.py_buffer(np.ascontiguousarray(self.sizes[shift : shift + ROWS]))]
        )
        columns = [
            pa.array(ids),
            pa.array(1_700_000_000_000_000 + ids * 1_000, pa.timestamp("us", "UTC")),
            pa.array(self.prices[shift : shift + ROWS] + number),
            size,
            pa.Array.from_buffers(pa.string(), ROWS, [None, self.offsets, pa.py_buffer(text)]),
        ]
        return pa.record_batch(columns, schema=SCHEMA)


class Hash:
    """Of the values of each column, one after another, with validity and lengths apart: where a batch ends does not matter."""

    def __init__(self):
        self.values = [hashlib.sha256() for _ in SCHEMA]
        self.shapes = [hashlib.sha256() for _ in SCHEMA]
        self.rows = 0
        self.bytes = 0

    def add(self, batch):
        assert batch.schema.equals(SCHEMA), batch.schema
        self.rows += batch.num_rows
        self.bytes += batch.nbytes
        for values, shape, column in zip(self.values, self.shapes, batch.columns):
            if column.type == pa.int32():
                shape.update(column.is_valid().cast(pa.uint8()).buffers()[1])
                column = column.fill_null(0)
            assert column.null_count == 0
            start, end = column.offset, column.offset + len(column)
            if pa.types.is_string(column.type):
                offsets = np.frombuffer(column.buffers()[1], np.int32)[start : end + 1]
                shape.update(np.diff(offsets))
                values.update(memoryview(column.buffers()[2])[offsets[0] : offsets[-1]])
            else:
                width = column.type.bit_width // 8
                values.update(memoryview(column.buffers()[1])[start * width : end * width])

    def report(self, seconds):
        digests = b"".join(each.digest() for each in self.values + self.shapes)
        return {"seconds": seconds, "bytes": self.bytes, "rows": self.rows, "hash": hashlib.sha256(digests).hexdigest()}


def connect(url):
    # A connection of its own: gRPC would share one between clients of a process.
    return fl.connect(url, generic_options=[("grpc.use_local_subchannel_pool", 1)])


def put_flight(url, name, batches):
    source, seen, began = Source(), Hash(), time.monotonic()
    writer, reader = connect(url).do_put(fl.FlightDescriptor.for_path(name), SCHEMA)
    for number in range(int(batches)):
        batch = source.batch(number)
        seen.add(batch)
        writer.write_batch(batch)
    writer.done_writing()
    manifest = json.loads(reader.read().to_pybytes())
    writer.close()
    assert manifest["rows"] == seen.rows, manifest
    return seen.report(time.monotonic() - began)


class ChunkedBody:
    """A file that pyarrow writes to: each write is a chunk of the request's body."""

    closed = False

    def __init__(self, connection):
        self.connection = connection

    def write(self, data):
        size = len(data)
        if size > 0:
            self.connection.send(b"%x\r\n" % size)
            self.connection.send(data)
            self.connection.send(b"\r\n")
        return size

    def flush(self):
        pass

    def close(self):
        pass


def http_connection(url):
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=600, blocksize=1 << 20)


def put_http(url, name, batches):
    source, seen, began = Source(), Hash(), time.monotonic()
    connection = http_connection(url)
    connection.putrequest("PUT", f"/v1/frames/{name}")
    connection.putheader("Content-Type", "application/vnd.apache.arrow.stream")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    with pa.ipc.new_stream(pa.PythonFile(ChunkedBody(connection), "w"), SCHEMA) as writer:
        for number in range(int(batches)):
            batch = source.batch(number)
            seen.add(batch)
            writer.write_batch(batch)
    connection.send(b"0\r\n\r\n")
    answer = connection.getresponse()
    manifest = json.loads(answer.read())
    assert answer.status == 201 and manifest["rows"] == seen.rows, manifest
    return seen.report(time.monotonic() - began)


def get_flight(url, name):
    seen, began = Hash(), time.monotonic()
    for chunk in connect(url).do_get(fl.Ticket(name.encode())):
        seen.add(chunk.data)
    return seen.report(time.monotonic() - began)


def get_http(url, name):
    seen, began = Hash(), time.monotonic()
    connection = http_connection(url)
    connection.request("GET", f"/v1/frames/{name}/rows?fmt=arrow")
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    for batch in pa.ipc.open_stream(pa.PythonFile(answer, "r")):
        seen.add(batch)
    return seen.report(time.monotonic() - began)


if __name__ == "__main__":
    modes = {"put-flight": put_flight, "put-http": put_http, "get-flight": get_flight, "get-http": get_http}
    print(json.dumps(modes[sys.argv[1]](*sys.argv[2:])))
