"""Figure 1 of "Differential Privacy of Dirichlet Posterior Sampling": the printed bounds beside the truth.

Left: the Renyi divergence of order 2 of one draw from Dirichlet(x + a) when a record is added, against the
prior parameter a: Theorem 2, the exact pair, and the same where ten or a hundred records already are in the
record's cell (which nobody may assume). Replacing a record is done as well. Right: delta against epsilon.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privior.papers.published import dirichlet
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.privacy.pairs import GammaShapePair, both_orders

ORDER = 2
#: squared Euclidean sensitivity of the counts, by neighbour relation
SQUARED = {"add-or-remove-one": 1, "replace-one": 2}
SMALLEST = (3, 10, 30)
_FILLED = (10, 100)
_LEAST = 1e-12  # a smaller delta is not drawn


def _carry_out(quick: bool, say: Say) -> Findings:
    say("divergences of order 2")
    priors = [float(f"{a:.4g}") for a in np.geomspace(1.5, 50, 9 if quick else 25)]
    divergences = StudyRows(_divergence(relation, a) for relation in SQUARED for a in priors)
    epsilons = [float(f"{e:.4g}") for e in np.geomspace(0.05, 5, 9 if quick else 25)]
    deltas = StudyRows()
    for smallest in SMALLEST:
        say(f"curves of delta, prior parameter {smallest}")
        deltas += [_delta(smallest, e) for e in epsilons]
    pictures = {
        **{f"renyi-{relation}": _renyi_picture(relation, divergences) for relation in SQUARED},
        **{f"delta-prior-{smallest}": _delta_picture(smallest, deltas) for smallest in SMALLEST},
    }
    tables = {"renyi": divergences.columns(), "delta": deltas.columns()}
    return Findings(tables, pictures, _text(divergences, deltas))


def _divergence(relation: str, a: float) -> Row:
    draw = dirichlet.PublishedDraw.of(a, squared=SQUARED[relation])
    claim = dirichlet.theorem_2(draw, ORDER)
    added = relation == "add-or-remove-one"
    filled = {
        f"exact_with_{count}": both_orders(GammaShapePair(draw.smallest + count, Fraction(1))).renyi(ORDER)
        if added
        else None
        for count in _FILLED
    }
    return {"neighbours": relation, "prior": a, "printed": claim.value, "exact": claim.better, **filled}


def _delta(smallest: int, epsilon: float) -> Row:
    claim = dirichlet.theorem_4(dirichlet.PublishedDraw.of(smallest), epsilon)
    return {"prior": smallest, "epsilon": epsilon, "printed": claim.value, "exact": claim.better}


def _renyi_picture(relation: str, rows: StudyRows) -> Picture:
    mine = rows.where(neighbours=relation)
    series = {"printed, Theorem 2": mine.numbers("printed"), "exact": mine.numbers("exact")}
    if relation == "add-or-remove-one":
        series |= {
            f"exact if {count} records are in the cell": mine.numbers(f"exact_with_{count}")
            for count in _FILLED
        }
    return ErrorCurve(
        mine.numbers("prior"),
        series,
        title=f"One draw from a Dirichlet posterior, {relation}",
        y_label="Renyi divergence of order 2",
        x_label="smallest prior parameter",
    )


def _delta_picture(smallest: int, rows: StudyRows) -> Picture:
    mine = StudyRows(row for row in rows.where(prior=smallest) if float(row["exact"] or 0) > _LEAST)
    return ErrorCurve(
        mine.numbers("epsilon"),
        {"printed, Theorem 4": mine.numbers("printed"), "exact": mine.numbers("exact")},
        title=f"One draw, prior parameter {smallest}, replace-one",
        y_label="delta",
    )


def _text(divergences: StudyRows, deltas: StudyRows) -> str:
    mine = (divergences.where(neighbours=relation) for relation in SQUARED)
    both = (zip(rows.numbers("printed"), rows.numbers("exact"), strict=True) for rows in mine)
    added, replaced = ([printed / exact for printed, exact in pairs] for pairs in both)
    low, high = (divergences.numbers("prior")[place] for place in (0, -1))
    near = min(deltas.where(prior=SMALLEST[1]), key=lambda row: abs(float(row["epsilon"] or 0) - 1))
    return (
        "The printed bound holds everywhere and is a fair one for the divergence of a single order unless "
        f"the prior is small: at prior parameter {low:g} it is {added[0]:.2f} times the exact divergence "
        f"when a record is added and {replaced[0]:.2f} times when one is replaced, at {high:g} "
        f"{added[-1]:.2f} and {replaced[-1]:.2f} times. Records that already are in the cell help, but "
        "nobody may assume them. Going through one order to delta loses far more: at prior parameter "
        f"{SMALLEST[1]} and epsilon {near['epsilon']:g} Theorem 4 gives {near['printed']:.3g}, the exact "
        f"delta is {near['exact']:.3g}."
    )


ABOUT = "privacy of one draw from a Dirichlet posterior: printed bounds and exact curves"
STUDY = Study("dirichlet-renyi", ABOUT, dirichlet.PAPER, "Figure 1", _carry_out)
