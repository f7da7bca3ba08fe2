"""The error of a table r drawn by its Hellinger distance from x: P(r) is proportional to e^(-t H(x, r)).

Where `infer` lists all tables the error of the posterior mean is summed over all pairs of them (`listed`). Of
more than can be paired some stand for all: of two cells they are apart by a small share of what the
mechanism can tell apart, of more cells they are those that are likely and some of all others.

Where there are too many tables to list `infer` computes no posterior: what people have is the table r as it
came out (`noise="ignore"`), and its error is forecast. For scenarios of the truth x, outputs r are proposed
and weighed by e^(-t H(x, r)) over the chance of their proposal. A proposal is one of three, each as likely:
any table, all alike, for those that are far from x; and two that are near it, cell after cell from what is
left, with a rounded logistic law around what x has there. Near x the weight is about e^(-t s/sqrt 2), s the
distance of the roots of the posterior parameters, which in d = k-1 dimensions has the standard deviation
sqrt(2 (d+1)) / t along each: the two are a little wider and narrower. All of it is fixed (`scenarios`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers
from privior.forecasting.error_laws import error_law, squared_error
from privior.forecasting.expect import Expect
from privior.forecasting.listed import listed_errors
from privior.forecasting.one_cell import log_rising, widths
from privior.forecasting.scenarios import strata, tables
from privior.forecasting.table_errors import ErrorLaw, count_spread
from privior.forecasting.whole_tables import mean_errors
from privior.mechanisms import HellingerMechanism
from privior.mechanisms.hellinger.hellinger import distances
from privior.mechanisms.hellinger.hellinger_extremes import typical_table
from privior.privacy.hellinger import all_tables
from privior.special import expit, gammaln, logit

#: a squared error is summed over so many outputs, and over some of more
_MOST_SUMMED = 20_000
#: pairs of so many tables are all looked at
_ALL = 1500
#: two cells: tables are apart by this share of the distance at which weights fall by 1/e, if they are few
_FINE = 0.35
#: scenarios of the truth: so many, or fewer that have so many cells together; a few at least
_SCENARIOS, _CELLS, _FEW = 96, 384, 6
#: outputs of each proposal for each truth, of many cells, and for one truth alone
_OUTPUTS, _FEWER, _MANY = 48, 16, 2048
#: widths of the near proposals, as shares of the standard deviation, and the widest: beyond it H is nearly 1
_WIDTHS, _WIDEST = (1.3, 0.5), 1.5
#: in larger tables next to none of all tables are near
_MOST_NEAR = 128
_EDGE = 1e-12


@dataclass(frozen=True)
class ListedLaw:
    """Releases r given x, from which `infer` gives the posterior mean of x.

    Attributes:
        temperatures: t of each table
    """

    temperatures: Callable[[Integers], Floats]

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and the expected variance of the counts, all cells together."""
        some = all_tables(records, prior.size)
        rates = self.temperatures(some)
        if len(some) > _ALL and prior.size == 2:
            # one step of a root is 2 sqrt(x) records, and H is sqrt(1/8) of the records over sqrt(x)
            step = _FINE * math.sqrt(2 / records) / float(np.max(rates))
            turns = np.arange(0, math.pi / 2, max(step, math.pi / 2 / _ALL))
            first = np.unique(np.append(np.round(records * np.sin(turns) ** 2), records))
            kept, volumes = first.astype(np.intp), widths(first)
        elif len(some) > _ALL:  # those that are likely as they are, and some of the others
            order = np.argsort(-log_rising(some.astype(np.float64), prior).sum(axis=1), kind="stable")
            likely, others = order[: _ALL // 3], np.sort(order[_ALL // 3 :])
            spaced = others[np.linspace(0, others.size - 1, _ALL - likely.size).astype(np.intp)]
            kept = np.append(likely, spaced)
            volumes = np.repeat([1.0, others.size / spaced.size], [likely.size, spaced.size])
        else:
            kept, volumes = np.arange(len(some)), np.ones(len(some))
        some, rates = some[kept], rates[kept]
        halves = gammaln(prior[:, None] + np.arange(2 * records + 1) / 2)
        overlap = sum(known[cell[:, None] + cell] for known, cell in zip(halves, some.T, strict=True))
        own = np.diag(overlap) / 2
        far = np.sqrt(-np.expm1(np.minimum(overlap - own[:, None] - own, 0.0)))
        weights = -rates[:, None] * far
        logs = weights - np.log(np.exp(weights) @ volumes)[:, None]
        return listed_errors(some, volumes, logs, volumes, prior, expect)


@dataclass(frozen=True)
class SampledLaw:
    """Releases r given x with a chance proportional to e^(-t(x) H(x, r)), and takes r for x.

    Attributes:
        temperatures: t of each table
    """

    temperatures: Callable[[Integers], Floats]

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors, and about the variance of the counts if the noise were accounted for.

        The latter is that of the best estimate that is linear in r.
        """
        size = max(_FEW, min(_SCENARIOS, _CELLS // prior.size))
        truths = tables(tuple(prior.tolist()), records, expect, size).astype(np.int64)
        outputs, chances = self._outputs(truths, prior, _OUTPUTS if prior.size <= _MOST_NEAR else _FEWER)
        guesses = outputs.reshape(-1, prior.size).astype(np.float64)
        true = np.repeat(truths.astype(np.float64), outputs.shape[1], axis=0)
        errors = mean_errors(true, guesses, chances.ravel() / size, prior).sum(axis=1)
        missed = float(errors[0]) * records**2
        spread = count_spread(prior, records)
        return errors, spread * missed / max(spread + missed, 1e-300)

    def squared_error(self, counts: Integers, prior: Floats) -> float:
        """Return E|r - x|^2 for one table x."""
        outputs, chances = self._outputs(
            counts[None, :], prior, max(_FEWER, min(_MANY, _MANY * 8 // prior.size))
        )
        return float((chances * ((outputs - counts) ** 2.0).sum(axis=2)).sum())

    def _outputs(self, truths: Integers, prior: Floats, number: int) -> tuple[Integers, Floats]:
        """Return outputs for each truth, as (truths, outputs, cells), and their chances given the truth."""
        size, cells = truths.shape
        records = int(truths[0].sum())
        rates = self.temperatures(truths)
        anywhere = tables((1.0,) * cells, records, Expect.TYPICAL, size * number)
        outputs, near = anywhere.reshape(size, number, cells), []
        if cells <= _MOST_NEAR:
            deviation = math.sqrt(2 * cells) / rates
            near = [_Near(truths, prior, np.minimum(width * deviation, _WIDEST)) for width in _WIDTHS]
            for place, one in enumerate(near):
                places = strata(size * number, cells - 1, first=2 * cells + place * (cells - 1))
                some = one.tables(places.reshape(size, number, cells - 1), records)
                outputs = np.append(outputs, some, axis=1)
        everywhere = float(gammaln(records + 1) + gammaln(cells) - gammaln(records + cells))
        proposed = np.full(outputs.shape[:2], everywhere)
        for one in near:
            proposed = np.logaddexp(proposed, one.log_chances(outputs, records))
        whole = outputs.astype(np.int64)
        logs = -rates[:, None] * distances(truths[:, None, :], whole, prior) - proposed
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return whole, weights / weights.sum(axis=1, keepdims=True)


class _Near:
    """Tables near some, cell after cell: a rounded logistic law of each count given what is left.

    The roots of the parameters have the given standard deviation.
    """

    def __init__(self, truths: Integers, prior: Floats, deviation: Floats) -> None:
        used = truths + prior
        self.counts = truths.astype(np.float64)
        self.shares = used / np.cumsum(used[:, ::-1], axis=1)[:, ::-1]
        spread = 2 * deviation[:, None] * np.sqrt(used * (1 - self.shares))
        self.scales = np.maximum(spread * math.sqrt(3) / math.pi, _EDGE)

    def tables(self, places: Floats, records: int) -> Floats:
        """Return tables at places of the unit cube, as (tables, number, cells)."""
        left = np.full(places.shape[:2], float(records))
        found = np.empty((*places.shape[:2], places.shape[2] + 1))
        for cell in range(places.shape[2]):
            centre, scale = self._centre(cell, left)
            low, high = expit((-0.5 - centre) / scale), expit((left + 0.5 - centre) / scale)
            share = np.clip(low + places[:, :, cell] * (high - low), 1e-300, 1 - 1e-16)
            found[:, :, cell] = np.clip(np.round(centre + scale * logit(share)), 0.0, left)
            left = left - found[:, :, cell]
        found[:, :, -1] = left
        return found

    def log_chances(self, outputs: Floats, records: int) -> Floats:
        """Return the log chance of each of these tables, as (tables, number)."""
        left = np.full(outputs.shape[:2], float(records))
        logs = np.zeros(outputs.shape[:2])
        for cell in range(outputs.shape[2] - 1):
            centre, scale = self._centre(cell, left)
            count = outputs[:, :, cell]
            logs += _log_between((count - 0.5 - centre) / scale, (count + 0.5 - centre) / scale)
            logs -= _log_between((-0.5 - centre) / scale, (left + 0.5 - centre) / scale)
            left = left - count
        return logs

    def _centre(self, cell: int, left: Floats) -> tuple[Floats, Floats]:
        """Return where the count of a cell is looked for, and how near, if so many records are left."""
        expected = self.counts[:, cell:].sum(axis=1)[:, None]
        centre = self.counts[:, cell, None] + (left - expected) * self.shares[:, cell, None]
        return np.clip(centre, 0.0, left), self.scales[:, cell, None]


def _log_between(low: Floats, high: Floats) -> Floats:
    """Return the log chance that a standard logistic number is between these, in either tail."""
    above = low + high > 0
    low, high = np.where(above, -high, low), np.where(above, -low, high)
    gap = high + np.log(-np.expm1(low - high))
    return np.asarray(gap - np.logaddexp(0.0, low) - np.logaddexp(0.0, high))


@error_law.register(HellingerMechanism)
def _(mechanism: HellingerMechanism) -> ErrorLaw:
    """That of the posterior mean, or where `infer` gives none of the released table itself."""
    return ListedLaw(mechanism.temperatures) if mechanism.listable else SampledLaw(mechanism.temperatures)


@squared_error.register(HellingerMechanism)
def _(mechanism: HellingerMechanism) -> float:
    """That of a table which is typical of the prior."""
    alpha = np.array([float(one) for one in mechanism.parameters])
    typical = typical_table(alpha, mechanism.records)
    if mechanism.outputs > _MOST_SUMMED:
        return SampledLaw(mechanism.temperatures).squared_error(typical, alpha)
    tables = all_tables(mechanism.records, mechanism.cells)
    weights = np.exp(-mechanism.temperatures(typical[None, :]) * distances(typical, tables, alpha))
    return float(weights @ ((tables - typical) ** 2).sum(axis=1) / weights.sum())
