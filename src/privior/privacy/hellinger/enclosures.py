"""Sensitivities of the Hellinger distance of Dirichlet posteriors, enclosed in interval arithmetic.

n records, n public, one of them replaced. Neighbours Dirichlet(w + e_i) and Dirichlet(w + e_j) are at
distance sqrt(1 - phi(w_i) phi(w_j)), phi(t) = G(t+1/2) / (G(t) sqrt t). Everything below is about F =
1/sqrt(1 - phi phi).

L = ln phi is negative; L' = the integral over x > 0 of e^(-tx) (1/(1 + e^(-x/2)) - 1/2) is the transform of
a positive function, so L' and -L'' are positive and decrease.

Lemma. W(u) = 1/sqrt(1 - phi(u)) is concave. W'' <= 0 says (e^-L - 1)(-L'' - L'^2) >= 3/2 L'^2. Between u0
and u1 the left side is at least (e^-L(u1) - 1)(-L''(u1) - L'(u0)^2) and the right one at most 3/2 L'(u0)^2,
so finitely many numbers prove it on an interval: tests/privacy/test_hellinger_enclosures.py does, from 1e-7
to 1e14, in interval arithmetic. That covers every prior and number of records that privior accepts.
- u -> F(q phi(u)), 0 < q <= 1, is then concave as well: with q phi for phi the condition is
  (1/(q phi) - 1)(-L'' - L'^2) >= 3/2 L'^2, and 1/(q phi) is larger than 1/phi.
- s -> F(phi(a+s) phi(b-s)) is concave too: L' becomes the difference of two positive numbers, at most the
  larger one, and both -L'' and e^-L - 1 become larger than those of the cell that has it.

So the minimum of F + gamma (records moved) over how many records leave a cell is at an end: none or all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import nsmallest

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper

_HALF = Fraction(1, 2)


def phi(at: Fraction) -> arb:
    """Enclose phi at the working precision."""
    t = ball(at)
    return ((t + ball(_HALF)).lgamma() - t.lgamma()).exp() / t.sqrt()


def inverse_root(product: arb) -> arb:
    """Enclose F = 1/sqrt(1 - p)."""
    return 1 / (1 - product).sqrt()


def global_sensitivity_above(prior: Sequence[Fraction], records: int) -> float:
    """Return the largest distance of two neighbours' posteriors, rounded up.

    Largest where w is smallest. k >= 3 or n = 1: both cells at their prior parameters. k = 2: the other n-1
    records are all in one cell, whichever is worse, for ln phi is concave.
    """
    first, second = nsmallest(2, prior)
    places = [(first, second)]
    if len(prior) == 2:
        places = [(first, second + records - 1), (first + records - 1, second)]
    return max(upper(lambda at=at: (1 - phi(at[0]) * phi(at[1])).sqrt()) for at in places)  # type: ignore[misc]


def inverse_local_sensitivity(counts: Sequence[int], prior: Sequence[Fraction]) -> arb:
    """Enclose 1/LS(c): the least F(phi(a_i+c_i-1) phi(a_j+c_j)) over i != j with c_i >= 1."""
    known = lru_cache(maxsize=None)(phi)
    cells = range(len(counts))
    return _least(
        inverse_root(known(prior[i] + counts[i] - 1) * known(prior[j] + counts[j]))
        for i in cells
        if counts[i]
        for j in cells
        if i != j
    )


def inverse_smooth_sensitivity(counts: Sequence[int], prior: Sequence[Fraction], gamma: Fraction) -> arb:
    """Enclose 1/S(c), the least 1/LS(c') + gamma d(c, c') over all tables c', d records apart.

    The least value is F(phi(w_i) phi(w_j)) + gamma d for a pair of cells with w counts beside the replaced
    record, d the fewest records to move for that. More records in either cell make F larger, so none is
    moved in, but the one to be replaced if cell i is empty (from cell j, if there is one). By the lemma all
    go or none.
    """
    known = lru_cache(maxsize=None)(phi)
    corners = _two_cells(counts, prior) if len(counts) == 2 else _several_cells(counts, prior)
    return _least(
        inverse_root(known(first) * known(second)) + ball(gamma * moved) for first, second, moved in corners
    )


def local_change_above(prior: Sequence[Fraction]) -> float:
    """Return an upper bound of |1/LS(c) - 1/LS(c')| for neighbours, two cells and any number of records.

    1/LS at c is F(min(p(c_1 - 1), p(c_1))), p(s) = phi(a_1+s) phi(a_2+n-1-s), so it changes by at most one
    step of F(p(s)). Upwards the second factor falls: a step is at most that of F(q phi(a_1+s)), which is
    largest for q = 1 and, F being concave, for s = 0: W(a+1) - W(a), a the smaller prior parameter.
    Downwards likewise.
    """
    least = min(prior)
    return upper(lambda: inverse_root(phi(least + 1)) - inverse_root(phi(least)))


def _two_cells(counts: Sequence[int], prior: Sequence[Fraction]) -> Iterator[tuple[Fraction, Fraction, int]]:
    """With s of the n-1 other records in the first cell; d is the way to a table that has such a record."""
    (first, second), n = counts, sum(counts)
    for s in {0, first - 1} if first else set():
        yield prior[0] + s, prior[1] + n - 1 - s, first - 1 - s
    for s in {first, n - 1} if second else set():
        yield prior[0] + s, prior[1] + n - 1 - s, s - first


def _several_cells(
    counts: Sequence[int], prior: Sequence[Fraction]
) -> Iterator[tuple[Fraction, Fraction, int]]:
    cells = range(len(counts))
    for i in cells:
        for j in cells:
            if i == j:
                continue
            if counts[i]:
                for s in {0, counts[i] - 1}:
                    for t in {0, counts[j]}:
                        yield prior[i] + counts[i] - 1 - s, prior[j] + counts[j] - t, s + t
            else:
                yield prior[i], prior[j] + max(counts[j] - 1, 0), 1
                yield prior[i], prior[j], max(1, counts[j])


def _least(values: Iterator[arb]) -> arb:
    found = next(values)
    for value in values:
        found = found.min(value)
    return found
