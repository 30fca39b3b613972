"""Programs go on when the server is restarted, and nothing is stored twice."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Servers

import framehold

RETRY_SECONDS = 180.0
"""A server takes long to start on a crowded machine."""
PORTS = range(20_000, 30_000)
"""Below those that the system gives to clients: the port must be free when the server comes back."""


class RestartedServer:
    def __init__(self, command: list[str], folder: Path) -> None:
        self._command = command
        self._folder = folder
        self._port = next(port for port in PORTS[os.getpid() % 5_000 :] if is_free(port))
        self.url = f"http://127.0.0.1:{self._port}"
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        arguments = ["server", "--data-dir", str(self._folder / "data")]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "SERVICE_HTTP_BIND_ADDRESS": f"127.0.0.1:{self._port}",
            "SERVICE_GRPC_HOST": "127.0.0.1",
            "SERVICE_GRPC_PORT": "0",
            "FRAMEHOLD_DRAIN_DELAY_MS": "0",
            "FRAMEHOLD_DRAIN_MS": "10000",
        }
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*self._command, *arguments], env=environment, cwd=self._folder, stdout=log, stderr=log
            )

    def restart(self, number: int) -> None:
        self.stop(number)
        self._process = self._start()

    def stop(self, number: int = signal.SIGTERM) -> None:
        self._process.send_signal(number)
        self._process.wait(60)


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.fixture
def server(servers: Servers, tmp_path: Path) -> Iterator[RestartedServer]:
    started = RestartedServer(servers.server_command, tmp_path)
    yield started
    started.stop(signal.SIGKILL)


class Program:
    """Repeats a call until it is stopped, or until it fails."""

    def __init__(self, call: Callable[[int], object]) -> None:
        self.done = 0
        self.error: BaseException | None = None
        self._is_stopped = threading.Event()
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._is_stopped.is_set():
                self._call(self.done)
                self.done += 1
        except BaseException as error:
            self.error = error

    def more(self, count: int) -> None:
        """Waits for that many further calls."""
        wanted = self.done + count
        deadline = time.monotonic() + RETRY_SECONDS
        while self.done < wanted and self.error is None and time.monotonic() < deadline:
            self._is_stopped.wait(0.01)
        assert self.error is None, self.error
        assert self.done >= wanted

    def stop(self) -> None:
        self._is_stopped.set()
        self._thread.join(RETRY_SECONDS)
        assert self.error is None, self.error


def test_programs_survive_a_restart(server: RestartedServer) -> None:
    with framehold.connect(server.url, retry_seconds=RETRY_SECONDS) as db:
        # The first requests find no server yet.
        large = db.put("large", pa.table({"n": pa.array(range(400_000), pa.int64())}))
        db.put("log", pa.table({"n": pa.array([-1], pa.int64())}))
        db.put("dropped", large)

        def read(_: int) -> None:
            assert large.to_arrow().num_rows == 400_000
            log = db["log"].to_arrow().column("n").to_pylist()
            assert log == list(range(-1, len(log) - 1))

        def ask(_: int) -> None:
            assert db.sql("SELECT count(*) AS n FROM large").to_arrow().to_pylist() == [{"n": 400_000}]

        def write(done: int) -> None:
            db.append("log", pa.table({"n": pa.array([done], pa.int64())}))

        programs = [Program(write), Program(read), Program(ask)]
        for number in (signal.SIGTERM, signal.SIGKILL):
            for each in programs:
                each.more(2)
            server.restart(number)
            if number == signal.SIGTERM:
                # Has no key, but a change that did not reach the server is repeated, too.
                db.drop("dropped")
        for each in programs:
            each.more(2)
        for each in programs:
            each.stop()
        assert db["log"].to_arrow().column("n").to_pylist() == list(range(-1, programs[0].done))
        assert "dropped" not in db
