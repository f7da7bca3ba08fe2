"""The default prior of tables: how uneven a table is, and at which scale, its release says.

The levels of one column in no order are alike, and learned as `ExchangeablePrior` says. Every other table is
halved again and again, along one column after the other, until single cells are left. A part of N records
leaves to its first half a number with the law

    Σ_j w_j BetaBinomial(N; 2 a_j p, 2 a_j (1 − p)),

a mixture over concentrations a_j from nearly all-or-nothing to nearly equal halves. Its weights w belong to
all parts that are halved along the same column at the same scale, well filled ones and others apart, and are
learned: a list of laws, one for each typical concentration, equally likely beforehand, each with heavy tails
towards unequal halves. How common empty halves are is learned for the whole table. So neighbours resemble
each other as far as the release says that they do; heaps and empty stretches remain possible everywhere, and
a sum of many cells is as vague beforehand as a single one.

That a part of N records is so and not otherwise halved is the less probable the larger N is, wherever halves
are spread wider than the noise. Over many parts this would pull sums down. So a part both of whose halves are
well filled, with more than four standard deviations of their noise, says of N what its halves say by
themselves: how they differ says nothing of it. Every other part has a weight,
sqrt(h(N0)/h(N)) with h(N) = Σ_j w_j (1 + V_j(N)/σ²)^(-1/2): V_j is the variance of the law above, σ² that of
the noise between the halves, N0 about what the part is seen to have. It takes half of the pull back: all of
it would draw up what is nearly empty. A part of many cells (16 in tables of more than a thousand, 128 in
others) says of N what the noisy sum of its cells says by itself: small errors of a shape add up over many.

A heap may stand behind a long stretch without records. The weights above make little of many cells likelier
than nothing in any, which noise alone cannot tell apart. So there is a second prior of parts in which, or in
a half of which, little is seen: nearly all of their halves are empty, and a part without records has the
weight 1. How probable it is, all cells in which little is seen say together: their sum has the noise's law
about 0, or else about anything from 0 to four of its standard deviations, which is a third as likely.

p is 1/2, or for concentrations above 2 along an ordered column what the parts beside it suggest: a straight
line of log counts through the part before and the part after (at the ends of the column the two before or the
two after), drawn towards 1/2 as far as these are noise. In
joint tables many parts along an unordered column have the same levels of it, one for each cell of the other
columns: they share a p, which is uncertain by the noise of their sum.

Three tables in ten follow from the noisy counts alone, whatever was learned (`plain_tables`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from privior.arrays import Floats

#: how much less likely than its typical concentration a law takes the next one: rougher, smoother
_ROUGHER, _SMOOTHER = 0.7, 0.22
#: the share of a law that is spread evenly over all concentrations
_ANYTHING = 0.1
#: the share of the smallest concentration in each: a table may have few empty stretches, or many
_EMPTY = (0.01, 0.1, 0.4, 0.8)
#: the same where stretches are taken for empty ones
_SPARSE = 0.95


@dataclass(frozen=True)
class LearnedPrior:
    """A table's shape is learned from its release, at every scale and along every column.

    It is for inference alone, and free. Mechanisms whose guarantee rests on the prior's numbers, such as
    draws from the posterior, need a prior in numbers.
    """

    #: more cells than this take minutes, and are refused before anything is spent
    most_cells: ClassVar[int] = 200_000

    @staticmethod
    def seconds(cells: int) -> float:
        """Return about how long it takes to infer a large table, with intervals of all cells."""
        return 0.0003 * cells

    @cached_property
    def concentrations(self) -> Floats:
        """The a_j: half the weight, in records, that halves have beforehand."""
        return np.array([0.02, 0.18, 0.7, 3.0, 12.0, 50.0, 200.0])

    @cached_property
    def laws(self) -> Floats:
        """The weights of the concentrations, as (how common empty halves are, law, concentration)."""
        return np.array([self._with(empty) for empty in _EMPTY])

    @cached_property
    def sparse(self) -> Floats:
        """The weights where stretches in which little is seen are taken for empty ones, as (law, ...)."""
        return self._with(_SPARSE)

    def _with(self, empty: float) -> Floats:
        """Return the weights if so many halves are empty."""
        places = np.arange(self.concentrations.size)
        away = places - places[:, None]
        rows = np.where(away < 0, _ROUGHER**-away, _SMOOTHER**away)
        # All-or-nothing is a law of its own, for tables that are mostly empty: the others have their share.
        rows[1:, 0] = 0
        even = np.where(places > 0, 1 / (places.size - 1), 0)
        mixed = (1 - _ANYTHING) * rows / rows.sum(axis=1, keepdims=True) + _ANYTHING * even
        return np.asarray((1 - empty) * mixed + empty * (places == 0))

    def __str__(self) -> str:
        return "learned"
