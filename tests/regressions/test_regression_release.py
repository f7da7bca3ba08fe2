"""From a CSV file to answers: the commands and the analysis file that the page on regressions shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from program import run

import privior as pv

PAGE = Path(__file__).resolve().parents[2] / "docs" / "regression.md"
RECORDS = 3000


def shown(language: str, about: str) -> str:
    """The first block of code of the page that says this."""
    blocks: list[str] = re.findall(
        rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return next(block for block in blocks if about in block)


def town(path: Path) -> None:
    """Write records with some cells that are bad."""
    rng = np.random.default_rng(8)
    age, sex = rng.integers(18, 91, RECORDS), rng.integers(2, size=RECORDS)
    income = (15_000 + 500 * age + 9_000 * sex + rng.normal(0, 6_000, RECORDS)).round().astype(int)
    lines = [
        f"{'' if k % 400 == 0 else one},{'old' if k % 500 == 0 else years},{('male', 'female')[who]}"
        for k, (one, years, who) in enumerate(zip(income, age, sex, strict=True))
    ]
    path.write_text("\n".join(["income,age,sex", *lines]) + "\n")


def test_the_commands_of_the_page_lead_from_csv_to_ask(tmp_path: Path) -> None:
    town(tmp_path / "town.csv")
    (tmp_path / "town.toml").write_text(shown("toml", 'population = "town"'))
    state = {"PRIVIOR_STATE": str(tmp_path / "state"), "PRIVIOR_CACHE": "off"}
    *first, ask = shown("sh", "privior ask").splitlines()
    for line in first:
        name, *words = shlex.split(line)
        assert name == "privior"
        done = run(words, tmp_path, state)
        assert done.code == 0, (line, done.errors)
    _, *words = shlex.split(ask)
    told = json.loads(run([*words, "--json"], tmp_path, state).output)
    mean, coefficients = told["answers"]
    # The noise is drawn anew each time: four times as far as the 90% interval goes.
    assert abs(mean["mean"] - 44_500) < 2 * (mean["high"] - mean["low"])
    assert mean["low"] < mean["mean"] < mean["high"]
    assert "sex[female]" in json.dumps(coefficients)
    page = (tmp_path / "town.report.html").read_text()
    assert "income: what each feature adds" in page
    assert page.count('role="img"') >= 3


def test_the_analysis_file_of_the_page_asks_what_its_python_does(tmp_path: Path) -> None:
    (tmp_path / "town.toml").write_text(shown("toml", 'population = "town"'))
    asked = pv.Analysis.read(tmp_path / "town.toml")
    names: dict[str, object] = {}
    exec(shown("python", "pv.plan(").split("ledger =")[0], names)
    plan = names["plan"]
    assert isinstance(plan, pv.Plan)
    assert (asked.schema, asked.model, asked.records) == (plan.schema, plan.model, plan.records)


@pytest.mark.parametrize(
    ("formula", "says"), [("income ~ nowhere", "unknown column"), ("income ~ log(age)", "no functions")]
)
def test_a_wrong_formula_in_a_file_is_told_before_anything_is_spent(
    formula: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "town.toml").write_text(
        shown("toml", 'population = "town"').replace("income ~ age + sex", formula)
    )
    state = {"PRIVIOR_STATE": str(tmp_path / "state"), "PRIVIOR_CACHE": "off"}
    done = run(["plan", "town.toml"], tmp_path, state)
    assert done.code != 0
    assert says in done.errors
