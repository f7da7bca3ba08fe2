"""What releases say of the tables of a network: all together, or each taken by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.models import ExchangeablePrior, JunctionTree, Network
from privior.models.junction_tree import LARGEST_CLIQUE, MOST_TOGETHER
from privior.posterior.counts.certain import CertainCounts
from privior.posterior.counts.contract import LatentCounts, LearnedShape
from privior.posterior.counts.evidence import CellEvidence
from privior.posterior.counts.latent import latent_counts
from privior.posterior.counts.learned_counts import learned_counts
from privior.posterior.kept import kept
from privior.posterior.networks.class_sums import class_sums
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.networks.joint_sums import SummedTables, summable
from privior.posterior.networks.joint_tables import joint_tables
from privior.posterior.networks.known_tables import KnownTables
from privior.posterior.progress import told
from privior.posterior.tables.counts_given import check_single, total_of
from privior.posterior.tables.drawn import DrawnProbabilities, probabilities
from privior.posterior.tables.learned_probabilities import LearnedProbabilities
from privior.release import Release

_LEARNED_NOISE = "Give a number, such as prior=1."


@kept
@dataclass(frozen=True, eq=False)
class OneTable:
    """What is known of one table of counts, and of the rows of chances that follow from it.

    Attributes:
        counts: the posterior of the true counts
        prior: the Dirichlet parameter of each cell; 1 where it was learned instead
        levels: of the node: how many cells a row has
        learned: the same counts where the prior was learned with them; None elsewhere
    """

    counts: LatentCounts
    prior: Floats
    levels: int
    learned: LearnedShape | None

    @cached_property
    def _drawn(self) -> DrawnProbabilities:
        if self.learned is not None:
            return LearnedProbabilities(self.prior, self.learned)
        return DrawnProbabilities(self.prior, self.counts)

    def rows(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw the table's rows of chances, as (number, cells)."""
        logs = self._drawn.log_draws(number, rng).reshape(-1, self.levels)
        return probabilities(logs).reshape(number, -1)

    def noise_share(self, number: int, rng: np.random.Generator) -> float:
        """Return which part of the variance of the entries the privacy noise accounts for."""
        tables = self.counts.draws(number, rng)
        if self.learned is not None:
            weights = self.learned.expected_rates(tables).reshape(number, -1, self.levels)
        else:
            weights = (self.prior + tables).reshape(number, -1, self.levels)
        means = weights / weights.sum(axis=2, keepdims=True)
        noise = float(means.var(axis=0).sum())
        total = float(self.rows(number, rng).var(axis=0).sum())
        return min(1.0, noise / total) if total > 0 else 0.0


@dataclass(frozen=True, eq=False)
class TableByTable(KnownTables):
    """What is known of the tables, held for each of them by itself.

    Attributes:
        each: the tables, in the order of the nodes
    """

    each: tuple[OneTable, ...]

    def counts(self, place: int) -> LatentCounts:
        """Return those of the table."""
        return self.each[place].counts

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw table by table."""
        return np.concatenate([one.rows(number, rng) for one in self.each], axis=1)

    def mean(self, place: int) -> None:
        """Draws tell it."""

    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return that of the table."""
        return self.each[place].noise_share(number, rng)

    def learned(self, place: int) -> bool:
        """Each table says so by itself."""
        return self.each[place].learned is not None


@final
@kept
@dataclass(frozen=True, eq=False)
class ApartTables(TableByTable):
    """Tables of which each was inferred by itself: what they say of each other is not used.

    Attributes:
        reason: why they were not inferred together, in words
    """

    reason: str = ""

    @property
    def how(self) -> str:
        """How many were summed, and why they are apart."""
        exact = sum(one.counts.exact or one.learned is not None for one in self.each)
        said = f"each table by itself, {exact} of {len(self.each)} summed over all counts"
        return f"{said} ({self.reason})" if self.reason else said

    @property
    def together(self) -> bool:
        """They are not."""
        return False

    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Return what chains of single tables say."""
        said = ((node, one.counts.diagnostics.warning) for node, one in zip(nodes, self.each, strict=True))
        return tuple(f"table of {node}: {warning}" for node, warning in said if warning)


def tables_given(
    releases: Sequence[Release],
    model: Network,
    *,
    ignore_noise: bool,
    tell: Callable[[float], None] = told,
) -> KnownTables:
    """Infer all tables together, as those of one data set; each by itself where that takes too long.

    Args:
        releases: of the network
        model: with the prior that is used
        ignore_noise: whether noisy counts are taken as true ones
        tell: hears which part of the work is done
    """
    if ignore_noise:
        return ApartTables(_each_given(releases, model, ignore_noise=True))
    tree = JunctionTree.of(model, releases[0].plan.schema)
    if not tree.together:
        reason = (
            f"inferring them together would take tables of {tree.cells} cells, the largest of "
            f"{max(tree.sizes)}: more than {MOST_TOGETHER} or {LARGEST_CLIQUE}"
        )
        return tables_apart(releases, model, reason)
    evidence = joint_evidence(releases, model, total_of(releases))
    priors = model.parameters(releases[0].plan.schema)
    fixed = tuple(one for one in priors if one is not None)
    if len(fixed) == len(priors) and summable(evidence.layout, evidence.total):
        return SummedTables(evidence, fixed)
    summed = class_sums(evidence, fixed) if len(fixed) == len(priors) else None
    if summed is not None:
        return summed
    return joint_tables(evidence, model, tell=tell)


def tables_apart(releases: Sequence[Release], model: Network, reason: str = "") -> ApartTables:
    """Infer each table by itself, for this reason."""
    return ApartTables(_each_given(releases, model, ignore_noise=False), reason)


def _each_given(releases: Sequence[Release], model: Network, *, ignore_noise: bool) -> tuple[OneTable, ...]:
    """Infer the table of each node from the noisy counts of that table alone."""
    schema = releases[0].plan.schema
    sizes, total = model.sizes(schema), total_of(releases)
    if ignore_noise:
        check_single(releases)
    found = []
    parts = zip(model.columns, sizes, model.parameters(schema), evidence_of(releases, sizes), strict=True)
    for node, cells, prior, evidence in parts:
        counts: LatentCounts
        learned: LearnedShape | None = None
        if ignore_noise and prior is None:
            raise InferenceError(
                "a prior is learned from noisy counts with their noise", asked="ignore", advice=_LEARNED_NOISE
            )
        if prior is None:
            counts = learned = learned_counts(evidence, cells, ExchangeablePrior(), total)
        elif ignore_noise:
            counts = CertainCounts(np.maximum(evidence[0].observed, 0), prior)
        else:
            counts = latent_counts(evidence, prior, total)
        weights = np.ones(cells) if prior is None else prior
        found.append(OneTable(counts, weights, schema.column(node).size, learned))
    return tuple(found)


def evidence_of(releases: Sequence[Release], sizes: Sequence[int]) -> list[list[CellEvidence]]:
    """Return what the releases say of each table, of so many cells."""
    cuts = np.cumsum(sizes)[:-1]
    each = []
    for release in releases:
        terms = release.plan.mechanism.cell_terms(release.statistics, release.plan.records)
        if terms is None:
            raise InferenceError("this release has no noisy tables", asked=release.plan.mechanism.name)
        for one in terms:
            numbers = (one.observed, one.rates, one.curvatures, one.precisions)
            arrays = ([None] * len(sizes) if values is None else np.split(values, cuts) for values in numbers)
            each.append([CellEvidence(*some) for some in zip(*arrays, strict=True)])
    return [list(some) for some in zip(*each, strict=True)]
