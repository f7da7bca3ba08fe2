"""infer(): from what was released to what follows from it. Free, as often as one likes, without data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.mechanisms import CellGammas, PosteriorRelease
from privior.models import DirichletCategorical, FiniteFamily, LearnedPrior, MarkovChain, Model
from privior.plans import FamilyPlan, FinitePlan, JointPlan, TablePlan
from privior.posterior.counts.certain import CertainCounts
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import LatentCounts
from privior.posterior.counts.learned_counts import learned_counts
from privior.posterior.counts.least_counts import least_counts
from privior.posterior.counts.listed_counts import listed_counts
from privior.posterior.families.joint_posterior import JointPosterior
from privior.posterior.families.parameter_posterior import ParameterPosterior
from privior.posterior.finite.finite_posterior import FinitePosterior
from privior.posterior.tables.categorical import CategoricalPosterior
from privior.posterior.tables.markov import MarkovPosterior
from privior.release import Release

Tables = Release[TablePlan] | Sequence[Release[TablePlan]]
Families = Release[FamilyPlan] | Sequence[Release[FamilyPlan]]
Finite = Release[FinitePlan] | Sequence[Release[FinitePlan]]
Joints = Release[JointPlan] | Sequence[Release[JointPlan]]
Noise = Literal["account", "ignore"]


@overload
def infer(releases: Tables, *, prior: object = ..., noise: Noise = ...) -> CategoricalPosterior: ...


@overload
def infer(releases: Families, *, prior: object = ..., noise: Noise = ...) -> ParameterPosterior: ...


@overload
def infer(releases: Finite, *, prior: object = ..., noise: Noise = ...) -> FinitePosterior: ...


@overload
def infer(releases: Joints, *, prior: object = ..., noise: Noise = ...) -> JointPosterior: ...


@overload
def infer(
    releases: str | Path, *, prior: object = ..., noise: Noise = ...
) -> CategoricalPosterior | ParameterPosterior | FinitePosterior | JointPosterior: ...


def infer(
    releases: Release | str | Path | Sequence[Release],
    *,
    prior: object = None,
    noise: Noise = "account",
) -> CategoricalPosterior | ParameterPosterior | FinitePosterior | JointPosterior:
    """Return the posterior given one release, or several of the same table.

    The true statistics are unknown: they are summed out exactly where that is feasible and sampled otherwise.

    Args:
        releases: a release or the path of its file, or several releases of one table of one population
        prior: the analyst's own prior: for tables parameters, one number or one per cell, or
            `pv.LearnedPrior()`; for families a law such as `pv.Gamma(2, 1)`; for finite families the
            weights of the models; else the model's
        noise: "account" for the privacy noise, or "ignore" it and take noisy statistics as true ones:
            for comparison only, since the intervals come out too narrow
    """
    read = Release.read(releases) if isinstance(releases, (str, Path)) else releases
    given = _checked(read, priors_matter=prior is None)
    if noise not in ("account", "ignore"):
        raise InferenceError("unknown way to treat noise", asked=shown(noise), allowed='"account", "ignore"')
    if isinstance(given[0].plan, FamilyPlan):
        return ParameterPosterior.given(tuple(given), prior, ignore_noise=noise == "ignore")
    if isinstance(given[0].plan, FinitePlan):
        return FinitePosterior.given(tuple(given), prior, ignore_noise=noise == "ignore")
    if isinstance(given[0].plan, JointPlan):
        return JointPosterior.given(tuple(given), prior, ignore_noise=noise == "ignore")
    return _categorical(given, prior, ignore_noise=noise == "ignore")


def _categorical(
    given: list[Release[TablePlan]], prior: object, *, ignore_noise: bool
) -> CategoricalPosterior:
    plan = given[0].plan
    learned = prior if isinstance(prior, LearnedPrior) else None
    own = prior is not None and learned is None
    model = plan.model.with_prior(prior) if own else plan.model
    parameters = model.parameters(plan.schema)
    if ignore_noise:
        if learned is not None:
            raise InferenceError("a prior is learned from noisy counts with their noise", asked="ignore")
        return _posterior(given, model, _certain(given, parameters))
    evidence, gammas = _evidence(given)
    listed = len(evidence) + len(gammas) < len(given)
    if gammas and listed:
        raise InferenceError("draws and tables by Hellinger distance are not used together")
    if learned is not None and (gammas or listed):
        raise InferenceError("a prior is learned from noisy counts only", asked=given[0].plan.mechanism.name)
    total = Total(most=plan.records * plan.schema.unit.max_rows, known=plan.total_public)
    latent: LatentCounts
    if listed:
        latent = listed_counts(given, parameters)
    elif learned is not None:
        latent = learned_counts(evidence, parameters.size, learned, total)
    else:
        latent = least_counts(
            evidence, parameters, total, gammas, max(release.plan.least for release in given)
        )
    return _posterior(given, model, latent)


def _posterior(
    given: list[Release[TablePlan]], model: DirichletCategorical, latent: LatentCounts
) -> CategoricalPosterior:
    if isinstance(model, MarkovChain):
        return MarkovPosterior(tuple(given), model, latent)
    return CategoricalPosterior(tuple(given), model, latent)


def _certain(given: list[Release[TablePlan]], parameters: NDArray[np.float64]) -> CertainCounts:
    """Take the noisy counts of one release as the true ones."""
    mechanism = given[0].plan.mechanism
    if isinstance(mechanism, PosteriorRelease):
        raise InferenceError(
            "a release from the posterior has no noise that could be ignored",
            asked=mechanism.name,
            advice="The draws themselves are release.statistics.",
        )
    if len(given) > 1:
        raise InferenceError("noise can be ignored for one release only", asked=f"{len(given)} releases")
    return CertainCounts(np.maximum(given[0].statistics.array(), 0), parameters)


def _evidence(given: list[Release[TablePlan]]) -> tuple[list[CellEvidence], list[CellGammas]]:
    """Return what noisy counts and what posterior draws say of each cell; other releases say neither."""
    evidence, gammas = [], []
    for release in given:
        mechanism, observed = release.plan.mechanism, release.statistics
        noise = mechanism.cell_noise
        if isinstance(mechanism, PosteriorRelease):
            gammas.append(mechanism.cell_gammas(observed))
        elif noise is not None:
            evidence.append(CellEvidence(observed.array(), noise.rates, noise.curvatures))
    return evidence, gammas


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
            "family": (_kind(other.model), _kind(first.model)),
            "group": (other.group, first.group),
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


def _kind(model: Model) -> object:
    """Return what must be the same for releases to speak of the same thing: of a finite family its models."""
    return (model.names, model.chances) if isinstance(model, FiniteFamily) else model.family
