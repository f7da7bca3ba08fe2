"""Logistic regression: log loss on a real table, coverage of intervals, time and memory.

Incomes above 50,000 (Adult): 14 features, 30 splits of 2,000 training rows and 20 of all, default settings,
the mechanism that is planned from public facts, with noise of the operating system. Bars are log losses of
peers and of a study of mechanisms on the same splits, at the same delta: fixed numbers, to which means are
compared by their own standard error. That losses fall with epsilon is judged split by split: by the standard
error of paired differences between neighbouring epsilons. Under add-or-remove-one the number of records is
guessed wrongly, by a factor of 2 in both directions.

Coverage: weights are drawn from the prior, features evenly over their ranges or as two levels; the release is
simulated in floats (the law of the minimiser and of the noise on products, unrounded), and 90% intervals are
looked at. Rivals that take the minimiser for the maximum of the likelihood must fail.
"""

from __future__ import annotations

import math
import resource
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from real_tables import FOLDER
from record import Certificate, store

import privior as pv
from privior.arrays import Floats, Integers
from privior.models import ExactRecords
from privior.posterior.regression.logistic_draws import Said, sampled
from privior.posterior.regression.logistic_numbers import chance

TABLE, DELTA = "adult_logit14", "1e-5"
REPEATS = {2000: 30, None: 20}
EPSILONS = ("0.1", "0.5", "1", "2")
#: the largest mean log loss, by relation and training rows
BARS = {
    ("replace-one", 2000): (0.50, 0.405, 0.38, 0.365),
    ("replace-one", None): (0.362, 0.3445, 0.342, 0.3411),
    ("add-or-remove-one", 2000): (0.45, 0.38, 0.365, 0.355),
    ("add-or-remove-one", None): (0.352, 0.343, 0.3415, 0.3411),
}
#: the best peer in each cell (diffprivlib, d3p; add or remove), and its standard error
PEERS = {
    2000: ((0.5225, 0.0084), (0.4313, 0.0076), (0.3974, 0.0055), (0.3773, 0.0033)),
    None: ((0.3687, 0.0021), (0.3498, 0.0019), (0.3449, 0.0014), (0.3411, 0.0009)),
}
WAYS = {
    "known": ("replace-one", 1.0),
    "half": ("add-or-remove-one", 0.5),
    "double": ("add-or-remove-one", 2.0),
}
#: coverage
SETS, FEATURES, STDDEV = 200, 6, 1


@cache
def table() -> tuple[pv.Schema, pv.LogisticRegression, Integers]:
    """Return what is public, the model, and the codes of all records."""
    read = pq.read_table(FOLDER / f"{TABLE}.parquet")
    names = [name for name in read.column_names if name != "y"]
    kinds: dict[str, Any] = {"y": pv.Categorical(["no", "yes"])}
    codes = [read["y"].to_numpy().astype(np.int64)]
    for name in names:
        kinds[name] = pv.Bounded(-1, 1, grid="0.001")
        codes.append(np.rint((read[name].to_numpy().astype(np.float64) + 1) * 1000).astype(np.int64))
    model = pv.LogisticRegression(target="y", features=names)
    return pv.Schema(kinds, population="adult", unit="person"), model, np.stack(codes, axis=1)


def loss(rows: int | None, way: str, epsilon: str, repeat: int) -> tuple[str, float]:
    """Return what was planned, and the log loss of one release on the rows that were held out."""
    schema, model, codes = table()
    order = np.random.default_rng(1000 + repeat).permutation(len(codes))
    held = int(0.3 * len(codes))
    train = order[held:] if rows is None else order[held : held + rows]
    relation, factor = WAYS[way]
    records = len(train) if relation == "replace-one" else int(2 * factor * len(train))
    plan = pv.plan(model, schema, records=records, epsilon=epsilon, delta=DELTA, neighbours=relation)
    law, test, design = plan.mechanism, codes[order[:held]], model.design(schema)
    if law.name != "objective-perturbation":
        return law.name, _loss_of_moments(plan, codes[train], test)
    assert law.expected == int(factor * len(train))
    weights = law.weights(law.release(ExactRecords(codes[train])))
    return law.name, float(np.logaddexp(0, -design.signs(test) * (design.rows(test) @ weights)).mean())


