"""Noise from a seed is the same in every run, has about the law it stands for, and ends with its test."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from chi_square import fits
from privior.randomness import Bits
from privior.randomness.discrete import discrete_gaussian, discrete_laplace
from seeded_noise import seed_noise

#: a sampler, and the log of its law up to a constant
LAWS: dict[str, tuple[Callable[[int, Fraction], list[int]], Callable[[int, float], float]]] = {
    "laplace": (discrete_laplace, lambda z, scale: -abs(z) / scale),
    "gaussian": (discrete_gaussian, lambda z, scale: -((z / scale) ** 2) / 2),
}


@pytest.mark.parametrize("name", LAWS)
def test_it_has_its_law_and_no_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, log = LAWS[name]
    seed_noise(1, monkeypatch)
    sample = draw(4000, Fraction(6))

    def law(scale: float) -> dict[int, float]:
        weights = {z: math.exp(log(z, scale)) for z in range(-200, 201)}
        return {z: weight / sum(weights.values()) for z, weight in weights.items()}

    assert fits(sample, law(6))
    assert not fits(sample, law(8))


def test_it_is_the_same_in_every_run_and_ends() -> None:
    def drawn() -> tuple[list[int], int]:
        return discrete_laplace(5, Fraction(1000)), Bits().bits(200)

    found = []
    for seed in (1, 1, 2):
        with pytest.MonkeyPatch.context() as patch:
            seed_noise(seed, patch)
            found.append(drawn())
    assert found[0] == found[1] != found[2]
    assert drawn() != drawn()
