"""The path of a new user, from init to report, with a terminal and without."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from program import ESCAPE, run, run_here, run_on_terminal

import privior as pv

FILLED = """\
format = 1
population = "clinic-2026"
unit = "patient"

[columns.smoker]
type = "boolean"

[columns.education]
type = "categorical"
levels = ["none", "school", "degree", "unknown"]

[columns.age]
type = "integer"
lower = 0
upper = 3

[model]
family = "dirichlet-categorical"
columns = ["smoker", "education"]
prior = 1

[ask]
records = 400
epsilon = "0.5"
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """Make a folder with a table, as a new user would have it."""
    rows = random.Random(1)
    lines = [
        f"{rows.choice(['yes', 'no'])},{rows.choice(['none', 'school', 'degree', ''])},{rows.randint(0, 3)}"
        for _ in range(400)
    ]
    (tmp_path / "patients.csv").write_text("smoker,education,age\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_the_whole_path_without_a_terminal(clinic: Path) -> None:
    made = run(["init", "patients.csv"], clinic)
    assert (made.code, made.errors) == (0, "")
    draft = (clinic / "patients.toml").read_text()
    assert "from the protocol" in draft
    assert '[columns."education"]' in draft
    refused = run(["plan", "patients.toml", "--epsilon", "1"], clinic)
    assert refused.code == 3
    for gap in ("population", "unit", "columns.smoker.type", "model.columns", "ask.records"):
        assert gap in refused.errors
    assert "ask.epsilon" not in refused.errors  # it was given on the command line

    (clinic / "patients.toml").write_text(FILLED)
    planned = run(["plan", "patients.toml", "--records", 400, "--epsilon", "0.5"], clinic)
    assert (planned.code, planned.errors) == (0, "")
    for word in ("k-norm", "laplace-counts", "62.3% sure", "this plan", "◆ chosen, epsilon 0.5", "Budgets"):
        assert word in planned.output
    assert not ESCAPE.search(planned.output)

    created = run(["ledger", "create", "clinic.ledger", "-p", "clinic-2026", "-e", "1"], clinic)
    assert created.code == 0
    asked = ["release", "patients.toml", "patients.csv", "--ledger", "clinic.ledger", "-o", "r.json"]
    unanswered = run(asked, clinic)
    assert unanswered.code == 3
    assert "--yes" in unanswered.errors
    assert "Nothing was spent." in unanswered.errors
    assert pv.Ledger.open(clinic / "clinic.ledger").last().number == 0
    released = run([*asked, "--yes"], clinic)
    assert released.code == 0
    assert "reading the cells, drawing the noise, writing the release ..." in released.errors
    assert "Spent epsilon 0.5, delta 0; left epsilon 0.5, delta 0." in released.output
    assert (clinic / "r.report.html").read_text().startswith("<!DOCTYPE html>")

    answer = run(["ask", "r.json", "P(smoker=yes | education=school)", "counts(education)"], clinic)
    assert answer.code == 0
    assert (
        answer.output.startswith("P(smoker=true | education=school) = 0.") or "P(smoker=yes" in answer.output
    )
    reviewed = run(["review", "r.json", "--ledger", "clinic.ledger"], clinic)
    assert reviewed.code == 0
    assert "charged for exactly this plan" in reviewed.output
    again = run(["report", "r.json", "-o", "page.html"], clinic)
    assert again.code == 0
    assert (clinic / "page.html").read_bytes() == (clinic / "r.report.html").read_bytes()
    shown = run(["ledger", "history", "clinic.ledger"], clinic)
    assert shown.code == 0
    assert "The chain holds: 2 entries, 1 release;" in shown.output


def test_the_whole_path_on_a_terminal(clinic: Path) -> None:
    assert "FILL IN" in run_on_terminal(["init", "patients.csv"], clinic).plain
    (clinic / "patients.toml").write_text(FILLED)
    planned = run_on_terminal(["plan", "patients.toml"], clinic)
    assert planned.code == 0
    assert ESCAPE.search(planned.output)
    assert "◆ chosen" in planned.plain
    created = run_on_terminal(["ledger", "create", "c.ledger", "-p", "clinic-2026", "-e", "1"], clinic)
    assert created.code == 0
    asked = ["release", "patients.toml", "patients.csv", "-l", "c.ledger", "-o", "r.json"]
    declined = run_on_terminal(asked, clinic, {"[y/N]": "n\n"})
    assert declined.code == 1
    assert "not confirmed. Nothing was spent." in declined.plain
    assert not (clinic / "r.json").exists()
    released = run_on_terminal(asked, clinic, {"[y/N]": "y\n"})
    assert released.code == 0
    assert "Spend epsilon 0.5, delta 0 of clinic-2026" in released.plain
    assert "Wrote r.json, which may be published, and r.report.html." in " ".join(released.plain.split())
    assert "= 0." in run_on_terminal(["ask", "r.json", "P(smoker=yes)"], clinic).plain
    assert "Checks" in run_on_terminal(["review", "r.json", "-l", "c.ledger"], clinic).plain
    assert run_on_terminal(["report", "r.json", "--force"], clinic).code == 0
    assert "left 0.5" in run_on_terminal(["ledger", "show", "c.ledger"], clinic).plain


def test_programs_read_json(clinic: Path) -> None:
    (clinic / "a.toml").write_text(FILLED)
    extra = {"PRIVIOR_LEDGER": "c.ledger"}
    for arguments in (
        ["plan", "a.toml"],
        ["plan", "a.toml", "--want", "width 0.1"],
        ["ledger", "create", "c.ledger", "--population", "clinic-2026", "--epsilon", "1"],
        ["release", "a.toml", "patients.csv", "--yes", "-o", "r.json"],
        ["ask", "r.json", "P(smoker=yes)", "interval(smoker=yes, 0.5)", "counts()", "sample 3"],
        ["ask", "r.json"],
        ["review", "r.json"],
        ["report", "r.json", "--force"],
        ["ledger", "show"],
        ["ledger", "history"],
        ["guarantee", "lsdim", "--levels", "4"],
        ["doctor"],
        ["init", "patients.csv", "-o", "b.toml"],
        ["demo", "d"],
    ):
        ended = run_here([*arguments, "--json"], clinic, extra)
        assert ended.code == 0, (arguments, ended)
        assert ended.errors == "", arguments
        assert isinstance(json.loads(ended.output), dict)
    wrong = run_here(["ask", "r.json", "P(age=1)", "--json"], clinic)
    error = json.loads(wrong.output)["error"]
    assert wrong.code == 9
    assert error["kind"] == "QuestionError"
    assert wrong.errors == ""


def test_quiet_gives_only_the_answer(clinic: Path) -> None:
    (clinic / "a.toml").write_text(FILLED)
    ledger = ["--ledger", "c.ledger"]
    run_here(["ledger", "create", "c.ledger", "-p", "clinic-2026", "-e", "1", "-q"], clinic)
    assert run_here(["plan", "a.toml", "-q"], clinic).output.startswith(
        "k-norm: epsilon 0.5, delta 0, 90% width"
    )
    released = run_here(["release", "a.toml", "patients.csv", "-y", "-q", *ledger], clinic)
    assert (released.output, released.errors) == ("a.release.json\n", "")
    assert run_here(["ledger", "show", "c.ledger", "-q"], clinic).output == "epsilon 0.5, delta 0\n"
    assert len(run_here(["ask", "a.release.json", "sample 5", "-q"], clinic).output.splitlines()) == 6
    numbers = run_here(
        ["ask", "a.release.json", "P(smoker=yes)", "--level", "50%", "-q"], clinic
    ).output.split()
    assert len(numbers) == 3
    assert float(numbers[1]) < float(numbers[0]) < float(numbers[2])
    assert run_here(["report", "a.release.json", "-o", "p.html", "-q"], clinic).output == "p.html\n"


def test_several_posterior_draws_are_planned_and_released_together(clinic: Path) -> None:
    (clinic / "a.toml").write_text(FILLED.replace('["smoker", "education"]', '["smoker"]'))
    asked = ["-m", "dirichlet-draw", "--draws", "2", "-d", "1e-3"]
    told = run_here(["plan", "a.toml", *asked, "-q"], clinic)
    assert told.output.startswith("dirichlet-draw: epsilon 0.5, delta 0.001, 90% width"), told
    run_here(["ledger", "create", "c.ledger", "-p", "clinic-2026", "-e", "1", "-d", "1e-3", "-q"], clinic)
    files = ["release", "a.toml", "patients.csv", "--ledger", "c.ledger", "-o", "r.json"]
    released = run_here([*files, *asked, "--no-report", "-y", "-q"], clinic)
    assert (released.code, released.errors) == (0, "")
    made = pv.Release.read(clinic / "r.json")
    assert isinstance(made.plan.mechanism, pv.DirichletDraw)
    assert made.plan.mechanism.draws == 2
    assert made.draws.shape == (2, 2)
    one = pv.DirichletDraw(2, 1, "0.5", "1e-3", records=400)
    assert made.plan.mechanism.rate < one.rate  # both draws together cost what one does at a larger rate


@pytest.mark.parametrize("columns", [40, 60, 80, 90, 100, 200])
def test_no_number_is_cut_on_a_narrow_terminal(columns: int, clinic: Path) -> None:
    (clinic / "a.toml").write_text(FILLED)
    shown = run_on_terminal(["plan", "a.toml"], clinic, extra={"COLUMNS": str(columns)}).plain
    plan = pv.Analysis.read(clinic / "a.toml").plan()
    _, rows = plan.comparison()
    seldom = 2 if columns < 105 else 0
    for row in rows:
        for cell in (row[0], *row[1 : 7 - seldom]):
            assert cell in shown
    assert "needs delta > 0" in " ".join(shown.split())


def test_colours_can_be_switched_off(clinic: Path) -> None:
    (clinic / "a.toml").write_text(FILLED)
    for extra in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = run_on_terminal(["plan", "a.toml"], clinic, extra=extra)
        assert shown.code == 0
        assert not any(code in shown.output for code in ("\x1b[31m", "\x1b[36m", "\x1b[1;36m", "\x1b[32m"))
        assert "◆ chosen" in shown.plain