def _loss_of_moments(plan: pv.Plan, train: Integers, test: Integers) -> float:
    """Release, infer and predict, as anybody would."""
    names = plan.model.columns

    def frame(some: Integers, places: slice) -> dict[str, Any]:
        values = [plan.schema.column(name).values for name in names]
        return {
            name: [values[place][code] for code in some[:, place].tolist()]
            for place, name in list(enumerate(names))[places]
        }

    ledger = pv.Ledger.in_memory(population="adult", epsilon=10, delta="1e-3")
    release = pv.measure(plan, pa.table(_plain(frame(train, slice(None)))), ledger=ledger)
    chances = pv.infer(release).predict_proba(_plain(frame(test, slice(1, None))))
    return float(-np.log(chances[np.arange(len(test)), test[:, 0]]).mean())


def _plain(columns: dict[str, Any]) -> dict[str, Any]:
    """Numbers as floats, which Arrow has."""
    return {
        name: [one if isinstance(one, str) else float(one) for one in values]
        for name, values in columns.items()
    }


def falls(steps: Floats) -> bool:
    """Say whether losses of the same splits fall from one epsilon to the next, up to two standard errors."""
    return float(steps.mean()) <= 2 * float(steps.std(ddof=1)) / math.sqrt(len(steps))


def test_falling_is_judged_by_paired_differences() -> None:
    """Losses of splits differ more than epsilons do: what is hidden beside that is noticed in pairs."""
    splits = np.linspace(0.3, 0.5, 30)
    rising = 0.004 + 0.001 * np.cos(np.arange(30))
    assert float(rising.mean()) < 2 * float(splits.std(ddof=1)) / math.sqrt(30)
    assert not falls((splits + rising) - splits)
    assert falls(splits - (splits + rising))
    assert falls(0.001 * np.cos(np.arange(30)))


@pytest.mark.parametrize("rows", [2000, None], ids=str)
def test_log_loss_on_a_real_table(rows: int | None) -> None:
    certificate = Certificate.of(__file__)
    lines, failed = [], []
    for way, (relation, _) in WAYS.items():
        before: Floats | None = None
        for place, epsilon in enumerate(EPSILONS):
            found = [loss(rows, way, epsilon, one) for one in range(REPEATS[rows])]
            each = np.array([one for _, one in found])
            mean, error = float(each.mean()), float(each.std(ddof=1)) / math.sqrt(len(each))
            bar, (peer, peer_error) = BARS[relation, rows][place], PEERS[rows][place]
            held = mean <= bar + 2 * error and mean <= peer + 2 * math.hypot(error, peer_error)
            held = held and (before is None or falls(each - before))
            before = each
            failed += [] if held else [(way, epsilon, mean)]
            lines.append(
                (
                    relation,
                    way,
                    epsilon,
                    found[0][0],
                    f"{mean:.4f} ±{error:.4f}",
                    f"{bar:g}",
                    f"{peer:g}",
                    "yes" if held else "no",
                )
            )
    store(
        f"logistic-log-loss-{rows or 'all'}",
        certificate,
        title=f"Log loss of logistic regression on Adult, {rows or 'all'} training rows, delta {DELTA}",
        claim="within two standard errors of the bar or below, and of the best peer's; falls with epsilon, "
        "within two standard errors of paired differences",
        header=(
            "neighbours",
            "number of records guessed",
            "epsilon",
            "planned",
            "log loss",
            "bar",
            "best peer",
            "held",
        ),
        rows=lines,
    )
    assert not failed


COVERAGE = {
    "2,000 records, replace-one": (2000, "replace-one"),
    "2,000 records, add-or-remove-one": (2000, "add-or-remove-one"),
    "34,000 records, replace-one": (34_000, "replace-one"),
    "34,000 records, add-or-remove-one": (34_000, "add-or-remove-one"),
}


