"""Every bad input has its error, its exit code, and a ledger that is as it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import inside, run, run_here

import forking
import privior as pv
from child_program import PROGRAM, at, planted
from privior.cli import main

ANALYSIS = """\
format = 1
population = "orchard"
unit = "person"

[columns.fruit]
type = "categorical"
levels = ["apple", "pear", "plum"]

[model]
family = "dirichlet-categorical"
columns = ["fruit"]
prior = 1

[ask]
records = 100
epsilon = "1"
"""

Prepare = Callable[[Path], object]


def _edited(old: str, new: str) -> Prepare:
    def prepare(folder: Path) -> None:
        file = folder / "a.toml"
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))

    return prepare


def _table(content: str) -> Prepare:
    return lambda folder: (folder / "fruit.csv").write_text(content)


def _nothing(folder: Path) -> None:
    """The input is bad as it stands."""


RELEASE = [
    "release",
    "a.toml",
    "fruit.csv",
    "--yes",
    "--again",
    "--ledger",
    "orchard.ledger",
    "-o",
    "new.json",
]
DRAWS = ["-m", "dirichlet-draw", "-d", "1e-3", "--draws"]
CASES: dict[str, tuple[Prepare, list[str], int, str]] = {
    "no analysis": (_nothing, ["plan", "none.toml"], 3, "cannot read the file"),
    "analysis not TOML": (_edited("format = 1", "format ="), ["plan", "a.toml"], 3, "not a TOML file"),
    "analysis not filled in": (
        _edited('"person"', '"FILL IN"'),
        ["plan", "a.toml"],
        3,
        "not filled in yet: unit",
    ),
    "level not filled in": (_edited('"plum"', '"FILL IN"'), ["plan", "a.toml"], 3, "columns.fruit.levels"),
    "newer format": (_edited("format = 1", "format = 9"), ["plan", "a.toml"], 3, "newer than this library"),
    "unknown type": (_edited('"categorical"', '"text"'), ["plan", "a.toml"], 3, "unknown type of column"),
    "one level": (_edited('"apple", "pear", "plum"', '"apple"'), ["plan", "a.toml"], 3, "too few levels"),
    "level twice": (_edited('"pear"', '"apple"'), ["plan", "a.toml"], 3, "listed twice"),
    "unknown entry": (_edited("prior = 1", "prier = 1"), ["plan", "a.toml"], 3, "prier"),
    "unknown column": (_edited('["fruit"]', '["veg"]'), ["plan", "a.toml"], 3, "unknown column"),
    "prior zero": (_edited("prior = 1", "prior = 0"), ["plan", "a.toml"], 3, "prior"),
    "records zero": (_nothing, ["plan", "a.toml", "--records", "0"], 3, "positive whole number"),
    "epsilon zero": (_nothing, ["plan", "a.toml", "-e", "0"], 3, "epsilon is out of range"),
    "epsilon negative": (_nothing, ["plan", "a.toml", "--epsilon=-1"], 3, "epsilon is out of range"),
    "epsilon nan": (_nothing, ["plan", "a.toml", "-e", "nan"], 3, "cannot be read as a number"),
    "epsilon infinite": (_nothing, ["plan", "a.toml", "-e", "inf"], 3, "cannot be read as a number"),
    "delta one": (_nothing, ["plan", "a.toml", "-d", "1"], 3, "delta is out of range"),
    "delta tiny": (_nothing, ["plan", "a.toml", "-d", "1e-20"], 3, "delta is out of range"),
    "neighbours": (_nothing, ["plan", "a.toml", "--neighbours", "any"], 3, "unknown neighbour relation"),
    "mechanism": (_nothing, ["plan", "a.toml", "-m", "magic"], 3, "unknown mechanism"),
    "mechanism unfit": (_nothing, ["plan", "a.toml", "-m", "gaussian-counts"], 3, "needs delta > 0"),
    "draws of noise": (_nothing, ["plan", "a.toml", "--draws", "2"], 3, "--mechanism dirichlet-draw"),
    "no draws": (_nothing, ["plan", "a.toml", *DRAWS, "0"], 3, "draws is out of range"),
    "negative draws": (_nothing, ["plan", "a.toml", *DRAWS, "-1"], 3, "draws is out of range"),
    "half a draw": (_nothing, ["plan", "a.toml", *DRAWS, "0.5"], 2, "--draws"),
    "want": (_nothing, ["plan", "a.toml", "--want", "beauty 3"], 3, "not something to want"),
    "expect": (_nothing, ["plan", "a.toml", "--expect", "steep"], 3, "unknown expectation"),
    "want too much": (_nothing, ["plan", "a.toml", "--want", "width 0.0001"], 3, "no epsilon can reach"),
    "want and epsilon": (_nothing, ["plan", "a.toml", "--want", "width 1", "-e", "1"], 3, "--want finds"),
    "no table": (lambda folder: (folder / "fruit.csv").unlink(), RELEASE, 6, "no such file"),
    "table empty": (_table(""), RELEASE, 6, "the file is empty"),
    "table a folder": (
        _nothing,
        ["release", "a.toml", ".", "-y", "-l", "orchard.ledger"],
        6,
        "directory",
    ),
    "table of another kind": (
        _nothing,
        ["release", "a.toml", "a.toml", "-y", "-l", "orchard.ledger"],
        6,
        "unknown kind of file",
    ),
    "column missing": (_table("veg\n" + "apple\n" * 100), RELEASE, 6, "names none of the schema's columns"),
    "column twice": (_table("fruit,fruit\n" + "a,b\n" * 100), RELEASE, 6, "two columns have the same name"),
    "too few records": (_table("fruit\n" + "apple\n" * 99), RELEASE, 6, "the table has 99 persons"),
    "glob of nothing": (
        _nothing,
        ["release", "a.toml", "*.parquet", "-y", "-l", "orchard.ledger"],
        6,
        "no file matches",
    ),
    "no ledger named": (_nothing, ["release", "a.toml", "fruit.csv", "-y"], 4, "no ledger is named"),
    "no ledger there": (_nothing, ["release", "a.toml", "fruit.csv", "-y", "-l", "x"], 4, "no ledger here"),
    "not a ledger": (_nothing, ["release", "a.toml", "fruit.csv", "-y", "-l", "a.toml"], 4, "ledger"),
    "over budget": (_nothing, [*RELEASE, "-e", "11"], 5, "the budget does not allow"),
    "other population": (_edited('"orchard"', '"forest"'), RELEASE, 4, "another population"),
    "output there already": (
        lambda folder: (folder / "new.json").write_text("x"),
        RELEASE,
        6,
        "exists already",
    ),
    "report there already": (
        lambda folder: (folder / "new.report.html").write_text("x"),
        RELEASE,
        6,
        "report exists already",
    ),
    "output nowhere": (_nothing, [*RELEASE[:-1], "none/new.json"], 6, "There is no folder 'none'"),
    "not confirmed": (_nothing, [arg for arg in RELEASE if arg != "--yes"], 3, "Say --yes"),
    "ledger there already": (
        _nothing,
        ["ledger", "create", "orchard.ledger", "-p", "orchard", "-e", "1"],
        4,
        "exists already",
    ),
    "ledger without name": (_nothing, ["ledger", "create", "n", "-p", "", "-e", "1"], 4, "no name"),
    "no release": (_nothing, ["ask", "none.json", "counts()"], 8, "cannot read the file"),
    "release damaged": (
        lambda folder: (folder / "r.json").write_text((folder / "r.json").read_text()[:300]),
        ["ask", "r.json", "counts()"],
        8,
        "cut off, damaged or forged",
    ),
    "guarantee forged": (
        lambda folder: (folder / "r.json").write_text(
            (folder / "r.json")
            .read_text()
            .replace('"epsilon": "1",\n  "delta"', '"epsilon": "0.1",\n  "delta"')
        ),
        ["review", "r.json"],
        8,
        "not that of the plan",
    ),
    "question malformed": (_nothing, ["ask", "r.json", "P(fruit=apple"], 9, "^"),
    "question about nothing": (_nothing, ["ask", "r.json", "P(veg=leek)"], 9, "fruit"),
    "question about no level": (_nothing, ["ask", "r.json", "P(fruit=appel)"], 9, "apple"),
    "sample too large": (_nothing, ["ask", "r.json", "sample 99999999999"], 9, "too large"),
    "own prior": (_nothing, ["ask", "r.json", "counts()", "--prior", "-1"], 3, "prior"),
    "interval level": (_nothing, ["ask", "r.json", "P(fruit=apple)", "--level", "2"], 9, "level"),
    "same release twice": (_nothing, ["ask", "r.json", "--also", "r.json"], 9, "given twice"),
    "page there already": (
        lambda folder: (folder / "r.report.html").write_text("x"),
        ["report", "r.json"],
        8,
        "exists already",
    ),
    "page nowhere": (_nothing, ["report", "r.json", "-o", "none/p.html"], 8, "cannot be written"),
    "draft there already": (_nothing, ["init", "fruit.csv", "-o", "a.toml"], 6, "exists already"),
    "draft at another delimiter": (_table("a;b\n1;2\n"), ["init", "fruit.csv"], 6, "--delimiter ';'"),
    "draft in another encoding": (
        lambda folder: (folder / "fruit.csv").write_bytes("größe\n".encode("latin-1")),
        ["init", "fruit.csv"],
        6,
        "--encoding latin-1",
    ),
    "question with or": (_nothing, ["ask", "r.json", "P(fruit=apple or pear)"], 9, "whole condition"),
    "question with not": (_nothing, ["ask", "r.json", "P(not fruit=apple)"], 9, "!="),
    "question with brackets": (_nothing, ["ask", "r.json", "mean(fruit (cm))"], 9, "in quotes"),
    "question with a sum": (_nothing, ["ask", "r.json", "P(fruit=apple) + P(fruit=plum)"], 9, "at a time"),
    "draft of nothing": (_nothing, ["init", "none.csv"], 6, "no such file"),
    "draft of a record": (_table("1,2\n3,4\n"), ["init", "fruit.csv"], 6, "looks like a record"),
    "levels": (_nothing, ["guarantee", "k-norm", "--levels", "1"], 3, "cells is out of range"),
    "guarantee unfit": (
        _nothing,
        ["guarantee", "k-norm", "--levels", "3", "--neighbours", "add-or-remove-one"],
        3,
        "public total",
    ),
    "usage": (_nothing, ["plan"], 2, "Missing argument"),
    "unknown command": (_nothing, ["publish"], 2, "No such command"),
    "unknown option": (_nothing, ["plan", "a.toml", "--speed"], 2, "No such option"),
}


def grow(folder: Path) -> Path:
    """Make an analysis, a table, a ledger and a release in a folder."""
    (folder / "a.toml").write_text(ANALYSIS)
    (folder / "fruit.csv").write_text("fruit\n" + "apple\n" * 50 + "pear\n" * 30 + "plum\n" * 20)
    ledger = pv.Ledger.create(folder / "orchard.ledger", population="orchard", epsilon=2)
    plan = pv.Analysis.read(folder / "a.toml").plan()
    pv.measure(plan, folder / "fruit.csv", ledger=ledger, output=folder / "r.json")
    return folder


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grow(tmp_path_factory.mktemp("orchard"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRIVIOR_LEDGER", raising=False)
    return tmp_path


@pytest.fixture
def orchard(grown: Path, here: Path) -> Path:
    """A copy of one orchard: to be spoiled, but not spent from, for copies of a ledger are one budget."""
    return Path(shutil.copytree(grown, here, dirs_exist_ok=True))


@pytest.fixture
def own_orchard(here: Path) -> Path:
    """An orchard with a budget of its own."""
    return grow(here)


@pytest.mark.parametrize("case", CASES)
def test_bad_input(
    case: str, orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, arguments, code, says = CASES[case]
    prepare(orchard)
    ledger = (orchard / "orchard.ledger").read_bytes()
    files = sorted(orchard.iterdir())
    assert inside(arguments, monkeypatch) == code
    shown = capsys.readouterr()
    assert says in shown.err.replace("\n  ", " ") or says in shown.err
    assert "Traceback" not in shown.err
    if code in (3, 4, 5, 6):
        assert "Nothing was spent." in shown.err
    assert (orchard / "orchard.ledger").read_bytes() == ledger
    assert sorted(orchard.iterdir()) == files


@pytest.mark.parametrize("case", [case for case, (_, _, code, _) in CASES.items() if code != 2])
def test_bad_input_for_programs(
    case: str, orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, arguments, code, _ = CASES[case]
    prepare(orchard)
    assert inside([*arguments, "--json"], monkeypatch) == code
    shown = capsys.readouterr()
    error = json.loads(shown.out)["error"]
    assert error["kind"].endswith("Error")
    assert error["what"]
    assert shown.err == ""


def test_a_failure_after_the_spend_has_its_own_code(
    own_orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """T36: the words do not depend on the cause, and the spend stands."""

    act = "raise MemoryError('row 17: apple')"
    monkeypatch.setattr(PROGRAM, lambda: planted(at("privior.mechanisms.tables.k_norm:k_norm", act)))
    assert inside(RELEASE, monkeypatch) == 7
    shown = capsys.readouterr()
    assert "stays spent" in shown.err
    assert "apple" not in shown.err
    assert pv.Ledger.open("orchard.ledger").last().number == 2
    assert not (own_orchard / "new.json").exists()


def test_a_review_fails_for_another_ledger_and_for_a_trial(
    own_orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pv.Ledger.create("other.ledger", population="orchard", epsilon=2)
    assert inside(["review", "r.json", "--ledger", "orchard.ledger"], monkeypatch) == 0
    assert inside(["review", "r.json", "--ledger", "other.ledger"], monkeypatch) == 1
    assert "do not sign" in capsys.readouterr().err
    plan = pv.Analysis.read("a.toml").plan()
    pv.measure(plan, "fruit.csv", ledger=pv.Ledger.in_memory(), output="trial.json")
    assert inside(["review", "trial.json"], monkeypatch) == 1


def test_what_nobody_foresaw_is_told_in_one_line(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("privior.analyses.analysis.Analysis.read", fails)
    assert inside(["plan", "a.toml"], monkeypatch) == 70
    assert "secret" not in capsys.readouterr().err
    monkeypatch.setenv("PRIVIOR_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["privior", "plan", "a.toml"])
    with pytest.raises(RuntimeError, match="secret"):
        main()


def test_t40_a_name_cannot_command_the_terminal(orchard: Path) -> None:
    """A release that somebody sends may hold escape signs in its names: refused, and none is shown."""
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    text = (orchard / "r.json").read_text().replace("apple", json.dumps(evil)[1:-1])
    (orchard / "evil.json").write_text(text)
    for arguments in (
        ["ask", "evil.json"],
        ["ask", "evil.json", "counts()"],
        ["ask", "evil.json", "sample 9"],
    ):
        ended = run(arguments, orchard)
        assert ended.code == 8, ended
        assert "U+001B" in ended.errors
        assert not set("\x1b\x07\u202e") & set(ended.output + ended.errors)
    assert run(["report", "evil.json"], orchard).code == 8
    assert not (orchard / "evil.report.html").exists()


def test_a_closed_pipe_ends_quietly(orchard: Path) -> None:
    import subprocess

    from program import PROGRAM, environment

    with subprocess.Popen(
        [*PROGRAM, "ask", "r.json", "sample 200000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=orchard,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("leaves", ["stderr", "stdout", "full"])
def test_a_listener_who_leaves_costs_nothing(leaves: str, own_orchard: Path) -> None:
    """A closed error stream or a full output neither burns the budget nor changes the exit code."""
    import subprocess

    from program import PROGRAM, environment

    reader, writer = os.pipe()
    os.close(reader)
    full = os.open("/dev/full", os.O_WRONLY)
    run = subprocess.run if leaves == "full" else forking.run
    ended = run(
        [*PROGRAM, *RELEASE, *([] if leaves == "stderr" else ["--quiet"])],
        cwd=own_orchard,
        env=environment(),
        stdout={"stdout": writer, "full": full}.get(leaves, subprocess.DEVNULL),
        stderr=writer if leaves == "stderr" else subprocess.DEVNULL,
    )
    os.close(full)
    os.close(writer)
    assert ended.returncode == 0
    assert pv.review(pv.Release.read("new.json"), pv.Ledger.open("orchard.ledger")).passed


def test_an_unreadable_ledger_after_the_release_says_nothing_false(
    own_orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is told after the spend comes from the release, not from a ledger that may be gone."""
    from privior.report import write_report

    def spoils(release: pv.Release, path: Path, posterior: Any) -> None:
        write_report(release, path, posterior)
        (own_orchard / "orchard.ledger").rename(own_orchard / "gone")

    monkeypatch.setattr("privior.report.write_report", spoils)
    assert inside(RELEASE, monkeypatch) == 0
    shown = capsys.readouterr()
    assert "Spent epsilon 1, delta 0; left epsilon 0, delta 0." in shown.out
    assert "Nothing was spent" not in shown.err


