"""infer(): from what was released to what follows from it. Free, as often as one likes, without data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from privior.errors import InferenceError, shown
from privior.posterior.contract import posterior_of
from privior.posterior.progress import Progress, heard_by
from privior.posterior.quantity import check_seed
from privior.posterior.seeds import seeded
from privior.posterior.shared import sharing
from privior.privacy import REPLACE_ONE
from privior.release import Release

#: why releases that differ in something are not used together, and what to do
_ADVICE = {
    "neighbours": "The number of records is a public fact under replace-one and private under "
    "add-or-remove-one: a posterior takes it for one of the two. Infer from each kind by itself.",
}


def infer(
    releases: Release | str | Path | Sequence[Release],
    *,
    prior: object = None,
    noise: Literal["account", "ignore"] = "account",
    progress: Progress | None = None,
    seed: int = 0,
) -> Any:
    """Return the posterior given one release, or several of the same table.

    The true statistics are unknown: they are summed out exactly where that is feasible and sampled otherwise.
    Where the number of records is private, releases may declare different largest numbers: all of them hold,
    so the smallest is used, and its release stands first.

    Args:
        releases: a release or the path of its file, or several releases of one table of one population
        prior: the analyst's own prior: for tables parameters, one number or one per cell, or "learned", or
            `pv.ExchangeablePrior()`; for families a law such as `pv.Gamma(2, 1)`; for finite families the
            weights of the models; else the model's
        noise: "account" for the privacy noise, or "ignore" it and take noisy statistics as true ones:
            for comparison only, since the intervals come out too narrow
        progress: hears which part of the longest run is done, from 0 to 1, where Markov chains are run over
            the data sets of a network: they end earlier if they agree

    Returns:
        the model's kind of `Posterior`: for a table a `CategoricalPosterior`, and so on
    """
    read = Release.read(releases) if isinstance(releases, (str, Path)) else releases
    given = _checked(read, priors_matter=prior is None)
    if noise not in ("account", "ignore"):
        raise InferenceError("unknown way to treat noise", asked=shown(noise), allowed='"account", "ignore"')
    kind = posterior_of(given[0].plan.model)
    with heard_by(progress), seeded(check_seed(seed)):
        return kind.given(tuple(given), prior, ignore_noise=noise == "ignore")


def infer_many(
    releases: Iterable[Release | str | Path],
    *,
    prior: object = None,
    noise: Literal["account", "ignore"] = "account",
    seed: int = 0,
) -> Iterator[Any]:
    """Yield the posterior given each of many releases of one plan, each of a table of its own.

    The answers are those of `infer`, release by release. What depends on the plan alone is made once: how the
    tables of a network hang together, which data sets there may be, how chains move. Compiled code is loaded
    once as well, which is most of what a program that infers one release spends.

    Args:
        releases: releases of one plan, or the paths of their files; they are read one after the other
        prior: the analyst's own prior, as for `infer`
        noise: likewise
        seed: likewise, the same for all
    """
    made, plan = dict[Hashable, Any](), None
    for one in releases:
        read = Release.read(one) if isinstance(one, (str, Path)) else one
        (release,) = _checked([read], priors_matter=False)
        plan = release.plan if plan is None else plan
        if release.plan is not plan and release.plan.digest != plan.digest:
            advice = "Infer from those of each plan by themselves. Several releases of one table: infer."
            raise InferenceError("the releases are not of one plan", asked=release.identifier, advice=advice)
        with sharing(made):
            posterior = infer(release, prior=prior, noise=noise, seed=seed)
        yield posterior


def _checked(releases: object, *, priors_matter: bool) -> list[Release]:
    """Refuse releases that do not speak of the same table."""
    several = list(releases) if isinstance(releases, (list, tuple)) else [releases]
    given = [release for release in several if isinstance(release, Release)]
    if not given or len(given) < len(several):
        advice = "Read one with pv.Release.read(path)."
        raise InferenceError("not a release", asked=shown(releases), advice=advice)
    first = given[0].plan
    private = first.neighbours is not REPLACE_ONE
    for other in (release.plan for release in given[1:]):
        facts = {
            "population": (other.schema.population, first.schema.population),
            "columns": (other.model.columns, first.model.columns),
            "schema": (other.schema, first.schema),
            "family": (other.model.family, first.model.family),
            "model": (_kind(other.model), _kind(first.model)),
            "group": (other.group, first.group),
            "neighbours": (other.neighbours, first.neighbours),
            "number of records": (None, None) if private else (other.records, first.records),
        }
        for name, (asked, allowed) in facts.items():
            if asked != allowed:
                what = f"the releases are not of one table: they differ in their {name}"
                said = str(asked)[:80], str(allowed)[:80]
                raise InferenceError(what, asked=said[0], allowed=said[1], advice=_ADVICE.get(name))
    if priors_matter and len({release.plan.model.prior for release in given}) > 1:
        raise InferenceError("the releases were planned with different priors", advice="Say prior=...")
    if len({release.identifier for release in given}) < len(given):
        raise InferenceError("the same release is given twice", advice="It would count as two measurements.")
    return in_order(given)


def in_order(releases: Sequence[Release]) -> list[Release]:
    """Return releases with the smallest declared number of records first, else in their order."""
    return sorted(releases, key=lambda release: release.plan.records)


def _kind(model: Any) -> object:
    """Return what must be the same for releases to speak of the same thing: the model but for its prior."""
    return {name: fact for name, fact in model.to_document().items() if name != "prior"}
