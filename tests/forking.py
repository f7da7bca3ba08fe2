"""Python programs that start at once: each is a fork of one process that has imported everything.

Starting Python and importing the libraries takes a second of CPU, and most tests that start a program are not
about that. Here a process is started once, imports privior and what it needs, and forks when a program is
asked for. What runs is a process of its own, with the arguments, folder, environment, streams, session and
parent that it was given, so signals, exit codes and deaths are real. `Popen` stands in for subprocess's own;
what it cannot imitate (another program or locale, `PYTHON...` variables) it starts as usual.

A program that is started so may start one more in the same way: the process that reads rows. Code of tests
finds nothing of privior imported, as in a new process, so that what it changes is changed for all; unless it
says that it sees to that itself.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, CalledProcessError, CompletedProcess, TimeoutExpired
from typing import Any, NoReturn

from child_program import EVERYWHERE
from privior.curator.own_process import _START

__all__ = ["DEVNULL", "PIPE", "CalledProcessError", "CompletedProcess", "Popen", "TimeoutExpired", "run"]

COMMAND_LINE = "import sys; from privior.cli import main; sys.argv[0] = 'privior'; main()"
#: the commands that start a process which reads rows; others would be started as usual
READERS = frozenset({"batch", "demo", "init", "release"})
#: programs that find privior imported: they change nothing of it
READY = (COMMAND_LINE, _START)
#: what privior imports where it is needed
LIBRARIES = (
    *("flint", "ibis.backends.duckdb", "opendp.prelude", "pandas", "pyarrow.parquet", "pytest"),
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "matplotlib.figure"),
    *("rich.progress", "rich.table", "scipy.special"),
)

_SUBREAPER = 36
#: what the server is told by its environment
_BASE = dict(os.environ)
_lock = threading.Lock()
_Order = dict[str, Any]


class Popen(subprocess.Popen[Any]):
    """A process as `subprocess` gives it, forked where that makes no difference."""

    def __init__(self, args: Any, *more: Any, controls_terminal: bool = False, **named: Any) -> None:
        self._controls_terminal = controls_terminal
        super().__init__(args, *more, **named)

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int, c2pread: int,
        c2pwrite: int, errread: int, errwrite: int, *more: Any,
    ) -> None:  # fmt: skip
        pipes = (p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)
        given = os.environ if env is None else env
        code = None if executable or preexec_fn or pass_fds else _code(args, given)
        ask = None if code is None else _server()
        if ask is None:
            assert not self._controls_terminal
            super()._execute_child(  # type: ignore[misc]
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags,
                shell, *pipes, *more,
            )  # fmt: skip
            return
        order = {
            "code": code,
            "arguments": [os.fspath(one) for one in args[args.index("-c") + 1 :]],
            "isolated": "-I" in args[:-1][: args.index("-c")],
            "folder": os.path.abspath(os.fspath(cwd) if cwd is not None else os.getcwd()),
            "environment": dict(given),
            "session": bool(more[-2]),
            "terminal": self._controls_terminal,
            "mask": _umask(),
        }
        streams = [p2cread, c2pwrite, errwrite]
        with _lock:
            self.pid = ask(order, [own if own >= 0 else number for number, own in enumerate(streams)])
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def run(args: Sequence[str], *, timeout: float | None = None, check: bool = False, **named: Any) -> Any:
    """Run a program to its end, like `subprocess.run`."""
    if named.pop("capture_output", False):
        named["stdout"] = named["stderr"] = PIPE
    with Popen(args, **named) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    if check and process.returncode:
        raise CalledProcessError(process.returncode, args, output, errors)
    return CompletedProcess(args, process.returncode, output, errors)


def _code(args: Any, given: Any) -> str | None:
    """Return the code of a program that can be forked, or None."""
    if sys.platform != "linux" or not isinstance(args, list) or len(args) < 3 or args[0] != sys.executable:
        return None
    if args[1] != "-c" and args[1:3] != ["-I", "-c"]:
        return None
    told = ("LC_", "LANG") if args[1] == "-I" else ("LC_", "LANG", "PYTHON")
    if any(given.get(name) != _BASE.get(name) for name in {*given, *_BASE} if name.startswith(told)):
        return None
    return str(args[args.index("-c") + 1])


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


# ----------------------------------------------------------------------------------------------------------
# asking

_Ask = Callable[[_Order, list[int]], int]
#: what starts programs here, once one has been asked for; None where nothing can any more
_ask: list[_Ask | None] = []
_owner = os.getpid()
_ends: list[Callable[[], None]] = []


def build_commands_once() -> None:
    """Let a program that is run often build its commands once: that takes as long as running one."""
    import typer.main

    typer.main.get_command = functools.cache(typer.main.get_command)


def stop() -> None:
    """Let go of the process that forks, and wait for its end."""
    while _ends:
        _ask.clear()
        _ends.pop()()


def _server() -> _Ask | None:
    """Return what starts a program as a child of this process and gives its number; a fork has none."""
    if os.getpid() != _owner:
        return None
    with _lock:
        if not _ask:
            _ask.append(_served())
    return _ask[-1]


def _served() -> _Ask:
    """Start the process that forks; it ends with this one, or when this one lets go of it."""
    ours, theirs = socket.socketpair()
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import forking; forking.serve()"
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=theirs.fileno(),
            start_new_session=True,
            cwd=Path(__file__).parent,
        )

    def end() -> None:
        ours.close()
        server.wait()

    _ends.append(end)

    def ask(order: _Order, streams: list[int]) -> int:
        prctl = ctypes.CDLL(None).prctl
        reply, answers = socket.socketpair()
        with reply, answers:
            prctl(_SUBREAPER, 1, 0, 0, 0)  # whose parent ends is ours, for now
            try:
                _send(ours, order, [*streams, answers.fileno()])
                answers.close()
                return int(reply.recv(20))
            finally:
                prctl(_SUBREAPER, 0, 0, 0, 0)

    return ask


def _prepared() -> _Ask:
    """Fork a process that will become the one program which this program may start."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        order, streams = _received(theirs)
        _become(order, streams)
    theirs.close()

    def ask(order: _Order, streams: list[int]) -> int:
        _ask.append(None)
        with ours:
            _send(ours, order, streams)
        return child

    return ask


