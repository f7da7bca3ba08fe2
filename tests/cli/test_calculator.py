"""The calculator gives the known values, for any number of cells and any epsilon."""

from __future__ import annotations

import json
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from program import inside, run

import privior as pv


@pytest.mark.parametrize(("levels", "expected"), [(3, 9.488976), (10, 60.479497)])
def test_known_values(levels: int, expected: float, tmp_path: Path) -> None:
    ended = run(["guarantee", "k-norm", "--levels", levels, "--epsilon", 1, "--json"], tmp_path)
    document = json.loads(ended.output)
    assert (document["epsilon"], document["delta"]) == (1, 0)
    assert document["expected_squared_error"] == pytest.approx(expected, abs=1e-6)
    assert document["attacker_belief"] == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize("mechanism", ["k-norm", "laplace-counts", "lshist", "lsdim", "gaussian-counts"])
@pytest.mark.parametrize(("levels", "epsilon"), [(2, "0.1"), (3, "1/3"), (7, "2"), (50, "0.5")])
def test_every_mechanism(
    mechanism: str,
    levels: int,
    epsilon: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["guarantee", mechanism, "-k", str(levels), "-e", epsilon, "--at-delta", "1e-5", "--json"]
    delta = ["-d", "1e-6"] if mechanism == "gaussian-counts" else []
    assert inside([*arguments, *delta], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    kinds: dict[str, Any] = {
        "k-norm": pv.KNorm(levels, epsilon),
        "laplace-counts": pv.LaplaceCounts(levels, epsilon),
        "lshist": pv.LSHist(levels, epsilon, 1000),
        "lsdim": pv.LSDim(levels, epsilon, 1000),
        "gaussian-counts": pv.GaussianCounts(levels, epsilon, "1e-6"),
    }
    built = kinds[mechanism]
    assert document["expected_squared_error"] == built.expected_squared_error
    assert document["exact"]["epsilon"] == built.guarantee.cost.to_document()["epsilon"]
    assert document["epsilon"] >= float(built.guarantee.cost.epsilon)
    assert document["epsilon_at_delta"]["1e-5"] == built.guarantee.epsilon("1e-5")
    assert document["claim"] == replace(built.guarantee, unit="person").claim()


def test_the_prior_enters_where_a_law_depends_on_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["guarantee", "ehd", "-k", "2", "-e", "1", "--records", "10", "--json"]
    assert inside([*arguments, "--prior", "1"], monkeypatch) == 0
    assert float(json.loads(capsys.readouterr().out)["mechanism"]["temperature"]) == pytest.approx(2.280435)
    assert inside([*arguments, "--prior", "0.5,2"], monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["mechanism"]["prior"] == ["0.5", "2"]
    assert inside([*arguments, "--prior", "1,1,1"], monkeypatch) != 0


def test_lsdim_tells_its_true_cost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inside(["guarantee", "lsdim", "--levels", "5", "-q"], monkeypatch) == 0
    assert capsys.readouterr().out == "epsilon 0.4, delta 0\n"


ORACLES = {
    "dirichlet-draw --prior 3.46 --epsilon 2": ("delta", 4.173960576e-3),
    "dirichlet-draw --prior 1 --epsilon 1": ("delta", 0.2689414214),
    "dirichlet-draw --prior 10 --epsilon 1": ("delta", 3.559549457e-3),
    "dirichlet-draw --solve prior --epsilon 1 --delta 1e-6": ("prior", 37.05412248),
    "dirichlet-draw --solve prior --epsilon 1 --delta 1e-6 --neighbours add-or-remove-one": (
        "prior",
        24.14058908,
    ),
    "dirichlet-draw --solve rate --prior 1 --epsilon 1 --delta 1e-6": ("rate", 0.08784758),
    "dirichlet-draw --prior 37.05412248 --rate 1 --max-rows 1 --epsilon 1": ("delta", 1e-6),
    # two rows of one person in one cell: the same loss as one at twice the rate
    "dirichlet-draw --prior 1 --rate 0.08784758 --epsilon 1": ("delta", 9.99999506405e-7),
    "dirichlet-draw --prior 1 --rate 0.04392379 --max-rows 2 --epsilon 1": ("delta", 9.99999506405e-7),
    # a public minimum is a larger prior
    "dirichlet-draw --prior 7.05412248 --least 30 --epsilon 1": ("delta", 1e-6),
    "virtual-records --prior 1 --least 1 --drawn 10": ("epsilon", math.log(6)),
    "dirichlet-draw --order 2 --solve prior --epsilon 1": ("prior", 2.16395341),
    "truncated-bernoulli --floor .2 --records 1": ("epsilon", 1.38629436),
    "truncated-bernoulli --floor .2 --records 10 --prior 1,1": ("epsilon", 2.36712624),
    "truncated-bernoulli --floor .2": ("epsilon", 2.77258872),
    "truncated-exponential --lower .5 --upper 2 --rate 1 --data-lower 0 --data-upper 1 --records 1": (
        "epsilon",
        0.859525105,
    ),
    "bounded-range --eta 2 --epsilon 0": ("delta", 0.46211716),
    "bounded-range --eta 2 --epsilon 1": ("delta", 0.17904989),
    "virtual-records --prior 2 --drawn 10": ("epsilon", math.log(6)),
    "gibbs --lipschitz 1 --strong-convexity 1 --solve temperature --epsilon 1 --delta 1e-6": (
        "temperature",
        0.23670438 / 2,
    ),
    "gibbs --lipschitz 1 --strong-convexity 1 --loss-convexity .1 --records 1000 --solve temperature "
    "--epsilon 1 --delta 1e-6": ("temperature", 1.410653705),  # a quadratic equation: gibbs_errata.py
    "network-draws --nodes 1,5;5,1 --epsilon 2": ("delta", 0.20324),
    "network-draw --nodes 1 --epsilon 1": ("delta", 0.2689414214),
    "normal-mean-draw --diameter 1 --stddev 1 --prior-stddev 1 --records 3 --draws 4 --epsilon 1": (
        "delta",
        0.12693674,  # mu = 1
    ),
    "gibbs --lipschitz 1 --strong-convexity 1 --temperature .1 --solve draws --epsilon 1 --delta 1e-6": (
        "draws",
        1,  # mu .2 against .2367
    ),
    "dirichlet-draw --prior 100 --solve draws --epsilon 1 --delta 1e-6": ("draws", 2),
    "virtual-records --prior 2 --solve drawn --epsilon 1": ("drawn", 3),  # ln(1 + M/2) <= 1
    "bounded-range --eta 2 --draws 3": ("epsilon", 6),
    "gaussian-counts -k 3 -e 1 -d 1e-6 --solve stddev": ("stddev", 5.97664642333984375),
    "laplace-counts -k 3 -e .5 --solve laplace-scale": ("laplace_scale", 4),
    "k-norm -k 3 -e .25 --draws 4": ("epsilon", 1),
}


@pytest.mark.parametrize("question", ORACLES)
def test_known_promises_of_draws(
    question: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, expected = ORACLES[question]
    assert inside(["guarantee", *question.split(), "--json"], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document[name], float | int)
    assert document[name] == pytest.approx(expected, rel=1e-4 if "network" in question else 1e-7)
    assert {"epsilon", "delta", "neighbours", "reason"} <= set(document)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("dirichlet-draw --prior 2", "never pure"),
        ("dirichlet-draw --solve prior --epsilon 1", "never pure"),
        ("dirichlet-draw --epsilon 1", "a fact is missing"),
        ("dirichlet-draw --prior 1 --eta 3 --epsilon 1", "plays no part"),
        ("dirichlet-draw --prior 0 --epsilon 1", "out of range"),
        ("dirichlet-draw --prior 1,x --epsilon 1", "cannot be read"),
        ("dirichlet-draw --prior 1 --solve records --epsilon 1 --delta .1", "cannot be solved for"),
        ("truncated-bernoulli --floor .6", "away from 0 and 1"),
        ("poisson-draw --shape 1 --bound 1 --rate 1 --delta 2", "out of range"),
        ("k-norm", "--levels"),
        ("k-norm -k 3 --eta 1", "plays no part"),
        ("k-norm -k 3 --solve stddev", "cannot be solved for"),
        ("dirichlet-draw --prior 1 --draws 0 --epsilon 1", "repetitions"),
        ("dirichlet-draw --prior 1 --draws 1.5 --epsilon 1", "not a whole number"),
        ("network-draws --nodes ; --epsilon 1", "nothing to compose"),
        ("dirichlet-draw --prior 1 --solve draws --epsilon .001 --delta 1e-9", "no draws keeps this promise"),
        ("magic", "unknown mechanism"),
    ],
)
def test_what_cannot_be_promised_says_why(
    question: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inside(["guarantee", *question.split()], monkeypatch) == 3
    assert says in capsys.readouterr().err


def printed_commands() -> list[str]:
    """Return the calculator's commands that README and docs print in full, without words in capitals."""
    root = Path(__file__).resolve().parents[2]
    found = []
    for path in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        for command in re.findall(r"privior (guarantee [^`\n#]*)", path.read_text("utf-8")):
            words = shlex.split(command)
            if len(words) > 2 and not any(word.isupper() for word in words):
                found.append(command.strip())
    return sorted(set(found))


@pytest.mark.parametrize("command", printed_commands())
def test_commands_on_pages_run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert inside([*shlex.split(command), "-q"], monkeypatch) == 0


def test_the_commands_of_the_pages_are_found() -> None:
    """Those of the errata too."""
    assert len(printed_commands()) > 15
    assert any("--compare" in one and "--loss-convexity" in one for one in printed_commands())


def test_theorem_10_and_corollary_11_stand_beside_the_exact_temperature(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command of errata C4."""
    (question,) = (one for one in printed_commands() if "--compare" in one and "--loss-convexity" in one)
    assert inside([*shlex.split(question), "--json"], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    published = {one["place"]: one for one in document["published"]}
    assert set(published) == {"Theorem 10", "Corollary 11"}
    assert published["Corollary 11"]["value"] == pytest.approx(0.6882, abs=5e-5)
    assert published["Corollary 11"]["exact"] == pytest.approx(document["temperature"], rel=1e-6)
    assert published["Theorem 10"]["verdict"] == "loose"


def test_names_are_those_of_the_mechanisms_and_the_former_one_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for name in (pv.NetworkDraws.name, "network-draw"):
        assert inside(["guarantee", name, "--nodes", "1", "--epsilon", "1", "-q"], monkeypatch) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != ""


def test_curves_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "curve.png"
    for question in ("dirichlet-draw --prior 5 --epsilon 1", "k-norm --levels 4"):
        assert inside(["guarantee", *question.split(), "--plot", str(place)], monkeypatch) == 0
        assert place.stat().st_size > 5000
        assert (tmp_path / "curve-trade-off.png").stat().st_size > 5000
    assert (
        inside(["guarantee", "k-norm", "-k", "4", "--plot", str(tmp_path / "no" / "x.png")], monkeypatch) == 6
    )


def test_published_numbers_stand_beside_the_exact_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "guarantee dirichlet-draw --prior 3.46 --epsilon 2 --order 2 --compare"
    assert inside([*question.split(), "--json"], monkeypatch) == 0
    published = {one["place"]: one for one in json.loads(capsys.readouterr().out)["published"]}
    assert published["Theorem 4"]["value"] == pytest.approx(8.603e-2, rel=1e-4)
    assert published["Theorem 4"]["exact"] == pytest.approx(4.173960576e-3)
    assert published["Theorem 2"]["verdict"] == "loose"
    assert inside(question.split(), monkeypatch) == 0
    assert "published, Theorem 4" in capsys.readouterr().out
    assert (
        inside(
            ["guarantee", "truncated-bernoulli", "--floor", ".2", "--records", "10", "--compare"], monkeypatch
        )
        == 0
    )
    assert "3.218876, exact 2.367126: loose" in capsys.readouterr().out
    assert inside(["guarantee", "k-norm", "-k", "3", "--compare"], monkeypatch) == 0
    assert "none of the papers" in capsys.readouterr().out


def test_the_error_of_a_composition_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "guarantee dirichlet-draw --prior 1000 --draws 3000 --delta 1e-6"
    assert inside([*question.split(), "--json"], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    assert 0 < document["slack"] < 1e-8
    assert document["draws"] == 3000
    assert "3000 draws composed" in document["reason"]
    assert inside(question.split(), monkeypatch) == 0
    assert "above the exact one by" in capsys.readouterr().out
