"""A Markov chain on finitely many states, learned from transitions.

    theta ~ Dirichlet(alpha)                              prior of the cells (from, to), all together
    (from, to) | theta ~ theta                            one record is one transition
    P(to = j | from = i) = theta_ij / sum_j theta_ij      the transition matrix

The rows of the transition matrix are independent under a Dirichlet law of all cells: row i is Dirichlet with
the parameters alpha_ij, and given counts c with alpha_ij + c_ij. So the table of transitions is all there is
to learn, and everything proved for tables holds: one replaced transition moves one count between two cells,
of one row or of two.

A unit is one transition, or a whole sequence of at most m transitions (`max_rows` = m in the schema). Given
where they start, the transitions of a sequence are independent under the model, so known counts give the
right posterior of the matrix. What the noise hides of the counts is inferred as if transitions had been drawn
one by one: that a sequence goes on where it was is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privior.errors import ModelError, shown
from privior.models.dirichlet_categorical import DirichletCategorical
from privior.schema import Schema


@dataclass(frozen=True)
class MarkovChain(DirichletCategorical):
    """Transition chances from the states of one column to those of another.

    Attributes:
        columns: where a transition starts, and where it leads
        prior: the Dirichlet parameters of the cells (from, to): one for all, or one for each, row by row
    """

    columns: tuple[str, ...]
    prior: Fraction | tuple[Fraction, ...]
    family: ClassVar[str] = "markov-chain"

    def __init__(self, state: str, following: str, prior: object = 1) -> None:
        """Name the columns.

        Args:
            state: the column with the state before a transition
            following: the column with the state after it; it has the same levels
            prior: the parameters; 1 is uniform over all transition matrices
        """
        for name in (state, following):
            if not isinstance(name, str) or not name:
                raise ModelError("not the name of a column", where=self.family, asked=shown(name))
        super().__init__((state, following), prior)

    @property
    def state(self) -> str:
        """The column with the state before a transition."""
        return self.columns[0]

    @property
    def following(self) -> str:
        """The column with the state after it."""
        return self.columns[1]

    def size(self, schema: Schema) -> int:
        """Return the number of pairs of states, after checking that both columns have the same ones."""
        first, second = (schema.column(name).labels for name in self.columns)
        if first != second:
            raise ModelError(
                "the two columns of a chain do not have the same states in the same order",
                where=self.family,
                asked=f"{self.following}: {', '.join(second[:8])}",
                allowed=f"{self.state}: {', '.join(first[:8])}",
            )
        return super().size(schema)

    def with_prior(self, prior: object) -> MarkovChain:
        """Return the same chain with another prior."""
        return MarkovChain(self.state, self.following, prior)

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        prior = super().to_document()["prior"]
        return {"family": self.family, "state": self.state, "following": self.following, "prior": prior}

    def __str__(self) -> str:
        return super().__str__().replace("DirichletCategorical", "MarkovChain").replace(" x ", " to ")
