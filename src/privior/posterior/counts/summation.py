"""Sums over all tables, as convolutions along a tree of cells.

Independent cells with laws Fᵢ and a factor G of their total have the joint law ∏ Fᵢ(cᵢ) · G(Σ cᵢ) / Z. A
known total is a G with one point. Cells are merged two by two, always the two narrowest, into nodes whose
laws are convolutions of their children's; the last two need no convolution if the total is known. Going
down, the outside weight of a child is its parent's, correlated with its sibling's law:
O_L(s) = Σ_r F_R(r) O(s+r). A cell's marginal is F·O/Z; `table_draws` goes down the same tree to draw whole
tables. With windows cut to what matters, k cells of width w cost about k w log w.

Error: direct convolution adds positive numbers, and is right to about k·10⁻¹⁶ relatively. A Fourier
transform of N points errs by at most 2 ε log₂ N |f|₂ |g|₂ in each entry; entries below that are dropped.
Where it is used, twice that bound, times what each entry can contribute to Z, is added up in `noise`: a
bound of the relative error of Z, and of the total variation error of a marginal. Trimmed tails are part
of the bound that `total_blocks` states.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.forecasting.effort import CALL, PASSES, POINT
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.kept import kept

#: from this many multiply-adds on, a convolution is left to the Fourier transform
_FOURIER_FROM = 1 << 17
#: what is cut off each end of a marginal
_NOTHING = 1e-18


@kept
@dataclass(frozen=True)
class Node:
    """Two parts of a table that are summed, as indices of laws: cells first, then nodes in order."""

    left: int
    right: int


@kept
@dataclass(frozen=True, eq=False)
class SumTree:
    """The joint law of cells that were summed up along a tree.

    Attributes:
        laws: of each cell, then of each node; the root's is the law of the total, with G
        nodes: from the leaves up
        marginals: of each cell, given G
        log_mass: log Z
        noise: a bound of the relative error that Fourier transforms caused
    """

    laws: tuple[IntegerLaw, ...]
    nodes: tuple[Node, ...]
    marginals: tuple[IntegerLaw, ...]
    log_mass: float
    noise: float

    @property
    def total(self) -> IntegerLaw:
        """The law of the total, given G."""
        return self.laws[-1]


def sum_tree(
    laws: Sequence[IntegerLaw],
    least: int,
    most: int,
    log_factor: Callable[[int, int], Floats],
    share: float,
    *,
    fourier: bool = True,
) -> SumTree | None:
    """Sum the cells up; None if no total in least..most has any mass.

    Args:
        laws: of the cells
        least, most: the totals that are possible
        log_factor: log G at consecutive totals from the first argument to the second
        share: what may be trimmed off each tail of a node's law
        fourier: whether large convolutions may use the Fourier transform
    """
    every = list(laws)
    nodes = merge_order([law.mass.size for law in laws])
    noises = [0.0] * (len(laws) + len(nodes))
    for node in nodes[:-1] if least == most else nodes:
        left, right = every[node.left], every[node.right]
        mass, noises[len(every)] = _convolve(left.mass, right.mass, fourier)
        low = left.low + right.low
        mass = mass[: max(0, most - low + 1)]
        if not mass.any():
            return None
        every.append(IntegerLaw(low, mass).trimmed(share))
    if least == most and nodes:
        left, right = every[nodes[-1].left], every[nodes[-1].right]
        first, last = max(left.low, most - right.high), min(left.high, most - right.low)
        matched = left.mass[first - left.low : last + 1 - left.low]
        matched = matched * right.mass[::-1][first - (most - right.high) : last + 1 - (most - right.high)]
        every.append(IntegerLaw(most, np.array([matched.sum() if last >= first else 0.0])))
    top = every[-1]
    first, last = max(top.low, least), min(top.high, most)
    if first > last:
        return None
    factor = log_factor(first, last)
    scale = float(factor.max())
    outside = np.exp(factor - scale)
    mass = top.mass[first - top.low : last + 1 - top.low] * outside
    z = float(mass.sum())
    if not z > 0:
        return None
    every[-1] = IntegerLaw(first, mass / z)
    marginals, noise = _descend(every, nodes, IntegerLaw(first, outside), z, noises, fourier)
    return SumTree(tuple(every), tuple(nodes), marginals, scale + math.log(z), noise)


def merge_order(widths: Sequence[int]) -> list[Node]:
    """Return the nodes that merge the two narrowest laws until one is left."""
    heap = [(width, index) for index, width in enumerate(widths)]
    heapq.heapify(heap)
    nodes: list[Node] = []
    while len(heap) > 1:
        (narrow, left), (wide, right) = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (_merged_width(narrow, wide), len(widths) + len(nodes)))
        nodes.append(Node(left, right))
    return nodes


def convolved(laws: Sequence[IntegerLaw], most: int, share: float) -> IntegerLaw:
    """Return the law of a sum of independent cells, none above `most`; tails of this share are trimmed."""
    every = list(laws)
    for node in merge_order([law.mass.size for law in laws]):
        left, right = every[node.left], every[node.right]
        mass, _ = _convolve(left.mass, right.mass, fourier=True)
        low = left.low + right.low
        mass = mass[: max(1, most - low + 1)]
        every.append(IntegerLaw(low, mass / mass.sum()).trimmed(share))
    return every[-1]


def predicted_cost(widths: Sequence[int], *, known: bool, fourier: bool = True) -> tuple[float, float]:
    """Return about how many multiply-adds a tree takes, and how many values it stores."""
    cost, values, every = 0.0, float(sum(widths)) * 2, list(widths)
    nodes = merge_order(widths)
    for node in nodes[:-1] if known else nodes:
        left, right = every[node.left], every[node.right]
        every.append(_merged_width(left, right))
        cost += PASSES * _cost(left, right, fourier)
        values += every[-1]
    return cost, values


def _merged_width(left: int, right: int) -> int:
    """Return about how wide a trimmed sum is: widths add like standard deviations."""
    return min(left + right - 1, int(1.1 * math.hypot(left, right)) + 1)


def _cost(left: int, right: int, fourier: bool) -> float:
    points = float(left + right)
    transformed = POINT * points * math.log2(points + 1)
    return CALL + (min(left * right, transformed) if fourier else left * right)


def _convolve(left: Floats, right: Floats, fourier: bool) -> tuple[Floats, float]:
    """Return the convolution, and a bound of the error of each entry."""
    if not fourier or not _is_large(left, right):
        return np.convolve(left, right), 0.0
    size = left.size + right.size - 1
    points = fast_length(size)
    mass = np.fft.irfft(np.fft.rfft(left, points) * np.fft.rfft(right, points), points)[:size]
    noise = _fourier_error(left, right, points)
    mass[mass <= noise] = 0
    return mass, 2 * noise


def _correlate(outside: Floats, laws: Sequence[Floats], fourier: bool) -> list[tuple[Floats, float]]:
    """Return Σ_r law(r) outside(s+r) for every s where all of the law fits, and its error, for both laws."""
    if not fourier or not _is_large(*laws):
        return [(np.correlate(outside, law, "valid"), 0.0) for law in laws]
    points = fast_length(outside.size)
    spectrum = np.fft.rfft(outside, points)
    results = []
    for law in laws:
        weight = np.fft.irfft(spectrum * np.conj(np.fft.rfft(law, points)), points)
        weight = weight[: outside.size - law.size + 1]
        noise = _fourier_error(outside, law, points)
        weight[weight <= noise] = 0
        results.append((weight, 2 * noise))
    return results


def _is_large(left: Floats, right: Floats) -> bool:
    return left.size * right.size >= _FOURIER_FROM and min(left.size, right.size) >= 32


def fast_length(size: int) -> int:
    """Return the least number from `size` on whose prime factors are 2, 3 and 5: transforms like these most.

    It is what SciPy's `next_fast_len` says, whose package takes as long to load as a large table to sum.
    """
    best = 1 << (size - 1).bit_length()
    threes = 1
    while threes < best:
        odd = threes
        while odd < best:
            best = min(best, odd << (-(-size // odd) - 1).bit_length())
            odd *= 5
        threes *= 3
    return best


def _fourier_error(left: Floats, right: Floats, points: int) -> float:
    norms = math.sqrt(float(left @ left) * float(right @ right))
    return 2 * 2.2e-16 * math.log2(points) * norms


def _descend(
    laws: Sequence[IntegerLaw],
    nodes: Sequence[Node],
    outside: IntegerLaw,
    z: float,
    noises: Sequence[float],
    fourier: bool,
) -> tuple[tuple[IntegerLaw, ...], float]:
    """Pass the outside weight down to the cells; return their marginals and the bound of the noise."""
    cells = len(laws) - len(nodes)
    weights: dict[int, Floats] = {}
    noise = noises[-1] * float(outside.mass.sum()) / z
    for index in range(len(laws) - 1, cells - 1, -1):
        node = nodes[index - cells]
        left, right = laws[node.left], laws[node.right]
        root = index == len(laws) - 1
        own = outside if root else IntegerLaw(laws[index].low, weights.pop(index))
        if root and own.mass.size == 1:
            found = [(_shifted(right, left, own.low), 0.0), (_shifted(left, right, own.low), 0.0)]
        else:
            full = np.zeros(left.mass.size + right.mass.size - 1)
            overlay(full, left.low + right.low, own)
            found = _correlate(full, (right.mass, left.mass), fourier)
        for (weight, error), child in zip(found, (node.left, node.right), strict=True):
            weights[child] = weight
            noise += (error + noises[child] * float(weight.sum())) / z
    if not nodes:
        return (laws[0],), noise
    marginals = []
    for law, index in zip(laws[:cells], range(cells), strict=True):
        mass = law.mass * weights.pop(index)
        total = float(mass.sum())
        if not total > 0:
            return tuple(laws[:cells]), math.inf
        marginals.append(IntegerLaw(law.low, mass / total).trimmed(_NOTHING))
    return tuple(marginals), noise


def overlay(full: Floats, low: int, law: IntegerLaw) -> None:
    """Write a law into an array that stands for low, low+1, ..., as far as it fits."""
    first, last = max(law.low, low), min(law.high, low + full.size - 1)
    if first <= last:
        full[first - low : last + 1 - low] = law.mass[first - law.low : last + 1 - law.low]


def _shifted(sibling: IntegerLaw, child: IntegerLaw, total: int) -> Floats:
    """Return the sibling's law at total − s for each s of the child."""
    full = np.zeros(child.mass.size)
    overlay(full, child.low, IntegerLaw(total - sibling.high, sibling.mass[::-1]))
    return full
