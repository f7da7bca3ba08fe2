"""Posteriors of real releases: every question, against brute force, and every bad question."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.models import ExactStatistics
from privior.models.statistics import Observed
from privior.posterior.counts import total_blocks
from privior.posterior.tables import counts_posterior, drawn, table_posterior

TWO = pv.Schema(
    {"sex": pv.Categorical(["female", "male"]), "smoker": pv.Boolean()}, population="clinic", unit="patient"
)
MANY = 40_000


def release_of(
    rows: list[tuple[str, str]], epsilon: object = 1, columns: object = ("sex", "smoker"), **facts: object
) -> pv.Release:
    table = pa.table({"sex": [row[0] for row in rows], "smoker": [row[1] for row in rows]})
    model = pv.DirichletCategorical(columns, prior=facts.pop("prior", 1))  # type: ignore[arg-type]
    plan = pv.plan(model, TWO, records=len(rows), epsilon=epsilon, **facts)  # type: ignore[arg-type]
    return pv.measure(plan, table, ledger=pv.Ledger.in_memory())


ROWS = [("female", "yes")] * 3 + [("female", "no")] * 5 + [("male", "no")] * 2


def tables(total: int, cells: int) -> list[tuple[int, ...]]:
    return [table for table in product(range(total + 1), repeat=cells) if sum(table) == total]


def brute_force(release: pv.Release, prior: list[float]) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Return all possible true tables with their posterior probabilities, by the mechanism's likelihood."""
    plan = release.plan
    totals = [plan.records] if plan.total_public else range(plan.records + 1)
    latent = [table for total in totals for table in tables(total, len(prior))]
    logs = []
    for table in latent:
        likelihood = plan.mechanism.log_likelihood(release.statistics, ExactStatistics(np.array(table)))
        multinomial = (
            math.lgamma(sum(table) + 1) + math.lgamma(sum(prior)) - math.lgamma(sum(table) + sum(prior))
        )
        cells = sum(
            math.lgamma(c + a) - math.lgamma(c + 1) - math.lgamma(a)
            for c, a in zip(table, prior, strict=True)
        )
        logs.append(likelihood + multinomial + cells)
    weights = np.exp(np.array(logs) - max(logs))
    return latent, weights / weights.sum()


@pytest.mark.parametrize(
    "kind",
    [pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim, pv.EHD, pv.EHDS, pv.EHDL],
)
@pytest.mark.parametrize("prior", [[1, 1, 1, 1], [0.5, 3, 1, 0.1]])
def test_the_posterior_is_that_of_brute_force(kind: type[pv.KNorm], prior: list[float]) -> None:
    release = release_of(ROWS, epsilon="0.8", delta="0.01", mechanism=kind, prior=prior)
    posterior = pv.infer(release)
    latent, weights = brute_force(release, prior)
    counts = weights @ np.array(latent)
    mean = (counts + prior) / (10 + sum(prior))
    assert posterior.counts().mean() == pytest.approx(counts, abs=1e-8)
    assert posterior.mean() == pytest.approx(mean, abs=1e-9)
    spread = np.sqrt(weights @ (np.array(latent) - counts) ** 2)
    assert posterior.counts().stddev() == pytest.approx(spread, abs=1e-7)
    from scipy.special import betainc

    ends = posterior.interval(0.8)
    for cell in range(4):
        first = np.array(latent)[:, cell] + prior[cell]
        for end, tail in zip(ends[cell], (0.1, 0.9), strict=True):
            reached = weights @ betainc(first, 10 + sum(prior) - first, end)
            assert reached == pytest.approx(tail, abs=1e-7)


def test_a_private_number_of_records_is_inferred_too() -> None:
    release = release_of(ROWS, epsilon=2, neighbours=pv.ADD_OR_REMOVE_ONE)
    posterior = pv.infer(release)
    latent, weights = brute_force(release, [1, 1, 1, 1])
    assert posterior.counts().mean() == pytest.approx(weights @ np.array(latent), abs=1e-7)
    shares = (np.array(latent) + 1) / (np.array(latent).sum(axis=1, keepdims=True) + 4)
    assert posterior.mean() == pytest.approx(weights @ shares, abs=0.01)
    totals = posterior.counts().draws(2000, seed=1).sum(axis=1)
    assert totals.std() > 0.5


