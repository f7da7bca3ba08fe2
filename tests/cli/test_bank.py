"""The walk of a new user with a bank's table: decimal commas, blanks, heaps, tails, a column called y."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from program import Ended, run_here

RECORDS = 4000
SCHEMA = """\
format = 1
population = "bank-2026"
unit = "customer"

[csv]
delimiter = ";"
decimal = ","

[columns.age]
type = "integer"
lower = 18
upper = 95
missing = 18

[columns.balance]
type = "bounded"
lower = -1000
upper = 20000
grid = "0.5"
missing = "drop"

[columns.campaign]
type = "integer"
lower = 0
upper = 50
missing = 0

[columns.t]
type = "bounded"
lower = 0
upper = 100
grid = "0.1"
missing = 0

[columns.y]
type = "boolean"
"""
MODELS = {
    "age": 'family = "dirichlet-categorical"\ncolumns = ["age"]',
    "campaign": 'family = "gamma-poisson"\ncolumn = "campaign"\n'
    'prior = { law = "gamma", shape = 1, rate = 1 }',
    "balance": 'family = "normal-mean-precision"\ncolumn = "balance"\n'
    'prior = { law = "normal-gamma", mean = 500, strength = 1, shape = 1, rate = 1000000 }',
    "time": 'family = "gamma-exponential"\ncolumn = "t"\nprior = { law = "gamma", shape = 1, rate = 4 }',
    "answer": 'family = "beta-bernoulli"\ncolumn = "y"\nprior = { law = "beta", first = 1, second = 1 }',
}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    rng = np.random.default_rng(7)
    age = np.clip(np.round(rng.gamma(14, 3, RECORDS) + 2), 18, 95)
    heaped = rng.random(RECORDS) < 0.25
    age[heaped] = np.clip(5 * np.round(age[heaped] / 5), 18, 95)
    balance = np.round(400 * rng.pareto(1.5, RECORDS) - 50, 2)
    calls = np.where(rng.random(RECORDS) < 0.6, 1, np.minimum(rng.geometric(0.2, RECORDS), 50))
    spoken = np.round(rng.exponential(4, RECORDS), 1)
    blank = rng.random(RECORDS) < 0.05
    lines = [
        f"{age[i]:.0f};{'' if blank[i] else _comma(balance[i])};{calls[i]};{i % 5};{_comma(spoken[i])};"
        f"{'yes' if i % 8 == 0 else 'no'}"
        for i in range(RECORDS)
    ]
    (folder / "bank.csv").write_text("age;balance;campaign;n;t;y\n" + "\n".join(lines) + "\n")
    (folder / "bank.schema.toml").write_text(SCHEMA)
    for name, model in MODELS.items():
        ask = f'[ask]\nrecords = {RECORDS}\nepsilon = "2"\n'
        (folder / f"{name}.toml").write_text(f'schema = "bank.schema.toml"\n[model]\n{model}\n{ask}')
    kept = np.clip(balance[~blank], -1000, 20000)
    truth = {"age": age.mean(), "old": (age >= 65).mean(), "balance": kept.mean(), "t": spoken.mean()}
    (folder / "truth.json").write_text(json.dumps({name: float(one) for name, one in truth.items()}))
    assert walk(["ledger", "create", "b.ledger", "--population", "bank-2026", "--epsilon", "50"], folder)
    return folder


def _comma(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")


def walk(words: Sequence[str], folder: Path) -> Ended:
    """Run a command that has to go well."""
    ended = run_here([*words], folder)
    assert ended.code == 0, ended.errors
    return ended


def spend(name: str, folder: Path, *options: str) -> Ended:
    words = ["release", f"{name}.toml", "bank.csv", "--ledger", "b.ledger", "--yes"]
    return walk([*words, "-o", f"{name}.json", *options], folder)


def answers(folder: Path, release: str, *questions: str) -> list[dict[str, float]]:
    found: list[dict[str, float]] = json.loads(walk(["ask", release, *questions, "--json"], folder).output)[
        "answers"
    ]
    return found


def test_init_takes_columns_called_y_n_t_and_asks_what_the_header_cannot_tell(bank: Path) -> None:
    refused = run_here(["init", "bank.csv", "-o", "draft.toml"], bank)
    assert "--delimiter ';'" in refused.errors
    walk(["init", "bank.csv", "--delimiter", ";", "-o", "draft.toml"], bank)
    draft = (bank / "draft.toml").read_text()
    assert all(f'[columns."{name}"]' in draft for name in ("y", "n", "t"))
    assert 'decimal = "FILL IN"' in draft
    assert draft.count('missing = "FILL IN"') == 6
    unfilled = run_here(["plan", "draft.toml"], bank)
    assert "not filled in yet" in unfilled.errors


def test_ages_by_default_hold_what_the_table_has(bank: Path) -> None:
    """The prior is learned if nothing is said; the table and the process behind it are told apart."""
    planned = walk(["plan", "age.toml"], bank)
    assert "prior learned" in planned.plain
    assert "typical of prior 1" in " ".join(planned.plain.split())
    spend("age", bank)
    truth = json.loads((bank / "truth.json").read_text())
    mean, share, process = answers(bank, "age.json", "table(mean(age))", "share(age>=65)", "P(age>=65)")
    # Three times the interval: noise is drawn anew in every run.
    for found, true in ((mean, truth["age"]), (share, truth["old"])):
        assert abs(found["mean"] - true) < 1.5 * (found["high"] - found["low"])
    assert process["high"] - process["low"] > share["high"] - share["low"]
    told = walk(["ask", "age.json", "share(age>=65)"], bank)
    assert "of the table of 4,000 records" in " ".join(told.plain.split())
    several = walk(["ask", "age.json", "share(age=18)", "P(age<30)", "P(age>=65)"], bank).plain
    assert several.count("NOTE: a missing or unreadable age counts as 18") == 1
    assert "NOTE" not in walk(["ask", "age.json", "share(age=18)", "--quiet"], bank).plain
    document = json.loads(walk(["ask", "age.json", "share(age=18)", "--json"], bank).output)
    assert [note[:36] for note in document["notes"]] == ["NOTE: a missing or unreadable age co"]
    page = (bank / "age.report.html").read_text()
    assert "<svg" in page
    assert "What may not be concluded" in page
    assert walk(["verify", "age.json", "--ledger", "b.ledger"], bank)


def test_decimal_commas_and_blanks_are_read_as_declared(bank: Path) -> None:
    truth = json.loads((bank / "truth.json").read_text())
    for name, question, true, near in (
        ("balance", "mean(balance)", "balance", 150),
        ("time", "mean(t)", "t", 0.5),
    ):
        spend(name, bank, "--no-report")
        (found,) = answers(bank, f"{name}.json", question)
        assert abs(found["mean"] - truth[true]) < near
    told = walk(["ask", "balance.json", "mean(balance)"], bank)
    assert "if balance is Normal, which decides how wide that is" in " ".join(told.plain.split())
    plan = json.loads((bank / "balance.json").read_text())["plan"]
    assert plan["mechanism"]["values"] == [0, 1]  # blanks are left out, and counted with noise


def test_a_column_that_is_no_poisson_is_told(bank: Path) -> None:
    said = spend("campaign", bank, "--no-report")
    assert "which sums cannot tell: privior check-fit" in " ".join(said.plain.split())
    told = walk(["ask", "campaign.json", "P(campaign>=3)"], bank)
    assert "if campaign is Poisson" in " ".join(told.plain.split())
    walk(["check-fit", "campaign.json", "--write", "bins.toml", "--epsilon", "1"], bank)
    spend("bins", bank, "--no-report")
    assert (
        "contradicts that campaign is Poisson"
        in walk(["check-fit", "campaign.json", "bins.json"], bank).plain
    )


def test_skewed_money_with_blanks_is_checked_as_its_release_says(bank: Path) -> None:
    """What `release` prints next is run: 5% of cells are blank, and left out by the draft that init makes."""
    if not (bank / "balance.json").exists():
        spend("balance", bank, "--no-report")
    walk(["check-fit", "balance.json", "--write", "money.toml", "--epsilon", "0.5"], bank)
    spend("money", bank, "--no-report")
    told = " ".join(walk(["check-fit", "balance.json", "money.json"], bank).plain.split())
    assert "contradicts that balance is Normal" in told
    assert "Bad cells are in [19999.75, 20000.5], which is not compared." in told


def test_one_bad_question_keeps_the_answers_to_the_others(bank: Path) -> None:
    spend("answer", bank, "--no-report")
    ended = run_here(["ask", "answer.json", "P(y=true)", "P(z=1)"], bank)
    assert ended.code != 0
    assert re.search(r"P\(y=true\) = 0\.1", ended.plain)
    assert "no such column" in ended.errors


def test_what_a_prior_of_a_file_is_called_is_said_if_it_is_wrong(bank: Path) -> None:
    text = (bank / "balance.toml").read_text().replace("strength", "weight")
    (bank / "wrong.toml").write_text(text)
    assert "allowed: mean, strength, shape, rate" in run_here(["plan", "wrong.toml"], bank).errors
    (bank / "wrong.toml").write_text(text.replace('column = "balance"', 'columns = ["balance"]'))
    assert "allowed: column, prior" in run_here(["plan", "wrong.toml"], bank).errors
