"""Composition of a list of releases that is fixed before the first one: several pairs become one.

Which pairs, how often and in which order must not depend on anything released; where it does, use `filters`.

Two functions for two kinds of neighbours, for a pair is ordered and the direction matters:

- `compose_symmetric` for replace-one. The direction of one table says nothing about that of another, so
  both orders of every part are reckoned with. Composing first orders with first orders is wrong: for two
  binary roots with priors (1, 5) and (5, 1) it gives .1585 at epsilon 2; the truth is .2032.
  The repetitions of one part are draws of the same table: they all have the same order.
- `compose_ordered` for add-or-remove-one. "With the record" is the same side of every release: the given
  orders are composed, and the mirror of that is the composition of the mirrors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from privior.checks import whole_number
from privior.errors import PlanError
from privior.privacy.composition.closed_forms import closed_forms
from privior.privacy.composition.composed import Composed, Part, counted
from privior.privacy.composition.two_levels_draws import TwoLevelsDraws
from privior.privacy.pairs import DominatingPair, TwoLevelsPair, WorstOf, both_orders

#: combinations of orders that are composed one by one
_MOST_COMBINATIONS = 8


def compose_symmetric(parts: Sequence[Part]) -> DominatingPair:
    """Compose (pair, repetitions) for neighbours without a direction: replace-one.

    A pair stands for one table or mechanism, its repetitions for as many releases of the same one.
    """
    return _unknown([(both_orders(pair), times) for pair, times in _checked(parts)])


def compose_ordered(parts: Sequence[Part]) -> DominatingPair:
    """Compose (pair, repetitions) for neighbours with one direction for all parts: add-or-remove-one.

    Every pair is (with the record, without it), and so is what is returned: whoever states a promise takes
    the worse of both directions, at the very end.
    """
    return _unknown(_checked(parts))


def _unknown(parts: Sequence[Part]) -> DominatingPair:
    """Compose parts of which it is not known which member holds: the worst of all combinations.

    A member holds for all repetitions of its part. If there are few combinations, the worst is taken last:
    that is the truth, for the data choose the members and then everything is independent. If there are
    many, the worst member of each part is taken first, after its repetitions, which is safe and looser.
    """
    choices = [[_repeated(one, times) for one in pair.members] for pair, times in parts]
    if math.prod(map(len, choices)) > _MOST_COMBINATIONS:
        return _alike([(_worst([_alike([part]) for part in options]), 1) for options in choices])
    found = {frozenset(counted(chosen).items()): chosen for chosen in itertools.product(*choices)}
    return _worst([_alike(chosen) for chosen in found.values()])


def _repeated(pair: DominatingPair, times: int) -> Part:
    """Draws of one table with two levels share what the data chose; other tables chose for themselves."""
    if isinstance(pair, TwoLevelsPair) and times > 1:
        return TwoLevelsDraws(pair, times), 1
    return pair, times


def slack(pair: DominatingPair, epsilon: float) -> float:
    """Bound how far the delta of a composition is above that of the curves that its parts state.

    Nothing for a closed form. A part that is itself the worst of compositions counts as stated.
    """
    low = max(one.least(epsilon) for one in pair.members)
    return max(0.0, pair.delta(epsilon) - low)


def _checked(parts: Sequence[Part]) -> list[Part]:
    found = list(parts)
    if not found:
        raise PlanError("there is nothing to compose", where="composition")
    for _, times in found:
        whole_number(times, "times", what="not a number of repetitions", where="composition", error=PlanError)
    return found


def _worst(pairs: Sequence[DominatingPair]) -> DominatingPair:
    return pairs[0] if len(pairs) == 1 else WorstOf(tuple(pairs))


def _alike(parts: Sequence[Part]) -> DominatingPair:
    """Compose ordered pairs: equal ones are counted, closed forms taken where they are exact."""
    left = closed_forms(counted(parts))
    if len(left) == 1 and next(iter(left.values())) == 1:
        return next(iter(left))
    return Composed(tuple(counted([(pair.few, times) for pair, times in left.items()]).items()))
