"""The largest value of a function on a box, bounded from above by proof: interval arithmetic, box by box.

Somebody's own function is called with enclosures in place of numbers. What it returns encloses all its values
on the box, if it is made of the operations of `Enclosure` only; and an enclosure refuses to be compared, to
be turned into a number or to decide an `if`, so a function that takes different ways for different parameters
cannot pass unnoticed. A refusal is final: it is remembered by a `Watch`, whatever the function caught (T47).
Boxes whose upper end is the largest are cut in two until that end is near a value that the function is known
to reach.
"""

from __future__ import annotations

import heapq
import math
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

from privior.errors import NumberError
from privior.interval_arithmetic import arb, flint
from privior.privacy.pairs.balls import ball

#: bits of the arithmetic: far more than the width of any box
_PRECISION = 80
Sides = tuple[tuple[float, float], ...]
#: takes one enclosure for each side of the box
Enclosing = Callable[[Sequence["Enclosure"]], object]


class BranchingError(TypeError):
    """A function wanted to know a number where it was given all numbers of an interval."""


class Watch:
    """Remembers that an enclosure, or one made of it, was asked what it cannot say."""

    __slots__ = ("refused",)

    def __init__(self) -> None:
        self.refused = False


def _of_one(name: str) -> Callable[[Enclosure], Enclosure]:
    """Return the method that applies a function of balls."""
    return lambda self: Enclosure(getattr(self._ball, name)(), self._watch)


def _of_two(combine: Callable[[Any, Any], Any]) -> Callable[[Enclosure, object], Enclosure]:
    """Return the method that combines two balls."""
    return lambda self, other: self._with(other, combine)


