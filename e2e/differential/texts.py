"""Puts texts with known values and compares what is stored: {"http", "grpc", "seeds": [first, number]} in, {"faults": [text], "compared"} out."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))

import pyarrow as pa

from doors import Doors
from random_texts import RandomText
from values import column_values, difference, exact


def forms_of(text):
    path, csv = text.csv()
    objects = text.objects()
    return {
        "CSV": ("text/csv", path, csv, text.table),
        "NDJSON": ("application/x-ndjson", "", "\n".join(objects).encode(), text.json_table),
        "JSON": ("application/json", "", ("[" + ",\n".join(objects) + "]").encode(), text.json_table),
    }


def fault_of(doors, name, kind, path, body, wanted):
    doors.request(f"/v1/frames/{name}{path}", "PUT", body, kind)
    got = pa.ipc.open_stream(doors.request(f"/v1/frames/{name}/rows?fmt=arrow")).read_all()
    if got.schema.names != wanted.schema.names or got.schema.types != wanted.schema.types:
        return f"{got.schema.names} {got.schema.types}, not {wanted.schema.names} {wanted.schema.types}"
    for column in wanted.schema.names:
        fault = difference(column_values(wanted.column(column), exact), column_values(got.column(column), exact))
        if fault is not None:
            return f"column {column}: {fault}"
    return None


def main():
    request = json.load(sys.stdin)
    doors = Doors(request["http"], request["grpc"])
    first, count = request["seeds"]
    faults, compared = [], 0
    for seed in range(first, first + count):
        text = RandomText(seed)
        for form, (kind, path, body, wanted) in forms_of(text).items():
            compared += 1
            try:
                fault = fault_of(doors, f"text_{seed}_{form}", kind, path, body, wanted)
            except Exception as error:
                fault = f"{type(error).__name__}: {str(error)[:600]}"
            if fault is not None:
                faults.append(f"seed {seed}, {form}: {fault}\n{body[:400]}")
    print(json.dumps({"faults": faults, "compared": compared}))


main()
