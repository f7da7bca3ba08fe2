"""T40: whatever is changed in a release, it is used or refused in words; nothing else comes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import mutated_releases as mutated
import pytest

#: families whose inference takes seconds are left to longer runs
_SLOW = ("multivariate", "normal-mean-precision")
QUICK = [path.name for path in mutated.FILES if not path.name.startswith(_SLOW)]
_TURNS = 120


def test_changed_releases_are_used_or_refused() -> None:
    used = sum(mutated.use(mutated.changed(QUICK[turn % len(QUICK)], turn)) for turn in range(_TURNS))
    assert used > 0


def _prior(**parts: str) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["model"]["prior"].update(parts)


def _noise(epsilon: str) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["mechanism"].update(epsilon=epsilon)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("beta-bernoulli.noisy-statistics.json", _prior(first="1e18")),  # no point of a grid had a density
        ("beta-bernoulli.noisy-statistics.json", _prior(first="1e-9")),  # a forecast beyond all floats
        ("beta-bernoulli.noisy-statistics.json", _prior(second="1e-9")),
        ("gamma-poisson.noisy-statistics.json", _prior(shape="1e18")),
        ("gamma-exponential.noisy-statistics.json", _prior(shape="1e-9")),
        ("normal-precision.noisy-statistics.json", _prior(shape="1e18")),
        ("gaussian-counts.json", _noise("1e3")),  # e^1000 in a review
        ("dirichlet-categorical.ehdl.json", _noise("0.7")),  # a chosen epsilon that was not on its curve
    ],
)
def test_what_once_crashed_does_not(name: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = next(path for path in mutated.FILES if path.name == name)
    document = json.loads(path.read_text("utf-8"))
    change(document["plan"])
    mutated.use(json.dumps(mutated.mended(document)))
