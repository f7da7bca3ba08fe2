"""Somebody's own likelihood on a declared box of parameters: its slope and oscillation, bounded by proof.

    log p(theta, x), theta in a box, x one of finitely many records

For each pair of records the largest log p(x) - log p(y) over the box is bounded from above in interval
arithmetic (`privior.privacy.certified_suprema`). With U(x, y) these bounds,

    L   <= max U(x, y) / rho(x, y)              Assumption 1
    eta <= max U(x, y) + U(y, x)                the oscillation

and one draw from the posterior of any prior on that box, drawn exactly, is eta-private.

That holds if the function is one: the same for the same parameters, and for intervals what it is for numbers.
What it does with types or keeps between calls cannot be seen, so it is also called with plain numbers,
before, between and after, and refused if a value is not enclosed or not the same again (`plain_points`).

A function that cannot be called with enclosures can be called with numbers only. Then nothing is proved about
what lies between the points of a grid, unless somebody declares how steep it is: `slopes`. The bound is then
only as good as that declaration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError, NumberError, shown
from privior.exact import rational, round_down, round_up
from privior.privacy.certified_suprema import BranchingError, Enclosure, Sides, enclosure_of, supremum
from privior.schema import Schema
from privior.smoothness.distances import Distance, to_distance
from privior.smoothness.plain_points import PlainPoints
from privior.smoothness.subject import Cut, Subject, subject_of

#: takes the parameters and one record
LogDensity = Callable[[Sequence[Any], Any], Any]

MOST_RECORDS = 64
_MOST_BOXES, _LEAST_BOXES, _CELLS = 120_000, 60, 1500
_MOST_POINTS = 20_000
_BRANCHING = (
    "it decides by the value of a parameter (if, min, max, abs of a float, int), or by what kind of number "
    "it is, or caught the error that said so"
)


@dataclass(frozen=True)
class LogLikelihood:
    """A likelihood of one record, given by a function, on a box of parameters with a flat prior.

    Attributes:
        function: log p of (parameters, record), up to a constant that does not depend on the parameters
        parameters: the name of each parameter, in the function's order, with both ends of its interval
        records: every value that a record can have
        slopes: for a function of plain numbers only: how steep it is at most in each parameter, whatever the
            record; declared by whoever knows, checked by nobody
    """

    function: LogDensity
    parameters: Mapping[str, tuple[object, object]]
    records: Sequence[object]
    slopes: Mapping[str, object] | None = None
    family: ClassVar[str] = "own likelihood"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError("not a function", where=self.family, asked=shown(self.function))
        if not self.parameters or not isinstance(self.parameters, Mapping):
            raise ModelError("no parameters", where=self.family, allowed="{name: (lower, upper)}")
        if not 2 <= len(self.records) <= MOST_RECORDS:
            raise ModelError(
                "not a list of the records that there can be",
                where=self.family,
                asked=len(self.records),
                allowed=f"2 to {MOST_RECORDS} values",
            )
        self.box  # noqa: B018 - refused now if it is none
        if self.slopes is not None and set(self.slopes) != set(self.parameters):
            raise ModelError(
                "slopes are declared for every parameter or for none",
                where=self.family,
                asked=", ".join(self.slopes),
                allowed=", ".join(self.parameters),
            )

    @property
    def box(self) -> Sides:
        """Both ends of each parameter as floats, rounded outwards."""
        found = []
        for name, ends in self.parameters.items():
            try:
                first, last = (rational(end, name) for end in ends)
                low, high = round_down(first), round_up(last)  # outwards: the declared box is inside
            except (NumberError, TypeError, ValueError):
                low = high = math.nan
            if not low < high:
                raise ModelError(
                    "not an interval",
                    where=f"{self.family}, {name}",
                    asked=shown(ends),
                    allowed="(low, high)",
                )
            found.append((low, high))
        return tuple(found)

    def __str__(self) -> str:
        ends = ", ".join(
            f"{name} in [{low:g}, {high:g}]"
            for name, (low, high) in zip(self.parameters, self.box, strict=True)
        )
        return f"own likelihood, {ends}, {len(self.records)} possible records"


@dataclass(frozen=True)
class OwnLikelihood(Subject):
    """An own likelihood, and bounds of it."""

    model: LogLikelihood
    distance: Distance
    tops: Floats  # U(x, y), certified or as declared
    reached: Floats  # values that log p(x) - log p(y) takes somewhere
    varies: float  # how far the log likelihood of one record varies with the parameters, at most
    certified: bool
    #: not searched for: 0 is never wrong
    smoothest: ClassVar[float] = 0.0

    @property
    def computed(self) -> str:  # type: ignore[override]
        """Whether the bounds are proved or rest on declared slopes."""
        if self.certified:
            return "bounded from above in interval arithmetic, box by box"
        return "from a grid and the slopes that were declared, which nothing checked"

    @cached_property
    def _apart(self) -> Floats:
        return self.distance.table_of(len(self.model.records))

    @cached_property
    def roughest(self) -> float:
        """The largest U(x, y) / rho(x, y)."""
        return max(0.0, self._steepest(self.tops))

    def _steepest(self, gaps: Floats) -> float:
        """Return the largest difference of two records over their distance."""
        apart = self._apart > 0
        return float((gaps[apart] / self._apart[apart]).max())

    @cached_property
    def oscillation(self) -> float:
        """The largest U(x, y) + U(y, x)."""
        return float((self.tops + self.tops.T).max()) * (1 + 1e-15)

    def outside(self, slopes: Floats) -> Floats:
        """Volume of the cells of a grid on which l is not known to be at most L: never too small."""
        return np.array([float((self._cells > slope).mean()) for slope in slopes])

    @cached_property
    def _cells(self) -> Floats:
        """Return a bound of l on each cell of a grid of equal cells."""
        if not self.certified:
            return np.full(1, self.roughest)
        box, records = self.model.box, self.model.records
        sides = max(1, int((_CELLS / len(records)) ** (1 / len(box)))) * (2 if len(box) == 1 else 1)
        edges = [np.linspace(low, high, sides + 1) for low, high in box]
        found = []
        for place in product(range(sides), repeat=len(box)):
            cell = tuple((float(edge[i]), float(edge[i + 1])) for edge, i in zip(edges, place, strict=True))
            try:
                enclosures = [enclosure_of(partial(_one, self.model, x), cell) for x in records]
            except BranchingError:
                raise _refused(self.model, _BRANCHING) from None
            uppers = np.array([one.upper for one in enclosures])
            lowers = np.array([one.lower for one in enclosures])
            found.append(self._steepest(uppers[:, np.newaxis] - lowers))
        return np.asarray(np.minimum(np.array(found), self.roughest))

    def cuts(self, records: int) -> Sequence[Cut]:
        """The box as it is: its prior is cut already."""
        whole = Cut(self.roughest, 0.0, "the whole box", self.oscillation)
        return [whole] if self.oscillation < math.inf else []


@subject_of.register
def _(model: LogLikelihood, schema: Schema | None, distance: object) -> OwnLikelihood:
    size = len(model.records)
    if model.slopes is None:
        tops, reached, varies = _certified(model)
    else:
        tops, reached, varies = _declared(model)
    alike = np.arange(size)
    for one in range(size):
        for two in range(one):
            if reached[one, two] <= 0 and reached[two, one] <= 0:
                alike[one] = alike[two]  # wherever both were computed their likelihoods are the same
                break
    asked = "records" if distance is None else distance
    points = alike[:, np.newaxis].astype(np.float64)
    made = to_distance(asked, model.records, None, points, model.family)
    return OwnLikelihood(model, made, tops, reached, varies, model.slopes is None)


def _certified(model: LogLikelihood) -> tuple[Floats, Floats, float]:
    """Bound every difference by interval arithmetic; refuse a function that cannot be enclosed."""
    size, box = len(model.records), model.box
    effort = max(_LEAST_BOXES, _MOST_BOXES // (size * (size + 1)))
    tops, reached = np.zeros((size, size)), np.zeros((size, size))
    try:
        seen = PlainPoints(model.function, model.records, box)
        if (fault := seen.not_enclosed(partial(_one, model))) is not None:
            raise _refused(model, fault)
        for one, x in enumerate(model.records):
            for two, y in enumerate(model.records):
                if one != two:
                    found = supremum(partial(_gap, model, x, y), box, effort=effort)
                    tops[one, two], reached[one, two] = found.certified, found.reached
            if (fault := seen.changed(few=True)) is not None:
                raise _refused(model, fault)
        ends = [
            supremum(partial(_signed, model, x, s), box, effort=effort).certified
            for x in model.records
            for s in (1, -1)
        ]
        if (fault := seen.changed() or seen.not_enclosed(partial(_one, model))) is not None:
            raise _refused(model, fault)
    except BranchingError:
        raise _refused(model, _BRANCHING) from None
    except (ModelError, NumberError):
        raise
    except Exception as error:
        raise _refused(model, f"it raised {type(error).__name__} when called with intervals") from None
    if not np.isfinite(tops).all():
        raise ModelError(
            "the log likelihood has no bound on this box that intervals can show",
            where=model.family,
            asked=str(model),
            advice="Take a smaller box, away from where a probability is 0.",
        )
    return tops, reached, max(map(sum, zip(ends[::2], ends[1::2], strict=True)))


def _one(model: LogLikelihood, x: object, theta: Sequence[Enclosure]) -> Enclosure:
    found = model.function(theta, x)
    if type(found) is Enclosure:
        return found
    if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
        return theta[0] * 0 + found
    raise TypeError("not a number")


def _gap(model: LogLikelihood, x: object, y: object, theta: Sequence[Enclosure]) -> Enclosure:
    return _one(model, x, theta) - _one(model, y, theta)


def _signed(model: LogLikelihood, x: object, sign: int, theta: Sequence[Enclosure]) -> Enclosure:
    return sign * _one(model, x, theta)


def _refused(model: LogLikelihood, why: str) -> ModelError:
    return ModelError(
        f"no bound of this function can be certified: {why}",
        where=model.family,
        asked=str(model),
        advice="Write it with + - * / ** and .log(), .exp(), .sqrt(), .lgamma() or numpy's; "
        "or declare how steep it is in each parameter, slopes={name: number}.",
    )


def _declared(model: LogLikelihood) -> tuple[Floats, Floats, float]:
    """Bound every difference from a grid and declared slopes: each point speaks for its cell."""
    box, size = model.box, len(model.records)
    declared = {name: rational(value, name) for name, value in (model.slopes or {}).items()}
    if negative := [name for name, slope in declared.items() if slope < 0]:
        raise ModelError("a slope is negative", where=f"{model.family}, {negative[0]}")
    slopes = [float(declared[name]) for name in model.parameters]
    sides = max(2, int((_MOST_POINTS / size) ** (1 / len(box))))
    halves = [(high - low) / (2 * sides) for low, high in box]
    middles = [low + (2 * np.arange(sides) + 1) * half for (low, _), half in zip(box, halves, strict=True)]
    try:
        table = np.array(
            [[float(model.function(point, x)) for x in model.records] for point in product(*middles)]
        )
    except (TypeError, ValueError) as error:
        raise _refused(model, f"it raised {type(error).__name__} when called with numbers") from None
    if not np.isfinite(table).all():
        raise _refused(model, "it is not finite everywhere on the box")
    room = sum(slope * half for slope, half in zip(slopes, halves, strict=True)) + 1e-9 * np.abs(table).max()
    reached = np.array([[(table[:, x] - table[:, y]).max() for y in range(size)] for x in range(size)])
    tops = reached + 2 * room * (1 - np.eye(size))
    varies = float((table.max(axis=0) - table.min(axis=0)).max()) + 2 * room
    return tops, reached, varies
