"""Prepared statements through an address behind which every call reaches another node."""

import json
import sys

import adbc_driver_flightsql.dbapi as dbapi

request = json.load(sys.stdin)
uri = request["grpc"]
wrong = []

with dbapi.connect(uri, autocommit=True) as connection:
    for n in range(request["rounds"]):
        with connection.cursor() as cursor:
            # Created, bound, asked for its FlightInfo, fetched and closed: five calls or more.
            cursor.execute("SELECT ? + 1 AS m, ? AS t", (n, f"text {n}"))
            row = cursor.fetchone()
            if row != (n + 1, f"text {n}"):
                wrong.append([n, repr(row)])
    with connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE TABLE prepared AS SELECT 0 AS n")
        cursor.executemany("INSERT INTO prepared VALUES (?)", [(n,) for n in range(1, 50)])
    with connection.cursor() as cursor:
        cursor.adbc_prepare("SELECT count(*) AS c FROM prepared WHERE n < ?")
        for n in (1, 10, 50):
            cursor.execute("SELECT count(*) AS c FROM prepared WHERE n < ?", (n,))
            row = cursor.fetchone()
            if row != (n,):
                wrong.append(["count", n, repr(row)])

print(json.dumps(wrong))
