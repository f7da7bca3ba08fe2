"""Counterexamples to the examples and testers of posterior sampling: numbers of the errata A13 to A15."""

from __future__ import annotations

import math
from collections.abc import Iterator

import smooth_examples
from analysed import analysed

import privior as pv
from privior.papers import distinguishing
from privior.papers.published import Verdict
from privior.papers.stochastic_lipschitz import best_concentration


def show(number: float, digits: int) -> str:
    return f"{number:.{digits}g}"


def a13() -> Iterator[str]:
    rate, ratio, delta = smooth_examples.lemma_19("0.5", 2, 2, 1)
    assert rate.value == 2
    yield from (show(rate.better or 0, 4), show(ratio.value, 4), show(ratio.better or 0, 4))
    yield from (show(delta.value, 4), show(delta.better or 0, 4))
    low = smooth_examples.lemma_19("0.5", 2, "0.5", 1)
    assert low[2].verdict is Verdict.VACUOUS
    yield show(low[0].better or 0, 4)
    precise = smooth_examples.lemma_22(1, 2, 2, 0, 0, 1)
    assert precise[0].value == 4
    yield from (show(precise[0].better or 0, 4), show(precise[1].value, 4), show(precise[1].better or 0, 4))


def a14() -> Iterator[str]:
    start, ratio, delta = smooth_examples.lemma_21(5, 10)
    yield from (show(start.value, 4), show(ratio.value, 4), show(ratio.better or 0, 4))
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="person")
    made = analysed(pv.BetaBernoulli("x", pv.Beta(5, 5)), schema, records=10)
    found = made.concentration
    assert found == best_concentration(made.subject.outside, 0.0, math.inf, 5.0)
    assert found is not None
    assert made.variation is not None
    assert made.variation.better == 1.0
    yield show(math.sqrt((ratio.better or 0) * found.scale) / 2, 3)
    yield show(delta.better or 0, 4)


def a15() -> Iterator[str]:
    assert distinguishing.most_parts("0.0625") == 2
    assert distinguishing.most_parts("0.063") == 1
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="person")
    model = pv.BetaBernoulli("x", pv.Truncated(pv.Beta(), "0.2", "0.8"))
    made = analysed(model, schema, records=1, draws=2, failure="0.05")
    claim, guess = made.theorem_13, made.tests[1][2]
    assert claim is not None
    assert claim.verdict is Verdict.FALSE
    assert guess.high - guess.low < 1e-4
    yield from (show(claim.value, 4), show(guess.high, 3))
