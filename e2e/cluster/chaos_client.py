"""Sixteen clients that write, append, read, query and drop the same frames, and repeat what got no answer.

Reads one JSON object: {"url", "grpc", "seconds", "clients", "names", "seed", "history", "stop"}. Each operation becomes a line of the file
`history`, as server/test/support/history/operation.ts describes it. Every row carries the id of the write that stored it and its number in
it, so that a reader can tell whose rows it got, all of them or not, and in which order. The clock is CLOCK_MONOTONIC.

Ends after `seconds`, then waits until the file `stop` is there (all nodes are up again by then) and reads every version that is left.
"""

import http.client
import io
import json
import os
import random
import sys
import threading
import time
import urllib.parse

import pyarrow as pa
import pyarrow.flight as flight

ARROW = "application/vnd.apache.arrow.stream"
# Longer than a node takes to start on a crowded machine.
GIVE_UP_S = 90
# How a call looks whose connection ended, or whose end the server does not know.
CUT_OFF = (
    "RST_STREAM",
    "Stream removed",
    "Socket closed",
    "Connection reset",
    "Broken pipe",
    "Server never sent",
    "outcome_unknown",
    "while a change was committed",
    "recvmsg",
    "GOAWAY",
)
SCHEMA = pa.schema([("op", pa.string()), ("i", pa.int64()), ("filler", pa.string())])


class Refused(Exception):
    """An answer that says that nothing was changed. `absent`: there is no such frame."""

    def __init__(self, text, absent=False):
        super().__init__(text)
        self.absent = absent


class NoAnswer(Exception):
    """It may have happened or not; repeating it is safe with its key."""


class Unexpected(Exception):
    """An answer that no caller should ever get."""


def table_of(op, rows):
    return pa.table({"op": [op] * rows, "i": list(range(rows)), "filler": [f"{op}-{i}" * 3 for i in range(rows)]}, SCHEMA)


def runs_of(table):
    """Neighbouring rows of one write."""
    runs = []
    numbers = table.column("i").to_pylist()
    fillers = table.column("filler").to_pylist()
    for op, i, filler in zip(table.column("op").to_pylist(), numbers, fillers):
        if filler != f"{op}-{i}" * 3:
            op = f"{op}?"
        if runs and runs[-1][0] == op and runs[-1][2] + 1 == i:
            runs[-1][2] = i
        else:
            runs.append([op, i, i])
    return runs


def encoded(table):
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


class HttpWay:
    def __init__(self, request):
        address = urllib.parse.urlparse(request["url"])
        self.address = (address.hostname, address.port)
        self.connection = None

    def ask(self, method, path, body=None, headers=None):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(*self.address, timeout=30)
            self.connection.request(method, path, body=body, headers=headers or {})
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            raise NoAnswer(repr(error)) from error
        if answer.status < 300:
            return answer, content
        text = f"{method} {path}: {answer.status} {content[:300]!r}"
        if answer.status in (404, 410):
            raise Refused(text, absent=True)
        if answer.status in (409, 412):
            raise Refused(text)
        if answer.status in (502, 503, 504) or b"outcome_unknown" in content:
            raise NoAnswer(text)
        raise Unexpected(text)

    def write(self, name, table, mode, key, if_version):
        headers = {"Content-Type": ARROW, "Idempotency-Key": key}
        if mode == "create":
            headers["If-None-Match"] = "*"
        if mode == "append":
            answer, content = self.ask("POST", f"/v1/frames/{name}/rows", encoded(table), headers)
        else:
            answer, content = self.ask("PUT", f"/v1/frames/{name}", encoded(table), headers)
        return json.loads(content)["version"]

    def drop(self, name):
        self.ask("DELETE", f"/v1/frames/{name}")

    def read(self, handle):
        answer, content = self.ask("GET", f"/v1/frames/{handle}/rows?fmt=arrow")
        table = pa.ipc.open_stream(content).read_all()
        return int(answer.headers["Framehold-Handle"].rsplit("@", 1)[1]), runs_of(table)

    def sql(self, name):
        text = f'select op, min(i), max(i), count(*) from "{name}" group by op'
        answer, content = self.ask("POST", "/v1/sql", json.dumps({"sql": text}), {"Content-Type": "application/json"})
        return [[op, int(first), int(last) if int(count) == int(last) - int(first) + 1 else -1]
                for op, first, last, count in json.loads(content)["dataset"]]

    def versions(self, name):
        answer, content = self.ask("GET", f"/v1/frames/{name}/versions?limit=1000")
        return [version["version"] for version in json.loads(content)["versions"]]

    def close(self):
        if self.connection is not None:
            self.connection.close()


class FlightWay:
    def __init__(self, request):
        self.address = request["grpc"]
        self.client = flight.connect(self.address)

    def call(self, work):
        try:
            return work(self.client)
        except flight.FlightUnavailableError as error:
            raise NoAnswer(str(error)) from error
        except (flight.FlightError, pa.ArrowException, OSError) as error:
            text = f"{type(error).__name__}: {error}"
            if isinstance(error, pa.ArrowKeyError):
                raise Refused(text, absent=True) from error
            if "already exists error" in text or "precondition failed error" in text:
                raise Refused(text) from error
            if isinstance(error, flight.FlightTimedOutError) or any(sign in text for sign in CUT_OFF):
                raise NoAnswer(text) from error
            raise Unexpected(text) from error

    def write(self, name, table, mode, key, if_version):
        command = {"name": name, "mode": mode, "idempotencyKey": key}
        if if_version is not None:
            command["ifVersion"] = if_version
        descriptor = flight.FlightDescriptor.for_command(json.dumps(command))

        def work(client):
            writer, results = client.do_put(descriptor, table.schema, flight.FlightCallOptions(timeout=30))
            writer.write_table(table)
            writer.done_writing()
            answer = results.read()
            writer.close()
            if answer is None:
                raise NoAnswer("the call ended without a result")
            return json.loads(answer.to_pybytes())["version"]

        return self.call(work)

    def drop(self, name):
        action = flight.Action("drop", json.dumps({"handle": name}).encode())
        self.call(lambda client: list(client.do_action(action, flight.FlightCallOptions(timeout=30))))

    def read(self, handle):
        def work(client):
            options = flight.FlightCallOptions(timeout=30)
            info = client.get_flight_info(flight.FlightDescriptor.for_path(handle), options)
            version = json.loads(info.app_metadata)["version"]
            return version, runs_of(client.do_get(info.endpoints[0].ticket, options).read_all())

        return self.call(work)

    def close(self):
        self.client.close()


