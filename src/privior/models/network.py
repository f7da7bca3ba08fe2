"""What networks have in common: a table for each node, whose entries depend on the levels of its parents.

    theta_v(u) ~ Dirichlet(alpha_v(u))              the row of node v for the levels u of its parents
    x_v | x_parents = u  ~  Categorical(theta_v(u)) each record, node by node
    theta_v(u) | x ~ Dirichlet(alpha_v(u) + c_v(u)) c_v(u, x) the number of records with these levels

The statistic is all tables c_v, one after the other in the order of the nodes: each of the node's parents in
their order, then the node, whose levels vary fastest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.errors import shown
from privior.models.model import Model
from privior.models.network_prior import NetworkPrior, to_network_prior
from privior.models.readings import Margins, Reading
from privior.models.statistics import Layout
from privior.models.summands import ONE, Summand
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema

#: more nodes than this are a mistake, and tables with more cells in all could not be inferred from
MOST_NODES, MOST_CELLS = 10_000, 200_000


class Network(Model):
    """A model of several columns by a public graph without cycles, the nodes of which are the columns.

    Attributes:
        columns: the nodes, in the order in which they were named
        arcs: the parents of each node, in the same order
        prior: of the entries of all tables
    """

    columns: tuple[str, ...]
    arcs: tuple[tuple[str, ...], ...]
    prior: NetworkPrior
    first_format: ClassVar[int] = 6
    error_name = "error of table entries"
    error_heading = "error of entries"
    pictured: ClassVar[tuple[str, ...]] = ("KL",)
    largest_error = 1.0
    less = "Ask for less, or for fewer parents."

    def _set_graph(self, parents: Mapping[str, Sequence[str]], prior: object) -> None:
        """Take a graph, or say what is wrong with it."""
        nodes = tuple(parents)
        if not nodes or not all(isinstance(node, str) and node for node in nodes):
            raise self.refusal("no nodes, or one without a name", asked=shown(list(nodes)))
        if len(nodes) > MOST_NODES:
            raise self.refusal("too many nodes", asked=len(nodes), allowed=MOST_NODES)
        arcs = []
        for node, given in parents.items():
            above = tuple(given) if isinstance(given, (list, tuple)) else ()
            if len(above) != (len(given) if isinstance(given, (list, tuple)) else -1):
                raise self.refusal(
                    f"the parents of {node} are not a list of nodes",
                    asked=shown(given),
                    advice=f'One parent is a list too: ["{given}"].' if given in nodes else None,
                )
            strange = [one for one in above if not isinstance(one, str) or one not in parents]
            if strange:
                raise self.refusal(
                    f"a parent of {node} is no node of the network",
                    asked=shown(strange[0]),
                    allowed=", ".join(nodes[:20]),
                    advice="Name it among the nodes, with its own parents; [] if it has none.",
                )
            if len(set(above)) < len(above) or node in above:
                raise self.refusal(f"{node} has a parent twice, or is its own", asked=", ".join(above))
            arcs.append(above)
        fill(self, columns=nodes, arcs=tuple(arcs))
        self._check_cycles()
        fill(self, prior=to_network_prior(prior))
        named = self.prior.nodes
        if named is not None and set(named) != set(nodes):
            odd = sorted(set(named) ^ set(nodes))
            raise self.refusal("the prior does not name every node once", asked=", ".join(odd[:10]))

    def _check_cycles(self) -> None:
        """Refuse a graph in which a node is above itself, and name the nodes of such a cycle."""
        try:
            self.order  # noqa: B018 - there is none if there is a cycle
        except CycleError as error:
            *cycle, _ = error.args[1]
            first = min(map(self.columns.index, cycle))
            start = cycle.index(self.columns[first])
            named = [*cycle[start:], *cycle[:start], cycle[start]]
            raise self.refusal(
                "the graph has a cycle",
                asked=" -> ".join(named[:20]),
                advice="Arrows go from parents to children: leave one of these parents out.",
            ) from None

    # The graph

    @property
    def target(self) -> str | None:
        """The column that is to be told from the others, where there is one."""
        return None

    @cached_property
    def root(self) -> str | None:
        """The only parent of all other nodes, as in naive Bayes, where there is one."""
        above = set(self.arcs) - {()}
        roots = [node for node, parents in self.parents.items() if not parents]
        return roots[0] if len(roots) == 1 and above == {(roots[0],)} else None

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """The parents of each node."""
        return dict(zip(self.columns, self.arcs, strict=True))

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each node's table: its parents, then the node."""
        return tuple((*above, node) for node, above in self.parents.items())

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes so that parents stand before their children."""
        return tuple(TopologicalSorter(self.parents).static_order())

    def above(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Return these nodes and all that are above them, in the model's order."""
        found, left = set[str](), list(nodes)
        while left:
            node = left.pop()
            if node not in found:
                found.add(node)
                left += self.parents[node]
        return tuple(node for node in self.columns if node in found)

    # Its tables

    def shape(self, node: str, schema: Schema) -> tuple[int, ...]:
        """Return the numbers of levels of a node's parents, in order, and its own."""
        return tuple(schema.column(name).size for name in (*self.parents[node], node))

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """A row for each combination of the parents' levels, and a number for each level of the node."""
        shapes = {node: self.shape(node, schema) for node in self.columns}
        return tuple(Layout(node, (math.prod(shape[:-1]), shape[-1])) for node, shape in shapes.items())

    def sizes(self, schema: Schema) -> tuple[int, ...]:
        """Return the number of cells of each table, after checking that the model fits the schema."""
        found = tuple(math.prod(self.shape(node, schema)) for node in self.columns)
        if sum(found) > MOST_CELLS:
            largest = max(range(len(found)), key=found.__getitem__)
            raise self.refusal(
                f"the tables have too many cells, that of {self.columns[largest]} {found[largest]}",
                asked=sum(found),
                allowed=MOST_CELLS,
                advice="Take fewer parents, or columns of fewer levels.",
            )
        for node, cells in zip(self.columns, found, strict=True):
            self.prior.of(node, cells)
        return found

    def parameters(self, schema: Schema) -> tuple[Floats | None, ...]:
        """Return the prior parameters of each table, row by row; None for those that are learned."""
        found = []
        for node, cells in zip(self.columns, self.sizes(schema), strict=True):
            said = self.prior.of(node, cells)
            found.append(None if said is None else np.array([float(one) for one in said]))
        return tuple(found)

    # What is asked of the rows

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Every record counts once in each table."""
        return (ONE,)

    def readings(
        self, schema: Schema, neighbours: Neighbours, within: tuple[str, ...] = ()
    ) -> tuple[Reading, ...]:
        """Return all tables, to be counted in one pass."""
        return (Margins(tuple((*within, *names) for names in self.tables)),)

    def counted(self, answers: Sequence[Any]) -> tuple[Integers, ...]:
        """Return the counts of all cells of each table."""
        (tables,) = answers
        return tuple(table.dense() for table in tables)

    @property
    def times_counted(self) -> int:
        """Once in each table."""
        return len(self.columns)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one unit moves all tables together.

        Each of a unit's m records is in one cell of every table, so that the unit moves each table as it
        moves a single one (`Sensitivity.of_counts`), and L1 and squares add up over the tables. That is
        attained: by records that differ in every column, all of one unit alike.
        """
        self.sizes(schema)
        self._check_drops(schema, neighbours)
        one, tables = Sensitivity.of_counts(neighbours, schema.unit.max_rows), len(self.columns)
        return Sensitivity(tables * one.l1, tables * one.l2_squared, one.total_fixed, one.neighbours)

    # Words

    def in_words(self, schema: Schema) -> str:
        """Say how many tables there are, and how large."""
        sizes = self.sizes(schema)
        tables = "1 table" if len(sizes) == 1 else f"{len(sizes)} tables"
        return f"{self}: {tables}, {sum(sizes)} cells in all, the largest {max(sizes)}"

    @property
    def subject(self) -> str:
        """The columns, or the first ones."""
        return _listed(self.columns)

    @property
    def first_question(self) -> str:
        """The table of the last node."""
        return "table('{}')".format(self.columns[-1].replace("'", "''"))

    @property
    def remedy(self) -> str:
        """Noise is added to every cell of every table."""
        return "fewer nodes, fewer parents or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """What the width in a plan is of: intervals of entries."""
        return f"90% intervals of table entries, average over {sum(self.sizes(schema))} entries"

    @property
    def typical_in_words(self) -> str:
        """Widths and errors do not know the prior; what noise hides of small entries does."""
        return "widths and errors for equal rows, KL and log loss for uneven ones, typical of the prior"

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare the weight of each table's prior with the number of rows."""
        rows = records * schema.unit.max_rows
        weights = zip(self.columns, self.parameters(schema), strict=True)
        heavy = [node for node, prior in weights if prior is not None and float(prior.sum()) > rows]
        if not heavy:
            return ""
        return (
            f"The prior of {_listed(heavy)} weighs more than the {rows} records there can be: answers will "
            "mostly repeat the prior. Take fewer parents, or a smaller prior."
        )

    def __str__(self) -> str:
        arcs = sum(map(len, self.arcs))
        nodes = f"{len(self.columns)} node{'s' if len(self.columns) > 1 else ''}"
        return f"{type(self).__name__}({nodes}, {arcs} arc{'s' if arcs != 1 else ''}, prior {self.prior})"


def _listed(nodes: Sequence[str]) -> str:
    some = ", ".join(nodes[:8])
    return some if len(nodes) <= 8 else f"{some} and {len(nodes) - 8} more"
