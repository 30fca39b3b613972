"""psqlodbc through pyodbc, as Excel and Power BI use it."""

import time

import pyodbc

import features as shared
from features import feature, rows

pyodbc.pooling = False
driver = shared.server["odbcDriver"]


def connect(**options):
    parts = {
        "DRIVER": driver, "SERVER": shared.host, "PORT": shared.port, "DATABASE": shared.database, "UID": shared.user,
        "PWD": shared.password, "SSLmode": "disable", **options,
    }
    return pyodbc.connect(";".join(f"{name}={value}" for name, value in parts.items()), autocommit=options.pop("autocommit", True))


def state(error):
    return error.args[0] if isinstance(error, pyodbc.Error) else None


def fails(action):
    return shared.failure(pyodbc.Error, state, action)


# psqlodbc has no dates before year 1 and after 9999, and gives lists as text.
every_value = shared.every_value


@feature
def connect_plain():
    connection = connect()
    return [connection.getinfo(pyodbc.SQL_DBMS_NAME), connection.getinfo(pyodbc.SQL_DBMS_VER)[:3]]


@feature
def tls():
    with connect(SSLmode="require") as connection:
        return rows(connection.execute("select 1").fetchall())


@feature
def wrong_password():
    return fails(lambda: connect(PWD="wrong"))


@feature
def types_in_text():
    with connect() as connection:
        return rows(connection.execute(every_value).fetchall())


@feature
def nulls():
    with connect() as connection:
        return rows(connection.execute(shared.nulls).fetchall())


@feature
def column_types():
    with connect() as connection:
        return [[column[0], column[1].__name__, *column[2:]] for column in connection.execute(every_value).description]


@feature
def parameters():
    with connect() as connection:
        names = "flag small whole large precise amount label data day moment clock".split()
        own = connection.execute(f"select {', '.join(names)} from every_type where id = 1").fetchone()
        return [rows(connection.execute(f"select id from every_type where {name} = ?", value).fetchall()) for name, value in zip(names, own)]


@feature
def parameters_on_the_server():
    with connect(UseServerSidePrepare=1) as connection:
        return [connection.execute("select symbol from trades where id = ? and symbol <> ?", n, "none").fetchval() for n in range(1, 11)]


@feature
def several_statements():
    with connect() as connection:
        cursor = connection.execute("select 1; select 2")
        found = [rows(cursor.fetchall())]
        while cursor.nextset():
            found.append(rows(cursor.fetchall()))
        return found


@feature
def portions():
    with connect(UseDeclareFetch=1, Fetch=100) as connection:
        cursor = connection.execute(shared.ordered)
        return [rows(cursor.fetchmany(7)), sum(row[0] for row in cursor)]


@feature
def transactions():
    found = []
    connection = connect(autocommit=False)
    connection.autocommit = False
    for level in (pyodbc.SQL_TXN_READ_UNCOMMITTED, pyodbc.SQL_TXN_READ_COMMITTED, pyodbc.SQL_TXN_REPEATABLE_READ, pyodbc.SQL_TXN_SERIALIZABLE):
        connection.set_attr(pyodbc.SQL_ATTR_TXN_ISOLATION, level)
        found.append(connection.execute("show transaction_isolation").fetchval())
        connection.rollback()
    return found


@feature
def failed_transaction():
    connection = connect()
    connection.autocommit = False
    first = fails(lambda: connection.execute("select nope from trades"))
    connection.rollback()
    return [first, rows(connection.execute("select 1").fetchall())]


@feature
def errors():
    with connect() as connection:
        return [fails(lambda: connection.execute(text)) for text in ("select nope from trades", "select * from nowhere", "selec 1")]


@feature
def writes_are_refused():
    with connect() as connection:
        return [fails(lambda: connection.execute(text)) for text in (shared.insert, "create table made (a int4)")]


@feature
def cancel():
    with connect() as connection:
        cursor = connection.cursor()
        begun = time.monotonic()
        with shared.cancelling(cursor.cancel):
            code = fails(lambda: cursor.execute(shared.slow))
        return [code, shared.started_within(begun)]


@feature
def statement_timeout():
    # psqlodbc has no time limit for a connection; pyodbc has none for a statement.
    with connect() as connection:
        connection.execute("set statement_timeout = 300")
        return fails(lambda: connection.execute(shared.slow))


@feature
def metadata():
    with connect() as connection:
        cursor = connection.cursor()
        tables = [[row.table_schem, row.table_name, row.table_type] for row in cursor.tables(schema="public")]
        columns = [[row.column_name, row.type_name, row.data_type, row.column_size, row.decimal_digits, row.nullable] for row in cursor.columns(table="every_type", schema="public")]
        quoted = [[row.column_name, row.type_name] for row in cursor.columns(table="Daily-Sales", schema="public")]
        keys = [list(row) for row in cursor.primaryKeys(table="trades", schema="public")]
        foreign = [list(row) for row in cursor.foreignKeys(table="trades", schema="public")]
        statistics = [[row.table_name, row.type] for row in cursor.statistics(table="trades", schema="public")]
        special = [list(row) for row in cursor.rowIdColumns(table="trades", schema="public")]
        types = sorted({row.type_name for row in cursor.getTypeInfo()})
        procedures = len(list(cursor.procedures(schema="public")))
        return {"tables": tables, "columns": columns, "quoted": quoted, "keys": keys, "foreign": foreign, "statistics": statistics, "special": special, "types": types, "procedures": procedures}


@feature
def empty_query():
    with connect() as connection:
        return connection.execute("-- nothing").description


@feature
def reconnect():
    connection = connect(PORT=shared.server["cutPort"])
    lost = fails(lambda: connection.execute(shared.cut))
    with connect() as again:
        return [lost, rows(again.execute("select 1").fetchall())]


shared.run(state)
