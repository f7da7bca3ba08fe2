"""Batches, keys, analysts and versions through `measure`: one spend, one reading, every release stored."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import privior as pv
from privior.curator import prepare

ROWS = ["north,yes,20"] * 30 + ["south,no,60"] * 50 + ["south,yes,20"] * 15 + ["x,no,60"] * 5


@pytest.fixture
def clinic() -> pv.Schema:
    return pv.Schema(
        {
            "region": pv.Categorical(["north", "south"], missing="north"),
            "smoker": pv.Boolean(),
            "age": pv.Binned([0, 40, 120]),
        },
        population="clinic",
        unit="person",
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.csv"
    path.write_text("region,smoker,age\n" + "\n".join(ROWS) + "\n")
    return path


@pytest.fixture
def book(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "clinic.ledger", population="clinic", epsilon=100, delta="1e-3")


def planned(schema: pv.Schema, column: str, epsilon: object = 30, **facts: object) -> pv.Plan:
    chosen = {"neighbours": pv.ADD_OR_REMOVE_ONE, "mechanism": pv.LaplaceCounts, "records": 200, **facts}
    return pv.plan(pv.DirichletCategorical(column, prior=1), schema, epsilon=epsilon, **chosen)  # type: ignore[arg-type]


def counts(release: pv.Release) -> list[int]:
    return list(release.statistics.counts)


@pytest.mark.parametrize("live", [False, True])
def test_several_plans_are_one_spend(
    live: bool, clinic: pv.Schema, file: Path, book: pv.Ledger, tmp_path: Path
) -> None:
    """At epsilon 30 noise is as good as none: what was counted can be seen."""
    batch = pv.Batch.of([planned(clinic, "smoker"), planned(clinic, "age")])
    table = pd.read_csv(file, dtype=str) if live else file
    places = [tmp_path / "smoker.json", tmp_path / "age.json"]
    smoker, age = pv.measure_all(batch, table, ledger=book, outputs=places)
    assert (counts(smoker), counts(age)) == ([55, 45], [45, 55])
    assert smoker.receipt == age.receipt
    last = book.verify()
    assert (last.number, last.spent) == (1, pv.Budget.of(60))
    for place, release in zip(places, (smoker, age), strict=True):
        assert pv.Release.read(place) == release
        assert pv.verify(pv.Release.read(place), book).passed
        assert pv.review(pv.Release.read(place), book).passed


def test_groups_are_counted_apart_and_cost_what_one_does(
    clinic: pv.Schema, file: Path, book: pv.Ledger
) -> None:
    north, south = pv.measure_all(pv.Batch.of([planned(clinic, "smoker")], by="region"), file, ledger=book)
    assert (counts(north), counts(south)) == ([5, 30], [50, 15])  # an unknown region counts as north
    assert book.spent == pv.Budget.of(30)
    assert "region = north" in str(north)
    assert pv.infer(south).probability({"smoker": "false"}).mean > 0.5


def test_all_or_nothing(clinic: pv.Schema, file: Path, book: pv.Ledger, tmp_path: Path) -> None:
    large = pv.Batch.of([planned(clinic, "smoker", 60), planned(clinic, "age", 60)])
    with pytest.raises(pv.BudgetExceededError):
        pv.measure_all(large, file, ledger=book)
    small = pv.Batch.of([planned(clinic, "smoker"), planned(clinic, "age")])
    one, taken = tmp_path / "one.json", tmp_path / "taken.json"
    taken.write_text("mine")
    for outputs in ([one], [one, one], [one, taken]):
        with pytest.raises(pv.TableError):
            pv.measure_all(small, file, ledger=book, outputs=outputs)
    assert book.last().number == 0
    assert not one.exists()


def test_t28_a_key_is_charged_once(clinic: pv.Schema, file: Path, book: pv.Ledger, tmp_path: Path) -> None:
    plan = planned(clinic, "smoker", 1)
    first = pv.measure(plan, file, ledger=book, key="monday")
    file.unlink()  # what is stored needs no table
    again = pv.measure(plan, file, ledger=book, key="monday", output=tmp_path / "again.json")
    assert again == first
    assert (tmp_path / "again.json").read_text() == first.to_json()
    assert book.last().number == 1
    with pytest.raises(pv.KeyConflictError, match="another plan"):
        pv.measure(planned(clinic, "age", 1), file, ledger=book, key="monday")
    with pytest.raises(pv.KeyConflictError, match="another plan"):
        pv.measure(plan, file, ledger=book, key="monday", version="2")
    assert book.bought(plan) == book.last()


def test_t29_a_key_whose_release_failed_is_never_drawn_again(
    clinic: pv.Schema, file: Path, book: pv.Ledger, tmp_path: Path
) -> None:
    plan = planned(clinic, "smoker", 1)
    ready = prepare(plan, file, ledger=book, key="monday")
    file.unlink()
    with pytest.raises(pv.ReleaseFailedError):
        ready.carry_out()
    file.write_text("region,smoker,age\nnorth,yes,20\n")
    with pytest.raises(pv.KeyConflictError, match="failed"):
        pv.measure(plan, file, ledger=book, key="monday")
    assert book.spent == pv.Budget.of(1)
    (row,) = book.history().table()[1]
    assert "failed" in row


def test_t33_versions_share_the_budget(
    clinic: pv.Schema, file: Path, book: pv.Ledger, tmp_path: Path
) -> None:
    plan = planned(clinic, "smoker", 1)
    pv.measure(plan, file, ledger=book, version="2026-01")
    longer = file.with_name("renamed.csv")
    longer.write_text(file.read_text() + "north,yes,20\n")
    pv.measure(plan, longer, ledger=book, version="2026-02")
    assert book.spent == pv.Budget.of(2)
    assert [entry.version for entry in book.entries()][1:] == ["2026-01", "2026-02"]


def test_t41_an_analyst_spends_within_her_quota(clinic: pv.Schema, file: Path, book: pv.Ledger) -> None:
    book.allow("ann", "1/100")
    plan = planned(clinic, "smoker", 1)
    with pytest.raises(pv.LedgerError, match="names an analyst"):
        pv.measure(plan, file, ledger=book)
    pv.measure(plan, file, ledger=book, analyst="ann")
    with pytest.raises(pv.BudgetExceededError, match="quota of ann"):
        pv.measure(plan, file, ledger=book, analyst="ann")
    assert book.verify().spent == pv.Budget.of(1)
