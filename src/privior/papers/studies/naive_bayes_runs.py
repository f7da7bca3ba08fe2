"""One run of naive Bayes for Figure 1: a synthetic table, and every mechanism on it, published and sound.

A class and 16 binary features, chances uniform, 1000 records of which 50 are learned from, flat Beta priors.
What is simulated protects nobody; floats and a seed will do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers
from privior.papers.naive_bayes import averaged_joint, averaged_predictions, closed_form

FEATURES, RECORDS, LEARNED = 16, 1000, 50
EPSILONS = (0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200)
#: the share of runs in which no cell may be negative
STEALTH = 0.9
#: sets of columns that stand in one table together; parities that one record turns at most
_SETS, _TURNED = 2 * FEATURES + 2, 2 * FEATURES
#: points of a cut Beta law, and draws that are averaged
_POINTS, _DRAWS = 400, 100

#: what each way is called, whether its calibration is the published one, and what it is
WAYS = {
    "laplace": (
        "both",
        "Laplace noise of scale 2 |I| / epsilon on counts, cut at zero: published, and sound",
    ),
    "fourier_stealth90": ("published", "noise on coefficients, shifted so that 90% have no negative cell"),
    "fourier_truncate": ("published", "noise on coefficients, cells cut at zero"),
    "fourier_sound": ("sound", "noise for the parities that one record turns, n public, cells cut at zero"),
    "sampler_paper_1": ("published", "one draw, chances at least exp(-epsilon/2)"),
    "sampler_paper_100": ("published", "100 draws of the same, joint laws averaged"),
    "sampler_sound_1": ("sound", "one draw, 2 ln((1-w)/w) for each node"),
    "sampler_sound_10": ("sound", "ten draws at the same total cost, predictions averaged"),
}


@dataclass(frozen=True)
class Case:
    """One synthetic table: what was learned from it, and the records to predict."""

    target: Floats
    features: Floats
    x: Integers
    y: Integers

    def right(self, chances: Floats) -> float:
        """Return the share of records whose class is predicted by chances of class 1."""
        return float(((chances > 0.5) == (self.y == 1)).mean())


def new_case(rng: np.random.Generator) -> Case:
    """Draw chances, a table of records from them, and count those that are learned from."""
    chance, table = rng.random(), rng.random((2, FEATURES))
    y = (rng.random(RECORDS) < chance).astype(np.int64)
    x = (rng.random((RECORDS, FEATURES)) < table[y]).astype(np.int64)
    seen, label = x[:LEARNED], y[:LEARNED]
    ones = np.stack([seen[label == one].sum(axis=0) for one in (0, 1)])
    size = np.array([(label == 0).sum(), (label == 1).sum()])
    counts = np.stack([ones, size[:, None] - ones], axis=-1).astype(np.float64)
    return Case(size[::-1].astype(np.float64), counts, x[LEARNED:], y[LEARNED:])


def _laplace(case: Case, epsilon: float, rng: np.random.Generator) -> float:
    scale = 2 * (FEATURES + 1) / epsilon
    target, features = (
        1 + np.clip(table + rng.laplace(0, scale, table.shape), 0, LEARNED)
        for table in (case.target, case.features)
    )
    return case.right(closed_form(case.x, target, features))


def _fourier(case: Case, scale: float, total_noisy: bool, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the noisy tables: of the class (2,) and of class and feature (2, d, 2), before any shift.

    `scale` is that of the sums s_g = n - 2 c_g; a cell of a table of v columns adds 2^v of them with signs,
    divided by 2^v. The sum of all records and that of the class stand in every table.
    """
    noise = rng.laplace(0, scale, (_SETS,))
    whole = noise[0] if total_noisy else 0.0
    by_class, alone, both = noise[1], noise[2 : 2 + FEATURES], noise[2 + FEATURES :]
    signs = np.array([1.0, -1.0])
    target = case.target + (whole + by_class * signs[::-1]) / 2
    moved = whole + by_class * signs[:, None, None] + alone[None, :, None] * signs[::-1]
    moved = moved + both[None, :, None] * (signs[:, None, None] * signs[::-1])
    return target, case.features + moved / 4


