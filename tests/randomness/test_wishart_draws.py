"""Matrices of two rows with bounded eigenvalues have their law and no other, however S is turned."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from chi_square import fits
from privior.models.laws.bounded_wishart import eigenvalues, log_trial
from privior.randomness import Bits, BoundedWishart
from privior.randomness import wishart as module
from privior.randomness.wishart import Rotation, turned

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: where the bounds hardly matter, cut on both sides, and where nearly all of the law is below or above them
LAWS = {
    "inside": BoundedWishart(
        Fraction(1000), (Fraction(800), Fraction(-250), Fraction(600)), Fraction(3, 5), Fraction(3)
    ),
    "cut": BoundedWishart(Fraction(5), (Fraction(3), Fraction(1), Fraction(4)), Fraction(1, 2), Fraction(2)),
    "low": BoundedWishart(
        Fraction(9), (Fraction(50), Fraction(10), Fraction(40)), Fraction(1, 2), Fraction(2)
    ),
    "high": BoundedWishart(
        Fraction(40), (Fraction(5), Fraction(0), Fraction(5)), Fraction(1, 2), Fraction(2)
    ),
}
#: of the two at a bound, one is enough on every commit
SOME = [pytest.param(name, marks=[pytest.mark.slow] if name == "low" else []) for name in LAWS]
PLACES = 20
STEPS, ANGLES = 120, 160


def grid(law: BoundedWishart, off: float = 1.0) -> tuple[Floats, Floats, Floats, Floats]:
    """Return p, q and the entry beside the diagonal at points all over the law, and their chances."""
    low, high = float(law.lower), float(law.upper)
    first, beside, second = (off * float(one) for one in law.rate)
    ends = (np.arange(STEPS) + 0.5) / STEPS
    # nearer to both ends the points are closer: there the law may be steep
    spread = low + (high - low) * (3 * ends**2 - 2 * ends**3)
    size = 6 * ends * (1 - ends)
    angles = np.pi * (np.arange(ANGLES) + 0.5) / ANGLES
    p, q, angle = spread[:, None, None], spread[None, :, None], angles[None, None]
    half = (p - q) / 2
    x, z, y = (
        (p + q) / 2 + half * np.cos(2 * angle),
        half * np.sin(2 * angle),
        (p + q) / 2 - half * np.cos(2 * angle),
    )
    logs = (float(law.degrees) - 3) / 2 * np.log(p * q) - (first * x + 2 * beside * z + second * y) / 2
    masses = (
        np.where(p > q, np.exp(logs - logs.max()) * (p - q), 0.0) * size[:, None, None] * size[None, :, None]
    )
    kept = masses > 1e-12 * masses.max()  # of the others, none has a share
    both = (np.broadcast_to(one, masses.shape)[kept] for one in (p, q, z, masses / masses.sum()))
    p, q, z, masses = both
    return p, q, z, masses


def cells(p: Floats, q: Floats, z: Floats, edges: list[Floats]) -> Any:
    codes = [np.searchsorted(edge, one) for one, edge in zip((p, q, z), edges, strict=True)]
    return codes[0] * 16 + codes[1] * 4 + codes[2]


@cache
def divided(law: BoundedWishart, off: float, parts: int) -> tuple[list[Floats], Floats]:
    """Return where the shares of each number end, and the chances of the cells between."""
    shares = np.arange(1, parts) / parts
    p, q, z, masses = grid(law, off)
    edges = []
    for one in (p, q, z):
        order = np.argsort(one)
        below = np.cumsum(masses[order])
        edges.append(one[order][np.searchsorted(below, shares)])
    chances = np.bincount(cells(p, q, z, edges), weights=masses, minlength=64)
    return edges, np.asarray(chances, dtype=np.float64)


def agrees(law: BoundedWishart, drawn: Floats, off: float = 1.0, parts: int = 4) -> bool:
    """Compare draws with the law whose rate is off, by 4 x 4 x 4 cells of about the same chance each way."""
    edges, chances = divided(law, off, parts)
    least, most = eigenvalues(*drawn.T)
    return fits(cells(most, least, drawn[:, 1], edges).tolist(), dict(enumerate(chances.tolist())))


def draws(law: BoundedWishart, number: int) -> Floats:
    bits = Bits()
    found = [law.rounded(PLACES, bits) for _ in range(number)]
    return np.array(found, dtype=float) / 2.0**PLACES


@pytest.mark.parametrize("name", SOME)
def test_the_law_is_the_right_one_and_no_other(name: str) -> None:
    """A rate off by 8% is noticed where the law is narrow; where the bounds make it, one farther off.

    Of so many draws the distance to the other law is seven standard deviations above where it is rejected.
    """
    law = LAWS[name]
    number, off = {"inside": (200, 1.08), "cut": (300, 4), "low": (200, 4), "high": (250, 5)}[name]
    drawn = draws(law, number)
    least, most = eigenvalues(*drawn.T)
    assert least.min() >= float(law.lower) - 2.0**-PLACES
    assert most.max() <= float(law.upper) + 2.0**-PLACES
    assert agrees(law, drawn)
    assert not agrees(law, drawn, off)


def test_any_rotation_gives_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """The coin makes up for what is left beside the diagonal; without it the law is another one."""
    law = BoundedWishart(Fraction(9), (Fraction(10), Fraction(5), Fraction(11)), Fraction(1, 2), Fraction(2))
    far = Rotation(Fraction(24, 25), Fraction(7, 25))
    assert abs(far.undo(law.rate)[1]) > 2
    monkeypatch.setattr(Rotation, "nearly", lambda _rate, _small: far)
    same = BoundedWishart(law.degrees, law.rate, law.lower, law.upper)
    assert agrees(law, draws(same, 100), parts=2)
    monkeypatch.setattr(module._WishartTrial, "kept", lambda _self, _bits: True)
    assert not agrees(law, draws(same, 600), parts=2)


def test_rotations_are_exact() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        first, beside, second = (Fraction(int(one), 1000) for one in rng.integers(-(10**6), 10**6, 3))
        small = Fraction(1, 10 ** int(rng.integers(60)))
        turn = Rotation.nearly((first, beside, second), small)
        assert turn.cosine**2 + turn.sine**2 == 1
        smaller, left, larger = turn.undo((first, beside, second))
        assert turned(smaller, left, larger, turn.cosine, turn.sine) == (first, beside, second)
        assert (smaller + larger, smaller * larger - left**2) == (first + second, first * second - beside**2)
        assert abs(left) <= small
        assert smaller <= larger
    for same in ((Fraction(2), Fraction(0), Fraction(2)), (Fraction(1), Fraction(0), Fraction(2))):
        assert Rotation.nearly(same, Fraction(1, 10**30)).undo(same) == same


@pytest.mark.parametrize("beside", [0, 7, 14, -33])
def test_the_coin_hardly_ever_fails_however_wide_the_bounds_are(beside: int) -> None:
    """A rate that leaves much beside the diagonal if it is turned by an angle of few digits."""
    rate = Fraction(10**9) + 7, Fraction(beside, 10), Fraction(10**8) + Fraction(20, 3)
    law = BoundedWishart(Fraction(3), rate, Fraction(1, 10**12), Fraction(10**9))
    bits = Bits()
    assert sum(module._WishartTrial(law, bits).kept(bits) for _ in range(60)) >= 30
    assert len(law.rounded(20, bits)) == 3


@pytest.mark.parametrize("name", LAWS)
def test_the_chance_of_a_trial_is_what_it_is_said_to_be(name: str) -> None:
    law, bits = LAWS[name], Bits()
    number = {"inside": 100, "cut": 400, "low": 1200, "high": 1000}[name]
    rate = [np.array([float(one)]) for one in law.rate]
    chance = float(
        np.exp(log_trial(float(law.degrees), *eigenvalues(*rate), float(law.lower), float(law.upper)))[0]
    )
    tried = [module._WishartTrial(law, bits).inside() for _ in range(number)]
    assert fits(tried, {True: chance, False: 1 - chance})
    assert not fits(tried, {True: chance / 4, False: 1 - chance / 4})


def test_what_is_no_law_is_refused() -> None:
    for degrees, low, high in ((1, 1, 2), (3, 0, 2), (3, 2, 2)):
        with pytest.raises(ValueError, match="Wishart"):
            BoundedWishart(Fraction(degrees), LAWS["cut"].rate, Fraction(low), Fraction(high))
