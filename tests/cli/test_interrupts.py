"""Ctrl-C at each step leaves nothing half-written and says whether the spend stands (T27)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import run, run_on_terminal
from test_bad_input import ANALYSIS

import privior as pv

# Runs `privior` with one function wrapped so that a real SIGINT arrives before or after its n-th call.
_DRIVER = """
import os, signal, sys
place, when, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.argv = ["privior", *sys.argv[4:]]
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


STEPS = {
    "reading the analysis": Step("privior.analyses.analysis:read_toml"),
    "planning": Step("privior.planning.comparison:forecast", count=3),
    "opening the ledger": Step("privior.ledger.ledger:Ledger.last"),
    "checking the table": Step("privior.curator:open_table"),
    "counting the records": Step("privior.curator:_records"),
    "before the spend": Step("privior.ledger.ledger:Ledger.spend"),
    "before the entry": Step("privior.ledger.ledger:_append"),
    "before the commit": Step("privior.ledger.ledger:_append", "after"),
    "after the spend": Step("privior.ledger.ledger:Ledger.spend", "after", spent=True),
    "reading the cells": Step("privior.tables.table:OpenTable.counts", spent=True),
    "in the engine": Step("privior.tables.counting:totals", "after", spent=True),
    "drawing the noise": Step("privior.mechanisms.k_norm:k_norm", spent=True),
    "twice, after the spend": Step("privior.mechanisms.k_norm:k_norm", "twice", spent=True),
    "twice, before the spend": Step("privior.curator:open_table", "twice"),
    "after the noise": Step("privior.mechanisms.k_norm:k_norm", "after", spent=True),
    "writing the draft": Step("privior.release:write_whole", spent=True),
    "before the draft is safe": Step("os:fsync", spent=True),
    "before the file has its name": Step("pathlib:Path.replace", spent=True),
    "after the file has its name": Step("pathlib:Path.replace", "after", spent=True, released=True),
    "inferring for the report": Step("privior.report:infer", spent=True, released=True),
    "drawing the report": Step("privior.pictures.markup:page", "after", spent=True, released=True),
    "writing the report": Step("privior.report:write_whole", spent=True, released=True),
    "telling the left budget": Step("privior.cli.screen:Screen.text", count=2, spent=True, released=True),
    "telling the end": Step("privior.cli.screen:Screen.text", "after", count=4, spent=True, released=True),
    "before the report has its name": Step("pathlib:Path.replace", count=2, spent=True, released=True),
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
    program = [sys.executable, "-c", _DRIVER, step.place, step.when, str(step.count)]
    ended = run(
        ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json", "--yes"],
        orchard,
        program=program,
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
        assert "Nothing was released." in ended.errors
    left = {path.name for path in orchard.iterdir()}
    assert not [name for name in left if name.startswith(".")]
    assert ("new.report.html" in left) == name.startswith("telling")


def test_an_interrupted_report_can_be_made_again(orchard: Path) -> None:
    program = [sys.executable, "-c", _DRIVER, "privior.report:write_whole", "before", "1"]
    arguments = ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json", "-y"]
    ended = run(arguments, orchard, program=program)
    assert "privior report new.json" in ended.errors
    assert run(["report", "new.json"], orchard).code == 0


def test_ctrl_c_at_the_question(orchard: Path) -> None:
    """The key itself, on a terminal."""
    arguments = ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "new.json"]
    ended = run_on_terminal(arguments, orchard, {"[y/N]": "\x03"})
    assert ended.code == 130
    assert "Nothing was spent." in ended.plain
    assert pv.Ledger.open(orchard / "orchard.ledger").last().number == 0
    declined = run_on_terminal(arguments, orchard, {"[y/N]": "\x04"})  # the end of all input is no yes
    assert declined.code == 1


@pytest.mark.parametrize(
    ("place", "when", "arguments", "made"),
    [
        ("privior.analyses.draft:_column", "before", ["init", "fruit.csv"], "fruit.toml"),
        ("pathlib:Path.replace", "before", ["init", "fruit.csv"], "fruit.toml"),
        ("privior.ledger.ledger:_append", "before", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("privior.ledger.ledger:_append", "after", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("pathlib:Path.replace", "before", ["ledger", "create", "n", "-p", "x", "-e", "1"], "n"),
        ("privior.plans.plan:forecast", "before", ["plan", "a.toml"], "none"),
        ("privior.health:engine_version", "before", ["doctor"], "none"),
    ],
)
def test_other_commands_interrupted(
    place: str, when: str, arguments: list[str], made: str, orchard: Path
) -> None:
    program = [sys.executable, "-c", _DRIVER, place, when, "1"]
    ended = run(arguments, orchard, program=program)
    assert ended.code == 130, ended
    assert "Nothing was spent." in ended.errors
    assert not (orchard / made).exists()
    assert not [path.name for path in orchard.rglob(".*")]


def test_the_demonstration_interrupted(orchard: Path) -> None:
    program = [sys.executable, "-c", _DRIVER, "privior.report:write_whole", "before", "1"]
    ended = run(["demo", "d"], orchard, program=program)
    assert ended.code == 130
    assert "nobody's budget" in ended.errors
    assert run(["demo", "d", "-q"], orchard).output == "d\n"


def test_a_ledger_is_never_removed_once_it_is_whole(orchard: Path) -> None:
    program = [sys.executable, "-c", _DRIVER, "pathlib:Path.replace", "after", "1"]
    ended = run(["ledger", "create", "n", "-p", "x", "-e", "1"], orchard, program=program)
    assert ended.code == 130
    assert pv.Ledger.open(orchard / "n").verify().number == 0
