"""Changes frames until the server dies, remembers what was acknowledged, and compares it with what is there afterwards.

One line of JSON in, one line out, for as many rounds as there are: {"do": "work", ...} and {"do": "check", ...}.
Each name belongs to one thread, so that at most one change of it is under way when the server dies.
"""

import base64
import http.client
import io
import json
import socket
import sys
import threading
import time
import urllib.parse

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.flight as flight
import pyarrow.parquet

ARROW = "application/vnd.apache.arrow.stream"
SHORT_TTL_S = 1


class Died(Exception):
    """The connection broke: whether the change under way happened is not known."""


class Answered(Exception):
    """The server refused what it should have done."""


class Name:
    """What is known of one name: acknowledged changes, and the one under way."""

    def __init__(self, name):
        self.name = name
        self.versions = {}  # version → content, acknowledged and not dropped
        self.may_be_pruned = set()
        self.last = 0  # the newest version there ever was
        self.lifetime = None  # None, "long" or "short"
        self.under_way = None

    def put(self, version, content, keep):
        self.versions[version] = content
        self.last = version
        newest_first = sorted(self.versions, reverse=True)
        self.may_be_pruned.update(newest_first[keep:])

    def drop(self):
        self.versions.clear()
        self.lifetime = None


# A content is a tuple of pieces, one for each part: ("rows", seed, rows), ("symbols", which).


def rows_table(seed, rows):
    generator = np.random.default_rng(seed)
    numbers = generator.integers(-(2**53), 2**53, rows)
    # Few enough digits to be written without an exponent, which text formats in do not take for a number.
    fractions = generator.integers(-(2**30), 2**30, rows) / 8.0
    return pa.table({"n": numbers, "x": fractions, "s": [f"s{number}" for number in numbers.tolist()]})


def wide_table(seed, rows):
    generator = np.random.default_rng(seed)
    return pa.table({f"n{column}": generator.integers(-(2**63), 2**63 - 1, rows) for column in range(4)})


def spans_table(seed, rows):
    """Parquet cannot hold these."""
    spans = [pa.MonthDayNano([seed % 100, row, row * 1_001]) for row in range(rows)]
    return pa.table({"span": pa.array(spans, pa.month_day_nano_interval())})


class Contents:
    def __init__(self, symbols):
        self.symbols = {which: base64.b64decode(text) for which, text in symbols.items()}

    def part(self, piece):
        kind, *rest = piece
        if kind == "symbols":
            return pa.ipc.open_stream(self.symbols[rest[0]]).read_all()
        return {"rows": rows_table, "wide": wide_table, "spans": spans_table}[kind](*rest)

    def differs(self, content, table):
        """Why the table is not these pieces one after the other; None where it is."""
        rows = sum(self.part(piece).num_rows for piece in content)
        if table.num_rows != rows:
            return f"{table.num_rows} rows instead of {rows}"
        start = 0
        for piece in content:
            expected = self.part(piece)
            found = table.slice(start, expected.num_rows)
            start += expected.num_rows
            if found.column_names != expected.column_names:
                return f"columns {found.column_names}"
            if not found.equals(expected) and found.to_pydict() != expected.to_pydict():
                return f"other values in {piece}"
        return None


def encoded(table, form):
    out = io.BytesIO()
    if form == "csv":
        pa.csv.write_csv(table, out)
        return "text/csv", out.getvalue()
    if form == "ndjson":
        lines = [json.dumps(row) for row in table.to_pylist()]
        return "application/x-ndjson", ("\n".join(lines) + "\n").encode()
    if form == "parquet":
        pa.parquet.write_table(table, out)
        return "application/vnd.apache.parquet", out.getvalue()
    new = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    return (ARROW if form == "stream" else "application/vnd.apache.arrow.file"), out.getvalue()


