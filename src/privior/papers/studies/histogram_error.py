"""Figure 2 of "Differential Privacy of Dirichlet Posterior Sampling": the loss of private histograms.

Each mechanism has a Renyi divergence D of order 2 when one record is replaced; the loss is the root of the
expected squared Euclidean distance to the shares, against the number of records. Closed forms, except for the
Gaussian mechanism projected to probability vectors, which is simulated. The paper does not say what data it
used; here they are even (as far as whole numbers allow), typical (chances Dirichlet(1, ..., 1)) or all in one
level.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privior.arrays import Floats
from privior.mechanisms import KNorm
from privior.papers.dirichlet_prior import exact_prior, printed_prior
from privior.papers.histogram_loss import (
    draw_loss,
    gaussian_loss,
    laplace_loss,
    least_concentration,
    typical_concentration,
)
from privior.papers.published import dirichlet
from privior.papers.studies.simplex import projected, table
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.privacy.calibration import largest
from privior.privacy.pairs import KNormPair

ORDER = 2
SEED = 20_171_003  # of the synthetic noise and data; nothing private is drawn here
DATA = ("even", "typical", "one level")
_DRAWN = {
    "Dirichlet draw": "dirichlet_printed",
    "Gaussian noise": "gaussian",
    "Gaussian noise, projected": "gaussian_projected",
    "Laplace noise": "laplace",
    "K-norm noise (not in the paper)": "k_norm",
}


def _carry_out(quick: bool, say: Say) -> Findings:
    tables = [(k, d) for k in (10, 1000) for d in ("0.01", "0.1", "1")]
    powers = range(1, 7)
    repeats = {10: 400, 1000: 40} if quick else {10: 20_000, 1000: 1_000}
    generator = np.random.default_rng(SEED)
    rows = StudyRows()
    for levels, divergence in tables:
        say(f"{levels} levels, divergence {divergence}")
        priors = printed_prior(ORDER, divergence), exact_prior(ORDER, divergence)
        for records in (10**power for power in powers):
            for data in DATA:
                exact = _losses(levels, divergence, records, data, priors)
                spread = math.sqrt(gaussian_loss(levels, records, ORDER, divergence) / levels)
                found, error = _projected(generator, levels, records, data, spread, repeats[levels])
                rows.append({**exact, "gaussian_projected": found, "standard_error": error})
    pictures = {
        f"loss-{levels}-levels-divergence-{divergence}": _picture(rows, levels, float(divergence))
        for levels, divergence in tables
    }
    pictures["loss-by-data"] = _by_data(rows)
    return Findings({"losses": rows.columns()}, pictures, _text(rows))


def _losses(levels: int, divergence: str, records: int, data: str, priors: tuple[Fraction, Fraction]) -> Row:
    concentration = {
        "even": least_concentration(levels, records),
        "typical": typical_concentration(levels, records),
        "one level": Fraction(1),
    }[data]
    printed, exact = (draw_loss(levels, prior, records, concentration) for prior in priors)
    squared = {
        "dirichlet_printed": printed,
        "dirichlet_exact": exact,
        "gaussian": gaussian_loss(levels, records, ORDER, divergence),
        "laplace": laplace_loss(levels, records, ORDER, divergence),
        "k_norm": _k_norm(levels, Fraction(divergence)) / records**2,
    }
    facts: Row = {"levels": levels, "divergence": float(divergence), "records": records, "data": data}
    return {**facts, **{name: math.sqrt(loss) for name, loss in squared.items()}}


def _k_norm(levels: int, divergence: Fraction) -> float:
    """Return the expected squared noise of K-norm noise with this divergence of order 2."""
    epsilon = largest(lambda e: KNormPair(levels, e).renyi(ORDER) <= divergence, Fraction(1, 10**6))
    if epsilon is None:
        raise ValueError("no epsilon is small enough")
    return KNorm(levels, epsilon).expected_squared_error


def _projected(
    generator: np.random.Generator, levels: int, records: int, data: str, spread: float, repeats: int
) -> tuple[float, float]:
    """Simulate the root of the expected squared loss after projecting, with its standard error."""
    shares = _shares(generator, levels, records, data, repeats)
    noisy = shares + generator.normal(0.0, spread, size=(repeats, levels))
    squared = ((projected(noisy) - shares) ** 2).sum(axis=1)
    root = math.sqrt(squared.mean())
    return root, float(squared.std(ddof=1)) / math.sqrt(repeats) / (2 * root) if root > 0 else 0.0


def _shares(generator: np.random.Generator, levels: int, records: int, data: str, repeats: int) -> Floats:
    if data != "typical":
        return np.asarray(table(levels, records, data) / records)[None, :].repeat(repeats, axis=0)
    chances = generator.dirichlet(np.ones(levels), size=repeats)
    return np.asarray(generator.multinomial(records, chances) / records)


def _picture(rows: StudyRows, levels: int, divergence: float) -> Picture:
    mine = rows.where(levels=levels, divergence=divergence, data="typical")
    return ErrorCurve(
        mine.numbers("records"),
        {name: mine.numbers(column) for name, column in _DRAWN.items()},
        title=f"Histograms of {levels} levels, order-2 divergence {divergence:g}",
        y_label="root of the expected squared loss",
        x_label="records",
        note="Typical data: chances Dirichlet(1, ..., 1). The prior of the draw is that of Theorem 2.",
    )


def _by_data(rows: StudyRows) -> Picture:
    mine = {data: rows.where(levels=1000, divergence=0.1, data=data) for data in DATA}
    series = {f"Dirichlet draw, {data}": mine[data].numbers("dirichlet_printed") for data in DATA}
    series["Gaussian noise, any data"] = mine["even"].numbers("gaussian")
    series["Gaussian noise, projected, one level"] = mine["one level"].numbers("gaussian_projected")
    return ErrorCurve(
        mine["even"].numbers("records"),
        series,
        title="1000 levels, order-2 divergence 0.1: it depends on the data",
        y_label="root of the expected squared loss",
        x_label="records",
    )


def _text(rows: StudyRows) -> str:
    small = StudyRows(
        row
        for row in rows
        if float(row["records"] or 0) <= float(row["levels"] or 0) / float(row["divergence"] or 1)
    )

    def wins(data: str, against: str) -> str:
        mine = small.where(data=data)
        better = sum(
            a < b for a, b in zip(mine.numbers("dirichlet_printed"), mine.numbers(against), strict=True)
        )
        return f"{better} of {len(mine)}"

    return (
        "The paper sees a smaller loss of the Dirichlet draw than of the Gaussian mechanism while there are "
        f"fewer records than levels over divergence. In that range the draw beats Gaussian noise in "
        f"{wins('even', 'gaussian')} cases with even data, {wins('typical', 'gaussian')} with typical data "
        f"and {wins('one level', 'gaussian')} with all records in one level. Projecting the noisy shares to "
        "probability vectors costs nothing; against that the draw wins "
        f"{wins('even', 'gaussian_projected')}, {wins('typical', 'gaussian_projected')} and "
        f"{wins('one level', 'gaussian_projected')}. With few records the draw is nearly the prior: right if "
        "the data happen to be even, and no use of the data otherwise."
    )


ABOUT = "loss of private histograms: Dirichlet draws, Gaussian and Laplace noise, by number of records"
STUDY = Study("histogram-error", ABOUT, dirichlet.PAPER, "Figure 2", _carry_out)
