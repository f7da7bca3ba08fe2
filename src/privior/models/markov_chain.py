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
from typing import ClassVar, Self, final

from privior.errors import ModelError
from privior.models.dirichlet_table import DirichletTable
from privior.models.learned_prior import LearnedPrior
from privior.models.model import MODELS, column_name
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class MarkovChain(DirichletTable):
    """Transition chances from the states of one column to those of another.

    Attributes:
        columns: where a transition starts, and where it leads
        prior: the Dirichlet parameters of the cells (from, to): one for all, or one for each, row by row; 1
            unless it is said; or learned
    """

    columns: tuple[str, ...]
    prior: Fraction | tuple[Fraction, ...] | LearnedPrior
    family: ClassVar[str] = "markov-chain"

    def __init__(self, state: str, following: str, prior: object = 1) -> None:
        """Name the columns.

        Args:
            state: the column with the state before a transition
            following: the column with the state after it; it has the same levels
            prior: the parameters; 1 is uniform over all transition matrices
        """
        self._set_columns((column_name(state, self.family), column_name(following, self.family)))
        self._set_prior(prior)

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
            raise self.refusal(
                "the two columns of a chain do not have the same states in the same order",
                asked=f"{self.following}: {', '.join(second[:8])}",
                allowed=f"{self.state}: {', '.join(first[:8])}",
            )
        return super().size(schema)

    def with_prior(self, prior: object) -> MarkovChain:
        """Return the same chain with another prior."""
        return MarkovChain(self.state, self.following, prior)

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        return {
            "family": self.family,
            "state": self.state,
            "following": self.following,
            "prior": self.prior_document,
        }

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote; without a prior it is uniform."""
        state, following = entries.get("state"), entries.get("following")
        if set(entries) - {"state", "following", "prior"} or not (
            isinstance(state, str) and isinstance(following, str)
        ):
            raise ModelError(
                "unknown or missing entries",
                where="model, markov-chain",
                asked=", ".join(entries),
                allowed="state, following, prior",
            )
        return cls(state, following, entries.get("prior", 1))

    def __str__(self) -> str:
        return super().__str__().replace(" x ", " to ", 1)
