"""Draws from mixtures: a piece with real weights, then a number from its law; and an index alone.

Weights are given by enclosures of their logarithms, up to a constant that all share. The index is the exact
inverse of a uniform number of its own (`inversion`), the number of another one (`rounding`). What is returned
by `draw_mixture` is the rounded number alone: which piece it came from is told to nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from privior.interval_arithmetic import arb, flint
from privior.randomness.acceptance import Real
from privior.randomness.entropy import Bits
from privior.randomness.inversion import draw_cumulative
from privior.randomness.rounding import EnclosedLaw, rounded


@dataclass(frozen=True)
class WeightedLaw:
    """A law with the logarithm of its weight; the weights of a mixture need not sum to 1."""

    log_weight: Real
    law: EnclosedLaw


def draw_mixture(pieces: Sequence[WeightedLaw], places: int, bits: Bits) -> int:
    """Draw X from the mixture and return the whole number that is nearest to X * 2^places."""
    index = draw_weighted([piece.log_weight for piece in pieces], bits)
    return rounded(pieces[index].law, places, bits)


def draw_weighted(log_weights: Sequence[Real], bits: Bits) -> int:
    """Draw i with probability proportional to exp(log_weights[i]); an enclosure of -infinity is no weight."""
    return draw_cumulative(len(log_weights), lambda: _sums(log_weights), bits)


def _sums(log_weights: Sequence[Real]) -> list[arb]:
    """Enclose the cumulative sums, in units of the largest weight or nearly so: the unit is exact."""
    logs = [log_weight() for log_weight in log_weights]
    extra = max((_digits(log) for log in logs), default=0)
    with flint.ctx.workprec(flint.ctx.prec + extra):  # logarithms as large as 2^extra cancel
        logs = [log_weight() for log_weight in log_weights] if extra else logs
        finite = [log.mid() for log in logs if log.is_finite()]
        unit = max(finite, default=flint.arb(0))
        return list(accumulate((log - unit).exp() for log in logs))


def _digits(log: arb) -> int:
    """Return how many binary digits the whole part of a finite number has."""
    return int(log.abs_upper().floor().unique_fmpz()).bit_length() if log.is_finite() else 0
