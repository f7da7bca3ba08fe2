"""Figure 5 of "Differential Privacy of Dirichlet Posterior Sampling": the posterior under a larger prior.

Counts x of N records whose shares p are themselves drawn from Dirichlet(eta, ..., eta): a small eta leaves
most levels nearly empty. One would like to draw from Dirichlet(x + 1), and draws from Dirichlet(x + a) with
the a that Theorem 2 asks for at order 2. The expected Kullback-Leibler divergence of the two is a sum over
beta-binomial counts; a simulation beside it shows that nothing was forgotten. The bound (23),
(sum_i 1/p_i) (a - 1)^2 / (N + 1), has an infinite mean over p unless eta is above 1.
"""

from __future__ import annotations

import math

import numpy as np

from privior.papers.dirichlet_prior import printed_prior
from privior.papers.expected_divergence import expected_divergence_over_shares
from privior.papers.published import dirichlet
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.theory.draw_divergence import divergence

ORDER, LEVELS = 2, 10
SEED = 20_210_910  # of the synthetic counts
DIVERGENCES = ("0.01", "0.1", "1")
EVENNESS = ("0.1", "1", "10")


def _carry_out(quick: bool, say: Say) -> Findings:
    records = [10**power for power in range(1, 5 if quick else 7)]
    repeats = 100 if quick else 1000
    generator = np.random.default_rng(SEED)
    rows = StudyRows()
    for promised in DIVERGENCES:
        prior = float(printed_prior(ORDER, promised))
        for evenness in EVENNESS:
            say(f"divergence {promised}, shares Dirichlet({evenness})")
            rows += [_row(generator, promised, prior, evenness, n, repeats) for n in records]
    pictures = {f"divergence-{promised}": _picture(rows, promised) for promised in DIVERGENCES}
    return Findings({"divergences": rows.columns()}, pictures, _text(rows))


def _row(
    generator: np.random.Generator, promised: str, prior: float, evenness: str, records: int, repeats: int
) -> Row:
    eta = float(evenness)
    shares = generator.dirichlet(np.full(LEVELS, eta), size=repeats)
    counts = generator.multinomial(records, shares)
    found = np.array([divergence(row.tolist(), [1] * LEVELS, [prior] * LEVELS) for row in counts])
    mean = LEVELS * (LEVELS * eta - 1) / (eta - 1) if eta > 1 else None  # of the sum of 1/p_i
    facts: Row = {"promised": float(promised), "prior": prior, "evenness": eta, "records": records}
    expected = expected_divergence_over_shares(LEVELS, evenness, records, 1, prior)
    error = float(found.std(ddof=1)) / math.sqrt(repeats)
    bound = None if mean is None else mean * (prior - 1) ** 2 / (records + 1)
    simulated: Row = {"simulated": float(found.mean()), "standard_error": error}
    return {**facts, "expected": expected, **simulated, "bound": bound}


def _picture(rows: StudyRows, promised: str) -> Picture:
    mine = rows.where(promised=float(promised))
    series = {
        f"shares Dirichlet({eta})": mine.where(evenness=float(eta)).numbers("expected") for eta in EVENNESS
    }
    series[f"bound (23), shares Dirichlet({EVENNESS[-1]})"] = mine.numbers("bound")
    return ErrorCurve(
        sorted(set(mine.numbers("records"))),
        series,
        title=f"{LEVELS} levels, order-2 divergence {promised}, prior {mine[0]['prior']:.4g} for 1",
        y_label="expected Kullback-Leibler divergence",
        x_label="records",
    )


def _text(rows: StudyRows) -> str:
    most = max(rows.numbers("records"))
    last = {(row["promised"], row["evenness"]): row for row in rows if row["records"] == most}
    sparse, even = (float(last[0.1, eta]["expected"] or 0) for eta in (0.1, 10.0))
    bound = float(last[0.1, 10.0]["bound"] or 0)
    return (
        "The divergence falls as one over the number of records once every level has more records than the "
        f"prior parameter, and sparse shares wait long for that: with {most:.0f} records and a promise of "
        f"0.1 it is {sparse:.3g} for shares Dirichlet(0.1) and {even:.3g} for Dirichlet(10). The printed "
        f"bound holds; for even shares it is {bound / even:.3g} times too large there, because it drops "
        "the gain from the total, and for eta up to 1 its mean over the shares is infinite: it says nothing."
    )


ABOUT = "how far the posterior under a larger, private prior is from the one that is meant"
STUDY = Study("multinomial-dirichlet", ABOUT, dirichlet.PAPER, "Figure 5", _carry_out)
