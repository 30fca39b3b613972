"""Reads every case of the round trip in ranges, at the same time, and compares them with a plain read: {"url", "put": bool} in, {case: fault or null} out."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.flight as flight

from round_trip import frame_name, put
from round_trip_cases import cases

# A number that divides hardly any of the cases evenly. Each range of a Parquet form costs a thread that reads it.
COUNTS = (3,)


def read(client, ticket):
    reader = client.do_get(ticket)
    batches = []
    while True:
        try:
            batches.append(reader.read_chunk().data)
        except StopIteration:
            return reader.schema, batches


def in_ranges(client, threads, name, count):
    wanted = flight.FlightDescriptor.for_command(json.dumps({"name": name, "endpoints": count}))
    info = client.get_flight_info(wanted)
    return info, list(threads.map(lambda endpoint: read(client, endpoint.ticket), info.endpoints))


def compare(client, threads, name):
    schema, plain = read(client, flight.Ticket(name.encode()))
    rows = sum(batch.num_rows for batch in plain)
    for count in COUNTS:
        info, answers = in_ranges(client, threads, name, count)
        if len(info.endpoints) != max(1, min(count, rows)):
            return f"{len(info.endpoints)} endpoints of {count} for {rows} rows"
        if info.total_records != rows or not info.ordered:
            return f"{info.total_records} records of {rows}, ordered: {info.ordered}"
        batches = []
        for range_schema, range_batches in answers:
            if not range_schema.equals(schema, check_metadata=True):
                return f"a range has another schema:\n{range_schema}\n≠\n{schema}"
            if rows > 0 and sum(batch.num_rows for batch in range_batches) == 0:
                return "a range without rows"
            batches += range_batches
        if sum(batch.num_rows for batch in batches) != rows:
            return f"{count} ranges have {sum(batch.num_rows for batch in batches)} rows, not {rows}"
        for batch in batches:
            batch.validate(full=True)
        for index, field in enumerate(schema):
            fault = compare_column(chunks(batches, index), chunks(plain, index))
            if fault is not None:
                return f"{count} ranges, column {index} ({field}): {fault}"
    return None


def chunks(batches, index):
    return [batch.column(index) for batch in batches if batch.num_rows > 0]


def compare_column(got, wanted):
    """Both have the same number of rows, cut in different places."""
    left, right = list(reversed(got)), list(reversed(wanted))
    while left:
        one, other = left.pop(), right.pop()
        rows = min(len(one), len(other))
        fault = compare_values(one.slice(0, rows), other.slice(0, rows))
        if fault is not None:
            return fault
        if len(one) > rows:
            left.append(one.slice(rows))
        if len(other) > rows:
            right.append(other.slice(rows))
    return None


def compare_values(left, right):
    if left.type != right.type:
        return f"{left.type} is not {right.type}"
    if isinstance(left, pa.ExtensionArray):
        return compare_values(left.storage, right.storage)
    bits = {pa.float16(): pa.uint16(), pa.float32(): pa.uint32(), pa.float64(): pa.uint64()}.get(left.type)
    if bits is not None:
        left, right = left.view(bits), right.view(bits)
    # As text if they are not equal: a NaN inside of a list is not equal to itself.
    if left.equals(right) or repr(left.to_pylist()) == repr(right.to_pylist()):
        return None
    return f"{str(left)[:400]}\n≠\n{str(right)[:400]}"


def main():
    request = json.load(sys.stdin)
    client = flight.connect(request["url"])
    faults = {}
    with ThreadPoolExecutor(16) as threads:
        for index, (title, case) in enumerate(cases().items()):
            try:
                fault = put(client, frame_name(index), case) if request["put"] else None
                faults[title] = fault or compare(client, threads, frame_name(index))
            except Exception as error:  # each case reports for itself
                faults[title] = f"{type(error).__name__}: {str(error)[:600]}"
    print(json.dumps(faults))


main()
