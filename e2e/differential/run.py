"""
Puts random tables, or reads them by every way and compares: {"http", "grpc", "seeds": [first, number], "put": bool} in,
{"faults": [text], "comparisons": number, "cells": number, "pieces": {name: number of puts}} out.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))

from doors import Doors
from random_tables import RandomTable


def frame_name(seed):
    return f"random_{seed}"


def put(doors, truth):
    way = truth.random.choice(doors.ways_in())
    for number, batches in enumerate(truth.pieces):
        way(frame_name(truth.seed), batches, truth.schema, "replace" if number == 0 else "append")


def main():
    request = json.load(sys.stdin)
    doors = Doors(request["http"], request["grpc"])
    first, count = request["seeds"]
    faults, comparisons, cells, pieces = [], 0, 0, {}
    for seed in range(first, first + count):
        truth = RandomTable(seed)
        pieces[frame_name(seed)] = len(truth.pieces)
        if request["put"]:
            try:
                put(doors, truth)
            except Exception as error:
                faults.append(f"{truth.describe()}\n  put: {type(error).__name__}: {str(error)[:600]}")
            continue
        for way, look in doors.ways_out().items():
            comparisons += 1
            cells += truth.whole.num_rows * truth.whole.num_columns
            try:
                fault = look(frame_name(seed), truth)
            except Exception as error:  # each way reports for itself
                fault = f"{type(error).__name__}: {str(error)[:600]}"
            if fault is not None:
                faults.append(f"{truth.describe()}\n  {way}: {fault}")
    print(json.dumps({"faults": faults, "comparisons": comparisons, "cells": cells, "pieces": pieces}))


main()
