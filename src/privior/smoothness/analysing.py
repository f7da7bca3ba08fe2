"""`analyse`: what a model promises before anything is drawn, and what the papers' bounds make of it."""

from __future__ import annotations

from privior.errors import PlanError, shown
from privior.privacy.published.readings import within
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
from privior.smoothness.report import ModelAnalysis
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
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise PlanError(
                f"{name} is out of range", where="analyse", asked=shown(value), allowed=f"1 to {most}"
            )
    within(failure, "failure")
    return ModelAnalysis(subject_of(model, schema, distance), records, draws, str(failure))
