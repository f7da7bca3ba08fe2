"""Does a sample come from a law? One false-alarm rate for every such test in the suite: 1e-9.

Noise has no seed, so a statistical test may fail by bad luck. `FALSE_ALARM` is the probability of that,
for one test on a sampler that is right: with a thousand such tests the suite fails by chance once in a
million runs. A failure is a bug.

The statistic is the likelihood-ratio chi-square, 2 n KL(sample | law). Its usual limit law is wrong so far
out in the tail, so the p-value is a proved bound instead, valid for every n: with c cells,
P(n KL >= t) <= e^-t (e t / (c-1))^(c-1) for t > c - 1 (Agrawal 2020, arXiv:1904.02291).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from statistics import NormalDist, fmean, stdev
from typing import Any

FALSE_ALARM = 1e-9

_LEAST_EXPECTED = 5


def fits(sample: Collection[Hashable], law: Mapping[Any, float]) -> bool:
    """Tell whether the sample may come from the law; false for a right one with probability 1e-9 at most.

    `law` may leave out what is improbable: that, and all that is expected fewer than five times, is pooled.
    """
    return p_value(sample, law) >= FALSE_ALARM


def p_value(sample: Collection[Hashable], law: Mapping[Any, float]) -> float:
    """Bound the probability, under the law, of a sample at least this far from it."""
    size = len(sample)
    kept = {outcome: chance for outcome, chance in law.items() if size * chance >= _LEAST_EXPECTED}
    seen = Counter(sample)
    cells = [(seen[outcome], chance) for outcome, chance in kept.items()]
    rest = size - sum(count for count, _ in cells)
    cells.append((rest, max(0.0, 1 - math.fsum(kept.values()))))
    if any(count and not chance for count, chance in cells):
        return 0.0
    distance = sum(count * math.log(count / (size * chance)) for count, chance in cells if count)
    freedom = len(cells) - 1
    if distance <= freedom:
        return 1.0
    return math.exp(freedom - distance + freedom * math.log(distance / freedom)) if freedom else 1.0


def mean_fits(sample: Sequence[float], mean: float) -> bool:
    """Tell whether the mean of 10,000 numbers or more, with exponential tails, may be `mean`.

    Normal approximation, with a tenth more room for the skewness of such numbers.
    """
    room = 1.1 * NormalDist().inv_cdf(1 - FALSE_ALARM / 2) * stdev(sample) / math.sqrt(len(sample))
    return abs(fmean(sample) - mean) <= room
