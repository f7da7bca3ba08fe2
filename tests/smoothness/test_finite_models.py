"""What the analysis says of finite families is what going through all tables and all draws gives."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from analysed import analysed
from finite_cases import CASES, DIE, GRID, SCHEMA, STRICT, all_tables, chances_of
from numpy.typing import NDArray

import privior as pv
from privior.papers.constants import log_ratio
from privior.smoothness import subject_of
from privior.smoothness.finite_models import FiniteModels

Floats = NDArray[np.float64]
OPEN = {name: model for name, model in CASES.items() if name != "strict"}


def of(model: pv.FiniteFamily, distance: object = None) -> FiniteModels:
    found = subject_of(model, SCHEMA, distance)
    assert isinstance(found, FiniteModels)
    return found


def posterior(model: pv.FiniteFamily, counts: Floats) -> Floats:
    weights = np.array([float(one) for one in model.prior]) * np.prod(chances_of(model) ** counts, axis=1)
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("model", CASES.values(), ids=CASES)
def test_slopes_and_masses_are_those_of_all_pairs_of_cells(model: pv.FiniteFamily) -> None:
    one, chances = of(model), chances_of(model)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = [np.nanmax(np.abs(np.log(law)[:, None] - np.log(law))) for law in chances]
    assert one.slopes == pytest.approx(gaps)
    prior = np.array([float(weight) for weight in model.prior])
    for level in (0.0, 0.5, 1.0, 2.0, 100.0):
        outside = float(prior[np.array(gaps) > level].sum() / prior.sum())
        assert float(one.outside(np.array([level]))[0]) == pytest.approx(outside)
    made = analysed(model, SCHEMA, records=5)
    assert made.slope == pytest.approx(max(gaps))
    found = made.concentration
    if math.isinf(max(gaps)):
        assert found is None
        return
    assert found is not None
    levels = np.linspace(found.start, max(gaps), 5001)[1:]
    promised = np.exp(-found.rate * (levels - found.start)) if math.isfinite(found.rate) else levels * 0
    assert (one.outside(levels) <= promised + 1e-12).all()


def test_slopes_under_other_distances_are_those_of_all_pairs_of_values() -> None:
    model = pv.FiniteFamily("hits", {"a": ["1/2", "1/4", "1/4"], "b": ["0.1", "0.2", "0.7"]})
    logs = np.log(chances_of(model))

    def squared(one: object, two: object) -> float:
        return float((int(str(one)) - int(str(two))) ** 2)

    for distance, apart in (("values", 1), (squared, 2)):
        table = np.abs(np.arange(3)[:, None] - np.arange(3)) ** apart
        gaps = np.abs(logs[:, :, None] - logs[:, None, :])[:, table > 0] / table[table > 0]
        assert of(model, distance).slopes == pytest.approx(gaps.max(axis=1))


@pytest.mark.parametrize("model", CASES.values(), ids=CASES)
def test_the_constant_c_is_the_largest_ratio_of_all_tables(model: pv.FiniteFamily) -> None:
    chances = chances_of(model)
    prior = np.array([float(weight) for weight in model.prior])
    for records in (1, 3, 5):
        best = 0.0
        for counts in all_tables(records, chances.shape[1]):
            likelihoods = np.prod(chances**counts, axis=1)
            if likelihoods.any():
                best = max(best, float(likelihoods.max() / (likelihoods @ prior) * prior.sum()))
        assert math.exp(log_ratio(of(model), records) or 0.0) == pytest.approx(best)
    many = log_ratio(of(model), 10**6)
    assert many is not None
    assert math.exp(many) <= prior.sum() / prior.min() * (1 + 1e-9)


@pytest.mark.parametrize("model", OPEN.values(), ids=OPEN)
def test_the_guarantee_is_the_largest_loss_of_all_neighbours(model: pv.FiniteFamily) -> None:
    records, cells = 4, len(model.chances[0])
    worst = 0.0
    for others in all_tables(records - 1, cells):
        laws = np.log([posterior(model, others + one) for one in np.eye(cells)])
        worst = max(worst, float(np.abs(laws[:, None] - laws).max()))
    made = analysed(model, SCHEMA, records=records, draws=3)
    assert made.epsilon == pytest.approx(3 * worst, rel=1e-9)
    assert made.epsilon >= 3 * worst
    assert made.necessary is not None
    assert made.necessary <= worst
    assert made.epsilon <= 3 * made.subject.oscillation * (1 + 1e-12)
    assert made.subject.oscillation <= 2 * made.slope * (1 + 1e-12)


def best_power(one: Floats, two: Floats, draws: int, alarm: float) -> tuple[float, float]:
    """Neyman and Pearson over all sequences of draws: the total variation, and the power."""
    first = np.array([math.prod(one[list(drawn)]) for drawn in product(range(one.size), repeat=draws)])
    second = np.array([math.prod(two[list(drawn)]) for drawn in product(range(one.size), repeat=draws)])
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(second > 0, first / second, np.where(first > 0, math.inf, -1)))
    power, left = 0.0, alarm
    for place in order:
        share = 1.0 if second[place] <= left else left / second[place]
        power, left = power + share * first[place], left - share * second[place]
    return float(np.abs(first - second).sum() / 2), power


@pytest.mark.parametrize("model", CASES.values(), ids=CASES)
def test_the_best_test_is_the_one_over_all_sequences_of_draws(model: pv.FiniteFamily) -> None:
    one, cells = of(model), len(model.chances[0])
    for others in np.array([[3, 1, 2], [0, 0, 0]]) if cells == 3 else np.array([[2] + [1] * (cells - 1)]):
        for here, there in ((0, cells - 1), (cells - 1, 0), (1, 0)):
            if not all(
                np.prod(chances_of(model) ** others, axis=1) @ chances_of(model)[:, (here, there)] > 0
            ):
                continue
            here_law, there_law = (posterior(model, others + np.eye(cells)[cell]) for cell in (here, there))
            for draws in (1, 2, 4):
                test = one.test(others.astype(float), here, there)
                test = pv.smoothness.Contrast("", 1, 1.0, test).with_draws(draws)
                apart, power = best_power(here_law, there_law, draws, 0.05)
                for bounds, truth in ((test.total_variation, apart), (test.power(0.05), power)):
                    assert bounds.low - 1e-9 <= truth <= bounds.high + 1e-9
                    assert bounds.high - bounds.low < 2e-3


def test_neighbours_that_are_told_apart_best_are_found_among_all_tables() -> None:
    cells, worst = 3, 0.0
    for others in all_tables(7, cells):
        laws = np.array([posterior(DIE, others + one) for one in np.eye(cells)])
        worst = max(worst, float(np.abs(laws[:, None] - laws).sum(axis=2).max() / 2))
    made = analysed(DIE, SCHEMA, records=8)
    assert made.accuracy.low == pytest.approx((1 + worst) / 2, abs=1e-3)
    assert made.accuracy.high >= (1 + worst) / 2


def test_a_cut_drops_the_roughest_models() -> None:
    made = analysed(DIE, SCHEMA, records=6)
    cuts = made.subject.cuts(6)
    assert cuts[0].words == "2 of 4 models: fair, tilted"
    for cut in cuts:
        kept = cut.words.split(": ")[1].split(", ")
        models = {name: law for name, law in zip(DIE.names, DIE.chances, strict=True) if name in kept}
        prior = [weight for name, weight in zip(DIE.names, DIE.prior, strict=True) if name in kept]
        again = analysed(pv.FiniteFamily("die", models, prior), SCHEMA, records=6)
        assert again.slope == pytest.approx(cut.level)
        assert again.epsilon == pytest.approx(cut.epsilon)
        assert cut.outside == pytest.approx(float(1 - sum(prior, Fraction(0)) / 8))


def test_a_model_that_excludes_a_level_is_told_as_it_is() -> None:
    made = analysed(STRICT, SCHEMA, records=20)
    words = dict(made.facts())
    assert "infinite" in words["Assumption 1"]
    assert words["Assumption 2"].startswith("does not hold")
    assert words["guarantee"].startswith("none is proved")
    assert words["Theorem 8"].startswith("vacuous: Assumption 2")
    assert made.accuracy.low == pytest.approx(1, abs=1e-9)
    assert made.mass(1.0) == pytest.approx(1 / 3)
    json.dumps(made.to_document(), allow_nan=False)


def test_many_models_and_records_are_analysed_quickly() -> None:
    grid = pv.FiniteFamily("coin", {f"{i}": [f"0.{1000 - i:03}", f"0.{i:03}"] for i in range(10, 991, 10)})
    made = analysed(grid, SCHEMA, records=10**6, draws=2)
    assert made.slope == pytest.approx(math.log(99))
    assert "moved" in str(made)


@pytest.mark.parametrize(
    ("distance", "says"),
    [
        (lambda one, two: float((one == "low") != (two == "low")), "not sufficient"),
        ("values", "does not fit"),
        (lambda one, two: 0.0, "0 everywhere"),
    ],
)
def test_bad_distances_are_refused(distance: str | Callable[..., float], says: str) -> None:
    with pytest.raises(pv.ModelError, match=says) as refused:
        pv.analyse(DIE, SCHEMA, records=5, distance=distance)
    assert "Nothing was spent" in str(refused.value)
    with pytest.raises(pv.ModelError, match="schema"):
        pv.analyse(GRID, records=5)


def test_cells_that_no_model_tells_apart_may_be_at_distance_0() -> None:
    model = pv.FiniteFamily("die", {"a": ["1/2", "1/4", "1/4"], "b": ["0.2", "0.4", "0.4"]})

    def low(one: object, two: object) -> float:
        return float((one == "low") != (two == "low"))

    assert pv.analyse(model, SCHEMA, records=5, distance=low).slope == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("unit", "column", "fault"),
    [
        (pv.Unit("person", column="id", max_rows=2), pv.Boolean(), "one row"),
        ("person", pv.Boolean(missing=pv.DROP), "dropped"),
    ],
)
def test_units_and_records_that_do_not_fit_are_refused(unit: object, column: object, fault: str) -> None:
    schema = pv.Schema({"coin": column}, population="p", unit=unit)  # type: ignore[dict-item, arg-type]
    with pytest.raises(pv.ModelError, match=fault):
        pv.analyse(GRID, schema, records=5)
