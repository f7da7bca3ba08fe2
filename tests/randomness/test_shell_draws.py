"""Draws by shells have their law, in one to three dimensions against quadrature; T01: whatever floats do."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from gibbs_quadrature import law
from numpy.typing import NDArray

from chi_square import fits
from privior.models.loss_kinds import (
    HuberLoss,
    LogisticLoss,
    PoissonLoss,
    SmoothHingeLoss,
    SmoothQuantileLoss,
)
from privior.models.losses import Loss
from privior.randomness import Bits, shell_draws, shells
from privior.randomness.shell_draws import TrialTally, draw_from
from privior.randomness.shells import Potential, envelope

Floats = NDArray[np.float64]


def table(loss: Loss, size: int, records: int = 25, seed: int = 5) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(seed)
    rows = generator.uniform(-1, 1, (records, size))
    rows[:, 0] = 1
    if loss.of_levels:
        return rows, np.where(rows.sum(axis=1) + generator.normal(size=records) > 0.5, 1.0, -1.0)
    targets = np.clip(rows.sum(axis=1) / 3 + generator.normal(size=records) / 3, -1, 1)
    return rows, np.round(2 + 2 * targets) if loss.as_they_are else targets


def plain(loss: Loss, u: Floats, y: Floats) -> Floats:
    """The losses once more, in plain numpy."""
    name = loss.name
    if name == "logistic":
        return np.logaddexp(0, -y * u)
    if name == "huber":
        k = float(loss.threshold)  # type: ignore[attr-defined]
        return np.where(np.abs(u - y) <= k, (u - y) ** 2 / 2, k * np.abs(u - y) - k**2 / 2)
    if name == "smooth-hinge":
        w = float(loss.width)  # type: ignore[attr-defined]
        return w * np.logaddexp(0, (1 - y * u) / w)
    if name == "smooth-quantile":
        q, w = float(loss.share), float(loss.width)  # type: ignore[attr-defined]
        return q * (y - u) + w * np.logaddexp(0, (u - y) / w)
    return np.exp(u) - y * u


def cells(potential: Potential, points: int, temperature: float) -> tuple[dict[int, float], list[Floats]]:
    """The chances of boxes, four in each direction, and their ends: by an even grid around the mode."""
    size = potential.size
    at = envelope(potential).centre
    spread = np.sqrt(np.diagonal(np.linalg.inv(potential.curvature(at))))
    reach = 9 if size < 3 else 7
    axes = [np.linspace(c - reach * s, c + reach * s, points) for c, s in zip(at, spread, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, size)
    total = potential.precision * (grid**2).sum(axis=1) / 2
    for row, y in zip(potential.rows, potential.targets, strict=True):
        total += temperature * plain(potential.loss, grid @ row, np.full(len(grid), y))  # type: ignore[arg-type]
    if potential.radius is not None:
        total[(grid**2).sum(axis=1) > potential.radius**2] = np.inf
    chances = law(grid, total)
    ends = [
        axis[np.searchsorted(np.cumsum(np.bincount(place, chances, minlength=points)), [0.25, 0.5, 0.75])]
        for place, axis in zip(
            np.stack(np.meshgrid(*([np.arange(points)] * size), indexing="ij")).reshape(size, -1),
            axes,
            strict=True,
        )
    ]
    half = [(axis[1] - axis[0]) / 2 for axis in axes]
    ends = [end + h for end, h in zip(ends, half, strict=True)]
    found = np.bincount(boxes(grid, ends), chances, minlength=4**size)
    return {place: float(one) for place, one in enumerate(found) if one > 0}, ends


def boxes(theta: Floats, ends: list[Floats]) -> NDArray[np.int64]:
    place = np.zeros(len(theta), np.int64)
    for column, end in enumerate(ends):
        place = 4 * place + np.searchsorted(end, theta[:, column])
    return place


def drawn(potential: Potential, draws: int, places: int = 30) -> tuple[Floats, TrialTally]:
    given, bits, tally = envelope(potential), Bits(), TrialTally()
    found = [draw_from(potential, given, places, bits, tally) for _ in range(draws)]
    return np.array(found) / 2.0**places, tally


LOSSES = [
    LogisticLoss(),
    HuberLoss("0.4"),
    SmoothHingeLoss("0.3"),
    SmoothQuantileLoss("0.3", "0.2"),
    PoissonLoss(1, 4),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_two_parameters_have_their_law_and_no_other(loss: Loss) -> None:
    """One of the five is kept in a ball that cuts the law."""
    rows, targets = table(loss, 2)
    radius = 1 / np.sqrt(2) if loss.reach else None
    potential = Potential(rows, targets, loss, 0.8, 1.5, radius)
    sample, tally = drawn(potential, 500 if radius else 1500)
    assert tally.undecided == 0
    chances, ends = cells(potential, 301, 0.8)
    assert fits(boxes(sample, ends).tolist(), chances)
    other, ends = cells(potential, 301, 0.8 * 2)
    assert not fits(boxes(sample, ends).tolist(), other)


def test_three_parameters() -> None:
    rows, targets = table(LogisticLoss(), 3, records=40)
    potential = Potential(rows, targets, LogisticLoss(), 1.0, 0.5)
    sample, tally = drawn(potential, 1500)
    chances, ends = cells(potential, 71, 1.0)
    assert fits(boxes(sample, ends).tolist(), chances)
    other, ends = cells(potential, 71, 2.0)
    assert not fits(boxes(sample, ends).tolist(), other)
    assert tally.trials < 5 * 1500  # acceptance about 0.6


def test_without_records_the_prior_is_drawn() -> None:
    potential = Potential(np.zeros((0, 2)), np.zeros(0), LogisticLoss(), 1.0, 4.0)
    sample, tally = drawn(potential, 400)
    assert tally.trials < 600
    assert np.abs(np.cov(sample.T) - np.eye(2) / 4).max() < 0.08


def test_where_floats_cannot_decide_balls_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same law if floats know nothing: every trial goes through interval arithmetic, with more bits."""
    loss = LogisticLoss()
    rows, targets = table(loss, 2, records=8)
    potential = Potential(rows, targets, loss, 0.8, 1.5)
    monkeypatch.setattr(shell_draws._Normal, "near", lambda self: (0.0, float("inf")))
    monkeypatch.setattr(shell_draws, "_FIRST", 3)
    sample, tally = drawn(potential, 800)
    assert tally.looked == 0
    assert tally.undecided > 1.2 * tally.trials
    chances, ends = cells(potential, 301, 0.8)
    assert fits(boxes(sample, ends).tolist(), chances)
    monkeypatch.undo()
    assert isinstance(drawn(potential, 1, places=60)[0], np.ndarray)  # a grid finer than floats