def simulated(
    law: pv.ObjectivePerturbation, records: int, rng: np.random.Generator
) -> tuple[Floats, Said, Floats]:
    """Return weights from the prior, what is released of records made with them, and naive half-widths."""
    size, spread = law.design.size, math.sqrt(law.variance)
    theta = STDDEV * rng.standard_normal(size)
    features = rng.uniform(-1, 1, (records, size - 1))
    features[:, : size // 2] = np.where(rng.random((records, size // 2)) < 0.3, 1.0, -1.0)
    rows = np.column_stack([np.ones(records), features])
    signed = rows * np.where(rng.random(records) < chance(rows @ theta), 1.0, -1.0)[:, None]
    b, found, ridge = spread * rng.standard_normal(size), np.zeros(size), float(law.ridge)
    for _ in range(60):
        q = chance(-(signed @ found))
        hessian = (signed * (q * (1 - q))[:, None]).T @ signed + ridge * np.eye(size)
        step = np.linalg.solve(hessian, ridge * found + b - q @ signed)
        found = found - step / max(1.0, float(np.abs(signed @ step).max()) / 3)
        if np.abs(step).max() < 1e-10:
            break
    noise = math.sqrt(law.products) * rng.standard_normal((size, size))
    noise = (noise + noise.T) / 2
    noise[np.diag_indices(size)] = math.sqrt(law.products) * rng.standard_normal(size)
    squares = tuple((place, 0) for place in range(1, size // 2 + 1))
    public = records if law.neighbours is pv.REPLACE_ONE else None
    products = rows.T @ rows + noise
    said = Said(
        found, ridge, float(law.variance), products, float(law.products), public, float(STDDEV), squares
    )
    return theta, said, 1.645 * np.sqrt(np.diag(np.linalg.inv(hessian)))


@pytest.mark.parametrize("name", COVERAGE)
def test_intervals_cover_what_was_drawn_from_the_prior(name: str) -> None:
    certificate = Certificate.of(__file__)
    records, relation = COVERAGE[name]
    names = [f"x{place}" for place in range(FEATURES)]
    kinds = {"y": pv.Boolean(), **{one: pv.Integer(0, 100) for one in names}}
    schema = pv.Schema(kinds, population="drawn", unit="person")
    model = pv.LogisticRegression(target="y", features=names, prior=STDDEV)
    law = pv.ObjectivePerturbation(
        model, schema, "1", DELTA, expected=records, neighbours=relation, intervals=True
    )
    rng = np.random.default_rng([22, list(COVERAGE).index(name)])
    hits, naive, widths, worst = [], [], [], 0.0
    for number in range(SETS):
        theta, said, plain = simulated(law, records, rng)
        found = sampled(said, seed=number, kept_states=80)
        low, high = np.quantile(found.weights, [0.05, 0.95], axis=0)
        hits.append((low <= theta) & (theta <= high))
        naive.append(np.abs(said.minimiser - theta) <= plain)
        widths.append(float((high - low).mean()))
        worst = max(worst, found.diagnostics.r_hat or 0.0)
    each = np.mean(hits, axis=0)
    covered, ignoring = float(np.mean(hits)), float(np.mean(naive))
    store(
        f"logistic-coverage-{records}-{relation}",
        certificate,
        title=f"Coverage of 90% intervals of logistic weights, {name}, epsilon 1",
        claim="85% to 95% of the weights that were drawn from the prior; with 2,000 records less than 80% if "
        "the noise is ignored",
        header=("data sets", "covered", "each weight", "mean width", "noise ignored", "largest R-hat"),
        rows=[
            (
                str(SETS),
                f"{covered:.3f}",
                f"{each.min():.2f} to {each.max():.2f}",
                f"{np.mean(widths):.3g}",
                f"{ignoring:.3f}",
                f"{worst:.3f}",
            )
        ],
    )
    assert 0.85 <= covered <= 0.95
    assert records > 2000 or ignoring < 0.8


def test_a_million_records(tmp_path: Path) -> None:
    """14 features, from a file, in a process of its own: under 20 CPU-seconds and 2 GB."""
    certificate = Certificate.of(__file__)
    rng, records = np.random.default_rng(0), 1_000_000
    made: dict[str, Any] = {
        f"x{place}": rng.integers(0, 101, records).astype(np.int16) for place in range(14)
    }
    odds = sum((-1) ** place * (one - 50) / 60 for place, one in enumerate(made.values()))
    made["y"] = rng.random(records) < chance(np.asarray(odds))
    pq.write_table(pa.table(made), tmp_path / "many.parquet")
    kinds = {"y": pv.Boolean(), **{f"x{place}": pv.Integer(0, 100) for place in range(14)}}
    schema = pv.Schema(kinds, population="many", unit="person")
    model = pv.LogisticRegression(target="y", features=[name for name in kinds if name != "y"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = process_time()
    plan = pv.plan(model, schema, records=records, epsilon=1, delta="1e-6")
    assert plan.mechanism.name == "objective-perturbation"
    ledger = pv.Ledger.in_memory(population="many", delta="1e-3")
    pv.measure(plan, tmp_path / "many.parquet", ledger=ledger)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = process_time() - start + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory = after.ru_maxrss / 1e6
    stated = int(plan.mechanism.memory(records).removeprefix("about ").partition(" MB")[0]) / 1e3
    store(
        "logistic-speed",
        certificate,
        title="Objective perturbation of a million records with 14 features, from a file",
        claim="under 20 CPU-seconds and 2 GB, no more memory than the plan stated",
        header=("records", "features", "CPU-seconds", "GB", "GB stated"),
        rows=[(f"{records:,}", "14", f"{seconds:.1f}", f"{memory:.2f}", f"{stated:.2f}")],
    )
    assert seconds < 20
    assert memory < min(2, stated)
