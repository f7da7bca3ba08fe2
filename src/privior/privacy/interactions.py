"""Interactions: how one unit of an interaction moves counts, and what draws from them and noise on them cost.

Neighbours are two histories of which one unit (a step, an episode, a user) is replaced, all other inputs
being the same given what was released. Then what is released at a public time depends on the histories
through counts that differ by one of a few patterns, the same one at all times after the unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privior.checks import whole_number
from privior.errors import PlanError
from privior.privacy.composition import compose_ordered
from privior.privacy.composition.composed import Part
from privior.privacy.pairs import (
    BetaPair,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    GammaShapePair,
    ShapeMoves,
    SignedSteps,
    WorstOf,
    both_orders,
)
from privior.privacy.sensitivity import MOST_ROWS

#: by how much each of some cells moves
Pattern = tuple[int, ...]
#: wider noise than this is not summed over its integers: the concentrated bound is used
WIDEST_EXACT = 2**12


@dataclass(frozen=True)
class Moves:
    """The ways in which one replaced unit may move a vector of counts.

    Attributes:
        patterns: the moves that cover all others, none of them the mirror of another; empty if there are too
            many to be listed
        l1: the largest sum of absolute moves
        squared: the largest sum of squared moves
        largest: the largest move of one cell
    """

    patterns: tuple[Pattern, ...]
    l1: int
    squared: int
    largest: int

    @staticmethod
    def listed(*patterns: Pattern) -> Moves:
        """Return these moves and what follows from them."""
        return Moves(
            patterns,
            max(sum(map(abs, pattern)) for pattern in patterns),
            max(sum(move**2 for move in pattern) for pattern in patterns),
            max(abs(move) for pattern in patterns for move in pattern),
        )

    @staticmethod
    def of_transitions() -> Moves:
        """One step of a chain of transitions (s, a, s'): its state and its action are replaced.

        The step i is in two transitions, e = (s_(i-1), a_(i-1), s_i) and f = (s_i, a_i, s_(i+1)), which
        become e' and f': the counts move by e' + f' - e - f. Four different cells move by one each, or e = f,
        a self-loop with one action, and one cell moves by two (or e' = f'). Not both: e = f and e' = f' make
        s_i' = s_(i-1) = s_i, so that e' = e, and nothing moves. Where an old and a new transition are the
        same they cancel, and what is left is covered; so is a first or last step, which is in one transition.
        """
        return Moves.listed((2, -1, -1), (1, 1, -1, -1))

    @staticmethod
    def of_rows() -> Moves:
        """One interaction that counts in one cell, which is replaced: it leaves one cell and enters another.

        The cell is an arm with its outcome, or a state and action that were visited.
        """
        return Moves.listed((1, -1))

    @staticmethod
    def of_many(interactions: int) -> Moves:
        """Up to so many interactions, all replaced: m leave their cells and m enter others.

        The squares are largest when all leave one cell and all enter another, 2 m^2, which a chain attains by
        self-loops with one action.
        """
        whole_number(interactions, "interactions", 1, MOST_ROWS, where="sensitivity", error=PlanError)
        return Moves((), 2 * interactions, 2 * interactions**2, interactions)

    def scaled(self, times: int) -> Moves:
        """Return the moves of sums to which an interaction adds up to so many units."""
        patterns = tuple(tuple(times * move for move in pattern) for pattern in self.patterns)
        return Moves(patterns, times * self.l1, times**2 * self.squared, times * self.largest)

    def beside(self, other: Moves) -> Moves:
        """Return the moves of both vectors side by side, moved by the same unit in whatever pair of ways."""
        patterns = tuple(one + two for one in self.patterns for two in _both_ways(other.patterns))
        return Moves(
            patterns, self.l1 + other.l1, self.squared + other.squared, max(self.largest, other.largest)
        )


def posterior_draws(moves: Moves, smallest: Fraction, rate: Fraction, times: int) -> list[list[Part]]:
    """Draws of all rows from Dirichlet(prior + rate * counts), so many times; one list for each pattern.

    Proof. A row is a function of independent Gammas, one for each cell. A cell that moves by m from u has
    Gamma(u) on one side and Gamma(u + r m) on the other, and what u has above a = `smallest`, the smallest
    prior parameter of all rows, is the same independent Gamma added on both sides. So (Gamma(a + r m),
    Gamma(a)) dominates, in the order of its sign; products of dominating pairs dominate products. Two cells
    that move by the same in opposite directions: the likelihood ratio of (Gamma(a+r), Gamma(a)) x (Gamma(a),
    Gamma(a+r)) depends on the two Gammas' proportion only, so that they are one Beta pair.
    All draws after the unit see the same pattern: each is composed by itself, in both orders, and the worst
    taken last. Moves that are not listed: `ShapeMoves`.
    """
    if not moves.patterns:
        squared = rate**2 * moves.squared
        return [[(ShapeMoves(smallest, squared * times, rate * moves.largest), 1)]]
    return [_gammas(pattern, smallest, rate, times) for pattern in moves.patterns]


def _gammas(pattern: Pattern, smallest: Fraction, rate: Fraction, times: int) -> list[Part]:
    found: list[Part] = []
    up, down = Counter(m for m in pattern if m > 0), Counter(-m for m in pattern if m < 0)
    for size in sorted(up | down):
        both = min(up[size], down[size])
        move = rate * size
        parts = (
            (BetaPair(smallest, smallest, move), both),
            (GammaShapePair(smallest, move), up[size] - both),
            (GammaShapePair(smallest, move, less=True), down[size] - both),
        )
        found += [(pair, times * often) for pair, often in parts if often]
    return found


def gaussian_noise(moves: Moves, variance: Fraction, times: int) -> list[list[Part]]:
    """Discrete Gaussian noise on every count, in so many releases that hold the unit; a list a pattern.

    A cell that moves by m is `DiscreteGaussianShift`; independent cells compose. Moves that are not listed,
    and very wide noise: order l has a divergence of at most l squared / (2 variance) (Canonne, Kamath,
    Steinke 2020, Theorem 4), so `Concentrated`.
    """
    if not moves.patterns or variance > WIDEST_EXACT**2:
        return [[(Concentrated(times * moves.squared / (2 * variance)), 1)]]
    sizes = dict.fromkeys(tuple(sorted(Counter(map(abs, p)).items())) for p in moves.patterns)
    return [
        [(DiscreteGaussianShift(variance, 1, size), often * times) for size, often in pattern]
        for pattern in sizes
    ]


def laplace_noise(moves: Moves, scale: Fraction, times: int) -> list[list[Part]]:
    """Discrete Laplace noise on every count, in so many releases that hold the unit; a list a pattern.

    A cell that moves by m has a loss of at most m / scale, which randomised response dominates
    (`SignedSteps`). Moves that are not listed: one loss of at most l1 / scale.
    """
    if not moves.patterns:
        return [[(SignedSteps(moves.l1 / scale), times)]]
    sizes = dict.fromkeys(tuple(sorted(Counter(map(abs, p)).items())) for p in moves.patterns)
    return [[(SignedSteps(size / scale), often * times) for size, often in pattern] for pattern in sizes]


def together(*releases: Sequence[Sequence[Part]]) -> DominatingPair:
    """Compose releases about the same unit: every pattern of one with every pattern of the others.

    The patterns of different releases are those of one unit, so that not every combination need be possible;
    the worst of all, in both orders, is safe. The orders go together: which of two histories is the first is
    the same for all releases, and every pattern is reckoned with in both orders.
    """
    combined: list[list[Part]] = [[]]
    for patterns in releases:
        combined = [
            [*before, *((pair.mirror if turned else pair, often) for pair, often in pattern)]
            for before in combined
            for pattern in patterns
            for turned in ((False, True) if before and _directed(pattern) else (False,))
        ]
    pairs = [compose_ordered(parts) for parts in combined]
    return both_orders(pairs[0] if len(pairs) == 1 else WorstOf(tuple(pairs)))


def _directed(pattern: Sequence[Part]) -> bool:
    return any(pair.mirror != pair for pair, _ in pattern)


def _both_ways(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Each pattern and its mirror, once if it is its own."""
    found: dict[Pattern, Pattern] = {}
    for pattern in patterns:
        for one in (pattern, tuple(-move for move in pattern)):
            found.setdefault(tuple(sorted(one)), one)
    return list(found.values())
