"""Figure 2 of "On the Differential Privacy of Bayesian Inference": linear regression by prior precision,
anew.

The posterior of weights with a Normal prior of precision b, cut to a ball of radius 10/sqrt(b), from a tenth
of the records; the mean squared error of its mean, of one draw and of the average of a hundred draws on the
others. What a draw costs: as printed, and as it is; and what is left if draws are tempered to a true epsilon
of 1. On incomes of the American Community Survey (`income_moments`), and on made-up records of the size that
the paper had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.papers.published.networks import PAPER
from privior.papers.published.regression import appendix_d, lemma_d1, sound_range
from privior.papers.studies.income_moments import RECORDS, TRAINING, moments
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture

SEED = 20_160_213
PRECISIONS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
#: the paper's standard deviation of errors: "assume that the precision of Y is 1"
STDDEV = 1.0
#: draws that are averaged, and the epsilon that draws are tempered to
AVERAGED, EPSILON = 100, 1.0
#: the table of the paper: so many records, of which a tenth are learned from
SIZE = 370_000
WAYS = ("posterior mean", "one draw", "average of 100 draws", "one draw at a true epsilon of 1")


@dataclass(frozen=True)
class _Split:
    """Moments of features (of norm 1 at most) and the target, of what is learned from and of what is not.

    Attributes:
        records: that are learned from
        learned: their sums of products, the target last
        held: of the others
        others: their number
    """

    records: int
    learned: Floats
    held: Floats
    others: int

    def error(self, w: Floats) -> float:
        """Return the mean squared error on the others."""
        both = np.append(-w, 1.0)
        return float(both @ self.held @ both) / self.others


def _incomes() -> list[_Split]:
    whole, *samples = (_scaled(one) for one in moments())
    return [_Split(TRAINING, one, whole - one, RECORDS - TRAINING) for one in samples]


def _scaled(sums: Floats) -> Floats:
    """Divide the constant and the features by the root of their number, so that no record is longer than
    1."""
    units = np.append(np.full(len(sums) - 1, math.sqrt(len(sums) - 1)), 1.0)
    return np.asarray(sums / np.outer(units, units))


def _made_up(rng: np.random.Generator) -> _Split:
    """Draw records as many as the paper had: features of several shapes, errors that are not Normal."""
    features = np.column_stack(
        [
            np.ones(SIZE),
            rng.uniform(-1, 1, (SIZE, 4)),
            np.sign(rng.random((SIZE, 6)) - 0.3),
            2 * rng.beta(2, 5, (SIZE, 4)) - 1,
        ]
    )
    line = features @ np.append(0.4, 0.06 * rng.standard_normal(14))
    target = np.clip(line + rng.gamma(1.5, 0.12, SIZE) - 0.18, 0, 1)
    numbers = np.column_stack([features, target])
    first = SIZE // 10
    learned, held = (_scaled(part.T @ part) for part in (numbers[:first], numbers[first:]))
    return _Split(first, learned, held, SIZE - first)


def _carry_out(quick: bool, say: Say) -> Findings:
    rng = np.random.default_rng(SEED)
    tables = {"incomes": _incomes()[: 3 if quick else None], "made up": [_made_up(rng)]}
    rows = StudyRows()
    for name, splits in tables.items():
        for b in PRECISIONS:
            say(f"{name}, b = {b:g}")
            rows += _rows(name, b, splits, rng, repeats=2 if quick else 10)
    pictures: dict[str, Picture] = {}
    for name in tables:
        pictures[f"error-{name.replace(' ', '-')}"] = _errors(rows, name)
        pictures[f"epsilon-{name.replace(' ', '-')}"] = _costs(rows, name)
    return Findings({"regression": rows.columns()}, pictures, _text(rows))


def _rows(
    table: str, b: float, splits: Iterable[_Split], rng: np.random.Generator, repeats: int
) -> Iterable[Row]:
    radius = 10 / math.sqrt(b)
    eta = float(sound_range(radius, STDDEV))
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    printed = []
    for split in splits:
        size = len(split.learned) - 1
        sums, both = split.learned[:size, :size], split.learned[:size, size]
        mean, spread = lemma_d1(sums, both, b * np.eye(size), STDDEV)
        weaker = min(1.0, EPSILON / eta)
        tempered = lemma_d1(weaker * sums, weaker * both, b * np.eye(size), STDDEV)
        for _ in range(repeats):
            draws = _drawn(mean, spread, radius, AVERAGED, rng)
            found["posterior mean"].append(split.error(mean))
            found["one draw"].append(split.error(draws[0]))
            found["average of 100 draws"].append(split.error(draws.mean(axis=0)))
            found[WAYS[3]].append(split.error(_drawn(*tempered, radius, 1, rng)[0]))
            printed.append(appendix_d(split.records, draws[0].tolist(), radius, STDDEV).value)
    for way in WAYS:
        errors, plain = found[way], way == WAYS[0]
        times = AVERAGED if way == WAYS[2] else 1
        true = min(EPSILON, eta) if way == WAYS[3] else times * eta
        yield {
            "table": table,
            "way": way,
            "precision": b,
            "radius": radius,
            "error": float(np.mean(errors)),
            "standard_error": float(np.std(errors, ddof=1)) / math.sqrt(len(errors)),
            "published_epsilon": None if plain or way == WAYS[3] else times * float(np.mean(printed)),
            "true_epsilon": None if plain else true,
        }


def _drawn(mean: Floats, spread: Floats, radius: float, number: int, rng: np.random.Generator) -> Floats:
    """Draw from the Normal law cut to the ball, in floating point; `randomness.truncated_normal` says how."""
    values, vectors = np.linalg.eigh(np.linalg.inv(spread))
    slope = values * (vectors.T @ mean)
    low, high = 0.0, 1.0
    while _square(values, slope, high) > radius**2:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _square(values, slope, middle) > radius**2 else (low, middle)
    pull = 0.0 if _square(values, slope, 0.0) <= radius**2 else high
    found = np.empty((0, len(mean)))
    while len(found) < number:
        trials = rng.standard_normal((20 * number + 200, len(mean))) / np.sqrt(values + pull)
        trials += slope / (values + pull)
        room = radius**2 - (trials**2).sum(axis=1)
        kept = (room >= 0) & (rng.random(len(trials)) < np.exp(-pull * np.maximum(room, 0) / 2))
        found = np.concatenate([found, trials[kept]])
    return np.asarray(found[:number] @ vectors.T)


def _square(values: Floats, slope: Floats, pull: float) -> float:
    """Return the mean squared length of a trial."""
    wide = values + pull
    return float((1 / wide + (slope / wide) ** 2).sum())


def _errors(rows: StudyRows, table: str) -> Picture:
    curves = {way: rows.where(table=table, way=way).numbers("error") for way in WAYS}
    return ErrorCurve(
        list(PRECISIONS),
        curves,
        title=f"Linear regression, {table}: error by prior precision",
        x_label="b, the precision of the prior",
        y_label="mean squared error",
        note="Weights are kept within 10/sqrt(b). A tenth of the records is learned from.",
    )


def _costs(rows: StudyRows, table: str) -> Picture:
    one = rows.where(table=table, way="one draw")
    return ErrorCurve(
        list(PRECISIONS),
        {"as printed, 2 L(w)": one.numbers("published_epsilon"), "as it is": one.numbers("true_epsilon")},
        title=f"Linear regression, {table}: what one draw costs",
        x_label="b, the precision of the prior",
        y_label="epsilon",
        note="The printed number depends on the draw; shown is its mean.",
    )


def _text(rows: StudyRows) -> str:
    def at(way: str, b: float, what: str, table: str = "incomes") -> float:
        (row,) = rows.where(table=table, way=way, precision=b)
        return float(row[what] or 0)

    return (
        "As in the paper, errors grow with the precision b of the prior, and a draw errs little more than "
        f"the mean of the posterior: on incomes {at('one draw', 1.0, 'error'):.4f} and "
        f"{at('posterior mean', 1.0, 'error'):.4f} at b = 1. But the printed epsilon of such a draw is "
        f"{at('one draw', 1.0, 'published_epsilon'):.3g}, and with the sound constant it is "
        f"{at('one draw', 1.0, 'true_epsilon'):.3g}: neither protects anybody. It falls as the ball shrinks, "
        f"to {at('one draw', 1000.0, 'true_epsilon'):.3g} at b = 1000, where the error is "
        f"{at('one draw', 1000.0, 'error'):.4f}. Tempered to a true epsilon of 1, a draw errs by "
        f"{at(WAYS[3], 100.0, 'error'):.4f} at b = 100 and {at(WAYS[3], 1000.0, 'error'):.4f} at b = 1000; "
        f"of {SIZE // 10:,} records by {at(WAYS[3], 10.0, 'error', 'made up'):.4f} at b = 10, where the "
        f"posterior mean has {at('posterior mean', 10.0, 'error', 'made up'):.4f}."
    )


ABOUT = (
    "error of linear regression by the prior's precision, and what its draws cost, as printed and as it is"
)
STUDY = Study("linear-regression", ABOUT, PAPER, "Figure 2", _carry_out)
