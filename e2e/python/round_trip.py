"""Puts the cases over Flight, or reads them back and compares: {"url", "put": bool} in, {case: fault or null} out."""

import json
import sys

import pyarrow as pa
import pyarrow.flight as flight

from round_trip_cases import cases


def frame_name(index):
    return f"case_{index:03d}"


def put(client, name, case):
    descriptor = flight.FlightDescriptor.for_path(name)
    options = None if case.options is None else flight.FlightCallOptions(write_options=case.options)
    writer, reader = client.do_put(descriptor, case.schema, options) if options else client.do_put(descriptor, case.schema)
    for batch in case.batches:
        writer.write_batch(batch)
    writer.done_writing()
    acknowledged = None
    while (result := reader.read()) is not None:
        acknowledged = result
    writer.close()
    if acknowledged is None:
        return "no manifest was sent back"
    manifest = json.loads(acknowledged.to_pybytes())
    rows = sum(batch.num_rows for batch in case.batches)
    return None if manifest["rows"] == rows else f"the manifest says {manifest['rows']} rows, not {rows}"


def get(client, name):
    reader = client.do_get(flight.Ticket(name.encode()))
    batches = []
    while True:
        try:
            batches.append(reader.read_chunk().data)
        except StopIteration:
            return reader.schema, batches


def compare(client, name, case):
    schema, batches = get(client, name)
    if not schema.equals(case.schema, check_metadata=True):
        return f"schema:\n{schema}\n≠\n{case.schema}"
    rows = sum(batch.num_rows for batch in batches)
    expected_rows = sum(batch.num_rows for batch in case.batches)
    if rows != expected_rows:
        return f"{rows} rows, not {expected_rows}"
    for batch in batches:
        batch.validate(full=True)
    for index, field in enumerate(schema):
        fault = compare_column(chunks(batches, index), chunks(case.batches, index), field.type)
        if fault is not None:
            return f"column {index} ({field}): {fault}"
    return None


def chunks(batches, index):
    return [batch.column(index) for batch in batches if batch.num_rows > 0]


def compare_column(got, wanted, type_):
    """Dictionaries must agree chunk by chunk, with every category in its place; other columns may be cut elsewhere."""
    if has_dictionary(type_):
        if len(got) != len(wanted):
            return f"{len(got)} chunks, not {len(wanted)}"
        pairs = list(zip(got, wanted))
    else:
        pairs = [(joined(got, type_), joined(wanted, type_))]
    for left, right in pairs:
        fault = compare_arrays(left, right)
        if fault is not None:
            return fault
    return None


def joined(arrays, type_):
    if len(arrays) == 1:
        return arrays[0]
    return pa.array([], type_) if len(arrays) == 0 else pa.concat_arrays(arrays)


def has_dictionary(type_):
    if pa.types.is_dictionary(type_):
        return True
    return any(has_dictionary(type_.field(index).type) for index in range(type_.num_fields))


def compare_arrays(left, right):
    if left.type != right.type:
        return f"{left.type} is not {right.type}"
    if isinstance(left, pa.ExtensionArray):
        return compare_arrays(left.storage, right.storage)
    if pa.types.is_dictionary(left.type):
        if left.type.ordered != right.type.ordered:
            return "order lost"
        categories = compare_arrays(left.dictionary, right.dictionary)
        return f"categories: {categories}" if categories else compare_arrays(left.indices, right.indices)
    if pa.types.is_list(left.type) and has_dictionary(left.type):
        return compare_arrays(left.values, right.values) or compare_arrays(left.offsets, right.offsets)
    # NaN is not equal to itself, and -0.0 equals 0.0: the bits tell.
    bits = {pa.float16(): pa.uint16(), pa.float32(): pa.uint32(), pa.float64(): pa.uint64()}.get(left.type)
    if bits is not None:
        left, right = left.view(bits), right.view(bits)
    if left.equals(right):
        return None
    if pa.types.is_null(left.type) and len(left) == len(right):
        return None
    return f"{str(left)[:400]}\n≠\n{str(right)[:400]}"


def main():
    request = json.load(sys.stdin)
    client = flight.connect(request["url"])
    faults = {}
    for index, (title, case) in enumerate(cases().items()):
        try:
            fault = put(client, frame_name(index), case) if request["put"] else None
            faults[title] = fault or compare(client, frame_name(index), case)
        except Exception as error:  # each case reports for itself
            faults[title] = f"{type(error).__name__}: {str(error)[:600]}"
    groups = {title: case.group for title, case in cases().items()}
    print(json.dumps({"faults": faults, "groups": groups}))


if __name__ == "__main__":
    main()
