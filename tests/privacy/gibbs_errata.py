"""The numbers of errata C4 to C9, on Gibbs posteriors, and of Table 1 below them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from scipy import optimize, stats

from privior.papers.gibbs_laws import GibbsLaws, huber_loss, linear_loss, logistic_loss
from privior.papers.gibbs_table import table_1
from privior.papers.published import Verdict, gibbs_proofs, gibbs_steps, gibbs_strong


def show(number: float | None, digits: int) -> str:
    return f"{number:.{digits}g}"


def exact_temperature(mu: float, m: float, records: float, own: float) -> float:
    """Solve 4 beta^2 = mu^2 (m + beta n m_l), L = 1."""
    return (mu**2 * records * own + math.sqrt((mu**2 * records * own) ** 2 + 16 * mu**2 * m)) / 8


def c4() -> Iterator[str]:
    # mu at (1, 1e-6), from the Normal law
    mu = optimize.brentq(
        lambda u: stats.norm.cdf(u / 2 - 1 / u) - math.e * stats.norm.cdf(-u / 2 - 1 / u) - 1e-6, 0.1, 1
    )
    for records in (1000, 100_000):
        claim = gibbs_strong.corollary_11(1, "1e-6", 1, 1, records, "0.1")
        assert claim.better == pytest.approx(exact_temperature(float(mu), 1, records, 0.1), rel=1e-6)
        assert claim.verdict is Verdict.LOOSE
        yield from (show(claim.value, 4), show(claim.better, 4))
    small = gibbs_strong.theorem_10(1, 1, 1, 1000, "0.1", "0.5", constant="0.1")
    assert small.verdict is Verdict.FALSE
    yield from (show(small.value, 4), show(small.better, 4))


def c5() -> Iterator[str]:
    flat = linear_loss(0.0)
    normal = GibbsLaws(1.0, 1.0, flat, (flat, flat))
    claim = gibbs_strong.assumption_9(normal, "0.1")
    assert claim.verdict is Verdict.FALSE
    assert claim.value == 0.75
    yield show(2 * float(stats.norm.cdf(0.1)) - 1, 4)
    assert claim.better == pytest.approx(2 * stats.norm.cdf(0.1) - 1, abs=2e-3)
    assert gibbs_strong.assumption_9(normal, 2).verdict is Verdict.LOOSE
    assert gibbs_strong.assumption_9(normal, 3).verdict is Verdict.VACUOUS
    one = logistic_loss(1.0)
    alike = GibbsLaws(1.0, 1.0, lambda theta: 19 * one(theta), (one, one))
    mean = gibbs_strong.equation_10(alike, 20)
    assert mean.verdict is Verdict.LOOSE
    assert gibbs_strong.equation_10(alike, 2).verdict is Verdict.VACUOUS
    yield show(mean.better, 4)
    small = gibbs_strong.assumption_9(alike, "0.1", mean.better)
    assert small.verdict is Verdict.FALSE
    assert (small.better or 1) < 1e-4


def c6() -> Iterator[str]:
    claim = gibbs_proofs.equation_21("0.5")
    assert claim.verdict is Verdict.FALSE
    assert claim.value == pytest.approx(0.25)
    assert claim.better == pytest.approx(0.5**2 / 2)
    yield "0.125"


def c7() -> Iterator[str]:
    claim = gibbs_proofs.equation_14("0.1", 1000, "0.01")
    assert claim.verdict is Verdict.FALSE
    assert claim.better == pytest.approx(0.1)
    assert gibbs_proofs.equation_14(1, 1000, "0.01").verdict is Verdict.SOUND
    yield from ()


def c8() -> Iterator[str]:
    claim = gibbs_proofs.equation_7("0.2367", "1e-6")
    assert claim.value == pytest.approx(0.2367**2 / 2 + 0.2367 * math.sqrt(2 * math.log(1e6)))
    yield from (show(claim.value, 4), show(claim.better, 5), show(0.2367, 4))
    laws = GibbsLaws(0.8, 1.5, logistic_loss(0.7), (logistic_loss(1.0), logistic_loss(-1.0)))
    for above in ("0.1", "0.6", "1.5"):
        tail = gibbs_steps.equation_19(laws, 1, above)
        yield from (show(tail.better, 4), show(tail.value, 4))
    slope = gibbs_steps.equation_18(laws, 1)
    assert slope.better == pytest.approx(0.8)
    assert slope.value == pytest.approx(1.6)


def c9() -> Iterator[str]:
    bent = GibbsLaws(0.4, 1.0, huber_loss(0.3), (huber_loss(2.5), huber_loss(-2.5)), (-2.0, 3.0))
    claim = gibbs_proofs.assumption_6(bent, 1, 1, 1)
    assert claim.verdict is Verdict.LOOSE
    assert claim.exact is not None
    yield from (show(claim.better, 4), show(claim.exact.delta(1.0), 4), show(claim.value, 4))
    flat = GibbsLaws(0.2, 0.01, lambda theta: 0 * theta, (logistic_loss(1.0), logistic_loss(-1.0)))
    forgotten = gibbs_proofs.assumption_6(flat, 1, 1, 1)
    assert forgotten.verdict is Verdict.VACUOUS
    yield from (show(forgotten.value, 4), show(forgotten.better, 4))
    exponential, lipschitz, strong = table_1()
    assert exponential["shrinkage"] == exponential["contraction"] == lipschitz["contraction"] == 1
    assert lipschitz["shrinkage"] == pytest.approx(2)
    yield show(float(strong["contraction"] or 0), 3)
