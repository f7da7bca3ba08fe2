"""Priors of the weights of a regression: learned from the release, or said.

Weights are of features divided by the root of the number of terms, so that no record is longer than 1
(`Design`), and of the target as a share of its range. A weight of 1 can move the target by its whole range.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from privior.arrays import Floats
from privior.checks import fill
from privior.errors import ModelError, shown
from privior.exact import decimal, rational
from privior.models.design import INTERCEPT, Design

LEARNED = "learned"
#: by which power of its scatter the variance of a feature's weight is less than that of others: 0 would say
#: that weights are alike, whatever the ranges that were declared, 1 that what features explain is
STANDARD = 0.5
_WHERE = "linear-regression"
#: how files call tails of their own
_TAILS = {"heavy-tails": True, "normal": False}
_ALLOWED = (
    f'"{LEARNED}"; pv.Shrinkage(heavy_tails=False), in files {{ shrinkage = "normal" }}; '
    'pv.Ridge("0.5"), in files { ridge = "0.5" }; or pv.OwnCoefficients({"age": ["0", "100"]}), in files '
    "{ coefficients = { ... } }"
)


class WeightPrior(ABC):
    """What is believed of the weights before any data; of intercept and noise little is believed anyway."""

    #: whether each weight has a scale of its own around the common one
    heavy = False

    @abstractmethod
    def normal(self, design: Design) -> tuple[Floats, Floats] | None:
        """Return mean and covariance of the weights; None if their common scale is learned."""

    @abstractmethod
    def to_document(self) -> object:
        """Write it as plain values."""


@final
@dataclass(frozen=True)
class Shrinkage(WeightPrior):
    """Effects u_j ~ Normal(0, tau^2 c_j (v / G_j)^STANDARD), tau learned from the release: the default.

    Each feature has an effect, and so has each product of levels without a feature, such as the first level,
    with which the others are compared: weights of levels are differences of effects (`Design.effects`), so
    that a release that tells little draws levels to what they have in common, not to the first one.
    G_j is the scatter of the feature, v a typical one, both latent: a feature that varies little in its range
    may have a larger effect. What is believed of tau is about what features explain: their part of the
    target's variance is about half of what they leave, give or take a factor of e^2. With heavy tails every
    effect has a scale c_j of its own (so that it is of Student's law with 4 degrees of freedom): few features
    may matter much among many that do not. Without them c_j is 1.

    Attributes:
        heavy_tails: whether there are such scales; None for what the model takes by default: linear
            regressions have them, logistic ones do not
    """

    heavy_tails: bool | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.heavy_tails, bool | None):
            raise ModelError(
                "heavy_tails is true, false or left out", where=_WHERE, asked=shown(self.heavy_tails)
            )

    @property
    def heavy(self) -> bool:  # type: ignore[override]
        """Whether tails are heavy, of a linear regression."""
        return self.heavy_tails is not False

    def normal(self, design: Design) -> None:
        """Return nothing: the spread is learned."""
        return

    def to_document(self) -> object:
        """Write the word for a learned spread, or a table that says what its tails are."""
        if self.heavy_tails is None:
            return LEARNED
        return {"shrinkage": next(name for name, heavy in _TAILS.items() if heavy is self.heavy_tails)}

    def __str__(self) -> str:
        said = {None: "", True: ", heavy tails", False: ", Normal"}[self.heavy_tails]
        return f"{LEARNED}{said}"


@final
@dataclass(frozen=True)
class Ridge(WeightPrior):
    """w ~ Normal(0, stddev^2 I).

    Attributes:
        stddev: as a share of the target's range, for a record with all features at the ends of their ranges
    """

    stddev: Fraction

    def __init__(self, stddev: object) -> None:
        found = rational(stddev, "stddev")
        if not 0 < found <= 1000:
            raise ModelError(
                "stddev is out of range", where=_WHERE, asked=shown(stddev), allowed="above 0, up to 1000"
            )
        fill(self, stddev=found)

    def normal(self, design: Design) -> tuple[Floats, Floats]:
        """Return means of 0 and one variance for every weight."""
        size = len(design.features)
        return np.zeros(size), float(self.stddev) ** 2 * np.eye(size)

    def to_document(self) -> object:
        """Write the standard deviation that all weights have."""
        return {"ridge": decimal(self.stddev)}

    def __str__(self) -> str:
        return f"ridge {decimal(self.stddev)}"


@final
@dataclass(frozen=True)
class OwnCoefficients(WeightPrior):
    """Each coefficient of the columns as they are is Normal, with a mean and a standard deviation of its own.

    Attributes:
        believed: name, mean and standard deviation of every coefficient but the intercept
    """

    believed: tuple[tuple[str, Fraction, Fraction], ...]

    def __init__(self, believed: object) -> None:
        if not isinstance(believed, Mapping) or not believed:
            raise _wrong(believed)
        listed = []
        for name, said in believed.items():
            if not isinstance(said, (list, tuple)) or len(said) != 2 or not isinstance(name, str):
                raise _wrong(believed)
            mean, stddev = rational(said[0], "mean"), rational(said[1], "stddev")
            if stddev <= 0:
                raise ModelError("a standard deviation is not above 0", where=name, asked=shown(said[1]))
            listed.append((name, mean, stddev))
        fill(self, believed=tuple(listed))

    def normal(self, design: Design) -> tuple[Floats, Floats]:
        """Solve for the weights: coefficients are weights times a known matrix, and their range."""
        names = [name for name in design.names if name != INTERCEPT]
        said = {name: (float(mean), float(stddev)) for name, mean, stddev in self.believed}
        if set(said) != set(names):
            raise ModelError(
                "the prior does not name every coefficient but the intercept once",
                where=_WHERE,
                asked=", ".join(sorted(set(said) ^ set(names))[:10]),
                allowed=", ".join(names[:20]),
            )
        first = int(design.formula.intercept)
        matrix = np.array([[float(one) for one in row[1:]] for row in design.coefficients[first:]])
        solved = np.linalg.inv(2 * float(design.target.half) / np.sqrt(design.terms) * matrix)
        means, spreads = np.array([said[name] for name in names]).T
        return solved @ means, solved @ np.diag(spreads**2) @ solved.T

    def to_document(self) -> object:
        """Write a table of mean and spread by coefficient."""
        return {
            "coefficients": {name: [decimal(mean), decimal(spread)] for name, mean, spread in self.believed}
        }

    def __str__(self) -> str:
        return f"own, of {len(self.believed)} coefficient{'s' if len(self.believed) > 1 else ''}"


def to_weight_prior(prior: object) -> WeightPrior:
    """Read a prior as a value, or as files have it."""
    if isinstance(prior, WeightPrior):
        return prior
    if prior == LEARNED:
        return Shrinkage()
    if isinstance(prior, Mapping) and len(prior) == 1:
        (name, said), *_ = prior.items()
        if name == "shrinkage" and isinstance(said, str) and said in _TAILS:
            return Shrinkage(heavy_tails=_TAILS[said])
        if name == "ridge":
            return Ridge(said)
        if name == "coefficients":
            return OwnCoefficients(said)
    raise _wrong(prior)


def _wrong(prior: object) -> ModelError:
    return ModelError("not a prior of weights", where=_WHERE, asked=shown(prior), allowed=_ALLOWED)
