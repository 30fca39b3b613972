"""Puts a frame of many parts with random numbers: {"url", "name", "parts", "rows"} in, {"rows", "sums", "bytes"} out. The columns are an id and seven of doubles."""

import hashlib
import io
import json
import sys
import urllib.request

import numpy as np
import pyarrow as pa

request = json.load(sys.stdin)
rows = request["rows"]
random = np.random.default_rng(7)
sums = {}
sent = 0
for part in range(request["parts"]):
    columns = {"id": np.arange(part * rows, (part + 1) * rows)}
    # A third of the bits is random: about what measurements compress to.
    for index in range(7):
        columns[f"v{index}"] = np.round(random.standard_normal(rows) * 1000) / 8 + index
    for name, values in columns.items():
        sums.setdefault(name, hashlib.sha256()).update(values.tobytes())
    table = pa.table(columns)
    body = io.BytesIO()
    with pa.ipc.new_stream(body, table.schema) as writer:
        writer.write_table(table, max_chunksize=65_536)
    sent += body.tell()
    path = request["name"] if part == 0 else request["name"] + "/rows"
    call = urllib.request.Request(
        f"{request['url']}/v1/frames/{path}",
        data=body.getvalue(),
        method="PUT" if part == 0 else "POST",
        headers={"content-type": "application/vnd.apache.arrow.stream"},
    )
    urllib.request.urlopen(call).read()
print(json.dumps({"rows": rows * request["parts"], "sums": {name: each.hexdigest() for name, each in sums.items()}, "bytes": sent}))
