"""T36: different causes, the same bytes; T38, T15: the cause is in the curator's log, and no cell is."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forking
import privior as pv
from child_program import EVERYWHERE, KILLED, PROGRAM, at, planted
from privior.curator import charging, prepare
from privior.curator.incidents import Incident, log_file

TESTS = Path(__file__).resolve().parent.parent
CANARY = "Kanarienvogel-17"
COUNTS = "privior.tables.table:OpenTable.read"
DRAW = "privior.mechanisms.tables.k_norm:k_norm"
RAISES = f"cell = {CANARY!r}; raise ValueError(f'row 17: {{cell}}')"
CHAINED = f"""
        try:
            raise KeyError({CANARY!r})
        except KeyError as error:
            raise type('Kept', (Exception,), {{}})({CANARY!r}) from error"""
CHANGED = """import pyarrow as pa, pyarrow.parquet as pq
        pq.write_table(pa.table({'fruit': ['apple'] * 99}), 'fruit.parquet')"""
GARBLED = """
        size = os.stat('fruit.parquet').st_size
        with open('fruit.parquet', 'r+b') as file:
            file.seek(4)
            file.write(b'\\xff' * 40)
        assert os.stat('fruit.parquet').st_size == size"""
SHORT = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))"

_NONSENSE = f"""
import privior.curator.channel as channel
real = channel.Channel.send
def send(self, message):
    real(self, {{"apple": {CANARY!r}}} if "statistics" in message else message)
channel.Channel.send = send
"""

#: what goes wrong in the process that reads, or (the last one) in the one that asked
CAUSES = {
    "the file is gone": at(COUNTS, "os.unlink('fruit.parquet')"),
    "the file is garbled": at(COUNTS, GARBLED),
    "the file has other rows": at(COUNTS, CHANGED),
    "reading raises": at(COUNTS, RAISES),
    "reading exits": at(COUNTS, f"raise SystemExit({CANARY!r})"),
    "no memory for reading": at(COUNTS, SHORT),
    "killed while reading": at(COUNTS, KILLED),
    "drawing raises": at(DRAW, CHAINED),
    "killed while drawing": at(DRAW, KILLED),
    "killed after drawing": at(DRAW, KILLED, "after"),
    "leaves without an answer": at(DRAW, "os._exit(0)"),
    "answers nonsense": _NONSENSE,
    "the folder of the output is gone": at(DRAW, "import shutil; shutil.rmtree('out')"),
}
BY_SIGNAL = {"killed while reading", "killed while drawing", "killed after drawing"}


@pytest.fixture
def orchard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    _make(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))
    return tmp_path


def _make(folder: Path) -> None:
    fruit = ["apple"] * 60 + ["pear"] * 30 + [CANARY] * 10
    pq.write_table(pa.table({"fruit": fruit}), folder / "fruit.parquet", compression="none")
    pv.Ledger.create(folder / "orchard.ledger", population="orchard", epsilon=2)
    (folder / "out").mkdir()


def _failure(plan: pv.Plan, cause: str, patch: pytest.MonkeyPatch) -> pv.ReleaseFailedError:
    patch.setattr(PROGRAM, lambda: planted(CAUSES[cause]))
    with pytest.raises(pv.ReleaseFailedError) as failure:
        pv.measure(plan, "fruit.parquet", ledger="orchard.ledger", output="out/r.json")
    return failure.value


def _log(folder: Path) -> str:
    return (folder / "state" / "curator.log").read_text("ascii")


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_has_the_same_answer(
    cause: str, plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is spelled out here: it is a function of the ledger entry alone."""
    failure = _failure(plan, cause, monkeypatch)
    last = pv.Ledger.open("orchard.ledger").verify()
    assert last.number == 1
    assert str(failure) == (
        "ledger entry 1: the release failed after its budget was spent\n"
        "  spent so far: epsilon 1, delta 0\n"
        "  No cause is given, because a cause may depend on the data. Ask whoever keeps the table, whose log "
        "names the incident.\n"
        "  The budget of this release stays spent: a refund would depend on the data.\n"
        f"  incident: {last.incident}"
    )
    assert failure.to_document()["incident"] == last.incident
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert not (orchard / "out" / "r.json").exists()
    _check_log(cause, _log(orchard), last.incident)


