"""No table takes more trials than the public bound says; T37: a draw that is begun ends soon."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from gibbs_quadrature import law
from numpy.typing import NDArray

from chi_square import fits
from privior.models import HuberLoss, LogisticLoss, Loss, PoissonLoss, SmoothHingeLoss, SmoothQuantileLoss
from privior.randomness import AnyTable, Bits, Envelope, Potential, TrialTally, draw_from, envelope

Floats = NDArray[np.float64]
LOSSES = [
    LogisticLoss(),
    HuberLoss("0.1"),
    HuberLoss(1),
    SmoothHingeLoss("0.5"),
    SmoothHingeLoss("0.05"),
    SmoothQuantileLoss("0.5", "0.2"),
    PoissonLoss(2, 6),
]
ROWS = ("even", "corners", "alike", "correlated", "few", "idle")
TARGETS = ("one feature", "constant", "contradicting", "ends", "noise")


def made_rows(kind: str, records: int, size: int, generator: np.random.Generator) -> Floats:
    """Features in [-1, 1] and an intercept, of a kind that was bad for some loss."""
    rows = generator.uniform(-1, 1, (records, size))
    if kind in ("corners", "alike", "few"):
        rows = np.where(rows > 0, 1.0, -1.0)
    if kind == "alike":
        rows = np.repeat(rows[:1], records, axis=0)
    if kind == "correlated":
        rows = np.clip(rows[:, :1] + 0.1 * rows, -1, 1)
    if kind == "few":
        rows = rows[generator.integers(0, size, records)]
    if kind == "idle":
        rows *= generator.uniform(size=(records, 1)) < 0.1
    rows[:, 0] = 1
    return rows


def made_targets(kind: str, loss: Loss, rows: Floats, generator: np.random.Generator) -> Floats:
    low, high = loss.targets
    found = {
        "one feature": rows[:, 1],
        "constant": np.ones(len(rows)),
        "contradicting": np.where(np.arange(len(rows)) % 2, 1.0, -1.0) * min(1.0, float(loss.slope)),
        "ends": np.where(rows.sum(axis=1) > 1, 1.0, -1.0),
        "noise": generator.uniform(-1, 1, len(rows)),
    }[kind]
    if loss.of_levels:
        return np.where(found > 0, 1.0, -1.0)
    found = (low + high) / 2 + (high - low) / 2 * found
    return np.asarray(np.round(found) if loss.as_they_are else found)


def trials(potential: Potential, count: int, generator: np.random.Generator) -> float:
    """About 1 over the mean chance that a trial is kept, in floats."""
    given: Envelope = envelope(potential)
    shares = np.array(given.chances) / given.scale
    shells = generator.choice(len(shares), count, p=shares / shares.sum())
    z = generator.standard_normal((count, potential.size))
    w = np.einsum("nij,nj->ni", np.array(given.factors)[shells], z)
    ends, away = np.array([*given.ends, np.inf]), np.linalg.norm(w, axis=1)
    theta = given.centre + w @ given.whiten
    held = (away >= ends[shells]) & (away < ends[shells + 1])
    if potential.radius is not None:
        held &= np.linalg.norm(theta, axis=1) <= potential.radius
    u = theta[held] @ potential.rows.T
    losses = potential.loss.value(u, np.broadcast_to(potential.targets, u.shape)).sum(axis=1)
    value = potential.temperature * losses + potential.precision * (theta[held] ** 2).sum(axis=1) / 2
    constants = np.array([given.log_constant(one) for one in range(len(shares))])[shells[held]]
    logs = potential.at(given.centre)[0] - value + (z[held] ** 2).sum(axis=1) / 2 + constants
    assert logs.max() < 1e-6
    return count / float(np.exp(logs).sum())


def settings(loss: Loss, size: int) -> list[tuple[float, float]]:
    """Temperatures and precisions: about those of epsilon 1 and 10, and of a wide prior."""
    length = float(loss.slope) * math.sqrt(size)
    return [(mu * math.sqrt(m) / (2 * length), m) for mu, m in ((0.27, 0.45 * length**2), (1.9, 0.25))]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_no_table_takes_more(loss: Loss) -> None:
    """Where bounds are up to 3000: what so many trials can see."""
    generator, seen, pairs = np.random.default_rng(8), 0, list(product(ROWS, TARGETS))
    for size, records in ((2, 60), (4, 40), (6, 25)):
        for beta, m in settings(loss, size):
            for radius in (2 / math.sqrt(size),) if loss.reach else (None, 0.7):
                public = AnyTable(loss, loss.targets, size, records, math.sqrt(size), beta, m, radius)
                most = public.log_trials()
                for kind, aim in pairs[seen % 2 :: 2] if most < math.log(3000) else ():
                    rows = made_rows(kind, records, size, generator)
                    targets = made_targets(aim, loss, rows, generator)
                    found = trials(Potential(rows, targets, loss, beta, m, radius), 3000, generator)
                    seen += 1
                    assert found < math.exp(most) * 1.1, (public, kind, aim)
    assert seen >= 30


def test_a_shell_of_next_to_no_chance_costs_no_trials() -> None:
    """Chances are whole numbers of 2^-40: rounded down, one of 1.9 made every second trial a waste."""
    generator, beta, m = np.random.default_rng(11), 1.2, 100 / 9
    most = AnyTable(LogisticLoss(), (-1.0, 1.0), 2, 100, math.sqrt(2), beta, m, None).log_trials()
    for _ in range(60):
        rows = np.column_stack([np.ones(100), generator.uniform(-1, 1, 100)])
        targets = np.where(rows[:, 1] > generator.uniform(-1, 1), 1.0, -1.0)
        given = Potential(rows, targets, LogisticLoss(), beta, m)
        assert trials(given, 3000, generator) < math.exp(most) * 1.1


def test_a_bound_for_shorter_rows_is_exceeded() -> None:
    generator = np.random.default_rng(8)
    rows = made_rows("corners", 60, 2, generator)
    found = trials(Potential(rows, np.ones(60), LogisticLoss(), 2.0, 4.0), 20000, generator)
    public = AnyTable(LogisticLoss(), (-1.0, 1.0), 2, 60, math.sqrt(2), 2.0, 4.0, None)
    assert found < math.exp(public.log_trials())
    assert found > math.exp(replace(public, length=math.sqrt(2) / 2).log_trials())


def test_records_are_nearly_free_where_losses_bend_smoothly() -> None:
    """More records add what floats lose, in shells; by the prior alone they count."""
    one = AnyTable(LogisticLoss(), (-1.0, 1.0), 5, 1000, math.sqrt(5), 0.09, 2.2, None)
    assert replace(one, records=200_000).log_trials() < one.log_trials() + 0.3
    huber = replace(one, loss=HuberLoss(1))
    assert replace(huber, records=200_000).log_trials() > huber.log_trials() + 10


@pytest.mark.parametrize("push", [3.0, 30.0])
def test_a_mode_on_the_boundary_of_a_ball(push: float) -> None:
    """All counts are the largest: the law is pressed to the boundary, which bends it. It keeps its law."""
    generator = np.random.default_rng(2)
    rows = np.column_stack([np.ones(20), generator.uniform(-0.3, 0.3, 20)])
    potential = Potential(rows, np.full(20, 6.0), PoissonLoss(2, 6), push / 20, 1.0, 0.8)
    given, bits, tally = envelope(potential), Bits(), TrialTally()
    assert np.linalg.norm(given.centre) == pytest.approx(0.8)
    draws = np.array([draw_from(potential, given, 30, bits, tally) for _ in range(500)]) / 2.0**30
    angle, depth = np.meshgrid(np.linspace(-np.pi, np.pi, 1201), np.linspace(0, 0.8, 801), indexing="ij")
    grid = np.column_stack([(depth * np.cos(angle)).ravel(), (depth * np.sin(angle)).ravel()])
    u = grid @ rows.T
    total = push / 20 * (np.exp(u) - 6 * u).sum(axis=1) + (grid**2).sum(axis=1) / 2

    def boxes(theta: Floats) -> NDArray[np.int64]:
        deep = np.searchsorted(DEPTHS / push, 0.8 - np.linalg.norm(theta, axis=1))
        wide = 0.5 / push**0.5
        around = np.searchsorted([-wide, 0, wide], np.arctan2(theta[:, 1], theta[:, 0]))
        return np.asarray(4 * deep + around, np.int64)

    def chances(times: float) -> dict[int, float]:
        weights = law(grid, total * times - np.log(np.maximum(depth.ravel(), 1e-300)))
        found = np.bincount(boxes(grid), weights, minlength=16)
        return {place: float(one) for place, one in enumerate(found) if one > 0}

    assert fits(boxes(draws).tolist(), chances(1.0))
    assert not fits(boxes(draws).tolist(), chances(2.0))
    assert tally.trials < 500 * 40


DEPTHS = np.array([0.05, 0.15, 0.3])
