"""asyncpg: the extended protocol only, everything in binary."""

import asyncio
import io
import ssl
import time
from decimal import Decimal

import asyncpg

import features as shared
from features import rows

server = {"host": shared.host, "port": shared.port, "user": shared.user, "password": shared.password, "database": shared.database}


def state(error):
    return getattr(error, "sqlstate", None)


def feature(function):
    def run():
        return asyncio.run(function())
    run.__name__ = function.__name__
    shared.feature(run)
    return function


class connected:
    def __init__(self, **options):
        self.options = {"ssl": False, **server, **options}

    async def __aenter__(self):
        self.connection = await asyncpg.connect(**self.options)
        return self.connection

    async def __aexit__(self, *_):
        self.connection.terminate() if self.connection.is_closed() else await self.connection.close()


async def fails(awaitable):
    try:
        await awaitable
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        return state(error)
    raise AssertionError("no error")


@feature
async def connect_plain():
    async with connected() as connection:
        version = connection.get_server_version()
        return [version.major, connection.get_settings().client_encoding]


@feature
async def tls():
    context = ssl.create_default_context(cafile=shared.over_tls["sslrootcert"])
    async with connected(ssl=context) as connection:
        return rows(await connection.fetch("select 1"))


@feature
async def wrong_password():
    return await fails(connected(password="wrong").__aenter__())


@feature
async def types_in_binary():
    async with connected() as connection:
        return rows(await connection.fetch(shared.every_value))


@feature
async def types_of_expressions():
    async with connected() as connection:
        return rows(await connection.fetch(shared.expressions))


@feature
async def nulls():
    async with connected() as connection:
        return rows(await connection.fetch(shared.nulls))


@feature
async def parameters_in_binary():
    async with connected() as connection:
        names = "flag small whole large single precise amount label data day moment instant clock".split()
        own = await connection.fetchrow(f"select {', '.join(names)} from every_type where id = 1")
        found = [await connection.fetch(f"select id from every_type where {name} = $1 order by id", own[name]) for name in names]
        return [rows(each) for each in found] + [
            rows(await connection.fetch("select id from trades where id = any($1::int8[]) order by id", [3, 1, 2])),
            rows(await connection.fetch("select $1::text, $2::int4, $3::numeric", None, 5, Decimal("1.50"))),
            rows(await connection.fetch("select count(*)::int8 from trades where symbol = $1 and price > $2", "ACME", 150.5)),
        ]


@feature
async def parameter_types():
    async with connected() as connection:
        statement = await connection.prepare("select id from trades where symbol = $1 and price > $2 and id < $3 and traded_at >= $4")
        return [[kind.name for kind in statement.get_parameters()], [[column.name, column.type.name] for column in statement.get_attributes()]]


@feature
async def prepared():
    async with connected() as connection:
        statement = await connection.prepare("select symbol from trades where id = $1", name="by_id")
        return [await statement.fetchval(n) for n in range(1, 11)]


@feature
async def many_executions():
    async with connected() as connection:
        statement = await connection.prepare("select symbol from trades where id = $1")
        return rows(await statement.fetchmany([(n,) for n in range(1, 21)]))


@feature
async def several_statements():
    async with connected() as connection:
        return await connection.execute("select 1; select 2")


@feature
async def portions():
    async with connected() as connection, connection.transaction():
        total = 0
        async for row in connection.cursor(shared.ordered, prefetch=100):
            total += row["id"]
        cursor = await connection.cursor(shared.ordered)
        found = [total, rows(await cursor.fetch(3)), await cursor.forward(10), rows(await cursor.fetch(2))]
        return [*found, rows(await cursor.fetch(2000))[-1], rows(await cursor.fetch(1))]


async def copied(**options):
    async with connected() as connection:
        into = io.BytesIO()
        tag = await connection.copy_from_query(shared.every_value, output=into, **options)
        return tag, into.getvalue()


