"""One of finitely many models, drawn with the probability prior x product of chances to real powers.

The powers are exact rational numbers, so the logarithm of each weight is a sum of rational multiples of
logarithms of rational numbers: enclosed as narrowly as it takes (`mixtures`), and never rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ball
from privior.randomness.entropy import Bits
from privior.randomness.mixtures import draw_weighted


def draw_models(
    prior: Sequence[Fraction],
    chances: Sequence[Sequence[Fraction]],
    powers: Sequence[Fraction],
    draws: int,
    bits: Bits,
) -> list[int]:
    """Draw indices m, each with probability proportional to prior[m] * prod_i chances[m][i]^powers[i].

    All chances are positive, and the draws independent.
    """
    weights = [_log_weight(one, law, powers) for one, law in zip(prior, chances, strict=True)]
    return [draw_weighted(weights, bits) for _ in range(draws)]


def draw_scored(
    prior: Sequence[Fraction],
    chances: Sequence[Sequence[Fraction]],
    powers: Sequence[Fraction],
    strength: Fraction,
    draws: int,
    bits: Bits,
) -> list[int]:
    """Draw indices m with probability proportional to prior[m] * exp(strength * P(m)).

    P(m) is the probability with which `draw_models` would draw m: all are enclosed together, at each
    precision once.
    """
    weights = [_log_weight(one, law, powers) for one, law in zip(prior, chances, strict=True)]
    known: dict[int, list[arb]] = {}

    def scores() -> list[arb]:
        precision = flint.ctx.prec
        if precision not in known:
            logs = [one() for one in weights]
            most = max(logs, key=lambda log: float(log.mid()))
            shares = [(log - most).exp() for log in logs]
            whole = sum(shares, flint.arb(0))
            known[precision] = [share / whole for share in shares]
        return known[precision]

    def scored(place: int) -> Callable[[], arb]:
        return lambda: ball(prior[place]).log() + ball(strength) * scores()[place]

    every = [scored(place) for place in range(len(prior))]
    return [draw_weighted(every, bits) for _ in range(draws)]


def _log_weight(
    prior: Fraction, chances: Sequence[Fraction], powers: Sequence[Fraction]
) -> Callable[[], arb]:
    """Return what encloses the logarithm of one weight; each precision is worked out once."""
    known: dict[int, arb] = {}
    terms = [(power, chance) for power, chance in zip(powers, chances, strict=True) if power]

    def enclosed() -> arb:
        precision = flint.ctx.prec
        if precision not in known:
            found = ball(prior).log()
            for power, chance in terms:
                found += ball(power) * ball(chance).log()
            known[precision] = found
        return known[precision]

    return enclosed
