"""Figure 1 of "On the Differential Privacy of Bayesian Inference": naive Bayes by privacy level, made anew.

Every mechanism twice: as published, and with what a record really moves (`naive_bayes_runs`). The accuracy of
predictions on records that were not learned from, averaged over 100 repeats, with its standard error.
"""

from __future__ import annotations

import math

import numpy as np

from privior.papers.naive_bayes import closed_form
from privior.papers.published.networks import PAPER
from privior.papers.studies.naive_bayes_runs import (
    EPSILONS,
    RECORDS,
    WAYS,
    accuracies,
    new_case,
    stealthy,
    true_epsilon,
)
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture

SEED = 20_160_212


def _carry_out(quick: bool, say: Say) -> Findings:
    repeats = 10 if quick else 100
    rng = np.random.default_rng(SEED)
    say(f"{repeats} tables of {RECORDS} records")
    cases = [new_case(rng) for _ in range(repeats)]
    plain = [case.right(closed_form(case.x, 1 + case.target, 1 + case.features)) for case in cases]
    often = [float((case.y == (case.target[0] >= case.target[1])).mean()) for case in cases]
    rows = StudyRows([_row("nonpriv", math.inf, plain), _row("majority", math.inf, often)])
    for epsilon in EPSILONS:
        say(f"epsilon {epsilon:g}")
        found: dict[str, list[float]] = {way: [] for way in WAYS}
        for case in cases:
            for way, share in accuracies(case, epsilon, rng).items():
                found[way].append(share)
        found["fourier_stealth90"] = stealthy(cases, epsilon, rng)
        rows += [_row(way, epsilon, shares) for way, shares in found.items() if shares]
    pictures: dict[str, Picture] = {
        "published": _picture(rows, "published", "As published"),
        "sound": _picture(rows, "sound", "With what a record really moves"),
        "sampler": _sampler(rows),
    }
    return Findings({"accuracy": rows.columns()}, pictures, _text(rows))


def _row(way: str, epsilon: float, shares: list[float]) -> Row:
    error = float(np.std(shares, ddof=1)) / math.sqrt(len(shares))
    true = None if math.isinf(epsilon) else true_epsilon(way, epsilon)
    calibration = WAYS[way][0] if way in WAYS else "none"
    return {
        "way": way,
        "calibration": calibration,
        "epsilon": None if math.isinf(epsilon) else float(epsilon),
        "true_epsilon": true,
        "accuracy": float(np.mean(shares)),
        "standard_error": error,
        "runs": len(shares),
    }


def _wrong(rows: StudyRows, way: str) -> list[float]:
    """Return the share of wrong predictions at each epsilon; that of guessing where a way is not defined."""
    known = {row["epsilon"]: float(row["accuracy"] or 0) for row in rows.where(way=way)}
    return [1 - known.get(float(epsilon), 0.5) for epsilon in EPSILONS]


def _levels(rows: StudyRows) -> dict[str, float]:
    names = {"not private": "nonpriv", "most frequent class": "majority"}
    return {name: 1 - rows.where(way=way).numbers("accuracy")[0] for name, way in names.items()}


def _picture(rows: StudyRows, calibration: str, title: str) -> Picture:
    ways = [way for way, (kind, _) in WAYS.items() if kind in (calibration, "both")]
    return ErrorCurve(
        list(EPSILONS),
        {way: _wrong(rows, way) for way in ways},
        title=f"Naive Bayes, 50 records: {title.lower()}",
        y_label="share of wrong predictions",
        lines=_levels(rows),
        note="Means over the repeats. A cut posterior that is not defined counts as guessing."
        if calibration == "published"
        else "Means over the repeats. Every way is charged what a record really moves.",
    )


def _sampler(rows: StudyRows) -> Picture:
    ways = ("sampler_paper_1", "sampler_paper_100", "sampler_sound_1", "laplace")
    return ErrorCurve(
        list(EPSILONS),
        {way: _wrong(rows, way) for way in ways},
        title="The sampler, at its printed and at its true cost",
        y_label="share of wrong predictions",
        x_label="epsilon, as claimed",
        lines=_levels(rows),
        note="At a claimed 2 one draw costs 18.4, and a hundred draws 1840.",
    )


def _text(rows: StudyRows) -> str:
    def at(way: str, epsilon: float) -> str:
        (one,) = rows.where(way=way, epsilon=float(epsilon))
        return f"{float(one['accuracy'] or 0):.3f}"

    plain = rows.where(way="nonpriv").numbers("accuracy")[0]
    ahead = [
        epsilon
        for epsilon in EPSILONS
        if at("sampler_sound_1", epsilon) > max(at("laplace", epsilon), at("fourier_sound", epsilon))
    ]
    said = "at no epsilon" if not ahead else f"at epsilon {', '.join(f'{one:g}' for one in ahead)}"
    cost = true_epsilon("sampler_paper_1", 2)
    return (
        f"Without privacy {plain:.3f} of the predictions are right. As published, one draw of the sampler "
        f"has {at('sampler_paper_1', 2)} at epsilon 2, where Laplace noise has {at('laplace', 2)}: but its "
        "chances are cut for a record that differs in one place, and such a draw costs "
        f"{cost:.3g}. Charged for all 17 nodes it has {at('sampler_sound_1', 2)}, and is ahead of both kinds "
        f"of noise {said}. At epsilon 1 the runs that the shift keeps free of negative cells have "
        f"{at('fourier_stealth90', 1)}, cells cut at zero {at('fourier_truncate', 1)}, noise for the "
        f"parities that a record really turns {at('fourier_sound', 1)}, noise on counts {at('laplace', 1)}."
    )


ABOUT = "accuracy of naive Bayes by privacy level, every mechanism as published and as it must be charged"
STUDY = Study("naive-bayes", ABOUT, PAPER, "Figure 1", _carry_out)
