"""`analyse`: what draws of a model promise, before anything is drawn."""

from __future__ import annotations

from privior.checks import strictly_within, whole_number
from privior.errors import PlanError
from privior.schema import Schema
from privior.smoothness import (  # noqa: F401 - each registers its models when it is loaded
    cells,
    finite_models,
    mean_precision,
    one_parameter,
    own_likelihood,
    precision_matrices,
    several_means,
)
from privior.smoothness.findings import ModelAnalysis
from privior.smoothness.subject import subject_of

_MOST_RECORDS, _MOST_DRAWS = 10**9, 10**4


def analyse(
    model: object,
    schema: Schema | None = None,
    *,
    records: int,
    draws: int = 1,
    distance: object = None,
    failure: object = "0.05",
) -> ModelAnalysis:
    """Analyse what posterior draws of a model reveal: free, without data.

    Args:
        model: a family, a table, a finite family, a Markov chain, or an own likelihood
        schema: the public facts of its columns; an own likelihood needs none
        records: n, their number, which is public
        draws: N
        distance: of two records: "records" (1 for any two, the default), "values", "statistic", "squares",
            or a function of two values; one that is not sufficient for the model is refused
        failure: the chance that bounds about draws may fail
    """
    for name, value, most in (("records", records, _MOST_RECORDS), ("draws", draws, _MOST_DRAWS)):
        whole_number(value, name, 1, most, where="analyse", error=PlanError)
    strictly_within(failure, "failure")
    return ModelAnalysis(subject_of(model, schema, distance), records, draws, str(failure))
