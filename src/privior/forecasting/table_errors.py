"""Forecasts: how far from the truth a release will be, from public facts alone.

The truth is the table of n records, c / n; it is not the probabilities behind it. What it looks like is
declared (`Expect`), by default as typical of the prior. The estimate is the posterior mean of the counts,
E[c | release] / n, as `infer` gives it. Its error is integrated cell by cell (`one_cell`), with the noise
that the public total leaves: of k alike noises of variance s, (k-1)/k s. Where the total is private it is
inferred too, and the proportions are of the estimated total: up to 128 cells are looked at all at once
(`whole_tables`). In larger tables, where no cell moves the total, the noise is s plus (k sum p^2 - 2) / k s.
The width of an interval comes from a Beta law with the mean and the variance that the posterior of a cell's
probability typically has: what the records leave open, m (1-m) / (n + A + 1), plus what the noise hides.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.forecasting.one_cell import CountLaw, CountNoise, SeenCell
from privior.forecasting.whole_tables import MOST_CELLS, joint_errors, remainder_errors
from privior.special import betaincinv, kl_div

#: the level of the intervals whose width is forecast
LEVEL = 0.9
_LEAST_SHARE = 1e-12  # a share of 0 or 1 would leave nothing open
_QUANTILES = (np.arange(33) + 0.5) / 33
#: noise with less variance than this is as good as none
NO_NOISE = 1e-12
#: the estimates of all cells add up to n up to this share
_CLOSE = 1e-3
#: cells that differ by less than this on the log scale are taken as alike; by more if there are many kinds
_ALIKE = 0.2
_MOST_GROUPS = 16
#: noise that moves the sum of all cells by less than this share of the records is small
_SMALL = 1e-3
#: whole numbers with less variance than this are 0 but for a few, and those are taken as they are
_RARE = 1e-2


class ErrorLaw(Protocol):
    """The law of a release as forecasts see it: it knows the error of its posterior mean."""

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return expected errors and the expected posterior variance of the counts, over all cells.

        The errors are the sums of (p - q)^2, of |p - q|, of (sqrt p - sqrt q)^2 and of p log(p / q), each q
        as `TableForecast` says.
        """


