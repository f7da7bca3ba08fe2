"""The numbers of errata C4 to C8, on Gibbs posteriors."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from scipy import optimize, stats

from privior.papers.gibbs_table import table_1
from privior.papers.published import Verdict, gibbs_proofs


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
        claim = gibbs_proofs.corollary_11(1, "1e-6", 1, 1, records, "0.1")
        assert claim.better == pytest.approx(exact_temperature(float(mu), 1, records, 0.1), rel=1e-6)
        assert claim.verdict is Verdict.LOOSE
        yield from (show(claim.value, 4), show(claim.better, 4))
    small = gibbs_proofs.theorem_10("0.1", 1, 1, 1000, "0.1", 1, constant="0.01")
    assert small.verdict is Verdict.FALSE
    yield from ()


def c5() -> Iterator[str]:
    claim = gibbs_proofs.assumption_9(1, "0.1")
    assert claim.verdict is Verdict.FALSE
    assert claim.value == 0.75
    yield show(2 * float(stats.norm.cdf(0.1)) - 1, 4)
    assert claim.better == pytest.approx(2 * stats.norm.cdf(0.1) - 1)
    assert gibbs_proofs.assumption_9(1, 2).verdict is Verdict.LOOSE
    assert gibbs_proofs.assumption_9(1, 3).verdict is Verdict.VACUOUS


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
    exponential, lipschitz, strong = table_1()
    assert exponential["shrinkage"] == exponential["contraction"] == lipschitz["contraction"] == 1
    assert lipschitz["shrinkage"] == pytest.approx(2)
    yield show(float(strong["contraction"] or 0), 3)
