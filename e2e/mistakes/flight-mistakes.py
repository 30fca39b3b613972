"""Makes each mistake over Flight, and prints what pyarrow or ADBC says."""
import json
import sys

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi
import pyarrow as pa
import pyarrow.flight as flight

given = json.load(sys.stdin)
table = pa.table({"n": pa.array([1, 2], pa.int64())})


def options(token=None):
    token = given["token"] if token is None else token
    return flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + token.encode())], timeout=20)


def plain():
    return flight.connect(given["grpc"])


def put(descriptor, call=None):
    writer, reader = plain().do_put(descriptor, table.schema, call or options())
    writer.write_table(table)
    writer.done_writing()
    reader.read()
    writer.close()


def get(ticket):
    return plain().do_get(flight.Ticket(ticket), options()).read_all()


def query(text, parameters=None, uri=None, token=None):
    header = f"Bearer {given['token'] if token is None else token}"
    keys = {adbc_driver_flightsql.DatabaseOptions.AUTHORIZATION_HEADER.value: header}
    with adbc_driver_flightsql.dbapi.connect(uri or given["grpc"], db_kwargs=keys, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.execute(text, parameters)
            return cursor.fetch_arrow_table()


def action(kind, body=b"{}"):
    return list(plain().do_action(flight.Action(kind, body), options()))


def by_path(*path):
    return flight.FlightDescriptor.for_path(*path)


def listed(url):
    return list(flight.connect(url).list_flights(options=options()))


mistakes = {
    "no server there": lambda: listed(given["closed"]),
    "the HTTP port instead of the gRPC port": lambda: listed(given["http"].replace("http:", "grpc:")),
    "the HTTP port instead of the gRPC port, with ADBC": lambda: query("select 1", uri=given["http"].replace("http:", "grpc:")),
    "grpc+tls:// to a port without TLS": lambda: listed(given["grpc"].replace("grpc:", "grpc+tls:")),
    "grpc:// to a port with TLS": lambda: listed(given["secure"].replace("grpc+tls:", "grpc:")),
    "a certificate that the client does not know": lambda: listed(given["secure"]),
    "no token": lambda: list(plain().list_flights()),
    "a wrong token": lambda: list(plain().list_flights(options=options(given["token"][:-2] + "xx"))),
    "a token that has expired": lambda: list(plain().list_flights(options=options(given["expired"]))),
    "a token that may only read": lambda: put(by_path("new"), options(given["reader"])),
    "a wrong token, with ADBC": lambda: query("select 1", token="wrong"),
    "a typing error in the name of a frame": lambda: plain().get_flight_info(by_path("trade"), options()),
    "a ticket of a frame that does not exist": lambda: get(b"trade"),
    "a ticket that this server did not make": lambda: get(b"\x00\x01not a ticket"),
    "a version that does not exist": lambda: get(b"trades@7"),
    "a path of two elements": lambda: put(by_path("folder", "trades")),
    "a name that cannot be one": lambda: put(by_path("my trades")),
    "a command that is not JSON, as descriptor": lambda: put(flight.FlightDescriptor.for_command(b"trades")),
    "an unknown action": lambda: action("delete"),
    "an action without its argument": lambda: action("drop"),
    "creating a frame that exists": lambda: put(flight.FlightDescriptor.for_command(b'{"name": "trades", "mode": "create"}')),
    "appending other columns": lambda: put(flight.FlightDescriptor.for_command(b'{"name": "trades", "mode": "append"}')),
    "an error in the syntax of SQL": lambda: query("selct 1"),
    "a column that does not exist, in SQL": lambda: query("select prise from trades"),
    "a table that does not exist, in SQL": lambda: query("select * from trade"),
    "a parameter without a value": lambda: query("select $1::bigint + $2::bigint", parameters=[1]),
    "ingesting into a table that exists": lambda: ingest(),
}


def ingest():
    keys = {adbc_driver_flightsql.DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {given['token']}"}
    with adbc_driver_flightsql.dbapi.connect(given["grpc"], db_kwargs=keys, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.adbc_ingest("trades", table, mode="create")


def seen(make):
    try:
        make()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing went wrong"


put(by_path("trades_n"))
plain_table = pa.table({"symbol": ["A"], "price": [1.5]})
writer, reader = plain().do_put(by_path("trades"), plain_table.schema, options())
writer.write_table(plain_table)
writer.done_writing()
reader.read()
writer.close()
print(json.dumps({name: seen(make) for name, make in mistakes.items()}))
