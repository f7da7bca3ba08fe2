"""The most likely parameter is where the density is, not at the end of a grid of equal floats."""

from __future__ import annotations

from pathlib import Path

import pytest

import privior as pv

RELEASES = sorted((Path(__file__).parents[1] / "frozen" / "releases").glob("coin.noisy*.json"))


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_it_lies_in_the_interval(path: Path) -> None:
    posterior = pv.infer(path)
    low, high = posterior.interval(0.99)
    assert low < posterior.mode() < high


def test_there_are_such_releases() -> None:
    assert len(RELEASES) >= 2
