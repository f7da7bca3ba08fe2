"""The numbers of the errata about agents."""

from __future__ import annotations

import math
from collections.abc import Iterator

from privior.papers.published import Verdict, reinforcement


def d9() -> Iterator[str]:
    """Sensitivities of section 5, and what one draw of all rows loses."""
    squared, largest = reinforcement.sensitivity_squared(), reinforcement.sensitivity_largest()
    assert squared.verdict is largest.verdict is Verdict.FALSE
    assert (squared.value, squared.better, largest.value, largest.better) == (4, 6, 1, 2)
    rate = "0.0115"
    yield rate
    one = reinforcement.per_episode(10, rate)
    assert one.verdict is Verdict.FALSE
    assert one.better is not None
    yield f"{one.value:.4g}"
    yield f"{one.better:.4g}"
    assert 1.4 < one.better / one.value < 1.5
    yield f"{one.better / one.value:.3g}"


def d10() -> Iterator[str]:
    """The total of 3,000 draws."""
    rate = "0.0281"
    yield rate
    found = reinforcement.total(10, rate, 3000)
    assert found.verdict is Verdict.FALSE
    assert found.better is not None
    yield f"{found.value:.4g}"
    yield f"{found.better:.4g}"


def d11() -> Iterator[str]:
    """The exponential mechanism, and slips of a proof."""
    assert reinforcement.exponential_mechanism(1, 1).verdict is Verdict.VACUOUS
    assert math.isinf(reinforcement.exponential_mechanism(1, 1).value)
    assert len(reinforcement.appendix_a()) == 3
    yield from ()
