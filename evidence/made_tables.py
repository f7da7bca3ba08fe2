"""Tables that are made: shapes of which real columns have some, each from a fixed seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from real_tables import Subject

import privior as pv


def subjects() -> Iterator[Subject]:
    """Yield every table."""
    yield from _columns(np.random.default_rng(20261117))
    yield from _of_fixed_counts()
    yield from _joint(np.random.default_rng(20261118))


def _columns(rng: np.random.Generator) -> Iterator[Subject]:
    incomes, heap = np.exp(rng.normal(3.3, 0.7, 20_000)), rng.random(20_000)
    heaped = np.where(heap < 0.35, np.round(incomes / 10) * 10, incomes)
    yield _column(
        "heaped incomes", np.where((heap >= 0.35) & (heap < 0.6), np.round(heaped / 5) * 5, heaped), 200
    )
    yield _column("many zeros", np.where(rng.random(10_000) < 0.8, 0, rng.geometric(0.12, 10_000)), 60)
    kind, few = rng.random(30_000), np.minimum(rng.geometric(0.3, 30_000), 25)
    yield _column(
        "a heap behind an empty stretch", np.where(kind < 0.9, 0, np.where(kind < 0.985, few, 50)), 51
    )
    yield _column("geometric", rng.geometric(0.08, 5_000) - 1, 100)
    low = rng.random(50_000) < 0.6
    yield _column("two humps", np.where(low, rng.normal(30, 6, 50_000), rng.normal(80, 9, 50_000)), 120)
    yield _column("flat", rng.integers(0, 64, 6_400), 64)
    yield _column("300 records", rng.normal(9, 3, 300), 20)
    yield _column("a million records", rng.gamma(3, 9, 1_000_000), 100)
    yield _column("1,000 levels", rng.gamma(2, 110, 100_000), 1_000)
    visits = np.where(rng.random(15_000) < 0.5, rng.poisson(1.2, 15_000), rng.poisson(4, 15_000))
    yield _column("visits", visits, 30)
    rare = rng.random(25_000) < 0.03
    far = np.where(rare, rng.integers(60, 80, 25_000), rng.normal(20, 4, 25_000))
    yield _column("a low far hump", far, 80)
    days = np.arange(365)
    chances = (1 + 0.2 * np.sin(days / 58)) * np.where(days % 7 < 5, 1, 0.4)
    yield _subject("days of a year", rng.multinomial(36_000, chances / chances.sum()), (365,), "o")
    months = 1 + 0.3 * np.sin(np.arange(12) / 2)
    yield _subject("months", rng.multinomial(3_000, months / months.sum()), (12,), "o")
    comb = np.zeros(100, dtype=np.int64)
    comb[::10] = rng.multinomial(12_000, rng.dirichlet(np.full(10, 3.0)))
    yield _subject("every tenth level", comb, (100,), "o")
    zipf = rng.permutation(1 / np.arange(1, 301))
    yield _subject("300 names", rng.multinomial(10_000, zipf / zipf.sum()), (300,), "n")
    yield _subject("20 regions", rng.multinomial(8_000, rng.dirichlet(np.full(20, 2.0))), (20,), "n")


def _of_fixed_counts() -> Iterator[Subject]:
    for name, level in (("first", 0), ("a middle", 40), ("the last", 77)):
        yield _subject(f"all in {name} level", np.where(np.arange(78) == level, 45_211, 0), (78,), "o")
    yield _subject("two ordered levels", np.array([9_000, 1_000]), (2,), "o")
    yield _subject("two names", np.array([700, 300]), (2,), "n")
    yield _subject("five answers", np.array([40, 110, 230, 420, 200]), (5,), "o")


def _joint(rng: np.random.Generator) -> Iterator[Subject]:
    sex = np.repeat([0, 1], 10_000)
    yield _pair("sex x income", sex, rng.gamma(4, 4 + 2 * sex), (2, 60))
    region = rng.choice(12, 20_000, p=rng.dirichlet(np.ones(12)))
    yield _pair("region x age", region, rng.normal(20 + region, 9), (12, 50))


def _column(name: str, values: np.ndarray, size: int) -> Subject:
    """Count the values of an ordered column, limited to its levels."""
    return _subject(name, np.bincount(_levels(values, size), minlength=size), (size,), "o")


def _pair(name: str, one: np.ndarray, other: np.ndarray, shape: tuple[int, int]) -> Subject:
    """Count the pairs of a name and an ordered value."""
    cells = one * shape[1] + _levels(other, shape[1])
    return _subject(name, np.bincount(cells, minlength=shape[0] * shape[1]), shape, "no")


def _levels(values: np.ndarray, size: int) -> np.ndarray:
    return np.asarray(np.clip(values, 0, size - 1), dtype=np.int64)


def _subject(name: str, counts: np.ndarray, shape: tuple[int, ...], kinds: str) -> Subject:
    """Declare a table of counts; kinds are o for an ordered column, n for names."""
    columns = tuple(f"column {place}" for place in range(len(shape)))
    made = {
        column: pv.Integer(0, size - 1)
        if kind == "o"
        else pv.Categorical([f"level {one}" for one in range(size)])
        for column, size, kind in zip(columns, shape, kinds, strict=True)
    }
    return Subject(f"made: {name}", pv.Schema(made, population="made", unit="person"), columns, counts)
