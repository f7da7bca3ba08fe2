"""Discrete Laplace and Gaussian noise from OpenDP: right law, wrong law, and beyond 64 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from chi_square import fits
from privior.randomness import Bits, discrete_gaussian, discrete_laplace
from privior.randomness.discrete import WIDEST, gaussian_excess, laplace_excess

SCALES = [Fraction(1, 2), Fraction(1), Fraction(5, 2), Fraction(40)]


def _laplace(scale: float, reach: int) -> dict[int, float]:
    ratio = math.exp(-1 / scale)
    return {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}


def _gaussian(stddev: float, reach: int) -> dict[int, float]:
    weights = {z: math.exp(-((z / stddev) ** 2) / 2) for z in range(-reach, reach + 1)}
    return {z: weight / sum(weights.values()) for z, weight in weights.items()}


@pytest.mark.parametrize("scale", SCALES)
def test_laplace_law(scale: Fraction) -> None:
    sample = discrete_laplace(20_000, scale)
    reach = 40 * math.ceil(scale)
    assert fits(sample, _laplace(float(scale), reach))
    assert not fits(sample, _laplace(1.3 * float(scale), reach))
    assert not fits(sample, _laplace(float(scale) / 1.3, reach))


@pytest.mark.parametrize("stddev", SCALES)
def test_gaussian_law(stddev: Fraction) -> None:
    sample = discrete_gaussian(20_000, stddev)
    reach = 40 * math.ceil(stddev)
    assert fits(sample, _gaussian(float(stddev), reach))
    assert not fits(sample, _gaussian(1.3 * float(stddev), reach))
    assert not fits(sample, _gaussian(float(stddev) / 1.3, reach))


def test_laplace_beyond_64_bits() -> None:
    """At the widest scale s, P(Z >= m s) is exp(-m)/2 to 18 digits, and 2^63 is m = 8: no clamp is seen."""
    sample = discrete_laplace(60_000, WIDEST)
    step = math.expm1(1)
    law: dict[int, float] = {m: math.exp(-m - 1) * step / 2 for m in range(40)}
    law |= {-m - 1: math.exp(-m - 1) * step / 2 for m in range(40)}
    assert fits([z // 2**60 for z in sample], law)
    assert max(map(abs, sample)) > 2**63
    assert not {2**63 - 1, -(2**63)} & set(sample)


def test_excess_over_an_edge_has_the_conditional_law() -> None:
    bits = Bits()
    edge, scale = 3, Fraction(5, 2)
    laplace = [laplace_excess(scale, bits) for _ in range(20_000)]
    gaussian = [gaussian_excess(edge, scale, bits) for _ in range(20_000)]
    for sample, whole in ((laplace, _laplace(2.5, 200)), (gaussian, _gaussian(2.5, 200))):
        tail = {z - edge: whole[z] for z in range(edge, 201)}
        assert fits(sample, {g: chance / sum(tail.values()) for g, chance in tail.items()})
    assert not fits(laplace, {g: chance / 2 for g, chance in _gaussian(2.5, 200).items()})


def test_a_value_at_the_clamp_is_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    clamped = [2**63 - 1, -(2**63), 0]
    monkeypatch.setattr("privior.randomness.discrete._draws", lambda _measurement, size: clamped[:size])
    for draw in (discrete_laplace, discrete_gaussian):
        high, low, middle = draw(3, WIDEST)
        assert high > 2**63
        assert low < -(2**63)
        assert middle == 0


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(1, 10), Fraction(2**59 + 1), Fraction(1, 10**400)]
)
def test_a_scale_that_is_no_float_is_refused(draw: type, scale: Fraction) -> None:
    with pytest.raises(ValueError, match="scale"):
        draw(1, scale)


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(2**61), Fraction(10**400)])
def test_t10_a_scale_out_of_range_is_refused(draw: type, scale: Fraction) -> None:
    with pytest.raises(ValueError, match="scale"):
        draw(1, scale)


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize("scale", [Fraction(5e-324), Fraction(1e-9), Fraction(1e15), WIDEST])
def test_t10_extreme_scales_end(draw: type, scale: Fraction) -> None:
    noise = draw(100, scale)
    assert len(noise) == 100
    assert any(noise) == (scale > 1)


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
def test_sizes(draw: type) -> None:
    assert draw(0, Fraction(1)) == []
    assert len(draw(1, Fraction(1))) == 1
    with pytest.raises(ValueError, match="negative"):
        draw(-1, Fraction(1))


@pytest.mark.parametrize("draw", [discrete_laplace, discrete_gaussian])
def test_t01_neighbours_have_the_same_possible_outputs(draw: type) -> None:
    """Counts 0 and 1: around them, the outputs that occur are the same set of whole numbers."""
    reached = [{count + z for z in draw(4_000, Fraction(2))} & set(range(-2, 4)) for count in (0, 1)]
    assert reached[0] == reached[1] == set(range(-2, 4))
    assert all(type(z) is int for z in draw(100, Fraction(2)))
