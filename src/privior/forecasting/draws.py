"""The error of a release from a Dirichlet posterior, over scenarios: drawn proportions, or counts of records.

With u_i = a_i + r c_i, of N draws y of Dirichlet(u) the mean logs S_i are seen, of M records drawn from one
their counts m_i. Cell by cell a table of n records is as likely as

    e^(N r c_i S_i) / G(u_i)^N   or   G(u_i + m_i) / G(u_i),        G(.) = Gamma,

all of it times G(A + r n)^N or G(A + r n) / G(A + r n + M). How the draws are apart tells of every count, and
how the other cells split up tells as well, so cells are looked at together (`whole_tables`); of very many
each with all others as one, which is exact for one draw and a known total. Private totals are a few that
stand for all, each weighed by its own sum. All of it is fixed (`scenarios`): no draw, no seed, no data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from privior.arrays import Floats
from privior.forecasting.error_laws import error_law
from privior.forecasting.expect import Expect
from privior.forecasting.listed import listed_errors
from privior.forecasting.one_cell import log_rising
from privior.forecasting.scenarios import expected_tables, splits, strata
from privior.forecasting.table_errors import alike
from privior.forecasting.whole_tables import MOST_CELLS, Seen, mean_errors, means_given_total
from privior.mechanisms import DirichletDraw, PosteriorRelease, VirtualRecords
from privior.privacy.hellinger import all_tables, number_of_tables
from privior.special import digamma, gammaincinv, gammaln

#: bins in which a count is looked for, and about those of all cells and scenarios together
_BINS, _ALL_BINS = 256, 1 << 18
#: scenarios: so many, so few at least, and of few cells so many at least
_SCENARIOS, _FEW, _SOME = 400, 4, 48
#: private totals that stand for all, as shares of the largest
_POSSIBLE = (np.arange(6) + 0.5) / 6
#: of more draws so many are looked at, and the spread of their mean
_MOST_DRAWS = 12
#: logs of shares are never less
_LEAST_LOG = -700.0
#: so many tables, and counts of drawn records, are all listed
_MOST_LISTED = 600


@dataclass(frozen=True)
class DrawnLaw:
    """The law of a release from a posterior.

    Attributes:
        rate: the weight r of one record
        drawn: how many records are drawn, M; None for the proportions themselves
        draws: how many times
        least: the public minimum of the counts
        total_known: whether the total of the counts is public
    """

    rate: float
    drawn: int | None
    draws: int
    least: int
    total_known: bool

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and about the expected variance of the counts, all cells together."""
        shares = expect.shares(prior)
        if self.drawn is not None and self.total_known:
            most = max(number_of_tables(number, prior.size) for number in (records, self.drawn))
            if most <= _MOST_LISTED:
                return self._listed(self.drawn, prior, records, expect)
        if prior.size <= MOST_CELLS:
            order = np.argsort(shares, kind="stable")  # what is left for the last cell may be much
            found = self._by_cell(prior[order], shares[order], records, expect, _ALL_BINS).sum(axis=1)
        else:
            law = replace(self, total_known=True)  # all cells together tell much of it
            total, found, groups = float(prior.sum()), np.zeros(5), alike(prior, shares)
            for parameter, share, cells in groups:
                pair = np.array([parameter, total - parameter]), np.array([share, 1 - share])
                found += cells * law._by_cell(*pair, records, expect, _ALL_BINS // len(groups))[:, 0]
        return found[:4], float(found[4])

    def _listed(self, drawn: int, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Sum over all tables and all counts of drawn records."""
        tables, outputs = all_tables(records, prior.size), all_tables(drawn, prior.size)
        used = prior + self.rate * np.maximum(tables, self.least)
        likely = gammaln(used.sum(axis=1)) - gammaln(used).sum(axis=1) - gammaln(used.sum(axis=1) + drawn)
        logs = likely[:, None] - gammaln(outputs + 1).sum(axis=1)
        for cell, counts in zip(used.T, outputs.T, strict=True):
            logs += gammaln(cell[:, None] + counts)
        return listed_errors(tables, np.ones(len(tables)), logs, np.ones(len(outputs)), prior, expect)

    def _by_cell(self, prior: Floats, shares: Floats, records: int, expect: Expect, bins: int) -> Floats:
        """Return the errors of each cell and about the variance of its count, as (5, cells)."""
        totals = np.array([records]) if self.total_known else np.unique(np.ceil(records * _POSSIBLE))
        size = min(_SCENARIOS, bins // (prior.size * (128 if records <= 126 else _BINS))) // totals.size
        size = max(_FEW, min(_SOME, _SCENARIOS // prior.size), size)
        expected = None if expect is Expect.TYPICAL else tuple(shares.tolist())
        counts = expected_tables(tuple(prior.tolist()), records, expected, size)
        used = prior + self.rate * np.maximum(counts, self.least)
        seen = self._mean_logs(used) if self.drawn is None else self._records(used, self.drawn)
        each = [self.means_given_total(seen, prior, int(total)) for total in totals]
        log_weights = np.stack([one for _, one in each])
        chances = np.exp(log_weights - log_weights.max(axis=0))
        means = np.einsum("ts,tsc->sc", chances / chances.sum(axis=0), np.stack([mean for mean, _ in each]))
        errors = mean_errors(counts, means, np.full(size, 1 / size), prior)
        # what a draw and the prior leave open is p (1-p) times something, each of them
        total, whole = float(prior.sum()), means.sum(axis=1, keepdims=True)
        used, guess = self.rate * whole, means / whole
        known = (used / (used + total)) ** 2 / self.spread(used + total)
        known = known + (total + 1) * whole / (whole + total)
        return np.append(errors, [(records**2 * guess * (1 - guess) / known).mean(axis=0)], axis=0)

    def spread(self, whole: float | Floats) -> float | Floats:
        """Return the variance of a released proportion p over p (1-p), if the parameters add up to this."""
        if self.drawn is None:
            return 1 / (self.draws * (whole + 1))
        return (whole + self.drawn) / (self.drawn * (whole + 1))

    def _mean_logs(self, used: Floats) -> Floats:
        """Return the mean log of each proportion over draws with these parameters (scenario, cell)."""
        size, cells = used.shape
        looked_at = min(self.draws, _MOST_DRAWS)
        logs = np.empty((looked_at, size, cells))
        for draw in range(looked_at):
            place = strata(size, cells, first=(2 + draw) * cells)
            small = (np.log(place) + gammaln(used + 1)) / used  # of a parameter near 0
            drawn = gammaincinv(used, place)
            gammas = np.where(drawn > 1e-200, np.log(np.maximum(drawn, 1e-200)), small)
            logs[draw] = gammas - np.logaddexp.reduce(gammas, axis=1, keepdims=True)
        expected = digamma(used) - digamma(used.sum(axis=1, keepdims=True))
        mean = expected + (logs.mean(axis=0) - expected) * math.sqrt(looked_at / self.draws)
        return np.asarray(np.clip(mean, _LEAST_LOG, -1e-300))

    def _records(self, used: Floats, drawn: int) -> Floats:
        """Return counts of records drawn with these parameters (scenario, cell)."""
        places = strata(len(used), 2 * used.shape[1], first=2 * used.shape[1])
        return splits(drawn, used, None, places)

    def means_given_total(self, seen: Floats, prior: Floats, records: int) -> tuple[Floats, Floats]:
        """Return posterior means given a total, and the log weight of that total, in every scenario."""
        whole = float(prior.sum()) + self.rate * records
        # over tables of one total a tilt changes nothing, but it puts every cell where it is likely
        tilt = float(digamma(whole) - (digamma(whole + self.drawn) if self.drawn else 0.0))
        weight = self.draws * float(gammaln(whole) - (gammaln(whole + self.drawn) if self.drawn else 0.0))
        weight -= self.draws * self.rate * records * tilt + float(
            log_rising(np.array(1.0 * records), float(prior.sum()))
        )
        share = (seen + 0.5) / (self.drawn + 1) if self.drawn else (np.exp(seen + tilt) + 0.5) / whole
        share = np.clip(share, 1e-9, 1 - 1e-9)
        variance = share * (1 - share) * self.spread(whole) * (whole / self.rate) ** 2

        def likely(counts: Floats, alpha: Floats, seen: Floats) -> Floats:
            raised = self.rate * np.maximum(counts, self.least)
            if self.drawn:
                return np.asarray(gammaln(alpha + raised + seen) - gammaln(alpha + raised) + tilt * raised)
            return np.asarray(self.draws * ((seen + tilt) * raised - gammaln(alpha + raised)))

        centre = np.clip((share * whole - prior) / self.rate, 0, records)
        others = Seen(
            centre[:, :-1],
            variance[:, :-1],
            lambda counts: likely(counts, prior[:-1, None], seen[:, :-1, None]),
            128 if records <= 126 else _BINS,
            pulled=True,
        )
        last = partial(likely, alpha=prior[-1:], seen=seen[:, -1:])
        means, log_weights = means_given_total(others, prior, records, last)
        return means, log_weights + weight


@error_law.register(DirichletDraw)
def _(mechanism: DirichletDraw) -> DrawnLaw:
    return _drawn(mechanism, None, mechanism.draws)


@error_law.register(VirtualRecords)
def _(mechanism: VirtualRecords) -> DrawnLaw:
    return _drawn(mechanism, mechanism.drawn, 1)


def _drawn(mechanism: PosteriorRelease, drawn: int | None, draws: int) -> DrawnLaw:
    known = mechanism.sensitivity.total_fixed
    return DrawnLaw(float(mechanism.rate), drawn, draws, mechanism.least, known)
