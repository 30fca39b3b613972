"""What the Python clients share: where the server is, how a feature reports, and the statements that several of them run."""

import json
import os
import sys
import threading
import time
from contextlib import contextmanager

server = json.loads(sys.argv[1])
host, port, user, password, database = (server[key] for key in ("host", "port", "user", "password", "database"))
# libpq's name for each way to connect.
plain = {"host": host, "port": port, "user": user, "password": password, "dbname": database, "sslmode": "disable"}
over_tls = {**plain, "sslmode": "verify-ca", "sslrootcert": server["certificate"]}
# Connections through this port are cut as soon as a statement has the words `cut here`.
through_cutter = {**plain, "port": server["cutPort"]}
wrong = {**plain, "password": "wrong"}


def url(scheme="postgresql", **options):
    query = "&".join(f"{key}={value}" for key, value in options.items())
    return f"{scheme}://{user}:{password}@{host}:{port}/{database}" + (f"?{query}" if query else "")


every_column = "flag, small, whole, large, single, precise, amount, huge, label, data, day, moment, instant, clock, numbers, labels"
every_value = f"select {every_column} from every_type where id <> 3 order by id"
nulls = f"select {every_column} from every_type where id = 3"
uuid_and_json = "select '11111111-2222-3333-4444-555555555555'::uuid as uuid, '{\"a\": 1}'::json as json"
expressions = (
    "select interval '1 year 2 months 3 days 04:05:06.7' as span, 99999999999999999999999999999999999999::numeric(38, 0) as large"
)
without_digits = "select 12345.6789::numeric"
few = "select id, symbol from trades where id <= 3 order by id"
ordered = "select id from trades order by id"
# Runs for many minutes: a thousand rows to the fourth.
slow = (
    "select count(*) from trades a, trades b, trades c, trades d"
    " where a.price + b.price > c.price + d.price and a.id + b.id + c.id + d.id > 3"
)
isolation_levels = ("read uncommitted", "read committed", "repeatable read", "serializable")
cut = "select 1 -- cut here"
insert = "insert into trades (id) values (0)"

_features = {}


def feature(function):
    _features[function.__name__.replace("_", "-")] = function
    return function


def shown(value):
    """With its type: 5, Decimal('5') and '5' are three values."""
    if isinstance(value, memoryview):
        value = bytes(value)
    return repr(value)


def rows(found):
    return [[shown(value) for value in row] for row in found]


@contextmanager
def cancelling(cancel):
    """Cancels every half second until the block ends: what comes before the server has the statement cancels nothing."""
    ended = threading.Event()

    def work():
        while not ended.wait(0.5):
            cancel()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        # One that is under way must not meet the next statement.
        thread.join()


def started_within(begun):
    """How an attempt ended that must end early: the slow statement would run for many minutes."""
    return time.monotonic() - begun < 30


def run(sqlstate):
    skipped = set(server.get("skip", ()))
    for name, function in _features.items():
        if name in skipped:
            continue
        print(json.dumps({"begins": name}), flush=True)
        try:
            result = {"feature": name, "ok": True, "value": function()}
        except BaseException as error:
            text = f"{type(error).__module__}.{type(error).__qualname__}: {error}"
            result = {"feature": name, "ok": False, "error": text[:2000], "sqlstate": sqlstate(error)}
        print(json.dumps(result), flush=True)
    sys.stdout.flush()
    # Threads of Arrow and of drivers may still be there.
    os._exit(0)


def failure(expected, sqlstate, action):
    """The SQLSTATE of what must fail."""
    try:
        action()
    except expected as error:
        return sqlstate(error)
    raise AssertionError("no error")
