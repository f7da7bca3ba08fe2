"""The error of a release from a Dirichlet posterior: drawn proportions, or counts of drawn records.

One cell is looked at, and all others as one: c of n records with parameters u = a + r c and w = A - a + r
(n-c), of which `infer` sees draws of Beta(u, w), or the count of M records drawn from one. The sums over
truth, draws and posterior are those of `cell_error`. How the others split up tells something of c if there
are several draws of proportions and not very many cells: those are looked at together (`tied_error`).

Where the total is private such a release says little of it: a typical one stands for all that are likely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.forecasting.one_cell import CountLaw, SeenCell, around
from privior.forecasting.expect import Expect
from privior.forecasting.table_errors import alike, divergences
from privior.forecasting.scenarios import strata, tables
from privior.forecasting.tied_error import TiedDraws

Floats = NDArray[np.float64]

#: scenarios of the draws for each truth; of more draws so many are looked at, and the spread of their mean
_SCENARIOS, _MOST_DRAWS = 24, 16
#: draws of proportions of more cells are looked at one by one
_MOST_TIED = 128
_LEAST_SHARE = 1e-300
#: private totals, as shares of the largest, and scenarios in which they are looked for
_POSSIBLE = (np.arange(40) + 0.5) / 40
_TOTALS, _CELLS = 128, 4096
#: the strength of a law that tells nothing, for one drawn record
_WEAK = 1e-6


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
        """Return the expected errors and the expected variance of the counts, all cells together."""
        if self.drawn is None and self.draws > 1 and prior.size <= _MOST_TIED:
            return TiedDraws(self.rate, self.draws, self.least, self.total_known).errors(
                prior, records, expect
            )
        total = float(prior.sum())
        size, known = (records, float(records)) if self.total_known else self._totals(prior, records, expect)
        errors, hidden = np.zeros(4), 0.0
        for parameter, share, cells in alike(prior, expect.shares(prior)):
            law = CountLaw(records, parameter, total - parameter)
            truth = law if expect is Expect.TYPICAL else CountLaw(records, share)
            cell = self._seen(truth, CountLaw(size, parameter, total - parameter))
            guesses, variance = cell.estimates(0.0)
            hidden += cells * variance * (records / size) ** 2
            gaps = divergences(cell.counts[:, None] / records, guesses / size, parameter, known, total)
            errors += cells * np.array([cell.expected(one) for one in gaps])
        return errors, hidden

    def spread(self, whole: float | Floats) -> Floats:
        """Return the variance of a released proportion p over p (1-p), if the parameters add up to this."""
        if self.drawn is None:
            return np.asarray(1 / (self.draws * (whole + 1)))
        return np.asarray((whole + self.drawn) / (self.drawn * (whole + 1)))

    def _totals(self, prior: Floats, records: int, expect: Expect) -> tuple[int, float]:
        """Return typical private totals as `infer` finds them: with each counted by its size, and as it is.

        All totals are as likely before. What was drawn has, given N, about the mean and the spread that a
        Dirichlet law of some strength has; how far several draws are apart tells of N by their parameters.
        """
        from scipy.special import gammaincinv, gammaln

        total, cells = float(prior.sum()), prior.size
        possible = np.maximum(records * _POSSIBLE, 1.0)
        whole = total + self.rate * possible
        spread = self.spread(whole)
        pulled = (1 - spread) * (self.rate * possible / whole) ** 2
        far = spread + pulled * (possible + total) / (possible * (total + 1))
        likely = prior / total * np.maximum(1 / far - 1, _WEAK)[:, None]
        size = min(_TOTALS, max(1, _CELLS // cells))
        counts = tables(tuple(prior.tolist()), records, expect, size)
        true = total + self.rate * records
        strength = max(float(1 / self.spread(true) - 1), _WEAK) / true
        drawn = gammaincinv((prior + self.rate * counts) * strength, strata(size, cells, first=2 * cells))
        drawn = np.maximum(drawn, _LEAST_SHARE)
        shares = np.maximum(drawn / drawn.sum(axis=1, keepdims=True), _LEAST_SHARE)
        if self.drawn is not None:
            shares = np.maximum(shares, 0.5 / self.drawn)
        logs = np.log(shares) @ (likely - 1).T + gammaln(likely.sum(axis=1)) - gammaln(likely).sum(axis=1)
        ratio = whole / true
        logs -= (self.draws - 1) * (cells - 1) / 2 * (ratio - 1 - np.log(ratio))
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean = float((chances @ possible).mean())
        by_size = float(((chances @ possible**2) / (chances @ possible)).mean())
        return max(1, round(by_size)), mean

    def _seen(self, truth: CountLaw, prior: CountLaw) -> SeenCell:
        """Look at a count with this law through draws, with this prior."""
        from scipy.special import betaln

        def parameters(counts: Floats, records: int) -> tuple[Floats, Floats]:
            raised, others = np.maximum(counts, self.least), np.maximum(records - counts, self.least)
            return prior.first + self.rate * raised, rest + self.rate * others

        rest = float(prior.second or 0.0)
        counts, chances = truth.summed()
        made = parameters(counts, truth.records)
        seen = _Counted.of(*made, self.drawn) if self.drawn else _Drawn.of(*made, self.draws)
        whole = prior.first + rest + self.rate * prior.records
        centre = (seen.share * whole - prior.first) / self.rate
        deviation = np.sqrt(seen.share * (1 - seen.share) * self.spread(whole)) * whole / self.rate

        def log_mass(places: Floats) -> Floats:
            u, w = parameters(places, prior.records)
            return np.asarray(seen.log_mass(u, w) - seen.draws * betaln(u, w))

        return SeenCell.through(
            counts, chances[:, None] * seen.chances, around(centre, deviation), prior, log_mass
        )


@dataclass(frozen=True, eq=False)
class _Counted:
    """Counts of M records from one draw.

    Attributes:
        counts: possible ones for each truth (truth, draw)
        chances: given the truth
        drawn: M
    """

    counts: Floats
    chances: Floats
    drawn: int
    draws: int = 1

    @staticmethod
    def of(first: Floats, second: Floats, drawn: int) -> _Counted:
        """List what Beta(first, second) gives, for each truth."""
        each = [CountLaw(drawn, u, w).summed() for u, w in zip(first.tolist(), second.tolist(), strict=True)]
        most = max(nodes.size for nodes, _ in each)
        counts, chances = np.zeros((len(each), most)), np.zeros((len(each), most))
        for row, (nodes, mass) in enumerate(each):
            counts[row, : nodes.size], chances[row, : nodes.size] = nodes, mass
        return _Counted(counts, chances, drawn)

    @property
    def share(self) -> Floats:
        """The proportion, never 0 or 1."""
        return np.asarray((self.counts + 0.5) / (self.drawn + 1))

    def log_mass(self, u: Floats, w: Floats) -> Floats:
        """Return the log likelihood of parameters but for the Beta function of them."""
        from scipy.special import betaln

        seen = self.counts[:, :, None]
        return np.asarray(betaln(u + seen, w + self.drawn - seen))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Independent draws of a proportion.

    Attributes:
        logs: the sum of the logs of the proportions (truth, scenario)
        others: that of the rest
        draws: how many
    """

    logs: Floats
    others: Floats
    draws: int

    @staticmethod
    def of(first: Floats, second: Floats, draws: int) -> _Drawn:
        """Take scenarios of Beta(first, second), for each truth, with the mean and the spread of many."""
        from scipy.special import betaincinv, digamma, polygamma

        looked_at = min(draws, _MOST_DRAWS)
        places = strata(_SCENARIOS, looked_at)
        u, w = first[:, None, None], second[:, None, None]
        logs = np.log(np.maximum(betaincinv(u, w, places), _LEAST_SHARE)).mean(axis=2)
        others = np.log(np.maximum(betaincinv(w, u, 1 - places), _LEAST_SHARE)).mean(axis=2)
        if draws > 1:
            both = first + second
            logs, others = (
                _with_moments(one, digamma(u) - digamma(both), (polygamma(1, u) - polygamma(1, both)) / draws)
                for one, u in ((logs, first), (others, second))
            )
        return _Drawn(draws * logs, draws * others, draws)

    @property
    def chances(self) -> Floats:
        """All scenarios are alike."""
        return np.full(self.logs.shape, 1 / self.logs.shape[1])

    @property
    def share(self) -> Floats:
        """The geometric mean of the proportions, against that of the rest."""
        return np.asarray(1 / (1 + np.exp(np.clip((self.others - self.logs) / self.draws, -30, 30))))

    def log_mass(self, u: Floats, w: Floats) -> Floats:
        """Return the log likelihood of parameters but for the Beta function of them."""
        return np.asarray(u * self.logs[:, :, None] + w * self.others[:, :, None])


def _with_moments(values: Floats, means: Floats, variances: Floats) -> Floats:
    """Move and stretch the values of each row so that they have this mean and variance."""
    apart = values - values.mean(axis=1, keepdims=True)
    stretch = np.sqrt(variances / np.maximum((apart**2).mean(axis=1), 1e-300))
    return np.asarray(np.minimum(means[:, None] + apart * stretch[:, None], 0.0))