def test_events_and_conditions_agree_with_draws() -> None:
    seen = replace(release_of(ROWS, epsilon=1), statistics=Observed.of((5, 2, 4, -1)))
    posterior = pv.infer(seen)
    theta = posterior.draws(MANY, seed=3)
    either = posterior.probability({"sex": "female"})
    assert float(either) == pytest.approx(theta[:, :2].sum(axis=1).mean(), abs=0.01)
    given = posterior.probability({"smoker": True}, given={"sex": "female"})
    shares = theta[:, 1] / theta[:, :2].sum(axis=1)
    assert given.mean == pytest.approx(shares.mean(), abs=0.02)
    assert given.interval(0.9) == pytest.approx(tuple(np.quantile(shares, [0.05, 0.95])), abs=0.03)
    one = posterior.probability({"sex": "male", "smoker": "true"})
    assert one.interval(0.9) == tuple(posterior.interval(0.9)[3])
    assert posterior.probability({"sex": ["female", "male"]}).mean == pytest.approx(1)
    assert "P(smoker=true | sex=female) = " in str(given)
    assert 0 < given.simulation_error < 0.01


def test_a_level_alone_is_an_event_of_one_column() -> None:
    posterior = pv.infer(release_of(ROWS, columns="sex"))
    assert posterior.probability("male").mean == posterior.probability({"sex": "male"}).mean


def test_asking_twice_gives_one_answer() -> None:
    release = release_of(ROWS)
    first, second = (pv.infer(release).probability({"sex": "female"}) for _ in range(2))
    assert first.interval(0.5) == second.interval(0.5)


def test_draws_and_samples() -> None:
    posterior = pv.infer(release_of(ROWS))
    assert posterior.draws(7).shape == (7, 4)
    assert np.array_equal(posterior.draws(5, seed=1), posterior.draws(5, seed=1))
    assert posterior.draws(MANY, seed=0).mean(axis=0) == pytest.approx(posterior.mean(), abs=0.01)
    records = posterior.sample(1000, seed=2)
    assert list(records) == ["sex", "smoker"]
    assert len(records["sex"]) == 1000
    assert set(records["smoker"]) <= {False, True}
    assert np.array_equal(posterior.predictive(), posterior.mean())
    assert posterior.counts().draws(6, seed=0).sum(axis=1).tolist() == [10] * 6
    assert posterior.counts().interval(0.9).shape == (4, 2)
    assert (posterior.stddev() > 0).all()


def test_the_analysts_own_prior() -> None:
    release = release_of(ROWS, epsilon="0.1")
    strong = pv.infer(release, prior=[1000, 1, 1, 1])
    assert strong.mean()[0] > 0.95
    assert pv.infer(release, prior=1).mean() == pytest.approx(pv.infer(release).mean())


def test_several_releases_say_more_than_one() -> None:
    rows = ROWS * 20 + [("male", "yes")] * 60  # no cell is so empty that its noise alone says so
    releases = [release_of(rows, epsilon="0.2") for _ in range(8)]
    together = pv.infer(releases)
    alone = pv.infer(releases[0])
    assert (together.counts().stddev() < 0.6 * alone.counts().stddev()).all()
    mixed = pv.infer([releases[0], release_of(rows, epsilon="0.2", mechanism=pv.LaplaceCounts)])
    assert mixed.mean().sum() == pytest.approx(1)


def test_ignoring_the_noise_is_possible_and_says_what_it_is() -> None:
    release = release_of(ROWS, epsilon="0.1")
    naive = pv.infer(release, noise="ignore")
    honest = pv.infer(release)
    assert (naive.counts().stddev() == 0).all()
    assert (honest.counts().stddev() > 0).all()
    assert "IGNORED" in str(naive)
    assert "included" in str(honest)