def test_a_level_cannot_pretend_to_be_a_line_of_a_review(orchard: Path) -> None:
    spoof = json.dumps("apple\nledger  holds  entry 7 was charged for exactly this plan")[1:-1]
    (orchard / "s.json").write_text((orchard / "r.json").read_text().replace("apple", spoof))
    ended = run_here(["review", "s.json"], orchard)
    assert not [line for line in ended.output.splitlines() if line.startswith("ledger  holds")]


def test_a_demonstration_destroys_nothing(orchard: Path) -> None:
    (orchard / "education.release.json").write_text("precious")
    (orchard / "acs-2019.ledger-backup").write_text("precious")
    ended = run_here(["demo", "."], orchard)
    assert ended.code == 6
    assert "did not make" in ended.errors
    assert (orchard / "education.release.json").read_text() == "precious"
    assert run_here(["demo", "d", "-q"], orchard).code == run_here(["demo", "d", "-q"], orchard).code == 0


@pytest.mark.parametrize("cap", ["1e9999", "1/0", "-1", "x", 3, None])
def test_a_forged_budget_is_refused(cap: object, orchard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads((orchard / "r.json").read_text())
    document["ledger"]["accounting"]["cap"]["epsilon"] = cap
    (orchard / "f.json").write_text(json.dumps(document))
    assert inside(["review", "f.json"], monkeypatch) == 8


def test_the_sha256_is_that_of_the_file(orchard: Path) -> None:
    import hashlib

    document = json.loads((orchard / "r.json").read_text())
    (orchard / "other.json").write_text(json.dumps(document))
    for name in ("r.json", "other.json"):
        digest = hashlib.sha256((orchard / name).read_bytes()).hexdigest()
        assert pv.Release.read(orchard / name).sha256 == digest


def test_one_bad_question_does_not_discard_the_answers(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = ["P(fruit=apple)", "P(fruit=melon)", "share(fruit=pear", "share(fruit=pear)"]
    assert inside(["ask", "r.json", *questions], monkeypatch) == 9
    said = capsys.readouterr()
    assert [line.split(" = ")[0] for line in said.out.splitlines()[::2]] == [questions[0], questions[3]]
    assert "of the next record" in said.out.splitlines()[1]
    assert "of the table of" in said.out.splitlines()[3]
    assert "not a level of fruit" in said.err
    assert "a closing parenthesis is missing" in said.err
    assert inside(["ask", "r.json", *questions, "--json"], monkeypatch) == 9
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [one["question"] for one in answers] == questions
    assert ["error" in one for one in answers] == [False, True, True, False]
    assert answers[1]["error"]["kind"] == "QuestionError"


def test_questions_are_answered_in_lines_of_eighty_signs(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = [
        "P(fruit=apple | fruit in {apple, pear, plum}) - P(fruit=pear | fruit in {apple, pear, plum})"
    ]
    assert inside(["ask", "r.json", *questions, "counts()"], monkeypatch) == 0
    assert inside(["ask", "r.json"], monkeypatch) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_reviews_show_the_fingerprint_whole_on_a_line_of_its_own(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("review", "verify"):
        inside([command, "r.json"], monkeypatch)
        digest = hashlib.sha256((orchard / "r.json").read_bytes()).hexdigest()
        said = capsys.readouterr().out
        assert digest in said.splitlines()
        assert command == "verify" or "pure: delta is 0" in said
