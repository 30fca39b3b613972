"""What psycopg 3, psycopg2 and asyncpg read over the listener for PostgreSQL, as one JSON value."""

import asyncio
import datetime
import io
import json
import os
import sys
import threading

import asyncpg
import psycopg
import psycopg2

PORT = int(sys.argv[1])
SLOW = "select sum(a.range * b.range) from range(1000000) a, range(1000000) b"
found = {}


def failure(run, errors):
    try:
        run()
    except errors as error:
        return error.sqlstate if hasattr(error, "sqlstate") else error.pgcode
    return None


def psycopg3():
    with psycopg.connect(f"host=127.0.0.1 port={PORT} user=framehold dbname=any") as connection:
        seen = found["psycopg"] = {}
        cursor = connection.cursor()
        # From the sixth on by a named statement.
        rows = [cursor.execute("select * from trades where id = %s and symbol = %s", (5, "S2")).fetchall() for _ in range(8)]
        seen["prepared"] = [list(map(str, row)) for row in {rows[0][0], rows[7][0]}]
        binary = connection.cursor(binary=True)
        seen["binary"] = [
            str(value)
            for value in binary.execute(
                "select id, symbol, price, %s::date, %s from trades order by id limit 1",
                (datetime.date(2024, 1, 2), "x"),
            ).fetchone()
        ]
        try:
            cursor.execute("select 1, nope from trades")
        except psycopg.Error as error:
            seen["error"] = [error.sqlstate, error.diag.statement_position, error.diag.source_function]
        seen["failed"] = failure(lambda: cursor.execute("select 1"), psycopg.Error)
        connection.rollback()
        seen["change"] = failure(lambda: cursor.execute("insert into trades values (1)"), psycopg.Error)
        connection.rollback()
        with connection.cursor(name="part") as part:
            part.itersize = 300
            part.execute("select id from trades where id >= %s", (10,))
            seen["cursor"] = sum(1 for _ in part)
        connection.commit()
        with connection.pipeline():
            one = connection.execute("select count(*) from trades")
            two = connection.execute("select max(id) from trades where id < %s", (50,))
            seen["pipeline"] = [one.fetchone()[0], two.fetchone()[0]]
        connection.commit()
        with cursor.copy("copy (select id, price from trades order by id limit 2) to stdout (format binary)") as copy:
            copy.set_types(["int8", "numeric"])
            seen["copy"] = [[str(value) for value in row] for row in copy.rows()]
        connection.commit()
        with connection.transaction(), connection.transaction():
            seen["savepoint"] = connection.execute("select 1").fetchone()[0]
        connection.autocommit = True
        timer = threading.Timer(0.5, connection.cancel)
        timer.start()
        seen["cancelled"] = failure(lambda: connection.execute(SLOW), psycopg.Error)
        timer.join()
        seen["after"] = connection.execute("select 42").fetchone()[0]
        connection.execute("set statement_timeout = '200ms'")
        seen["timeout"] = failure(lambda: connection.execute(SLOW), psycopg.Error)


def psycopg_2():
    connection = psycopg2.connect(f"host=127.0.0.1 port={PORT} user=framehold dbname=any")
    seen = found["psycopg2"] = {}
    cursor = connection.cursor()
    cursor.execute("select * from trades where id = %s", (5,))
    seen["row"] = [str(value) for value in cursor.fetchone()]
    part = connection.cursor(name="part")
    part.itersize = 400
    part.execute("select id from trades")
    seen["cursor"] = sum(1 for _ in part)
    part.close()
    connection.commit()
    text = io.StringIO()
    cursor.copy_expert("COPY (select * from trades order by id) TO STDOUT WITH CSV HEADER", text)
    seen["copy"] = text.getvalue().splitlines()[:2] + [len(text.getvalue().splitlines())]
    connection.close()


async def asyncpg_():
    connection = await asyncpg.connect(host="127.0.0.1", port=PORT, user="framehold", database="any")
    seen = found["asyncpg"] = {}
    rows = await connection.fetch("select * from trades where id < $1 and symbol = $2 order by id", 5, "S1")
    seen["rows"] = [[str(value) for value in row] for row in rows]
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        seen["cursor"] = 0
        async for _ in connection.cursor("select id from trades", prefetch=300):
            seen["cursor"] += 1
    copied = io.BytesIO()
    seen["copy"] = await connection.copy_from_query("select * from trades limit 5", output=copied, format="binary")
    try:
        await connection.fetch(SLOW, timeout=0.5)
    except TimeoutError:
        seen["timeout"] = True
    seen["after"] = await connection.fetchval("select 3")
    await connection.close()


psycopg3()
psycopg_2()
asyncio.run(asyncpg_())
print(json.dumps(found), flush=True)
os._exit(0)
