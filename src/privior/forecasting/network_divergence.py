"""The divergence of a learned network from the true one, from public facts alone.

    KL(true || learned)  =  sum over nodes v, levels u of v's parents of  P(u) KL(row of v given u)

averaged over typical tables (`typical_tables`). Of a row of n records and k levels of chances p, each count
with noise of variance s, the count of a level varies by v = n p (1 - p) + s ((1 - p)^2 + (k - 1) p^2). A
level whose chance is large beside that adds v / (2 n^2 p); one that drowns is expected to have about as
many records as the noise may hide, and adds that share, 0.35 sqrt(v + 1) / n (0.35 was found with the true
tables of asia, child and alarm, at epsilon 0.1 to 10: this alone forecasts each within a quarter). In
between both are joined by fourth powers. A row is never farther off than before the release; where rows of a
table resemble each other, that is how far they lie from what they are about, and how far that is off, which
all rows tell together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.forecasting.typical_tables import TypicalTable, typical_tables
from privior.models import Network
from privior.schema import Schema
from privior.special import psi

#: the share of the noise's deviation that a level which drowns is expected to have
_HIDDEN = 0.35
_TINY = 1e-70


@dataclass(frozen=True, eq=False)
class NetworkDivergence:
    """The expected divergence of a network, for any noise of its tables.

    Attributes:
        model: with its prior
        schema: the public facts of its columns
        expect: what the truth is expected to look like
    """

    model: Network
    schema: Schema
    expect: Expect

    @cached_property
    def _tables(self) -> list[TypicalTable]:
        found = typical_tables(self.model, self.schema, self.expect)
        return [found[node] for node in self.model.columns]

    @cached_property
    def _before(self) -> list[Floats]:
        """The expected divergence of each row from the mean of the prior, or from what rows are about."""
        return [prior_divergence(one.weights) for one in self._tables]

    def of_tables(self, records: float, noises: Sequence[float] | Floats) -> Floats:
        """Return what each table adds to the divergence, given the variance of the noise of its counts."""
        found = []
        for one, before, noise in zip(self._tables, self._before, noises, strict=True):
            open_ = before
            if one.alike is not None:
                even = prior_divergence(np.ones((1, 1, one.alike.shape[-1])))
                open_ = before + row_divergence(
                    np.full((1, 1), records), one.alike, noise * one.shares.shape[1], even
                )
            left = row_divergence(records * one.shares, one.chances, noise, open_)
            found.append(float((one.shares * left).sum(axis=1).mean()))
        return np.array(found)

    def __call__(self, records: float, noises: Sequence[float] | Floats) -> float:
        """Return the expected divergence, in nats."""
        return float(self.of_tables(records, noises).sum())


def prior_divergence(weights: Floats) -> Floats:
    """Return the expected divergence of rows of Dirichlet laws from the laws' means."""
    whole = weights.sum(axis=-1, keepdims=True)
    mean = weights / whole
    return np.asarray((mean * (psi(weights + 1) - psi(whole + 1) - np.log(mean))).sum(axis=-1))


def count_variance(number: Floats, chances: Floats, noise: float, levels: int) -> Floats:
    """Return how much counts of some levels vary, as far as they tell of the chances of a row of so many."""
    spread = noise * ((1 - chances) ** 2 + (levels - 1) * chances**2)
    return np.asarray(number * chances * (1 - chances) + spread)


def row_divergence(number: Floats, chances: Floats, noise: float, before: Floats) -> Floats:
    """Return the expected divergence of rows of so many records, never more than before the release."""
    variance = count_variance(number[..., np.newaxis], chances, noise, chances.shape[-1])
    among = np.maximum(number, _TINY)[..., np.newaxis]
    told = 2 * among * (among * np.maximum(chances, _TINY) / np.maximum(variance, _TINY))
    hidden = among / (_HIDDEN * np.sqrt(variance + 1))
    each = 1 / np.maximum(np.hypot(told**2, hidden**2) ** 0.5, _TINY)
    return np.asarray(1 / (1 / np.maximum(each.sum(axis=-1), _TINY) + 1 / np.maximum(before, _TINY)))