def _check_log(cause: str, log: str, incident: str) -> None:
    assert CANARY not in log
    assert "apple" not in log
    (line,) = (json.loads(line) for line in log.splitlines())
    assert line["incident"] == incident
    assert set(line) - {"ended"} == {"incident", "step", "errors", "frames"}
    assert line["errors"]
    if cause in BY_SIGNAL:
        assert line["ended"] == -9
    if cause == "drawing raises":
        assert line["errors"] == ["__main__.Kept", "builtins.KeyError"]
        assert line["step"] == "drawing"
        assert [frame for frame in line["frames"] if frame.endswith(" noisy") and "rows.py:" in frame]
    if cause == "the folder of the output is gone":
        assert line["step"] == "writing"
    if "read" in cause and "other" not in cause:
        assert line["step"] == "reading"


def test_the_log_is_for_its_owner_only(plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = os.umask(0)
    try:
        _failure(plan, "reading raises", monkeypatch)
        log = log_file()
        assert log == orchard / "state" / "curator.log"
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700
        log.chmod(0o644)
        _failure(plan, "the folder of the output is gone", monkeypatch)
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        assert len(log.read_text().splitlines()) == 2
    finally:
        os.umask(old)


def test_where_the_log_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "a"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "b"))
    monkeypatch.setenv("HOME", str(tmp_path / "c"))
    assert log_file() == tmp_path / "a" / "curator.log"
    monkeypatch.delenv("PRIVIOR_STATE")
    assert log_file() == tmp_path / "b" / "privior" / "curator.log"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert log_file() == tmp_path / "c" / ".local" / "state" / "privior" / "curator.log"


