"""Carries out cells of the access matrix with ADBC: {"url", "holders": {holder: options}, "cells"} in, {id: {"kind", "text"}} out."""

import json
import sys

import adbc_driver_flightsql.dbapi as dbapi
import pyarrow as pa

request = json.load(sys.stdin)
rows = pa.table({request["column"]: ["more"]})


def run(connection, cursor, how):
    kind = how["kind"]
    if kind == "query":
        cursor.execute(how["sql"])
        cursor.fetchall()
    elif kind == "update":
        cursor.execute(how["sql"])
    elif kind == "many":
        cursor.executemany(how["sql"], [("more",)])
    elif kind == "prepare":
        cursor.adbc_prepare(how["sql"])
    elif kind == "partitions":
        for partition in cursor.adbc_execute_partitions(how["sql"])[0]:
            cursor.adbc_read_partition(partition)
            cursor.fetchall()
    elif kind == "ingest":
        cursor.adbc_ingest(how["name"], rows, mode=how["mode"])
    elif kind == "tables":
        connection.adbc_get_objects(depth="tables", table_name_filter=how["name"]).read_all()
    elif kind == "table types":
        connection.adbc_get_table_types()
    elif kind == "info":
        connection.adbc_get_info()
    else:
        raise ValueError(kind)


def refusal(error):
    details = {key: value.decode() for key, value in (pair for pair in getattr(error, "details", None) or [])}
    named = {key.decode() if isinstance(key, bytes) else key: value for key, value in details.items()}
    return {"kind": named.get("framehold-code") or type(error).__name__, "text": f"{error} {named}"}


outcomes = {}
for holder, options in request["holders"].items():
    cells = [cell for cell in request["cells"] if cell["holder"] == holder]
    try:
        connection = dbapi.connect(request["url"], db_kwargs=options, autocommit=True)
    except Exception as error:
        outcomes.update({cell["id"]: refusal(error) for cell in cells})
        continue
    with connection:
        for cell in cells:
            try:
                with connection.cursor() as cursor:
                    run(connection, cursor, cell["how"])
                outcomes[cell["id"]] = {"kind": "ok", "text": ""}
            except Exception as error:
                outcomes[cell["id"]] = refusal(error)
print(json.dumps(outcomes))
