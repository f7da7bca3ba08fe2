"""Decisions: what the posterior's draws say, what callables may do, documents, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.decisions.optimising import highest
from privior.errors import DecisionError, QuestionError, ReleaseError
from privior.posterior import Belief, Quantity

Floats = np.ndarray[Any, np.dtype[np.float64]]
SMOKER = "P(smoker=yes)"


def linear(theta: Floats, query: object, response: object) -> Floats:
    """1 less how far the response is from the share of the first five cells."""
    assert isinstance(response, float)
    return np.asarray(1 - abs(theta[:, :5].sum(axis=1) - response))


def test_the_response_is_best_over_the_posterior_s_draws(people: pv.Release) -> None:
    posterior = pv.infer(people)
    values = posterior.probability({"smoker": True}).values
    choice = pv.Decision(SMOKER, pv.SquaredError()).decide(posterior)
    assert choice.response == pytest.approx(values.mean())
    assert choice.expected_utility == pytest.approx(1 - values.var())
    spread = ((values - values.mean()) ** 2).std() / np.sqrt(values.size)
    assert choice.simulation_error == pytest.approx(spread)
    assert (choice.draws, choice.gap) == (values.size, 0)
    assert choice.expected_utility == max(each.expected_utility for each in choice.candidates)
    mean = pv.Decision("mean(age | smoker=no)", pv.AbsoluteError()).decide(people)
    ages = posterior.average("age", {"smoker": False}).values
    assert mean.response == pytest.approx(np.median(ages))
    assert mean.expected_utility == pytest.approx(1 - abs(ages - np.median(ages)).mean() / 4)  # 18 to 22
    assert "mean absolute error" in mean.meaning


def test_the_source_may_be_a_posterior_a_release_several_or_a_path(
    people: pv.Release, tmp_path: Path
) -> None:
    people.write(tmp_path / "people.json")
    decision = pv.Decision(SMOKER, pv.QuantileLoss("0.7"))
    every: list[Any] = [
        pv.infer(people),
        people,
        [people],
        tmp_path / "people.json",
        str(tmp_path / "people.json"),
    ]
    assert len({decision.decide(source).response for source in every}) == 1


def test_a_grid_and_a_list_are_searched_whole(people: pv.Release) -> None:
    values = pv.infer(people).probability({"smoker": True}).values
    grid = pv.Decision(SMOKER, pv.SquaredError(), pv.ResponseGrid(0, 1, 8)).decide(people)
    assert len(grid.candidates) == 9
    assert grid.response == min((i / 8 for i in range(9)), key=lambda r: abs(r - values.mean()))
    chosen = pv.Decision(SMOKER, pv.IntervalScore(), [(0.1, 0.2), ("0.2", "0.5"), (0, 1)]).decide(people)
    assert chosen.response == (0.2, 0.5)
    behind = {each.response: each for each in chosen.candidates}
    assert behind[0.0, 1.0].behind == pytest.approx(
        chosen.expected_utility - behind[0.0, 1.0].expected_utility
    )
    assert behind[0.1, 0.2].behind_error > 0


def test_an_interval_narrows_the_closed_form(people: pv.Release) -> None:
    choice = pv.Decision(SMOKER, pv.SquaredError(), pv.ResponseInterval("0.8", "0.9")).decide(people)
    assert choice.response == 0.8


def test_a_callable_sees_all_draws_the_query_and_each_response(people: pv.Release) -> None:
    seen: list[tuple[object, object]] = []

    def utility(theta: Floats, query: object, response: object) -> Floats:
        assert theta.shape == (4000, 10)
        assert np.allclose(theta.sum(axis=1), 1)
        seen.append((query, response))
        return np.asarray(theta[:, 0] > 0.1) if response == "likely" else np.asarray(theta[:, 0] <= 0.1)

    choice = pv.Decision({"any": "query"}, utility, ["likely", "not"]).decide(people)
    theta = pv.infer(people).draws(4000, 0)
    likely = float((theta[:, 0] > 0.1).mean())
    assert choice.expected_utility == max(likely, 1 - likely)
    assert choice.response == ("likely" if likely > 0.5 else "not")
    assert set(map(str, seen)) == {"({'any': 'query'}, 'likely')", "({'any': 'query'}, 'not')"}


def test_continuous_responses_to_a_callable_come_with_a_proof_if_its_steepness_is_known(
    people: pv.Release,
) -> None:
    truth = float(np.median(pv.infer(people).draws(4000, 0)[:, :5].sum(axis=1)))
    proved = pv.Decision(None, linear, pv.ResponseInterval(0, 1, steepness=1)).decide(people)
    searched = pv.Decision(None, linear, pv.ResponseInterval(0, 1)).decide(people)
    for choice in (proved, searched):
        assert choice.response == pytest.approx(truth, abs=1e-3)
    assert proved.gap is not None
    assert 0 <= proved.gap <= 1e-6
    assert proved.expected_utility + proved.gap >= searched.expected_utility
    assert searched.gap is None
    assert "not proved" in str(searched)
    assert proved.shortfall < 0.1
    assert searched.shortfall == 1
    assert "vacuous" in str(searched)


def test_the_optimiser_finds_the_highest_of_several_peaks() -> None:
    def hills(x: float) -> float:
        return 0.5 * math.exp(-(((x - 0.2) / 0.05) ** 2)) + 0.6 * math.exp(-(((x - 0.713) / 0.03) ** 2))

    for steepness in (None, 20.0):
        found = highest(hills, 0, 1, steepness)
        assert found.at == pytest.approx(0.713, abs=1e-4)
        assert found.value == pytest.approx(0.6, abs=1e-6)
    for steepness, least in ((500.0, 0.99), (None, 0.0)):
        needle = highest(lambda x: max(0.0, 1 - 500 * abs(x - 0.7025)), 0, 1, steepness)
        assert needle.value >= least
        assert (needle.gap is None) == (steepness is None)  # a grid does not see it, and proves nothing
    needle = highest(lambda x: max(0.0, 1 - 500 * abs(x - 0.7025)), 0, 1, 500.0)
    assert needle.gap is not None
    assert needle.value + needle.gap >= 1
    edge = highest(lambda x: x, 0, 1)
    assert (edge.at, edge.value) == (1, 1)
    short = highest(lambda x: -abs(x - 1 / 3), 0, 1, 1e9)
    assert short.gap is not None  # too steep for a proof: the gap says so
    assert short.gap > 1


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda theta: np.full(len(theta), np.nan), "not between 0 and 1"),
        (lambda theta: np.full(len(theta), 1.5), "not between 0 and 1"),
        (lambda theta: np.full(len(theta), -0.1), "not between 0 and 1"),
        (lambda theta: np.full(len(theta), np.inf), "not between 0 and 1"),
        (lambda theta: 0.5, "one number per draw"),
        (lambda theta: theta, "one number per draw"),
        (lambda theta: "high", "one number per draw"),
        (lambda theta: None, "one number per draw"),
    ],
)
def test_a_callable_that_returns_no_utilities_is_refused(
    people: pv.Release, returned: Callable[[Floats], object], words: str
) -> None:
    with pytest.raises(DecisionError, match=words) as caught:
        pv.Decision(None, lambda theta, query, response: returned(theta), ["x", "y"]).decide(people)
    assert "'x'" in str(caught.value)


def test_what_no_decision_can_be_is_refused(people: pv.Release) -> None:
    def decided(query: object, utility: Any, responses: object = None) -> object:
        return pv.Decision(query, utility, responses).decide(people)

    bad: list[Callable[[], object]] = [
        lambda: decided("counts()", pv.SquaredError()),
        lambda: decided("interval(smoker=yes)", pv.SquaredError()),
        lambda: decided("P(smoker=maybe)", pv.SquaredError()),
        lambda: decided("P(", pv.SquaredError()),
        lambda: decided(None, pv.SquaredError()),
        lambda: decided(SMOKER, pv.SquaredError),
        lambda: decided(SMOKER, "squared-error"),
        lambda: decided(SMOKER, linear),
        lambda: decided(SMOKER, pv.SquaredError(), [0.2, 1.2]),
        lambda: decided(SMOKER, pv.SquaredError(), [0.2, "0.2"]),
        lambda: decided(SMOKER, pv.SquaredError(), []),
        lambda: decided(SMOKER, pv.SquaredError(), "0.2"),
        lambda: decided(SMOKER, pv.SquaredError(), 0.2),
        lambda: decided(SMOKER, pv.SquaredError(), pv.ResponseInterval(0, 2)),
        lambda: decided(SMOKER, pv.SquaredError(), pv.ResponseGrid(0, 2, 4)),
        lambda: decided(SMOKER, pv.IntervalScore(), pv.ResponseGrid(0, 1, 4)),
        lambda: decided(SMOKER, pv.Threshold("0.5"), pv.ResponseInterval(0, 1)),
        lambda: decided(SMOKER, pv.Threshold("0.5"), ["act", "sleep"]),
        lambda: decided(SMOKER, pv.SquaredError(upper=0)),
        lambda: pv.ResponseInterval(1, 1),
        lambda: pv.ResponseInterval(0, "x"),
        lambda: pv.ResponseInterval(0, 1, steepness=0),
        lambda: pv.ResponseGrid(0, 1, 0),
        lambda: pv.ResponseGrid(0, 1, True),
        lambda: pv.ResponseGrid(0, 1, 10**9),
        lambda: pv.Decision(SMOKER, pv.SquaredError()).prior_loss(pv.infer(people), prior=1),
    ]
    for wrong in bad:
        with pytest.raises((DecisionError, QuestionError)):
            wrong()
    with pytest.raises(ReleaseError):
        pv.Decision(SMOKER, pv.SquaredError()).decide(42)  # type: ignore[arg-type]
    with pytest.raises(ReleaseError):
        pv.Decision(SMOKER, pv.SquaredError()).decide([])


def test_declared_ends_clamp_and_say_so(people: pv.Release) -> None:
    values = pv.infer(people).probability({"smoker": True}).values
    choice = pv.Decision(SMOKER, pv.SquaredError(lower="0.3", upper="0.5")).decide(people)
    assert choice.response == pytest.approx(np.clip(values, 0.3, 0.5).mean())
    share = ((values < 0.3) | (values > 0.5)).mean()
    assert f"{100 * share:.2g}% of the draws" in choice.warnings[0]
    assert choice.warnings[0] in str(choice)


def test_documents_hold_named_utilities_only(people: pv.Release) -> None:
    for decision in (
        pv.Decision(SMOKER, pv.SquaredError()),
        pv.Decision("mean( age )", pv.IntervalScore("0.5"), [(18, 20), ("19.5", 21)]),
        pv.Decision(SMOKER, pv.Threshold("0.3", miss=4), ["wait"]),
        pv.Decision(SMOKER, pv.AbsoluteError(), pv.ResponseGrid(0, "1/3", 7)),
        pv.Decision(SMOKER, pv.AbsoluteError(), pv.ResponseInterval("0.1", "0.3")),
    ):
        document = json.loads(json.dumps(decision.to_document()))
        read = pv.Decision.from_document(document)
        assert read == decision
        assert read.decide(people).response == decision.decide(people).response
    with pytest.raises(DecisionError, match="callable"):
        pv.Decision(None, linear, [0.1]).to_document()
    whole = pv.Decision(SMOKER, pv.SquaredError()).to_document()
    for change in (
        {"utility": {"name": "os.system"}},
        {"utility": linear},
        {"format": 2},
        {"format": True},
        {"kind": "other"},
        {"more": 1},
        {"query": 5},
        {"responses": {"lower": 0}},
        {"responses": {"lower": 0, "upper": 1, "steps": "4"}},
        {"responses": "all"},
    ):
        with pytest.raises((DecisionError, QuestionError)):
            pv.Decision.from_document({**whole, **change})
    others: list[object] = [None, [], "x"]
    for nothing in others:
        with pytest.raises(DecisionError):
            pv.Decision.from_document(nothing)


def test_choices_are_shown_and_written(people: pv.Release) -> None:
    choice = pv.Decision(SMOKER, pv.Threshold("0.35", miss=2)).decide(people)
    text = str(choice)
    assert all(
        words in text for words in ("P(smoker=yes) by threshold", "act", "wait", "behind the best", "█")
    )
    document = json.loads(json.dumps(choice.to_document(), allow_nan=False))
    assert document["response"] == choice.response
    assert [each["response"] for each in document["candidates"]] == [
        each.response for each in choice.candidates
    ]
    assert "<table" in choice._repr_html_()
    assert "choice of" in repr(choice)
    many = pv.Decision(SMOKER, pv.SquaredError(), pv.ResponseGrid(0, 1, 100)).decide(people)
    assert "81 more candidates" in str(many)
    assert len(many.to_document()["candidates"]) == 101  # type: ignore[arg-type]


@dataclass(frozen=True)
class Elsewhere(Belief):
    """A belief of another kind: what a decision needs of it, and no more."""

    releases: tuple[pv.Release, ...]

    def probability(self, event: object, given: object | None = None) -> Quantity:
        return Quantity("P", 0.25, np.array([0.2, 0.2, 0.35]))

    def average(self, column: str, given: object | None = None) -> Quantity:
        return Quantity("mean", 20.0, np.array([19.0, 21.0]))

    def draws(self, n: int, seed: int | None = None) -> Floats:
        return np.full((n, 10), 0.1)


def test_any_belief_will_do(people: pv.Release) -> None:
    posterior = Elsewhere((people,))
    assert pv.Decision(SMOKER, pv.SquaredError()).decide(posterior).response == pytest.approx(0.25)
    assert pv.Decision("mean(age)", pv.SquaredError()).decide(posterior).response == 20
    assert pv.Decision(None, linear, [0.2, 0.6]).decide(posterior).response == 0.6
