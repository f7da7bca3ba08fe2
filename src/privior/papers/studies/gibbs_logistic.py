"""Figure 1 and Table 1 of the paper on Gibbs posteriors, and what temperatures buy, simulated and real.

Figure 1: how far two records' logistic losses, and their slopes, are apart on growing parameter spaces. Then
the temperature that each theorem allows against epsilon, the prior's precision (shrinkage) and the number of
records (contraction); and the log loss of one draw at the published and at the exact one, of simulated
records and of adults who have difficulty walking (`walking_counts`). Last, whether predictions come true, of
draws and of what else is released for logistic regressions (`logistic_calibration`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from privior.arrays import Floats
from privior.exact import round_down
from privior.models import LogisticLoss
from privior.papers.gibbs_table import table_1
from privior.papers.published.gibbs import PAPER, gibbs_pair
from privior.papers.published.gibbs_strong import corollary_11
from privior.papers.studies.logistic_calibration import SIZE, calibrated, calibration_pictures
from privior.papers.studies.simulated_draws import simulated
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.papers.studies.walking_counts import walking
from privior.pictures import ErrorCurve, Picture
from privior.privacy.calibration import largest
from privior.privacy.pairs import GaussianPair
from privior.randomness import Potential, envelope

DELTA, RADIUS, BALL = Fraction(1, 10**6), 1, 5
#: simulated records to learn from and to predict
RECORDS, NEW = 2000, 4000
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
_Records = tuple[Floats, Floats, Floats, Floats]


def _carry_out(quick: bool, say: Say) -> Findings:
    say("losses of two records, Figure 1")
    losses = StudyRows(_apart(float(theta)) for theta in np.linspace(0, 10, 21))
    say("temperatures")
    temperatures = StudyRows(_temperatures(epsilon) for epsilon in EPSILONS)
    effects = StudyRows([*(_shrinkage(m) for m in (0.1, 1.0, 10.0, 100.0)), *_contraction(quick)])
    accuracy = StudyRows()
    for epsilon in EPSILONS[::2] if quick else EPSILONS:
        for name, records in (("simulated", _records()), ("walking", _adults())):
            say(f"draws at epsilon {epsilon:g}, {name} records")
            accuracy += [{"records": name, **row} for row in _accuracy(epsilon, 10 if quick else 60, records)]
    say("whether predictions come true")
    intercept = math.sqrt(SIZE + 1.0) * (1 + 1e-12)
    calibration = calibrated(_exact(1.0, 1.0, intercept), DELTA, *((30, 5) if quick else (200, 100)))
    pictures = {
        "figure-1": ErrorCurve(
            losses.numbers("size")[1:],
            {
                "difference of losses": losses.numbers("losses")[1:],
                "difference of slopes": losses.numbers("slopes")[1:],
            },
            title="Two logistic losses, labels 1 and -1",
            y_label="largest difference",
            x_label="size of the parameter space",
        ),
        "temperature": _by_epsilon(
            temperatures, "the temperature that (epsilon, 1e-6) allows", "temperature"
        ),
        "shrinkage": _effect(effects.where(effect="shrinkage"), "precision of the prior"),
        "contraction": _effect(effects.where(effect="contraction"), "records"),
        "log-loss": _loss_picture(accuracy.where(records="simulated"), f"{RECORDS} simulated records"),
        "log-loss-walking": _loss_picture(accuracy.where(records="walking"), f"{RECORDS} adults (walking)"),
        **calibration_pictures(calibration),
    }
    tables = {
        "losses": losses.columns(),
        "temperatures": temperatures.columns(),
        "effects": effects.columns(),
        "table-1": StudyRows(map(dict, table_1())).columns(),
        "accuracy": accuracy.columns(),
        "calibrated": calibration.columns(),
    }
    return Findings(tables, pictures, _text(temperatures, effects, accuracy))


def _apart(size: float) -> Row:
    """On |theta| <= size and |z| = 1: the losses differ by |theta|, their slopes by 1."""
    theta = np.linspace(-size, size, 201)
    loss, labels = LogisticLoss(), (np.ones_like(theta), -np.ones_like(theta))
    values, slopes = ([of(theta, y) for y in labels] for of in (loss.value, loss.derivative))
    return {
        "size": size,
        "losses": float(np.abs(values[0] - values[1]).max()),
        "slopes": float(np.abs(slopes[0] - slopes[1]).max()),
    }


@cache
def _exact(epsilon: float, convexity: float, lipschitz: float = RADIUS) -> float:
    level = round_down(Fraction(str(epsilon)))
    found = largest(lambda b: Fraction(gibbs_pair(b, lipschitz, convexity).delta(level)) <= DELTA, digits=6)
    return float(found or 0)


def _published(epsilon: float, convexity: float, lipschitz: float = RADIUS) -> float:
    """Return the temperature that Corollary 8(ii) allows."""
    return epsilon / (2 * lipschitz) * math.sqrt(convexity / (1 + 2 * math.log(1 / DELTA)))


def _temperatures(epsilon: float) -> Row:
    found: Row = {
        "epsilon": epsilon,
        "exponential_mechanism": epsilon / (2 * RADIUS * BALL),
        "published": _published(epsilon, 1.0),
        "exact": _exact(epsilon, 1.0),
        "with_intercept": _exact(epsilon, 1.0, math.sqrt(RADIUS**2 + 1) * (1 + 1e-12)),
    }
    return found


def _shrinkage(precision: float) -> Row:
    row: Row = {"effect": "shrinkage", "size": precision, "published": _published(1.0, precision)}
    return {**row, "exact": _exact(1.0, precision)}


def _contraction(quick: bool) -> list[Row]:
    rows: list[Row] = []
    for records in (100, 10_000) if quick else (100, 1000, 10_000, 100_000):
        claim = corollary_11(1, DELTA, Fraction(3, 2), 1, records, "0.1")
        row: Row = {"effect": "contraction", "size": records, "published": claim.value}
        rows.append({**row, "exact": claim.better})
    return rows


# Simulated records


@cache
def _records() -> _Records:
    """Rows and labels to learn from, and others to predict: of one fixed seed."""
    generator = np.random.default_rng(2)
    rows = generator.uniform(-1, 1, (RECORDS + NEW, SIZE + 1))
    rows[:, 0] = 1
    chances = 1 / (1 + np.exp(-rows @ np.array([-0.5, 2.0, -1.5, 1.0, 0.0])))
    labels = np.where(generator.uniform(size=len(rows)) < chances, 1.0, -1.0)
    return rows[:RECORDS], labels[:RECORDS], rows[RECORDS:], labels[RECORDS:]


@cache
def _adults() -> _Records:
    """Adults to learn from, drawn without replacement by a fixed seed, and all others to predict."""
    rows, labels = walking()
    order = np.random.default_rng(3).permutation(len(rows))
    some, rest = order[:RECORDS], order[RECORDS:]
    return rows[some], labels[some], rows[rest], labels[rest]


def _accuracy(epsilon: float, draws: int, records: _Records) -> list[Row]:
    """The mean log loss of one draw, and its accuracy, for three temperatures and the tuned prior."""
    rows, labels, new, truth = records
    squared = float(rows.shape[1])
    level = round_down(Fraction(str(epsilon)))
    mu = math.sqrt(
        largest(lambda one: Fraction(GaussianPair(one).delta(level)) <= DELTA, digits=6) or Fraction(0)
    )
    precision = max(0.25, (2.5 * mu / epsilon) ** 2 * squared)
    lipschitz = math.sqrt(squared) * (1 + 1e-12)
    ways = {
        "published": _published(epsilon, precision, lipschitz),
        "exact": _exact(epsilon, precision, lipschitz),
        "not private": 1.0,
    }
    found: list[Row] = []
    for way, beta in ways.items():
        potential = Potential(rows, labels, LogisticLoss(), beta, precision)
        theta = simulated(potential, envelope(potential), draws)
        margins = truth * (theta @ new.T)
        row: Row = {"epsilon": epsilon, "way": way, "temperature": beta, "precision": precision}
        row |= {"log_loss": float(np.logaddexp(0, -margins).mean()), "accuracy": float((margins > 0).mean())}
        found.append(row)
    return found


def _by_epsilon(rows: StudyRows, title: str, label: str) -> Picture:
    series = {
        "exponential mechanism, ball of radius 5": rows.numbers("exponential_mechanism"),
        "published, Corollary 8": rows.numbers("published"),
        "exact": rows.numbers("exact"),
        "exact, with an intercept": rows.numbers("with_intercept"),
    }
    return ErrorCurve(rows.numbers("epsilon"), series, title=title, y_label=label)


def _effect(rows: StudyRows, label: str) -> Picture:
    return ErrorCurve(
        rows.numbers("size"),
        {"published": rows.numbers("published"), "exact": rows.numbers("exact")},
        title=f"The temperature that (1, 1e-6) allows, by {label}",
        y_label="temperature",
        x_label=label,
    )


def _loss_picture(rows: StudyRows, of_what: str) -> Picture:
    mine = {way: rows.where(way=way) for way in ("published", "exact", "not private")}
    series = {way: of.numbers("log_loss") for way, of in mine.items()}
    title = f"Log loss of one draw, {of_what}"
    return ErrorCurve(mine["exact"].numbers("epsilon"), series, title=title, y_label="log loss")


def _text(temperatures: StudyRows, effects: StudyRows, accuracy: StudyRows) -> str:
    one = temperatures.where(epsilon=1.0)[0]
    made, real = (accuracy.where(records=name) for name in ("simulated", "walking"))
    low = made.where(way="exact")[0], made.where(way="published")[0]
    adults = real.where(way="exact")[0], real.where(way="published")[0], real.where(way="not private")[0]
    grown = effects.where(effect="contraction").numbers("exact")
    return (
        "The difference of two losses grows with the parameter space and that of their slopes does not, as "
        "in the paper. At epsilon 1 and precision 1 the exponential mechanism on a ball of radius "
        f"{BALL} allows a temperature of {one['exponential_mechanism']:.3g}, Corollary 8 "
        f"{one['published']:.3g} and the exact curve {one['exact']:.3g}; with an intercept, which equation "
        f"(15) forgets, {one['with_intercept']:.3g}. At epsilon {low[0]['epsilon']:g} one draw at the exact "
        f"temperature has a log loss of {low[0]['log_loss']:.3f}, at the published one "
        f"{low[1]['log_loss']:.3f}; of adults who may have difficulty walking {adults[0]['log_loss']:.3f} "
        f"and {adults[1]['log_loss']:.3f}, where a draw of the posterior itself has "
        f"{adults[2]['log_loss']:.3f}. "
        "What draws predict comes true where they are the posterior's; tempered draws are shrunk, so that "
        "what they call likely is likelier. Predictions from noisy moments come true at the same epsilon; "
        "those of objective perturbation do but at the ends, where its noise makes them too bold. Strongly "
        "convex losses allow a temperature that grows with the "
        f"records, here from {grown[0]:.3g} to {grown[-1]:.3g}; four times the prior's precision doubles it."
    )


ABOUT = "temperatures of Gibbs posteriors for logistic losses: published and exact, and what they buy"
STUDY = Study("gibbs-logistic", ABOUT, PAPER, "Figure 1 and Table 1", _carry_out)
