"""The analysis of a histogram that tells whether a family fits its column."""

from __future__ import annotations

from privior.analyses.analysis import Analysis
from privior.models import DirichletCategorical
from privior.posterior import Posterior, infer
from privior.posterior.fit_bins import histogram_schema
from privior.privacy import REPLACE_ONE, Budget
from privior.release import Release


def histogram_for(
    family: Posterior | Release, *, epsilon: object, delta: object = 0, column: str | None = None
) -> Analysis:
    """Return the analysis of a histogram to compare a family with (`pv.check_fit`): an ordinary table.

    Its bins follow from the family's release, which is public. Releasing it costs what is asked here. Of a
    family of one group the histogram is of that group too: a batch by its column, which costs the same. Where
    the family leaves bad cells out and the number of records is public, they are in a bin of their own.

    Args:
        family: the family's posterior, or its release
        epsilon: what to spend on the histogram
        delta: likewise
        column: which one, where the family has several; else the first
    """
    belief: Posterior = infer(family) if isinstance(family, Release) else family
    plan = belief.releases[0].plan
    name = plan.model.columns[0] if column is None else column
    schema = histogram_schema(belief, name, counts_all=plan.neighbours is REPLACE_ONE)
    model = DirichletCategorical(name)
    model.sensitivity(schema, plan.neighbours)  # refuses what could not be released
    return Analysis(schema, model, plan.records, Budget.of(epsilon, delta), plan.neighbours)
