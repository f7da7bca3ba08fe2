"""A public minimum of the counts, units of several rows and declared sensitivities, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import inside
from program import run_here as run

import privior as pv

ANALYSIS = """\
format = 1
population = "survey"
unit = { noun = "person", column = "id", max_rows = 2 }

[columns.stratum]
type = "categorical"
levels = ["north", "east", "south"]

[model]
family = "dirichlet-categorical"
columns = ["stratum"]
prior = 1

[ask]
records = 60
epsilon = "2"
delta = "1e-4"
"""


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    (tmp_path / "survey.toml").write_text(ANALYSIS)
    rows = [f"{place // 2},{('north', 'east', 'south')[place % 3]}" for place in range(120)]
    (tmp_path / "survey.csv").write_text("id,stratum\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_planned_released_and_asked(survey: Path) -> None:
    draw = ["--mechanism", "dirichlet-draw"]
    rates = []
    for least in (0, 30):
        planned = run(["plan", "survey.toml", *draw, "--least", least, "--json"], survey)
        assert planned.code == 0, planned.errors
        mechanism = json.loads(planned.output)["plan"]["mechanism"]
        assert mechanism.get("least", 0) == least
        assert mechanism["max_rows"] == 2
        rates.append(float(mechanism["rate"]))
    assert rates[1] > 3 * rates[0]
    refused = run(["plan", "survey.toml", "--least", 30], survey)
    assert refused.code == 3
    assert "--mechanism dirichlet-draw" in refused.errors

    assert run(["ledger", "create", "l", "-p", "survey", "-e", "2", "-d", "1e-4"], survey).code == 0
    words = ["release", "survey.toml", "survey.csv", "-l", "l", "-o", "r.json", "--yes"]
    released = run([*words, *draw, "--least", 30], survey)
    assert released.code == 0, released.errors
    assert "every cell has at least 30 records, which is public" in released.output
    release = pv.Release.read(survey / "r.json")
    assert release.plan.mechanism.minimum == 30
    assert pv.infer(release).counts().interval(0.9).min() >= 30
    reviewed = run(["review", "r.json", "--ledger", "l"], survey)
    assert reviewed.code == 0
    assert "minimum" in reviewed.output
    assert run(["ask", "r.json", "P(stratum=north)"], survey).code == 0


def test_declared_sensitivities(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Between the exact pair of one replaced record and what the paper states; draws add up."""

    def delta(*words: str) -> float:
        assert inside(["guarantee", *words, "--epsilon", "1", "--json"], monkeypatch) == 0
        return float(json.loads(capsys.readouterr().out)["delta"])

    declared = ("statistics-draw", "--prior", "40", "--squared", "2", "--largest", "1")
    assert delta("dirichlet-draw", "--prior", "40") < delta(*declared) < 3.4e-5
    assert delta(*declared, "--draws", "3") == pytest.approx(
        delta("statistics-draw", "--prior", "40", "--squared", "6", "--largest", "1")
    )
    assert (
        inside(["guarantee", *declared, "-e", "1", "--order", "2", "--compare", "--json"], monkeypatch) == 0
    )
    document = json.loads(capsys.readouterr().out)
    stated = {one["place"]: one["value"] for one in document["published"]}
    assert document["renyi"] < stated["Theorem 2"]
    assert document["delta"] < stated["Theorem 4"]


@pytest.mark.parametrize(
    "words",
    [
        "virtual-records --prior 1 --drawn 3 --max-rows 2",
        "poisson-draw --shape 1 --bound 1 --max-rows 2",
        "k-norm --levels 3 --least 2",
        "dirichlet-draw --prior 1 --least -1 --epsilon 1",
        "dirichlet-draw --prior 1 --least 1/2 --epsilon 1",
        "dirichlet-draw --prior 1 --max-rows 0 --epsilon 1",
        "statistics-draw --prior 1 --squared 1 --epsilon 1",
        "statistics-draw --prior 1 --squared 1 --largest 0 --epsilon 1",
    ],
)
def test_what_plays_no_part_is_refused(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert inside(["guarantee", *words.split()], monkeypatch) == 3
