"""Whether releases follow the law that a mechanism states, and whether it states one law in all its words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from itertools import product

import numpy as np

from privior.arrays import Floats, Integers
from privior.mechanisms import Mechanism
from privior.mechanisms.families.summed_mechanism import SummedMechanism
from privior.models import ExactStatistics, Layout, Model, Observed
from privior.privacy import Neighbours
from privior.schema import Schema
from privior.testing.points import answered, hold
from privior.testing.small_tables import Exact

#: so many standard errors are exceeded with a chance of about one in a billion
FAR = 6.0
#: outcomes that are listed, of releases of up to so many numbers
_OUTCOMES, _MOST_NUMBERS = 2000, 6
#: releases are divided into so many blocks, and the middle one of their variances is looked at
_BLOCKS = 20
#: its distance from the stated one in logs, times the root of a block's size, is more than this in fewer than
#: one of ten billion runs of a right law, if its tails are no heavier than those of Laplace noise
_APART = 5.0
_SMALL = 1e-6


def follows(mechanism: Mechanism) -> bool:
    """Say whether so few whole numbers are released that their law can be seen.

    Points of a grid finer than 1 have a density instead, up to a constant, and are not judged here.
    """
    fine = any(one.places for one in mechanism.layouts)
    return not fine and sum(one.size for one in mechanism.layouts) <= _MOST_NUMBERS


def check_law(mechanism: Mechanism, table: Exact, drawn: Integers) -> None:
    """As many releases fall into boxes of outcomes as the likelihood's chances of these add up to."""
    releases, size = drawn.shape
    middle = np.median(drawn, axis=0).astype(np.int64)
    reach = int((_OUTCOMES ** (1 / size) - 1) // 2)
    box = np.array(list(product(range(-reach, reach + 1), repeat=size)), dtype=np.int64) + middle
    outcomes = [_observed(mechanism.layouts, one) for one in box.tolist()]
    chances = np.exp([mechanism.log_likelihood(one, table) for one in outcomes])
    hold(chances.sum() <= 1 + 1e-6, "log_likelihood", "chances add up to more than 1")
    inside = (np.abs(drawn - middle) <= reach).all(axis=1)
    parts = [(np.ones(len(box), bool), inside)]
    for place in range(size):
        for cut in (middle[place], middle[place] + 1):
            parts.append((box[:, place] < cut, inside & (drawn[:, place] < cut)))
    for among, seen in parts:
        want, have = float(chances[among].sum()) * releases, int(seen.sum())
        error = math.sqrt(max(want * (1 - want / releases), 1.0))
        what = f"outcomes of chance {want / releases:.4g} came {have} times of {releases}"
        hold(abs(have - want) < FAR * error + 1, "log_likelihood", what)


def _observed(layouts: tuple[Layout, ...], numbers: list[int]) -> Observed:
    """Put numbers into the arrays of a release, one array after the other."""
    parts, start = [], 0
    for layout in layouts:
        parts.append(tuple(numbers[start : start + layout.size]))
        start += layout.size
    return Observed(layouts, tuple(parts))


def stated_variances(mechanism: Mechanism) -> Floats | None:
    """Return the variances that a mechanism states of its numbers; None if it adds no noise to them."""
    if not hasattr(type(mechanism), "variances"):
        return None
    found = answered(lambda: np.asarray(getattr(mechanism, "variances"), dtype=float), "variances", "it")  # noqa: B009
    size = sum(layout.size for layout in mechanism.layouts)
    hold(found.shape == (size,), "variances", f"there are {found.size}, of {size} numbers")
    hold(bool((np.isfinite(found) & (found > 0)).all()), "variances", "one is no positive number")
    return found


def check_variances(stated: Floats, drawn: Integers) -> None:
    """Compare variances with releases of the same table, one a row.

    Half the squared distance of two releases has their variance as its mean. One is added to both sides, so
    that noise that is mostly 0 is judged like wider one.
    """
    apart = (drawn[0::2][: len(drawn) // 2] - drawn[1::2]).astype(np.float64)
    size = len(apart) // _BLOCKS
    if size < 1:
        return
    blocks = (apart[: size * _BLOCKS] ** 2 / 2).reshape(_BLOCKS, size, -1).mean(axis=1)
    seen = np.median(blocks, axis=0)
    for place, (one, other) in enumerate(zip(stated, seen, strict=True)):
        near = abs(math.log((other + 1) / (one + 1))) * math.sqrt(size) <= _APART
        hold(near, "variances", f"that of number {place} is stated as {one:.4g}, releases have {other:.4g}")


@singledispatch
def check_words_of_sums(
    mechanism: Mechanism,
    model: Model,
    schema: Schema,
    relation: Neighbours,
    observed: Sequence[Observed],
    tables: Sequence[ExactStatistics],
) -> None:
    """Check that a mechanism for sums says the same of many tables, of one and of the number of records."""


@check_words_of_sums.register
def _(
    mechanism: SummedMechanism,
    model: Model,
    schema: Schema,
    relation: Neighbours,
    observed: Sequence[Observed],
    tables: Sequence[ExactStatistics],
) -> None:
    point, sums = "log_likelihood", np.stack([one.counts for one in tables], axis=1)
    first = model.summands(schema, relation)[0]
    for seen in observed:
        together = mechanism.log_likelihoods(seen, sums)
        alone = np.array([mechanism.log_likelihood(seen, one) for one in tables])
        hold(together.shape == alone.shape, point, "log_likelihoods does not give one for each table")
        hold(bool(np.isfinite(alone).all()), point, "one of a table that can be is no number")
        hold(np.allclose(together, alone, rtol=_SMALL, atol=_SMALL), point, "log_likelihoods says another")
        numbers = np.arange(1, 8) + (int(tables[0].counts[0]) if not first.factors else 0)
        said = mechanism.count_log_likelihoods(seen, numbers)
        right = said.shape == numbers.shape and bool(np.isfinite(said).all())
        hold(right, point, "count_log_likelihoods is no number for each number of records")
        if not first.factors:  # records are counted, with noise of their own
            others = np.repeat(sums[:, :1], numbers.size, axis=1)
            others[0] = numbers
            apart = float(np.ptp(mechanism.log_likelihoods(seen, others) - said))
            hold(apart <= _SMALL, point, f"count_log_likelihoods says another of the count, by {apart:.3g}")
