"""The bins of a histogram that is compared with a family: they follow from the family's release alone.

Where the family leaves records with bad cells out and their number is public, a table of counts cannot: every
record is counted. Bad cells then count as the first or the last value of the column, whichever the family
has less often, in a bin of its own that is not compared; of the others it is asked how they are divided.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privior.errors import InferenceError
from privior.exact import decimal
from privior.models import Model
from privior.models.families.family import numeric
from privior.posterior.contract import Posterior
from privior.schema import DROP, Binned, Column, Schema

#: the shares of records below the edges of bins, as the family has it
_SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
#: parameters that tell where bins begin, and their seed
_TYPICAL, _SEED = 200, 20_261_118


def check_shape(model: Model) -> None:
    """Refuse a model that says nothing of the shape of a column which its own release could not tell."""
    if not model.assumption:
        raise InferenceError(
            "nothing of this model is left for a histogram to tell: it gives no column a shape",
            where="check-fit",
            asked=f"{model.family} of {' x '.join(model.columns[:5])}"
            + (f" and {len(model.columns) - 5} more" if len(model.columns) > 5 else ""),
            allowed="families of numbers, such as gamma-poisson or normal-mean-precision",
            advice="Ask the release itself. Its print, report and answers warn if it contradicts its prior.",
        )


def histogram_schema(family: Posterior, column: str, *, counts_all: bool = False) -> Schema:
    """Return the schema with a column in bins that the family's release tells apart well.

    Bins begin where the fitted family has 1%, 5%, 10%, 20%, ... 99% of records below: public, since the
    release is, and wide enough for any noise that leaves anything to see.

    Args:
        family: the family's posterior
        column: one of its columns
        counts_all: whether no record can be left out, since their number is public
    """
    check_shape(family.model)
    schema, numbers = family.schema, family.numbers
    lower, step, size = numeric(schema, column, "histogram")
    theta = family.draws(_TYPICAL, _SEED)

    def below(code: int) -> float:
        return float(np.mean(numbers.at_most(column, code)(theta)))

    def first(share: float) -> int:
        low, high = 0, size - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if below(middle) >= share else (middle + 1, high)
        return low

    starts, code = {first(share) + 1 for share in _SHARES}, schema.column(column).missing_code
    if code is None and counts_all:
        code = 0 if below(0) < 1 - below(size - 2) else size - 1
        starts.add(1 if code == 0 else code)
    codes = sorted(starts & set(range(1, size)))
    if not codes:
        raise InferenceError("the family has all records at one value: no bins tell anything", asked=column)
    half = Fraction(0) if step == 1 else step / 2  # where cells are rounded to the grid
    edges = [lower, *(lower + step * one - half for one in codes), lower + step * size]
    binned = Binned(edges)
    missing = DROP if code is None else binned.labels[binned.code(decimal(lower + step * code))]
    columns: dict[str, Column] = {**schema.columns, column: Binned(edges, missing)}
    return Schema(columns, population=schema.population, unit=schema.unit, csv=schema.csv)


def apart(schema: Schema, column: str, kind: Column) -> int | None:
    """Return the bin with the bad cells, if the family of this schema leaves those out; else None."""
    return kind.missing_code if schema.column(column).missing_code is None else None


def codes_below(schema: Schema, column: str, kind: Column) -> list[int]:
    """Return for each bin but the last the largest code of the family's column that lies in it."""
    lower, step, size = numeric(schema, column, "histogram")
    if not isinstance(kind, Binned):
        return list(range(size - 1))
    codes = [-((lower - edge) // step) - 1 for edge in kind.edges[1:-1]]  # the last value below each edge
    return [min(max(int(code), -1), size - 1) for code in codes]
