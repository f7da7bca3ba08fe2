"""Draws have their law and no other one: the suite asks for few draws and a law far off, evidence/ for many.

How many draws are enough for how far off was computed: the expected distance of the sample to the wrong law
is six standard deviations above that from which it is rejected, so that no right sampler fails by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import betainc, gammainc, ndtr

from chi_square import fits
from privior.mechanisms.hellinger.hellinger import distances
from privior.privacy.hellinger import all_tables
from privior.privacy.pairs.balls import ball
from privior.randomness import BetaLaw, Bits, GammaLaw, HellingerTables, NormalLaw, TruncatedLaw, rounded

F = Fraction
Unbounded = GammaLaw | NormalLaw
Base = BetaLaw | GammaLaw | NormalLaw


def some(cases: Sequence[tuple[Any, ...]], *places: int) -> list[Any]:
    """Take the cases in these places on every commit; evidence/ takes all of them, with more draws."""
    return [
        pytest.param(*case, marks=[] if place in places else [pytest.mark.slow])
        for place, case in enumerate(cases)
    ]


#: a law; places, draws and how far its parameters are then off, for the suite and for evidence/
BETAS: list[tuple[BetaLaw, tuple[int, int, Fraction], tuple[int, int, Fraction]]] = [
    (BetaLaw(F(3, 10), F(2)), (4, 5_000, F(1, 5)), (5, 120_000, F(1, 20))),
    (BetaLaw(F(4), F(3, 2)), (4, 2_000, F(1, 5)), (5, 40_000, F(1, 20))),
    (BetaLaw(F(90), F(80)), (7, 1_000, F(1, 20)), (8, 2_500, F(1, 20))),
    (BetaLaw(F(1500), F(700)), (8, 300, F(1, 20)), (8, 2_500, F(1, 20))),
]
#: a law, places, draws for evidence/, and how far its parameters are then off; a quarter will see twice that
UNBOUNDED: list[tuple[Unbounded, int, int, Fraction]] = [
    (GammaLaw(F(1, 2), F(1)), 1, 16_000, F(1, 10)),
    (GammaLaw(F(4), F(2)), 1, 10_000, F(1, 20)),
    (GammaLaw(F(12), F(4)), 2, 4_000, F(1, 20)),
    (GammaLaw(F(90), F(30)), 3, 1_000, F(1, 20)),
    (GammaLaw(F(5000), F(300)), 4, 500, F(1, 20)),
    (NormalLaw(F(10), F(1)), 1, 2_000, F(1, 20)),
    (NormalLaw(F(-100), F(400)), -3, 6_000, F(1, 20)),
]
#: a law, places, and draws for evidence/, which sees parameters that are a tenth off
TRUNCATED: list[tuple[TruncatedLaw, int, int]] = [
    (TruncatedLaw(GammaLaw(F(3), F(1)), F(1, 2), F(43, 10)), 1, 6_000),
    (TruncatedLaw(GammaLaw(F(60), F(20)), None, F(27, 10)), 3, 1_500),
    (TruncatedLaw(NormalLaw(F(0), F(1)), F(5), None), 3, 4_000),
    (TruncatedLaw(NormalLaw(F(0), F(1)), F(-9), F(-6)), 4, 4_000),
    (TruncatedLaw(BetaLaw(F(20), F(80)), F(1, 5), F(3, 10)), 5, 2_000),
]
#: counts, prior, temperature, and draws for evidence/; a third of them will do for the suite
TABLES: list[tuple[tuple[int, ...], tuple[Fraction, ...], Fraction, int]] = [
    ((4, 6), (F(1), F(1)), F(1, 2), 8000),
    ((0, 12), (F(1, 10), F(3)), F(5), 4000),
    ((1, 2, 3), (F(1, 2), F(1), F(2)), F(3), 6000),
    ((5, 0, 1), (F(1), F(1), F(1)), F(12), 10_000),
    ((1, 0, 2, 1), (F(1),) * 4, F(6), 6000),
    ((1, 0, 0, 1, 0, 0, 0, 0, 1), (F(1),) * 9, F(3), 12_000),  # nine cells: no boxes
]


def beta_shares(law: BetaLaw, places: int) -> dict[int, float]:
    """The exact cell probabilities, in floating point."""
    points = (np.arange(1, 2**places + 1) - 0.5) / 2**places
    ends = [0.0, *betainc(float(law.first), float(law.second), points).tolist(), 1.0]
    return {cell: max(0.0, ends[cell + 1] - ends[cell]) for cell in range(2**places + 1)}


def check_beta(law: BetaLaw, places: int, size: int, off: Fraction) -> None:
    """Draw to 53 places, and compare a few of them with the law and with one whose parameters are off."""
    bits = Bits()
    half = 1 << (53 - places - 1)
    sample = [(rounded(law, 53, bits) + half) >> (53 - places) for _ in range(size)]
    assert fits(sample, beta_shares(law, places))
    other = BetaLaw(law.first * (1 + off), law.second * (1 - off))
    assert not fits(sample, beta_shares(other, places))


def unbounded_shares(law: Unbounded, places: int) -> dict[int, float]:
    """The exact cell probabilities, in floating point."""
    cells = np.arange(0 if isinstance(law, GammaLaw) else -2000, 2001)
    ends = (np.append(cells, cells[-1] + 1) - 0.5) / 2.0**places
    if isinstance(law, GammaLaw):
        below = gammainc(float(law.shape), np.maximum(ends, 0) * float(law.rate))
    else:
        below = ndtr((ends - float(law.mean)) / float(law.variance) ** 0.5)
    return dict(zip(cells.tolist(), np.diff(below).tolist(), strict=True))


def check_unbounded(law: Unbounded, places: int, size: int, off: Fraction) -> None:
    """Draw from a law without ends, and compare with it and with one whose parameters are off."""
    bits = Bits()
    sample = [rounded(law, places, bits) for _ in range(size)]
    assert fits(sample, unbounded_shares(law, places))
    other: Unbounded
    if isinstance(law, GammaLaw):
        other = GammaLaw(law.shape * (1 + off), law.rate * (1 - off))
    else:
        other = NormalLaw(law.mean * (1 + off), law.variance * (1 - off))
    assert not fits(sample, unbounded_shares(other, places))


def truncated_shares(truncated: TruncatedLaw, places: int) -> dict[int, float]:
    """The exact cell probabilities, in floating point."""
    law, (first, last) = truncated.law, truncated.ends
    low = -math.inf if first is None else float(first)
    high = math.inf if last is None else float(last)
    cells = np.arange(-200, 201)
    ends = np.clip((np.append(cells, cells[-1] + 1) - 0.5) / 2.0**places, low, high)
    if isinstance(law, GammaLaw):
        below = gammainc(float(law.shape), ends * float(law.rate))
    elif isinstance(law, BetaLaw):
        below = betainc(float(law.first), float(law.second), ends)
    else:
        assert isinstance(law, NormalLaw)
        below = -ndtr((float(law.mean) - ends) / float(law.variance) ** 0.5)
    return dict(zip(cells.tolist(), (np.diff(below) / (below[-1] - below[0])).tolist(), strict=True))


def check_truncated(truncated: TruncatedLaw, places: int, size: int, off: Fraction) -> None:
    """Draw from a law within bounds, and compare with it, with one whose parameters are off, and without."""
    bits = Bits()
    sample = [rounded(truncated, places, bits) for _ in range(size)]
    law = truncated.law
    other: Base
    if isinstance(law, GammaLaw):
        other = GammaLaw(law.shape * (1 + off), law.rate * (1 - off))
    elif isinstance(law, BetaLaw):
        other = BetaLaw(law.first * (1 + off), law.second * (1 - off))
    else:
        assert isinstance(law, NormalLaw)
        other = NormalLaw(law.mean, law.variance * (1 + 4 * off))
    assert fits(sample, truncated_shares(truncated, places))
    wrong = TruncatedLaw(other, truncated.lower, truncated.upper)
    assert not fits(sample, truncated_shares(wrong, places))
    assert not fits(sample, truncated_shares(TruncatedLaw(law, None, None), places))


def tables_law(counts: Sequence[int], prior: Sequence[Fraction], rate: float) -> dict[tuple[int, ...], float]:
    """The exact law of tables drawn by their Hellinger distance."""
    tables = all_tables(sum(counts), len(counts))
    weights = np.exp(-rate * distances(counts, tables, np.array([float(a) for a in prior])))
    return {tuple(t): float(w) for t, w in zip(tables.tolist(), weights / weights.sum(), strict=True)}


def check_tables(
    counts: tuple[int, ...], prior: tuple[Fraction, ...], rate: Fraction, draws: int, wrong: float
) -> None:
    """Draw tables by their Hellinger distance: at the temperature, not at a wrong one; no cell is tilted."""
    sampler = HellingerTables(counts, prior, lambda: ball(rate))
    sample = [tuple(sampler.draw()) for _ in range(draws)]
    true = tables_law(counts, prior, float(rate))
    assert fits(sample, true)
    assert not fits(sample, tables_law(counts, prior, wrong))
    cells = range(len(counts))
    chances = [sum(p for z, p in true.items() if z[cell] > counts[cell]) for cell in cells]
    cell = min(cells, key=lambda place: abs(chances[place] - 0.5))
    above, tilted = chances[cell], 3 * chances[cell] / (1 + 2 * chances[cell])
    seen = [z[cell] > counts[cell] for z in sample]
    assert fits(seen, {True: above, False: 1 - above})
    assert not fits(seen, {True: tilted, False: 1 - tilted})


def check_first_table(draws: int, off: float) -> None:
    """One record, two cells: tell the true chance of the other table from one that is off by a share."""
    counts, prior = (1, 0), (F(1), F(1))
    sampler = HellingerTables(counts, prior, lambda: ball(F(1)))
    seen = [sampler.draw()[0] == 0 for _ in range(draws)]
    chance = tables_law(counts, prior, 1.0)[0, 1]
    assert fits(seen, {True: chance, False: 1 - chance})
    for wrong in ((1 + off) * chance, (1 - off) * chance):
        assert not fits(seen, {True: wrong, False: 1 - wrong})
