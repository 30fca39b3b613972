"""SQLAlchemy over psycopg2, psycopg 3 and asyncpg: the inspector, reflection, Core and sessions."""

import asyncio

import sqlalchemy
from sqlalchemy import MetaData, Table, create_engine, func, inspect, select, text
from sqlalchemy.exc import DBAPIError, NoSuchTableError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session, declarative_base

import features as shared
from features import rows


def state(error):
    origin = getattr(error, "orig", error)
    return getattr(origin, "sqlstate", None) or getattr(origin, "pgcode", None)


def feature(function):
    """The feature over both synchronous drivers."""
    def run():
        found = []
        for driver in ("psycopg2", "psycopg"):
            engine = create_engine(shared.url(f"postgresql+{driver}", sslmode="disable"))
            try:
                found.append(function(engine))
            finally:
                engine.dispose()
        return found
    run.__name__ = function.__name__
    shared.feature(run)


@feature
def connect_plain(engine):
    with engine.connect() as connection:
        version = connection.dialect.server_version_info
        return [version[0], connection.dialect.default_schema_name, rows(connection.execute(text("select 1")))]


@feature
def types_in_text(engine):
    with engine.connect() as connection:
        return rows(connection.execute(text(shared.every_value)))


@feature
def nulls(engine):
    with engine.connect() as connection:
        return rows(connection.execute(text(shared.nulls)))


def columns_of(inspector, name):
    return [[column["name"], repr(column["type"]), column["nullable"], column["default"], column["comment"]] for column in inspector.get_columns(name)]


@feature
def metadata(engine):
    inspector = inspect(engine)
    names = sorted(inspector.get_table_names())
    return {
        "schemas": [name for name in sorted(inspector.get_schema_names())],
        "tables": names,
        "views": inspector.get_view_names(),
        "columns": {name: columns_of(inspector, name) for name in names},
        "keys": [inspector.get_pk_constraint("trades")["constrained_columns"], inspector.get_foreign_keys("trades"), inspector.get_indexes("trades")],
        "more": [inspector.get_unique_constraints("trades"), inspector.get_check_constraints("trades"), inspector.get_table_comment("trades")],
        "exists": [inspector.has_table(name) for name in ("trades", "Daily-Sales", "nowhere")],
        "enums": inspector.get_enums(),
    }


@feature
def table_that_is_not_there(engine):
    try:
        Table("nowhere", MetaData(), autoload_with=engine)
    except NoSuchTableError as error:
        return str(error)


@feature
def reflection(engine):
    metadata = MetaData()
    metadata.reflect(engine)
    trades, sales = metadata.tables["trades"], metadata.tables["Daily-Sales"]
    most = func.max(trades.c.size).label("most")
    with engine.connect() as connection:
        grouped = select(trades.c.symbol, most, func.min(trades.c.traded_at)).group_by(trades.c.symbol).order_by(trades.c.symbol)
        return [
            sorted(metadata.tables),
            rows(connection.execute(grouped)),
            rows(connection.execute(select(sales).where(sales.c.Region == "north"))),
            rows(connection.execute(select(trades).where(trades.c.id.in_([1, 5, 10])).order_by(trades.c.id.desc()).limit(2).offset(1))),
            rows(connection.execute(select(trades.c.id).where(trades.c.symbol.ilike("ac%"), trades.c.price.between(100, 105)).order_by(trades.c.id))),
        ]


@feature
def sums(engine):
    with engine.connect() as connection:
        return rows(connection.execute(text("select sum(size) as whole, sum(price) as price, sum(id) as large from trades")))


@feature
def parameters(engine):
    with engine.connect() as connection:
        statement = text("select id from trades where symbol = :symbol and price > :price and id < :id order by id")
        return [rows(connection.execute(statement, {"symbol": "ACME", "price": 150.5, "id": n})) for n in (50, 60, 70)]


@feature
def sessions(engine):
    base = declarative_base()

    class Trade(base):
        __tablename__ = "trades"
        id = sqlalchemy.Column(sqlalchemy.BigInteger, primary_key=True)
        symbol = sqlalchemy.Column(sqlalchemy.Text)
        price = sqlalchemy.Column(sqlalchemy.Float)

    with Session(engine) as session:
        one = session.get(Trade, 7)
        count = session.query(Trade).filter(Trade.symbol == "ACME").count()
        return [one.symbol, one.price, count]


@feature
def portions(engine):
    with engine.connect().execution_options(stream_results=True, max_row_buffer=100) as connection:
        result = connection.execute(text(shared.ordered))
        first = result.fetchmany(7)
        return [rows(first), sum(row.id for part in result.partitions(50) for row in part)]


@feature
def transactions(engine):
    found = []
    for level in ("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "AUTOCOMMIT"):
        with engine.connect().execution_options(isolation_level=level) as connection:
            found.append([connection.execute(text("show transaction_isolation")).scalar(), connection.get_isolation_level()])
    return found


@feature
def savepoints(engine):
    with engine.begin() as connection:
        try:
            with connection.begin_nested():
                connection.execute(text("select nope from trades"))
        except DBAPIError as error:
            return [state(error), rows(connection.execute(text("select 1")))]


@feature
def errors(engine):
    found = []
    with engine.connect() as connection:
        for statement in ("select symbo from trades", "select * from nowhere", "selec 1"):
            try:
                connection.execute(text(statement))
            except DBAPIError as error:
                found.append([type(error).__name__, state(error)])
                connection.rollback()
    return found


@feature
def writes_are_refused(engine):
    with engine.connect() as connection:
        try:
            connection.execute(text(shared.insert))
        except DBAPIError as error:
            return state(error)


def over_asyncpg():
    async def ask():
        engine = create_async_engine(shared.url("postgresql+asyncpg"), connect_args={"ssl": False})
        async with engine.connect() as connection:
            found = rows(await connection.execute(text(shared.every_value)))
            names = await connection.run_sync(lambda inner: sorted(inspect(inner).get_table_names()))
            columns = await connection.run_sync(lambda inner: columns_of(inspect(inner), "every_type"))
            slow = [row.id async for row in await connection.stream(text(shared.few))]
        await engine.dispose()
        return [found, names, columns, slow]
    return asyncio.run(ask())


shared.feature(over_asyncpg)


@feature
def reconnect(engine):
    url = engine.url.set(port=shared.server["cutPort"])
    cut = create_engine(url, pool_pre_ping=True)
    lost = None
    try:
        with cut.connect() as connection:
            connection.execute(text(shared.cut))
    except DBAPIError as error:
        lost = error.connection_invalidated
    with cut.connect() as connection:
        return [lost, rows(connection.execute(text("select 1")))]


shared.run(state)
