"""Puts two frames, and knows the answers to the statements of large.ts from the rows as it makes them.
large_frames.py GRPC GIGABYTES CUSTOMERS → {"rows", "arrowBytes", "answers": {title: rows}}"""
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

BATCH_ROWS = 128 * 1024
# One put each: a frame grows by appends, as large frames do.
PART_ROWS = 16 * 1024 * 1024
# Nearly what a row takes as Parquet: five columns of random bits that nothing compresses, and three that are smaller.
ROW_BYTES = 47
BUCKETS, SEGMENTS = 1000, 100
PAYLOAD = ["a", "b", "c", "d", "e"]


def put(client, name, schema, batches, mode):
    command = json.dumps({"name": name, "mode": mode})
    writer, reader = client.do_put(flight.FlightDescriptor.for_command(command), schema)
    for batch in batches:
        writer.write_batch(pa.record_batch(batch, schema=schema))
    writer.done_writing()
    manifest = json.loads(reader.read().to_pybytes())
    writer.close()
    return manifest


def segment_of(customer):
    return (customer * 2654435761 % 4294967296) % SEGMENTS


class Answers:
    """Whole numbers and eighths only, so that sums do not depend on their order."""

    def __init__(self, customers):
        self.buckets = {
            "n": np.zeros(BUCKETS, np.int64),
            "s": np.zeros(BUCKETS),
            **{name: np.zeros(BUCKETS, np.int64) for name in PAYLOAD},
        }
        self.segments = {"n": np.zeros(SEGMENTS, np.int64), "s": np.zeros(SEGMENTS), "x": np.zeros(SEGMENTS, np.int64)}
        self.count, self.sum = np.zeros(customers, np.int32), np.zeros(customers)

    def add(self, customer, amount, payload):
        bucket, segment = customer % BUCKETS, segment_of(customer)
        self.buckets["n"] += np.bincount(bucket, minlength=BUCKETS)
        self.buckets["s"] += np.bincount(bucket, amount, BUCKETS)
        for name, values in zip(PAYLOAD, payload):
            np.bitwise_xor.at(self.buckets[name], bucket, values)
        self.segments["n"] += np.bincount(segment, minlength=SEGMENTS)
        self.segments["s"] += np.bincount(segment, amount, SEGMENTS)
        np.bitwise_xor.at(self.segments["x"], segment, payload[0])
        np.add.at(self.count, customer, 1)
        np.add.at(self.sum, customer, amount)

    def as_rows(self):
        def rows(columns, size):
            return [[key, *(columns[name][key].item() for name in columns)] for key in range(size)]

        seen = self.count > 0
        wide = [int(seen.sum()), int(self.count.max()), float(self.sum[seen].max()), float(self.sum.sum())]
        return {"aggregate": rows(self.buckets, BUCKETS), "wide": [wide], "join": rows(self.segments, SEGMENTS)}


def facts(rows, customers, answers, random):
    for start in range(0, rows, BATCH_ROWS):
        count = min(BATCH_ROWS, rows - start)
        customer = random.integers(0, customers, count)
        amount = random.integers(0, 80_000, count) / 8
        payload = [random.integers(-(2**63), 2**63 - 1, count) for _ in PAYLOAD]
        answers.add(customer, amount, payload)
        yield [np.arange(start, start + count), customer, amount, *payload]


def people(customers, random):
    for start in range(0, customers, BATCH_ROWS):
        customer = np.arange(start, min(start + BATCH_ROWS, customers))
        yield [customer, segment_of(customer), random.integers(-(2**63), 2**63 - 1, len(customer))]


def main():
    grpc, gigabytes, customers = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    client, random, answers = flight.connect(grpc), np.random.default_rng(1), Answers(customers)
    schema = pa.schema(
        [("id", pa.int64()), ("customer", pa.int64()), ("amount", pa.float64())] + [(name, pa.int64()) for name in PAYLOAD]
    )
    left, mode = int(gigabytes * 1e9 / ROW_BYTES), "create"
    total = left
    while left > 0:
        rows = min(left, PART_ROWS)
        manifest = put(client, "facts", schema, facts(rows, customers, answers, random), mode)
        left, mode = left - rows, "append"
        print(f"facts: {manifest['rows']:,} of {total:,} rows", file=sys.stderr, flush=True)
    other = pa.schema([("customer", pa.int64()), ("segment", pa.int64()), ("other", pa.int64())])
    put(client, "customers", other, people(customers, random), "create")
    print(json.dumps({"rows": total, "arrowBytes": manifest["bytes"], "answers": answers.as_rows()}))


main()
