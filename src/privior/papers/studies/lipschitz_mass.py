"""Figure 1 of "Differential Privacy for Bayesian Inference through Posterior Sampling", both parts.

Finite families of Bernoulli chances, a step of 0.2 or 0.05 apart and without 0 and 1. The slope of a chance p
is |log p/(1-p)|. Part a: the mass of parameters of slope at most L under a uniform prior, and what
Assumption 2 promises of it with L0 the least slope and the largest c. Part b: the same where the prior is
proportional to e^(-slope). Beyond the figure: what this does to the exact loss of a draw, which the slope
bounds by 2 L, by number of records.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privior.papers.published.posterior_sampling import PAPER
from privior.papers.stochastic_lipschitz import Concentration, concentration_of_finite
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.privacy.pairs import FiniteBernoulli

STEPS = (Fraction(1, 5), Fraction(1, 20))
PRIORS = ("uniform", "smoother")


def points_of(step: Fraction) -> tuple[Fraction, ...]:
    """Return the chances of a family, without 0 and 1, under which the slope is infinite."""
    return tuple(step * k for k in range(1, int(1 / step)) if 0 < step * k < 1)


def weights_of(points: tuple[Fraction, ...], prior: str) -> tuple[Fraction, ...]:
    """Return prior weights, of any scale: e^(-|log odds|) is the smaller of the odds and their inverse."""
    if prior == "uniform":
        return (Fraction(1),) * len(points)
    return tuple(min(p / (1 - p), (1 - p) / p) for p in points)


def slopes_of(points: tuple[Fraction, ...]) -> list[float]:
    """Return |log odds| of each chance, exactly the same for p and 1 - p."""
    return [math.log(max(p / (1 - p), (1 - p) / p)) for p in points]


@lru_cache
def _found(step: Fraction, prior: str, best: bool) -> Concentration:
    points = points_of(step)
    weights = np.array([float(weight) for weight in weights_of(points, prior)])
    slopes = np.array(slopes_of(points))
    return concentration_of_finite(slopes, weights, None if best else float(slopes.min()))


def _carry_out(quick: bool, say: Say) -> Findings:
    say("masses and their exponential bounds")
    jumps = {slope for step in STEPS for slope in slopes_of(points_of(step)) if slope > 0.05}
    even = {float(f"{level:.4g}") for level in np.linspace(0.05, 3.2, 17 if quick else 64)}
    levels = sorted(even | jumps | {slope * (1 - 1e-6) for slope in jumps})
    masses = StudyRows(_mass(prior, step, level) for prior in PRIORS for step in STEPS for level in levels)
    constants = StudyRows(_constants(prior, step) for prior in PRIORS for step in STEPS)
    numbers = [1, 3, 10, 30, 100] if quick else [1, 2, 3, 5, 10, 20, 30, 50, 100, 300, 1000]
    losses = StudyRows()
    for step in STEPS:
        say(f"exact losses, chances {float(step):g} apart")
        losses += [_loss(prior, step, n) for prior in PRIORS for n in numbers]
    pictures: dict[str, Picture] = {f"mass-{prior}": _mass_picture(prior, masses) for prior in PRIORS}
    pictures |= {f"loss-step-{float(step):g}": _loss_picture(step, losses) for step in STEPS}
    tables = {"mass": masses.columns(), "constants": constants.columns(), "loss": losses.columns()}
    return Findings(tables, pictures, _text(constants, losses))


def _mass(prior: str, step: Fraction, level: float) -> Row:
    points = points_of(step)
    weights = weights_of(points, prior)
    inside = sum(w for w, slope in zip(weights, slopes_of(points), strict=True) if slope <= level)
    facts: Row = {"prior": prior, "step": float(step), "level": level}
    promised = _found(step, prior, False).inside(level)
    return {**facts, "mass": float(Fraction(inside) / sum(weights)), "promised": promised}


def _constants(prior: str, step: Fraction) -> Row:
    drawn, found = (_found(step, prior, best) for best in (False, True))
    slopes = slopes_of(points_of(step))
    return {
        "prior": prior,
        "step": float(step),
        "L": max(slopes),
        "L_printed": math.log(1 / step),
        "L0": drawn.start,
        "c": drawn.rate,
        "best_L0": found.start,
        "best_c": None if math.isinf(found.rate) else found.rate,
        "best_scale": found.scale,
        "mean": found.mean,
    }


def _loss(prior: str, step: Fraction, records: int) -> Row:
    points = points_of(step)
    family = FiniteBernoulli(points, weights_of(points, prior), records)
    top = max(slopes_of(points))
    facts: Row = {"prior": prior, "step": float(step), "records": records}
    return {**facts, "exact": float(family.pure), "bound": 2 * top, "printed": 2 * math.log(1 / step)}


def _mass_picture(prior: str, rows: StudyRows) -> Picture:
    series = {}
    for step in STEPS:
        mine = rows.where(prior=prior, step=float(step))
        series[f"mass, {float(step):g} apart"] = mine.numbers("mass")
        series[f"promised, {float(step):g} apart"] = mine.numbers("promised")
    weight = "a uniform prior" if prior == "uniform" else "a prior proportional to e^(-slope)"
    return ErrorCurve(
        mine.numbers("level"),
        series,
        title=f"Mass of parameters of slope at most L, {weight}",
        y_label="prior probability",
        x_label="L",
        note="The largest slope is "
        + ", ".join(f"{max(slopes_of(points_of(s))):.3f} at steps of {float(s):g}" for s in STEPS),
    )


def _loss_picture(step: Fraction, rows: StudyRows) -> Picture:
    mine = rows.where(step=float(step))
    uniform, other = (mine.where(prior=prior) for prior in PRIORS)
    return ErrorCurve(
        uniform.numbers("records"),
        {
            "exact, uniform prior": uniform.numbers("exact"),
            "exact, prior e^(-slope)": other.numbers("exact"),
        },
        title=f"The largest loss of one draw, chances {float(step):g} apart",
        y_label="epsilon",
        x_label="records",
        lines={"2 L": float(mine[0]["bound"] or 0), "as printed": float(mine[0]["printed"] or 0)},
    )


def _text(constants: StudyRows, losses: StudyRows) -> str:
    said = [
        f"steps of {row['step']:g}, {'uniform' if row['prior'] == 'uniform' else 'e^(-slope)'}: "
        f"c {row['c']:.3f} at L0 {row['L0']:.3f}, least L0 + 1/c {row['best_scale']:.3f}, mean slope "
        f"{row['mean']:.3f}"
        for row in constants
    ]
    first, second = losses.where(records=10, step=0.05).numbers("exact")
    tops, said_tops = constants.numbers("L"), constants.numbers("L_printed")
    return (
        "The shape is as printed. Constants of Assumption 2: "
        + "; ".join(said)
        + ". Weighting by e^(-slope) moves mass to smooth parameters, which raises c, and leaves "
        "the largest slope, "
        f"{tops[0]:.4f} and {tops[1]:.4f}, as it was (the paper says ln 1/step: {said_tops[0]:.4f} and "
        f"{said_tops[1]:.4f}). The exact loss of a draw is below twice that slope and does depend on the "
        f"prior while records are few: at ten records and steps of 0.05 it is {first:.3f} under the uniform "
        f"prior and {second:.3f} under the other."
    )


ABOUT = "how much of a prior lies on smooth parameters, and what that does to a draw"
STUDY = Study("lipschitz-mass", ABOUT, PAPER, "Figure 1", _carry_out)
