"""Every family, of one parameter or of several, and the ways in which a release of it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import family_cases
import joint_cases

import privior as pv

RECORDS = 400
#: how a release is made: the mechanism, delta, the relation; pure draws are of a family with a cut prior
WAYS: dict[str, tuple[Any, str, pv.Neighbours]] = {
    "laplace": (pv.NoisyStatistics, "0", pv.REPLACE_ONE),
    "gaussian": (pv.NoisyStatistics, "1e-5", pv.REPLACE_ONE),
    "private number": (pv.NoisyStatistics, "0", pv.ADD_OR_REMOVE_ONE),
    "private number, gaussian": (pv.NoisyStatistics, "1e-5", pv.ADD_OR_REMOVE_ONE),
    "draws": (pv.PosteriorDraws, "1e-5", pv.REPLACE_ONE),
    "pure draws": (pv.PosteriorDraws, "0", pv.REPLACE_ONE),
}


def planned(model: Any, schema: pv.Schema, way: str, epsilon: object) -> pv.Plan:
    """Plan a release that is made this way."""
    mechanism, delta, relation = WAYS[way]
    facts = {"records": RECORDS, "neighbours": relation, "mechanism": mechanism}
    return pv.plan(model, schema, epsilon=epsilon, delta=delta, **facts)


@dataclass(frozen=True)
class Summed:
    """A family.

    Attributes:
        name: of the case
        schema: of its columns
        model: with its prior
        by_way: of what a release is made in each way; None if there are none
        wrong: a prior that is not conjugate
        epsilon: of the releases
    """

    name: str
    schema: pv.Schema
    model: Any
    by_way: dict[str, Any]
    wrong: Any
    epsilon: int


def _one(case: family_cases.Case) -> Summed:
    model = case.model
    wrong = pv.Normal(0, stddev=1) if model.conjugate is not pv.Normal else pv.Beta()
    by_way = {way: case.cut if way == "pure draws" else model for way in WAYS}
    return Summed(f"{case.name}-{model.column}", family_cases.SCHEMA, model, by_way, wrong, 3)


def _several(case: joint_cases.Case) -> Summed:
    model = case.model
    several = pv.MultivariateNormal([0], [[1]])
    wrong = several if isinstance(model.prior, pv.NormalGamma) else pv.NormalGamma(0, 1, 1, 1)
    return Summed(case.name, joint_cases.SCHEMA, model, {way: case.for_way(way) for way in WAYS}, wrong, 8)


SUMMED = [*map(_one, family_cases.CASES), *map(_several, joint_cases.CASES)]