def _shift_needed(tables: tuple[Floats, Floats]) -> float:
    """Return by how much the number of records must be raised for no cell to be negative."""
    target, features = tables
    return float(max(0.0, -2 * target.min(), -4 * features.min()))


def _predict(case: Case, tables: tuple[Floats, Floats], shift: float) -> float:
    target, features = tables
    noisy = np.maximum(target + shift / 2, 0), np.maximum(features + shift / 4, 0)
    return case.right(closed_form(case.x, 1 + noisy[0], 1 + noisy[1]))


def _sampled(case: Case, smallest: float, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw chances from the posterior given that they lie in [w, 1 - w]: on a grid of log odds."""
    end = math.log((1 - smallest) / smallest)
    edges = np.linspace(-end, end, _POINTS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    pairs = np.concatenate([case.target[None], case.features.reshape(-1, 2)]) + 1
    logs = pairs[:, :1] * middle - pairs.sum(axis=1, keepdims=True) * np.logaddexp(0, middle)
    below = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    at = rng.random((draws, len(pairs), 1)) * below[:, -1:]
    places = np.minimum((at >= below).sum(axis=2), _POINTS - 1)
    t = edges[places] + rng.random(places.shape) * (edges[1] - edges[0])
    theta = 1 / (1 + np.exp(-t))
    return theta[:, 0], theta[:, 1:].reshape(draws, 2, FEATURES)


def printed_smallest(epsilon: float) -> float | None:
    """Return omega = exp(-epsilon/2); None where no chance and its complement are both above it."""
    return math.exp(-epsilon / 2) if epsilon > 2 * math.log(2) else None


def sound_smallest(epsilon: float, draws: int = 1) -> float:
    """Return w with 2 N (d+1) ln((1-w)/w) = epsilon."""
    return 1 / (1 + math.exp(epsilon / (2 * draws * (FEATURES + 1))))


def true_epsilon(way: str, epsilon: float) -> float | None:
    """Return what a way costs at a nominal epsilon; None where it is not defined."""
    if way.startswith("sampler_paper"):
        smallest = printed_smallest(epsilon)
        number = int(way.rsplit("_", 1)[1])
        return None if smallest is None else number * 2 * (FEATURES + 1) * math.log((1 - smallest) / smallest)
    if way in ("fourier_stealth90", "fourier_truncate"):
        return epsilon * _TURNED / _SETS
    return epsilon


def accuracies(case: Case, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
    """Return the accuracy of every way but the one that is shifted."""
    found = {"laplace": _laplace(case, epsilon, rng)}
    published = _fourier(case, 2 * _SETS / epsilon, True, rng)
    found["fourier_truncate"] = _predict(case, published, 0.0)
    found["fourier_sound"] = _predict(case, _fourier(case, 2 * _TURNED / epsilon, False, rng), 0.0)
    smallest = printed_smallest(epsilon)
    if smallest is not None:
        drawn = _sampled(case, smallest, _DRAWS, rng)
        found["sampler_paper_1"] = case.right(averaged_joint(case.x, drawn[0][:1], drawn[1][:1]))
        found["sampler_paper_100"] = case.right(averaged_joint(case.x, *drawn))
    for number in (1, 10):
        drawn = _sampled(case, sound_smallest(epsilon, number), number, rng)
        found[f"sampler_sound_{number}"] = case.right(averaged_predictions(case.x, *drawn))
    return found


def stealthy(cases: list[Case], epsilon: float, rng: np.random.Generator) -> list[float]:
    """Shift by what leaves no negative cell in 90% of the runs; only those count, as in the paper."""
    tables = [_fourier(case, 2 * _SETS / epsilon, True, rng) for case in cases]
    needed = [_shift_needed(one) for one in tables]
    shift = sorted(needed)[max(0, math.ceil(STEALTH * len(cases)) - 1)]
    return [
        _predict(case, one, shift)
        for case, one, least in zip(cases, tables, needed, strict=True)
        if least <= shift
    ]
