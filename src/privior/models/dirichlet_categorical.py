"""The Dirichlet-categorical model: probabilities of the cells of a table, one or several columns.

    theta ~ Dirichlet(alpha_1, ..., alpha_k)        prior
    x_1, ..., x_n | theta ~ Categorical(theta)      records
    theta | x ~ Dirichlet(alpha + c)                c_i the number of records in cell i

The statistic is c, a vector of k non-negative integers. This file is the pattern for other families.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privior.errors import ModelError, NumberError
from privior.exact import decimal, positive
from privior.models.table_model import TableModel
from privior.schema import Schema

Floats = NDArray[np.float64]

#: prior parameters outside this range are a mistake, and lose all digits in the update
PRIOR_RANGE = (Fraction(1, 10**6), Fraction(10**9))


@dataclass(frozen=True)
class DirichletCategorical(TableModel):
    """Cell probabilities of the table of `columns`, with a Dirichlet prior.

    Attributes:
        columns: the columns whose joint table is learned, in order; the last varies fastest
        prior: the Dirichlet parameters: one for every cell alike, or one per cell in the order of the
            cells; 1 is uniform over all tables of probabilities, 1/2 is Jeffreys' prior
    """

    columns: tuple[str, ...]
    prior: Fraction | tuple[Fraction, ...]
    family: ClassVar[str] = "dirichlet-categorical"

    def __init__(self, columns: str | Sequence[str], prior: object = 1) -> None:
        self._set_columns(columns)
        object.__setattr__(self, "prior", _read_prior(prior))

    def size(self, schema: Schema) -> int:
        """Return the number of cells k, after checking that the model fits the schema."""
        cells = self.cells(schema)
        if isinstance(self.prior, tuple) and len(self.prior) != cells:
            raise ModelError(
                "the prior does not have one parameter per cell",
                where=self.family,
                asked=len(self.prior),
                allowed=f"1 or {cells}",
            )
        return cells

    def exact_parameters(self, schema: Schema) -> tuple[Fraction, ...]:
        """Return alpha, one exact parameter per cell."""
        cells = self.size(schema)
        return self.prior if isinstance(self.prior, tuple) else (self.prior,) * cells

    def parameters(self, schema: Schema) -> Floats:
        """Return alpha, one parameter per cell, as floats."""
        return np.array([float(parameter) for parameter in self.exact_parameters(schema)])

    def update(self, schema: Schema, counts: ArrayLike) -> Floats:
        """Return the Dirichlet parameters after these counts: alpha + c."""
        return self.parameters(schema) + np.asarray(counts, dtype=np.float64)

    def predictive(self, schema: Schema, counts: ArrayLike) -> Floats:
        """Return the probability of each cell for the next record after these counts."""
        parameters = self.update(schema, counts)
        return np.asarray(parameters / parameters.sum())

    def with_prior(self, prior: object) -> DirichletCategorical:
        """Return the same table with another prior."""
        return DirichletCategorical(self.columns, prior)

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        prior = [decimal(a) for a in self.prior] if isinstance(self.prior, tuple) else decimal(self.prior)
        return {"family": self.family, "columns": list(self.columns), "prior": prior}

    def __str__(self) -> str:
        prior = "one per cell" if isinstance(self.prior, tuple) else decimal(self.prior)
        return f"DirichletCategorical({' x '.join(self.columns)}, prior {prior})"


def _read_prior(prior: object) -> Fraction | tuple[Fraction, ...]:
    least, most = PRIOR_RANGE
    try:
        if isinstance(prior, (list, tuple)) or (isinstance(prior, np.ndarray) and prior.ndim == 1):
            return tuple(positive(parameter, "prior", least=least, most=most) for parameter in prior)
        return positive(prior, "prior", least=least, most=most)
    except NumberError as error:
        allowed = (
            f"{decimal(least)} to {decimal(most)}: one number, or a list with one for each cell in order"
        )
        raise ModelError(error.what, asked=error.asked, allowed=allowed) from None
