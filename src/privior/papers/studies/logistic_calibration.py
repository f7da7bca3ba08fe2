"""Do predictions come true? Weights from the prior, records made with them, a release, new records.

Four ways at epsilon 1: draws of the Gibbs posterior at the temperature that this allows, draws of the
posterior itself, which protect nobody, objective perturbation, and noisy moments. Releases are simulated in
floats, by the laws of their noise and from fixed seeds; each predicts as it does in privior.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.mechanisms import GaussianMoments, ObjectivePerturbation
from privior.models import LogisticLoss, LogisticRegression
from privior.papers.studies.simulated_draws import simulated
from privior.papers.studies.study import Row, StudyRows
from privior.pictures import FanChart, Picture
from privior.randomness import Potential, envelope
from privior.schema import Boolean, Bounded, Schema
from privior.special import betaincinv

#: features of the simulated records, with an intercept, each in [-1, 1]
SIZE = 4
#: parts of the range of predictions; records of a table to learn from, and as many to predict; draws that are
#: averaged; a part with fewer records is left out
_PARTS, _SMALL, _EACH, _LEAST = 10, 400, 20, 50
#: weights that a release stands for, of the rows and labels that it was made of
_Way = Callable[[Floats, Floats, np.random.Generator], Floats]
TEMPERED, ITSELF, PERTURBED, MOMENTS = (
    "Gibbs draws",
    "the posterior itself",
    "objective perturbation",
    "moments",
)


def calibrated(temperature: float, delta: Fraction, tables: int, fewer: int) -> StudyRows:
    """Return how often the second level occurs by the chance that was predicted for it, in ten parts.

    Intervals: 90%, Jeffreys' for as many independent records as tell as much as these, which resemble each
    other within a table. Parts with fewer than 50 records are left out.

    Args:
        temperature: of the Gibbs posterior at epsilon 1
        delta: of all releases
        tables: how many are made
        fewer: how many of them moments are released of, which take a second each
    """
    ways: dict[str, tuple[_Way, int]] = {
        TEMPERED: (_draws(temperature), tables),
        ITSELF: (_draws(1.0), tables),
        PERTURBED: (_perturbed(delta), tables),
        MOMENTS: (_moments(delta), fewer),
    }
    found = StudyRows()
    for way, (released, often) in ways.items():
        many, yes = np.zeros((often, _PARTS)), np.zeros((often, _PARTS))
        sums = np.zeros(_PARTS)
        for place in range(often):
            generator = np.random.default_rng([11, place])
            theta = generator.standard_normal(SIZE + 1)
            rows = generator.uniform(-1, 1, (2 * _SMALL, SIZE + 1))
            rows[:, 0] = 1
            labels = np.where(generator.uniform(size=len(rows)) < _chance(rows @ theta), 1.0, -1.0)
            weights = released(rows[:_SMALL], labels[:_SMALL], generator)
            chances = _chance(weights @ rows[_SMALL:].T).mean(axis=0)
            part = np.minimum((_PARTS * chances).astype(int), _PARTS - 1)
            many[place] = np.bincount(part, minlength=_PARTS)
            yes[place] = np.bincount(part, labels[_SMALL:] > 0, minlength=_PARTS)
            sums += np.bincount(part, chances, minlength=_PARTS)
        found += [{"way": way, **row} for row in _shares(many, yes, sums)]
    return found


def _shares(many: Floats, yes: Floats, sums: Floats) -> list[Row]:
    """Return predicted and observed shares of each part, by tables' records and those of the second level."""
    kept = np.flatnonzero(many.sum(axis=0) >= _LEAST)
    whole, ones = many.sum(axis=0)[kept], yes.sum(axis=0)[kept]
    share = ones / whole
    spread = ((yes[:, kept] - share * many[:, kept]) ** 2).sum(axis=0)
    plain = whole * share * (1 - share)
    together = spread.sum() / max(plain.sum(), 1e-9)
    alike = np.maximum(np.maximum(together, spread / np.maximum(plain, 1e-9)), 1.0)
    first, second = ones / alike + 0.5, (whole - ones) / alike + 0.5
    low = np.where(ones == 0, 0.0, betaincinv(first, second, 0.05))
    high = np.where(ones == whole, 1.0, betaincinv(first, second, 0.95))
    return [
        {
            "predicted": float(sums[one] / whole[at]),
            "observed": float(share[at]),
            "records": int(whole[at]),
            "low": float(low[at]),
            "high": float(high[at]),
        }
        for at, one in enumerate(kept)
    ]


