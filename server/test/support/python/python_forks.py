"""Runs scripts, each in a fork of this process, which has imported what most of them need: `python_forks.py SOCKET MODULE…`.

A connection sends one request and closes its sending side. The answer is a line of JSON, then what the script wrote. Ends when its standard input does.
"""

import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile

from python_script import run_and_leave


def main():
    for module in sys.argv[2:]:
        importlib.import_module(module)
    # Ctrl-C reaches every process of a terminal: whoever started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nobody waits for the processes that look after a script.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in readable:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            look_after(connection)
            os._exit(0)
        connection.close()


def look_after(connection):
    """Runs the script of one connection to its end. A connection that breaks ends the script, too."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request = json.loads(read_all(connection))
    streams = [tempfile.TemporaryFile() for _ in range(3)]
    streams[0].write(request["input"].encode())
    streams[0].seek(0)
    script = os.fork()
    if script == 0:
        connection.close()
        run_script(request, streams)
    ended = os.pidfd_open(script)
    # The other side has ended its request, which looks like the end of the connection: only an error or a full close is one.
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(connection, 0)
    if ended not in [each for each, _ in waiting.poll()]:
        os.kill(script, signal.SIGKILL)
    _, status, usage = os.wait4(script, 0)
    written = []
    for stream in streams[1:]:
        stream.seek(0)
        written.append(stream.read())
    head = {
        "code": os.waitstatus_to_exitcode(status),
        "outputBytes": len(written[0]),
        "processorSeconds": usage.ru_utime + usage.ru_stime,
    }
    try:
        connection.sendall(json.dumps(head).encode() + b"\n" + b"".join(written))
    except OSError:
        # It has given up.
        pass


def run_script(request, streams):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    # `random` does this by itself; numpy would give every script the same numbers.
    sys.modules["numpy"].random.seed()
    run_and_leave(request["arguments"])


def read_all(connection):
    chunks = []
    while chunk := connection.recv(1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


# At once: threads of pyarrow may not survive an interpreter that tidies up.
main()
os._exit(0)