@feature
async def copy_text():
    tag, data = await copied()
    return [tag, data.decode()]


@feature
async def copy_csv():
    tag, data = await copied(format="csv", header=True)
    return [tag, data.decode()]


@feature
async def copy_binary():
    tag, data = await copied(format="binary")
    return [tag, data.hex()]


@feature
async def copy_of_a_table():
    async with connected() as connection:
        into = io.BytesIO()
        return [await connection.copy_from_table("trades", output=into, columns=["id", "symbol"]), len(into.getvalue())]


@feature
async def transactions():
    found = []
    async with connected() as connection:
        for level in ("read_uncommitted", "read_committed", "repeatable_read", "serializable"):
            async with connection.transaction(isolation=level, readonly=True):
                found.append([await connection.fetchval("show transaction_isolation"), connection.is_in_transaction()])
        found.append(connection.is_in_transaction())
    return found


@feature
async def savepoints():
    async with connected() as connection, connection.transaction():
        async def inner():
            async with connection.transaction():
                await connection.fetch("select nope from trades")
        return [await fails(inner()), rows(await connection.fetch("select 1"))]


@feature
async def failed_transaction():
    async with connected() as connection:
        transaction = connection.transaction()
        await transaction.start()
        found = [await fails(connection.fetch("select nope from trades")), await fails(connection.fetch("select 1"))]
        await transaction.rollback()
        return [*found, rows(await connection.fetch("select 1"))]


@feature
async def errors():
    found = []
    async with connected() as connection:
        for text in ("select symbo from trades", "select * from nowhere", "selec 1", "select no_function(1)"):
            try:
                await connection.fetch(text)
            except asyncpg.PostgresError as error:
                found.append([type(error).__name__, error.sqlstate, error.position])
    return found


@feature
async def writes_are_refused():
    async with connected() as connection:
        return [await fails(connection.execute(text)) for text in (shared.insert, "create table made (a int4)")] + [
            await fails(connection.execute("insert into trades (id) values ($1)", 5))
        ]


@feature
async def cancel():
    async with connected() as connection:
        begun = time.monotonic()
        try:
            await connection.fetch(shared.slow, timeout=0.5)
        except asyncio.TimeoutError:
            return [shared.started_within(begun), rows(await connection.fetch("select 1"))]


@feature
async def statement_timeout():
    async with connected(server_settings={"statement_timeout": "300"}) as connection:
        return await fails(connection.fetch(shared.slow))


@feature
async def settings():
    async with connected(server_settings={"application_name": "framehold tests"}) as connection:
        first = await connection.fetchval("show application_name")
        await connection.execute("set application_name = 'other'")
        second = [connection.get_settings().application_name, await connection.fetchval("show application_name")]
        await connection.reset()
        return [first, *second, await connection.fetchval("show application_name")]


@feature
async def notices():
    found = []
    async with connected() as connection:
        connection.add_log_listener(lambda _, message: found.append([message.severity, message.sqlstate]))
        await connection.execute("commit")
        await asyncio.sleep(0)
    return found


@feature
async def metadata():
    async with connected() as connection:
        statement = await connection.prepare(shared.every_value)
        return [[column.name, column.type.name, column.type.kind, column.type.schema] for column in statement.get_attributes()]


@feature
async def pool():
    async with asyncpg.create_pool(**server, ssl=False, min_size=2, max_size=3) as pool:
        found = await asyncio.gather(*(pool.fetchval("select symbol from trades where id = $1", n) for n in range(1, 11)))
        return list(found)


@feature
async def reconnect():
    options = {**server, "port": shared.server["cutPort"]}
    async with asyncpg.create_pool(**options, ssl=False, min_size=1, max_size=1) as pool:
        try:
            await pool.fetch(shared.cut)
            lost = None
        except (asyncpg.PostgresConnectionError, ConnectionError) as error:
            lost = type(error).__name__
        return [lost, rows(await pool.fetch("select 1"))]


shared.run(state)
