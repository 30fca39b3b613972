"""The peers that are libraries, and clients in Python. A request a line in ({"do": name, …}), an answer a line out: seconds, CPU seconds and the
highest memory of this process while it worked, with what the work itself reports."""
import hashlib
import http.client
import json
import os
import resource
import sqlite3
import sys
import threading
import time
from urllib.parse import urlsplit

import adbc_driver_flightsql.dbapi as adbc
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flight"))
import client as flight_client  # noqa: E402

THREADS = 2
TRADES = """i::BIGINT AS id, 'sym' || (hash(i) % 50)::VARCHAR AS sym, (hash(i * 3) % 1000000 / 100)::DOUBLE AS price,
  (hash(i * 7) % 1000)::INTEGER AS qty, TIMESTAMP '2024-01-01' + to_microseconds(i * 10007) AS ts, hash(i) % 3 = 0 AS flag"""
FORMATS = {"csv": "FORMAT csv", "ndjson": "FORMAT json", "parquet": "FORMAT parquet, COMPRESSION zstd"}

engine = duckdb.connect()
engine.execute(f"SET threads = {THREADS}")
engine.execute("SET enable_progress_bar = false")
connections = {}


def make_trades(folder, rows, formats):
    for each in formats:
        engine.execute(f"COPY (SELECT {TRADES} FROM range({rows}) t(i)) TO '{folder}/trades.{each}' ({FORMATS[each]})")
    return {}


def make_wide(path, rows, columns):
    made = {f"c{number}": pa.array(range(number, number + rows), pa.int64()) for number in range(columns)}
    pq.write_table(pa.table(made), path, compression="zstd")
    return {}


def open_table(name, path):
    engine.execute(f"CREATE OR REPLACE TABLE {name} AS FROM read_parquet('{path}')")
    return {}


def open_view(name, files):
    engine.execute(f"CREATE OR REPLACE VIEW {name} AS FROM read_parquet({list(files)!r})")
    return {}


def statements(sql, seconds, start=0):
    """The same statement without a pause; {n} in it becomes a number that was not there before."""
    count, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        engine.execute(sql.replace("{n}", str(start + count))).fetchall()
        count += 1
    return {"work": count, "start": start + count}


def statements_at_once(sql, callers, count):
    """`count` statements, divided among threads with a cursor each."""
    numbers = iter(range(count))
    lock = threading.Lock()

    def work():
        cursor = engine.cursor()
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            cursor.execute(sql.replace("{n}", str(number))).fetchall()

    threads = [threading.Thread(target=work) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"work": count}


def digest(tables):
    return hashlib.sha256(repr([table.to_pylist() for table in tables]).encode()).hexdigest()


def total(sqls):
    return answered(lambda sql: engine.execute(sql).to_arrow_table(), sqls)


def answered(run, sqls):
    began = time.monotonic()
    tables = [run(sql) for sql in sqls]
    seconds = time.monotonic() - began
    return {"work": len(sqls), "seconds": seconds, "digest": digest(tables)}


