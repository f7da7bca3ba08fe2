"""What the analysis needs to know of a model with its prior, and which models have said it.

A model takes part by one registered function that makes a `Subject` of it:

    @subject_of.register
    def _(model: MyModel, schema: Schema | None, distance: object) -> Subject: ...

Notation: l(theta) is the smallest slope with |log p_theta(x) - log p_theta(y)| <= l(theta) rho(x, y) for all
records x and y.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from privior.errors import ModelError, shown
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair, DominatingPair
from privior.schema import Schema
from privior.smoothness.distances import Distance
from privior.theory.likelihood_ratio import RatioTest
from privior.theory.stochastic_lipschitz import Concentration, concentration

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contrast:
    """Two data sets that somebody may want to tell apart by draws from their posteriors.

    Attributes:
        about: both in a few words
        replaced: in how many records they differ
        distance: rho of both
        test: the best test, for one draw
    """

    about: str
    replaced: int
    distance: float
    test: RatioTest

    def with_draws(self, draws: int, points: int = 1 << 15) -> RatioTest:
        """Return the best test that sees so many draws."""
        return replace(self.test, draws=draws, points=points)


@dataclass(frozen=True)
class Cut:
    """A prior cut down to the parameters of slope at most `level`.

    Attributes:
        level: L
        outside: the chance that the prior gives to what is cut off
        words: what is left
        epsilon: the exact pure loss of one draw, or a bound of it
    """

    level: float
    outside: float
    words: str
    epsilon: float


class Subject(ABC):
    """A model, its prior and a distance of records.

    Attributes:
        words: the model in a few words
        distance: of two records
        computed: how the numbers were found, for whoever has to rely on them
        advice: what makes L finite where it is not
        mass_bounded: whether `outside` is a bound, so that more of the prior may be smooth
        ratio_bounded: whether `log_ratio` is a bound that may be far above log C
    """

    words: str
    distance: Distance
    computed: str = "in floating point from closed forms; the exact guarantee in interval arithmetic"
    advice: str = "cut the prior to an interval inside its support"
    mass_bounded: bool = False
    ratio_bounded: bool = False

    @property
    @abstractmethod
    def smoothest(self) -> float:
        """The least l(theta) in the prior's support."""

    @property
    @abstractmethod
    def roughest(self) -> float:
        """L of Assumption 1: the largest l(theta) in the support; infinite if there is none."""

    @property
    @abstractmethod
    def oscillation(self) -> float:
        """How far log p(x) - log p(y) varies with the parameter, at most over all x and y; never below.

        One draw is private at this epsilon, whatever the prior on the same support (docs/guarantees.md).
        """

    @abstractmethod
    def outside(self, levels: Floats) -> Floats:
        """Return the prior's chance of l(theta) > L, or a bound of it, for many L."""

    @property
    def limit_rate(self) -> float:
        """The limit of -log(outside(L)) / L, where l is unbounded."""
        return float("inf")

    @property
    def farthest(self) -> float:
        """Up to which slope there is something to show, where neither L nor any c is finite."""
        return 1.0

    def concentration(self) -> Concentration | None:
        """Return the best c and L0 of Assumption 2; None if no c does."""
        return concentration(self.outside, self.smoothest, self.roughest, self.limit_rate)

    def log_ratio(self, records: int) -> float | None:
        """Return log C, never below: the largest likelihood of n records over its mean; None if unknown."""
        return None

    def necessary(self, records: int) -> float | None:
        """Return 2 L for the largest L that Theorem 6 rules out; None if it was not computed."""
        return None

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """Return what dominates N draws of n records, one replaced; None if nothing is proved."""
        if self.oscillation == float("inf"):
            return None
        return compose_symmetric([(BoundedRangePair(Fraction(self.oscillation)), draws)])

    def tight(self, records: int) -> bool:
        """Say whether some neighbours are known to reach the largest loss that `pair` allows one draw."""
        return False

    def refused(self, records: int) -> str:
        """Say why draws are not released, although something is proved of them; nothing if they are."""
        return ""

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Return data sets to tell apart, neighbours first; none if their posteriors are not known."""
        return ()

    def cuts(self, records: int) -> Sequence[Cut]:
        """Return the prior cut down more and more; nothing if cutting it was not worked out."""
        return ()


@singledispatch
def subject_of(model: object, schema: Schema | None, distance: object) -> Subject:
    """Return what there is to say about a model; models register themselves."""
    raise ModelError(
        "this model cannot be analysed",
        where="analyse",
        asked=shown(model),
        allowed="a family, a table, pv.FiniteFamily(...), pv.MarkovChain(...), pv.LogLikelihood(...)",
    )
