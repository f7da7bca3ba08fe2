"""Looks at a table: the drawn counts beside the prior, wherever the prior moves what was released.

Where noise hides counts, the prior decides what they are taken for, and their sum may be wrong by less than
the noise and yet by more than its interval is wide. If the prior is right, draws of the counts come from it.
So two things are compared with it: the share of each group of records, which is a Beta law, and the number of
cells so small that noise hides them. Every prior is somewhat wrong; that is no harm where it moves nothing:
groups whose sum it moves by less than half its own standard deviation are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.conflict import Look
from privior.posterior.tables.groups import Groups
from privior.special import betainc, betaln, gammaln, rel_entr

#: what counts as small, in standard deviations of the noise
_SMALL = (0.5, 1.0, 2.0, 4.0)
#: sums must be moved by so many of their own standard deviations to be looked at
_MATTERS = 0.5
#: more values than this are not summed to find the chance of a small cell
_MOST_VALUES = 4_000_000


def prior_looks(
    observed: Floats, stddev: float, tables: Integers, prior: Floats, groups: Groups, rng: np.random.Generator
) -> Iterator[Look]:
    """Compare draws of the true counts with the prior.

    Args:
        observed: the noisy counts; of several releases their average
        stddev: of the noise of one cell
        tables: draws of the true counts, one a row
        prior: the Dirichlet parameter of each cell
        groups: of cells
        rng: for shares, given counts
    """
    yield from _shares(observed, tables, prior, groups, rng)
    yield from _small_cells(observed, stddev, tables, prior)


def _shares(
    observed: Floats, tables: Integers, prior: Floats, groups: Groups, rng: np.random.Generator
) -> Iterator[Look]:
    """Look at the share of each group: Beta(a, A - a) a priori, where a sums the parameters of its cells."""
    sums, parameters = groups.sums(tables), groups.sums(prior[np.newaxis])[0]
    totals, whole = tables.sum(axis=1), float(prior.sum())
    seen = groups.sums(observed[np.newaxis])[0]
    for name, first, counts, noisy in zip(groups.names, parameters, sums.T, seen, strict=True):
        chances = np.ones(len(tables))
        if whole > first and _moved(counts, noisy):
            drawn = rng.beta(first + counts, whole - first + totals - counts)
            below = betainc(first, whole - first, drawn), betainc(whole - first, first, 1 - drawn)
            chances = np.minimum(1.0, 2 * np.minimum(*below))
        yield Look(f"the share of {name}", chances)


def _small_cells(observed: Floats, stddev: float, tables: Integers, prior: Floats) -> Iterator[Look]:
    """Look at the number of cells with at most t records.

    A priori it is a sum of events that are negatively associated (a Dirichlet-multinomial law): for k cells
    of mean chance p a share s is passed with probability exp(-k KL(s, p)) at most, on either side (Chernoff).
    """
    totals, where = np.unique(tables.sum(axis=1), return_inverse=True)
    for times in _SMALL:
        most = int(times * stddev)
        if most >= totals[0] or (most + 1) * totals.size > _MOST_VALUES:
            continue
        chances, small = np.ones(len(tables)), tables.mean(axis=0) <= most
        if _moved(tables[:, small].sum(axis=1), observed[small].sum()):
            expected = np.array([_mean_chance(most, int(total), prior) for total in totals])[where]
            shares = (tables <= most).mean(axis=1)
            chances = np.minimum(1.0, 2 * np.exp(-prior.size * _divergence(shares, expected)))
        yield Look(f"the number of cells with at most {most} records", chances)


def _moved(sums: Integers, observed: float) -> bool:
    """Say whether draws of a sum are moved from what was released by as much as matters."""
    return bool(abs(float(observed) - float(sums.mean())) > _MATTERS * float(sums.std()))


def _mean_chance(most: int, total: int, prior: Floats) -> float:
    """Return the chance of at most so many of `total` records in a cell, averaged over the cells."""
    kinds, cells = np.unique(prior, return_counts=True)
    counts = np.arange(most + 1, dtype=np.float64)
    ways = gammaln(total + 1) - gammaln(counts + 1) - gammaln(total - counts + 1)
    sums = []
    for one, other in zip(kinds, prior.sum() - kinds, strict=True):
        logs = ways + betaln(counts + one, total - counts + other) - betaln(one, other)
        sums.append(min(1.0, float(np.exp(logs).sum())))
    return float(np.array(sums) @ cells / prior.size)


def _divergence(shares: Floats, chances: Floats) -> Floats:
    """Return the Kullback-Leibler divergence between coins of these chances."""
    return np.asarray(rel_entr(shares, chances) + rel_entr(1 - shares, 1 - chances))
