"""Hamiltonian Monte Carlo in the shape of the posterior at its mode: several chains at once, one a row.

The mode is found by damped Newton steps; the curvature there, by differences of slopes, is the mass matrix,
so that a nearly Normal posterior looks round to the sampler whatever its number of coordinates. Steps are
tuned while the chains forget their starts, and never afterwards. A chain may start where the density is so
steep that no proposal is accepted, and would stand there for ever: while it forgets, it takes shorter steps
than the others for as long as it is refused. Everything is a function of the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers

#: the log density at each row, and its slopes
HamiltonianDensity = Callable[[Floats], tuple[Floats, Floats]]
#: the share of accepted proposals that steps are tuned to
_WANTED = 0.85
#: no coordinate is wider than about 1: priors are not
_LEAST_CURVATURE = 1.0
_NEWTON, _ENOUGH, _DIFFERENCE, _MOST_STEPS = 60, 1e-2, 1e-5, 24
#: by what the steps of a chain are multiplied when it is refused and when it moves, while it forgets
_SHORTER, _LONGER = 0.6, 1.5
#: states a coordinate for which a shape counts as much as one that was known before
_PULL = 2.0


@dataclass(frozen=True)
class HamiltonianRun:
    """What chains went through.

    Attributes:
        states: chains, states, coordinates
        acceptance: the share of accepted proposals
        slopes: how many times the density was asked, of all chains at once
    """

    states: Floats
    acceptance: float
    slopes: int


@dataclass(frozen=True)
class Shape:
    """A point, and coordinates in which the density is round near it: point + steps @ root.T.

    Attributes:
        point: about the mode
        root: a square root of the inverse curvature
    """

    point: Floats
    root: Floats

    def bent(self, states: Floats) -> Shape:
        """Return the shape of states that were gone through, chains first: better where the mode misleads.

        The fewer states there are for the coordinates, the more is left of this one.
        """
        found = self.inside(states.reshape(-1, self.point.size))
        middle = found.mean(axis=0)
        share = len(found) / (len(found) + _PULL * self.point.size)
        spread = share * np.cov(found.T) + (1 - share) * np.eye(self.point.size)
        return Shape(self.point + self.root @ middle, self.root @ np.linalg.cholesky(spread))

    def inside(self, points: Floats) -> Floats:
        """Return the round coordinates of points, one a row."""
        return np.asarray(np.linalg.solve(self.root, (points - self.point).T).T)


def shape_at_mode(density: HamiltonianDensity, start: Floats, held: Integers) -> Shape:
    """Climb to the mode, some coordinates held where they are, and measure the curvature of all there.

    Scales are held: where little is known of what they scale, the density is highest at scales of 0, far from
    where its mass is.
    """
    point, height = start.copy(), float(density(start[np.newaxis])[0][0])
    damping, moving = 1e-2, np.setdiff1d(np.arange(start.size), held)
    values, vectors = _bent(density, point, moving)
    for _ in range(_NEWTON):
        slope = density(point[np.newaxis])[1][0][moving]
        tried = point.copy()
        tried[moving] += vectors @ ((vectors.T @ slope) / (np.maximum(np.abs(values), 1e-9) + damping))
        found = float(density(tried[np.newaxis])[0][0])
        if found > height:
            gained = found - height
            point, height, damping = tried, found, damping / 8
            if gained < _ENOUGH:
                break
            if gained > 0.5:
                values, vectors = _bent(density, point, moving)
        else:
            damping = max(8 * damping, 1e-3)
            if damping > 1e9:
                break
    values, vectors = _bent(density, point, np.arange(start.size))
    return Shape(point, vectors / np.sqrt(np.maximum(values, _LEAST_CURVATURE)))


def _bent(density: HamiltonianDensity, point: Floats, moving: Integers) -> tuple[Floats, Floats]:
    """Return the curvatures along their own directions, and these."""
    values, vectors = np.linalg.eigh(_curvature(density, point)[np.ix_(moving, moving)])
    return np.asarray(values), np.asarray(vectors)


def _curvature(density: HamiltonianDensity, point: Floats) -> Floats:
    slopes = density(np.concatenate([point[np.newaxis], point + _DIFFERENCE * np.eye(point.size)]))[1]
    found = (slopes[0] - slopes[1:]) / _DIFFERENCE
    return np.asarray(np.nan_to_num((found + found.T) / 2))


def walk(
    density: HamiltonianDensity,
    shape: Shape,
    rng: np.random.Generator,
    *,
    chains: int,
    forgotten: int,
    kept: int,
    path: float = 3.0,
    apart: float = 1.0,
    between: Callable[[Floats], None] | None = None,
    starts: Floats | None = None,
) -> HamiltonianRun:
    """Run chains from points around the mode, or on from where they are.

    Args:
        density: the log density and its slopes
        shape: where it is and how it is shaped
        rng: of everything that is drawn
        chains: how many
        forgotten: states of each that are not kept
        kept: states of each that are
        path: how far a proposal travels, in units of the shape
        apart: how far the chains start from the mode, likewise
        between: told the points after each proposal, to draw what else there is
        starts: a point for each chain; None for points around the mode
    """
    size = shape.point.size
    state = apart * rng.standard_normal((chains, size)) if starts is None else shape.inside(starts)
    height, slope = _round(density, shape, state)
    far = ~np.isfinite(height)
    if far.any():
        state[far] = 0.01 * rng.standard_normal((int(far.sum()), size))
        height, slope = _round(density, shape, state)
    step = 0.6 * size**-0.25
    average, mean_step, tuned = 0.0, 0.0, math.log(size**-0.25)
    states, own = np.empty((chains, kept, size)), np.ones((chains, 1))
    accepted, asked = [], 0
    for turn in range(forgotten + kept):
        length = path * rng.uniform(0.5, 1.0)
        number = max(1, min(_MOST_STEPS, round(length / step)))
        moment = rng.standard_normal(state.shape)
        steps = step * own
        new, push, gradient, top = state, moment + steps / 2 * slope, slope, height
        for place in range(number):
            new = new + steps * push
            top, gradient = _round(density, shape, new)
            push = push + (steps if place + 1 < number else steps / 2) * gradient
        asked += number
        with np.errstate(invalid="ignore"):  # a chain that begins where nothing is possible may leave
            change = top - height - (push**2).sum(axis=1) / 2 + (moment**2).sum(axis=1) / 2
        chance = np.exp(np.minimum(0.0, np.where(np.isnan(change), -np.inf, change)))
        taken = rng.random(chains) < chance
        state = np.where(taken[:, np.newaxis], new, state)
        height, slope = np.where(taken, top, height), np.where(taken[:, np.newaxis], gradient, slope)
        if between is not None:
            between(shape.point + state @ shape.root.T)
            height, slope = _round(density, shape, state)
        if turn < forgotten:  # dual averaging (Hoffman, Gelman 2014)
            weight, full = 1 / (turn + 11), own[:, 0] == 1
            seen = float(chance[full].mean() if full.any() else chance.mean())
            average = (1 - weight) * average + weight * (_WANTED - seen)
            log_step = tuned - math.sqrt(turn + 1) / 0.1 * average
            share = (turn + 1) ** -0.75
            mean_step = share * log_step + (1 - share) * mean_step
            step = math.exp(log_step if turn + 1 < forgotten else mean_step)
            step = min(max(step, 1e-3), path)
            own = np.minimum(own * np.where(taken, _LONGER, _SHORTER)[:, np.newaxis], 1.0)
            if turn + 1 == forgotten:
                own[:] = 1.0
        else:
            states[:, turn - forgotten] = state
            accepted.append(float(chance.mean()))
    points = shape.point + states @ shape.root.T
    return HamiltonianRun(points, float(np.mean(accepted)), asked)


def _round(density: HamiltonianDensity, shape: Shape, state: Floats) -> tuple[Floats, Floats]:
    height, slope = density(shape.point + state @ shape.root.T)
    return np.where(np.isnan(height), -np.inf, height), slope @ shape.root
