"""Ctrl-C at each step leaves nothing half-written and says whether the spend stands (T27)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import run, run_on_terminal
from test_bad_input import ANALYSIS

import privior as pv
from child_program import EVERYWHERE

TESTS = Path(__file__).resolve().parent.parent

# Runs `privior` with one function wrapped so that a real SIGINT arrives before or after its n-th call.
_DRIVER = """
import os, signal, sys
place, when, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.argv = ["privior", *sys.argv[4:]]
if count == 0:  # not here: in the process that reads the rows
    import child_program, privior.curator.own_process
    code = child_program.at(place, child_program.INTERRUPTS_PARENT, "after" if when == "after" else "before")
    privior.curator.own_process._program = lambda: child_program.planted(code)
    place = "os:getpid"  # any function that can be counted
module, _, name = place.rpartition(":")
owner = __import__(module, fromlist=["_"])
for part in name.split(".")[:-1]:
    owner = getattr(owner, part)
last = name.split(".")[-1]
real = getattr(owner, last)
calls = 0
def wrapped(*given, **named):
    global calls
    calls += 1
    if calls == count and when in ("before", "twice"):
        os.kill(os.getpid(), signal.SIGINT)
    result = real(*given, **named)
    if calls == count and when == "after":
        os.kill(os.getpid(), signal.SIGINT)
    return result
setattr(owner, last, wrapped)
taken = getattr(real, "__module__", "") == getattr(owner, "__name__", None)  # from where it is defined
for module in [module for name, module in sys.modules.items() if taken and name.startswith("privior.")]:
    for known in [known for known, value in vars(module).items() if value is real]:
        setattr(module, known, wrapped)
if when == "twice":  # the second one comes while the ledger is asked what became of the first
    from privior.cli.screen import Screen
    from privior.ledger.ledger import Ledger
    for kind, method in ((Ledger, "entries"), (Screen, "complain")):
        def disturbed(self, *given, real=getattr(kind, method)):
            os.kill(os.getpid(), signal.SIGINT)
            return real(self, *given)
        setattr(kind, method, disturbed)