class Connection:
    """One connection of each kind, for one thread."""

    def __init__(self, request):
        address = urllib.parse.urlparse(request["url"])
        self.http_address = (address.hostname, address.port)
        self.http = http.client.HTTPConnection(*self.http_address, timeout=30)
        self.flight = flight.connect(request["grpc"])

    def ask(self, method, path, body=None, headers=None, want=(200, 201, 204)):
        try:
            self.http.request(method, path, body=body, headers=headers or {})
            answer = self.http.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise self.failure(f"{method} {path}", error) from error
        if answer.status not in want:
            raise Answered(f"{method} {path}: {answer.status} {content[:300]!r}")
        return answer.status, content

    def do_put(self, descriptor, table, chunk=10_000):
        try:
            writer, reader = self.flight.do_put(descriptor, table.schema)
            writer.write_table(table, max_chunksize=chunk)
            writer.done_writing()
            answer = reader.read()
            manifest = None if answer is None else json.loads(answer.to_pybytes())
            writer.close()
        except (flight.FlightError, pa.ArrowException, OSError) as error:
            raise self.failure("DoPut", error) from error
        if manifest is None:
            raise self.failure("DoPut", "no answer")
        return manifest

    def act(self, kind, value):
        try:
            return [
                json.loads(one.body.to_pybytes())
                for one in self.flight.do_action(flight.Action(kind, json.dumps(value).encode()))
            ]
        except (flight.FlightError, pa.ArrowException, OSError) as error:
            raise self.failure(kind, error) from error

    def failure(self, what, error):
        """A call failed: because the server died, where nobody listens any more."""
        for _ in range(20):
            try:
                socket.create_connection(self.http_address, timeout=1).close()
            except OSError:
                return Died(f"{what}: {error}")
            time.sleep(0.05)
        return Answered(f"{what}: {error}")

    def do_get(self, handle):
        return self.flight.do_get(flight.Ticket(handle.encode())).read_all()

    def close(self):
        self.http.close()
        self.flight.close()


