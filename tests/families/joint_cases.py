"""Every family of several parameters, with what the tests of all of them need to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from family_cases import nearest_codes
from numpy.typing import NDArray

import privior as pv
from privior.models import JointFamily

Floats = NDArray[np.float64]

SCHEMA = pv.Schema(
    {
        "error": pv.Bounded(-8, 8, grid="0.1"),
        "left": pv.Bounded(-6, 6, grid="0.1"),
        "right": pv.Integer(-12, 14),
    },
    population="clinic",
    unit="patient",
)


@dataclass(frozen=True)
class Case:
    """A family.

    Attributes:
        model: with a prior under which hardly any record lies outside the bounds of its columns
        draw: draws parameters from the prior
        records: draws the values of so many records given parameters, one record a row
        small: the family on columns of few values, for going through all tables, and its schema
        cut: a family whose draws are pure; None if there are none
        drawn: whether draws with a delta are released
    """

    model: JointFamily
    draw: Callable[[np.random.Generator], Floats]
    records: Callable[[np.random.Generator, Floats, int], Floats]
    small: tuple[JointFamily, pv.Schema]
    cut: JointFamily | None = None
    drawn: bool = False

    @property
    def name(self) -> str:
        return self.model.family

    def for_way(self, way: str) -> JointFamily | None:
        """Return the family of which a release is made this way, if there is one."""
        if way == "draws":
            return self.model if self.drawn else None
        return self.cut if way == "pure draws" else self.model

    def table(self, rng: np.random.Generator, theta: Floats, number: int) -> dict[str, list[float]]:
        """Draw the cells of a table."""
        rows = self.records(rng, theta, number)
        return {name: values.tolist() for name, values in zip(self.model.columns, rows.T, strict=True)}

    def codes(self, rng: np.random.Generator, theta: Floats, number: int) -> dict[str, NDArray[np.int64]]:
        """Draw the codes of the columns."""
        rows = self.records(rng, theta, number)
        return {
            name: nearest_codes(SCHEMA.column(name), values)
            for name, values in zip(self.model.columns, rows.T, strict=True)
        }


def _normal_gamma(rng: np.random.Generator) -> Floats:
    precision = rng.gamma(20, 1 / 40)
    return np.array([rng.normal(0, (4 * precision) ** -0.5), precision])


TWO = pv.Schema(
    {"x": pv.Bounded(-1, 1, grid=1), "y": pv.Bounded(0, 2, grid=1)}, population="few", unit="patient"
)
MEANS, SPREAD = np.array([0.5, 1.0]), np.array([[1.0, 0.3], [0.3, 2.0]])
COVARIANCE = [[1, "0.5"], ["0.5", 4]]
TURNED = np.linalg.cholesky(np.array([[1, 0.5], [0.5, 4]]))


def _wishart(rng: np.random.Generator) -> Floats:
    """A precision matrix with eigenvalues from 0.05 to 1, as a lower triangle."""
    scale = np.linalg.cholesky(np.array([[0.03, 0.005], [0.005, 0.01]]))
    while True:
        half = scale @ rng.standard_normal((2, 16))
        found = half @ half.T
        values = np.linalg.eigvalsh(found)
        if values[0] >= 0.05 and values[1] <= 1:
            return np.array([found[0, 0], found[1, 0], found[1, 1]])


def _scattered(rng: np.random.Generator, theta: Floats, number: int) -> Floats:
    precision = np.array([[theta[0], theta[1]], [theta[1], theta[2]]])
    root = np.linalg.cholesky(np.linalg.inv(precision))
    return np.array([0.25, 1]) + rng.standard_normal((number, 2)) @ root.T


BOUNDED = pv.MultivariateNormalPrecision(
    ["left", "right"],
    ["0.25", 1],
    pv.Wishart(16, [["0.03", "0.005"], ["0.005", "0.01"]], "0.05", 1),
)

CASES = [
    Case(
        pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 40)),
        _normal_gamma,
        lambda rng, theta, number: rng.normal(theta[0], theta[1] ** -0.5, (number, 1)),
        (
            pv.NormalMeanPrecision("x", pv.NormalGamma(0, 1, 2, 1)),
            pv.Schema({"x": pv.Bounded(-1, 1, grid="0.5")}, population="few", unit="patient"),
        ),
        pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 40, means=(-8, 8), precisions=("0.1", 2))),
    ),
    Case(
        pv.MultivariateNormalMean(
            ["left", "right"],
            pv.MultivariateNormal(["0.5", 1], [[1, "0.3"], ["0.3", 2]]),
            COVARIANCE,
        ),
        lambda rng: rng.multivariate_normal(MEANS, SPREAD),
        lambda rng, theta, number: theta + rng.standard_normal((number, 2)) @ TURNED.T,
        (
            pv.MultivariateNormalMean(
                ["x", "y"], pv.MultivariateNormal([0, 1], [[1, "0.5"], ["0.5", 2]]), [[2, 1], [1, 1]]
            ),
            TWO,
        ),
        drawn=True,
    ),
    Case(
        BOUNDED,
        _wishart,
        _scattered,
        (
            pv.MultivariateNormalPrecision(["x", "y"], [0, "0.5"], pv.Wishart(3, [[1, 0], [0, 1]], "0.5", 2)),
            TWO,
        ),
        BOUNDED,
    ),
]
