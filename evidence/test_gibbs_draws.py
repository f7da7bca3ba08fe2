"""Exact draws of Gibbs posteriors: against long chains in ten dimensions; how long they take.

The chains are of two kinds: Hamiltonian ones in plain numpy, and those of NUTS (numpyro, the extra `nuts`).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from record import Certificate, store

from privior.models import LogisticLoss
from privior.randomness import Bits, Potential, TrialTally, draw_from, envelope

Floats = NDArray[np.float64]
#: a difference of means, or of mean squares, in standard errors: 20 of them are looked at
_FAR = 4.5


def table(records: int, size: int, seed: int) -> tuple[Floats, Floats]:
    """Correlated features in [-1, 1], an intercept, and labels that follow them."""
    generator = np.random.default_rng(seed)
    common = generator.uniform(-1, 1, (records, 1))
    rows = (generator.uniform(-1, 1, (records, size)) + common) / 2
    rows[:, 0] = 1
    chances = 1 / (1 + np.exp(-rows @ (np.arange(size) % 3 - 1.0)))
    return rows, np.where(generator.uniform(size=records) < chances, 1.0, -1.0)


def chains(potential: Potential, kept: int) -> Floats:
    """Run 64 chains of Hamiltonian Monte Carlo with exact acceptance, in plain numpy, from 0."""
    generator = np.random.default_rng(5)
    rows, labels, beta, m = potential.rows, potential.targets, potential.temperature, potential.precision
    curved = (rows.T @ rows) * beta * 0.2 + m * np.eye(potential.size)
    scale = np.linalg.inv(np.linalg.cholesky(curved)).T  # theta = scale x, about standard

    def energy(x: Floats) -> Floats:
        theta = x @ scale.T
        losses = np.logaddexp(0, -labels * (theta @ rows.T)).sum(axis=1)
        return np.asarray(beta * losses + m * (theta**2).sum(axis=1) / 2)

    def slope(x: Floats) -> Floats:
        theta = x @ scale.T
        pulled = -labels / (1 + np.exp(labels * (theta @ rows.T)))
        return np.asarray((beta * pulled @ rows + m * theta) @ scale)

    x, found = np.zeros((64, potential.size)), []
    for round_ in range(kept + 200):
        p = generator.standard_normal(x.shape)
        start = energy(x) + (p**2).sum(axis=1) / 2
        step, y = 0.25 * generator.uniform(0.7, 1.3), x.copy()
        q = p - step / 2 * slope(y)
        for leap in range(8):
            y = y + step * q
            q = q - step * slope(y) * (0.5 if leap == 7 else 1)
        accepted = np.log(generator.uniform(size=64)) < start - energy(y) - (q**2).sum(axis=1) / 2
        x = np.where(accepted[:, None], y, x)
        if round_ >= 200:
            found.append(x @ scale.T)
    return np.array(found)


def nuts_chains(potential: Potential, kept: int) -> Floats:
    """Run eight chains of NUTS, which tunes itself: (states, chains, weights)."""
    jax: Any = pytest.importorskip("jax", reason="no NUTS is installed: pip install -e '.[nuts]'")
    infer: Any = pytest.importorskip("numpyro.infer", reason="no NUTS is installed: pip install -e '.[nuts]'")
    jax.config.update("jax_enable_x64", True)
    rows, labels = jax.numpy.asarray(potential.rows), jax.numpy.asarray(potential.targets)

    def height(theta: Any) -> Any:
        losses = jax.numpy.logaddexp(0.0, -labels * (rows @ theta)).sum()
        return potential.temperature * losses + potential.precision * (theta**2).sum() / 2

    walk = infer.MCMC(
        infer.NUTS(potential_fn=height, dense_mass=True),
        num_warmup=500,
        num_samples=kept,
        num_chains=8,
        chain_method="vectorized",
        progress_bar=False,
    )
    walk.run(jax.random.PRNGKey(1), init_params=jax.numpy.zeros((8, potential.size)))
    return np.asarray(walk.get_samples(group_by_chain=True)).transpose(1, 0, 2)


def worst(exact: Floats, walked: Floats) -> dict[str, float]:
    """Return how far means and mean squares are apart, in standard errors, by independent chains."""
    found = {}
    for name, power in (("means", 1), ("mean squares", 2)):
        mine = exact**power
        states, parts = walked**power, max(1, 64 // walked.shape[1])
        theirs = np.concatenate([part.mean(axis=0) for part in np.array_split(states, parts)])  # long pieces
        error = np.hypot(
            mine.std(axis=0) / math.sqrt(len(mine)), theirs.std(axis=0, ddof=1) / math.sqrt(len(theirs))
        )
        found[name] = float((np.abs(mine.mean(axis=0) - theirs.mean(axis=0)) / error).max())
    return found


@pytest.mark.parametrize("sampler", ["hamiltonian", "nuts"])
def test_against_long_chains_in_ten_dimensions(sampler: str) -> None:
    certificate = Certificate.of(__file__)
    rows, labels = table(500, 10, 1)
    potential = Potential(rows, labels, LogisticLoss(), 0.3, 1.0)
    cooler = Potential(rows, labels, LogisticLoss(), 0.15, 1.0)
    if sampler == "nuts":
        walked, other = nuts_chains(potential, 4000), nuts_chains(cooler, 400)
    else:
        walked, other = chains(potential, 1504), chains(cooler, 304)
    given, bits, tally = envelope(potential), Bits(), TrialTally()
    exact = np.array([draw_from(potential, given, 40, bits, tally) for _ in range(1500)]) / 2.0**40
    far, seen = worst(exact, walked), worst(exact, other)["means"]
    store(
        f"gibbs-draws-ten-dimensions{'-nuts' if sampler == 'nuts' else ''}",
        certificate,
        title=f"Exact draws of a Gibbs posterior of ten weights against long chains ({sampler})",
        claim=f"20 means and mean squares within {_FAR} standard errors; half the temperature is seen",
        header=("draws", "acceptance", "chains", "worst mean", "worst mean square", "half the temperature"),
        rows=[
            (
                str(len(exact)),
                f"{len(exact) / tally.trials:.3f}",
                f"{walked.shape[1]} x {walked.shape[0]}",
                f"{far['means']:.2f}",
                f"{far['mean squares']:.2f}",
                f"{seen:.1f}",
            )
        ],
    )
    assert max(far.values()) < _FAR
    assert seen > _FAR


def test_one_draw_of_a_hundred_thousand_records() -> None:
    certificate = Certificate.of(__file__)
    lines = []
    for records, size, beta, m in (
        (100_000, 10, 0.07, 0.35),
        (100_000, 10, 1.0, 1.0),
        (10_000, 20, 0.07, 0.7),
    ):
        rows, labels = table(records, size, 2)
        start = time.process_time()
        potential = Potential(rows, labels, LogisticLoss(), beta, m)
        given, tally = envelope(potential), TrialTally()
        draw_from(potential, given, 30, Bits(), tally)
        seconds = time.process_time() - start
        for _ in range(4):
            draw_from(potential, given, 30, Bits(), tally)
        lines.append(
            (str(records), str(size), f"{beta:g}", f"{m:g}", f"{seconds:.2f}", f"{5 / tally.trials:.2g}")
        )
        assert size > 10 or seconds < 5
    store(
        "gibbs-draws-speed",
        certificate,
        title="One exact draw of a Gibbs posterior, envelope included",
        claim="100,000 records and ten weights within 5 CPU seconds",
        header=("records", "weights", "temperature", "precision", "CPU seconds", "acceptance"),
        rows=lines,
    )
