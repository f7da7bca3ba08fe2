"""Tables drawn by Hellinger distance: the exact law, the boxes, the coin, and extremes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from chi_square import fits
from privior.mechanisms.hellinger import distances
from privior.privacy.hellinger import all_tables
from privior.privacy.pairs.balls import ball
from privior.randomness import Bits, HellingerTables
from privior.randomness import hellinger as steps
from privior.randomness.acceptance import accepted
from privior.randomness.boxes import Box
from privior.randomness.compositions import table

F = Fraction


def law(counts: Sequence[int], prior: Sequence[Fraction], rate: float) -> dict[tuple[int, ...], float]:
    tables = all_tables(sum(counts), len(counts))
    weights = np.exp(-rate * distances(counts, tables, np.array([float(a) for a in prior])))
    return {tuple(t): float(w) for t, w in zip(tables.tolist(), weights / weights.sum(), strict=True)}


CASES: list[tuple[tuple[int, ...], tuple[Fraction, ...], Fraction, int]] = [
    ((4, 6), (F(1), F(1)), F(1, 2), 8000),
    ((0, 12), (F(1, 10), F(3)), F(5), 4000),
    ((1, 2, 3), (F(1, 2), F(1), F(2)), F(3), 6000),
    ((5, 0, 1), (F(1), F(1), F(1)), F(12), 4000),
    ((1, 0, 2, 1), (F(1),) * 4, F(6), 6000),
    ((1, 0, 0, 1, 0, 0, 0, 0, 1), (F(1),) * 9, F(3), 12_000),  # nine cells: no boxes
]


@pytest.mark.parametrize(("counts", "prior", "rate", "draws"), CASES)
def test_law(counts: tuple[int, ...], prior: tuple[Fraction, ...], rate: Fraction, draws: int) -> None:
    sampler = HellingerTables(counts, prior, lambda: ball(rate))
    sample = [tuple(sampler.draw()) for _ in range(draws)]
    true = law(counts, prior, float(rate))
    assert fits(sample, true)
    assert not fits(sample, law(counts, prior, float(rate) * 1.4 + 0.5))
    cells = range(len(counts))
    chances = [sum(p for z, p in true.items() if z[cell] > counts[cell]) for cell in cells]
    cell = min(cells, key=lambda place: abs(chances[place] - 0.5))
    above, tilted = chances[cell], 3 * chances[cell] / (1 + 2 * chances[cell])
    seen = [z[cell] > counts[cell] for z in sample]
    assert fits(seen, {True: above, False: 1 - above})
    assert not fits(seen, {True: tilted, False: 1 - tilted})


def test_a_law_that_is_five_percent_off_is_rejected() -> None:
    """Ninety thousand draws tell the true chance of the first table from one 5% larger (odds 1.1 times)."""
    counts, prior = (1, 0), (F(1), F(1))
    sampler = HellingerTables(counts, prior, lambda: ball(F(1)))
    seen = [sampler.draw()[0] == 0 for _ in range(90_000)]
    chance = law(counts, prior, 1.0)[0, 1]
    assert fits(seen, {True: chance, False: 1 - chance})
    assert not fits(seen, {True: 1.05 * chance, False: 1 - 1.05 * chance})
    assert not fits(seen, {True: 0.95 * chance, False: 1 - 0.95 * chance})


def test_a_box_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a box that leaves out tables nearer than its level makes acceptance exceed one."""
    monkeypatch.setattr(steps, "_edge", lambda posterior, cell, start, end, level: posterior.counts[cell])
    counts, prior = (3, 3), (F(1), F(1))
    sampler = HellingerTables(counts, prior, lambda: ball(F(6)))
    sample = [tuple(sampler.draw()) for _ in range(4000)]
    assert not fits(sample, law(counts, prior, 6.0))


@pytest.mark.parametrize(
    ("lowest", "highest", "total"),
    [
        ([0, 0], [4, 4], 5),
        ([0, 1, 2], [3, 5, 4], 8),
        ([2, 0, 0], [2, 3, 1], 4),
        ([0] * 4, [6] * 4, 6),
        ([0, 0, 1, 0, 2], [2, 1, 4, 3, 3], 7),
        ([1, 1], [1, 1], 3),
    ],
)
def test_boxes_list_their_tables(lowest: list[int], highest: list[int], total: int) -> None:
    sides = [range(low, high + 1) for low, high in zip(lowest, highest, strict=True)]
    listed = [z for z in itertools.product(*sides) if sum(z) == total]
    box = Box(lowest, highest, total)
    assert box.count == len(listed)
    assert [tuple(box.table(number)) for number in range(box.count)] == listed
    assert all(z in box for z in listed)


def test_all_tables_are_alike() -> None:
    bits = Bits()
    drawn = [tuple(table(4, 3, bits)) for _ in range(8000)]
    assert fits(drawn, {tuple(z): 1 / 15 for z in all_tables(4, 3).tolist()})


def test_the_coin_needs_no_precision_in_advance() -> None:
    """An exponent that is worthless below 300 bits: the same uniform is drawn on until it decides."""
    asked: list[int] = []

    def exponent() -> arb:
        asked.append(ctx.prec)
        return arb(1, 1) if ctx.prec < 300 else arb(1)

    tossed = [accepted(exponent, 0, Bits()) for _ in range(4000)]
    assert fits(tossed, {True: math.exp(-1), False: 1 - math.exp(-1)})
    assert max(asked) >= 300


def test_boxes_hold_all_that_is_near() -> None:
    """Outside the j-th box every table is at least as far as its level."""
    counts, prior = (7, 2, 4), (F(1), F(1, 2), F(3))
    posterior = steps._Posterior(counts, prior)
    layers = steps._Layers(posterior, lambda: ball(F(9)))
    tables = all_tables(13, 3)
    far = distances(counts, tables, np.array([1, 0.5, 3]))
    for step, box in enumerate(layers._boxes[:-1], start=1):
        outside = [h for h, z in zip(far, tables.tolist(), strict=True) if z not in box]
        assert min(outside) >= step / layers._steps
        assert len(outside) < len(tables)


@pytest.mark.parametrize("total", [10**6, 10**9])
def test_large_tables(total: int) -> None:
    counts = [total // 2, total // 3, 1, 0, total - total // 2 - total // 3 - 1]
    for rate in (F(1), F(16)):
        drawn = HellingerTables(counts, [F(1)] * 5, lambda rate=rate: ball(rate)).draw()  # type: ignore[misc]
        assert sum(drawn) == total
        assert min(drawn) >= 0


def test_one_record_and_bad_tables() -> None:
    assert sum(HellingerTables([1, 0], [F(1), F(1)], lambda: ball(F(5))).draw()) == 1
    for counts, prior in (([1], [F(1)]), ([1, -1], [F(1)] * 2), ([1, 1], [F(1)]), ([1, 1], [F(1), F(0)])):
        with pytest.raises(ValueError, match="a table has"):
            HellingerTables(counts, prior, lambda: ball(F(1)))
