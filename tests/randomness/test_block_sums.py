"""Sums over records in blocks are as exact as stated, whatever their number is."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privior.randomness.block_sums import BLOCK, chunks, roundings, totals, weighted_squares, weighted_sum

U = Fraction(1, 2**53)
SIZES = (0, 1, 2, 127, 128, 129, 300, 32_768, 32_769, 70_001)


def made(records: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(records)
    return generator.normal(size=(records, 3)), generator.uniform(-1, 1, records)


@pytest.mark.parametrize("records", SIZES)
def test_sums_are_as_exact_as_stated(records: int) -> None:
    """Against exact sums of exact products of the floats."""
    rows, weights = made(records)
    found = weighted_sum(rows, lambda some: weights[some])
    squares = weighted_squares(rows, lambda some: weights[some])
    exact = [[Fraction(one) for one in column] for column in rows.T.tolist()]
    told = [Fraction(one) for one in weights.tolist()]
    few = slice(None) if records < 1000 else slice(0, 1)
    for j, column in list(enumerate(exact))[few]:
        products = [a * w for a, w in zip(column, told, strict=True)]
        size = sum(map(abs, products), start=Fraction(0))
        assert abs(Fraction(found[j]) - sum(products)) <= Fraction(101, 100) * roundings(records) * U * size
        for k, other in list(enumerate(exact))[few]:
            twice = [one * a for one, a in zip(products, other, strict=True)]
            size = sum(map(abs, twice), start=Fraction(0))
            off = abs(Fraction(squares[j, k]) - sum(twice))
            assert off <= Fraction(101, 100) * (roundings(records) + 1) * U * size


def test_totals_are_those_of_blocks() -> None:
    values = made(1000)[1]
    sums = totals(values)
    assert len(sums) == math.ceil(1000 / BLOCK)
    assert sums.tolist() == pytest.approx([values[at : at + BLOCK].sum() for at in range(0, 1000, BLOCK)])
    assert totals(np.zeros(0)).tolist() == [0]
    assert [one.start for one in chunks(70_000)] == [0, 32_768, 65_536]


def test_what_is_lost_hardly_grows_with_the_number_of_records() -> None:
    assert roundings(1) == 1
    assert roundings(BLOCK) == BLOCK
    assert roundings(BLOCK + 1) == BLOCK + 1
    assert roundings(10**6) == BLOCK + 13
    assert roundings(10**9) < 2 * BLOCK


def test_one_running_sum_is_worse_than_stated() -> None:
    """A million equal numbers, one after the other: more is lost than blocks lose at most."""
    records = 2**20
    weights = np.full(records, 0.1)
    exact = Fraction(0.1) * records
    most = Fraction(101, 100) * roundings(records) * U * exact
    running = Fraction(float(np.cumsum(weights)[-1]))
    assert abs(running - exact) > most
    blocks = weighted_sum(np.ones((records, 1)), lambda some: weights[some])
    assert abs(Fraction(float(blocks[0])) - exact) <= most
