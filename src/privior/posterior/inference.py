"""infer(): from what was released to what follows from it. Free, as often as one likes, without data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from privior.errors import InferenceError, shown
from privior.mechanisms import PosteriorRelease
from privior.models import DirichletCategorical
from privior.posterior.categorical import CategoricalPosterior
from privior.posterior.certain import CertainCounts
from privior.posterior.evidence import CellEvidence, Total
from privior.posterior.latent import latent_counts
from privior.release import Release


def infer(
    releases: Release | str | Path | Sequence[Release],
    *,
    prior: object = None,
    noise: Literal["account", "ignore"] = "account",
) -> CategoricalPosterior:
    """Return the posterior given one release, or several of the same table.

    The true counts are unknown: they are summed out exactly where that is feasible and sampled otherwise.

    Args:
        releases: a release or the path of its file, or several releases of one table of one population
        prior: the analyst's own prior parameters, one number or one per cell; else the model's
        noise: "account" for the privacy noise, or "ignore" it and take the noisy counts as true ones:
            for comparison only, since the intervals come out too narrow
    """
    read = Release.read(releases) if isinstance(releases, (str, Path)) else releases
    given = _checked(read, priors_matter=prior is None)
    plan = given[0].plan
    model = plan.model if prior is None else DirichletCategorical(plan.model.columns, prior)
    parameters = model.parameters(plan.schema)
    drawn = [release for release in given if isinstance(release.plan.mechanism, PosteriorRelease)]
    if noise == "ignore":
        if drawn:
            raise InferenceError(
                "a release from the posterior has no noise that could be ignored",
                asked=drawn[0].plan.mechanism.name,
                advice="The draws themselves are release.statistics.",
            )
        if len(given) > 1:
            raise InferenceError("noise can be ignored for one release only", asked=f"{len(given)} releases")
        latent = CertainCounts(np.maximum(given[0].statistics.array(), 0), parameters)
        return CategoricalPosterior(tuple(given), model, latent)
    if noise != "account":
        raise InferenceError("unknown way to treat noise", asked=shown(noise), allowed='"account", "ignore"')
    evidence = [
        CellEvidence(
            release.statistics.array(),
            release.plan.mechanism.cell_noise.rates,
            release.plan.mechanism.cell_noise.curvatures,
        )
        for release in given
        if release not in drawn
    ]
    gammas = [
        release.plan.mechanism.cell_gammas(release.statistics)
        for release in drawn
        if isinstance(release.plan.mechanism, PosteriorRelease)
    ]
    total = Total(most=plan.records * plan.schema.unit.max_rows, known=plan.total_public)
    return CategoricalPosterior(
        tuple(given), model, latent_counts(evidence, parameters, total, gammas=gammas)
    )


def _checked(releases: object, *, priors_matter: bool) -> list[Release]:
    """Refuse releases that do not speak of the same table."""
    several = list(releases) if isinstance(releases, (list, tuple)) else [releases]
    given = [release for release in several if isinstance(release, Release)]
    if not given or len(given) < len(several):
        advice = "Read one with pv.Release.read(path)."
        raise InferenceError("not a release", asked=shown(releases), advice=advice)
    first = given[0].plan
    for other in (release.plan for release in given[1:]):
        facts = {
            "population": (other.schema.population, first.schema.population),
            "columns": (other.model.columns, first.model.columns),
            "schema": (other.schema, first.schema),
            "number of records": (other.records, first.records),
            "neighbours": (other.neighbours, first.neighbours),
        }
        for name, (asked, allowed) in facts.items():
            if asked != allowed:
                what = f"the releases are not of one table: they differ in their {name}"
                raise InferenceError(what, asked=str(asked)[:80], allowed=str(allowed)[:80])
    if priors_matter and len({release.plan.model.prior for release in given}) > 1:
        raise InferenceError("the releases were planned with different priors", advice="Say prior=...")
    if len({release.identifier for release in given}) < len(given):
        raise InferenceError("the same release is given twice", advice="It would count as two measurements.")
    return given
