"""What the analysis needs to know of a model with its prior, and which models have said it.

A model takes part by one registered function that makes a `Subject` of it:

    @subject_of.register
    def _(model: MyModel, schema: Schema | None, distance: object) -> Subject: ...

Notation: l(theta) is the smallest slope with |log p_theta(x) - log p_theta(y)| <= l(theta) rho(x, y) for all
records x and y.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError, shown
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair, DominatingPair
from privior.schema import Schema
from privior.smoothness.distances import Distance
from privior.theory.likelihood_ratio import RatioTest


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
        model: what is analysed
        distance: of two records
        computed: how the numbers were found, for whoever has to rely on them
        advice: what makes L finite where it is not
        mass_bounded: whether `outside` is a bound, so that more of the prior may be smooth
    """

    model: object
    distance: Distance
    computed: str = "in floating point from closed forms; the exact guarantee in interval arithmetic"
    advice: str = "cut the prior to an interval inside its support"
    mass_bounded: bool = False

    @property
    def words(self) -> str:
        """The model in a few words."""
        return str(self.model)

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
    def outside(self, slopes: Floats) -> Floats:
        """Return the prior's chance of l(theta) > L, or a bound of it, for many L."""

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """Return what dominates N draws of n records, one replaced; None if nothing is proved."""
        return self.ranges(draws)

    def ranges(self, draws: int) -> DominatingPair | None:
        """Return what dominates N draws by the oscillation alone; None if that has no bound."""
        if self.oscillation == float("inf"):
            return None
        return compose_symmetric([(BoundedRangePair(Fraction(self.oscillation)), draws)])

    def refused(self, records: int) -> str:
        """Say why draws are not released, although something is proved of them; nothing if they are."""
        return ""

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Return data sets to tell apart, neighbours first; none if their posteriors are not known."""
        return ()

    def cuts(self, records: int) -> Sequence[Cut]:
        """Return the prior cut down more and more; nothing if cutting it was not worked out."""
        return ()


def replaced_numbers(records: int) -> list[int]:
    """Return how many of n records are replaced where data sets are to be told apart."""
    return sorted({1, *(n for n in (2, 5, 10, 30, 100, 300, 1000) if n <= records), records})


def on_fewer(slopes: Floats, most: int, outside: Callable[[float], float]) -> Floats:
    """Return the chance of more than each slope; of many from a coarser grid, each from the point below it.

    The chance falls with the slope, so that it is never too small.
    """
    grid = slopes
    if slopes.size > most:
        grid = slopes[np.unique(np.linspace(0, slopes.size - 1, most).astype(int))]
    found = np.array([outside(float(slope)) for slope in grid])
    return found if grid is slopes else np.asarray(found[np.searchsorted(grid, slopes, side="right") - 1])


@singledispatch
def subject_of(model: object, schema: Schema | None, distance: object) -> Subject:
    """Return what there is to say about a model; models register themselves."""
    raise ModelError(
        "this model cannot be analysed",
        where="analyse",
        asked=shown(model),
        allowed="a family, a table or a chain, pv.FiniteFamily(...), pv.LogLikelihood(...)",
    )
