"""A query with ADBC that names the engine in a header: its rows as texts, or why it failed."""

import json
import sys
import warnings

import adbc_driver_flightsql.dbapi as dbapi

warnings.simplefilter("ignore")
request = json.load(sys.stdin)
header = "adbc.flight.sql.rpc.call_header.framehold-engine"
parameter = request.get("parameter")
try:
    with dbapi.connect(request["grpc"], {header: request["engine"]}, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.execute(request["sql"], None if parameter is None else (parameter,))
            rows = cursor.fetchall()
    answer = {"rows": ["|".join(str(value) for value in row) for row in rows]}
except dbapi.Error as error:
    answer = {"failure": str(error)}
json.dump(answer, sys.stdout)
