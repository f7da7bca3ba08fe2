"""Named utilities: scores as defined, one value at a time; no response beats the one that is called best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.decisions import UTILITIES, Utility, utility_from_text
from privior.decisions.choice import choose
from privior.decisions.documents import to_utility
from privior.decisions.judging import NamedJudge
from privior.decisions.reach import Reach
from privior.errors import DecisionError

Floats = np.ndarray[Any, np.dtype[np.float64]]
UNIT, WIDE = Reach(0, 1), Reach(-3, 7)


def _laws() -> dict[str, Floats]:
    generator = np.random.default_rng(1)
    return {
        "skewed": generator.beta(0.7, 4, size=401),
        "two hills": np.r_[generator.beta(2, 30, size=120), generator.beta(40, 9, size=181)],
        "ties": generator.integers(0, 5, size=200) / 4,
        "one": np.array([0.3]),
        "two": np.array([0.1, 0.9]),
    }


LAWS = _laws()
NUMBERS = [
    pv.SquaredError(),
    pv.AbsoluteError(),
    pv.QuantileLoss("0.9"),
    pv.QuantileLoss("0.05"),
    pv.ZeroOne("0.1"),
    pv.ZeroOne("0.003"),
]
ACTIONS = [
    pv.Threshold("0.3", miss=3),
    pv.Threshold("0.3", false_alarm=4, names=["call", "do not call"]),
    pv.CostMatrix(["0.1", "0.5"], ["a", "b", "c"], [[0, 1, 5], [2, 0, 1], [9, 4, 0]]),
    pv.ChoiceOfActions(["wait", "treat", "double"], [0, -1, -3], [0, 4, "9.5"]),
]
EVERY: list[Utility] = [*NUMBERS, pv.IntervalScore("0.8"), *ACTIONS]


def slow(utility: Utility, value: float, response: Any, reach: Reach) -> float:
    """Score one response at one value, from the definitions in docs/decisions.md."""
    width = reach.upper - reach.lower
    match utility:
        case pv.SquaredError():
            return float(1 - (value - response) ** 2 / width**2)
        case pv.AbsoluteError():
            return float(1 - abs(value - response) / width)
        case pv.QuantileLoss():
            level = float(utility.level)
            loss = level * (value - response) if value > response else (1 - level) * (response - value)
            return float(1 - loss / (max(level, 1 - level) * width))
        case pv.IntervalScore():
            low, high = response
            rate = 2 / (1 - float(utility.level))
            missed = low - value if value < low else value - high if value > high else 0
            return float(1 - (high - low + rate * missed) / (rate * width))
        case pv.ZeroOne():
            return 1.0 if abs(value - response) <= float(utility.tolerance) else 0.0
        case pv.Threshold():
            acts, high = response == utility.names[0], value >= float(utility.at)
            cost = 0 if acts == high else utility.false_alarm if acts else utility.miss
            return 1 - float(cost / max(utility.false_alarm, utility.miss))
        case pv.CostMatrix():
            state = sum(value >= float(cut) for cut in utility.cuts)
            every = [cost for row in utility.costs for cost in row]
            cost = utility.costs[state][utility.names.index(response)]
            return 1 - float((cost - min(every)) / (max(every) - min(every)))
        case pv.ChoiceOfActions():
            pays = [
                [float(fixed + unit * pv_end) for pv_end in (reach.lower, reach.upper)]
                for fixed, unit in (
                    (float(f), float(u)) for f, u in zip(utility.fixed, utility.per_unit, strict=True)
                )
            ]
            at = utility.names.index(response)
            least, most = min(map(min, pays)), max(map(max, pays))
            return (float(utility.fixed[at]) + float(utility.per_unit[at]) * value - least) / (most - least)
    raise AssertionError(utility)


def responses(utility: Utility, reach: Reach) -> list[Any]:
    """Return many responses, all over the reach."""
    if utility.actions is not None:
        return list(utility.actions)
    numbers = np.linspace(reach.lower, reach.upper, 81)
    if isinstance(utility, pv.IntervalScore):
        return [(float(low), float(high)) for low in numbers[::4] for high in numbers[::4] if low <= high]
    return [float(number) for number in numbers]


def is_best(utility: Utility, values: Floats, response: Any, reach: Reach) -> bool:
    """Compare a response with all others, at the values themselves and beside them as well."""
    others = responses(utility, reach)
    if utility.actions is None and not isinstance(utility, pv.IntervalScore):
        beside = (0, 1e-6, -1e-6, 0.1, -0.1, 0.003, -0.003)
        near = np.unique(np.clip(np.add.outer(values, beside).ravel(), reach.lower, reach.upper))
        others += [float(number) for number in near[:: max(1, near.size // 400)]]
    best = float(np.mean([slow(utility, value, response, reach) for value in values]))
    return all(utility.scores(values, other, reach).mean() <= best + 1e-12 for other in others)


@pytest.mark.parametrize("utility", EVERY, ids=str)
@pytest.mark.parametrize("reach", [UNIT, WIDE], ids=str)
def test_scores_are_those_of_the_definition_and_between_0_and_1(utility: Utility, reach: Reach) -> None:
    values = reach.lower + (reach.upper - reach.lower) * LAWS["skewed"]
    ends = np.r_[values[:60], reach.lower, reach.upper, 0.3]
    for response in responses(utility, reach)[::3]:
        found = utility.scores(ends, response, reach)
        assert found == pytest.approx([slow(utility, value, response, reach) for value in ends], abs=1e-12)
        assert found.min() >= -1e-12
        assert found.max() <= 1 + 1e-12


@pytest.mark.parametrize("utility", [pv.QuantileLoss("0.9"), pv.AbsoluteError()], ids=str)
def test_of_equally_good_responses_the_closed_form_is_chosen(utility: Utility) -> None:
    """All numbers between two middle draws are equally good: rounding decides nothing."""
    generator = np.random.default_rng(3)
    lucky = 0
    for _ in range(200):
        judge = NamedJudge.of(utility, generator.beta(2, 3, size=10), UNIT)
        choice = choose(judge, None, "a share")
        best = utility.best(judge.values, UNIT, UNIT)
        assert choice.response == best
        assert choice.candidates[0].response == best
        assert choice.expected_utility == max(each.expected_utility for each in choice.candidates)
        averages = [judge.scores(each.response).mean() for each in choice.candidates]
        lucky += max(averages) > judge.scores(best).mean()
    assert lucky > 0  # rounding alone would have chosen another one


@pytest.mark.parametrize("utility", EVERY, ids=str)
@pytest.mark.parametrize("law", LAWS)
def test_no_response_is_better_than_the_best(utility: Utility, law: str) -> None:
    assert is_best(utility, LAWS[law], utility.best(LAWS[law], UNIT, UNIT), UNIT)


WRONG: list[tuple[Utility, Callable[[Floats], Any]]] = [
    (pv.SquaredError(), lambda v: float(np.median(v))),
    (pv.AbsoluteError(), lambda v: float(v.mean())),
    (pv.QuantileLoss("0.9"), lambda v: float(np.quantile(v, 0.1))),
    (pv.IntervalScore("0.8"), lambda v: (float(np.quantile(v, 0.05)), float(np.quantile(v, 0.95)))),
    (pv.ZeroOne("0.1"), lambda v: float(v.mean())),
    (pv.Threshold("0.3", miss=3), lambda v: "act"),
    (ACTIONS[2], lambda v: "c"),
    (ACTIONS[3], lambda v: "double"),
]


@pytest.mark.parametrize(("utility", "wrong"), WRONG, ids=lambda each: str(each)[:20])
def test_a_wrong_optimiser_is_noticed(utility: Utility, wrong: Callable[[Floats], Any]) -> None:
    law = LAWS["skewed"]
    assert not is_best(utility, law, wrong(law), UNIT)


@pytest.mark.parametrize("utility", [*NUMBERS, pv.IntervalScore("0.8")], ids=str)
@pytest.mark.parametrize("among", [Reach(0.2, 0.25), Reach(0.6, 1), Reach(0, 0.05)], ids=str)
@pytest.mark.parametrize("law", ["skewed", "two hills", "ties"])
def test_the_best_within_an_interval(utility: Utility, among: Reach, law: str) -> None:
    values = LAWS[law]
    found: Any = utility.best(values, among, UNIT)
    inside = np.linspace(among.lower, among.upper, 301)
    others: list[Any] = [float(number) for number in inside]
    if isinstance(utility, pv.IntervalScore):
        others = [(low, high) for low in others[::10] for high in others[::10] if low <= high]
        assert among.lower <= found[0] <= found[1] <= among.upper
    else:
        assert among.lower <= found <= among.upper
    best = utility.scores(values, found, UNIT).mean()
    assert all(utility.scores(values, other, UNIT).mean() <= best + 1e-12 for other in others)


def test_a_threshold_acts_from_the_stated_probability_on() -> None:
    utility = pv.Threshold("0.5", false_alarm=1, miss=3)
    for high, expected in ((24, "wait"), (26, "act")):  # of 100, where 1/(1+3) is the border
        values = np.r_[np.full(high, 0.9), np.full(100 - high, 0.1)]
        assert utility.best(values, UNIT, UNIT) == expected


@pytest.mark.parametrize("utility", EVERY, ids=str)
@pytest.mark.parametrize("reach", [UNIT, WIDE], ids=str)
def test_no_score_varies_more_than_said(utility: Utility, reach: Reach) -> None:
    values = np.linspace(reach.lower, reach.upper, 20_001)
    varied = [
        float(abs(np.diff(utility.scores(values, response, reach))).sum())
        for response in responses(utility, reach)
    ]
    assert max(varied) <= utility.variation(reach) + 1e-9
    assert max(varied) >= 0.3 * utility.variation(reach)  # and the bound is not idle


def test_values_outside_of_the_declared_ends_count_as_the_nearest_end() -> None:
    utility = pv.SquaredError(lower="0.2", upper="0.4")
    values = np.array([0.0, 0.3, 0.9, 0.35])
    judge = NamedJudge.of(utility, values, Reach(0.2, 0.4))
    assert judge.clamped == 0.5
    assert judge.optimum(None)[0] == pytest.approx(np.mean([0.2, 0.3, 0.4, 0.35]))
    assert judge.scores(0.2) == pytest.approx([1, 1 - 0.25, 0, 1 - 0.15**2 / 0.04])


def test_what_it_means_in_the_quantity_s_own_units() -> None:
    values = np.array([20.0, 24.0, 40.0])
    reach = Reach(18, 58)

    def plain(utility: Utility, response: Any) -> str:
        return utility.plain(float(utility.scores(values, response, reach).mean()), reach)

    assert plain(pv.AbsoluteError(), 24.0) == f"mean absolute error {20 / 3:.4g}"
    assert plain(pv.SquaredError(), 28.0) == f"root mean squared error {np.sqrt((64 + 16 + 144) / 3):.4g}"
    assert plain(pv.QuantileLoss("0.75"), 24.0) == f"mean loss {(0.25 * 4 + 0.75 * 16) / 3:.4g}"
    assert (
        plain(pv.IntervalScore("0.5"), (22.0, 30.0))
        == f"mean interval score {(8 * 3 + 4 * 2 + 4 * 10) / 3:.4g}"
    )
    assert plain(pv.ZeroOne(3), 22.0) == "right within 3 with probability 0.6667"
    assert plain(pv.Threshold(30, miss=6), "wait") == "expected cost 2"
    assert plain(pv.CostMatrix([30], ["a", "b"], [[1, 7], [4, 2]]), "a") == "expected cost 2"
    assert plain(pv.ChoiceOfActions(["a", "b"], [5, 0], [0, 2]), "b") == "expected payoff 56"


@pytest.mark.parametrize("utility", [*EVERY, pv.SquaredError(lower=-1, upper="1/3")], ids=str)
def test_utilities_are_written_and_read(utility: Utility) -> None:
    assert to_utility(utility.to_document()) == utility
    assert hash(to_utility(utility.to_document())) == hash(utility)


def test_utilities_are_read_as_people_type_them() -> None:
    typed = utility_from_text(
        "cost-matrix", {"cuts": "0.1, 0.5", "names": "a,b , c", "costs": "0,1,5; 2,0,1; 9,4,0"}
    )
    assert typed == ACTIONS[2]
    assert utility_from_text("quantile", {"level": " 0.9 "}) == pv.QuantileLoss("0.9")
    assert set(UTILITIES) == {utility.name for utility in EVERY}


BAD: list[Callable[[], object]] = [
    lambda: pv.QuantileLoss(0),
    lambda: pv.QuantileLoss(1),
    lambda: pv.QuantileLoss("half"),
    lambda: pv.QuantileLoss(float("nan")),
    lambda: pv.IntervalScore("1.5"),
    lambda: pv.ZeroOne(0),
    lambda: pv.ZeroOne(-1),
    lambda: pv.SquaredError(lower=1, upper=0),
    lambda: pv.SquaredError(lower=1, upper=1),
    lambda: pv.SquaredError(upper="1e300"),
    lambda: pv.Threshold("0.5", miss=-1),
    lambda: pv.Threshold("0.5", miss=0, false_alarm=0),
    lambda: pv.Threshold("0.5", names=["a", "a"]),
    lambda: pv.Threshold("0.5", names=["a", "b", "c"]),
    lambda: pv.Threshold("0.5", names="ab"),
    lambda: pv.Threshold("0.5", names=["a", "\x1b[31m"]),
    lambda: pv.CostMatrix(["0.5", "0.1"], ["a", "b"], [[0, 1], [1, 0], [0, 0]]),
    lambda: pv.CostMatrix(["0.5"], ["a", "b"], [[0, 1]]),
    lambda: pv.CostMatrix(["0.5"], ["a", "b"], [[0, 1], [1]]),
    lambda: pv.CostMatrix(["0.5"], ["a", "b"], [[1, 1], [1, 1]]),
    lambda: pv.CostMatrix([], ["a", "b"], [[0, 1]]),
    lambda: pv.ChoiceOfActions(["a", "b"], [0], [1, 2]),
    lambda: pv.ChoiceOfActions(["a", "b"], [1, 1], [0, 0]),
    lambda: pv.ChoiceOfActions(["a"], [1], [0]),
    lambda: to_utility({"name": "squared-eror"}),
    lambda: to_utility({"name": "quantile"}),
    lambda: to_utility({"name": "quantile", "level": "0.5", "code": "x"}),
    lambda: to_utility({"name": ["quantile"]}),
    lambda: to_utility("quantile"),
    lambda: pv.SquaredError().response("nan", UNIT),
    lambda: pv.SquaredError().response(1.5, UNIT),
    lambda: pv.SquaredError().response((0.1, 0.2), UNIT),
    lambda: pv.SquaredError().response(True, UNIT),
    lambda: pv.IntervalScore().response(0.5, UNIT),
    lambda: pv.IntervalScore().response((0.5, 0.4), UNIT),
    lambda: pv.IntervalScore().response((0.5, 2), UNIT),
    lambda: pv.Threshold("0.5").response("wai", UNIT),
    lambda: Reach.of((0, 0), None, None),
    lambda: Reach.of((0, 1), None, pv.SquaredError(upper=-1).upper),
]


@pytest.mark.parametrize("bad", BAD)
def test_what_does_not_hold_together_is_refused(bad: Callable[[], object]) -> None:
    with pytest.raises(DecisionError):
        bad()
