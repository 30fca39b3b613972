"""Runs a script as `python` would, and leaves at once when it has ended."""

import os
import runpy
import sys
import traceback


def run_and_leave(arguments):
    """Threads of pyarrow that are still running make an interpreter that tidies up abort now and then ("terminate called without an active
    exception"), after all work was done. So nothing is tidied up."""
    code = 0
    try:
        if arguments[0] == "-c":
            sys.argv = ["-c", *arguments[2:]]
            sys.path[0] = ""
            exec(compile(arguments[1], "<script>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = arguments
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run_and_leave(sys.argv[1:])
