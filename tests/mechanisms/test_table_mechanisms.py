"""Mechanisms on tables of few cells, whose laws can be listed: what they keep beside the contract of all.

That one is `test_every_mechanism`. A new mechanism on tables is added to `mechanism_examples.EXAMPLES`.

T02: counts and noise are whole numbers. T08: what is drawn is what is stated and charged.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privior as pv
from kinds import COMPARED, ON_REQUEST
from mechanism_examples import COUNTS, EXAMPLES, check_draws, exact, law
from privior.mechanisms import (
    HellingerMechanism,
    PosteriorRelease,
)
from privior.models import ExactStatistics, Observed


def name(mechanism: Any) -> str:
    return f"{mechanism.name}-{mechanism.cells}-{mechanism.guarantee.neighbours}"


every = pytest.mark.parametrize("mechanism", EXAMPLES, ids=name)


def test_the_examples_cover_every_mechanism() -> None:
    """Releases from the posterior have a suite of their own: test_posterior_releases."""
    listed = {kind for kind in (*COMPARED, *ON_REQUEST) if not issubclass(kind, PosteriorRelease)}
    assert {type(example) for example in EXAMPLES} == listed


@every
def test_the_law_sums_to_one(mechanism: Any) -> None:
    assert sum(law(mechanism, 14).values()) == pytest.approx(1, abs=5e-3)


@pytest.mark.usefixtures("bulk_noise")
@every
def test_draws_follow_the_stated_law_and_no_other(mechanism: Any) -> None:
    """Half the epsilon is noticed, or wider Gaussian noise.

    Of so many draws the distance to the other law is six standard deviations above where it is rejected.
    """
    if isinstance(mechanism, pv.GaussianCounts):
        check_draws(mechanism, 1600, Fraction(13, 20))
    else:
        check_draws(mechanism, 1300 if mechanism.cell_noise else 800, Fraction(1, 2))


UNCLAMPED = [example for example in EXAMPLES if example.cell_noise is not None]
UNCLAMPED = [example for example in UNCLAMPED if not isinstance(example, pv.PublishedLaplace)]


@pytest.mark.parametrize("mechanism", UNCLAMPED, ids=name)
def test_the_expected_squared_error_is_that_of_the_law(mechanism: Any) -> None:
    truth = np.array(COUNTS[mechanism.cells])
    reach = 40 if mechanism.cells == 2 else 13
    total = sum(p * float(((np.array(box) - truth) ** 2).sum()) for box, p in law(mechanism, reach).items())
    assert mechanism.expected_squared_error == pytest.approx(total, rel=2e-2)


@every
def test_cell_noise_is_the_likelihood_up_to_a_constant(mechanism: Any) -> None:
    observed = mechanism.release(exact(mechanism))
    noise = mechanism.cell_noise
    if noise is None:  # no noise on the cells
        assert isinstance(mechanism, HellingerMechanism)
        return
    gaps = []
    for table in [COUNTS[mechanism.cells], (5, 0, 0)[: mechanism.cells], (0, 0, 5)[-mechanism.cells :]]:
        distance = observed.array() - np.array(table)
        cellwise = -(noise.rates * np.abs(distance)).sum() - (noise.curvatures * distance**2).sum() / 2
        gaps.append(mechanism.log_likelihood(observed, ExactStatistics(np.array(table))) - cellwise)
    assert max(gaps) - min(gaps) < 1e-9


@every
def test_a_release_is_admitted_and_a_strange_one_is_impossible(mechanism: Any) -> None:
    assert mechanism.admits(mechanism.release(exact(mechanism)), 5)
    if mechanism.sensitivity.total_fixed and not isinstance(mechanism, (pv.LaplaceCounts, pv.GaussianCounts)):
        strange = Observed.of((9,) * mechanism.cells)
        assert not mechanism.admits(strange, 5)
        assert mechanism.log_likelihood(strange, exact(mechanism)) == -math.inf


@every
def test_statistics_of_another_size_are_refused(mechanism: Any) -> None:
    with pytest.raises(ValueError, match="cells"):
        mechanism.release(ExactStatistics(np.array([1, 2, 3, 4])))


@pytest.mark.parametrize("epsilon", ["0.05", "1", "9"])
def test_the_variances_are_those_of_the_noise(epsilon: str) -> None:
    """Independent noise on k counts: k times the second moment of one, summed far into its tails."""
    z = np.arange(-3000, 3001)
    for mechanism in (pv.LaplaceCounts(4, epsilon), pv.GaussianCounts(4, epsilon, "1e-3")):
        if isinstance(mechanism, pv.LaplaceCounts):
            weight = np.exp(-np.abs(z) / float(mechanism.laplace_scale))
        else:
            weight = np.exp(-(z**2) / (2 * float(mechanism.stddev) ** 2))
        moment = 4 * (z**2 * weight).sum() / weight.sum()
        assert mechanism.expected_squared_error == pytest.approx(moment, rel=1e-9)


@pytest.mark.parametrize(
    "build",
    [
        lambda rows: pv.LaplaceCounts(3, 1, neighbours="replace-one", max_rows=rows),
        lambda rows: pv.GaussianCounts(3, 1, "1e-6", max_rows=rows),
        lambda rows: pv.DirichletDraw(3, 40, 1, "1e-3", records=9, max_rows=rows),
        lambda rows: pv.DirichletDraw(3, 400, 1, "1e-3", records=9, max_rows=rows + 4),
    ],
)
def test_a_guarantee_names_the_unit_that_it_is_about(build: Any) -> None:
    for rows in (1, 3):
        mechanism = build(rows)
        most = mechanism.max_rows
        assert mechanism.guarantee.unit == ("record" if most == 1 else f"unit of up to {most} records")


def test_k_norm_oracles() -> None:
    """Known values: 9.488976 at k = 3 and 60.479497 at k = 10, both at epsilon 1."""
    assert pv.KNorm(3, 1).expected_squared_error == pytest.approx(9.488976, abs=5e-7)
    assert pv.KNorm(10, 1).expected_squared_error == pytest.approx(60.479497, abs=5e-7)
    assert pv.KNorm(2, 5).expected_squared_error == pytest.approx(2 / (2 * math.sinh(2.5) ** 2))
    assert pv.KNorm(2, 12).expected_squared_error == pytest.approx(2 / (2 * math.sinh(6) ** 2), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_k_norm_expected_squared_error_by_brute_force(epsilon: float) -> None:
    reach = round(60 / epsilon)
    z = np.arange(-reach, reach + 1)
    one, two = np.meshgrid(z, z)
    weight = np.exp(-epsilon * (np.abs(one) + np.abs(two) + np.abs(one + two)) / 2)
    squares = one**2 + two**2 + (one + two) ** 2
    assert pv.KNorm(3, epsilon).expected_squared_error == pytest.approx(
        (weight * squares).sum() / weight.sum(), rel=1e-9
    )


def test_the_published_laplace_costs_are_the_true_ones() -> None:
    for levels in (2, 3, 4, 7):
        assert pv.LSHist(levels, 1, 50).guarantee.cost == pv.Budget.of(1)
        true_share = "1/2" if levels == 2 else f"2/{levels}"
        assert pv.LSDim(levels, 1, 50).guarantee.cost == pv.Budget.of(true_share)
    assert "nominal epsilon 1" in pv.LSDim(3, 1, 50).guarantee.reason


def test_exact_statistics_show_nothing() -> None:
    """T23: no readable form, no pickle, no hash."""
    import copy
    import pickle

    secret = ExactStatistics(np.array([123456789, 2]))
    assert "123456789" not in repr(secret) + str(secret)
    for write in (pickle.dumps, copy.deepcopy, copy.copy):
        with pytest.raises(TypeError, match="private"):
            write(secret)
    with pytest.raises(TypeError, match="unhashable"):
        hash(secret)
