"""The posterior of the probabilities of a table's cells, given noisy counts.

Given the true counts c the probabilities are Dirichlet(alpha + c); the counts themselves are latent, and
`LatentCounts` knows their posterior. Every number shown therefore includes both what a finite number of
records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privior import pictures
from privior.errors import InferenceError, PriviorError, shown
from privior.models import DirichletCategorical
from privior.pictures import listing
from privior.posterior.certain import Betas, CertainCounts
from privior.posterior.latent import CellProbabilities, LatentCounts
from privior.posterior.quantity import Quantity, check_level, check_number, generator, quantiles
from privior.release import Release
from privior.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Event = Mapping[str, object]

#: draws behind numbers that have no closed form; the seed is fixed so that asking twice gives one answer
_DRAWS = 4000
_SEED = 0
#: no more than this many numbers are drawn at once
_MOST_NUMBERS = 20_000_000


@dataclass(frozen=True, repr=False)
class CountsPosterior:
    """The posterior of the true table of counts."""

    latent: LatentCounts

    def mean(self) -> Floats:
        """Return the expected true count of each cell."""
        return self.latent.mean

    def stddev(self) -> Floats:
        """Return how uncertain each true count is: privacy noise alone."""
        return self.latent.stddev

    def interval(self, level: float = 0.9) -> Floats:
        """Return lower and upper ends for each true count, as (k, 2)."""
        return self.latent.interval(check_level(level))

    def draws(self, n: int, seed: int | None = None) -> NDArray[np.int64]:
        """Return n possible true tables, as (n, k)."""
        return self.latent.draws(check_number(n, "n", self.latent.mean.size), generator(seed))

    def __repr__(self) -> str:
        return f"<posterior of {self.latent.mean.size} true counts>"


@dataclass(frozen=True, repr=False)
class CategoricalPosterior:
    """The posterior of the cell probabilities theta. Cells are in the order of `cells`.

    Attributes:
        releases: what it follows from
        model: the model with the prior that was used
        latent: the posterior of the true counts
    """

    releases: tuple[Release, ...]
    model: DirichletCategorical
    latent: LatentCounts

    @property
    def _schema(self) -> Schema:
        return self.releases[0].plan.schema

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each cell, one per column of the model."""
        return tuple(product(*(self._schema.column(name).labels for name in self.model.columns)))

    @cached_property
    def prior(self) -> Floats:
        """The prior parameter of each cell."""
        return self.model.parameters(self._schema)

    def mean(self) -> Floats:
        """Return the expected probability of each cell."""
        closed = self._closed
        return closed.mean if closed is not None else self._beta_draws_moments[0]

    def stddev(self) -> Floats:
        """Return the standard deviation of each cell's probability."""
        closed = self._closed
        return closed.stddev if closed is not None else self._beta_draws_moments[1]

    def interval(self, level: float = 0.9) -> Floats:
        """Return the equal-tailed interval of each cell's probability: lower and upper, as (k, 2)."""
        check_level(level)
        closed = self._closed
        return closed.interval(level) if closed is not None else quantiles(self._marginal_draws, level)

    def predictive(self) -> Floats:
        """Return the probability that the next record falls into each cell: the posterior mean."""
        return self.mean()

    def counts(self) -> CountsPosterior:
        """Return the posterior of the true table of counts."""
        return CountsPosterior(self.latent)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability of an event, such as {"sex": "female"}.

        Args:
            event: a level, or several, for some columns: {"education": ["master", "doctorate"]}; for a
                model of one column a level alone will do
            given: another event to condition on
        """
        wanted, name = self._cells_of(event), self._name_of(event)
        if given is None:
            mean = float(self.mean()[wanted].sum())
            chosen = np.flatnonzero(wanted)
            if chosen.size == 1:
                cell = int(chosen[0])
                return Quantity(
                    f"P({name})", mean, self._theta[:, cell], lambda level: _pair(self.interval(level)[cell])
                )
            return Quantity(f"P({name})", mean, self._theta[:, wanted].sum(axis=1))
        condition = self._cells_of(given)
        shares = _probabilities(self._log_theta[:, condition])[:, wanted[condition]].sum(axis=1)
        return Quantity(f"P({name} | {self._name_of(given)})", float(shares.mean()), shares)

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of all cell probabilities, as (n, k)."""
        return self._drawn(check_number(n, "n", len(self.prior)), generator(seed))

    def sample(self, n: int, seed: int | None = None) -> dict[str, list[object]]:
        """Return n synthetic records, column by column: one draw of theta, then records from it."""
        number, rng = check_number(n, "n"), generator(seed)
        theta = self._drawn(1, rng)[0]
        codes = rng.choice(theta.size, size=number, p=theta / theta.sum())
        values = [self._schema.column(name).values for name in self.model.columns]
        places = np.unravel_index(codes, [len(known) for known in values])
        return {
            name: [known[code] for code in some]
            for name, known, some in zip(self.model.columns, values, places, strict=True)
        }

    def to_arviz(self, draws: int = _DRAWS, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            import arviz
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        theta = self.draws(draws, seed)
        labels = [", ".join(cell) for cell in self.cells]
        return arviz.from_dict(
            posterior={"theta": theta[np.newaxis]}, coords={"cell": labels}, dims={"theta": ["cell"]}
        )

    def plot(self, level: float = 0.9) -> Figure:
        """Return a figure of each cell's interval, with the part that the records alone would leave open."""
        check_level(level)
        first = self.prior + self.latent.mean
        return pictures.intervals(
            [", ".join(cell) for cell in self.cells],
            self.mean(),
            self.interval(level),
            Betas(first, first.sum() - first).interval(level),
            title=" x ".join(self.model.columns),
            note=f"{self._schema.population}: {100 * level:g}% intervals, {self._source}",
        )

    def __repr__(self) -> str:
        return f"<posterior of {' x '.join(self.model.columns)}: {len(self.prior)} cells, {self._source}>"

    def __str__(self) -> str:
        mean, ends = self.mean(), self.interval(0.9)
        counts = self.counts()
        expected, spread = counts.mean(), counts.stddev()
        order = range(len(self.cells)) if len(self.cells) <= 40 else np.argsort(-mean, kind="stable")[:40]
        rows = [
            [
                ", ".join(self.cells[i]),
                f"{mean[i]:.4f}",
                f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}",
                f"{expected[i]:.0f} ± {spread[i]:.2g}",
            ]
            for i in order
        ]
        kind = "noisy count" if isinstance(self.latent, CertainCounts) else "true count"
        header = [" x ".join(self.model.columns), "probability", "90% interval", kind]
        more = [f"... and {len(self.cells) - 40} more cells, less probable"] if len(self.cells) > 40 else []
        lines = [*listing.table(header, rows), *more, "", f"{self._source}; {self.latent.diagnostics}"]
        return "\n".join([*lines, *self.warnings])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted: chains that disagree, counts that do not fit."""
        diagnostics = self.latent.diagnostics
        found = [] if diagnostics.warning is None else [f"WARNING: {diagnostics.warning}"]
        # Squared noises in units of their variance have mean 1 and variance 5 at most (Laplace).
        if diagnostics.misfit is not None and diagnostics.misfit > 1 + 8 * (5 / len(self.prior)) ** 0.5:
            stated = self.releases[0].plan.records_in_words
            found.append(f"WARNING: the noisy counts do not fit the stated number of records ({stated})")
        return tuple(found)

    @property
    def _source(self) -> str:
        cost = "; ".join(str(release.plan.cost) for release in self.releases)
        if len(self.releases) > 1:
            cost = f"{len(self.releases)} releases: {cost}"
        how = "privacy noise IGNORED" if isinstance(self.latent, CertainCounts) else "privacy noise included"
        return f"{how} ({cost})"

    @cached_property
    def _closed(self) -> CellProbabilities | None:
        return self.latent.beta_mixture()

    @cached_property
    def _log_theta(self) -> Floats:
        return self._log_drawn(self._affordable, np.random.default_rng(_SEED))

    @cached_property
    def _theta(self) -> Floats:
        return _probabilities(self._log_theta)

    @property
    def _affordable(self) -> int:
        return max(500, min(_DRAWS, _MOST_NUMBERS // len(self.prior)))

    def _drawn(self, number: int, rng: np.random.Generator) -> Floats:
        return _probabilities(self._log_drawn(number, rng))

    def _log_drawn(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw tables, then probabilities given them, as logarithms of Gammas that are not yet normalised.

        A Gamma of tiny shape a underflows, its logarithm does not: G(a) = G(a+1) U^(1/a).
        """
        shapes = self.prior + self.latent.draws(number, rng)
        return np.asarray(
            np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
        )

    @cached_property
    def _parameter_draws(self) -> tuple[Floats, Floats]:
        rng = np.random.default_rng(_SEED)
        first = self.prior + self.latent.draws(self._affordable, rng)
        return first, first.sum(axis=1, keepdims=True)

    @cached_property
    def _beta_draws_moments(self) -> tuple[Floats, Floats]:
        """Average the conditional moments over draws of the table (Rao-Blackwell)."""
        first, total = self._parameter_draws
        share = first / total
        within = (share * (1 - share) / (total + 1)).mean(axis=0)
        return share.mean(axis=0), np.sqrt(within + share.var(axis=0))

    @cached_property
    def _marginal_draws(self) -> Floats:
        first, total = self._parameter_draws
        return np.random.default_rng(_SEED + 1).beta(first, total - first)

    def _cells_of(self, event: Event | object) -> NDArray[np.bool_]:
        """Return which cells make up an event."""
        chosen = self._by_column(event)
        masks = []
        for name in self.model.columns:
            column = self._schema.column(name)
            mask = np.ones(column.size, dtype=bool)
            if name in chosen:
                mask[:] = False
                mask[[self._code(name, level) for level in chosen[name]]] = True
            masks.append(mask)
        table = masks[0]
        for mask in masks[1:]:
            table = np.logical_and.outer(table, mask)
        return table.ravel()

    def _by_column(self, event: Event | object) -> dict[str, list[object]]:
        if not isinstance(event, Mapping):
            if len(self.model.columns) > 1:
                columns = ", ".join(self.model.columns)
                raise InferenceError(
                    "not an event", asked=shown(event), allowed=f"{{column: level}} of {columns}"
                )
            event = {self.model.columns[0]: event}
        unknown = [str(name) for name in event if name not in self.model.columns]
        if unknown or not event:
            raise InferenceError(
                "the event is not about this model's columns",
                asked=", ".join(unknown) or "nothing",
                allowed=", ".join(self.model.columns),
            )
        chosen = {str(name): _listed(levels) for name, levels in event.items()}
        for name, levels in chosen.items():
            if not levels:
                raise InferenceError(f"the event names no level of {name}")
        return chosen

    def _code(self, name: str, level: object) -> int:
        try:
            return self._schema.column(name).code(level)
        except PriviorError as error:
            raise InferenceError(
                f"not a level of {name}", asked=shown(level), allowed=error.allowed
            ) from None

    def _name_of(self, event: Event | object) -> str:
        return ", ".join(
            f"{name} = {' or '.join(map(str, levels))}" for name, levels in self._by_column(event).items()
        )


def _probabilities(logs: Floats) -> Floats:
    """Normalise each row of log weights, also where all of them are too small for a float."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _listed(levels: object) -> list[object]:
    """Return several levels as a list, and one as a list of one."""
    if isinstance(levels, (list, tuple, set, frozenset, range, np.ndarray)):
        return list(levels)
    return [levels]


def _pair(ends: Floats) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])