@dataclass(frozen=True)
class NoiseSpectrum:
    """A mechanism's noise as forecasts see it.

    Attributes:
        variances: of the noise of each cell, given the total where it is public
        laplace: whether the noise has the tails of a Laplace law, else of a normal one
        total_known: whether the total of the counts is public
    """

    variances: tuple[float, ...]
    laplace: bool = False
    total_known: bool = True

    @staticmethod
    def alike(
        variance: float, cells: int, *, laplace: bool = False, total_known: bool = True
    ) -> NoiseSpectrum:
        """Noise with this variance in each direction, which a known total takes 1/k of."""
        left = variance * (cells - 1) / cells if total_known else variance
        return NoiseSpectrum((left,) * cells, laplace, total_known)

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Look at one cell at a time, or at all of them if the total is private."""
        return _errors(self, prior, records, expect)


@dataclass(frozen=True)
class RemainderLaw:
    """Laplace noise of one variance on all counts but the last, which is what they leave of a public total.

    Such a release says nothing of the last cell by itself; what it says is how the noise of all others adds
    up, less what the prior knows of them. So up to 128 cells are looked at together. In larger tables, where
    the last cell is one of many, cells are looked at one by one, the last through what is hidden of all
    others.
    """

    variance: float

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and the expected variance of the counts, all cells together."""
        others = prior.size - 1
        errors, hidden = self._cells(others * self.variance, prior, records, expect)
        if others > 1:  # the prior knows the others better than their noise says, and so the last one
            errors, hidden = self._cells(min(others * self.variance, hidden), prior, records, expect)
        if 1 < others < MOST_CELLS:
            law = CountNoise(max(self.variance, NO_NOISE), laplace=True)
            joint = _joint(law, tuple(prior.tolist()), records, expect)
            errors = _together(errors, joint, law, prior.size, records)
        return errors, hidden

    def _cells(self, last: float, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Look at one cell at a time, the last through noise of this variance."""
        variances = (self.variance,) * (prior.size - 1) + (last,)
        return NoiseSpectrum(variances, laplace=True).errors(prior, records, expect)


@lru_cache(maxsize=256)
def _joint(law: CountNoise, prior: tuple[float, ...], records: int, expect: Expect) -> Floats:
    """Look at all cells together; the same facts are planned for again and again."""
    parameters = np.array(prior)
    without = float(_errors(None, parameters, records, expect)[0][0])
    errors = remainder_errors(law, parameters, records, expect, without)
    if expect is Expect.TYPICAL:  # then no release makes a posterior mean worse
        errors[0] = min(float(errors[0]), without)
    return errors


@dataclass(frozen=True)
class TableForecast:
    """Typical distances between the estimated and the true proportions of the table.

    Attributes:
        l2: root of the expected squared Euclidean distance
        total_variation: expected half sum of absolute differences
        hellinger: root of the expected squared Hellinger distance, half the sum of (sqrt p - sqrt q)^2
        kl: expected Kullback-Leibler divergence, sum of p log(p/q), of the true proportions p = c/n from the
            posterior mean of the probabilities q = (E[c | release] + alpha) / (n + A), which is never 0; None
            for a prior without parameters: q rests on them, and most of all where there is hardly any noise
        width: expected width of the 90% interval of a cell's probability, on average over the cells
    """

    l2: float
    total_variation: float
    hellinger: float
    kl: float | None
    width: float

    @property
    def error(self) -> float:
        """The distance by which mechanisms are compared: l2."""
        return self.l2

    @property
    def measures(self) -> dict[str, float]:
        """The distances by the names that people read."""
        return {
            "90% width": self.width,
            "l2": self.l2,
            "total variation": self.total_variation,
            "Hellinger": self.hellinger,
            **({} if self.kl is None else {"KL": self.kl}),
        }

    def to_document(self) -> dict[str, float]:
        """Write the distances as plain values."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def forecast(law: ErrorLaw, prior: Floats, records: int, expect: Expect = Expect.TYPICAL) -> TableForecast:
    """Forecast the error of a release with this law."""
    return _forecast(law.errors(prior, records, expect), prior, records, expect)


def records_alone(prior: Floats, records: int, expect: Expect = Expect.TYPICAL) -> TableForecast:
    """Forecast the error of publishing the true counts: what no epsilon can improve on."""
    return forecast(NoiseSpectrum((0.0,) * prior.size), prior, records, expect)


def prior_alone(prior: Floats, records: int, expect: Expect = Expect.TYPICAL) -> TableForecast:
    """Forecast the error of publishing nothing but the prior."""
    return _forecast(_errors(None, prior, records, expect), prior, records, expect)


def _errors(
    spectrum: NoiseSpectrum | None, prior: Floats, records: int, expect: Expect
) -> tuple[Floats, float]:
    """Add up the errors of the cells; without a spectrum nothing is released."""
    shares = expect.shares(prior)
    total = float(prior.sum())
    variances = np.zeros(prior.size) if spectrum is None else np.array(spectrum.variances)
    if spectrum is not None and not spectrum.total_known:
        squares = float((shares**2).sum())
        if expect is Expect.TYPICAL:
            squares = (squares * total + 1) / (total + 1)
        variances = variances * max(0.0, 1 - 2 / prior.size + squares)
    groups = alike(prior, shares, variances)
    seen: list[SeenCell] = []
    for parameter, share, variance, _ in groups:
        law = CountLaw(records, parameter, total - parameter)
        truth = law if expect is Expect.TYPICAL else CountLaw(records, share)
        laplace = spectrum is not None and spectrum.laplace
        seen.append(SeenCell.of(truth, CountNoise(max(variance, NO_NOISE), laplace), law))
    sizes = [group[-1] for group in groups]
    tilted = spectrum is not None and spectrum.total_known and expect is not Expect.TYPICAL
    tilt = _tilt(seen, sizes) if tilted else 0.0
    errors, hidden = np.zeros(4), 0.0
    for cell, (parameter, _, _, size) in zip(seen, groups, strict=True):
        if spectrum is None:
            guesses = np.full(cell.chances.shape, records * parameter / total)
            variance = records * parameter * (total - parameter) / total**2 * (records + total) / (1 + total)
        else:
            guesses, variance = cell.estimates(tilt)
        hidden += size * variance
        gaps = divergences(cell.counts[:, None] / records, guesses / records, parameter, records, total)
        errors += size * np.array([cell.expected(one) for one in gaps])
    if spectrum is not None and not spectrum.total_known and prior.size <= MOST_CELLS:
        if max(spectrum.variances) < _RARE:
            errors[0] = min(errors[0], float(variances.sum()) / records**2)
        noise = CountNoise(max(float(np.mean(spectrum.variances)), NO_NOISE), spectrum.laplace)
        errors = _together(errors, joint_errors(noise, prior, records, expect), noise, prior.size, records)
    return errors, hidden


def _forecast(found: tuple[Floats, float], prior: Floats, records: int, expect: Expect) -> TableForecast:
    errors, hidden = found
    shares = None if expect is Expect.TYPICAL else expect.shares(prior)
    return TableForecast(
        l2=math.sqrt(float(errors[0])),
        total_variation=min(1.0, float(errors[1]) / 2),
        hellinger=math.sqrt(min(1.0, float(errors[2]) / 2)),
        kl=max(0.0, float(errors[3])),
        width=_width(hidden, prior, records, shares),
    )


def _together(errors: Floats, every: Floats, law: CountNoise, cells: int, records: int) -> Floats:
    """Take the errors of all cells at once for the sums over one cell; at small noise for one measure alone.

    There the sums over one cell are better, since they take in rare counts and rare noise, but a noise in one
    cell moves others too: total variation has a share for each that is moved.
    """
    if math.sqrt(law.variance * cells) > _SMALL * records:
        return every
    return np.array([errors[0], every[1] * errors[0] / max(every[0], 1e-300), *errors[2:]])


def _tilt(seen: list[SeenCell], sizes: list[float]) -> float:
    """Return the tilt at which the estimates of all cells add up to the records, on average.

    Given the total, e^(tilt c) in every cell changes nothing; a truth that is not the prior's needs it, since
    cells are looked at one by one.
    """

    pairs = list(zip(seen, sizes, strict=True))
    records = sum(size * cell.expected(cell.counts[:, None]) for cell, size in pairs)

    def surplus(tilt: float) -> float:
        return sum(size * cell.expected(cell.estimates(tilt)[0]) for cell, size in pairs) / records - 1

    low = high = 0.0
    start = surplus(0.0)
    if abs(start) < _CLOSE:
        return 0.0
    step = math.copysign(1 / records, -start)
    while surplus(step) * start > 0 and abs(step) < 20:
        low, step = step, 4 * step
    high = step
    for _ in range(12):
        middle = (low + high) / 2
        value = surplus(middle)
        if abs(value) < _CLOSE:
            return middle
        low, high = (middle, high) if value * start > 0 else (low, middle)
    return (low + high) / 2


def divergences(
    truth: Floats, guess: Floats, parameter: float, records: float, total: float
) -> tuple[Floats, ...]:
    """Return what one cell adds to each distance, for true and guessed proportions and the guessed number of
    records; p log(p/q) - p + q, as estimates add up on average only."""
    mean = (guess * records + parameter) / (records + total)
    gap = guess - truth
    return gap**2, np.abs(gap), (np.sqrt(guess) - np.sqrt(truth)) ** 2, np.asarray(kl_div(truth, mean))


def count_spread(prior: Floats, records: int) -> float:
    """Return the variances of all counts by the prior, added up."""
    total = float(prior.sum())
    share = prior / total
    return float((records * share * (1 - share) * (records + total) / (1 + total)).sum())


def alike(*facts: Floats) -> list[tuple[float, ...]]:
    """Group cells whose facts are alike: the mean of each fact, and how many cells."""
    table = np.stack(facts, axis=1)
    logs = np.log(np.maximum(table, NO_NOISE))
    logs -= logs.min(axis=0)
    factor = _ALIKE
    while True:
        steps = np.round(logs / factor).astype(np.int64)
        _, group = np.unique(steps @ (1000 ** np.arange(len(facts))), return_inverse=True)
        sizes = np.bincount(group)
        if sizes.size <= _MOST_GROUPS:
            break
        factor *= 1.5
    means = [np.bincount(group, weights=fact) / sizes for fact in facts]
    return [tuple(row) for row in np.stack([*means, sizes], axis=1).tolist()]


@lru_cache(maxsize=64)
def _typical_shares(parameter: float, total: float) -> Floats:
    """Return shares of a cell that are typical of the prior; every budget that is compared asks for them."""
    shares = np.asarray(betaincinv(parameter, total - parameter, _QUANTILES))
    shares.setflags(write=False)
    return shares


def _width(squared: float, prior: Floats, records: int, expected: Floats | None) -> float:
    """Average the widths over the cells, and over the shares that the prior finds typical or these."""
    total = float(prior.sum())
    whole = records + total
    spread = count_spread(prior, records)
    kept = math.sqrt(max(0.0, 1 - squared / spread)) if spread > 0 else 0.0
    hidden = squared / prior.size / whole**2
    widths = 0.0
    for parameter, given, cells in alike(prior, prior if expected is None else expected):
        typical = expected is None
        shares = _typical_shares(parameter, total) if typical else np.array([given])
        share = parameter / total
        centre = share + kept * ((records * shares + parameter) / whole - share)
        centre = np.clip(centre, _LEAST_SHARE, 1 - _LEAST_SHARE)
        variance = centre * (1 - centre) / (whole + 1) + hidden
        strength = np.maximum(centre * (1 - centre) / variance - 1, total)  # the prior's own at least
        first, second = centre * strength, (1 - centre) * strength
        low, high = (betaincinv(first, second, (1 + side * LEVEL) / 2) for side in (-1, 1))
        widths += float(cells) * float((high - low).mean())
    return widths / prior.size