def _draws(temperature: float) -> _Way:
    def drawn(rows: Floats, labels: Floats, generator: np.random.Generator) -> Floats:
        potential = Potential(rows, labels, LogisticLoss(), temperature, 1.0)
        return simulated(potential, envelope(potential), _EACH)

    return drawn


@cache
def _public() -> tuple[LogisticRegression, Schema]:
    """Return the model, whose prior is the one that weights are drawn from, and the schema of the records."""
    names = [f"x{place}" for place in range(SIZE)]
    columns = {"y": Boolean(), **{name: Bounded(-1, 1, grid="0.001") for name in names}}
    model = LogisticRegression(target="y", features=names, prior=1)
    return model, Schema(columns, population="made", unit="person")


def _perturbed(delta: Fraction) -> _Way:
    """Return the minimiser, found by Newton's method."""
    law = ObjectivePerturbation(*_public(), 1, delta, expected=_SMALL)

    def minimised(rows: Floats, labels: Floats, generator: np.random.Generator) -> Floats:
        signed, ridge, theta = rows * labels[:, None], float(law.ridge), np.zeros(rows.shape[1])
        tilt = math.sqrt(law.variance) * generator.standard_normal(len(theta))
        for _ in range(60):
            q = _chance(-(signed @ theta))
            curved = (signed * (q * (1 - q))[:, None]).T @ signed + ridge * np.eye(len(theta))
            step = np.linalg.solve(curved, ridge * theta + tilt - q @ signed)
            theta = theta - step / max(1.0, float(np.abs(signed @ step).max()) / 3)
            if np.abs(step).max() < 1e-9:
                break
        return theta[None, :]

    return minimised


def _moments(delta: Fraction) -> _Way:
    """Return draws of the weights given noisy moments."""
    from privior.posterior.regression.index_draws import sampled_from_moments  # with compiled loops
    from privior.posterior.regression.observations import Observations

    law = GaussianMoments(*_public(), 1, delta)
    reach = np.array([one.reach for one in law.layout.design.features], float)

    def drawn(rows: Floats, labels: Floats, generator: np.random.Generator) -> Floats:
        numbers = np.column_stack([rows[:, :1], np.rint(rows[:, 1:] * reach), labels])
        sums = numbers.T @ numbers
        true = np.array([sums[place] for place in law.layout.places])
        noisy = true + np.sqrt(law.variances) * generator.standard_normal(len(true))
        plan = SimpleNamespace(mechanism=law, records=len(rows), neighbours=law.neighbours)
        # what inference asks of a release; a real one has a ledger's receipt
        release: Any = SimpleNamespace(plan=plan, statistics=SimpleNamespace(counts=noisy))
        said = Observations.of([release])
        return sampled_from_moments(said, law.layout, 1.0, len(rows), public=True, seed=7, kept=60).weights

    return drawn


def _chance(z: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(z / 2)))


def calibration_pictures(rows: StudyRows) -> Mapping[str, Picture]:
    """Draw two ways beside each other, twice: the diagonal is what should be, a band is where shares are."""
    return {
        "calibration": _picture(rows, (TEMPERED, ITSELF), "Do predictions of draws come true?"),
        "calibration-noise": _picture(rows, (PERTURBED, MOMENTS), "Do predictions from noise come true?"),
    }


def _picture(rows: StudyRows, ways: tuple[str, ...], title: str) -> Picture:
    """Between the predictions that both ways make: nothing is drawn beyond what was seen."""
    by_way = {way: rows.where(way=way) for way in ways}
    seen = [of.numbers("predicted") for of in by_way.values()]
    least, most = max(min(one) for one in seen), min(max(one) for one in seen)
    points = sorted({one for of in seen for one in of if least <= one <= most})
    bands = {}
    for way, of in by_way.items():
        x, low, high = (of.numbers(name) for name in ("predicted", "low", "high"))
        ends = [np.interp(points, x, side).tolist() for side in (low, high)]
        bands[f"observed, {way}: 90% interval"] = list(zip(*ends, strict=True))
    return FanChart(
        points,
        points,
        bands,
        title=title,
        x_label="predicted probability",
        y_label="share of records",
        note="simulated records, epsilon 1; expected: as often as predicted",
    )
