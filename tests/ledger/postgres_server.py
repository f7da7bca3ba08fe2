"""A PostgreSQL server of the tests' own: installed if it is missing, made from nothing, started and stopped.

`python tests/ledger/postgres_server.py` installs what is missing and starts one for a moment. PostgreSQL
refuses to run as root, so root runs it as the user postgres, or as nobody. The server waits for its disk
(fsync) as any other does. Over TCP it asks for a password; over its socket, in a folder of its own, it does
not.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

USER, DATABASE = "keeper", "postgres"
_START = 60.0  # seconds


def programs() -> Path | None:
    """Return the folder of the server's programs, the newest if there are several."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(folders, key=lambda file: float(file.parts[-3]))
    return versions[-1].parent if versions else None


def installed() -> Path:
    """Return the folder of the server's programs after installing them if need be."""
    found = programs()
    if found is not None:
        return found
    with Path(tempfile.gettempdir(), "privior-postgres-install.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        found = programs()
        if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(["apt-get", "update", "-qq"], check=True)
            subprocess.run(["apt-get", "install", "-qq", "-y", "postgresql"], check=True, env=quiet)
            found = programs()
    if found is None:
        raise RuntimeError(
            "the tests of ledgers need PostgreSQL: install the package postgresql, or run make servers"
        )
    return found


@dataclass(frozen=True)
class PostgresServer:
    """A server that runs.

    Attributes:
        port: where it listens, on 127.0.0.1
        sockets: the folder of its socket
        password: of its user
    """

    port: int
    sockets: Path
    password: str

    def address(self, name: str) -> str:
        """Return the address of a ledger, over TCP, with the password."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/{DATABASE}#{name}"

    def local_address(self, name: str) -> str:
        """Return the address of a ledger, over the socket."""
        return f"postgresql://{USER}@/{DATABASE}?host={self.sockets}&port={self.port}#{name}"

    def run(self, *statements: str) -> list[tuple[object, ...]]:
        """Run statements as the keeper of the server, who may do anything, and return the last one's rows."""
        with psycopg.connect(self._local, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return [] if cursor.description is None else cursor.fetchall()

    @property
    def _local(self) -> str:
        return self.local_address("").removesuffix("#")

    def ready(self) -> bool:
        """Say whether it answers."""
        try:
            psycopg.connect(self._local).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Make a server in a folder of its own, and remove both afterwards."""
    programs = installed()
    folder = Path(tempfile.mkdtemp(prefix="privior-postgres-"))
    try:
        who = _server_user()
        password = secrets.token_hex(8)
        word = folder / "password"
        word.write_text(password)
        for place in (folder, word):
            os.chown(place, who, -1)
        initdb = [f"{programs}/initdb", "-D", f"{folder}/data", "-U", USER, f"--pwfile={word}", "--no-sync"]
        initdb += ["--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"]
        _as(who, initdb).check_returncode()
        server = PostgresServer(_free_port(), folder, password)
        with _started(server, programs, who):
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _started(server: PostgresServer, programs: Path, who: int) -> Iterator[None]:
    log = server.sockets / "log"
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": server.port,
        "unix_socket_directories": server.sockets,
        "max_connections": 200,
    }
    command = [str(programs / "postgres"), "-D", str(server.sockets / "data")]
    command += [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, cwd=server.sockets, user=who, extra_groups=_groups()
        )
    try:
        deadline = time.monotonic() + _START
        while not server.ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start: {log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGINT)  # ends connections, then itself
        process.wait(timeout=_START)


def _server_user() -> int:
    """Whom the server runs as: us, or if we are root, a user who may do little."""
    if os.geteuid() != 0:
        return os.geteuid()
    names = {user.pw_name: user.pw_uid for user in pwd.getpwall()}
    return names.get("postgres", names["nobody"])


def _as(who: int, command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, user=who, extra_groups=_groups(), cwd="/", stdout=subprocess.DEVNULL, check=False
    )


def _groups() -> list[int] | None:
    """The further groups of the server's user: none, if root starts it."""
    return [] if os.geteuid() == 0 else None


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


if __name__ == "__main__":
    with running_server() as trial:
        print(f"PostgreSQL runs: {trial.run('SHOW server_version')[0][0]}")