class History:
    def __init__(self, path):
        self.file = open(path, "w")
        self.lock = threading.Lock()
        self.unexpected = []
        self.reasons = {}

    def add(self, operation):
        with self.lock:
            self.file.write(json.dumps(operation) + "\n")

    def reason(self, text):
        with self.lock:
            self.reasons[text[:120]] = self.reasons.get(text[:120], 0) + 1

    def fault(self, text):
        with self.lock:
            self.unexpected.append(text)


class Client(threading.Thread):
    def __init__(self, number, request, history):
        super().__init__()
        self.number = number
        self.request = request
        self.history = history
        self.random = random.Random(request["seed"] * 1000 + number)
        self.ends_at = time.monotonic() + request["seconds"]
        # SQL is asked for over HTTP by every client.
        self.http = HttpWay(request)
        self.way = self.http if number % 2 == 0 else FlightWay(request)
        self.count = 0
        self.retries = 0
        self.last_seen = {}

    def run(self):
        while time.monotonic() < self.ends_at:
            try:
                self.step()
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must hear of it
                self.history.fault(f"client {self.number}: {type(error).__name__}: {error}")
            time.sleep(self.random.random() * self.request["pause"])
        self.way.close()
        self.http.close()

    def step(self):
        name = self.random.choice(self.request["names"])
        kind = self.random.choices(
            ["create", "replace", "conditional", "append", "read", "sql", "drop"], [8, 8, 8, 36, 26, 10, 4]
        )[0]
        self.count += 1
        op = f"c{self.number}.{self.count}"
        if kind == "read":
            self.reading(op, name)
        elif kind == "sql":
            self.run_operation(op, name, "sql", lambda: {"content": self.http.sql(name)})
        elif kind == "drop":
            self.run_operation(op, name, "drop", lambda: self.way.drop(name) or {})
        else:
            self.writing(op, name, kind)

    def reading(self, op, name, way=None, pinned=None):
        def work():
            version, content = (way or self.way).read(name if pinned is None else f"{name}@{pinned}")
            self.last_seen[name] = version
            return {"version": version, "content": content}

        more = {} if pinned is None else {"pinned": True}
        return self.run_operation(op, name, "read", work, more)

    def writing(self, op, name, kind):
        rows = self.random.choice([1, 3, 10, 200])
        table = table_of(op, rows)
        more = {"rows": rows}
        if_version = None
        if kind == "conditional":
            kind = "replace"
            # Over HTTP the condition is an ETag, which the manifest has; Flight takes the number.
            if isinstance(self.way, FlightWay) and name in self.last_seen:
                if_version = more["ifVersion"] = self.last_seen[name]
        work = lambda: {"version": self.way.write(name, table, kind, f"k-{self.request['seed']}-{op}", if_version)}
        self.run_operation(op, name, kind, work, more)

    def run_operation(self, op, name, kind, work, more=None):
        """Repeats until there is an answer. A refusal after a try without one does not tell what that try will still do."""
        invoked = time.monotonic()
        operation = {"id": op, "name": name, "kind": kind, "invoked": invoked, "outcome": "unknown", **(more or {})}
        unanswered = False
        while time.monotonic() - invoked < GIVE_UP_S:
            if kind in ("read", "sql"):
                # Only the try that was answered counts for what a reader may see.
                operation["invoked"] = time.monotonic()
            try:
                operation.update(work())
                operation["outcome"] = "ok"
                break
            except Refused as refusal:
                if kind in ("read", "sql") or not unanswered:
                    operation["outcome"] = "absent" if refusal.absent else "refused"
                break
            except NoAnswer as reason:
                unanswered = True
                self.retries += 1
                self.history.reason(str(reason))
                time.sleep(0.05 + self.random.random() * 0.3)
        operation["answered"] = time.monotonic()
        self.history.add(operation)
        return operation


def read_everything(request, history):
    """After the run: every version that is left, and the newest through each way."""
    reader = Client(999, {**request, "seconds": 0}, history)
    ways = [HttpWay(request), FlightWay(request)]
    count = 0
    for name in request["names"]:
        for way in ways * 3:
            count += 1
            reader.reading(f"end.{count}", name, way)
        try:
            versions = ways[0].versions(name)
        except Refused:
            versions = []
        for version in versions:
            count += 1
            reader.reading(f"end.{count}", name, ways[0], version)
    return count


def main():
    request = json.load(sys.stdin)
    history = History(request["history"])
    clients = [Client(number, request, history) for number in range(request["clients"])]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    while not os.path.exists(request["stop"]):
        time.sleep(0.05)
    final = read_everything(request, history)
    history.file.close()
    retries = sum(client.retries for client in clients)
    reasons = sorted(history.reasons.items(), key=lambda item: -item[1])[:12]
    print(json.dumps({"unexpected": history.unexpected[:20], "retries": retries, "reasons": reasons, "final": final}))


main()
