"""Analysis files and the command line ask for a mechanism, and tell it what only this one can be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import privior as pv
from privior.cli.commands.plan import planned

SCHEMA = pv.Schema({name: pv.Boolean() for name in "ab"}, population="few", unit="person")
MODEL = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)


def asked(path: Path, more: str) -> Path:
    """Write an analysis of a small network that asks for more."""
    pv.Analysis(SCHEMA, MODEL, 100, pv.Budget.of(2, "1e-2")).write(path)
    text = path.read_text()
    assert "[ask]" in text
    path.write_text(text.replace("[ask]\n", f"[ask]\n{more}\n"))
    return path


def test_a_file_asks_for_concentrated_draws(tmp_path: Path) -> None:
    file = asked(tmp_path / "a.toml", 'mechanism = "network-draws"\ndraws = 2\nconcentrated = true')
    read = pv.Analysis.read(file)
    law: Any = read.plan().mechanism
    assert (law.name, law.draws, law.rate) == ("network-draws", 2, 1)
    assert law.floor > 0
    assert planned(file).mechanism == law
    read.write(tmp_path / "again.toml")
    assert pv.Analysis.read(tmp_path / "again.toml") == read
    # what the command line says is taken instead; another mechanism is told nothing of it
    fewer: Any = planned(file, draws=1).mechanism
    assert (fewer.draws, fewer.rate) == (1, 1)
    assert planned(file, mechanism="laplace-tables").mechanism.name == "laplace-tables"


def test_the_command_line_asks_for_concentrated_draws(tmp_path: Path) -> None:
    file = asked(tmp_path / "a.toml", "")
    law: Any = planned(file, mechanism="network-draws", concentrated=True).mechanism
    assert law.rate == 1
    plain: Any = planned(file, mechanism="network-draws").mechanism
    assert plain.floor == 0
    with pytest.raises(pv.PlanError, match="only network-draws can be told this"):
        planned(file, mechanism="laplace-tables", concentrated=True)


def gibbs(path: Path, more: str) -> Path:
    """Write an analysis of a Gibbs posterior, whose models have one mechanism, that asks for more."""
    model = pv.GibbsPosterior(pv.LogisticLoss(), "a ~ b")
    pv.Analysis(SCHEMA, model, 1000, pv.Budget.of(2, "1e-6")).write(path)
    path.write_text(path.read_text().replace("[ask]\n", f"[ask]\n{more}\n"))
    return path


def test_the_only_mechanism_of_a_model_needs_no_name(tmp_path: Path) -> None:
    """As its plan says: draws = 20. With its name it is the same."""
    read = pv.Analysis.read(gibbs(tmp_path / "a.toml", "draws = 20"))
    law: Any = read.plan().mechanism
    assert (law.name, law.draws) == ("gibbs-draws", 20)
    named = pv.Analysis.read(gibbs(tmp_path / "b.toml", 'mechanism = "gibbs-draws"\ndraws = 20'))
    assert named.plan().mechanism == law
    read.write(tmp_path / "again.toml")
    assert pv.Analysis.read(tmp_path / "again.toml") == read
    assert planned(tmp_path / "a.toml").mechanism == law
    assert planned(tmp_path / "a.toml", mechanism="gibbs-draws").mechanism == law
    fewer: Any = planned(tmp_path / "a.toml", draws=3).mechanism
    assert fewer.draws == 3
    asked_for = pv.plan(read.model, SCHEMA, records=1000, epsilon=2, delta="1e-6", draws=20)
    assert asked_for.mechanism == law
    with pytest.raises(pv.PriviorError, match="not a value of draws"):
        pv.Analysis.read(gibbs(tmp_path / "c.toml", "draws = true"))
    with pytest.raises(pv.PriviorError, match="unknown entry"):
        pv.Analysis.read(gibbs(tmp_path / "d.toml", "least = 3"))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("concentrated = true", "unknown entry"),
        ('mechanism = "network-draws"\nconcentrated = "yes"', "not a value of concentrated"),
        ('mechanism = "network-draws"\ndraws = true', "not a value of draws"),
        ('mechanism = "network-draws"\nleast = 3', "unknown entry"),
        ('mechanism = "no-such"', "unknown mechanism"),
    ],
)
def test_what_a_mechanism_does_not_know_is_refused(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(pv.PriviorError, match=says):
        pv.Analysis.read(asked(tmp_path / "a.toml", more))