def test_enclosures_hold_what_floats_say() -> None:
    """F in interval arithmetic is within the stated error of F in floats, for every loss."""
    import flint

    for loss in LOSSES:
        rows, targets = table(loss, 3)
        potential = Potential(rows, targets, loss, 0.7, 1.1)
        trial = shell_draws._ShellTrial(potential, envelope(potential), (0.0, 0.0), Bits(), TrialTally())
        for theta in np.random.default_rng(2).uniform(-0.5, 0.5, (20, 3)):
            value, error = potential.at(theta)
            exact = trial._enclosed([flint.arb(one) for one in theta.tolist()])
            assert abs(float(exact.mid()) - value) <= error + 1e-15 < 1e-9


@dataclass(frozen=True)
class TooConfident(Loss):
    """A logistic loss that claims to bend more than it does: a wrong envelope."""

    name: ClassVar[str] = "too-confident"
    of_levels: ClassVar[bool] = True
    slope = Fraction(1)
    smoothness = Fraction(1, 4)
    concordance = Fraction(1)
    true: ClassVar[LogisticLoss] = LogisticLoss()

    def value(self, u: Floats, y: Floats) -> Floats:
        return self.true.value(u, y)

    def derivative(self, u: Floats, y: Floats) -> Floats:
        return self.true.derivative(u, y)

    def bend(self, u: Floats, y: Floats) -> Floats:
        return self.true.bend(u, y)

    def least_bend(self, u: Floats, y: Floats, away: Floats) -> Floats:
        return 1.3 * self.true.bend(u, y) / 2


