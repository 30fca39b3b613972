"""DuckDB's extension `postgres`: ATTACH, scans with COPY in binary, joins with local tables."""

import duckdb
import duckdb_extension_postgres_scanner as extension

import features as shared
from features import feature, rows

address = f"host={shared.host} port={shared.port} user={shared.user} password={shared.password} dbname={shared.database} sslmode=disable"


def state(error):
    return None


def attached(options=""):
    connection = duckdb.connect(config={"allow_unsigned_extensions": True, "autoinstall_known_extensions": False})
    connection.execute("set timezone = 'UTC'")
    connection.load_extension(extension_file())
    connection.execute(f"attach '{address}' as pg (type postgres, read_only{options})")
    return connection


def extension_file():
    from pathlib import Path
    (found,) = Path(extension.__file__).parent.rglob("*.duckdb_extension")
    return str(found)


@feature
def connect_plain():
    return rows(attached().sql("select 1 + 1").fetchall())


@feature
def metadata():
    connection = attached()
    tables = connection.execute("select schema_name, table_name from duckdb_tables() where database_name = 'pg' order by all").fetchall()
    columns = connection.execute("select table_name, column_name, data_type from duckdb_columns() where database_name = 'pg' and schema_name = 'public' order by table_name, column_index").fetchall()
    return [tables, columns]


@feature
def types_in_binary():
    return rows(attached().sql(f"select {shared.every_column} from pg.every_type where id <> 3 order by id").fetchall())


@feature
def types_in_text():
    connection = attached()
    connection.execute("set pg_use_text_protocol = true")
    return rows(connection.sql(f"select {shared.every_column} from pg.every_type where id <> 3 order by id").fetchall())


@feature
def nulls():
    return rows(attached().sql(f"select {shared.every_column} from pg.every_type where id = 3").fetchall())


@feature
def filters_are_pushed_down():
    connection = attached()
    connection.execute("set pg_experimental_filter_pushdown = true")
    return [
        rows(connection.sql("select id, price from pg.trades where symbol = 'ACME' and id < 20 order by id").fetchall()),
        rows(connection.sql("select count(*), sum(size) from pg.trades where traded_at >= timestamp '2024-01-01 10:00:00'").fetchall()),
        rows(connection.sql("select id from pg.trades order by id limit 5").fetchall()),
    ]


@feature
def join_with_a_local_table():
    connection = attached()
    connection.execute("create table names as select * from (values ('ACME', 'Acme Corp'), ('GLOB', 'Globex')) t(symbol, name)")
    return rows(connection.sql("select name, count(*), max(price) from pg.trades join names using (symbol) group by name order by name").fetchall())


@feature
def quoted_names():
    return rows(attached().sql('select * from pg."Daily-Sales" order by "Region"').fetchall())


@feature
def postgres_query():
    return rows(attached().sql("select * from postgres_query('pg', 'select symbol, count(*)::int8 as n from trades group by symbol order by symbol')").fetchall())


@feature
def copy_into_a_local_table():
    connection = attached()
    connection.execute("create table local as from pg.trades")
    return rows(connection.sql("select count(*), sum(id), sum(price) from local").fetchall())


@feature
def errors():
    connection = attached()
    found = []
    for text in ("select nope from pg.trades", "from pg.nowhere", "select * from postgres_query('pg', 'select nope from trades')"):
        try:
            connection.sql(text).fetchall()
        except duckdb.Error as error:
            found.append(type(error).__name__)
    return found


@feature
def wrong_password():
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    connection.load_extension(extension_file())
    try:
        connection.execute(f"attach '{address.replace(shared.password, 'wrong')}' as pg (type postgres, read_only)")
    except duckdb.Error as error:
        return "FATAL" in str(error)


@feature
def transactions():
    connection = attached()
    connection.begin()
    found = [connection.sql("select count(*) from pg.trades").fetchall(), connection.sql("select count(*) from pg.every_type").fetchall()]
    connection.commit()
    return found


shared.run(state)
