"""Runs a command on a pseudo-terminal, types what a person would, and prints what was shown, as JSON."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

request = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(request.get("cwd", "/"))
    os.execvpe(request["command"][0], request["command"], request["env"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, request.get("columns", 80), 0, 0))

shown = ""
ended = False


def read(seconds: float) -> None:
    global shown, ended
    ready, _, _ = select.select([terminal], [], [], seconds)
    if not ready:
        return
    try:
        data = os.read(terminal, 65536)
    except OSError:
        data = b""
    ended = ended or data == b""
    shown += data.decode("utf-8", "replace")


def wait_for(text: str, start: int) -> int:
    until = time.monotonic() + request.get("seconds", 60)
    while text not in shown[start:]:
        if ended or time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            sys.exit(f"waited for {text!r}; shown: {shown[start:]!r}")
        read(0.1)
    return shown.index(text, start) + len(text)


place = 0
for step in request["steps"]:
    if "expect" in step:
        place = wait_for(step["expect"], place)
    if "send" in step:
        os.write(terminal, step["send"].encode())
deadline = time.monotonic() + request.get("seconds", 60)
while not ended and time.monotonic() < deadline:
    read(0.1)
if not ended:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
json.dump({"shown": shown, "code": os.waitstatus_to_exitcode(status)}, sys.stdout)
