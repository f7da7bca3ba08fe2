"""By how much the log loss of a column that is told from all others is above that of the true tables.

Records of typical networks are laid out, always the same ones. An entry p of a row of n records, told by a
release with variance v of its count (`network_divergence`), is seen at p plus normal noise of variance (v +
1) / n^2. With what the prior knows, its mean and variance taken for those of a normal law too, it is a
normal number that is not negative, of known mean and variance; its logarithm is taken as normal with those
of a lognormal number. Logarithms of entries add up. What is predicted is the average over draws of these
sums, as predictions are; the divergence of that from what the true tables say is averaged over the records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from privior.arrays import Floats, Integers
from privior.forecasting.expect import Expect
from privior.forecasting.network_divergence import count_variance
from privior.forecasting.scenarios import strata
from privior.forecasting.typical_tables import TypicalTable, typical_tables
from privior.models import Network
from privior.schema import Schema
from privior.special import log_ndtr, ndtri

#: networks, records of each and draws from the posterior of each, at most
_NETWORKS, _RECORDS, _DRAWS = 200, 20, 16
_TINY = 1e-12
#: noise does not carry an entry farther below 0 than so many deviations
_FAR = 6.0


@dataclass(frozen=True, eq=False)
class _Entries:
    """The entries that a table has for each record and each level of the column, and what is known of them.

    Attributes:
        place: of the table
        shares: of the records, in the entry's row
        chances: the entries
        levels: how many there are in its row
        mean, open_: mean and variance of the entry before the release
        normal: the noise, in units of its deviation
    """

    place: int
    shares: Floats
    chances: Floats
    levels: int
    mean: Floats
    open_: Floats
    normal: Floats

    def learned(self, records: float, noise: float) -> tuple[Floats, Floats]:
        """Return mean and variance of what is learned of the logarithms."""
        seen, variance = self.mean, self.open_
        if records:
            number = np.maximum(records * self.shares, _TINY)
            among = count_variance(number, self.chances, noise, self.levels) + 1
            told = among / number**2
            part = self.open_ / (self.open_ + told)
            seen = self.mean + part * (self.chances + np.sqrt(told) * self.normal - self.mean)
            variance = part * told
        deviation = np.maximum(np.sqrt(variance), _TINY)
        far = np.maximum(seen / deviation, -_FAR)
        lifted = np.exp(-(far**2) / 2 - log_ndtr(far)) / math.sqrt(2 * math.pi)
        mean = np.maximum(deviation * (far + lifted), _TINY)
        spread = np.log1p(np.maximum(variance * (1 - lifted * (far + lifted)), 0) / mean**2)
        return np.log(mean) - spread / 2, spread


@lru_cache(maxsize=4)
def class_loss(model: Network, schema: Schema, expect: Expect, target: str) -> ClassLoss:
    """Return what is the same for any noise, once."""
    return ClassLoss(model, schema, expect, target)


@dataclass(frozen=True, eq=False)
class ClassLoss:
    """The expected loss above that of the true tables, for any noise of the tables.

    Attributes:
        model: with its prior
        schema: the public facts of its columns
        expect: what the truth is expected to look like
        target: the column that is told from all others
    """

    model: Network
    schema: Schema
    expect: Expect
    target: str

    @cached_property
    def _tables(self) -> Mapping[str, TypicalTable]:
        return typical_tables(self.model, self.schema, self.expect)

    @cached_property
    def _networks(self) -> int:
        return min(len(self._tables[self.target].shares), _NETWORKS)

    @cached_property
    def _records(self) -> dict[str, Integers]:
        """Records of each network, as codes."""
        number, found = _RECORDS * _NETWORKS // self._networks, dict[str, Integers]()
        networks = np.arange(self._networks)[:, np.newaxis]
        for place, node in enumerate(self.model.order):
            points = strata(self._networks * number, 1, place).reshape(self._networks, number, 1)
            rows = np.broadcast_to(self._row(node, found), (self._networks, number))
            below = np.cumsum(self._tables[node].chances[networks, rows], axis=-1)[..., :-1]
            found[node] = (points > below).sum(axis=-1)
        return found

    def _row(self, node: str, codes: Mapping[str, Integers]) -> Integers:
        """Return the row of a node's table that records are in."""
        found = np.zeros((1, 1), dtype=np.int64)
        for name in self.model.parents[node]:
            found = found * self.schema.column(name).size + codes[name]
        return np.asarray(found)

    @cached_property
    def _entries(self) -> list[_Entries]:
        """The entries of the tables in which the column stands, for each of its levels."""
        codes = {name: one[..., np.newaxis] for name, one in self._records.items()}
        codes[self.target] = np.arange(self.schema.column(self.target).size)[np.newaxis, np.newaxis]
        networks, found = np.arange(self._networks)[:, np.newaxis, np.newaxis], list[_Entries]()
        for place, node in enumerate(self.model.columns):
            if node != self.target and self.target not in self.model.parents[node]:
                continue
            one = self._tables[node]
            rows, which = np.broadcast_arrays(self._row(node, codes), codes[node])
            weights = np.broadcast_to(one.weights, one.chances.shape)[networks, rows]
            whole = weights.sum(axis=-1)
            mean = _at(weights, which) / whole
            normal = _normal(mean.shape, len(self.model.columns) + place * mean.shape[-1])
            chances = _at(one.chances[networks, rows], which)
            shares, levels = one.shares[networks, rows], one.chances.shape[-1]
            found.append(
                _Entries(place, shares, chances, levels, mean, mean * (1 - mean) / (whole + 1), normal)
            )
        return found

    @cached_property
    def _true(self) -> Floats:
        """What the true tables say."""
        return _softmax(sum((np.log(np.maximum(one.chances, _TINY)) for one in self._entries), np.zeros(1)))

    @cached_property
    def _draws(self) -> Floats:
        """What draws from the posterior are off by, in units of its deviation."""
        *records, levels = self._true.shape
        used = len(self.model.columns) * (1 + levels)
        return np.moveaxis(_normal((*records, levels * _DRAWS), used).reshape(*records, levels, -1), -1, 0)

    def __call__(self, records: float, noises: Sequence[float] | Floats) -> float:
        """Return the expected loss above that of the true tables, in nats."""
        each = [one.learned(records, float(noises[one.place])) for one in self._entries]
        mean, spread = (sum(parts, np.zeros(1)) for parts in zip(*each, strict=True))
        said = _softmax(mean + np.sqrt(spread) * self._draws).mean(axis=0)
        logs = np.log(np.maximum(self._true, _TINY)) - np.log(np.maximum(said, _TINY))
        return float((self._true * logs).sum(axis=-1).mean())


def _normal(shape: tuple[int, ...], used: int) -> Floats:
    """Return normal numbers, one for each record and dimension."""
    return np.asarray(ndtri(strata(math.prod(shape[:-1]), shape[-1], used)).reshape(shape))


def _at(rows: Floats, which: Integers) -> Floats:
    """Return one number of each row."""
    return np.asarray(np.take_along_axis(rows, which[..., np.newaxis], axis=-1)[..., 0])


def _softmax(logs: Floats) -> Floats:
    found = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True))
