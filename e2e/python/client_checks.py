"""Checks of a client against a running server: each has a title and reports for itself."""

import json
import sys
import traceback

import pyarrow as pa
import pyarrow.flight as flight

# The row that cannot be cast, far behind the first batches of a million rows.
BROKEN_ROW = 900_000
MILLION = 1_000_000

_checks = []


def check(function):
    """Its title is its name, in words."""
    _checks.append(function)
    return function


def put(grpc, name, table):
    client = flight.connect(grpc)
    writer, reader = client.do_put(flight.FlightDescriptor.for_path(name), table.schema)
    writer.write_table(table, max_chunksize=100_000)
    writer.done_writing()
    assert reader.read() is not None
    writer.close()
    client.close()


def broken_million():
    """Numbers as text, one of which is none."""
    texts = [str(number) for number in range(MILLION)]
    texts[BROKEN_ROW] = "not a number"
    return pa.table({"n": pa.array(range(MILLION), pa.int64()), "text": pa.array(texts)})


def items():
    return pa.table(
        {
            "id": pa.array([1, 2, 3, 4], pa.int64()),
            "name": pa.array(["one", "two", None, "vier"]),
            "price": pa.array(["1.50", "2.25", None, "-0.01"]).cast(pa.decimal128(10, 2)),
            "moment": pa.array([0, 1_704_067_200_123_456, None, -1], pa.timestamp("us")),
        }
    )


def raises(call, *words):
    """The text of the error, in which each word must stand; fails where nothing is raised."""
    try:
        call()
    except Exception as error:
        text = str(error)
        for word in words:
            assert word.lower() in text.lower(), f"{word!r} is not in {text!r}"
        return text
    raise AssertionError("no error was raised")


def equal(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


def run_checks(prepare):
    """{"http", "grpc"} in; {title: fault or null} out."""
    request = json.load(sys.stdin)
    context = prepare(request)
    faults = {}
    for function in _checks:
        try:
            function(context)
            fault = None
        except Exception as error:  # each check reports for itself
            where = traceback.extract_tb(error.__traceback__)[1 if len(traceback.extract_tb(error.__traceback__)) > 1 else 0]
            fault = f"{type(error).__name__}: {str(error)[:900]} (line {where.lineno}: {where.line})"
        faults[function.__name__.replace("_", " ")] = fault
    print(json.dumps(faults))