class Enclosure:
    """All real numbers of an interval at once.

    Arithmetic with whole numbers, ratios and floats (which mean their exact binary value), and the methods
    below, which `numpy.log` and the like call as well.

    One that is watched is in the hands of somebody's function: it also refuses to say its ends, what it is
    (`isinstance`) and what it looks like, and whatever is made of it is watched too. `type` cannot be
    refused.
    """

    __slots__ = ("_ball", "_watch")

    def __init__(self, inside: arb, watch: Watch | None = None) -> None:
        self._ball = inside
        self._watch = watch

    @staticmethod
    def between(low: float | Fraction, high: float | Fraction, watch: Watch | None = None) -> Enclosure:
        """Return all numbers from `low` to `high`."""
        return Enclosure(ball(low).union(ball(high)), watch)

    @property
    def upper(self) -> float:
        """A float that no enclosed number exceeds; infinite if there is none."""
        if self._watch is not None:
            self._refused()
        high = float(self._ball.upper())
        return math.nextafter(high, math.inf) if math.isfinite(high) else math.inf

    @property
    def lower(self) -> float:
        """A float that exceeds no enclosed number."""
        return -(-self).upper

    # Arithmetic, in both orders
    __add__ = __radd__ = _of_two(operator.add)
    __mul__ = __rmul__ = _of_two(operator.mul)
    __sub__, __rsub__ = _of_two(operator.sub), _of_two(lambda one, two: two - one)
    __truediv__, __rtruediv__ = _of_two(operator.truediv), _of_two(lambda one, two: two / one)
    __pow__, __rpow__ = _of_two(operator.pow), _of_two(lambda one, two: two**one)
    maximum, minimum = _of_two(lambda one, two: one.max(two)), _of_two(lambda one, two: one.min(two))

    # Functions, by the names that numpy calls
    __neg__, __abs__ = _of_one("__neg__"), _of_one("__abs__")
    log, log1p, exp, expm1, sqrt = map(_of_one, ("log", "log1p", "exp", "expm1", "sqrt"))
    sin, cos, tanh, lgamma, erf = map(_of_one, ("sin", "cos", "tanh", "lgamma", "erf"))

    def _with(self, other: object, combine: Callable[[arb, arb], arb]) -> Enclosure:
        inside = as_ball(other)
        if inside is not None:
            watch = self._watch or (other._watch if type(other) is Enclosure else None)
            return Enclosure(combine(self._ball, inside), watch)
        if isinstance(other, int | float | complex | Decimal | str):
            self._note()  # a number it cannot be joined with: the error that follows may be caught
        return NotImplemented  # type: ignore[no-any-return]

    def _note(self) -> None:
        if self._watch is not None:
            self._watch.refused = True

    def _refused(self, *_: object) -> NoReturn:
        self._note()
        raise BranchingError("an interval cannot be compared, rounded or counted with")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refused
    __bool__ = __float__ = __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refused
    __complex__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _refused

    @property  # type: ignore[misc]  # asked by isinstance, and never set
    def __class__(self) -> type[Enclosure]:
        if not sys._getframe(1).f_globals.get("__name__", "").startswith("numpy."):  # numpy.mean asks too
            self._note()
        return Enclosure

    def __repr__(self) -> str:
        self._note()
        return "<an interval>"

    def __format__(self, _: str) -> str:
        return repr(self)

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(float, name):  # a number would have answered
            self._note()
        raise AttributeError(f"an interval has no {name}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: object, **options: object) -> object:
        """Let numpy call the methods, element by element, and remember where it could not."""
        try:
            return getattr(function, method)(*(_as_array(one) for one in inputs), **options)
        except BaseException:
            self._note()
            raise


def _as_array(value: object) -> object:
    if type(value) is not Enclosure:
        return value
    import numpy as np

    made = np.empty((), dtype=object)
    made[()] = value
    return made


def as_ball(value: object) -> arb | None:
    """Return what encloses a number; None if it is none."""
    if type(value) is Enclosure:
        return value._ball
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return ball(value)


@dataclass(frozen=True)
class Supremum:
    """A largest value: the function reaches `reached` and never exceeds `certified`."""

    reached: float
    certified: float


def supremum(function: Enclosing, box: Sides, *, effort: int = 4000, tolerance: float = 1e-4) -> Supremum:
    """Bound the largest value of a function on a box.

    Args:
        function: made of the operations of `Enclosure`
        box: lower and upper end of each side
        effort: how many boxes to look at; fewer make the bound larger, never wrong
        tolerance: stop when the bound is so near to a reached value, relative to it or, below 1, absolutely
    """
    with flint.ctx.workprec(_PRECISION):
        waiting = [(-_upper(function, box), 0, box)]
        reached, count = _at_middle(function, box), 1
        while count < effort:
            largest = -waiting[0][0]
            if largest - reached <= tolerance * max(1.0, abs(reached)):
                break
            _, _, widest = heapq.heappop(waiting)
            for half in _halves(widest, box):
                reached = max(reached, _at_middle(function, half))
                count += 1
                heapq.heappush(waiting, (-_upper(function, half), count, half))
        return Supremum(reached, -waiting[0][0])


def enclosure_of(function: Enclosing, box: Sides) -> Enclosure:
    """Return an enclosure of all values on a box, from one evaluation."""
    with flint.ctx.workprec(_PRECISION):
        return _value(function, box)


def _upper(function: Enclosing, box: Sides) -> float:
    return enclosure_of(function, box).upper


def _at_middle(function: Enclosing, box: Sides) -> float:
    """Return a number that the function reaches in the middle, or next to it; -inf if none is known."""
    middle = tuple(((low + high) / 2, (low + high) / 2) for low, high in box)
    found = _value(function, middle).lower
    return found if math.isfinite(found) else -math.inf


def _value(function: Enclosing, box: Sides) -> Enclosure:
    """Call a function; refuse what it returns if it asked an enclosure what none can say."""
    watch = Watch()
    try:
        found = as_ball(function(tuple(Enclosure.between(low, high, watch) for low, high in box)))
    except Exception:
        if watch.refused:
            raise BranchingError("an interval was asked for a number") from None
        raise
    if watch.refused:
        raise BranchingError("an interval was asked for a number, and the refusal caught")
    if found is None:
        raise NumberError("the function did not return a number", where="certified bound")
    return Enclosure(found)


def _halves(box: Sides, whole: Sides) -> tuple[Sides, Sides]:
    """Cut the side that is longest relative to the whole box."""
    lengths = [
        (high - low) / (top - bottom) if top > bottom else 0.0
        for (low, high), (bottom, top) in zip(box, whole, strict=True)
    ]
    side = lengths.index(max(lengths))
    low, high = box[side]
    middle = (low + high) / 2
    left, right = list(box), list(box)
    left[side], right[side] = (low, middle), (middle, high)
    return tuple(left), tuple(right)
