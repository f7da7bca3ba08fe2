"""Whole numbers with a given sum, all such lists alike: compositions and tables of counts."""

from __future__ import annotations

from privior.randomness.entropy import Bits


def composition(total: int, parts: int, bits: Bits) -> list[int]:
    """Draw `parts` positive numbers with sum `total`, all such lists alike: cut 1..total at random places."""
    cuts = sorted(subset(total - 1, parts - 1, bits))
    return [end - start for start, end in zip([0, *cuts], [*cuts, total], strict=True)]


def table(total: int, cells: int, bits: Bits) -> list[int]:
    """Draw a table of `cells` counts, zero allowed, with sum `total`, all such tables alike.

    One added to each count makes it a composition of total + cells (stars and bars).
    """
    return [part - 1 for part in composition(total + cells, cells, bits)]


def subset(upper: int, length: int, bits: Bits) -> set[int]:
    """Draw `length` of the numbers 1..upper, all subsets alike, in memory for `length` numbers only.

    Floyd's method (Bentley and Floyd 1987): given a uniform subset of 1..m-1, draw t from 1..m and add t,
    or m if t is there already. Each subset of 1..m is then reached with the same probability: one with m
    from its l - 1 other members by l of m draws, one without m by dropping any of its l members.
    """
    chosen: set[int] = set()
    for last in range(upper - length + 1, upper + 1):
        drawn = 1 + bits.below(last)
        chosen.add(last if drawn in chosen else drawn)
    return chosen