class Work:
    """One round: threads that change names of their own until the server has died or the time is over."""

    def __init__(self, client, request):
        self.client = client
        self.request = request
        self.round = request["round"]
        self.keep = request["keep"]
        self.ends_at = time.monotonic() + request["seconds"]
        self.acknowledged = 0
        self.faults = []
        self.seeds = iter(range(self.round * 100_000, (self.round + 1) * 100_000))
        self.lock = threading.Lock()

    def run(self):
        jobs = {
            "all": [self.flight_puts, self.http_puts, self.appends, self.ends],
            "few": [self.few],
            "many": [lambda connection: self.many(connection, 0), lambda connection: self.many(connection, 1)],
            "wide": [self.wide],
        }
        threads = [threading.Thread(target=self.until_it_dies, args=(job,)) for job in jobs[self.request["work"]]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.client.worked_until = time.time()
        return {"acknowledged": self.acknowledged, "faults": self.faults}

    def until_it_dies(self, job):
        connection = Connection(self.request)
        try:
            for _ in job(connection):
                if time.monotonic() > self.ends_at:
                    return
                time.sleep(0.01)
            # What is left belongs to the background, which more puts would only hold up.
            while time.monotonic() < self.ends_at:
                connection.ask("GET", "/ping")
                time.sleep(0.05)
        except Died:
            pass
        except Exception as error:  # noqa: BLE001 a fault of any kind must reach the report
            self.faults.append(f"{job.__name__}: {type(error).__name__} {error}")
        finally:
            connection.close()

    def name(self, what):
        with self.client.lock:
            return self.client.names.setdefault(f"r{self.round}_{what}", Name(f"r{self.round}_{what}"))

    def seed(self):
        with self.lock:
            return next(self.seeds)

    def change(self, name, under_way, act):
        """Runs a change; what it was stays in `under_way` where nobody answered."""
        name.under_way = under_way
        result = act()
        name.under_way = None
        self.acknowledged += 1
        return result

    def put(self, name, content, act, lifetime="as it was"):
        manifest = self.change(name, ("put", content, lifetime), act)
        if manifest["version"] != name.last + 1:
            self.faults.append(f"{name.name}: version {manifest['version']} after {name.last}")
        name.put(manifest["version"], content, self.keep)
        if lifetime != "as it was":
            name.lifetime = lifetime

    def http_put(self, connection, name, content, form, path="", method="PUT", lifetime="as it was"):
        kind, body = encoded(self.client.contents.part(content[-1]), form)
        self.put(name, content, lambda: self.sent(connection, method, name, path, kind, body), lifetime)

    def sent(self, connection, method, name, path, kind, body):
        return json.loads(
            connection.ask(method, f"/v1/frames/{name.name}{path}", body, {"content-type": kind})[1]
        )

    def flight_puts(self, connection):
        for turn in range(6):
            name = self.name(f"flight{turn % 2}")
            content = (("rows", self.seed(), (40, 3_000, 30_000)[turn % 3]),)
            table = self.client.contents.part(content[0])
            descriptor = flight.FlightDescriptor.for_path(name.name)
            self.put(name, content, lambda: connection.do_put(descriptor, table))
            yield

    def http_puts(self, connection):
        forms = ("stream", "csv", "file", "ndjson", "parquet")
        for turn in range(len(forms)):
            name = self.name(f"http{turn % 2}")
            self.http_put(connection, name, (("rows", self.seed(), 200),), forms[turn % len(forms)])
            yield

    def appends(self, connection):
        plain, symbols = self.name("appended"), self.name("symbols")
        self.http_put(connection, plain, (("rows", self.seed(), 100),), "stream")
        first = ("symbols", "first")
        body = self.client.contents.symbols["first"]
        self.put(symbols, (first,), lambda: self.sent(connection, "PUT", symbols, "", ARROW, body))
        for turn in range(2):
            content = (*plain.versions[plain.last], ("rows", self.seed(), 10 + turn))
            if turn % 2 == 0:
                self.http_put(connection, plain, content, "stream", "/rows", "POST")
            else:
                # The columns in another order: the rows are converted.
                part = self.client.contents.part(content[-1])
                table = part.select(part.column_names[::-1])
                command = json.dumps({"name": plain.name, "mode": "append"}).encode()
                descriptor = flight.FlightDescriptor.for_command(command)
                self.put(plain, content, lambda: connection.do_put(descriptor, table))
            yield
            # The same columns, but the other numbering of the dictionaries.
            other = self.client.contents.symbols["renumbered"]
            content = (*symbols.versions[symbols.last], ("symbols", "renumbered"))
            self.put(symbols, content, lambda: self.sent(connection, "POST", symbols, "/rows", ARROW, other))
            yield

    def ends(self, connection):
        """Drops of names and versions, expiry by put and by action. What earlier rounds left goes first."""
        for name in self.client.names_before(self.round):
            self.dropped(connection, name, "?purge=true")
            yield
        lasting = self.name("lasting")
        self.http_put(connection, lasting, (("rows", self.seed(), 50),), "stream")
        for turn in range(2):
            short = self.name(f"short{turn}")
            content = (("rows", self.seed(), 60),)
            self.http_put(connection, short, content, "stream", f"?ttl={SHORT_TTL_S}", lifetime="short")
            yield
            self.expires(connection, lasting, "1h" if turn % 2 == 0 else None)
            yield
            dropped = self.name(f"dropped{turn % 2}")
            for _ in range(2):
                self.http_put(connection, dropped, (("rows", self.seed(), 70),), "stream")
                yield
            if turn % 2 == 0:
                self.dropped(connection, dropped)
            else:
                self.dropped_version(connection, dropped, dropped.last)
            yield
            yield from self.undone(connection, self.name(f"undone{turn}"))
            ended = self.name(f"ended{turn}")
            self.http_put(connection, ended, (("rows", self.seed(), 80),), "stream")
            yield
            self.expires(connection, ended, f"{SHORT_TTL_S}s")
            yield

    def undone(self, connection, name):
        """Back to an earlier version, and to before a drop; then gone for good."""
        for _ in range(2):
            self.http_put(connection, name, (("rows", self.seed(), 40),), "stream")
            yield
        version = name.last - 1
        path = f"/restore?version={version}"
        self.put(name, name.versions[version], lambda: self.sent(connection, "POST", name, path, "text/plain", b""))
        yield
        content = (*name.versions[name.last], ("rows", self.seed(), 5))
        self.http_put(connection, name, content, "stream", "/rows", "POST")
        yield
        kept = dict(name.versions)
        self.dropped(connection, name)
        yield
        self.change(name, ("undrop", kept), lambda: connection.ask("POST", f"/v1/frames/{name.name}/undrop"))
        name.versions.update(kept)
        yield
        self.dropped(connection, name)
        yield
        self.change(name, ("purge",), lambda: connection.ask("DELETE", f"/v1/frames/{name.name}?purge=true"))
        yield

    def dropped(self, connection, name, query=""):
        if name.versions and name.lifetime != "short":
            self.change(name, ("drop",), lambda: connection.ask("DELETE", f"/v1/frames/{name.name}{query}"))
            name.drop()

    def dropped_version(self, connection, name, version):
        handle = f"{name.name}@{version}"
        self.change(name, ("drop-version", version), lambda: connection.act("drop", {"handle": handle}))
        del name.versions[version]

    def expires(self, connection, name, ttl):
        lifetime = None if ttl is None else "long" if ttl == "1h" else "short"
        wanted = {"name": name.name, "ttl": ttl}
        self.change(name, ("expire", lifetime), lambda: connection.act("expire", wanted))
        name.lifetime = lifetime

    def few(self, connection):
        """One for each way in which transcoding can end: refused, exact, not exact."""
        for piece in (("spans", self.seed(), 20), ("rows", self.seed(), 200), ("symbols", "first")):
            for turn in range(2):
                self.http_put(connection, self.name(f"{piece[0]}{turn}"), (piece,), "stream")
                yield

    def many(self, connection, thread):
        """Appends so small that they are worth being joined once only the newest versions are kept."""
        for turn in range(3):
            name = self.name(f"many{thread}_{turn}")
            self.http_put(connection, name, (("rows", self.seed(), 10),), "stream")
            for _ in range(14):
                content = (*name.versions[name.last], ("rows", self.seed(), 10))
                self.http_put(connection, name, content, "stream", "/rows", "POST")
                yield

    def wide(self, connection):
        """Frames whose Parquet form takes several files."""
        for turn in range(2):
            name = self.name(f"wide{turn}")
            content = (("wide", self.seed(), 700_000),)
            table = self.client.contents.part(content[0])
            descriptor = flight.FlightDescriptor.for_path(name.name)
            self.put(name, content, lambda: connection.do_put(descriptor, table, 100_000))
            yield


class Check:
    """Compares everything that is visible with everything that was acknowledged."""

    def __init__(self, client, request):
        self.client = client
        self.keep = request["keep"]
        self.swept = request["swept"]
        self.connection = Connection(request)
        self.faults = []
        self.versions = 0

    def run(self):
        self.wait_for_expiries()
        listed = self.pages("/v1/frames?limit=50", "frames")
        seen = {frame["name"]: frame for frame in listed}
        if len(seen) != len(listed):
            self.faults.append("a name is listed twice")
        for unknown in seen.keys() - self.client.names.keys():
            self.faults.append(f"{unknown} is there, and nobody put it")
        for name in list(self.client.names.values()):
            self.check_name(name, seen.get(name.name))
        self.connection.close()
        return {"versions": self.versions, "faults": self.faults}

    def wait_for_expiries(self):
        """No change was made after the last round of work ended, so none can expire later than this."""
        time.sleep(max(0, self.client.worked_until + SHORT_TTL_S + 0.1 - time.time()))

    def pages(self, path, member):
        items, cursor = [], ""
        while cursor is not None:
            more = f"&cursor={urllib.parse.quote(cursor)}" if cursor else ""
            page = json.loads(self.connection.ask("GET", path + more)[1])
            items += page[member]
            cursor = page["next"]
        return items

    def check_name(self, name, frame):
        """Of the change under way either all is there or nothing: it becomes known here which."""
        kind = None if name.under_way is None else name.under_way[0]
        if frame is None:
            may_be_gone = not name.versions or name.lifetime == "short" or kind == "drop"
            may_be_gone = may_be_gone or name.under_way == ("expire", "short")
            if not may_be_gone:
                self.faults.append(f"{name.name} is missing, with versions {sorted(name.versions)}")
            self.check_gone(name)
            return
        if not name.versions and kind not in ("put", "undrop"):
            self.faults.append(f"{name.name} is there after it was dropped")
        self.take_up(name, frame)
        if name.lifetime == "short":
            self.faults.append(f"{name.name} is there after it expired")
        versions = self.pages(f"/v1/frames/{name.name}/versions?limit=50", "versions")
        found = [version["version"] for version in versions]
        if found != sorted(found, reverse=True) or found[:1] != [frame["version"]]:
            self.faults.append(f"{name.name}: newest {frame['version']}, versions {found}")
        if missing := set(name.versions) - name.may_be_pruned - set(found):
            self.faults.append(f"{name.name}: versions {sorted(missing)} are missing")
        if unknown := set(found) - set(name.versions):
            self.faults.append(f"{name.name}: versions {sorted(unknown)} are there")
        if self.swept and len(found) > self.keep:
            self.faults.append(f"{name.name}: {found} is more than {self.keep}")
        if (frame["expiresAt"] is None) != (name.lifetime is None):
            self.faults.append(f"{name.name}: expires {frame['expiresAt']}, not {name.lifetime}")
        for version in versions:
            if version["version"] in name.versions:
                self.check_rows(name, version)
        for gone in set(name.versions) - set(found):
            del name.versions[gone]

    def take_up(self, name, frame):
        """The name is there: the change under way may have happened."""
        if name.under_way is None:
            return
        kind, *rest = name.under_way
        name.under_way = None
        if kind == "put" and frame["version"] == name.last + 1:
            name.put(frame["version"], rest[0], self.keep)
            if rest[1] != "as it was":
                name.lifetime = rest[1]
        elif kind == "undrop":
            name.versions.update(rest[0])
        elif kind == "drop-version" and frame["version"] < rest[0]:
            del name.versions[rest[0]]
        elif kind == "expire" and (frame["expiresAt"] is None) == (rest[0] is None):
            name.lifetime = rest[0]

    def check_gone(self, name):
        # A put under way may have been the first of the name, and may have expired since.
        never = name.last == 0
        want = (404, 410) if never else (410,)
        try:
            status, _ = self.connection.ask("GET", f"/v1/frames/{name.name}", want=want)
        except Answered as error:
            self.faults.append(f"{name.name} has ended: {error}")
            return
        if name.under_way is not None and name.under_way[0] == "put" and status == 410:
            name.last += 1
        name.under_way = None
        name.drop()
        # Should it come back, it is one that nobody put.
        if self.swept or status == 404:
            del self.client.names[name.name]

    def check_rows(self, name, version):
        self.versions += 1
        handle = version["handle"]
        try:
            if self.versions % 2 == 0:
                body = self.connection.ask("GET", f"/v1/frames/{handle}/rows", None, {"accept": ARROW})[1]
                table = pa.ipc.open_stream(body).read_all()
            else:
                table = self.connection.do_get(handle)
        except (Died, Answered, pa.ArrowException) as error:
            self.faults.append(f"{handle} cannot be read: {error}")
            return
        content = name.versions[version["version"]]
        if version["rows"] != table.num_rows:
            self.faults.append(f"{handle} says {version['rows']} rows and has {table.num_rows}")
        if (difference := self.client.contents.differs(content, table)) is not None:
            self.faults.append(f"{handle}: {difference}")


class Client:
    def __init__(self, request):
        self.contents = Contents(request["symbols"])
        self.names = {}
        self.lock = threading.Lock()
        self.worked_until = 0.0

    def names_before(self, round_number):
        with self.lock:
            names = list(self.names.values())
        return [name for name in names if int(name.name.split("_")[0][1:]) < round_number]


client = None
for line in sys.stdin:
    request = json.loads(line)
    if client is None:
        client = Client(request)
    job = Work if request["do"] == "work" else Check
    print(json.dumps(job(client, request).run()), flush=True)
