"""What models of a table with a Dirichlet prior have in common: the table of one column or several.

    theta ~ Dirichlet(alpha_1, ..., alpha_k)        prior
    x_1, ..., x_n | theta ~ Categorical(theta)      records
    theta | x ~ Dirichlet(alpha + c)                c_i the number of records in cell i

The statistic is c, a vector of k non-negative integers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from privior.arrays import Floats
from privior.checks import fill
from privior.errors import ModelError, NumberError
from privior.exact import decimal, positive
from privior.models.learned_prior import LearnedPrior
from privior.models.table_model import TableModel
from privior.schema import Schema

#: prior parameters outside this range are a mistake, and lose all digits in the update
PRIOR_RANGE = (Fraction(1, 10**6), Fraction(10**9))
#: how a prior that is learned stands in files
LEARNED = "learned"


class DirichletTable(TableModel):
    """Cell probabilities of the table of `columns`, with a Dirichlet prior.

    Attributes:
        prior: the Dirichlet parameters, one for every cell alike or one per cell in the order of the cells;
            or a prior that is learned from what is released
    """

    prior: Fraction | tuple[Fraction, ...] | LearnedPrior
    error_name = "l2 error"
    error_heading = "l2 (noise only)"
    largest_error = 1.0
    less = "Ask for less, or for fewer cells."

    @property
    def cell_prior(self) -> Fraction | tuple[Fraction, ...] | None:
        """The prior, if it has numbers."""
        return None if isinstance(self.prior, LearnedPrior) else self.prior

    def _set_prior(self, prior: object) -> None:
        fill(self, prior=_read_prior(prior))

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
        if isinstance(self.prior, LearnedPrior) and cells > self.prior.most_cells:
            raise self.refusal(
                "the table has too many cells for a prior that is learned: inference would take about "
                f"{self.prior.seconds(cells) / 60:,.0f} minutes",
                asked=cells,
                allowed=self.prior.most_cells,
                advice="Say a number, such as prior=1, or take fewer cells.",
            )
        return cells

    def exact_parameters(self, schema: Schema) -> tuple[Fraction, ...]:
        """Return alpha, one exact parameter per cell."""
        cells = self.size(schema)
        if isinstance(self.prior, LearnedPrior):
            raise ModelError(
                "a prior that is learned has no numbers",
                where=self.family,
                advice="Say one, such as prior=1.",
            )
        return self.prior if isinstance(self.prior, tuple) else (self.prior,) * cells

    def typical_parameters(self, schema: Schema) -> Floats:
        """Return the parameters that forecasts take tables to be typical of: 1 if the prior is learned."""
        return np.ones(self.size(schema)) if self.cell_prior is None else self.parameters(schema)

    def parameters(self, schema: Schema) -> Floats:
        """Return alpha, one parameter per cell, as floats."""
        return np.array([float(parameter) for parameter in self.exact_parameters(schema)])

    def update(self, schema: Schema, counts: ArrayLike) -> Floats:
        """Return the Dirichlet parameters after these counts: alpha + c."""
        return self.parameters(schema) + np.asarray(counts, dtype=np.float64)

    @property
    def prior_document(self) -> object:
        """The prior as plain values."""
        if isinstance(self.prior, LearnedPrior):
            return LEARNED
        return [decimal(a) for a in self.prior] if isinstance(self.prior, tuple) else decimal(self.prior)

    def in_words(self, schema: Schema) -> str:
        """Say how many cells there are."""
        return f"{self}: {self.size(schema)} cells"

    @property
    def first_question(self) -> str:
        """What a user asks first of a table: all of its cells."""
        return "counts()"

    @property
    def remedy(self) -> str:
        """Noise is added to every cell."""
        return "fewer cells or more epsilon"

    @property
    def typical_in_words(self) -> str:
        """A prior that is learned has no typical tables of its own."""
        if self.cell_prior is not None:
            return ""
        return "for tables typical of prior 1: with the shape learned, errors are about the same or smaller"

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare the weight of the prior with the number of rows."""
        if self.cell_prior is None:
            return ""
        weight, rows = float(self.parameters(schema).sum()), records * schema.unit.max_rows
        if weight <= rows:
            return ""
        return (
            f"The prior weighs as much as {weight:.4g} records, more than the {rows} there can be: answers "
            "will mostly repeat the prior. Take fewer cells, or a smaller prior."
        )

    def __str__(self) -> str:
        prior = "one per cell" if isinstance(self.prior, tuple) else self.prior_document
        return f"{type(self).__name__}({' x '.join(self.columns)}, prior {prior})"


def _read_prior(prior: object) -> Fraction | tuple[Fraction, ...] | LearnedPrior:
    least, most = PRIOR_RANGE
    if isinstance(prior, LearnedPrior) or (isinstance(prior, str) and prior.strip() == LEARNED):
        return LearnedPrior()
    try:
        if isinstance(prior, (list, tuple)) or (isinstance(prior, np.ndarray) and prior.ndim == 1):
            return tuple(positive(parameter, "prior", least=least, most=most) for parameter in prior)
        return positive(prior, "prior", least=least, most=most)
    except NumberError as error:
        allowed = (
            f"{decimal(least)} to {decimal(most)}: one number, or a list with one for each cell in order; "
            f'or "{LEARNED}"'
        )
        raise ModelError(error.what, asked=error.asked, allowed=allowed) from None
