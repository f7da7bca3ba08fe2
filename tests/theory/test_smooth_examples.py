"""The exact constants beside Lemmas 19 to 24 are those of quadrature and enumeration."""

from __future__ import annotations

import math
from fractions import Fraction as F  # noqa: N817 - the usual letter
from itertools import product

import numpy as np
import pytest
import smooth_examples as examples
from scipy import integrate, stats

from privior.errors import NumberError
from privior.papers.published import Verdict
from privior.papers.published.posterior_sampling import lemma_21 as printed_21
from privior.privacy.pairs import TruncatedBernoulli, TruncatedExponential

CASES = [(0.5, 2.0, 2.0, 1.0), (0.1, 0.2, 1.0, 3.0), (1.0, 4.0, 0.3, 0.5)]


def quadrature(low: float, high: float, rate: float, each: float, t: float) -> float:
    mass = integrate.quad(lambda a: math.exp(-rate * a), low, high)[0]
    return float(integrate.quad(lambda a: a**each * math.exp(-a * (t + rate)), low, high)[0] / mass)


@pytest.mark.parametrize(("low", "high", "rate", "most"), CASES)
@pytest.mark.parametrize("each", [1.0, 0.5])
def test_c_and_total_variation_are_those_of_quadrature(
    low: float, high: float, rate: float, most: float, each: float
) -> None:
    one = examples.CutRate(low, high, rate, each, 0.0, most)
    best = 0.0
    for t in np.linspace(0, most, 101):
        peak = min(max(each / t, low), high) if t else high
        best = max(best, peak**each * math.exp(-peak * t) / quadrature(low, high, rate, each, float(t)))
    assert one.ratio == pytest.approx(best, rel=1e-3)
    assert one.ratio >= best * (1 - 1e-9)
    means = [quadrature(low, high, rate, each, t) for t in (0.0, most)]
    mass = integrate.quad(lambda a: math.exp(-rate * a), low, high)[0]
    apart = integrate.quad(
        lambda a: (
            abs(1 / means[0] - math.exp(-a * most) / means[1]) * a**each * math.exp(-rate * a) / mass / 2
        ),
        low,
        high,
        limit=200,
        points=[math.log(means[0] / means[1]) / most],
    )[0]
    assert one.variation == pytest.approx(float(apart), rel=1e-6)
    levels = np.linspace(low, high, 2000)[1:-1]
    law = stats.truncexpon((high - low) * rate, loc=low, scale=1 / rate)
    rates = -np.log(law.sf(levels)) / (levels - low)
    assert one.concentration == pytest.approx(float(rates.min()), rel=1e-2)
    assert one.concentration <= rates.min() * (1 + 1e-9)


def test_lemma_19_is_sound_and_loose_for_one_record() -> None:
    rate, ratio, delta = examples.lemma_19("0.5", 2, 2, 1)
    assert {rate.verdict, ratio.verdict} == {Verdict.LOOSE}
    assert rate.value < (rate.better or 0)
    assert ratio.value > (ratio.better or 0)
    assert delta.verdict is Verdict.VACUOUS
    family = TruncatedExponential(F(1, 2), F(2), 1, F(0), F(1), F(2))
    assert (delta.better or 1) <= math.tanh(float(family.pure) / 2)
    assert examples.lemma_19("0.5", 2, "0.5", 1)[2].verdict is Verdict.VACUOUS  # c is not above 1
    with pytest.raises(NumberError):
        examples.lemma_19(2, 1, 1, 1)
    with pytest.raises(NumberError):
        examples.lemma_19(1, 1000, 1, 1)


def test_lemmas_20_and_22_are_false_and_their_replacements_hold() -> None:
    false = examples.lemma_20("0.5", "0.6", 1, 0, 0, "0.1")[1]
    assert false.verdict is Verdict.FALSE
    assert false.value < 1 < (false.better or 0)
    normal = examples.lemma_22("0.1", "0.2", 1, 0, 0, 10)[1]
    assert normal.verdict is Verdict.FALSE
    for low, high, rate, most in CASES:
        laplace = examples.lemma_20(low, high, rate, 0, -most, most)[1]
        assert (laplace.better or 0) <= examples.sound_20(low, high, most)
        precise = examples.lemma_22(low, high, rate, 0, 0, most)[1]
        assert (precise.better or 0) <= examples.sound_22(low, high, most)
    moved = examples.lemma_20("0.5", 2, 2, 1, 1, 2)[1]  # an interval on one side of its location
    assert moved.better == pytest.approx(examples.lemma_19("0.5", 2, 2, 1)[1].better)


def test_lemma_21_needs_no_logarithm_of_n() -> None:
    for shape, records in ((5, 10), (2, 3), (4, 40)):
        start, ratio, delta = examples.lemma_21(shape, records)
        assert start.value == pytest.approx(math.log(records))
        levels = np.linspace(0, 30, 4001)[1:]
        outside = 2 * stats.beta.cdf(1 / (1 + np.exp(levels)), shape, shape)
        c = float(printed_21(shape, records)[0])
        assert (outside <= np.exp(-c * levels) * (1 + 1e-9)).all()
        assert (ratio.better or 0) <= ratio.value
        apart = max(_variation(shape, records, ones) for ones in {0, records - 1, records // 2})
        assert delta.better == pytest.approx(apart, rel=1e-4)


def _variation(shape: float, records: int, ones: int) -> float:
    """Between so many ones and one more, of n records."""
    points = np.linspace(0, 1, 200_001)
    first = stats.beta.pdf(points, shape + ones + 1, shape + records - 1 - ones)
    second = stats.beta.pdf(points, shape + ones, shape + records - ones)
    return float(np.abs(first - second).mean() / 2)


def test_lemma_23_is_right_only_by_accident() -> None:
    distance, epsilon = examples.lemma_23("0.5", 2, 2)
    assert distance.better == pytest.approx(4.709601, abs=1e-6)
    assert epsilon.better == 1.5
    rng = np.random.default_rng(4)
    widest = 0.0
    for _ in range(400):
        x, y = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 2)))
        forms = []
        for turn, first, second in product(np.linspace(0, math.pi, 40), (0.5, 2.0), (0.5, 2.0)):
            basis = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
            precision = basis @ np.diag([first, second]) @ basis.T
            forms.append((y @ precision @ y - x @ precision @ x) / 2)
        widest = max(widest, max(forms) - min(forms))
    assert 1.45 < widest <= 1.5 + 1e-9
    with pytest.raises(NumberError):
        examples.lemma_23(2, 1, 2)


def test_lemma_24_counts_one_variable_where_all_change() -> None:
    claim = examples.lemma_24("0.2", [0, 0, 0])
    assert claim.verdict is Verdict.FALSE
    many = TruncatedBernoulli(F(1, 5), F(4, 5), 10**9)
    assert claim.better == pytest.approx(3 * float(many.pure), rel=1e-6)  # independent nodes, many records
    assert examples.lemma_24("0.2", [2, 0, 0]).verdict is Verdict.LOOSE
    with pytest.raises(NumberError):
        examples.lemma_24("0.2", [])
