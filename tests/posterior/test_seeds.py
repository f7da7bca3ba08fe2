"""The seed of an inference: the same one gives the same answers, another one other draws of the same law."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior import cache
from privior.errors import InferenceError
from privior.posterior.seeds import drawing, mixed, seed_said, seeded

KEPT = Path(__file__).parents[1] / "compat"
#: releases whose answers are read off draws, and an own prior if chains are to be seen
DRAWN: dict[str, Any] = {
    "0.2/k-norm": None,
    "kinds/dirichlet-categorical.ehds": None,
    "kinds/markov-chain.k-norm": None,
    "kinds/finite-family.gaussian-counts": None,
    "kinds/beta-bernoulli.noisy-statistics": None,
    "kinds/normal-mean-precision.noisy-statistics": None,
    "networks/bayesian-network.gaussian-tables": "learned",
    "networks/bayesian-network.network-draws": None,
    "regressions/gibbs-posterior.gibbs-draws": None,
    "regressions/linear-regression.gaussian-moments": None,
    "regressions/logistic-regression.objective-perturbation.intervals": None,
}
#: takes seconds for chains that are seeded as others are
SLOW = {
    "regressions/linear-regression.gaussian-moments",
    "regressions/logistic-regression.objective-perturbation.intervals",
    "networks/bayesian-network.network-draws",
}


def numbers(posterior: Any) -> list[Any]:
    """All that has a name, and draws behind the first of them."""
    first = posterior.model.columns[0]
    level = posterior.schema.column(first).labels[0]
    values = posterior.probability({first: level}).values
    return [*((one.mean, one.stddev, one.interval()) for one in posterior.quantities()), *values.tolist()]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in DRAWN]
)
def test_a_seed_gives_the_same_answers_again_and_another_one_others(name: str) -> None:
    release, prior = pv.Release.read(KEPT / f"{name}.json"), DRAWN[name]
    usual, other = (numbers(pv.infer(release, prior=prior, seed=seed)) for seed in (0, 3))
    assert numbers(pv.infer(release, prior=prior, seed=3)) == other
    assert other != usual
    for (mean, stddev, _), (again, _, _) in zip(
        *([one for one in some if not np.isscalar(one)] for some in (usual, other)), strict=True
    ):
        assert abs(mean - again) <= 0.5 * stddev  # one law: seeds are simulation error


def test_what_is_drawn_later_is_of_the_seed_too_and_copies_keep_it() -> None:
    release = pv.Release.read(KEPT / "0.2/k-norm.json")
    posterior: Any = pv.infer(release, seed=5)
    assert posterior.seed == posterior.counts().seed == replace(posterior).seed == 5
    assert pv.infer(release).seed == 0
    assert np.array_equal(posterior.draws(4, seed=1), pv.infer(release).draws(4, seed=1))


def test_draws_and_records_are_the_same_for_a_seed_of_theirs() -> None:
    posterior = pv.infer(pv.Release.read(KEPT / "networks/bayesian-network.gaussian-tables.json"))
    assert posterior.sample(50, seed=1) == posterior.sample(50, seed=1)
    assert posterior.sample(50, seed=1) != posterior.sample(50, seed=2)
    assert posterior.sample(50) != posterior.sample(50)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, "1", None])
def test_a_seed_is_a_whole_number(wrong: Any) -> None:
    release = pv.Release.read(KEPT / "0.2/k-norm.json")
    with pytest.raises(InferenceError, match="a seed is a whole number"):
        pv.infer(release, seed=wrong)


def test_seeds_end_with_the_inference_and_do_not_meet() -> None:
    with contextlib.suppress(ZeroDivisionError), seeded(7):
        assert seed_said() == 7
        raise ZeroDivisionError
    assert seed_said() == 0
    assert mixed(11) == 11
    first = {tuple(drawing(own, seed).integers(2**62, size=2)) for own in (0, 1, 2) for seed in (0, 1, 2)}
    assert len(first) == 9
    assert np.array_equal(drawing(11).random(3), np.random.default_rng(11).random(3))


def test_the_cache_tells_seeds_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "LASTING", 0.0)
    release = pv.Release.read(KEPT / "0.2/k-norm.json")
    made = {seed: cache.inferred([release], 2, seed=seed) for seed in (0, 3)}
    assert len(list((tmp_path / "privior").iterdir())) == 2
    monkeypatch.setattr(cache, "infer", None)  # cannot be called
    for seed, posterior in made.items():
        again = cache.inferred([release], 2, seed=seed)
        assert (again.seed, numbers(again)) == (seed, numbers(posterior))
    assert numbers(made[0]) == numbers(pv.infer(release, prior=2)) != numbers(made[3])