def _send(channel: socket.socket, order: _Order, files: list[int]) -> None:
    text = json.dumps(order).encode()
    socket.send_fds(channel, [len(text).to_bytes(8, "big")], files)
    channel.sendall(text)


def _received(channel: socket.socket) -> tuple[_Order, list[int]]:
    """Wait for an order; if nobody can give one any more, end."""
    size, files, _, _ = socket.recv_fds(channel, 8, 4)
    if not size:
        os._exit(0)
    text = b""
    while len(text) < int.from_bytes(size, "big"):
        text += channel.recv(int.from_bytes(size, "big") - len(text))
    return json.loads(text), files


# ----------------------------------------------------------------------------------------------------------
# the process that forks


def serve() -> None:
    """Import everything, and fork for each order that comes on standard input."""
    del sys.path[:2]
    for name in LIBRARIES:
        importlib.import_module(name)
    import privior

    for module in pkgutil.walk_packages(privior.__path__, "privior."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    _warm_up()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=os.dup(0))
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()
    while True:
        order, files = _received(channel)
        between = os.fork()
        if between == 0:
            between = os.getpid()
            if os.fork():
                os._exit(0)
            while os.getppid() == between:
                os.sched_yield()
            channel.close()
            *streams, reply = files
            with socket.socket(fileno=reply) as answer:
                answer.sendall(str(os.getpid()).encode())
            _become(order, streams)
        os.waitpid(between, 0)
        for file in files:
            os.close(file)


def _warm_up() -> None:
    """Compute what every process computes once: the commands, and the tables behind forecasts; no noise."""
    import privior as pv

    build_commands_once()
    app, main = importlib.import_module("privior.cli.app"), importlib.import_module("typer.main")
    for command in ("", *app.COMMANDS):
        main.get_command(app.program(command))
    fruit = pv.Categorical(["apple", "pear", "plum"])
    schema = pv.Schema({"fruit": fruit}, population="orchard", unit="person")
    for relation in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE):
        plan = pv.plan(
            pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1, neighbours=relation
        )
        plan.picture().html()


def _become(order: _Order, streams: list[int]) -> NoReturn:
    """Be the program that was ordered, to its end."""
    if order["session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(map(int, os.listdir("/proc/self/fd"))) + 1)
    if order["terminal"]:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(order["folder"])
    os.umask(order["mask"])
    os.environ.clear()
    os.environ.update(order["environment"])
    tempfile.tempdir = None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["-c", *order["arguments"][1:]]
    if not order["isolated"]:
        sys.path.insert(0, "")
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1 if os.isatty(1) else -1)
    sys.stderr = os.fdopen(2, "w", 1, "utf-8", "backslashreplace", closefd=False)
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    if order["code"] not in READY and not order["code"].startswith(EVERYWHERE):
        for name in [name for name in sys.modules if name.partition(".")[0] == "privior"]:
            del sys.modules[name]
    if not order["isolated"]:
        global _owner
        _owner = os.getpid()
        reads = order["code"] != COMMAND_LINE or READERS.intersection(order["arguments"][1:2])
        _ask[:] = [_prepared() if reads else None]
        subprocess.Popen = Popen  # type: ignore[misc]
    status: object = 0
    interrupted = False
    try:
        exec(compile(order["code"], "<string>", "exec"), main.__dict__)
    except SystemExit as end:
        status = end.code
    except BaseException as error:
        sys.excepthook(*sys.exc_info())
        status = 1
        interrupted = isinstance(error, KeyboardInterrupt)
    if status is not None and not isinstance(status, int):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if interrupted:
        _flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(120 if _flush() else int(str(status or 0)) & 255)


def _flush() -> bool:
    """Write what is still to be written, and return whether that failed."""
    failed = False
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            failed = True
    return failed