from privior.cli import main
main()
"""


@dataclass(frozen=True)
class Step:
    """Where the interruption comes, and what must be true afterwards."""

    place: str
    when: str = "before"
    count: int = 1
    spent: bool = False
    released: bool = False
    inside: bool = False  # the process that reads the rows

    def program(self) -> list[str]:
        count = "0" if self.inside else str(self.count)
        start = f"import sys; sys.path.insert(0, {str(TESTS)!r})"
        return [sys.executable, "-c", EVERYWHERE + start + _DRIVER, self.place, self.when, count]


STEPS = {
    "reading the analysis": Step("privior.analyses.analysis:read_facts"),
    "planning": Step("privior.planning.comparison:forecaster", count=2),
    "opening the ledger": Step("privior.ledger.ledger:Ledger.last"),
    "starting the process that reads": Step("subprocess:Popen"),
    "once that process runs": Step("subprocess:Popen", "after"),
    "before it is told the plan": Step("privior.curator.channel:Channel.send"),
    "while it starts": Step("privior.curator.silence:be_silent", inside=True),
    "checking the table": Step("privior.tables.opening:find", inside=True),
    "counting the records": Step("privior.curator.rows:_records", inside=True),
    "before the answer that it fits": Step("privior.curator.rows:_records", "after", inside=True),
    "before the spend": Step("privior.ledger.ledger:Ledger.spend"),
    "before the entry": Step("privior.ledger.pages:Page.append"),
    "before the commit": Step("privior.ledger.pages:Page.append", "after"),
    "after the spend": Step("privior.ledger.ledger:Ledger.spend", "after", spent=True),
    "before the order to go": Step("privior.curator.channel:Channel.send", count=2, spent=True),
    "after the order to go": Step("privior.curator.channel:Channel.send", "after", count=2, spent=True),
    "reading the cells": Step("privior.tables.table:OpenTable.read", spent=True, inside=True),
    "in the engine": Step("privior.tables.summing:totals", "after", spent=True, inside=True),
    "drawing the noise": Step("privior.mechanisms.tables.k_norm:k_norm", spent=True, inside=True),
    "twice, after the spend": Step(
        "privior.mechanisms.tables.k_norm:k_norm", "twice", spent=True, inside=True
    ),
    "twice, before the spend": Step("privior.tables.opening:find", "twice", inside=True),
    "after the noise": Step("privior.mechanisms.tables.k_norm:k_norm", "after", spent=True, inside=True),
    "once the noisy statistics are here": Step("privior.curator.own_process:to_payload", spent=True),
    "ending that process": Step("privior.curator.own_process:_end", spent=True),
    "removing its folder": Step("privior.curator.own_process:_wipe", spent=True),
    "writing the draft": Step("privior.release.release:write_whole", spent=True),
    "before it is stored": Step("privior.ledger.ledger:Ledger.finish", spent=True),
    "after it is stored": Step("privior.ledger.ledger:Ledger.finish", "after", spent=True),
    "before the draft is safe": Step("os:fsync", count=2, spent=True),  # the first is the anchor's
    "before the file has its name": Step("os:replace", count=2, spent=True),
    "after the file has its name": Step("os:replace", "after", count=2, spent=True, released=True),
    "inferring for the report": Step("privior.cache:infer", spent=True, released=True),
    "drawing the report": Step("privior.pictures.markup:page", "after", spent=True, released=True),
    "writing the report": Step("privior.report:write_whole", spent=True, released=True),
    "telling the left budget": Step("privior.cli.screen:Screen.text", count=3, spent=True, released=True),
    "telling the end": Step("privior.cli.screen:Screen.text", "after", count=5, spent=True, released=True),
    "before the report has its name": Step("os:replace", count=3, spent=True, released=True),
}


#: run in a Python that is started anew, as everybody runs it: one interruption of either process
ANEW = {"after the spend", "drawing the noise"}
#: interrupted after the release was stored and before its file was written: it can be had from the ledger
STORED = {
    "writing the draft",
    "after it is stored",
    "before the draft is safe",
    "before the file has its name",
}


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    (tmp_path / "a.toml").write_text(ANALYSIS)
    (tmp_path / "fruit.csv").write_text("fruit\n" + "apple\n" * 50 + "pear\n" * 30 + "plum\n" * 20)
    pv.Ledger.create(tmp_path / "orchard.ledger", population="orchard", epsilon=2)
    return tmp_path


@pytest.mark.parametrize("name", STEPS)
def test_a_release_interrupted(name: str, orchard: Path) -> None:
    step = STEPS[name]
    temporary = orchard / "temporary"
    temporary.mkdir()
    ended = run(
        ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json", "--yes"],
        orchard,
        {"TMPDIR": str(temporary)},
        program=step.program(),
        anew=name in ANEW,
    )
    assert ended.code == 130, ended
    assert "Traceback" not in ended.errors
    ledger = pv.Ledger.open(orchard / "orchard.ledger")
    assert ledger.verify().number == int(step.spent)
    assert ("The spend stands." in ended.errors) == step.spent
    assert ("Nothing was spent." in ended.errors) == (not step.spent)
    assert (orchard / "new.json").exists() == step.released
    if step.released:
        release = pv.Release.read(orchard / "new.json")
        assert pv.review(release, ledger).passed
        assert "complete" in ended.errors
    elif step.spent:
        kept = ledger.closing(1)
        stored = kept is not None and bool(kept.release)
        assert stored == (name in STORED)
        assert ("Nothing was released." in ended.errors) == (not stored)
        assert ("privior ledger release LEDGER 1" in ended.errors) == stored
    assert not list(temporary.iterdir())
    left = {path.name for path in orchard.iterdir()}
    assert not [name for name in left if name.startswith(".")]
    assert ("new.report.html" in left) == name.startswith("telling")


BATCH_STEPS = {
    "before the spend": Step("privior.ledger.ledger:Ledger.spend"),
    "after the spend": Step("privior.ledger.ledger:Ledger.spend", "after", spent=True),
    "telling the end": Step("privior.cli.screen:Screen.answer_table", spent=True, released=True),
}


@pytest.mark.parametrize("name", BATCH_STEPS)
def test_a_batch_interrupted(name: str, orchard: Path) -> None:
    step = BATCH_STEPS[name]
    ended = run(
        ["batch", "fruit.csv", "a.toml", "-l", "orchard.ledger", "--yes"], orchard, program=step.program()
    )
    assert ended.code == 130, ended
    assert pv.Ledger.open(orchard / "orchard.ledger").verify().number == int(step.spent)
    assert ("The spend stands." in ended.errors) == step.spent
    assert ("Nothing was spent." in ended.errors) == (not step.spent)
    assert (orchard / "a.release.json").exists() == step.released


def test_an_interrupted_report_can_be_made_again(orchard: Path) -> None:
    program = [sys.executable, "-c", EVERYWHERE + _DRIVER, "privior.report:write_whole", "before", "1"]
    arguments = ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json", "-y"]
    ended = run(arguments, orchard, program=program)
    assert "privior report new.json" in ended.errors
    assert run(["report", "new.json"], orchard).code == 0


def test_ctrl_c_at_the_question(orchard: Path) -> None:
    """The key itself, on a terminal."""
    arguments = ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json"]
    ended = run_on_terminal(arguments, orchard, {"[y/N]": "\x03"}, anew=True)
    assert ended.code == 130
    assert "Nothing was spent." in ended.plain
    assert pv.Ledger.open(orchard / "orchard.ledger").last().number == 0
    declined = run_on_terminal(arguments, orchard, {"[y/N]": "\x04"})  # the end of all input is no yes
    assert declined.code == 1


@pytest.mark.parametrize(
    ("place", "when", "arguments", "made"),
    [
        ("privior.analyses.draft:_column", "before", ["init", "fruit.csv"], "fruit.toml"),
        ("os:replace", "before", ["init", "fruit.csv"], "fruit.toml"),
        ("privior.ledger.pages:Page.append", "before", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("privior.ledger.pages:Page.append", "after", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("os:replace", "before", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("privior.plans.plan:forecaster", "before", ["plan", "a.toml"], "none"),
        ("privior.health:engine_version", "before", ["doctor"], "none"),
    ],
)
def test_other_commands_interrupted(
    place: str, when: str, arguments: list[str], made: str, orchard: Path
) -> None:
    program = [sys.executable, "-c", EVERYWHERE + _DRIVER, place, when, "1"]
    ended = run(arguments, orchard, program=program)
    assert ended.code == 130, ended
    assert "Nothing was spent." in ended.errors
    assert not (orchard / made).exists()
    assert not [path.name for path in orchard.rglob(".*")]


def test_the_demonstration_interrupted(orchard: Path) -> None:
    program = [sys.executable, "-c", EVERYWHERE + _DRIVER, "privior.report:write_whole", "before", "1"]
    ended = run(["demo", "d"], orchard, program=program)
    assert ended.code == 130
    assert "nobody's budget" in ended.errors
    assert run(["demo", "d", "-q"], orchard).output == "d\n"


def test_a_ledger_is_never_removed_once_it_is_whole(orchard: Path) -> None:
    program = [sys.executable, "-c", EVERYWHERE + _DRIVER, "os:replace", "after", "1"]
    ended = run(["ledger", "create", "n", "-p", "x", "-e", "1"], orchard, program=program)
    assert ended.code == 130
    assert pv.Ledger.open(orchard / "n").verify().number == 0
