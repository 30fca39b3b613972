"""psycopg2 with its binary package: everything in text and in simple queries."""

import io
import time

import psycopg2
import psycopg2.extensions

import features as shared
from features import feature, rows


def connect(**options):
    return psycopg2.connect(**{**shared.plain, **options})


def state(error):
    return getattr(error, "pgcode", None)


def asked(text, values=None, **options):
    connection = connect(**options)
    try:
        with connection.cursor() as cursor:
            cursor.execute(text, values)
            return cursor.fetchall()
    finally:
        connection.close()


def fails(text, **options):
    return shared.failure(psycopg2.Error, state, lambda: asked(text, **options))


@feature
def connect_plain():
    connection = connect()
    found = [connection.server_version // 10000, connection.encoding, connection.info.ssl_in_use]
    connection.close()
    return found


@feature
def tls():
    connection = connect(**shared.over_tls)
    found = connection.info.ssl_in_use
    connection.close()
    return found


@feature
def wrong_password():
    try:
        connect(password="wrong").close()
    except psycopg2.OperationalError as error:
        return "FATAL" in str(error)
    raise AssertionError("connected")


@feature
def types_in_text():
    return rows(asked(shared.every_value))


@feature
def types_of_expressions():
    return rows(asked(shared.expressions))


@feature
def nulls():
    return rows(asked(shared.nulls))


@feature
def parameters_in_text():
    own = asked("select flag, small, large, precise, amount, label, data, day, moment, instant, clock from every_type where id = 1")[0]
    names = "flag, small, large, precise, amount, label, data, day, moment, instant, clock".split(", ")
    return [asked(f"select id from every_type where {name} = %s", [value]) for name, value in zip(names, own)] + [
        asked("select id from trades where id = any(%s) order by id", [[3, 1, 2]]),
        asked("select id from trades where id in %s order by id", [(3, 1)]),
    ]


@feature
def several_statements():
    return asked("select 1; select 2")


@feature
def portions():
    connection = connect()
    with connection.cursor("portions") as cursor:
        cursor.itersize = 100
        cursor.execute(shared.ordered)
        found = [cursor.fetchmany(7), sum(n for (n,) in cursor), cursor.fetchmany(7)]
    connection.rollback()
    connection.close()
    return found


def copied(statement):
    connection = connect()
    into = io.BytesIO()
    with connection.cursor() as cursor:
        cursor.copy_expert(statement, into)
    connection.close()
    return into.getvalue()


@feature
def copy_text():
    return copied(f"copy ({shared.every_value}) to stdout").decode()


@feature
def copy_csv():
    return copied(f"copy ({shared.every_value}) to stdout (format csv, header)").decode()


@feature
def copy_binary():
    return copied(f"copy ({shared.few}) to stdout (format binary)").hex()


@feature
def transactions():
    found = []
    connection = connect()
    for level in shared.isolation_levels:
        connection.set_session(isolation_level=level.upper(), readonly=True)
        with connection, connection.cursor() as cursor:
            cursor.execute("show transaction_isolation")
            found.append([cursor.fetchone()[0], connection.info.transaction_status])
    connection.close()
    return found


@feature
def failed_transaction():
    connection = connect()
    cursor = connection.cursor()
    found = [shared.failure(psycopg2.Error, state, lambda: cursor.execute("select nope from trades"))]
    found.append(connection.info.transaction_status == psycopg2.extensions.TRANSACTION_STATUS_INERROR)
    found.append(shared.failure(psycopg2.Error, state, lambda: cursor.execute("select 1")))
    connection.rollback()
    cursor.execute("select 1")
    found.append(cursor.fetchall())
    connection.close()
    return found


@feature
def errors():
    found = []
    for text in ("select symbo from trades", "select * from nowhere", "selec 1", "select no_function(1)"):
        try:
            asked(text)
        except psycopg2.Error as error:
            found.append([error.pgcode, error.diag.severity, error.diag.statement_position])
    return found


@feature
def writes_are_refused():
    return [fails(shared.insert), fails("create table made (a int4)"), fails("drop table trades")]


@feature
def cancel():
    connection = connect()
    begun = time.monotonic()
    with connection.cursor() as cursor, shared.cancelling(connection.cancel):
        code = shared.failure(psycopg2.Error, state, lambda: cursor.execute(shared.slow))
    connection.close()
    return [code, shared.started_within(begun)]


@feature
def statement_timeout():
    return fails(shared.slow, options="-c statement_timeout=300")


@feature
def empty_query():
    connection = connect()
    try:
        with connection.cursor() as cursor:
            # psycopg2 itself makes an error of the server's answer.
            return shared.failure(psycopg2.ProgrammingError, lambda error: str(error), lambda: cursor.execute("-- nothing"))
    finally:
        connection.close()


@feature
def settings():
    connection = connect()
    connection.set_client_encoding("UTF8")
    with connection.cursor() as cursor:
        cursor.execute("set application_name to 'framehold tests'")
        cursor.execute("show application_name")
        found = [cursor.fetchall(), connection.get_parameter_status("application_name"), connection.get_parameter_status("server_encoding")]
    connection.close()
    return found


@feature
def notices():
    connection = connect()
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("commit")
    # Each server says it in its own words.
    found = [notice.split(":")[0] for notice in connection.notices]
    connection.close()
    return found


@feature
def metadata():
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute(shared.every_value)
        found = [[column.name, column.type_code, column.internal_size, column.precision, column.scale] for column in cursor.description]
    connection.close()
    return found


@feature
def reconnect():
    connection = connect(**shared.through_cutter)
    cursor = connection.cursor()
    lost = shared.failure(psycopg2.Error, state, lambda: cursor.execute(shared.cut))
    return [lost, connection.closed != 0, asked("select 1")]


shared.run(state)
