"""The posterior of the model of a finite family, given noisy counts or draws of a model.

Noisy counts: their probability under each model is a sum over all tables (`known_cells`). Draws of a model
depend on the table as a whole, through the sum of all weights, so tables are listed where they are few
enough, and drawn from each model otherwise: the probability of the draws is an average, with a stated error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import FiniteFamily, Observed
from privior.posterior.contract import released_draws
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.finite.known_cells import log_evidence
from privior.posterior.seeds import drawing
from privior.posterior.tables.counts_given import cell_evidence, check_single, total_of
from privior.release import Release
from privior.special import gammaln

#: a mechanism that draws models and knows their laws (`log_laws`), and how often each was drawn
DrawnModel = tuple[Any, Observed]

#: tables that are listed, and how many are drawn from each model if there are more
_MOST_TABLES, _DRAWN, _SEED = 200_000, 4000, 20_261_116


@dataclass(frozen=True, eq=False)
class ModelChances:
    """The probability of each model.

    Attributes:
        shares: one for each model
        method: how they were found, in words
        error: the standard error of the shares, where tables were drawn; 0 otherwise
    """

    shares: Floats
    method: str
    error: float = 0.0


def model_chances(releases: Sequence[Release], model: FiniteFamily) -> ModelChances:
    """Return the posterior given all releases of one table."""
    total = total_of(releases)
    evidence = cell_evidence(releases)
    drawn = [(one.plan.mechanism, one.statistics) for one in releases if released_draws(one)]
    if not drawn:
        logs = [log_evidence(evidence, law, total) for law in model.log_chances()]
        found = [one for one in logs if one is not None]
        if len(found) < len(logs):
            raise InferenceError(
                "the probability of these counts cannot be summed under every model",
                asked=f"{total.most} records, {len(releases[0].statistics.counts)} cells",
                advice="Release fewer cells, or leave out models that the counts contradict.",
            )
        return ModelChances(_shares(model.log_prior() + np.array(found)), "summed over all tables")
    tables = _listed(total, len(model.chances[0]))
    if tables is not None:
        return _by_list(model, total, tables, evidence, drawn)
    if evidence:
        raise InferenceError(
            "draws of a model and noisy counts are used together only where all tables can be listed",
            allowed=f"{_MOST_TABLES} tables",
            advice="Infer from one of them.",
        )
    return _by_drawing(model, total, drawn)


def certain_chances(releases: Sequence[Release], model: FiniteFamily) -> ModelChances:
    """Take the noisy counts of one release as the true ones."""
    check_single(releases)
    plan = releases[0].plan
    if released_draws(releases[0]):
        raise InferenceError(
            "a release of draws has no noise that could be ignored",
            asked=plan.mechanism.name,
            advice="The draws themselves are release.statistics.",
        )
    counts = np.maximum(releases[0].statistics.amounts, 0)
    return ModelChances(model.update(plan.schema, counts), "privacy noise ignored")


def _listed(total: Total, cells: int) -> Integers | None:
    """Return all tables that may have been; None if there are too many."""
    bins = cells if total.known else cells + 1  # records that are missing from the largest number
    if bins > 40 or math.comb(total.most + bins - 1, bins - 1) > _MOST_TABLES:
        return None
    places = total.most + bins - 1
    bars = np.array(list(combinations(range(places), bins - 1)), dtype=np.int64).reshape(-1, bins - 1)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), places)])
    return np.asarray(np.diff(edges, axis=1)[:, :cells] - 1)


def _by_list(
    model: FiniteFamily,
    total: Total,
    tables: Integers,
    evidence: Sequence[CellEvidence],
    drawn: Sequence[DrawnModel],
) -> ModelChances:
    common = gammaln(tables.sum(axis=1) + 1) - gammaln(tables + 1).sum(axis=1)
    for one in evidence:
        away = one.observed - tables
        common = common - np.abs(away) @ one.rates - (away * away) @ one.curvatures / 2
    for mechanism, observed in drawn:
        common = common + mechanism.log_laws(tables) @ np.array(observed.counts, dtype=np.float64)
    logs = common + model.log_chances() @ tables.T  # draws are made only where all chances are positive
    most = logs.max(axis=1)
    found = most + np.log(np.exp(logs - most[:, np.newaxis]).sum(axis=1))
    return ModelChances(
        _shares(model.log_prior() + found), f"summed over {len(tables)} tables, all there are"
    )


def _by_drawing(model: FiniteFamily, total: Total, drawn: Sequence[DrawnModel]) -> ModelChances:
    rng = drawing(_SEED)
    found, errors = [], []
    for law in np.exp(model.log_chances()):
        records = total.most if total.known else rng.integers(0, total.most + 1, size=_DRAWN)
        tables = rng.multinomial(records, law / law.sum(), size=_DRAWN)
        logs = np.zeros(_DRAWN)
        for mechanism, observed in drawn:
            logs += mechanism.log_laws(tables) @ np.array(observed.counts, dtype=np.float64)
        most = float(logs.max())
        weights = np.exp(logs - most)
        found.append(most + math.log(float(weights.mean())))
        errors.append(float(weights.std() / weights.mean()) / math.sqrt(_DRAWN))
    shares = _shares(model.log_prior() + np.array(found))
    error = float(np.max(shares * (1 - shares) * np.array(errors)))
    return ModelChances(shares, f"averaged over {_DRAWN} tables drawn from each model", error)


def _shares(logs: Floats) -> Floats:
    if not np.isfinite(logs.max()):
        raise InferenceError("no model can have given this release")
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())
