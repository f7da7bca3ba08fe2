"""The posterior of a network: its tables, what they say together, and the true counts.

All tables are inferred together: given the records their rows are Dirichlet, and the data sets that may be
behind the noisy tables are summed out. Where tables overlap, they agree in every draw. Where that would take
too long, each is inferred by itself, and the posterior says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.forecasting import Expect, NetworkForecaster
from privior.models import Network
from privior.pictures import NetworkChart
from privior.posterior.conflict import Conflict, Look
from privior.posterior.contract import posterior_for, released_draws, with_prior
from privior.posterior.events import Event
from privior.posterior.findings import Finding
from privior.posterior.networks.known_tables import KnownTables
from privior.posterior.networks.most_probable import MostProbable, best_levels
from privior.posterior.networks.network_numbers import NetworkNumbers
from privior.posterior.networks.node_table import NodeTable
from privior.posterior.networks.number_of_records import number_of_records
from privior.posterior.networks.predicting import Predicting
from privior.posterior.networks.tables_given import evidence_of, tables_given
from privior.posterior.networks.tables_shown import TablesShown
from privior.posterior.quantity import Quantity, check_level
from privior.posterior.seeds import drawing, seed_said
from privior.posterior.tables.counts_posterior import CountsPosterior, MarginalCounts
from privior.posterior.tables.drawn import affordable
from privior.posterior.tables.groups import Groups
from privior.posterior.tables.table_conflict import draws_looked_at, table_looks
from privior.release import Release
from privior.schema import NetworkFile, Schema

#: draws of a table that tell which part of its variance is the noise's
_FEW = 500
#: draws of all tables that are kept: so many tables in all, and at least so many of each
_MOST_KEPT, _LEAST_KEPT = 80_000, 1000


@final
@posterior_for(Network)
@dataclass(frozen=True, repr=False)
class NetworkPosterior(Predicting):
    """The posterior of the tables of a network. A draw has all of them, one after the other.

    Attributes:
        releases: what it follows from
        model: the network with the prior that was used
        known: what is known of the tables
        ignored: whether noisy counts are taken as true ones
        seed: of what is drawn to read answers off
    """

    releases: tuple[Release, ...]
    model: Network
    known: KnownTables
    ignored: bool = False
    seed: int = field(default_factory=seed_said, kw_only=True)

    understands: ClassVar[Mapping[str, str]] = {
        **Predicting.understands,
        "counts": "counts",
        "entries": "table",
        "most_probable": "most_probable",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer the tables from noisy counts: the prior is a number, "learned", BDeu or for each node."""
        model = with_prior(releases[0].plan.model, prior)
        return cls(releases, model, tables_given(releases, model, ignore_noise=ignore_noise), ignore_noise)

    @property
    def state(self) -> object:
        """What is known of the tables."""
        return None if self.ignored else self.known

    @classmethod
    def with_state(cls, releases: tuple[Release, ...], prior: object, state: object) -> Self:
        """Take the tables as they were inferred before."""
        if not isinstance(state, KnownTables):
            raise TypeError("not the posterior of tables")
        return cls(releases, with_prior(releases[0].plan.model, prior), state)

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> NetworkNumbers:
        """Return what tables say about records."""
        return NetworkNumbers(model, schema)

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say how the true counts are asked for."""
        if question not in ("share", "table"):
            return None
        what = "the records of a network are asked for table by table"
        return what, "Ask for counts(column, ...) of columns in one table, for table(node), or for P(event)."

    # What is known

    def rests_on(self, given: Event | object | None, *, of_shape: bool) -> str:
        """Say that the tables together are what the graph says."""
        return "the graph holds"

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a number that follows from the tables, by the draws that are kept."""
        found = Quantity.of(name, function(self._kept))
        return replace(found, provided=self.rests_on(None, of_shape=False))

    def table(self, node: str) -> NodeTable:
        """Return the posterior of a node's table: the chances of its levels given those of its parents."""
        self.numbers.events.place(node)
        return self._tables[node]

    @cached_property
    def _tables(self) -> dict[str, NodeTable]:
        plan, drowned = self.releases[0].plan, self.drowned
        found = {}
        for place, node in enumerate(self.model.columns):
            rng = np.random.default_rng([self.seed, place])
            share = self.known.noise_share(place, min(_FEW, len(self._kept)), rng)
            draws = self.numbers.elimination.table(self._kept, node)
            above, mean = self.model.parents[node], self.known.mean(place)
            expected = None if mean is None else mean.reshape(draws.shape[1:])
            found[node] = NodeTable(node, above, plan.schema, draws, share, node in drowned, expected)
        return found

    @property
    def drowned(self) -> tuple[str, ...]:
        """The nodes in whose tables the noise is larger than the average count of a cell."""
        plan = self.releases[0].plan
        mechanism = None if self.ignored else plan.mechanism
        return NetworkForecaster(self.model, plan.schema, Expect.TYPICAL).drowned(plan.records, mechanism)

    def counts(self, *columns: str) -> CountsPosterior:
        """Return the posterior of the true table of counts of columns that stand in one table together.

        Args:
            columns: a node and parents of it, in any order
        """
        for column in columns:
            self.numbers.events.place(column)
        if len(set(columns)) < len(columns):
            raise InferenceError("a column is named twice", asked=", ".join(columns))
        holding = [place for place, names in enumerate(self.model.tables) if set(columns) <= set(names)]
        if not columns or not holding:
            raise InferenceError(
                "these columns do not stand in one table together",
                asked=", ".join(columns) or "no column",
                allowed="; ".join(", ".join(names) for names in self.model.tables[:8]),
                advice="Ask for columns of one table, or for P(event), which ties tables together.",
            )
        place = min(holding, key=self.model.sizes(self.schema).__getitem__)
        names = self.model.tables[place]
        axes = tuple(names.index(column) for column in columns)
        shape = self.numbers.elimination.shapes[names[-1]]
        return CountsPosterior(
            MarginalCounts(self.known.counts(place), shape, axes, self.seed), self, columns
        )

    def most_probable(self, *columns: str, given: Event | object | None = None) -> MostProbable:
        """Return the most probable combination of levels of some columns, given an event.

        Args:
            columns: which ones
            given: what is known of others, such as {"smoke": "yes"}
        """
        if not columns or len(set(columns)) < len(columns):
            raise InferenceError("no columns, or one that is named twice", asked=", ".join(columns))
        for column in columns:
            self.numbers.events.place(column)
        chances = self.numbers.chances(columns, given)
        levels, sure = best_levels(columns, self.schema, chances, self._kept)
        return MostProbable(levels, self.probability(levels, given), sure)

    def quantities(self) -> list[Quantity]:
        """Return every entry of every table, and the number of records where it is private."""
        kept, places = self._kept, self.numbers.elimination.places
        entries = [
            Quantity.of(self.numbers.entry_name(node, levels), kept[:, places[node].start + entry])
            for node in self.model.columns
            for entry, levels in enumerate(self.numbers.entries(node))
        ]
        return entries if self.records is None else [*entries, self.records]

    @cached_property
    def records(self) -> Quantity | None:
        """How many records there are, where that is private and all tables tell it together; else None."""
        public = self.releases[0].plan.total_public
        law = None if public or self.ignored else self.known.total
        return None if law is None else number_of_records(law, self.seed)

    @property
    def kept(self) -> Floats:
        """The draws that are kept."""
        return self._kept

    @cached_property
    def _kept(self) -> Floats:
        """The draws that are kept, with a fixed seed."""
        most = max(_LEAST_KEPT, _MOST_KEPT // len(self.model.columns))
        return self._draws(min(most, affordable(self.numbers.width)), drawing(0, self.seed))

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self.known.draws(number, rng)

    # What others read

    def network(self, released: int | None = None) -> NetworkFile:
        """Return the network with the expected entries of its tables, to be written as BIF or XMLBIF.

        Args:
            released: take this one of the released draws, counted from 0, instead of the expected entries
        """
        columns = self.model.columns
        if released is None:
            entries = {node: self._tables[node].mean() for node in columns}
        else:
            theta = self._released(released)[np.newaxis]
            entries = {node: self.numbers.elimination.table(theta, node)[0] for node in columns}
        return NetworkFile(
            {node: tuple(self.schema.column(node).labels) for node in columns},
            dict(self.model.parents),
            {node: tuple(entries[node].ravel().tolist()) for node in columns},
        )

    def write_bif(self, path: str | Path, released: int | None = None) -> None:
        """Write the network with the expected entries of its tables: XMLBIF if the name ends in .xml.

        Args:
            path: of the file
            released: write this one of the released draws, counted from 0, as it is
        """
        self.network(released).write(path)

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted: chains that disagree, a prior that is wrong."""
        names = [
            self.numbers.entry_name(node, levels)
            for node in self.model.columns
            for levels in self.numbers.entries(node)
        ]
        chains = tuple(f"WARNING: {one}" for one in self.known.cautions(names, self.model.columns))
        return (*chains, *self.contradictions)

    @cached_property
    def conflict(self) -> Conflict | None:
        """How improbable the noise is that draws of each table's true counts leave over.

        How the levels of parents are spread, no prior of a network says: counts are not compared with it.
        Nor is noise looked at whose law is approximated.
        """
        number, rng = draws_looked_at(self.numbers.width), drawing(0, self.seed)
        looks: list[Look] = []
        noisy = [one for one in self.releases if not one.plan.mechanism.cell_noise.clamped]
        noisy = [one for one in noisy if not one.plan.mechanism.cell_noise.approximate]
        if not noisy:
            return None
        zero = [one.plan.mechanism.cell_noise.sums_to_zero for one in noisy]
        each = evidence_of(noisy, self.model.sizes(self.schema))
        for place, (node, evidence) in enumerate(zip(self.model.columns, each, strict=True)):
            names = (*self.model.parents[node], node)
            groups = Groups(tuple((name, self.schema.column(name).labels) for name in names))
            seen = list(zip(evidence, zero, strict=True))
            tables = self.known.counts(place).draws(number, rng)
            found = table_looks(seen, tables, None, groups, rng, learned=self.known.learned(place))
            looks += [Look(f"table of {node}: {look.where}", look.chances) for look in found]
        return Conflict.of(looks)

    @property
    def _doubted(self) -> str:  # type: ignore[override]
        return f"this prior or the stated number of records ({self.releases[0].plan.records_in_words})"

    @property
    def _instead(self) -> str:  # type: ignore[override]
        learned = all(map(self.known.learned, range(len(self.model.columns))))
        return "try another: --prior" if learned else "try --prior learned"

    @property
    def caveats(self) -> tuple[str, ...]:
        """The warnings, and that the noise is ignored."""
        noise = ("WARNING: the privacy noise is IGNORED: intervals are too narrow",) if self.ignored else ()
        return (*self.warnings, *noise)

    @property
    def computed(self) -> tuple[str, ...]:
        """The source, how the tables were inferred, and which of them the noise drowns."""
        drowned = self.drowned
        more = (f"drowned by the noise: {', '.join(drowned)}",) if drowned else ()
        return (f"{self.source}; {self.known.how}", *self._approximate, *more)

    @property
    def _approximate(self) -> tuple[str, ...]:
        """What of the noise is approximated, in words."""
        apart = not self.ignored and not self.known.together
        laws = [one.plan.mechanism for one in self.releases if apart and not released_draws(one)]
        said = {noise.approximate for noise in (law.cell_noise for law in laws) if noise is not None}
        return tuple(f"approximated: {words}" for words in sorted(said) if words)

    def _shown(self, level: float) -> TablesShown:
        tables = tuple(self._tables.values())
        return TablesShown(
            tables, self.numbers, check_level(level), self._note(level), self.known.how, self.records
        )

    def picture(self, level: float = 0.9) -> NetworkChart:
        """Draw the network, and how much is known of each table."""
        return self._shown(level).picture()

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return what is known of each table, and the entries."""
        return self._shown(level).findings()

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of each table as plain values, for JSON."""
        return {
            "family": self.model.family,
            "columns": list(self.model.columns),
            "level": level,
            "tables": [one.to_document(level) for one in self._tables.values()],
            **self._shown(level).records_document(),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of {self.model}: {self.numbers.width} entries, {self.source}>"
