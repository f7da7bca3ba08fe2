"""What is known of all tables of a network together: stored data sets, and what follows from each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import Network
from privior.posterior.counts.chain_counts import ChainCounts
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.diagnostics import WORST_R_HAT, Diagnostics
from privior.posterior.kept import kept
from privior.posterior.networks.class_chains import ClassChains
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.known_tables import KnownTables
from privior.posterior.networks.network_chains import CHAINS
from privior.posterior.tables.drawn import probabilities

#: entries that a warning names
_NAMED = 5
#: data sets whose residuals are looked at
_LOOKED_AT = 200
#: chances below are as good as zero; of small priors many are tiny, and predictions compare them
_LEAST = 1e-300
#: rows of draws that are made at once, in numbers
_AT_ONCE = 4_000_000


@kept
@dataclass(frozen=True, eq=False)
class JointTables(KnownTables):
    """The posterior of all tables, from data sets that chains have visited.

    Attributes:
        states: the counts of all tables in each stored data set; those of one row agree where tables overlap
        weights: with each the Dirichlet parameters of all cells, which add to the counts
        priors_learned: of each node, whether they were
        entries: the expected entries of all tables
        r_hats: the split R-hat of each entry
        sizes: the number of cells of each table
        levels: of each node
        diagnostics: of the chains
        lost: whether the chains disagree about the number of records
    """

    states: Integers
    weights: Floats
    priors_learned: tuple[bool, ...]
    entries: Floats
    r_hats: Floats
    sizes: tuple[int, ...]
    levels: tuple[int, ...]
    diagnostics: Diagnostics
    lost: bool = False

    @cached_property
    def _places(self) -> list[slice]:
        ends = np.cumsum([0, *self.sizes]).tolist()
        return [slice(*ends[place : place + 2]) for place in range(len(self.sizes))]

    def counts(self, place: int) -> LatentCounts:
        """Return the counts of one table in every stored data set, as latent counts."""
        tables = self.states[:, self._places[place]]
        return ChainCounts(tables, tables.mean(axis=0), tables.std(axis=0), self.diagnostics)

    def _shapes(self, place: int, chosen: Integers | slice) -> Floats:
        """Return the Dirichlet parameters of a table given some of the stored data sets, row by row."""
        here, levels = self._places[place], self.levels[place]
        shapes = self.states[chosen, here] + self.weights[chosen, here]
        return np.asarray(shapes.reshape(-1, self.sizes[place] // levels, levels))

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw the entries given stored data sets, each of which is taken equally often."""
        many = len(self.states)
        chosen = np.concatenate([rng.permutation(many) for _ in range(-(-number // many))])[:number]
        found = np.empty((number, sum(self.sizes)))
        for place, here in enumerate(self._places):
            some = max(1, _AT_ONCE // self.sizes[place])
            for start in range(0, number, some):
                shapes = self._shapes(place, chosen[start : start + some])
                found[start : start + some, here] = dirichlet(shapes, rng).reshape(len(shapes), -1)
        return found

    def mean(self, place: int) -> Floats:
        """Return the expected entries, averaged over all sweeps."""
        return self.entries[self._places[place]]

    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return how much of the variance of entries is that of their means given a data set."""
        shapes = self._shapes(place, slice(None, None, max(1, len(self.states) // number)))
        whole = shapes.sum(axis=2, keepdims=True)
        means = shapes / whole
        noise, records = means.var(axis=0).sum(), (means * (1 - means) / (whole + 1)).mean(axis=0).sum()
        return float(noise / (noise + records)) if noise + records > 0 else 0.0

    @property
    def total(self) -> IntegerLaw:
        """The number of records of the stored data sets."""
        numbers = self.states[:, self._places[0]].sum(axis=1)
        low = int(numbers.min())
        return IntegerLaw(low, np.bincount(numbers - low) / numbers.size)

    def learned(self, place: int) -> bool:
        """Say whether a table has no fixed parameters."""
        return self.priors_learned[place]

    @property
    def how(self) -> str:
        """Say what the chains did."""
        said = self.diagnostics
        fit = "" if said.misfit is None else f", mean squared residual {said.misfit:.2f}"
        learned = any(map(self.learned, range(len(self.sizes))))
        law = ", priors sampled with the records: sums are for fixed ones" if learned else ""
        return f"all tables together, {said}, {100 * (said.acceptance or 0):.0f}% of moves accepted{fit}{law}"

    @property
    def together(self) -> bool:
        """Say that tables are inferred together, as margins of one data set."""
        return True

    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Name the entries about which chains disagree."""
        bad = np.flatnonzero(self.r_hats > WORST_R_HAT)
        lost = ("the chains disagree about the number of records: its law is rough",) * self.lost
        if not bad.size:
            return lost
        worst = bad[np.argsort(-self.r_hats[bad], kind="stable")]
        named = ", ".join(entries[one] for one in worst[:_NAMED])
        more = f" and {bad.size - _NAMED} more" if bad.size > _NAMED else ""
        return (
            f"the chains disagree about {bad.size} of {len(entries)} entries (split R-hat up to "
            f"{self.r_hats.max():.3g}, should be below {WORST_R_HAT}): {named}{more}",
            *lost,
        )


def joint_tables(
    evidence: JointEvidence,
    model: Network,
    *,
    seed: int = 0,
    tell: Callable[[float], None] = lambda part: None,
) -> JointTables:
    """Return the posterior of all tables of a network by chains over its data sets."""
    schema = evidence.layout.schema
    priors = model.parameters(schema)
    star = model.root is not None and evidence.of_cells
    chains = (ClassChains if star else JointChains)(evidence, priors, seed)
    found = chains.settled(tell)
    sizes = model.sizes(schema)
    diagnostics = Diagnostics(
        "Markov chains over data sets",
        exact=False,
        cost=float(found.moves),
        misfit=evidence.misfit(found.states[:: max(1, len(found.states) // _LOOKED_AT)]),
        r_hat=float(found.r_hats.max()),
        acceptance=found.accepted,
        chains=CHAINS,
        sweeps=found.sweeps,
    )
    return JointTables(
        found.states,
        found.weights,
        tuple(prior is None for prior in priors),
        found.means,
        found.r_hats,
        sizes,
        tuple(schema.column(node).size for node in model.columns),
        diagnostics,
        found.lost,
    )


def dirichlet(shapes: Floats, rng: np.random.Generator) -> Floats:
    """Draw from Dirichlet laws along the last axis, also where all parameters are tiny.

    A Gamma of tiny shape a underflows, its logarithm does not: G(a) = G(a+1) U^(1/a). No chance is exactly
    zero: what is drawn smaller than can be told from it is set to the least, so that logarithms exist.
    """
    logs = np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
    drawn = probabilities(logs.reshape(-1, shapes.shape[-1])).reshape(shapes.shape)
    return np.maximum(drawn, _LEAST)
