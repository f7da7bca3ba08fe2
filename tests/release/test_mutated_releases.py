"""T40: whatever is changed in a release, it is used or refused in words; nothing else comes out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import mutated_releases as mutated
import pytest

#: families whose inference takes seconds are left to longer runs
_SLOW = ("multivariate", "normal-mean-precision")
QUICK = [path.name for path in mutated.FILES if not path.name.startswith(_SLOW)]
_TURNS = 40


def test_changed_releases_are_used_or_refused() -> None:
    used = sum(mutated.use(mutated.changed(QUICK[turn % len(QUICK)], turn)) for turn in range(_TURNS))
    assert used > 0


def test_odd_texts_names_and_nesting_are_used_or_refused() -> None:
    """Three seconds of what `make evidence` does for ten minutes, always the same ones."""
    end, turn, found = time.process_time() + 3, 2, []
    while time.process_time() < end:
        found.append(mutated.wrong(QUICK[turn % len(QUICK)], turn, 60))
        turn += 3  # every third number is an odd one
    assert [wrong for wrong in found if wrong is not None] == []


@pytest.mark.parametrize("fault", ["crash", "endless"])
def test_a_crash_and_an_endless_inference_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(release: object) -> None:
        while fault == "endless":
            pass
        raise IndexError("index out of range")

    name = "k-norm.json"
    text = next(path for path in mutated.FILES if path.name == name).read_text("utf-8")
    monkeypatch.setattr(mutated, "changed", lambda *_: text)
    assert mutated.wrong(name, 1, 60) is None
    monkeypatch.setattr("privior.infer", planted)
    found = mutated.wrong(name, 1, 1)
    assert found is not None
    assert ("IndexError" if fault == "crash" else "TimeoutError") in found


def _prior(**parts: str) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["model"]["prior"].update(parts)


def _of_records(records: int) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["mechanism"].update(records=records)


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
        ("beta-bernoulli.posterior-draws.json", _of_records(10**18)),  # a tail that no library ends to find
        ("beta-bernoulli.posterior-draws.json", _prior(second="1e18")),
        ("beta-bernoulli.posterior-draws.json", _prior(first="1e18")),
        ("beta-bernoulli.posterior-draws.json", _prior(second="1e12")),
        ("gaussian-counts.json", _noise("1e3")),  # e^1000 in a review
        ("dirichlet-categorical.ehdl.json", _noise("0.7")),  # a chosen epsilon that was not on its curve
    ],
)
def test_what_once_crashed_does_not(name: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = next(path for path in mutated.FILES if path.name == name)
    document = json.loads(path.read_text("utf-8"))
    change(document["plan"])
    mutated.use(json.dumps(mutated.mended(document)))


def test_changed_numbers_of_others_are_used_or_refused() -> None:
    found = [
        mutated.wrong(f"{name}.json", turn, 20) for turn in range(60) for name in ("decimals", "treated")
    ]
    assert [wrong for wrong in found if wrong is not None] == []
    assert sum(mutated.use(mutated.changed("treated.json", turn)) for turn in range(20)) > 0