@pytest.mark.parametrize("place", ["no folder", "a link"])
def test_a_log_that_cannot_be_written_changes_nothing(
    place: str, plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = orchard / "elsewhere"
    if place == "no folder":
        state.write_text("a file")
    else:
        state.mkdir()
        (state / "curator.log").symlink_to(orchard / "target")
    monkeypatch.setenv("PRIVIOR_STATE", str(state))
    for number, cause in enumerate(("reading raises", "the folder of the output is gone"), 1):
        failure = _failure(plan, cause, monkeypatch)
        assert failure.incident == pv.Ledger.open("orchard.ledger").last().incident
        assert pv.Ledger.open("orchard.ledger").last().number == number
    assert not (orchard / "target").exists()  # nobody can redirect the log


def test_a_live_table_fails_with_the_same_words(
    plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process too the cause goes to the log alone, without its cells."""

    def fails(*_: object) -> None:
        cell = CANARY
        raise ValueError(cell)

    monkeypatch.setattr("privior.mechanisms.tables.k_norm.k_norm", fails)
    with pytest.raises(pv.ReleaseFailedError) as failure:
        pv.measure(plan, pa.table({"fruit": [CANARY] * 100}), ledger="orchard.ledger")
    assert CANARY not in str(failure.value)
    assert failure.value.incident == pv.Ledger.open("orchard.ledger").last().incident
    line = json.loads(_log(orchard))
    assert (line["step"], line["errors"]) == ("drawing", ["builtins.ValueError"])
    assert CANARY not in _log(orchard)


def test_a_log_with_messages_would_be_caught(
    plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a log that holds messages holds cells, and the checks above find them."""
    real = Incident._line

    def talkative(self: Incident, error: BaseException) -> dict[str, object]:
        return {**real(self, error), "errors": [str(error)]}

    monkeypatch.setattr(Incident, "_line", talkative)
    incident = Incident("0123abcd")
    incident.record(ValueError(CANARY))
    with pytest.raises(AssertionError):
        _check_log("reading raises", _log(orchard), "0123abcd")


def test_a_listener_learns_nothing_from_the_steps(
    plan: pv.Plan, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which step failed is a fact about the cause: after the spend one step is told, before any failure."""
    told = []
    for number, cause in enumerate(("reading raises", "drawing raises", "the folder of the output is gone")):
        steps: list[str] = []
        monkeypatch.setattr(PROGRAM, lambda cause=cause: planted(CAUSES[cause]))
        ready = prepare(
            plan, "fruit.parquet", ledger=pv.Ledger.in_memory(), output=f"out/{number}", progress=steps.append
        )
        with pytest.raises(pv.ReleaseFailedError):
            ready.carry_out(steps.append)
        told.append(steps)
    assert told[0] == told[1] == told[2]
    assert len(told[0]) == 4


# ----------------------------------------------------------------------------------------------------------
# the same through the command line, with everything it prints

_PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import child_program
import privior.curator.own_process
privior.curator.own_process._program = lambda: child_program.planted({code!r})
{more}
from privior.cli import main
sys.argv[0] = "privior"
main()
"""
_LEAKS = """
import privior.curator.charging as charging
from privior.errors import ReleaseFailedError
charging.failed = lambda receipt, incident: ReleaseFailedError(incident.step, incident=incident.number)
"""


def _ended(folder: Path, cause: str, options: list[str], more: str = "") -> tuple[int, bytes, bytes]:
    """Run a release in a folder made anew, and return all that can be seen of it."""
    from test_bad_input import ANALYSIS

    folder.mkdir()
    _make(folder)
    shutil.copy(folder.parent / "same.ledger", folder / "orchard.ledger")  # two ledgers never have one head
    (folder / "a.toml").write_text(ANALYSIS)
    code = EVERYWHERE + _PROGRAM.format(tests=str(TESTS), code=CAUSES[cause], more=more)
    arguments = ["release", "a.toml", "fruit.parquet", "-l", "orchard.ledger", "-o", "out/r.json", "--yes"]
    state = folder / "state"
    ended = forking.run(
        [sys.executable, "-c", code, *arguments, *options],
        cwd=folder,
        env={**os.environ, "PRIVIOR_STATE": str(state)},
        capture_output=True,
        stdin=forking.DEVNULL,
    )
    assert pv.Ledger.open(folder / "orchard.ledger").verify().number == 1
    assert CANARY not in (state / "curator.log").read_text()
    assert not (folder / "out" / "r.json").exists()
    return ended.returncode, ended.stdout, ended.stderr


_SEEN = ("the file is gone", "the file is garbled", "drawing raises", "killed while reading")


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["people", "programs"])
def test_the_command_line_ends_in_the_same_bytes(options: list[str], tmp_path: Path) -> None:
    pv.Ledger.create(tmp_path / "same.ledger", population="orchard", epsilon=10)
    causes = [*_SEEN, "the folder of the output is gone"]
    seen = {_ended(tmp_path / str(number), cause, options) for number, cause in enumerate(causes)}
    ((code, output, errors),) = seen
    assert code == 7
    assert b"incident" in (output if options else errors)
    assert CANARY.encode() not in output + errors


def test_an_answer_that_depends_on_the_cause_would_be_caught(tmp_path: Path) -> None:
    """The planted fault: an answer that names the step."""
    pv.Ledger.create(tmp_path / "same.ledger", population="orchard", epsilon=10)
    seen = {
        _ended(tmp_path / str(number), cause, [], _LEAKS)
        for number, cause in enumerate(("killed while drawing", "the folder of the output is gone"))
    }
    assert len(seen) == 2


def test_the_answer_is_made_in_one_place() -> None:
    """Nobody else may say that a release failed after its spend."""
    source = Path(pv.__file__).parent
    users = [
        path.relative_to(source)
        for path in source.rglob("*.py")
        if "ReleaseFailedError(" in path.read_text("utf-8").replace("class ReleaseFailedError(", "")
    ]
    assert users == [Path(charging.__file__).relative_to(source)]