def test_a_wrong_envelope_is_noticed() -> None:
    rows, targets = table(LogisticLoss(), 2, records=60)
    with pytest.raises(ArithmeticError, match="envelope is wrong"):
        drawn(Potential(rows, targets, TooConfident(), 1.0, 0.3), 500)


def refused(*_: object) -> None:
    raise ArithmeticError("no shells")


@pytest.mark.parametrize("loss", [LogisticLoss(), PoissonLoss(1, 4)], ids=lambda loss: loss.name)
def test_the_plain_envelope_has_the_same_law(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    """One shell that knows nothing but the prior, on all of R^d and on a ball; slower, and no other law."""
    rows, targets = table(loss, 2, records=8)
    radius = 1 / np.sqrt(2) if loss.reach else None
    potential = Potential(rows, targets, loss, 0.8, 1.5, radius)
    monkeypatch.setattr(shells, "in_shells", refused)
    assert len(envelope(potential).factors) == 1
    sample, _ = drawn(potential, 500)
    chances, ends = cells(potential, 301, 0.8)
    assert fits(boxes(sample, ends).tolist(), chances)
    other, ends = cells(potential, 301, 0.8 * 3)
    assert not fits(boxes(sample, ends).tolist(), other)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_no_rows_make_it_fail(loss: Loss) -> None:
    """Rows of one direction, far too long for floats, next to a prior that is far too wide for them."""
    rows, targets = table(loss, 3)
    for made in (np.repeat(rows[:1], 25, axis=0), 1e9 * rows, rows - rows, rows[:0]):
        for precision in (1e-30, 1e-9, 1.0):
            radius = 1.0 if loss.reach else None
            given = envelope(Potential(made, targets[: len(made)], loss, 1.0, precision, radius))
            assert np.isfinite(given.log_most)
            assert all(np.isfinite(one).all() for one in given.factors)


def test_a_sharp_loss_is_centred_where_it_bends() -> None:
    """Newton's steps are meant for the straight parts; the mode is at the bend."""
    rows, targets = np.tile([1.0, 0.0], (20, 1)), np.where(np.arange(20) < 16, 1.0, -1.0)
    given = envelope(Potential(rows, targets, SmoothHingeLoss("1e-6"), 0.07, 0.7))
    assert abs(given.centre[0] - 1) < 1e-5
    assert given.log_most < 8


@pytest.mark.parametrize("table", ["constant", "separable"])
def test_steps_beyond_a_bend_do_not_end_the_search(table: str) -> None:
    """A gentle rise far beyond the mode was taken for the mode: rows decided whether a draw ever ended."""
    rows = (
        np.ones((300, 3)) if table == "constant" else np.sign(np.random.default_rng(0).normal(size=(300, 3)))
    )
    potential = Potential(rows, rows[:, 0], SmoothHingeLoss("0.1"), 0.05, 1.0)
    assert np.linalg.norm(potential.gradient(shells.centre(potential))[0]) < 1e-6
    assert envelope(potential).log_most < 5


def test_factors_are_triangular() -> None:
    """The product of the diagonal is the determinant to the last bit: there is nothing below it."""
    generator = np.random.default_rng(1)
    rows = np.clip(generator.normal(size=(60, 1)) + 0.05 * generator.normal(size=(60, 6)), -1, 1)
    signs = np.where(generator.uniform(size=60) < 0.5, 1.0, -1.0)
    for factor in envelope(Potential(rows, signs, LogisticLoss(), 5.0, 1e-3)).factors:
        assert (factor == np.triu(factor)).all()
        assert (np.diagonal(factor) > 0).all()
