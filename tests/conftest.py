"""What many tests use: a small schema, a table on disk and a release file, made by the public functions."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import tempfile
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from ledger_places import FilePlace, LedgerPlace, ServerPlace
from postgres_server import PostgresServer, running_server

import forking
import privior as pv
import shared_engine
from bulk_noise import draw_in_bulk
from cpu_report import CpuReport
from seeded_noise import seed_noise

# What is imported and collected stays: to look for cycles in it again and again would take long.
gc.disable()
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Caches of its own for each process: of two that write ArviZ's stamp of the day at once, one fails.
CACHES = tempfile.TemporaryDirectory(prefix="privior-tests-")
os.environ["XDG_CACHE_HOME"] = CACHES.name
forking.build_commands_once()
# An example may take long on a busy machine.
# The same examples in every run: what fails once fails always, and what passes here passes elsewhere.
settings.register_profile("privior", deadline=None, derandomize=True)
settings.load_profile("privior")
# Whoever starts the tests in the background may have them, and all they start, ignore interruptions.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Measure what the tests cost."""
    config.pluginmanager.register(CpuReport(), "cpu-report")


def pytest_collection_finish() -> None:
    """Look for cycles from now on, in what tests make."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the curator's log out of the home of whoever runs the tests."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVIOR_STATE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def state(states: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state of its own for each test: a machine that knows no ledger."""
    folder = states / f"{zlib.crc32(request.node.nodeid.encode()):08x}"
    monkeypatch.setenv("PRIVIOR_STATE", str(folder))
    return folder


@pytest.fixture(scope="session", autouse=True)
def forks(pytestconfig: pytest.Config) -> Iterator[None]:
    """Fork the process that reads rows from one that has imported everything: it starts at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privior.curator.own_process.subprocess", forking)
        yield
    report = pytestconfig.pluginmanager.get_plugin("cpu-report")
    assert isinstance(report, CpuReport)
    with report.apart("the processes that fork programs"):
        forking.stop()


@pytest.fixture(scope="session", autouse=True)
def one_engine() -> Iterator[None]:
    """Let one engine read all tables of this process."""
    with shared_engine.shared():
        yield


@pytest.fixture
def own_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start an engine for each reading, as everybody does, for tests of what it leaves."""
    monkeypatch.setattr("privior.tables.light_duckdb.connection", shared_engine.own)


@pytest.fixture
def started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the process that reads rows as everybody does, for tests of how it is started."""
    monkeypatch.setattr("privior.curator.own_process.subprocess", subprocess)


@pytest.fixture
def seeded_noise(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise in every run, another for each test: names of ledgers come from it as well."""
    seed_noise(zlib.crc32(request.node.nodeid.encode()), monkeypatch)


@pytest.fixture
def bulk_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that is drawn in bulk, for tests of the law of many releases."""
    draw_in_bulk(monkeypatch)


@pytest.fixture
def schema() -> pv.Schema:
    return pv.Schema(
        {"fruit": pv.Categorical(["apple", "pear", "plum"])}, population="orchard", unit="person"
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "fruit.csv"
    path.write_text("fruit\n" + "apple\n" * 50 + "pear\n" * 30 + "plum\n" * 20)
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "orchard.ledger", population="orchard", epsilon=10, delta="1e-3")


@pytest.fixture
def plan(schema: pv.Schema) -> pv.Plan:
    return pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1)


@pytest.fixture
def release_file(plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path) -> Path:
    path = tmp_path / "fruit.release.json"
    pv.measure(plan, table, ledger=ledger, output=path)
    return path


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL server, one for all tests of a process that need it."""
    with running_server() as started:
        yield started


@pytest.fixture
def on_server(server: PostgresServer) -> ServerPlace:
    return ServerPlace(server, uuid.uuid4().hex)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerPlace:
    """A free name for a ledger, on each kind of store."""
    if request.param == "sqlite":
        return FilePlace(tmp_path / "place.ledger")
    found = request.getfixturevalue("on_server")
    assert isinstance(found, ServerPlace)
    return found
