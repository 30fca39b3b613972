"""Compares Parquet files with what QuestDB's /exec shows of the same query: values, nulls, and the columns' Arrow types."""
import json
import struct
import sys
import urllib.parse
import urllib.request
import pyarrow.parquet as pq

given = json.load(sys.stdin)


def exec_(query):
    url = f"{given['url']}/exec?" + urllib.parse.urlencode({"query": query})
    return json.load(urllib.request.urlopen(url))


def shown(value, kind):
    """A value as /exec writes it."""
    if value is None:
        return None
    if kind == "DATE":
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"
    if kind == "TIMESTAMP":
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if kind == "TIMESTAMP_NS":
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + f"{value.nanosecond:03d}Z"
    if kind.startswith("DECIMAL"):
        return str(value)
    return value


def expected(value, kind):
    # /exec writes an empty text for these nulls.
    if kind in ("CHAR", "LONG256") and value == "":
        return None
    if kind == "FLOAT" and value is not None:
        return struct.unpack("f", struct.pack("f", value))[0]
    return value


answers = []
for case in given["cases"]:
    answer = exec_(case["query"])
    tables = [pq.read_table(file) for file in case["files"]]
    faults = []
    rows = sum(table.num_rows for table in tables)
    if rows != len(answer["dataset"]):
        faults.append(f"{rows} rows, not {len(answer['dataset'])}")
    for index, column in enumerate(answer["columns"]):
        kind = column["type"]
        if kind == "BINARY":
            continue  # /exec shows none of it.
        want = [expected(row[index], kind) for row in answer["dataset"]]
        got = [shown(value, kind) for table in tables for value in table.column(index).to_pylist()]
        different = [pair for pair in zip(want, got) if pair[0] != pair[1]]
        if different:
            faults.append(f"{column['name']} ({kind}): {different[:3]}")
    schema = tables[0].schema
    answers.append({"faults": faults, "rows": rows, "types": {field.name: str(field.type) for field in schema}})
print(json.dumps(answers))
