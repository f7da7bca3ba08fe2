"""Exact draws of Gibbs posteriors: against long Hamiltonian chains in ten dimensions; how long they take."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray
from record import Certificate, store

from privior.models import LogisticLoss
from privior.randomness import Bits, Potential, Tally, draw_from, envelope

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


def test_against_long_chains_in_ten_dimensions() -> None:
    certificate = Certificate.of(__file__)
    rows, labels = table(500, 10, 1)
    potential = Potential(rows, labels, LogisticLoss(), 0.3, 1.0)
    given, bits, tally = envelope(potential), Bits(), Tally()
    exact = np.array([draw_from(potential, given, 40, bits, tally) for _ in range(1500)]) / 2.0**40
    walked = chains(potential, 1500)  # (rounds, chains, weights)
    worst = {}
    for name, power in (("means", 1), ("mean squares", 2)):
        mine, theirs = exact**power, (walked**power).mean(axis=0)
        error = np.hypot(mine.std(axis=0) / math.sqrt(len(mine)), theirs.std(axis=0) / math.sqrt(64))
        worst[name] = float((np.abs(mine.mean(axis=0) - theirs.mean(axis=0)) / error).max())
    # a law with half the temperature would be seen
    other = Potential(rows, labels, LogisticLoss(), 0.15, 1.0)
    wrong = np.array([draw_from(other, envelope(other), 40, bits) for _ in range(20)]) / 2.0**40
    assert wrong.shape == (20, 10)
    cooler = chains(other, 300).mean(axis=(0, 1))
    seen = np.abs(exact.mean(axis=0) - cooler) / (exact.std(axis=0) / math.sqrt(len(exact)))
    store(
        "gibbs-draws-ten-dimensions",
        certificate,
        title="Exact draws of a Gibbs posterior of ten weights against long chains",
        claim=f"20 means and mean squares within {_FAR} standard errors of 64 long Hamiltonian chains",
        header=("draws", "acceptance", "worst mean", "worst mean square", "half the temperature"),
        rows=[
            (
                str(len(exact)),
                f"{len(exact) / tally.trials:.3f}",
                f"{worst['means']:.2f}",
                f"{worst['mean squares']:.2f}",
                f"{seen.max():.1f}",
            )
        ],
    )
    assert max(worst.values()) < _FAR
    assert seen.max() > _FAR


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
        given, tally = envelope(potential), Tally()
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
