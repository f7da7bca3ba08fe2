"""The Dirichlet-categorical model: probabilities of the cells of a table, one or several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

from privior.errors import ModelError
from privior.models.dirichlet_table import LEARNED, DirichletTable
from privior.models.learned_prior import LearnedPrior
from privior.models.model import MODELS
from privior.models.table_model import column_names


@final
@MODELS.register
@dataclass(frozen=True)
class DirichletCategorical(DirichletTable):
    """Cell probabilities of the table of `columns`, with a Dirichlet prior.

    Attributes:
        columns: the columns whose joint table is learned, in order; the last varies fastest
        prior: learned from the release, unless it is said; or the Dirichlet parameters: one for every cell
            alike, or one per cell in the order of the cells; 1 is uniform over all tables of probabilities,
            1/2 is Jeffreys' prior
    """

    columns: tuple[str, ...]
    prior: Fraction | tuple[Fraction, ...] | LearnedPrior
    family: ClassVar[str] = "dirichlet-categorical"
    first_format: ClassVar[int] = 1

    def __init__(self, columns: str | Sequence[str], prior: object = LEARNED) -> None:
        self._set_columns(columns)
        self._set_prior(prior)

    def with_prior(self, prior: object) -> DirichletCategorical:
        """Return the same table with another prior."""
        return DirichletCategorical(self.columns, prior)

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        return {"family": self.family, "columns": list(self.columns), "prior": self.prior_document}

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote; without a prior it is learned."""
        if set(entries) - {"columns", "prior"} or "columns" not in entries:
            asked = ", ".join(entries)
            raise ModelError(
                "unknown or missing entries", where="model", asked=asked, allowed="columns, prior"
            )
        return cls(column_names(entries["columns"], cls.family), prior=entries.get("prior", LEARNED))
