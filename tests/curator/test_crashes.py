"""T27: kill -9 at every step of `measure`, of either process: never more released than spent, no traces."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import forking
import privior as pv
from child_program import EVERYWHERE, KILLED, PROGRAM, at, planted
from privior.curator import prepare

TESTS = Path(__file__).resolve().parent.parent
_PATIENCE = 30

# a program that makes one release and says on its last line how it ended
_PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import child_program, privior as pv
import privior.curator.own_process as own
{here}
own._program = lambda: child_program.planted({there!r})
fruit = pv.Categorical(["apple", "pear", "plum"])
schema = pv.Schema({{"fruit": fruit}}, population="orchard", unit="person")
plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1, mechanism=pv.KNorm)
try:
    pv.measure(plan, "fruit.csv", ledger="orchard.ledger", output="new.json")
except pv.PriviorError as error:
    print(error)
    raise SystemExit(7 if isinstance(error, pv.ReleaseFailedError) else 6)
"""


@dataclass(frozen=True)
class Crash:
    """Where a process dies, and what must be true afterwards."""

    place: str
    when: str = "before"
    count: int = 1
    spent: bool = True
    released: bool = False

    def code(self, act: str) -> str:
        return at(self.place, act, self.when, self.count)


SEND = "privior.curator.channel:Channel.send"
RECEIVE = "privior.curator.channel:Channel.receive"
#: steps of the program that asks
ASKING = {
    "before the process is started": Crash("subprocess:Popen", spent=False),
    "after it is started": Crash("subprocess:Popen", "after", spent=False),
    "after the plan is sent": Crash(SEND, "after", spent=False),
    "after the first answer": Crash(RECEIVE, "after", spent=False),
    "before the spend": Crash("privior.ledger.ledger:Ledger.spend", spent=False),
    "before the commit": Crash("privior.ledger.pages:Page.append", "after", spent=False),
    "after the spend": Crash("privior.ledger.ledger:Ledger.spend", "after"),
    "before the order to go": Crash(SEND, count=2),
    "after the order to go": Crash(SEND, "after", count=2),
    "after an answer to it": Crash(RECEIVE, "after", count=3),
    "with the statistics": Crash("privior.curator.own_process:to_payload"),
    "before the process is ended": Crash("privior.curator.own_process:_end"),
    "before the folder is removed": Crash("privior.curator.own_process:_wipe"),
    "before the file is written": Crash("privior.release.release:write_whole"),
    "before it is stored": Crash("privior.ledger.ledger:Ledger.finish"),
    "before that is safe": Crash("privior.ledger.pages:Page.close", "after"),
    "after it is stored": Crash("privior.ledger.ledger:Ledger.finish", "after"),
    "before the draft is safe": Crash("os:fsync", count=2),  # the first is the anchor's
    "before the file has its name": Crash("os:replace", count=2),
    "after the file has its name": Crash("os:replace", "after", count=2, released=True),
}
#: steps of the process that reads
READING = {
    "before it is silent": Crash("privior.curator.silence:be_silent", spent=False),
    "before the table is found": Crash("privior.tables.opening:find", spent=False),
    "before the records are counted": Crash("privior.curator.rows:_records", spent=False),
    "after the records are counted": Crash("privior.curator.rows:_records", "after", spent=False),
    "before it says that all fits": Crash(SEND, count=2, spent=False),
    "before it says that it reads": Crash(SEND, count=3),
    "before the cells are read": Crash("privior.tables.table:OpenTable.read"),
    "in the engine": Crash("privior.tables.summing:totals", "after"),
    "before it says that it draws": Crash(SEND, count=4),
    "before the noise": Crash("privior.mechanisms.tables.k_norm:k_norm"),
    "after the noise": Crash("privior.mechanisms.tables.k_norm:k_norm", "after"),
    "before the answer": Crash(SEND, count=5),
    "after the answer": Crash(SEND, "after", count=5, released=True),
}


#: steps at which both processes are started anew, as everybody starts them
ANEW = {"after the order to go", "in the engine"}


@pytest.fixture
def orchard(tmp_path: Path, table: Path, ledger: pv.Ledger) -> Path:
    (tmp_path / "temporary").mkdir()
    return tmp_path


def _run(
    orchard: Path, here: str = "", there: str = "", *, anew: bool = False
) -> subprocess.CompletedProcess[str]:
    code = EVERYWHERE + _PROGRAM.format(tests=str(TESTS), here=here, there=there)
    start = subprocess.run if anew else forking.run
    return start(
        [sys.executable, "-c", code],
        cwd=orchard,
        env={**os.environ, "TMPDIR": str(orchard / "temporary")},
        capture_output=True,
        text=True,
        timeout=120,
    )


def _check(orchard: Path, crash: Crash) -> None:
    """Nothing is left but what may be, and no more was released than spent."""
    ledger = pv.Ledger.open(orchard / "orchard.ledger")
    assert ledger.verify().number == int(crash.spent)
    file = orchard / "new.json"
    written = file.exists() and file.stat().st_size > 0  # a name that was taken may be left, without content
    assert written == crash.released
    if written:
        assert pv.review(pv.Release.read(file), ledger).passed
    assert _soon(lambda: not list((orchard / "temporary").iterdir()))