def test_bad_questions() -> None:
    posterior: pv.CategoricalPosterior = pv.infer(release_of(ROWS))
    for ask in (
        lambda: posterior.probability({"age": 3}),
        lambda: posterior.probability({}),
        lambda: posterior.probability("female"),
        lambda: posterior.interval(0),
        lambda: posterior.interval(1.5),
        lambda: posterior.interval(math.nan),
        lambda: posterior.draws(0),
        lambda: posterior.sample(-1),
        lambda: posterior.counts().interval(2),
        lambda: posterior.plot(9),
    ):
        with pytest.raises(pv.InferenceError):
            ask()
    with pytest.raises(pv.InferenceError, match="not a level of sex"):
        posterior.probability({"sex": "other"})
    for event, given in (({"sex": []}, None), ({"sex": "male"}, {"sex": []})):
        with pytest.raises(pv.InferenceError, match="names no level of sex"):
            posterior.probability(event, given)
    for seed in ("x", -1, 1.5):
        with pytest.raises(pv.InferenceError, match="seed"):
            posterior.sample(3, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(pv.InferenceError, match="too large"):
        posterior.draws(10**12)


def test_bad_releases() -> None:
    release = release_of(ROWS)
    for wrong, says in (
        ([], "not a release"),
        (7, "not a release"),
        ([release, release], "given twice"),
        ([release, release_of(ROWS[:9])], "number of records"),
        ([release, release_of(ROWS, columns="sex")], "columns"),
        (None, "not a release"),
        ([release, release_of(ROWS, prior=2)], "prior"),
        (
            [release, release_of(ROWS, neighbours=pv.ADD_OR_REMOVE_ONE)],
            "neighbours(.|\n)*public fact",
        ),
    ):
        with pytest.raises(pv.InferenceError, match=says):
            pv.infer(wrong)  # type: ignore[arg-type]
    with pytest.raises(pv.InferenceError, match="account"):
        pv.infer(release, noise="reduce")  # type: ignore[arg-type]
    with pytest.raises(pv.ModelError, match="prior"):
        pv.infer(release, prior=-1)
    pv.infer([release, release_of(ROWS, prior=2)], prior=1)  # her own prior replaces both


def test_of_several_declared_maxima_the_smallest_holds() -> None:
    """A private number of records is at most what any release of the table declares."""
    most = ROWS[:6], ROWS[:8]
    wide, narrow = (
        replace(
            release_of(rows, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE),
            statistics=Observed.of(seen),
        )
        for rows, seen in zip(reversed(most), ((1, 4, 2, 0), (2, 3, -1, 3)), strict=True)
    )
    assert (wide.plan.records, narrow.plan.records) == (8, 6)
    latent, first = brute_force(narrow, [1, 1, 1, 1])
    law, seen = wide.plan.mechanism, wide.statistics
    weights = first * [math.exp(law.log_likelihood(seen, ExactStatistics(np.array(one)))) for one in latent]
    wanted = weights @ np.array(latent) / weights.sum()
    for both in ([wide, narrow], [narrow, wide]):
        posterior = pv.infer(both)
        assert posterior.counts().mean() == pytest.approx(wanted, abs=1e-7)
        assert posterior.releases == (narrow, wide)


@pytest.mark.parametrize(
    "model",
    [pv.BetaBernoulli("smoker"), pv.FiniteFamily("smoker", {"few": ["3/4", "1/4"], "many": ["1/4", "3/4"]})],
)
def test_families_take_the_smallest_maximum_too(model: Any) -> None:
    made = []
    for records in (30, 12):
        plan = pv.plan(model, TWO, records=records, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE)
        rows = {"sex": ["male"] * 9, "smoker": ["yes"] * 5 + ["no"] * 4}
        made.append(pv.measure(plan, pa.table(rows), ledger=pv.Ledger.in_memory()))
    posterior = pv.infer(made)
    assert posterior.releases == tuple(reversed(made))
    assert str(posterior) == str(pv.infer(made[::-1]))


def test_questions_may_be_asked_as_cells_are_written() -> None:
    schema = pv.Schema(
        {"age": pv.Integer(0, 3), "bin": pv.Binned([0, 10, 20]), "smoker": pv.Boolean()},
        population="p",
        unit="person",
    )
    table = pa.table({"age": [1, 2], "bin": [5, 15], "smoker": [True, False]})
    model = pv.DirichletCategorical(("age", "bin", "smoker"), prior=1)
    plan = pv.plan(model, schema, records=np.int64(2), epsilon=1)  # type: ignore[arg-type]
    posterior = pv.infer(pv.measure(plan, table, ledger=pv.Ledger.in_memory()))
    assert posterior.probability({"bin": 15}).mean == posterior.probability({"bin": "[10, 20]"}).mean
    assert posterior.probability({"smoker": "yes"}).mean == posterior.probability({"smoker": True}).mean
    assert posterior.probability({"age": {1, 2}}).mean == posterior.probability({"age": range(1, 3)}).mean
    assert all(isinstance(age, int) for age in posterior.sample(5)["age"])
    assert posterior.probability({"age": 1}).stddev > 0


def test_a_number_of_records_that_the_release_contradicts_is_a_warning(schema: pv.Schema) -> None:
    model = pv.DirichletCategorical("fruit", prior=1)
    fruit = pa.table({"fruit": ["apple"] * 200 + ["pear"] * 150 + ["plum"] * 150})
    for records, warned in ((2, True), (1000, False)):
        plan = pv.plan(model, schema, records=records, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE)
        posterior = pv.infer(pv.measure(plan, fruit, ledger=pv.Ledger.in_memory()))
        assert bool(posterior.warnings) == warned
        assert ("or the stated number of records" in str(posterior)) == warned


def test_to_arviz_carries_no_data() -> None:
    """T23: the posterior group and nothing else."""
    import arviz  # takes seconds

    data = pv.infer(release_of(ROWS)).to_arviz(draws=500, seed=0)
    assert list(data.groups()) == ["posterior"]
    summary = arviz.summary(data, kind="stats")
    assert len(summary) == 4


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    figure = pv.infer(release_of(ROWS)).plot(0.8)
    figure.savefig(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 5000
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["female, false", "female, true", "male, false", "male, true"]


def test_a_large_table_is_printed_and_drawn_in_part(tmp_path: Path) -> None:
    levels = pv.Categorical([str(place) for place in range(200)])
    schema = pv.Schema({"x": levels}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), schema, records=2000, epsilon=1)
    table = pa.table({"x": [str(place) for place in range(200)] * 10})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    posterior = pv.infer(release)
    assert "160 more cells" in str(posterior)
    posterior.plot().savefig(tmp_path / "p.png")


def test_single_cells_of_the_largest_tables_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains over so many cells are kept as they were stored; draws of all cells would fill the memory."""
    schema = pv.Schema({"x": pv.Integer(0, 199)}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), schema, records=2000, epsilon=1)
    release = pv.measure(plan, pa.table({"x": list(range(200)) * 10}), ledger=pv.Ledger.in_memory())
    exact = pv.infer(release).probability({"x": 7})
    monkeypatch.setattr(total_blocks, "MOST_COST", 1e6)
    sampled = pv.infer(release)
    for module in (table_posterior, counts_posterior, drawn):
        monkeypatch.setattr(module, "MOST_CELLS", 100)
    asked, share = sampled.probability({"x": 7}), sampled.counts().probability({"x": 7})
    assert asked.mean == pytest.approx(exact.mean, abs=0.3 * exact.stddev)
    assert asked.stddev == pytest.approx(exact.stddev, rel=0.2)
    assert share.mean == pytest.approx(sampled.counts().mean()[7] / 2000, abs=0.3 * share.stddev)
    for question in (lambda: sampled.probability({"x": [7, 8]}), sampled.interval):
        with pytest.raises(pv.PriviorError, match="too many cells"):
            question()


def test_tiny_priors_give_probabilities() -> None:
    draws = pv.infer(release_of([("male", "no")], epsilon="0.001", prior="1e-6")).draws(200, seed=0)
    assert np.isfinite(draws).all()
    assert draws.sum(axis=1) == pytest.approx(np.ones(200))
    posterior = pv.infer(release_of([("male", "no")] * 50, epsilon=1000, prior="1e-6"))
    rare = posterior.probability({"smoker": True}, given={"sex": "female"})  # of whom there is none
    assert rare.mean == pytest.approx(0.5, abs=0.05)
    assert np.isfinite(rare.values).all()
