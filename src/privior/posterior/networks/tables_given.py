"""What releases say of the tables of a network: all together, or each taken by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.networks.known_tables import KnownTables
from privior.posterior.networks.network_draws import check_draws, each_drawn
from privior.posterior.networks.one_table import OneTable
from privior.posterior.networks.tables_together import tables_together
from privior.posterior.progress import told
from privior.posterior.tables.counts_given import check_single, total_of
from privior.release import Release

_LEARNED_NOISE = "Give a number, such as prior=1."


@final
@kept
@dataclass(frozen=True, eq=False)
class ApartTables(KnownTables):
    """Tables of which each was inferred by itself: what they say of each other is not used.

    Attributes:
        each: the tables, in the order of the nodes
        reason: why they were not inferred together, in words
    """

    each: tuple[OneTable, ...]
    reason: str = ""

    def counts(self, place: int) -> LatentCounts:
        """Return the counts of one table, from its own noise alone."""
        return self.each[place].counts

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw all tables, each by itself."""
        return np.concatenate([one.rows(number, rng) for one in self.each], axis=1)

    def mean(self, place: int) -> None:
        """Return nothing: draws tell it."""

    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return the share of the variance that the noise of this table has."""
        return self.each[place].noise_share(number, rng)

    @property
    def total(self) -> None:
        """Nothing: each table says another one."""

    def learned(self, place: int) -> bool:
        """Each table says so by itself."""
        return self.each[place].learned is not None

    @property
    def how(self) -> str:
        """How many were summed, and why they are apart."""
        exact = sum(one.counts.exact or one.learned is not None for one in self.each)
        said = f"each table by itself, {exact} of {len(self.each)} summed over all counts"
        return f"{said} ({self.reason})" if self.reason else said

    @property
    def together(self) -> bool:
        """Say that tables are inferred each by itself."""
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
    drawn = check_draws(releases, model, ignore_noise=ignore_noise)
    if ignore_noise:
        return ApartTables(_each_given(releases, model, ignore_noise=True))
    tree = JunctionTree.of(model, releases[0].plan.schema)
    if not tree.together:
        reason = (
            f"inferring them together would take tables of {tree.cells} cells, the largest of "
            f"{max(tree.sizes)}: more than {MOST_TOGETHER} or {LARGEST_CLIQUE}"
        )
        if drawn:
            return ApartTables(each_drawn(releases, model), reason)
        return tables_apart(releases, model, reason)
    return tables_together(joint_evidence(releases, model, total_of(releases)), tell)


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
