"""Draws of a Gibbs posterior from a fixed seed, in floats: for studies, nobody is protected by them."""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats
from privior.randomness import Envelope, Potential


def simulated(potential: Potential, given: Envelope, draws: int) -> Floats:
    """Draw by the shells that releases are drawn by."""
    generator, found = np.random.default_rng(7), list[Floats]()
    start, shares = potential.at(given.centre)[0], np.array(given.chances) / given.scale
    while len(found) < draws:
        shell = int(generator.choice(len(shares), p=shares))
        z = generator.standard_normal(potential.size)
        w = given.factors[shell] @ z
        ends = (*given.ends, math.inf)
        if not ends[shell] <= np.linalg.norm(w) < ends[shell + 1]:
            continue
        theta = given.centre + given.whiten.T @ w
        log = -(potential.at(theta)[0] - start) + float(z @ z) / 2 + given.log_constant(shell)
        if math.log(generator.uniform()) < log:
            found.append(theta)
    return np.array(found)
