"""Data frames: pandas over SQLAlchemy, polars through connectorx and through ADBC, and ADBC itself."""

import adbc_driver_postgresql.dbapi as adbc
import connectorx
import pandas
import polars
from sqlalchemy import create_engine

import features as shared
from features import feature

uri = shared.url(sslmode="disable")
columns = "id, symbol, price, size, traded_at"
trades = f"select {columns} from trades where id <= 12 order by id"
# connectorx has no numeric beyond 28 digits, and asks for a type that it knows.
readable = "select id, flag, small, whole, large, single, precise, label, data, day, moment, instant, clock from every_type where id <> 3 and id <> 2 order by id"


def state(error):
    return getattr(error, "sqlstate", None) or getattr(getattr(error, "orig", None), "pgcode", None)


def of_pandas(frame):
    return [{name: str(kind) for name, kind in frame.dtypes.items()}, [[shared.shown(value) for value in row] for row in frame.itertuples(index=False, name=None)]]


def of_arrow(table):
    return [str(table.schema), [[repr(value) for value in row.values()] for row in table.to_pylist()]]


def of_polars(frame):
    return [str(frame.schema), [[repr(value) for value in row] for row in frame.rows()]]


@feature
def pandas_read_sql():
    engine = create_engine(shared.url("postgresql+psycopg2", sslmode="disable"))
    return [of_pandas(pandas.read_sql(text, engine)) for text in (trades, shared.every_value)]


@feature
def pandas_read_sql_table():
    engine = create_engine(shared.url("postgresql+psycopg2", sslmode="disable"))
    frame = pandas.read_sql_table("trades", engine, columns=["id", "symbol", "size"]).sort_values("id")
    quoted = pandas.read_sql_table("Daily-Sales", engine).sort_values("Region")
    return [frame.shape, of_pandas(frame.head(3)), of_pandas(quoted)]


@feature
def pandas_in_portions():
    engine = create_engine(shared.url("postgresql+psycopg", sslmode="disable")).connect().execution_options(stream_results=True)
    return [[len(part), int(part["id"].sum())] for part in pandas.read_sql(shared.ordered, engine, chunksize=300)]


@feature
def pandas_parameters():
    engine = create_engine(shared.url("postgresql+psycopg", sslmode="disable"))
    return of_pandas(pandas.read_sql("select id, symbol from trades where symbol = %(symbol)s and id < %(id)s order by id", engine, params={"symbol": "ACME", "id": 20}))


@feature
def polars_connectorx():
    return [of_polars(polars.read_database_uri(text, uri, engine="connectorx")) for text in (trades, readable)]


@feature
def polars_connectorx_partitions():
    frame = polars.read_database_uri("select id, price from trades", uri, engine="connectorx", partition_on="id", partition_num=3, protocol="binary")
    return [str(frame.schema), frame.height, frame["id"].sum(), frame["price"].sum()]


@feature
def connectorx_protocols():
    return [of_arrow(connectorx.read_sql(uri.replace("?", f"?cxprotocol={protocol}&"), trades, return_type="arrow", protocol=protocol)) for protocol in ("binary", "csv", "cursor", "simple")]


@feature
def polars_adbc():
    return [of_polars(polars.read_database_uri(text, uri, engine="adbc")) for text in (trades, shared.every_value)]


@feature
def polars_over_a_connection():
    engine = create_engine(shared.url("postgresql+psycopg", sslmode="disable"))
    return of_polars(polars.read_database(trades, engine))


@feature
def adbc_connect():
    with adbc.connect(uri) as connection:
        info = connection.adbc_get_info()
        return [info["vendor_name"], str(info["vendor_version"])[:2]]


@feature
def adbc_tls():
    options = {"sslmode": "verify-ca", "sslrootcert": shared.over_tls["sslrootcert"]}
    with adbc.connect(shared.url(**options)) as connection, connection.cursor() as cursor:
        cursor.execute("select 1 as one")
        return of_arrow(cursor.fetch_arrow_table())


@feature
def adbc_wrong_password():
    try:
        adbc.connect(uri.replace(shared.password, "wrong"))
    except adbc.Error as error:
        return "FATAL" in str(error)


@feature
def adbc_types():
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(shared.every_value)
        found = [of_arrow(cursor.fetch_arrow_table())]
        cursor.execute(shared.nulls)
        found.append(of_arrow(cursor.fetch_arrow_table()))
        return found


@feature
def adbc_without_copy():
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
        cursor.execute(trades)
        return of_arrow(cursor.fetch_arrow_table())


@feature
def adbc_parameters():
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        found = []
        for text, values in (
            ("select symbol from trades where id = $1", (7,)),
            ("select count(*)::int8 as n from trades where symbol = $1 and price > $2", ("ACME", 150.5)),
        ):
            cursor.execute(text, values)
            found.append(of_arrow(cursor.fetch_arrow_table()))
        return found


@feature
def adbc_metadata():
    with adbc.connect(uri) as connection:
        objects = connection.adbc_get_objects(depth="columns", catalog_filter=shared.database).read_all().to_pylist()
        # Without ORDER BY the order of columns is nobody's.
        tables = {
            table["table_name"]: [[column["column_name"], column["xdbc_type_name"], column["ordinal_position"]] for column in sorted(table["table_columns"], key=lambda column: column["ordinal_position"])]
            for catalog in objects for schema in catalog["catalog_db_schemas"] if schema["db_schema_name"] == "public"
            for table in schema["db_schema_tables"]
        }
        return [dict(sorted(tables.items())), str(connection.adbc_get_table_schema("trades")), sorted(connection.adbc_get_table_types())]


@feature
def adbc_errors():
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        found = []
        for text in ("select nope from trades", "select * from nowhere", "selec 1", shared.insert):
            try:
                cursor.execute(text)
                cursor.fetchall()
            except adbc.Error as error:
                found.append([type(error).__name__, error.sqlstate])
                connection.rollback()
        return found


@feature
def adbc_cancel():
    with adbc.connect(uri) as connection, connection.cursor() as cursor:
        with shared.cancelling(cursor.adbc_cancel):
            return shared.failure(adbc.Error, state, lambda: (cursor.execute(shared.slow), cursor.fetchall()))


shared.run(state)
