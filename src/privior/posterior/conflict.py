"""Conflict: how improbable what was released is under the model that was fitted to it.

If the model is right, a draw of what is unknown from its posterior and the release are jointly distributed as
the truth and the release are. So whatever has a known law given the truth, such as the noise (released minus
truth), has the same law with the draw in place of the truth, and its tail probability p is uniform. This
holds for every single draw. Of many draws of one posterior, which depend on each other, twice the median of
their p is a tail probability again: if it is at most a, then at least half of the draws have p <= a/2, which
by Markov's inequality happens with probability 2 a/2 at most. Several looks at one draw share its chance
(Bonferroni).

So a model that is right is called contradicted in at most `FALSE_ALARM` of releases. Passing proves little:
only the looks that were taken were passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats

#: how often a model that is right is said to be contradicted, at most
FALSE_ALARM = 1e-3


@dataclass(frozen=True)
class Look:
    """One way of looking at draws of what is unknown beside what was released.

    Attributes:
        where: what is looked at, in words
        chances: for each draw, how probable something as strange is if the model is right
    """

    where: str
    chances: Floats


@dataclass(frozen=True)
class Conflict:
    """Whether a release contradicts the model that was fitted to it.

    Attributes:
        chance: something so strange occurs in at most this share of releases if the model is right
        where: what was strangest, in words
        looks: how many things were looked at, and paid for in `chance`
    """

    chance: float
    where: str
    looks: int

    @staticmethod
    def of(looks: Sequence[Look]) -> Conflict | None:
        """Put looks at the same draws together; None if there are none."""
        if not looks:
            return None
        chances = np.stack([look.chances for look in looks])
        each = np.minimum(1.0, len(looks) * chances.min(axis=0))
        strangest = int(np.argmin(_middle(chances)))
        return Conflict(min(1.0, 2 * float(_middle(each))), looks[strangest].where, len(looks))

    @property
    def found(self) -> bool:
        """Whether the release contradicts the model."""
        return self.chance <= FALSE_ALARM

    @property
    def rarity(self) -> str:
        """How rare something so strange would be, in words."""
        return f"at most 1 in {_round_down(1 / max(self.chance, 1e-12)):,} releases"


def _middle(chances: Floats) -> Floats:
    """Return the median of the draws, the upper one of an even number."""
    middle = chances.shape[-1] // 2
    return np.asarray(np.partition(chances, middle, axis=-1)[..., middle])


def _round_down(number: float) -> int:
    """Keep the first digit."""
    whole = int(number * (1 + 1e-9))
    power = int("1".ljust(len(str(whole)), "0"))
    return whole // power * power
