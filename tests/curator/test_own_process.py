"""T38: files are read in a process of their own, which leaves nothing; T29: one draw for one order to go."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import privior as pv
from child_program import PROGRAM, at, planted
from privior.curator import own_process, prepare
from privior.curator.channel import Channel

COUNTS = "privior.tables.table:OpenTable.read"
DRAW = "privior.mechanisms.tables.k_norm:k_norm"
FRUIT = ["apple"] * 50 + ["pear"] * 30 + ["plum"] * 20


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of which one can see whether anything is left in it."""
    import tempfile

    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def _loaded(table: str, folder: Path) -> set[str]:
    code = f"""
import sys
import privior as pv
fruit = pv.Categorical(["apple", "pear", "plum"])
schema = pv.Schema({{"fruit": fruit}}, population="orchard", unit="person")
plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1)
pv.measure(plan, {table}, ledger=pv.Ledger.in_memory(), output="r.json")
print("\\n".join(sys.modules))
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_the_program_that_asks_never_loads_what_reads_rows(table: Path) -> None:
    engines = {"duckdb", "_duckdb", "ibis", "pyarrow", "pandas", "polars"}
    loaded = _loaded(repr(table.name), table.parent)
    assert "privior.curator.own_process" in loaded
    assert not loaded & engines
    assert not [name for name in loaded if name.startswith("privior.tables")]
    (table.parent / "r.json").unlink()
    live = _loaded(f'__import__("pyarrow").table({{"fruit": {FRUIT}}})', table.parent)
    assert {"privior.tables", "duckdb"} < live  # a live table is read where it lives: the test can tell


@pytest.mark.usefixtures("started_anew")
def test_a_release_says_where_its_rows_were_read(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    own = pv.measure(plan, table, ledger=ledger, output=tmp_path / "own.json")
    shared = pv.measure(plan, pa.table({"fruit": FRUIT}), ledger=ledger, output=tmp_path / "shared.json")
    old = pv.Release.read(Path(__file__).parent.parent / "compat" / "0.1" / "k-norm.json")
    assert (own.process, shared.process, old.process) == ("own", "shared", None)
    for release, says in ((own, "process of their own"), (shared, "that asked"), (old, "unknown")):
        (check,) = (check for check in pv.review(release).checks if check.name == "process")
        assert says in check.says
        assert check.verdict.value == "open"  # a file cannot prove it
    for name, release in (("own", own), ("shared", shared)):
        assert pv.Release.read(tmp_path / f"{name}.json") == release
        assert json.loads((tmp_path / f"{name}.json").read_text())["format"] == 4


@pytest.mark.parametrize("process", [None, "none", 3, ["own"], ""])
def test_another_kind_of_process_is_refused(process: object, release_file: Path) -> None:
    document = json.loads(release_file.read_text())
    document["process"] = process
    with pytest.raises(pv.ReleaseError, match="process"):
        pv.Release.from_json(json.dumps(document))
    del document["process"]
    with pytest.raises(pv.ReleaseError, match="missing"):
        pv.Release.from_json(json.dumps(document))
    old = {name: document["ledger"][name] for name in ("population", "entry", "head", "durable")}
    amounts = {"spent": {"epsilon": "1", "delta": "0"}, "cap": document["ledger"]["accounting"]["cap"]}
    third = {**document, "format": 3, "ledger": {**old, **amounts}}
    assert pv.Release.from_json(json.dumps(third)).process is None


_LOOK = """
import ctypes, json, logging, resource, stat, sys, tempfile, warnings
folder = os.environ["TMPDIR"]
open(os.path.join(folder, "spilled"), "w").write("apple")
json.dump({
    "folder": folder, "tempfile": tempfile.gettempdir(), "mode": stat.S_IMODE(os.stat(folder).st_mode),
    "spilled": stat.S_IMODE(os.stat(os.path.join(folder, "spilled")).st_mode),
    "core": resource.getrlimit(resource.RLIMIT_CORE), "dumpable": ctypes.CDLL(None).prctl(3, 0, 0, 0, 0),
    "streams": [os.fstat(n).st_rdev == os.stat("/dev/null").st_rdev for n in (0, 1, 2)],
    "session": os.getsid(0), "process": os.getpid(), "parent": os.getppid(), "cwd": os.getcwd(),
    "interrupts": signal.getsignal(signal.SIGINT) == signal.SIG_IGN, "isolated": sys.flags.isolated,
    "logs": logging.getLogger("duckdb").isEnabledFor(logging.CRITICAL), "last": logging.lastResort is None,
    "privior": sys.modules["privior"].__file__, "faults": __import__("faulthandler").is_enabled(),
}, open(FOUND, "w"))
"""


def _seen_inside(
    plan: pv.Plan, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    found = tmp_path / "found.json"
    look = f"exec({_LOOK.replace('FOUND', repr(str(found)))!r}, {{'os': os, 'signal': signal}})"
    monkeypatch.setattr(PROGRAM, lambda: planted(at(COUNTS, look)))
    pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    return dict(json.loads(found.read_text()))


@pytest.mark.usefixtures("started_anew")
def test_inside_the_process(
    plan: pv.Plan, table: Path, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    seen = _seen_inside(plan, table, tmp_path, monkeypatch)
    assert Path(str(seen["folder"])).parent == temporary
    assert seen["tempfile"] == seen["folder"]
    assert (seen["mode"], seen["spilled"]) == (0o700, 0o600)
    assert seen["core"] == [0, 0]
    if sys.platform == "linux":
        assert seen["dumpable"] == 0
    assert seen["streams"] == [True] * 3
    assert seen["session"] == seen["process"]
    assert seen["parent"] == os.getpid()
    assert seen["cwd"] == str(Path.cwd())
    assert seen["interrupts"]
    assert seen["isolated"]
    assert seen["last"]
    assert not seen["logs"]
    assert not seen["faults"]
    assert seen["privior"] == pv.__file__
    assert not list(temporary.iterdir())  # what was spilled is gone, and so is the folder


def test_what_is_not_silenced_would_be_seen(
    plan: pv.Plan, table: Path, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look inside can tell: without silence it finds what it should not."""
    found = tmp_path / "found.json"
    look = f"exec({_LOOK.replace('FOUND', repr(str(found)))!r}, {{'os': os, 'signal': signal}})"
    loud = "import privior.curator.silence as s; s.be_silent = lambda: None"
    monkeypatch.setattr(PROGRAM, lambda: planted(loud + "\n" + at(COUNTS, look)))
    pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    seen = json.loads(found.read_text())
    assert not seen["interrupts"]
    assert seen["logs"]
    assert seen["spilled"] == 0o666 & ~own_umask()
    assert sys.platform != "linux" or seen["dumpable"] == 1