def post(url, sql):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=3600)
    connection.request("POST", "/v1/sql?fmt=arrow", json.dumps({"sql": sql}), {"content-type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} {answer.read().decode()[:500]}")
    return answer


def total_http(url, sqls):
    return answered(lambda sql: pa.ipc.open_stream(post(url, sql).read()).read_all(), sqls)


def total_adbc(url, sqls):
    connection = connections.get(url) or connections.setdefault(url, adbc.connect(url, autocommit=True))

    def run(sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetch_arrow_table()

    return answered(run, sqls)


def fetch_http(url, sql):
    return {"work": 1, "rows": sum(batch.num_rows for batch in pa.ipc.open_stream(post(url, sql)))}


def fetch_adbc(url, sql):
    with adbc.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return {"work": 1, "rows": sum(batch.num_rows for batch in cursor.fetch_record_batch())}


def fetch_ipc(sql):
    """The bytes that a server would send, without anybody to send them to."""
    reader, rows = engine.execute(sql).to_arrow_reader(65_536), 0
    with pa.OSFile("/dev/null", "wb") as sink, pa.ipc.new_stream(sink, reader.schema) as writer:
        for batch in reader:
            rows += batch.num_rows
            writer.write_batch(batch)
    return {"work": 1, "rows": rows}


def read_csv(path):
    return loaded(f"FROM read_csv('{path}')")


def read_json(path):
    return loaded(f"FROM read_json('{path}')")


def loaded(source):
    engine.execute(f"CREATE OR REPLACE TABLE loaded AS {source}")
    return {"work": 1, "rows": engine.execute("SELECT count(*) FROM loaded").fetchall()[0][0]}


def read_parquet(path, to):
    """What a put does without its checks: the file decoded, and written as Arrow."""
    table = pq.read_table(path)
    with pa.OSFile(to, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return {"work": 1, "rows": table.num_rows}


def copy(name, to, format):
    engine.execute(f"COPY {name} TO '{to}' ({FORMATS[format]})")
    return {"work": 1}


def transcode(source, to):
    """Written, read back and compared: what transcoding does."""
    table = pa.ipc.open_stream(pa.memory_map(source)).read_all()
    pq.write_table(table, to, compression="zstd")
    if not pq.read_table(to).equals(table):
        raise RuntimeError("different rows")
    return {"work": table.nbytes / 1e9}


def flight(mode, arguments, repeats=1):
    """What `bench/flight/client.py` does, some times."""
    reports = [flight_client.modes[mode](*arguments) for _ in range(repeats)]
    if "bytes" not in reports[0]:
        return {"work": repeats}
    return {"seconds": sum(each["seconds"] for each in reports), "work": sum(each["bytes"] for each in reports) / 1e9}


def open_names(path, count):
    """A catalog of names as a developer would write it: one table, one index."""
    if os.path.exists(path):
        os.remove(path)
    database = connections[path] = sqlite3.connect(path)
    database.execute("CREATE TABLE names (name TEXT PRIMARY KEY, version INTEGER, rows INTEGER, schema TEXT) WITHOUT ROWID")
    named = ((f"{(index * 2_654_435_761) % 2**32:x}-{index}", 1, 1000, "id: int64") for index in range(count))
    with database:
        database.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", named)
    return {}


def look_up(path, count, lookups):
    for number in range(lookups):
        index = number * 7919 % count
        name = f"{(index * 2_654_435_761) % 2**32:x}-{index}"
        if connections[path].execute("SELECT * FROM names WHERE name = ?", (name,)).fetchone() is None:
            raise RuntimeError(f"{name} is not there")
    return {"work": lookups}


def list_names(path, pages):
    for _ in range(pages):
        connections[path].execute("SELECT * FROM names ORDER BY name LIMIT 100").fetchall()
    return {"work": pages}


def put_names(path, folder, puts):
    """The least that a durable put can be: a file with fsync, and a row in a transaction."""
    database, table = connections[path], pa.table({"id": pa.array(range(100), pa.int64())})
    start = database.execute("SELECT count(*) FROM names").fetchone()[0]
    for number in range(start, start + puts):
        with open(f"{folder}/put-{number}.arrow", "wb") as file:
            with pa.ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table)
            file.flush()
            os.fsync(file.fileno())
        with database:
            database.execute("INSERT INTO names VALUES (?, ?, ?, ?)", (f"new-{number}", 1, 100, "id: int64"))
    return {"work": puts}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmHWM"))


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    work = globals()[request.pop("do")]
    forget_peak()
    cpu, began = cpu_seconds(), time.monotonic()
    report = work(**request)
    seconds = time.monotonic() - began
    measured = {"seconds": seconds, "cpuSeconds": cpu_seconds() - cpu, "peakMegabytes": peak_megabytes()}
    print(json.dumps(measured | report), flush=True)
