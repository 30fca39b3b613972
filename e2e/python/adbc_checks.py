"""adbc-driver-flightsql against a server: every step that its users take."""

import threading
import time
import warnings

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi as dbapi
import adbc_driver_manager
import pyarrow as pa

from client_checks import BROKEN_ROW, MILLION, broken_million, check, equal, items, put, raises, run_checks

OPTIONS = adbc_driver_flightsql.DatabaseOptions


class Context:
    def __init__(self, request):
        self.uri = request["grpc"]
        put(self.uri, "items", items())
        put(self.uri, "broken", broken_million())

    def connect(self, **more):
        return dbapi.connect(self.uri, autocommit=True, **more)

    def fetch(self, sql, parameters=None):
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetch_arrow_table()

    def rows(self, sql, parameters=None):
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall()


@check
def connects_as_dbapi_does_without_being_told_anything(context):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with dbapi.connect(context.uri) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 42")
            equal(cursor.fetchone(), (42,))
            connection.commit()


@check
def connects_with_a_user_and_with_a_token(context):
    for options in (
        {"username": "somebody", "password": "secret"},
        {OPTIONS.AUTHORIZATION_HEADER.value: "Bearer token"},
    ):
        with dbapi.connect(context.uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            equal(cursor.fetchall(), [(1,)])


@check
def the_server_says_who_it_is(context):
    with context.connect() as connection:
        info = connection.adbc_get_info()
    assert "framehold" in info["vendor_name"].lower(), info
    assert info["vendor_version"], info
    assert info["vendor_arrow_version"], info


@check
def a_query_gives_rows_and_a_description(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, name, price FROM items ORDER BY id")
        equal([column[0] for column in cursor.description], ["id", "name", "price"])
        equal(cursor.fetchone()[:2], (1, "one"))
        equal(len(cursor.fetchmany(2)), 2)
        equal(len(cursor.fetchall()), 1)
        equal(cursor.fetchone(), None)


@check
def a_frame_comes_back_as_it_was_put(context):
    got = context.fetch("SELECT * FROM items ORDER BY id")
    equal(got.schema.names, items().schema.names)
    equal(got.to_pydict(), items().to_pydict())


@check
def one_cursor_runs_many_statements(context):
    with context.connect() as connection, connection.cursor() as cursor:
        for number in range(20):
            cursor.execute(f"SELECT {number}")
            equal(cursor.fetchall(), [(number,)])


@check
def a_schema_without_running(context):
    with context.connect() as connection, connection.cursor() as cursor:
        schema = cursor.adbc_execute_schema("SELECT id, price * 2 AS twice FROM items")
        equal(schema.names, ["id", "twice"])
        equal(schema.field("id").type, pa.int64())


@check
def a_prepared_statement_tells_its_parameters(context):
    with context.connect() as connection, connection.cursor() as cursor:
        schema = cursor.adbc_prepare("SELECT name FROM items WHERE id = ? AND price > ?::DECIMAL(10, 2)")
        equal(len(schema), 2)


@check
def parameters_by_position(context):
    equal(context.rows("SELECT name FROM items WHERE id = ?", (2,)), [("two",)])
    equal(context.rows("SELECT id FROM items WHERE name = ? OR id = ? ORDER BY id", ("one", 4)), [(1,), (4,)])
    equal(context.rows("SELECT $2::BIGINT - $1::BIGINT", (1, 10)), [(9,)])


@check
def parameters_of_every_kind(context):
    import datetime
    import decimal

    values = (None, True, -(2**63), 1.5, "ü'\"", b"\x00\xff", decimal.Decimal("12.345"), datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 34, 56, 789012))
    kinds = ("INTEGER", "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR", "BLOB", "DECIMAL(10,3)", "DATE", "TIMESTAMP")
    sql = "SELECT " + ", ".join(f"?::{kind}" for kind in kinds)
    equal(context.rows(sql, values), [values])


@check
def a_row_of_parameters_for_each_run(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT name FROM items WHERE id = ?", pa.table({"0": pa.array([1, 2, 4], pa.int64())}).to_batches()[0])
        equal(cursor.fetchall(), [("one",), ("two",), ("vier",)])


@check
def too_few_parameters_are_an_error(context):
    raises(lambda: context.rows("SELECT ?::INTEGER, ?::INTEGER", (1,)))


@check
def a_statement_that_is_not_offered_says_what_to_write_instead(context):
    text = raises(lambda: context.rows("UPDATE items SET price = 0"), "CREATE OR REPLACE TABLE", "INVALID_ARGUMENT")
    assert "UNAUTHORIZED" not in text, text


@check
def show_tables_describe_and_the_information_schema(context):
    assert ("items",) in context.rows("SHOW TABLES")
    described = [row[:2] for row in context.rows("DESCRIBE items")]
    columns = context.rows("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'items' ORDER BY ordinal_position")
    equal(columns, described)
    equal(columns, [("id", "BIGINT"), ("name", "VARCHAR"), ("price", "DECIMAL(10,2)"), ("moment", "TIMESTAMP")])
    equal(context.rows("SELECT table_schema, table_type FROM information_schema.tables WHERE table_name = ?", ("items",)), [("main", "BASE TABLE")])
    equal([row[0] for row in context.rows("SUMMARIZE items")], ["id", "name", "price", "moment"])


@check
def a_table_without_rows_is_refused_and_leaves_what_is_there(context):
    put(context.uri, "still_there", items())
    for mode in ("replace", "append", "create_append"):
        raises(lambda: ingest(context, "still_there", items().slice(0, 0), mode), "ADBC sends nothing", "WHERE false")
    equal(context.rows("SELECT count(*) FROM still_there"), [(4,)])
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE TABLE still_there AS FROM still_there WHERE false")
    equal(context.fetch("FROM still_there").schema.names, items().schema.names)


@check
def executemany_inserts_each_row_once(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE many AS SELECT 0::BIGINT AS a, ''::VARCHAR AS b WHERE false")
        cursor.executemany("INSERT INTO many VALUES (?, ?)", [(1, "x"), (2, None), (3, "z")])
    equal(context.rows("SELECT * FROM many ORDER BY a"), [(1, "x"), (2, None), (3, "z")])


@check
def create_insert_and_drop_happen_once(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE made AS SELECT id, name FROM items")
        # Not fetched: the statement counts all the same.
        cursor.execute("INSERT INTO made VALUES (10, 'ten')")
        cursor.execute("SELECT count(*), max(id) FROM made")
        equal(cursor.fetchall(), [(5, 10)])
        cursor.execute("CREATE OR REPLACE TABLE made AS SELECT 7 AS seven")
        cursor.execute("SELECT * FROM made")
        equal(cursor.fetchall(), [(7,)])
        cursor.execute("DROP TABLE made")
        raises(lambda: cursor.execute("SELECT * FROM made"), "made")


@check
def an_update_says_how_many_rows(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE counted AS SELECT 1::BIGINT AS a")
        cursor.executemany("INSERT INTO counted VALUES (?)", [(2,), (3,)])
        assert cursor.rowcount in (2, -1), cursor.rowcount


def ingest(context, name, table, mode):
    with context.connect() as connection, connection.cursor() as cursor:
        return cursor.adbc_ingest(name, table, mode=mode)


@check
def ingest_creates(context):
    equal(ingest(context, "ingested", items(), "create"), 4)
    equal(context.fetch("SELECT * FROM ingested ORDER BY id").to_pydict(), items().to_pydict())
    raises(lambda: ingest(context, "ingested", items(), "create"), "exist")


@check
def ingest_appends(context):
    ingest(context, "appended", items(), "create")
    equal(ingest(context, "appended", items(), "append"), 4)
    equal(context.rows("SELECT count(*) FROM appended"), [(8,)])
    raises(lambda: ingest(context, "nowhere_to_append", items(), "append"))
    raises(lambda: ingest(context, "appended", pa.table({"other": [1]}), "append"))
    equal(context.rows("SELECT count(*) FROM appended"), [(8,)])


@check
def ingest_replaces(context):
    ingest(context, "replaced", items(), "replace")
    ingest(context, "replaced", items().slice(0, 1), "replace")
    equal(context.rows("SELECT id FROM replaced"), [(1,)])


@check
def ingest_creates_or_appends(context):
    ingest(context, "grown", items(), "create_append")
    ingest(context, "grown", items(), "create_append")
    equal(context.rows("SELECT count(*) FROM grown"), [(8,)])


@check
def ingest_of_a_stream_of_batches(context):
    schema = pa.schema([("n", pa.int64())])
    batches = (pa.record_batch([pa.array(range(start, start + 1000), pa.int64())], schema=schema) for start in range(0, 50_000, 1000))
    ingest(context, "streamed", pa.RecordBatchReader.from_batches(schema, batches), "create")
    equal(context.rows("SELECT count(*), sum(n) FROM streamed"), [(50_000, 1_249_975_000)])


@check
def a_frame_has_a_schema(context):
    with context.connect() as connection:
        equal(connection.adbc_get_table_schema("items"), items().schema)
        raises(lambda: connection.adbc_get_table_schema("nobody_knows_it"))


@check
def the_catalog_lists_frames_and_columns(context):
    with context.connect() as connection:
        (catalog,) = [each for each in connection.adbc_get_objects().read_all().to_pylist() if each["catalog_name"] == "framehold"]
        (schema,) = [each for each in catalog["catalog_db_schemas"] if each["db_schema_name"] == "main"]
        (table,) = [each for each in schema["db_schema_tables"] if each["table_name"] == "items"]
        equal([column["column_name"] for column in table["table_columns"]], items().schema.names)
        equal(len(connection.adbc_get_objects(depth="catalogs").read_all().to_pylist()) >= 1, True)
        found = connection.adbc_get_objects(depth="tables", table_name_filter="ite%").read_all().to_pylist()
        equal([each["table_name"] for each in found[0]["catalog_db_schemas"][0]["db_schema_tables"]], ["items"])


@check
def table_types_are_those_that_tables_have(context):
    with context.connect() as connection:
        kinds = connection.adbc_get_table_types()
        objects = connection.adbc_get_objects(depth="tables", table_name_filter="items").read_all().to_pylist()
        assert objects[0]["catalog_db_schemas"][0]["db_schema_tables"][0]["table_type"] in kinds, kinds


@check
def transactions_are_answered_honestly(context):
    """Either there are some, and a rollback undoes, or it is said that there are none."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        connection = dbapi.connect(context.uri, autocommit=False)
    with connection, connection.cursor() as cursor:
        if any("autocommit" in str(each.message) for each in said):
            return
        cursor.execute("CREATE TABLE undone AS SELECT 1 AS a")
        connection.rollback()
        raises(lambda: cursor.execute("SELECT * FROM undone"))


@check
def errors_say_what_is_wrong(context):
    raises(lambda: context.rows("SELEC 1"), "SELEC")
    raises(lambda: context.rows("SELECT * FROM no_such_frame"), "no_such_frame")
    raises(lambda: context.rows("SELECT nonsense FROM items"), "nonsense")
    raises(lambda: context.rows("COPY items TO '/tmp/x.csv'"))
    raises(lambda: context.rows("SELECT 1; SELECT 2"))


@check
def a_failure_far_into_the_rows_is_an_error(context):
    sql = "SELECT n, text::BIGINT AS number FROM broken"
    raises(lambda: context.fetch(sql), "not a number")

    def count():
        with context.connect() as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return sum(batch.num_rows for batch in cursor.fetch_record_batch())

    raises(count, "not a number")
    equal(context.fetch(f"{sql} WHERE n <> {BROKEN_ROW}").num_rows, MILLION - 1)


@check
def a_large_result_comes_in_batches(context):
    with context.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT n, repeat('x', 100) AS t FROM range(500000) r(n)")
        sizes = [batch.num_rows for batch in cursor.fetch_record_batch()]
    equal(sum(sizes), 500_000)
    assert len(sizes) > 5, sizes


@check
def partitions_can_be_read_elsewhere(context):
    with context.connect() as connection, connection.cursor() as cursor:
        partitions, schema = cursor.adbc_execute_partitions("SELECT id FROM items ORDER BY id")
        equal(schema.names, ["id"])
        rows = []
        with context.connect() as other, other.cursor() as reader:
            for partition in partitions:
                reader.adbc_read_partition(partition)
                rows += reader.fetchall()
        equal(rows, [(1,), (2,), (3,), (4,)])


@check
def a_running_statement_is_cancelled(context):
    with context.connect() as connection, connection.cursor() as cursor:
        timer = threading.Timer(1.0, cursor.adbc_cancel)
        timer.start()
        began = time.monotonic()

        def endless():
            cursor.execute("SELECT count(*) FROM range(10000000) a, range(10000000) b")
            cursor.fetchall()

        raises(endless)
        timer.join()
        assert time.monotonic() - began < 6, time.monotonic() - began


@check
def twenty_connections_at_once(context):
    def one(number, answers):
        answers[number] = context.rows(f"SELECT {number} + sum(n) FROM range(100000) t(n)")[0][0]

    answers = {}
    threads = [threading.Thread(target=one, args=(number, answers)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(answers, {number: 4_999_950_000 + number for number in range(20)})


@check
def the_driver_of_lower_level_works_too(context):
    with adbc_driver_flightsql.connect(context.uri) as database, adbc_driver_manager.AdbcConnection(database) as connection:
        with adbc_driver_manager.AdbcStatement(connection) as statement:
            statement.set_sql_query("SELECT 1 AS one")
            stream, _ = statement.execute_query()
            equal(pa.RecordBatchReader._import_from_c(stream.address).read_all().to_pydict(), {"one": [1]})


run_checks(Context)