def own_umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_NOISE = "os.write(1, b'apple 50\\n'); os.write(2, b'apple'); print('apple', flush=True)"


def test_nothing_that_is_printed_gets_out(
    plan: pv.Plan,
    table: Path,
    ledger: pv.Ledger,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(PROGRAM, lambda: planted(at(COUNTS, _NOISE)))
    pv.measure(plan, table, ledger=ledger)
    loud = (
        "import privior.curator.silence as s\n"
        "s.take_streams = lambda: (open(0, 'rb', closefd=False), open(1, 'wb', closefd=False))\n"
    )
    monkeypatch.setattr(PROGRAM, lambda: planted(loud + at(COUNTS, _NOISE)))
    with pytest.raises(
        pv.ReleaseFailedError
    ):  # the planted fault: prints mix with the answer, and are noticed
        pv.measure(plan, table, ledger=ledger)
    shown = capfd.readouterr()
    assert "apple" not in shown.out + shown.err


@pytest.mark.usefixtures("started_anew")
def test_t29_one_order_to_go_one_draw(plan: pv.Plan, table: Path, temporary: Path) -> None:
    """However often it is told to go, the process answers once and ends."""
    child = own_process._started(str(temporary))
    assert child.stdin is not None
    assert child.stdout is not None
    channel = Channel(child.stdout, child.stdin)
    order = {"plans": [plan.to_document()], "digests": [plan.digest], "table": str(table), "extensions": []}
    channel.send(order)
    said = [channel.receive(), channel.receive()]
    assert said == [{"step": "counting the records"}, {"prepared": True}]
    go = json.dumps({"go": "0123abcd"}) + "\n"
    child.stdin.write(go.encode() * 3)
    child.stdin.flush()
    answers = [json.loads(line) for line in child.stdout.read().splitlines()]
    assert [list(answer) for answer in answers] == [["step"], ["step"], ["statistics"]]
    assert sum(answers[-1]["statistics"][0]["counts"]) == 100
    assert child.wait(10) == 0
    child.stdin.close()
    child.stdout.close()
    assert temporary.exists()  # a folder that is not a private one is never removed


def test_no_order_no_rows(
    plan: pv.Plan, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T27: while it waits, no cell has been read."""
    read = tmp_path / "read"
    monkeypatch.setattr(PROGRAM, lambda: planted(at(COUNTS, f"open({str(read)!r}, 'w')")))
    ready = prepare(plan, table, ledger=pv.Ledger.in_memory())
    time.sleep(0.5)
    assert not read.exists()
    ready.carry_out()
    assert read.exists()


@pytest.mark.parametrize("how", ["closed", "forgotten", "left", "refused"])
def test_a_measurement_that_is_not_carried_out_leaves_nothing(
    how: str, plan: pv.Plan, table: Path, temporary: Path
) -> None:
    ready = prepare(plan, table, ledger=pv.Ledger.in_memory())
    child = ready._unread._rows._child  # type: ignore[union-attr]
    assert len(list(temporary.iterdir())) == 1
    if how == "closed":
        ready.close()
        ready.close()
    elif how == "left":
        with ready:
            pass
    elif how == "refused":
        ready.outputs = (table,)  # the name is not free
        with pytest.raises(pv.TableError, match="exists already"):
            ready.carry_out()
    del ready
    gc.collect()
    assert not list(temporary.iterdir())
    assert child.returncode in (0, -signal.SIGKILL)  # by itself, or after a moment by force


def test_a_process_that_is_gone_before_the_spend_costs_nothing(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, temporary: Path
) -> None:
    ready = prepare(plan, table, ledger=ledger)
    child = ready._unread._rows._child  # type: ignore[union-attr]
    child.kill()
    child.wait()
    with pytest.raises(pv.TableError, match="is gone") as refusal:
        ready.carry_out()
    assert "Nothing was spent" in str(refusal.value)
    assert ledger.last().number == 0
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    "program",
    [
        ["/nowhere/python"],
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "print('apple', flush=True); input()"],
        [sys.executable, "-c", "print('[1]'); input()"],
        [sys.executable, "-c", """print('{"refused": {"kind": "Apple"}}')"""],
        [sys.executable, "-c", """print('{"step": "apple"}')"""],
    ],
)
def test_a_process_that_cannot_serve_costs_nothing(
    program: list[str], plan: pv.Plan, table: Path, ledger: pv.Ledger, temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(PROGRAM, lambda: program)
    with pytest.raises(pv.TableError, match="could not be started") as refusal:
        pv.measure(plan, table, ledger=ledger)
    assert "apple" not in str(refusal.value)
    assert refusal.value.__context__ is None or refusal.value.__suppress_context__
    assert ledger.last().number == 0
    assert not list(temporary.iterdir())


def test_no_temporary_folder_costs_nothing(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, temporary: Path
) -> None:
    temporary.rmdir()
    with pytest.raises(pv.TableError, match="temporary folder"):
        pv.measure(plan, table, ledger=ledger)
    assert ledger.last().number == 0


def test_an_unforeseen_failure_before_the_spend_tells_no_cause(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        PROGRAM, lambda: planted(at("privior.tables.opening:find", "raise RuntimeError('apple')"))
    )
    with pytest.raises(pv.TableError, match="cannot be opened") as refusal:
        pv.measure(plan, table, ledger=ledger)
    assert "apple" not in str(refusal.value)
    assert ledger.last().number == 0


def test_a_fork_cannot_use_what_its_parent_prepared(table: Path) -> None:
    """T13: a copy of this process neither orders a draw nor ends the process that waits for its parent."""
    code = f"""
import os
import privior as pv
from privior.curator import prepare
fruit = pv.Categorical(["apple", "pear", "plum"])
schema = pv.Schema({{"fruit": fruit}}, population="orchard", unit="person")
plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1)
book = pv.Ledger.create("o.ledger", population="orchard", epsilon=2)
ready = prepare(plan, {table.name!r}, ledger=book)
copy = os.fork()
if copy == 0:
    try:
        ready.carry_out()
    except pv.PlanError as error:
        assert "another process" in str(error)
        raise SystemExit(7)
assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 7
ready.carry_out()
assert book.last().number == 1
"""
    subprocess.run([sys.executable, "-c", code], cwd=table.parent, check=True, capture_output=True)


def test_the_table_may_be_named_relative_to_here(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    odd = table.rename(table.parent / "früchte \udcff\n.csv")
    assert pv.measure(plan, odd.name, ledger=ledger).process == "own"
    assert pv.measure(plan, Path(odd.name), ledger=ledger).process == "own"
