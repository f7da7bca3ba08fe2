"""Posterior means of whole tables, all cells at once, over scenarios of truth and release.

Given what is seen of each cell, `infer` weighs a table c of n = c_1 + ... + c_k records, n at most N and all
n alike, by

    n! G(A) / G(n+A)  *  product over cells of  G(c_i+a_i) / (c_i! G(a_i)) P(seen_i | c_i),      G(.) = Gamma.

The first factor ties the cells together, and the proportions of the estimate are of its own total, so an
error in one cell is one in all: cells cannot be looked at one by one. For each scenario the sum over tables
is a convolution of the cells; its value and the means of all counts are read off Fourier transforms. Counts
are taken one by one, or in bins, each narrower than what the release and the prior can tell apart.

Where the total N is given the last of k cells is what the others leave: the sum is over the other cells, n of
N records, and the first factor is G(N-n+a_k) / (N-n)!, with what is seen of the last cell if anything is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.forecasting.one_cell import CountNoise, log_rising
from privior.forecasting.scenarios import calibrated, noises, tables
from privior.special import kl_div

#: tables of more cells are looked at cell by cell: no one cell moves their total
MOST_CELLS = 128
#: scenarios: so many, or fewer that have so many cells together
_SCENARIOS, _CELLS = 384, 6144
#: the same where the total is public
_REMAINDER_SCENARIOS, _REMAINDER_CELLS = 512, 1536
#: places at which the count of a cell is looked for first, and how many times more totals than bins there are
_PLACES, _TOTALS = 512, 4
#: bins in one standard deviation: as wished, and if the whole table is covered at least
_FINE, _COARSE = 5, 2
#: the first bins have their mass and their mean counted exactly
_EXACT = 16
#: the weight of n records is made to fall like e^(-so many n/N), or faster, so that no total is too large
_FALL = 8.0
#: totals are left out if they weigh more than e^so many times a likely one before the release is looked at
_UNHEARD = 25.0
#: a sum below this share of its terms may be rounding: such a scenario has next to no weight
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen of some cells, in every scenario.

    Attributes:
        centre: where each count is looked for (scenario, cell)
        variance: of a count by what is seen alone
        log_mass: log P(seen | count) of counts (scenario, cell, place)
        bins: in which a count is looked for
        pulled: whether what is seen of the last cell says how much the others have
    """

    centre: Floats
    variance: float | Floats
    log_mass: Callable[[Floats], Floats]
    bins: int = 128
    pulled: bool = False

    @staticmethod
    def noisy(seen: Floats, law: CountNoise) -> Seen:
        """Return noisy counts as what is seen of the true ones."""
        return Seen(seen, law.variance, lambda counts: law.log_mass(seen[:, :, None] - counts))


