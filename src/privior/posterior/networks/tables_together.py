"""What is known of all tables of a network together: summed where there are few data sets, else by chains."""

from __future__ import annotations

from collections.abc import Callable

from privior.posterior.networks.class_sums import class_sums
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_lists import CliqueLists
from privior.posterior.networks.joint_sums import SummedTables, summable
from privior.posterior.networks.joint_tables import joint_tables
from privior.posterior.networks.known_tables import KnownTables
from privior.posterior.shared import once


def tables_together(
    evidence: JointEvidence, tell: Callable[[float], None] = lambda part: None
) -> KnownTables:
    """Infer all tables as those of one data set; `tell` hears which part of the work is done."""
    model, schema = evidence.layout.model, evidence.layout.schema
    priors = model.parameters(schema)
    fixed = tuple(one for one in priors if one is not None)
    if len(fixed) == len(priors) and summable(evidence.layout, evidence.total):
        layout, total = evidence.layout, evidence.total
        lists = once((CliqueLists, layout, total), lambda: CliqueLists(layout, total))
        return SummedTables(evidence, fixed, lists)
    summed = class_sums(evidence, fixed) if len(fixed) == len(priors) else None
    if summed is not None:
        return summed
    return joint_tables(evidence, model, tell=tell)
