"""Draws of the weights of a logistic regression given noisy moments of its features and its target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privior.arrays import Floats
from privior.models import LogisticRegression, MomentLayout
from privior.posterior.diagnostics import Diagnostics, split_r_hat
from privior.posterior.regression.feature_law import left_by_records
from privior.posterior.regression.hamiltonian import shape_at_mode, walk
from privior.posterior.regression.index_target import LOG_INDEX, IndexTarget
from privior.posterior.regression.logistic_draws import LogisticDraws
from privior.posterior.regression.moments_law import MEAN_STDDEV
from privior.posterior.regression.observations import Observations
from privior.posterior.regression.regression_draws import FREEDOM, Mixing
from privior.posterior.seeds import drawing
from privior.privacy import REPLACE_ONE
from privior.release import Release

_SEED = 20_261_119
_CHAINS, _FORGOTTEN, _KEPT = 8, 100, 150
#: typical numbers, for units of coordinates alone: curvature of a record, scatter of a feature
_CURVED, _TYPICAL_V = 0.15, 0.3
#: chains start so near to the mode that none begins where steps are too long for it
_APART = 0.4


def drawn_from_moments(releases: Sequence[Release], model: LogisticRegression) -> LogisticDraws:
    """Sample weights and latent moments together."""
    plan = releases[0].plan
    said, public = Observations.of(releases), plan.neighbours is REPLACE_ONE
    return sampled_from_moments(said, plan.mechanism.layout, model.scale, plan.records, public=public)


def sampled_from_moments(
    said: Observations,
    layout: MomentLayout,
    stddev: float | None,
    records: int,
    *,
    public: bool,
    seed: int = _SEED,
    kept: int = _KEPT,
) -> LogisticDraws:
    """Sample given observations; see `drawn_from_moments`.

    Args:
        said: what releases say of the moments
        layout: of these moments
        stddev: of the weights; None if it is learned
        records: their number; the largest one where it is private
        public: whether it is public
        seed: of the chains
        kept: states of each chain that are kept
    """
    d = len(layout.design.features)
    target = IndexTarget(
        d,
        layout.design.terms,
        float(records),
        public,
        said.rows,
        said.seen,
        1 / said.variances,
        stddev,
        d + FREEDOM,
        _power(said, layout, float(records)),
    )
    heavy, rng = said.heavy.astype(bool), drawing(seed)
    shape = shape_at_mode(target.density, _start(said, target), target.scales)
    mixing = Mixing(target, heavy, rng, _CHAINS) if heavy.any() else None
    found = walk(
        target.density if mixing is None else mixing.density,
        shape,
        rng,
        chains=_CHAINS,
        forgotten=_FORGOTTEN if mixing is None else 2 * _FORGOTTEN,
        kept=kept,
        apart=_APART,
        between=None if mixing is None else mixing.draw,
    )
    parts = target.parts(found.states.reshape(-1, target.size))
    weights = np.column_stack([parts["first"], parts["w"] / np.sqrt(target.terms)])
    away = (parts["n"][:, None] * target.moments(parts)) @ target.rows.T - target.seen
    diagnostics = Diagnostics.of_chains(
        r_hat=split_r_hat(_shown(target, parts, weights).reshape(_CHAINS, kept, -1)),
        acceptance=found.acceptance,
        chains=_CHAINS,
        sweeps=_FORGOTTEN + kept,
        moves=float(found.slopes),
        misfit=float((away**2 * target.precisions)[:, : said.published].mean()),
        method="Hamiltonian Monte Carlo over latent moments",
    )
    return LogisticDraws(weights, _alone(target, parts, weights), diagnostics)


def _shown(target: IndexTarget, parts: dict[str, Floats], weights: Floats) -> Floats:
    """Return of each state what chains must agree about: rounding would tell constants apart."""
    scales = [parts["v"]]
    scales += [parts["tau"]] if target.stddev is None else []
    scales += [] if target.public else [parts["n"]]
    return np.column_stack([weights, *map(np.log, scales)])


def _power(said: Observations, layout: MomentLayout, records: float) -> float:
    """Return 1 where noise leaves the weights to their prior, 0 where it tells them, by public numbers."""
    design, d = layout.design, len(layout.design.features)
    last = d + 1
    kinds = [one.column == last and 0 < one.row < last for one in layout.moments]
    noise = said.variances[(np.abs(said.rows[:, kinds]) > 0).any(axis=1)]
    slope = records * _CURVED * _TYPICAL_V / design.terms
    weight = np.exp(2 * LOG_INDEX[0]) * design.terms / (_TYPICAL_V * d)
    return float(1 / (1 + slope**2 * weight / (np.median(noise) + slope)))


def _alone(target: IndexTarget, parts: dict[str, Floats], weights: Floats) -> Floats:
    """Return the standard deviations that records alone would leave, averaged over some draws."""
    some = slice(None, None, 8)
    scatter = target.terms * (parts["L"] @ parts["L"].transpose(0, 2, 1))[some]
    means = np.sqrt(target.terms) * parts["mu"][some]
    return left_by_records(parts["n"][some], means, scatter, weights[some], parts["tau"][some])


def _start(said: Observations, target: IndexTarget) -> Floats:
    """Return coordinates near what was seen."""
    d, terms, cut = target.features, target.terms, target.places
    weight = np.sqrt(1 / said.variances)
    raw = np.linalg.lstsq(said.rows * weight[:, None], said.seen * weight, rcond=None)[0]
    n = target.records if target.public else float(np.clip(raw[-1], 2.0 * d + 10, 0.99 * target.records))
    above = np.triu_indices(d)
    size = len(above[0])
    square = np.zeros((d, d))
    square[above] = raw[:size] / n
    end = 1 / np.sqrt(terms)
    mean = np.clip(raw[size : size + d] / n, -end, end)
    values, vectors = np.linalg.eigh(square + np.triu(square, 1).T - np.outer(mean, mean))
    v = float(np.clip(values.mean(), 0.1 / terms, 1.0 / terms))
    scatter = (vectors * np.maximum(values, 0.2 * v)) @ vectors.T
    lower = np.linalg.cholesky(scatter) / np.sqrt(v)
    lower[np.diag_indices(d)] = np.log(np.diag(lower))
    point = target.middle.copy()
    point[: cut[1]] = lower[np.tril_indices(d)]
    point[cut[1] : cut[2]] = mean / (MEAN_STDDEV * end)
    point[cut[5]] = np.log(v)
    if not target.public:
        point[cut[7]] = target.place(n)
    return point
