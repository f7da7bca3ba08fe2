"""Tables drawn by Hellinger distance: the exact law, the boxes, the coin, and extremes."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from chi_square import fits
from privior.mechanisms.hellinger.hellinger import distances
from privior.privacy.hellinger import all_tables
from privior.privacy.pairs.balls import ball
from privior.randomness import Bits, HellingerTables
from privior.randomness import hellinger as steps
from privior.randomness.acceptance import accepted
from privior.randomness.boxes import Box
from privior.randomness.compositions import table
from sampler_checks import TABLES, check_first_table, check_tables, some, tables_law

F = Fraction


@pytest.mark.parametrize(("counts", "prior", "rate", "draws"), some(TABLES, 0, 3, 5))
def test_law(counts: tuple[int, ...], prior: tuple[Fraction, ...], rate: Fraction, draws: int) -> None:
    """A third of the draws of evidence/, and a temperature that is farther off: six standard deviations."""
    check_tables(counts, prior, rate, draws // 3, float(rate) * 2 + 1)


def test_a_law_that_is_fifteen_percent_off_is_rejected() -> None:
    """By more than six standard deviations; 5%, which takes ten times as many draws, in evidence/."""
    check_first_table(20_000, 0.15)


def test_a_box_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a box that leaves out tables nearer than its level makes acceptance exceed one."""
    monkeypatch.setattr(steps, "_edge", lambda posterior, cell, start, end, level: posterior.counts[cell])
    counts, prior = (3, 3), (F(1), F(1))
    sampler = HellingerTables(counts, prior, lambda: ball(F(6)))
    sample = [tuple(sampler.draw()) for _ in range(4000)]
    assert not fits(sample, tables_law(counts, prior, 6.0))


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