def joint_errors(law: CountNoise, prior: Floats, records: int, expect: Expect) -> Floats:
    """Return the expected errors of noisy counts with a private total."""
    size = min(_SCENARIOS, _CELLS // prior.size)
    counts = tables(tuple(prior.tolist()), records, expect, size)
    noise, weights = noises(law, size, prior.size)
    means = posterior_means(counts + noise, law, prior, records)
    return np.asarray(mean_errors(counts, means, weights, prior).sum(axis=1))


def remainder_errors(law: CountNoise, prior: Floats, records: int, expect: Expect, without: float) -> Floats:
    """Return the same if the total is public, with noise on all counts but the last: what they leave.

    Scenarios are few where cells are many. They are weighted so that the noise has its moments, and the guess
    without a release its expected squared error, `without`: much noise then never seems to tell something.
    """
    size = min(_REMAINDER_SCENARIOS, _REMAINDER_CELLS // prior.size)
    counts = tables(tuple(prior.tolist()), records, expect, size)
    noise, weights = noises(law, size, prior.size - 1)
    unguessed = ((counts / records - prior / prior.sum()) ** 2).sum(axis=1)
    values = np.stack([noise.sum(axis=1) ** 2, (noise**2).sum(axis=1), unguessed], axis=1)
    moment = law.variance * (prior.size - 1)
    weights = calibrated(weights, values, np.array([moment, moment, without]))
    means = remainder_means(counts[:, :-1] + noise, law, prior, records)
    return np.asarray(mean_errors(counts, means, weights, prior).sum(axis=1))


def mean_errors(counts: Floats, means: Floats, weights: Floats, prior: Floats) -> Floats:
    """Return the errors of estimated counts by cell, on average over scenarios of these weights.

    They are (p - q)^2, |p - q|, (sqrt p - sqrt q)^2 and p log(p / q), as (4, cells).
    """
    totals = means.sum(axis=1, keepdims=True)
    truth, guess = counts / counts.sum(axis=1, keepdims=True), means / totals
    smooth = (means + prior) / (totals + prior.sum())
    gap, roots = guess - truth, np.sqrt(guess) - np.sqrt(truth)
    return np.stack([weights @ one for one in (gap**2, np.abs(gap), roots**2, kl_div(truth, smooth))])


def posterior_means(seen: Floats, law: CountNoise, prior: Floats, records: int) -> Floats:
    """Return the posterior mean of every count given noisy counts, as (scenarios, cells)."""
    total = float(prior.sum())
    likely = np.clip(seen.sum(axis=1), records / 3, records)
    falls = np.log1p(np.maximum(total / likely, _FALL / records))
    return _tied(Seen.noisy(seen, law), prior, records, falls, lambda sums, width: -log_rising(sums, total))[
        0
    ]


def remainder_means(seen: Floats, law: CountNoise, prior: Floats, records: int) -> Floats:
    """Return the posterior mean of every count given noise on all but the last, with a public total."""
    return means_given_total(Seen.noisy(seen, law), prior, records)[0]


def means_given_total(
    seen: Seen, prior: Floats, records: int, last_seen: Callable[[Floats], Floats] | None = None
) -> tuple[Floats, Floats]:
    """Return posterior means given the total, and the log weight of that total in every scenario.

    Args:
        seen: of all cells but the last
        prior: the parameters
        records: the total
        last_seen: log P(seen | count) of the last cell, of counts (scenario, count)
    """
    last = float(prior[-1])

    def left(sums: Floats, width: float) -> Floats:
        """Weigh the last count, in bins as wide as those of the sums; small ones exactly: `_binned`."""
        rest = records - sums
        logs = log_rising(rest, last) + math.log(width)
        low = np.maximum(np.ceil(rest - width / 2), 0.0)
        high = np.maximum(np.ceil(rest + width / 2) - 1, low)
        up_to = log_rising(high, last + 1) - math.log(last)
        below = np.where(low > 0, log_rising(np.maximum(low - 1, 0.0), last + 1) - math.log(last), -np.inf)
        few = (rest < _EXACT * width) & (width > 1)
        found = np.where(few, up_to + np.log(-np.expm1(np.minimum(below - up_to, -1e-9))), logs)
        return found if last_seen is None else found + last_seen(rest)

    falls = np.full(len(seen.centre), math.log1p(max(float(prior.sum()), _FALL) / records))
    means, log_weights = _tied(seen, prior[:-1], records, falls, left)
    rest = np.maximum(records - means.sum(axis=1, keepdims=True), records * 1e-12)
    return np.concatenate([means, rest], axis=1), log_weights


def _tied(
    seen: Seen, prior: Floats, records: int, falls: Floats, weight: Callable[[Floats, float], Floats]
) -> tuple[Floats, Floats]:
    """Return posterior means of cells whose sum, in bins of a width, has these log weights, and log sums."""
    grid = _Grid.of(seen, prior, records, falls)
    size = _TOTALS * seen.bins
    cells = np.fft.rfft(grid.mass, size, axis=2)
    moments = np.fft.rfft(grid.mass * grid.places, size, axis=2)
    totals, log_weights = grid.totals(weight, records, falls, size)
    spectrum = np.conj(np.fft.rfft(totals, axis=1))
    spectrum[:, 1:-1] *= 2  # of a real sequence half the frequencies are listed
    before, product = np.empty_like(cells), np.ones_like(spectrum)
    for cell in range(prior.size):
        before[:, cell] = product
        product = product * cells[:, cell]
    whole = (product * spectrum).real.sum(axis=1)
    means = np.empty(seen.centre.shape)
    for cell in reversed(range(prior.size)):
        means[:, cell] = (moments[:, cell] * before[:, cell] * spectrum).real.sum(axis=1)
        spectrum = spectrum * cells[:, cell]
    heard = whole > _ROUNDING * np.sqrt((totals**2).sum(axis=1))
    means = np.where(heard[:, None], means / np.where(heard, whole, 1.0)[:, None], grid.apart)
    means = np.clip((means + grid.low) * grid.width, records * 1e-12, records)
    return means, grid.log_weights + log_weights + np.log(np.maximum(whole, 1e-300) / grid.width)


@dataclass(frozen=True, eq=False)
class _Grid:
    """Bins around the multiples j * width, from j = `low` on, of every count.

    Attributes:
        width: how many whole numbers a bin holds
        low: the first bin of each cell (scenario, cell)
        places: the mean of each bin, in bins from the first one on (scenario, cell, bin)
        mass: the weight of each bin, which add up to 1 in each cell (scenario, cell, bin)
        log_weights: the log of what the weights of all cells added up to before (scenario)
        pulled: whether the release itself says how likely totals are
    """

    width: float
    low: Floats
    places: Floats
    mass: Floats
    log_weights: Floats
    pulled: bool

    @staticmethod
    def of(seen: Seen, prior: Floats, records: int, falls: Floats) -> _Grid:
        """Cover the whole table if that is fine enough, else what is near the release and the prior."""
        means = records * prior / prior.sum()
        spread = math.sqrt(float(np.mean(1 / (1 / seen.variance + 1 / (means + means**2 / prior)))))
        whole = math.ceil(records / (seen.bins - 2))
        width = float(whole if whole * _COARSE <= spread or whole == 1 else max(1, math.ceil(spread / _FINE)))
        if seen.pulled and width % 2 == 0:
            width += 1  # what is left for the last cell is biased by bins that are not around a number
        centre, fall = seen.centre, falls[:, None, None]
        if width < whole and spread < 0.9 * math.sqrt(np.mean(seen.variance)):  # the prior moves counts far
            places = np.linspace(0, records, _PLACES)[None, None]
            heights = log_rising(places, prior[:, None]) - fall * places
            centre = places[0, 0, (heights + seen.log_mass(places)).argmax(axis=2)]
        last = max(0, math.ceil(records / width) - seen.bins + 1)
        low = np.clip(np.round(centre / width) - seen.bins // 2, 0, last)
        bins = low[:, :, None] + np.arange(seen.bins)
        counts, logs = _binned(bins, width, prior)
        counts = np.minimum(counts, records)
        logs = logs - fall * counts + seen.log_mass(counts)
        logs = np.where(bins * width <= records + width / 2, logs, -np.inf)
        top = logs.max(axis=2, keepdims=True)
        mass = np.exp(logs - top)
        added = mass.sum(axis=2, keepdims=True)
        log_weights = (top + np.log(added)).sum(axis=(1, 2))
        return _Grid(width, low, counts / width - low[:, :, None], mass / added, log_weights, seen.pulled)

    @cached_property
    def apart(self) -> Floats:
        """The mean of every cell by itself, in bins from its first one on."""
        return np.asarray((self.mass * self.places).sum(axis=2))

    def totals(
        self, weight: Callable[[Floats, float], Floats], records: int, falls: Floats, size: int
    ) -> tuple[Floats, Floats]:
        """Return the weight of every total near the likely ones, in the order of a Fourier transform.

        The weights are relative to those of likely totals, whose logs are returned too.
        """
        centre = np.round(self.apart.sum(axis=1))[:, None]
        place = np.arange(size) - centre
        sums = centre - size // 2 + (place + size // 2) % size
        total = (sums + self.low.sum(axis=1, keepdims=True)) * self.width
        inside = (total > -self.width / 2) & (total <= records + self.width / 2)
        total = np.clip(total, 0, records)
        logs = np.where(inside, falls[:, None] * total + weight(total, self.width), -np.inf)
        far = np.where(inside, np.abs(sums - centre), np.inf)
        if self.pulled:  # by what is seen of the last cell
            spread = np.maximum(((self.mass * self.places**2).sum(axis=2) - self.apart**2).sum(axis=1), 1e-9)
            far = far**2 / (2 * spread[:, None]) - logs
        likely = logs[np.arange(len(logs)), far.argmin(axis=1)]
        logs = logs - likely[:, None]
        return np.where(logs < _UNHEARD, np.exp(np.minimum(logs, _UNHEARD)), 0.0), likely


def _binned(bins: Floats, width: float, prior: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the log weight, of the prior alone, of bins (scenario, cell, bin).

    The sum of G(c+a) / c! over c up to x is G(x+1+a) / (x! a); that of c G(c+a) / c! is the one of a+1 up
    to x-1.
    """
    parameter = prior[None, :, None]
    counts = bins * width
    if width == 1:
        return counts, log_rising(counts, parameter)
    logs = log_rising(counts, parameter) + math.log(width)
    ends = np.floor((np.arange(_EXACT) + 0.5) * width)
    alpha = prior[:, None]
    zeroth = _log_steps(log_rising(ends, alpha + 1) - np.log(alpha))
    first = _log_steps(log_rising(ends - 1, alpha + 2) - np.log(alpha + 1))
    few = np.minimum(bins, _EXACT - 1).astype(np.intp)
    cell = np.arange(prior.size)[None, :, None]
    exact = bins < _EXACT
    counts = np.where(exact, np.exp(first - zeroth)[cell, few], counts)
    return counts, np.where(exact, zeroth[cell, few], logs)


def _log_steps(logs: Floats) -> Floats:
    """Return the logs of the differences of increasing numbers, the first from 0."""
    steps = logs.copy()
    steps[:, 1:] += np.log(-np.expm1(logs[:, :-1] - logs[:, 1:]))
    return steps
