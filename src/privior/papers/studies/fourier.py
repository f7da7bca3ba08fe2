"""Section 3.2 of "On the Differential Privacy of Bayesian Inference": graph structure against noise.

Noise on Fourier coefficients beside noise on counts, for eight binary variables and graphs from no arcs to
all: the scale that Remark 1 compares, and the noise of cells (in units of counts). The bound of Theorem 3
beside the error. The chance of Corollary 3 that no cell is negative, beside the true one.
"""

from __future__ import annotations

import math

from privior.papers.fourier_theory import noise_of_cells, remark_1, theorem_3
from privior.papers.published.networks import PAPER, downward_closure, largest_parity_change
from privior.papers.stealth import corollary_3
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture

VARIABLES = 8
EPSILON, FAILURE = 1, "0.1"
SHIFTS = ("0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "1", "1.5", "2")


#: graphs whose chance of a negative cell is shown
_SHOWN: dict[str, list[tuple[int, ...]]] = {
    "no arcs": [(one,) for one in range(24)],
    "chain": [(0,), *((one, one - 1) for one in range(1, 24))],
    "clique": [tuple(range(one + 1)) for one in range(4)],
}


def graph(most: int) -> list[tuple[int, ...]]:
    """Return the families of a graph in which every variable has the (up to) so many before it as parents."""
    return [(node, *range(max(0, node - most), node)) for node in range(VARIABLES)]


def _carry_out(quick: bool, say: Say) -> Findings:
    degrees = list(range(VARIABLES))
    rows = StudyRows()
    for most in degrees:
        say(f"{most} parents")
        rows.append(_structure(most))
    bounds = StudyRows()
    for epsilon in (0.1, 0.3, 1, 3, 10):
        say(f"epsilon {epsilon:g}")
        bounds += [_bound(most, epsilon) for most in (0, 1, 3)]
    shifts = StudyRows()
    for t in SHIFTS[::2] if quick else SHIFTS:
        say(f"shift {t}")
        shifts += [_stealth(name, t) for name in _SHOWN]
    pictures: dict[str, Picture] = {
        "structure": _structure_picture(rows),
        "theorem-3": _bound_picture(bounds),
        "stealth": _stealth_picture(shifts),
    }
    tables = {"graphs": rows.columns(), "bounds": bounds.columns(), "shifts": shifts.columns()}
    return Findings(tables, pictures, _text(rows, bounds, shifts))


def _structure(most: int) -> Row:
    families = graph(most)
    claim = remark_1(EPSILON, families)
    noises = [noise_of_cells(EPSILON, families, family) for family in families]
    size, turned = len(downward_closure(families)), largest_parity_change(families)
    published = sum(two for _, two in noises) / VARIABLES
    return {
        "parents": most,
        "coefficients": size,
        "turned": turned,
        "printed_ratio": claim.value,
        "cell_ratio": claim.better,
        "verdict": claim.verdict.value,
        "noise_on_counts": noises[0][0],
        "noise_on_coefficients": published,
        "noise_for_what_is_turned": published * turned / size,
    }


def _bound(most: int, epsilon: float) -> Row:
    families = graph(most)
    claim = theorem_3(epsilon, families, families[-1], 0, FAILURE)
    return {"parents": most, "epsilon": epsilon, "printed": claim.value, "error": claim.better}


def _stealth(name: str, t: str) -> Row:
    families = _SHOWN[name]
    claim = corollary_3(t, families, joint=name == "no arcs")
    return {
        "graph": name,
        "t": float(t),
        "claimed": claim.value,
        "true": claim.better,
        "verdict": claim.verdict.value,
    }


def _structure_picture(rows: StudyRows) -> Picture:
    ratios = rows.numbers("printed_ratio"), rows.numbers("cell_ratio")
    turned = [
        a / b
        for a, b in zip(
            rows.numbers("noise_for_what_is_turned"), rows.numbers("noise_on_counts"), strict=True
        )
    ]
    return ErrorCurve(
        [most + 1 for most in rows.numbers("parents")],
        {
            "as Remark 1 compares scales": ratios[0],
            "noise of cells, Algorithm 2": ratios[1],
            "noise of cells, for what a record turns": turned,
        },
        title="Graph structure against noise, 8 variables",
        y_label="noise, relative to noise on counts",
        x_label="variables in the largest table",
        lines={"noise on counts": 1.0},
        note="Below 1 the Fourier domain is better. On average over the tables.",
    )


def _bound_picture(rows: StudyRows) -> Picture:
    series = {}
    for most, name in ((0, "no arcs"), (1, "chain"), (3, "three parents")):
        mine = rows.where(parents=most)
        series[f"printed, {name}"] = mine.numbers("printed")
        if most != 1:
            series[f"error, {name}"] = mine.numbers("error")
    return ErrorCurve(
        rows.where(parents=0).numbers("epsilon"),
        series,
        title="Theorem 3: the printed bound, and the error it bounds",
        y_label="L1 error of a table",
        note="Exceeded with chance 0.1 at most; the error is that quantile, simulated, t = 0.",
    )


def _stealth_picture(rows: StudyRows) -> Picture:
    series = {"as claimed": [1 - one for one in rows.where(graph="chain").numbers("claimed")]}
    for name in _SHOWN:
        series[name] = [max(1 - one, 1e-4) for one in rows.where(graph=name).numbers("true")]
    return ErrorCurve(
        rows.where(graph="chain").numbers("t"),
        series,
        title="Corollary 3: the chance that a cell is negative",
        y_label="chance of a negative cell",
        x_label="t",
        note="Records all alike; without arcs, the table of all 24 columns. Below 1e-4 is drawn there.",
    )


def _text(rows: StudyRows, bounds: StudyRows, shifts: StudyRows) -> str:
    cell, printed = rows.numbers("cell_ratio"), rows.numbers("printed_ratio")
    false = [float(row["t"] or 0) for row in shifts if row["verdict"] == "false"]
    loose = [a / b for a, b in zip(bounds.numbers("printed"), bounds.numbers("error"), strict=True)]
    return (
        "Remark 1 compares the scale of noise on coefficients with that on counts, which are not in one "
        f"unit, and finds a factor of {printed[0]:.3g} without arcs and {printed[1]:.3g} for a chain. In "
        f"units of counts the noise of a cell is {cell[0]:.3g} and {cell[1]:.3g} times that of noise on "
        f"counts, and a denser graph makes it larger, not smaller: {cell[3]:.3g} with three parents, "
        f"{cell[-1]:.3g} with "
        "all arcs. What is gained is agreement between tables. Theorem 3 holds; its bound is "
        f"{min(loose):.3g} to {max(loose):.3g} times the error. Corollary 3 fails for t up to "
        f"{max(false, default=math.nan):g} here."
    )


ABOUT = (
    "noise on Fourier coefficients by graph structure: Remark 1, Theorem 3 and Corollary 3 beside the truth"
)
STUDY = Study("fourier", ABOUT, PAPER, "Section 3.2", _carry_out)
