"""The divergence of a learned network from the true one, from public facts alone.

    KL(true || learned)  =  sum over nodes v, levels u of v's parents of  P(u) KL(row of v given u)

A row of k levels that n records have, each count with noise of variance s, is known about as well as one of
which m = n^2 / (n + 1.6 k s) records are known exactly: 1 for levels that are alike, more for others, whose
small chances noise hurts most (1.6 was found by simulation, for priors of 1/2 and 1). Its expected divergence
falls from that of the prior, K, to (k - 1) / (2 m), in between about as 1 / (1/K + 2 m / (k - 1)).

How many records a row has depends on how even the true chances of its parents' levels are. Typical of a prior
are rows of Dirichlet laws: sorted levels of a root have about the shares of quantiles of the Gamma law; a
node below it is a mixture of rows, the more of them, the more even; parents are taken as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.models import Network
from privior.schema import Schema
from privior.special import gammaincinv, psi

#: by how much noise hurts more where the levels of a row are not alike
_UNLIKE = 1.6


@dataclass(frozen=True, eq=False)
class NetworkDivergence:
    """The expected divergence of a network, for any noise of its tables.

    Attributes:
        model: with its prior; tables whose prior is learned are taken as typical of 1
        schema: the public facts of its columns
        expect: what the truth is expected to look like
    """

    model: Network
    schema: Schema
    expect: Expect

    @cached_property
    def _priors(self) -> dict[str, Floats]:
        """The parameters of each row of each table."""
        found = {}
        for node, said in zip(self.model.columns, self.model.parameters(self.schema), strict=True):
            *above, levels = self.model.shape(node, self.schema)
            rows = int(np.prod(above, dtype=int))
            found[node] = np.ones((rows, levels)) if said is None else said.reshape(rows, levels)
        return found

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        """The expected share of the records of each row of each table."""
        if self.expect is not Expect.TYPICAL:
            return {
                node: self.expect.shares(prior.ravel()).reshape(prior.shape).sum(axis=1)
                for node, prior in self._priors.items()
            }
        levels: dict[str, Floats] = {}
        rows: dict[str, Floats] = {}
        for node in self.model.order:
            shares = np.ones(1)
            for name in self.model.parents[node]:
                shares = np.multiply.outer(shares, levels[name]).ravel()
            prior = self._priors[node]
            mixed = prior.mean(axis=0) / (shares**2).sum()
            middle = (np.arange(prior.shape[1]) + 0.5) / prior.shape[1]
            spread = np.maximum(gammaincinv(mixed, middle), 1e-300)
            levels[node], rows[node] = spread / spread.sum(), shares
        return rows

    @cached_property
    def _before(self) -> dict[str, Floats]:
        """The expected divergence of each row if the prior's mean is taken for it."""
        found = {}
        for node, prior in self._priors.items():
            whole = prior.sum(axis=1, keepdims=True)
            mean = prior / whole
            found[node] = (mean * (psi(prior + 1) - psi(whole + 1) - np.log(mean))).sum(axis=1)
        return found

    def of_tables(self, records: float, noises: Sequence[float] | Floats) -> Floats:
        """Return what each table adds to the divergence, given the variance of the noise of its counts."""
        found = []
        for node, noise in zip(self.model.columns, noises, strict=True):
            shares, before, levels = self._rows[node], self._before[node], self._priors[node].shape[1]
            number = records * shares
            known = number**2 / (number + _UNLIKE * levels * noise) if records else np.zeros(shares.size)
            left = before / (1 + 2 * known * before / (levels - 1))
            found.append(float(shares @ left))
        return np.array(found)

    def __call__(self, records: float, noises: Sequence[float] | Floats) -> float:
        """Return the expected divergence, in nats."""
        return float(self.of_tables(records, noises).sum())
