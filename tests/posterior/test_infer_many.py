"""Many releases of one plan: the same answers as one by one, and what they share is made once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.errors import InferenceError
from privior.models import Observed
from privior.posterior.networks import joint_arrays, joint_lists
from privior.posterior.shared import once, sharing

KEPT = Path(__file__).parents[1] / "compat"
NETWORK = KEPT / "networks/bayesian-network.gaussian-tables.json"


def several(path: Path, number: int = 2) -> list[pv.Release]:
    """Take a release, and others of its plan with other numbers."""
    first, found = pv.Release.read(path), []
    for place in range(number):
        numbers = (np.roll(one, place) + (place if len(one) == 1 else 0) for one in first.statistics.numbers)
        moved = tuple(tuple(map(int, one)) for one in numbers)
        found.append(replace(first, statistics=Observed(first.statistics.layouts, moved)))
    return found


def said(posterior: Any) -> list[Any]:
    return [(one.name, one.mean, one.stddev, one.interval(0.8)) for one in posterior.quantities()]


@pytest.mark.parametrize(
    ("path", "prior"),
    [
        (NETWORK, None),
        (NETWORK, "learned"),
        (KEPT / "0.2/k-norm.json", None),
        (KEPT / "kinds/beta-bernoulli.noisy-statistics.json", None),
    ],
    ids=["network", "network, learned", "table", "family"],
)
def test_answers_are_those_one_by_one(path: Path, prior: Any) -> None:
    releases = several(path)
    together = list(pv.infer_many(releases, prior=prior, seed=2))
    alone = [pv.infer(one, prior=prior, seed=2) for one in releases]
    assert [one.releases for one in together] == [(one,) for one in releases]
    assert list(map(said, together)) == list(map(said, alone))
    assert said(together[0]) != said(together[1])


def test_what_does_not_depend_on_the_numbers_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"walks_of": 0, "listed": 0}

    def counting(module: Any, name: str) -> None:
        own = getattr(module, name)

        def counted(*arguments: Any) -> Any:
            made[name] += 1
            return own(*arguments)

        monkeypatch.setattr(module, name, counted)

    counting(joint_arrays, "walks_of")
    counting(joint_lists, "listed")
    releases = several(NETWORK, 2)
    for posterior in pv.infer_many(iter(releases), prior="learned"):
        assert posterior.known.together
    assert made["walks_of"] == 1
    for one in releases:
        pv.infer(one, prior="learned")
    assert made["walks_of"] == 3


def test_releases_are_read_one_after_the_other_and_of_one_plan() -> None:
    table = KEPT / "0.2/k-norm.json"
    many = pv.infer_many(one for one in (table, str(table), NETWORK))
    assert said(next(many)) == said(next(many))
    with pytest.raises(InferenceError, match="not of one plan"):
        next(many)
    for wrong in ([7], [[pv.Release.read(table)]]):
        with pytest.raises(InferenceError, match="not a release"):
            list(pv.infer_many(wrong))  # type: ignore[arg-type]
    assert list(pv.infer_many([])) == []


def test_nothing_is_shared_outside() -> None:
    shared: dict[Any, Any] = {}
    with sharing(shared):
        assert once("a", lambda: [1]) is once("a", lambda: [2])
        with sharing({}):
            assert once("a", lambda: [3]) == [3]
    assert once("a", lambda: [4]) == [4]
    assert shared == {"a": [1]}
