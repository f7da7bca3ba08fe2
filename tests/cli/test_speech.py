"""Errors on the command line speak of its options and of analysis files, and lines fit, piped or not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import privior as pv
from privior.cli.screen import Screen
from privior.cli.speech import spoken, told

FIELDS = ("asked", "allowed", "advice")
OPTIONS = {"--neighbours", "--mechanism"}
#: parts whose functions no command calls with what is wrong: objects of another kind, say
FUNCTIONS_ALONE = {
    "curator/charging.py",
    "curator/measurement.py",
    "ledger/ledger.py",
    "mechanisms/imported/imported_numbers.py",
    "planning/comparison.py",
    "posterior/tables/counts_posterior.py",
    "release/release.py",
    "schema/schema.py",
    "smoothness/subject.py",
}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("plan with neighbours=pv.ADD_OR_REMOVE_ONE.", "plan with --neighbours add-or-remove-one."),
        ("such as prior=1, or", "such as prior = 1, or"),
        ("Count them (missing=...)", "Count them (missing = ...)"),
        ("missing = DROP", 'missing = "drop"'),
        ("Use pv.EHDS, or pv.KNorm(...).", "Use --mechanism ehds, or --mechanism k-norm."),
        ("Take pv.DirichletCategorical.", 'Take family = "dirichlet-categorical".'),
        ("allowed: pv.Beta(...)", 'allowed: { law = "beta", ... }'),
        ("pv.Categorical(...), pv.Integer(...)", 'type = "categorical", type = "integer"'),
        (
            "Create one: privior ledger create, or pv.Ledger.create(path).",
            "Create one: privior ledger create.",
        ),
        ("P(smoker=yes) asks for x=1", "P(smoker=yes) asks for x=1"),
    ],
)
def test_advice_is_said_in_options_and_entries(written: str, said: str) -> None:
    assert told(written, OPTIONS) == said


def test_without_an_option_a_file_says_it() -> None:
    assert told("neighbours=pv.REPLACE_ONE") == 'neighbours = "replace-one"'


def test_all_fields_are_told_and_the_error_is_left_as_it_was() -> None:
    error = pv.PlanError("what", asked="missing = DROP", allowed="pv.KNorm(...)", advice="Say prior=1.")
    said = spoken(error, OPTIONS)
    assert (said.asked, said.allowed, said.advice) == (
        'missing = "drop"',
        "--mechanism k-norm",
        "Say prior = 1.",
    )
    assert "pv." not in str(said)
    assert "Nothing was spent." in str(said)
    assert error.allowed == "pv.KNorm(...)"
    assert type(said) is pv.PlanError


def test_no_advice_that_a_command_can_give_speaks_python() -> None:
    """Every text of an error in the package; one that only functions can cause is in a part listed above."""
    package, left = Path(pv.__file__).parent, []
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package).as_posix()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            said = node.value if isinstance(node, ast.keyword) and node.arg in FIELDS else None
            if said is not None and "pv." in told(_text(said), OPTIONS):
                left.append(place)
    assert set(left) == FUNCTIONS_ALONE


def _text(node: ast.expr) -> str:
    """The text that an expression is seen to say; what is filled in is a family's law."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each) for each in node.values)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "Beta" if isinstance(node, ast.FormattedValue) else ""


def test_lines_fit_where_nobody_says_how_wide_they_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    """Piped, facts, sentences and tables have 80 columns; words and paths stay whole, logged errors too."""
    screen, words = Screen(), "what is said of it takes more than one line " * 4
    path = "/a/path/" + "that-is-long/" * 8
    screen.facts([("name", words), ("other", "short")])
    screen.text(words)
    screen.table(("check", "says"), [("ledger", words), ("bytes", "hold")])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("       ")
    screen.error(pv.PlanError(words))
    assert words.strip() in capsys.readouterr().err
    screen.text(f"Wrote {path}")
    assert path in capsys.readouterr().out
    screen.quiet = True
    screen.answer(words)
    assert len(capsys.readouterr().out.splitlines()) == 1