def _soon(holds: object) -> bool:
    end = time.monotonic() + _PATIENCE
    assert callable(holds)
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(holds())


@pytest.mark.parametrize("step", ASKING)
def test_the_program_that_asks_is_killed(step: str, orchard: Path, schema: pv.Schema) -> None:
    crash = ASKING[step]
    ended = _run(orchard, here=crash.code(KILLED), anew=step in ANEW)
    assert ended.returncode == -9, ended
    if step == "before the process is started":  # nobody else knows of the folder yet; it is empty
        (empty,) = (orchard / "temporary").iterdir()
        empty.rmdir()
    _check(orchard, crash)
    (orchard / "new.json").unlink(missing_ok=True)
    plan = pv.plan(
        pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1, mechanism=pv.KNorm
    )
    ledger = orchard / "orchard.ledger"
    pv.measure(plan, orchard / "fruit.csv", ledger=ledger, output=orchard / "new.json")  # in nobody's way
    assert pv.Ledger.open(orchard / "orchard.ledger").verify().number == int(crash.spent) + 1


@pytest.mark.parametrize("step", READING)
def test_the_process_that_reads_is_killed(step: str, orchard: Path) -> None:
    crash = READING[step]
    ended = _run(orchard, there=crash.code(KILLED), anew=step in ANEW)
    _check(orchard, crash)
    assert not (orchard / "new.json").exists() or crash.released
    if crash.released:
        assert ended.returncode == 0, ended
    elif crash.spent:
        assert ended.returncode == 7, ended
        incident = pv.Ledger.open(orchard / "orchard.ledger").last().incident
        assert ended.stdout.endswith(f"  incident: {incident}\n")
        assert len(ended.stdout.splitlines()) == 5
    else:
        assert ended.returncode == 6, ended
        assert "Nothing was spent." in ended.stdout


#: a query that takes minutes, in the engine and not in Python
_LONG = "import duckdb; duckdb.sql('SELECT sum(hash(a.range) % 7) FROM range(10000000000) a').fetchall()"
#: a thread that fills the folder while it is removed
_BUSY = """
        import threading
        def fill():
            for n in range(10**9):
                try:
                    with open(os.path.join(os.environ['TMPDIR'], str(n % 1000)), 'w') as file:
                        file.write('apple')
                except OSError:
                    pass
        threading.Thread(target=fill, daemon=True).start()
        time.sleep(0.3)
"""
_ORPHANED = "os.kill(os.getppid(), signal.SIGKILL)"
_NOTED = "open('child', 'w').write(str(os.getpid()))"


def _runs(process: int) -> bool:
    """Say whether a process is there, and not only its exit code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux which processes run")
@pytest.mark.parametrize("doing", ["waiting", "in a long query", "filling its folder", "computing"])
def test_an_orphan_ends_at_once(doing: str, orchard: Path) -> None:
    act = {
        "waiting": "time.sleep(600)",
        "in a long query": _LONG,
        "filling its folder": "time.sleep(600)",
        "computing": "for _ in iter(int, 1): pass",
    }[doing]
    busy = _BUSY if doing == "filling its folder" else ""
    there = at(
        "privior.tables.summing:totals", f"{_NOTED}{busy or chr(10)}\n        {_ORPHANED}\n        {act}"
    )
    ended = _run(orchard, there=there, anew=doing == "waiting")
    assert ended.returncode == -9
    child = int((orchard / "child").read_text())
    try:
        _check(orchard, Crash("", spent=True))
        assert _soon(lambda: not _runs(child))
    finally:
        if _runs(child):
            os.kill(child, 9)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux which processes run")
def test_an_orphan_that_does_not_watch_would_be_seen(orchard: Path) -> None:
    """The planted fault: without its watch the process lives on, and its folder stays."""
    blind = "import privior.curator.worker as w; w._leave = lambda: None\n"
    act = f"{_NOTED}; {_ORPHANED}; time.sleep(600)"
    ended = _run(orchard, there=blind + at("privior.tables.summing:totals", act))
    assert ended.returncode == -9
    child = int((orchard / "child").read_text())
    time.sleep(3)
    try:
        assert _runs(child)
        assert list((orchard / "temporary").iterdir())
    finally:
        os.kill(child, 9)


def test_the_process_ends_with_its_release(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lives as long as one release, also if it would rather stay."""
    stays = "import privior.curator.worker as w, time; w._leave = lambda: time.sleep(600)\n"
    monkeypatch.setattr(PROGRAM, lambda: planted(stays))
    ready = prepare(plan, table, ledger=ledger)
    child = ready._unread._rows._child  # type: ignore[union-attr]
    started = time.monotonic()
    ready.carry_out()
    assert time.monotonic() - started < 60
    assert child.returncode == -9
