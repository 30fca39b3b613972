"""psycopg 3 with its binary package: libpq 18."""

import asyncio
import time

import psycopg
from psycopg import sql
from psycopg.types import TypeInfo

import features as shared
from features import feature, rows


def connect(**options):
    return psycopg.connect(**{**shared.plain, **options})


def state(error):
    return getattr(error, "sqlstate", None)


def fails(action):
    return shared.failure(psycopg.Error, state, action)


@feature
def connect_plain():
    with connect() as connection:
        return [connection.info.server_version // 10000, connection.info.encoding, connection.pgconn.ssl_in_use]


@feature
def tls():
    with connect(**shared.over_tls) as connection:
        return connection.pgconn.ssl_in_use


@feature
def direct_tls():
    with connect(**shared.over_tls, sslnegotiation="direct") as connection:
        return connection.pgconn.ssl_in_use


@feature
def protocol_3_2():
    with connect(min_protocol_version="3.0", max_protocol_version="latest") as connection:
        return connection.execute("select 1").fetchall()


@feature
def wrong_password():
    try:
        connect(password="wrong").close()
    except psycopg.OperationalError as error:
        # libpq keeps no SQLSTATE of a connection that was refused: only the message says so.
        return "FATAL" in str(error)
    raise AssertionError("connected")


@feature
def types_in_text():
    with connect() as connection:
        return rows(connection.execute(shared.every_value).fetchall())


@feature
def types_in_binary():
    with connect() as connection:
        return rows(connection.cursor(binary=True).execute(shared.every_value).fetchall())


@feature
def types_of_expressions():
    with connect() as connection:
        return [rows(connection.cursor(binary=binary).execute(shared.expressions).fetchall()) for binary in (False, True)]


@feature
def uuid_and_json():
    with connect() as connection:
        return rows(connection.execute(shared.uuid_and_json).fetchall())


@feature
def numeric_without_digits():
    with connect() as connection:
        return rows(connection.execute(shared.without_digits).fetchall())


@feature
def column_types():
    with connect() as connection:
        described = connection.execute(shared.every_value).description
        return [[column.name, column.type_display, column.precision, column.scale] for column in described]


@feature
def column_names():
    with connect() as connection:
        text = "select 1, 1 as a, 2 as a, count(*), max(id), cast('1' as integer), Symbol as Symbol from trades group by symbol limit 1"
        return [column.name for column in connection.execute(text).description]


@feature
def names_of_expressions():
    texts = (
        "true", "null", "date '2024-01-01'", "extract(year from traded_at)", "trim(symbol)", "trim(leading 'a' from symbol)", "case when true then 1 end",
        "case when true then 1 else id end", "(select 1 as x)", "(select max(price) from trades)", "exists (select 1)", "not true", "trades.id", "ID", "symbol::text", "-1",
        "'a' || 'b'", "coalesce(id, 1)", "sum(id) over ()", "id is distinct from 1", "1::numeric(3, 1)::text", "upper(symbol) Up", 'upper(symbol) as "Up"',
        "nullif(1, 2)", "greatest(1, 2)", "current_date", "cast(id as varchar(10))", "'1'::double precision", "id + 1", "array[1, 2]", "(array[1, 2])[1]",
        "interval '1 day'", "substring(symbol from 1 for 2)", "position('a' in symbol)", "count(*) filter (where id > 1) over ()",
        "traded_at at time zone 'UTC'", "(1)", "((id))", "id between 1 and 2", "id in (1, 2)", "symbol like 'A%'", "'x'::text collate \"C\"",
    )
    with connect() as connection:
        described = connection.execute(f"select {', '.join(texts)} from trades limit 1").description
        star = connection.execute("select count(*) over (), trades.*, 1 as Last from trades limit 1").description
        values = connection.execute("values (1, 2)").description
        return [[text, column.name] for text, column in zip(texts, described)] + [column.name for column in (*star, *values)]


@feature
def unquoted_names():
    """Words of DuckDB's own syntax, which clients do not quote because PostgreSQL takes them for names."""
    words = "anti", "asof", "at", "by", "describe", "glob", "lambda", "pivot", "positional", "qualify", "semi", "show", "summarize", "unpack", "unpivot"
    with connect() as connection:
        found = []
        for word in words:
            table = f'(select id as "{word}", traded_at from trades) t'
            text = (
                f"select {word}, max({word}), date_trunc('day', traded_at) from {table} where {word} > 2 and t.{word} < 5"
                f" group by {word}, date_trunc('day', traded_at) having {word} is not null order by {word} desc"
            )
            answer = connection.execute(text)
            found.append([[column.name for column in answer.description], rows(answer.fetchall())])
        day = connection.execute("select DATE_TRUNC('DAY', at) AS at, count(*) from (select traded_at as at from trades) t GROUP BY DATE_TRUNC('DAY', at)")
        found.append(rows(day.fetchall()))
        try:
            connection.execute("select at, nope from (select id as at from trades) t where at > 1")
        except psycopg.Error as error:
            found.append([error.sqlstate, error.diag.statement_position])
        return found


@feature
def nulls():
    with connect() as connection:
        return rows(connection.execute(shared.nulls).fetchall())


parameters = [
    ("flag", True), ("small", 1), ("whole", 2), ("large", 3), ("precise", 2.25), ("label", "plain"), ("data", b"\xde\xad"),
]


def found(binary):
    kind = "%b" if binary else "%t"
    with connect() as connection:
        own = connection.execute("select day, moment, instant, clock, amount from every_type where id = 1").fetchone()
        all_of_them = parameters + list(zip(("day", "moment", "instant", "clock", "amount"), own))
        return [
            connection.execute(sql.SQL(f"select id from every_type where {name} = {kind} order by id"), [value]).fetchall()
            for name, value in all_of_them
        ]


@feature
def parameters_in_text():
    return found(False)


@feature
def parameters_in_binary():
    return found(True)


@feature
def parameters_of_lists():
    with connect() as connection:
        return [
            connection.execute("select id from trades where id = any(%s) order by id", [[3, 1, 2]]).fetchall(),
            connection.execute("select %s::int4[]", [[1, None, 2]]).fetchall(),
            connection.execute("select %s::text", [None]).fetchall(),
        ]


@feature
def prepared():
    with connect() as connection:
        connection.prepare_threshold = 2
        return [connection.execute("select symbol from trades where id = %s", [n]).fetchone() for n in range(1, 11)]


@feature
def several_statements():
    with connect() as connection:
        cursor = connection.execute("select 1; select symbol from trades where id = 1; select id from trades where id < 0")
        results = [cursor.fetchall()]
        while cursor.nextset():
            results.append(cursor.fetchall())
        return results


@feature
def portions():
    with connect() as connection, connection.cursor("portions") as cursor:
        cursor.itersize = 100
        cursor.execute(shared.ordered)
        first = cursor.fetchmany(7)
        return [first, sum(n for (n,) in cursor), cursor.fetchmany(7)]


@feature
def portions_one_at_a_time():
    with connect() as connection:
        text = "select id from trades where id <= 250 order by id"
        return sum(n for (n,) in connection.cursor().stream(text, size=40))


@feature
def pipeline():
    with connect() as connection, connection.pipeline():
        cursors = [connection.execute("select symbol from trades where id = %s", [n]) for n in range(1, 21)]
        return [cursor.fetchone() for cursor in cursors]


@feature
def pipeline_after_an_error():
    with connect(autocommit=True) as connection:
        def broken():
            with connection.pipeline():
                connection.execute("select 1")
                connection.execute("select nope from trades")
                connection.execute("select 2").fetchall()
        return [fails(broken), connection.execute("select 3").fetchall()]


def copied(statement):
    with connect() as connection, connection.cursor().copy(statement) as copy:
        return b"".join(bytes(part) for part in copy)


@feature
def copy_text():
    return [copied(f"copy ({shared.few}) to stdout").decode(), copied(f"copy ({shared.every_value}) to stdout").decode()]


@feature
def copy_csv():
    return copied(f"copy ({shared.every_value}) to stdout (format csv, header)").decode()


@feature
def copy_binary():
    return copied(f"copy ({shared.every_value}) to stdout (format binary)").hex()


@feature
def copy_of_a_table():
    return len(copied("copy trades to stdout").splitlines())


@feature
def transactions():
    answers = []
    with connect() as connection:
        for level in (1, 2, 3, 4):
            connection.isolation_level = level
            with connection.transaction():
                answers.append(connection.execute("show transaction_isolation").fetchone()[0])
                answers.append(connection.info.transaction_status.name)
        connection.rollback()
        answers.append(connection.info.transaction_status.name)
    return answers


@feature
def savepoints():
    with connect() as connection:
        with connection.transaction():
            try:
                with connection.transaction("inner"):
                    connection.execute("select nope from trades")
            except psycopg.errors.UndefinedColumn:
                pass
            return connection.execute("select 1").fetchall()


@feature
def failed_transaction():
    with connect() as connection:
        first = fails(lambda: connection.execute("select nope from trades"))
        status = connection.info.transaction_status.name
        second = fails(lambda: connection.execute("select 1"))
        connection.rollback()
        return [first, status, second, connection.execute("select 1").fetchall()]


@feature
def errors():
    texts = ("select symbo from trades", "select * from nowhere", "selec 1", "select 1 +", "select no_function(1)")
    return [[text, *diagnosis(text)] for text in texts]


def diagnosis(text):
    with connect() as connection:
        try:
            connection.execute(text)
        except psycopg.Error as error:
            told = error.diag
            return [error.sqlstate, told.severity, told.statement_position, bool(told.message_primary)]
    raise AssertionError(text)


@feature
def errors_of_values():
    texts = ("select 'x'::int4", "select 99999::int2", "select '2024-13-01'::date", "select size::int2 * 32767::int2 * 32767::int2 from trades")
    return [diagnosis(text)[:2] for text in texts]


@feature
def places_of_values():
    return diagnosis("select 'x'::int4")[2]


@feature
def division_by_zero():
    with connect() as connection:
        return fails(lambda: connection.execute("select 1/0"))


@feature
def hint():
    with connect() as connection:
        try:
            connection.execute("select symbo from trades")
        except psycopg.Error as error:
            return bool(error.diag.message_hint)


@feature
def writes_are_refused():
    found = []
    for text in (
        shared.insert, "update trades set size = 1", "delete from trades", "create table made (a int4)", "drop table trades",
        "truncate trades", "create table made as select 1 as a",
    ):
        with connect(autocommit=True) as connection:
            found.append([text, fails(lambda: connection.execute(text))])
    return found


@feature
def copy_from_is_refused():
    with connect(autocommit=True) as connection:
        return fails(lambda: connection.execute("copy trades from stdin"))


@feature
def cancel():
    with connect(autocommit=True) as connection:
        begun = time.monotonic()
        with shared.cancelling(connection.cancel_safe):
            code = fails(lambda: connection.execute(shared.slow))
        return [code, shared.started_within(begun), connection.execute("select 1").fetchall()]


@feature
def cancel_over_tls():
    with connect(**shared.over_tls, autocommit=True) as connection:
        with shared.cancelling(connection.cancel_safe):
            code = fails(lambda: connection.execute(shared.slow))
        return [code, connection.execute("select 1").fetchall()]


@feature
def statement_timeout():
    with connect(autocommit=True) as connection:
        connection.execute("set statement_timeout = 300")
        return [fails(lambda: connection.execute(shared.slow)), connection.execute("show statement_timeout").fetchall()]


@feature
def statement_timeout_of_options():
    with connect(options="-c statement_timeout=300", autocommit=True) as connection:
        return [connection.execute("show statement_timeout").fetchall(), fails(lambda: connection.execute(shared.slow))]


@feature
def empty_query():
    with connect(autocommit=True) as connection:
        return [connection.execute(text).pgresult.status for text in ("", ";", "-- nothing")]


@feature
def settings():
    with connect(autocommit=True) as connection:
        connection.execute("set application_name = 'framehold tests'")
        reported = connection.info.parameter_status("application_name")
        connection.execute("select set_config('application_name', 'other', false)")
        names = (
            "application_name", "client_encoding", "server_encoding", "standard_conforming_strings", "integer_datetimes",
            "DateStyle", "IntervalStyle", "TimeZone", "transaction_isolation", "transaction_read_only", "search_path",
            "default_transaction_read_only", "in_hot_standby",
        )
        values = [connection.execute(f"show {name}").fetchone()[0] for name in names]
        connection.execute("reset all")
        return [reported, values, fails(lambda: connection.execute("show no_such_setting"))]


@feature
def reported_settings():
    with connect() as connection:
        names = (
            "client_encoding", "server_encoding", "DateStyle", "IntervalStyle", "TimeZone", "integer_datetimes",
            "standard_conforming_strings", "is_superuser", "session_authorization", "application_name", "in_hot_standby",
            "default_transaction_read_only",
        )
        return [[name, connection.info.parameter_status(name)] for name in names]


@feature
def notices():
    found = []
    with connect(autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: found.append([notice.severity, notice.sqlstate]))
        for text in ("commit", "begin", "begin", "rollback", "rollback"):
            connection.execute(text)
    return found


@feature
def metadata():
    with connect() as connection:
        names = ("int4", "text", "timestamptz", "numeric", "jsonb", "uuid")
        found = [TypeInfo.fetch(connection, name) for name in names]
        return [[info.name, info.oid, info.array_oid] for info in found] + [TypeInfo.fetch(connection, "no_such_type")]


@feature
def asynchronous():
    async def ask():
        async with await psycopg.AsyncConnection.connect(**shared.plain) as connection:
            cursor = await connection.execute(shared.few)
            return await cursor.fetchall()
    return asyncio.run(ask())


@feature
def many_rows_at_once():
    with connect() as connection:
        text = "select a.id, b.symbol, b.price from trades a, trades b where a.id <= 100"
        return [len(connection.cursor(binary=binary).execute(text).fetchall()) for binary in (False, True)]


@feature
def reconnect():
    connection = connect(**shared.through_cutter, autocommit=True)
    lost = fails(lambda: connection.execute(shared.cut))
    with connect() as again:
        return [lost, connection.broken, again.execute("select 1").fetchall()]


shared.run(state)
