"""Puts every case of the round trip, or compares its file with its rows as Parquet: {"url", "http", "put": bool, "compare": bool, "only": [part of a case's name]} in, {"faults": {case: text}, "statuses": {status: count}} out."""

import io
import json
import sys
import urllib.error
import urllib.request
from collections import Counter

import pyarrow.flight as flight
import pyarrow.parquet as pq

from round_trip import frame_name, put
from round_trip_cases import cases


def fetch(url):
    try:
        return 200, urllib.request.urlopen(url).read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def fault_of(rows, file):
    (rows_status, rows_body), (status, body) = rows, file
    if status != rows_status:
        return f"{status}, not {rows_status}: {body[:300]}"
    if status != 200:
        return None
    expected = pq.ParquetFile(io.BytesIO(rows_body)).read()
    table = pq.ParquetFile(io.BytesIO(body)).read()
    if not table.schema.equals(expected.schema, check_metadata=True):
        return f"schema:\n{table.schema}\n≠\n{expected.schema}"
    # NaN is not equal to itself; as text it is.
    same = table.equals(expected) or str(table.to_pylist()) == str(expected.to_pylist())
    return None if same else "other values"


request = json.load(sys.stdin)
client = flight.connect(request["url"])
faults, statuses = {}, Counter()
for index, (title, case) in enumerate(cases().items()):
    if not any(part in title for part in request["only"]):
        continue
    name = frame_name(index)
    if request["put"]:
        put(client, name, case)
    if not request["compare"]:
        continue
    rows = fetch(f"{request['http']}/v1/frames/{name}/rows?fmt=parquet")
    file = fetch(f"{request['http']}/v1/files/{name}.parquet")
    # Parquet counts rows in columns: the export loses them, and the file is refused.
    if not case.schema.names and sum(batch.num_rows for batch in case.batches) > 0:
        rows = (422, b"")
    statuses[file[0]] += 1
    fault = fault_of(rows, file)
    if fault is not None:
        faults[title] = fault
print(json.dumps({"faults": faults, "statuses": statuses}))
