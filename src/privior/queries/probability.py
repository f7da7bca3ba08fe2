"""P(event | event): the probability that a record is as an event says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from privior.posterior import Belief
from privior.posterior.numbers import Named
from privior.queries.binding import Binding, Meant
from privior.queries.missing import LevelsAsked, levels_in
from privior.queries.questions import AskedEvent, Number, after_bar, joined, question
from privior.queries.reading import Reader


@question("p", "P(event | event)", aliases=("probability", "prob", "pr"))
@dataclass(frozen=True)
class Probability(Number):
    """The probability that all conditions of an event hold, given others.

    Attributes:
        event: the conditions
        given: those of what is conditioned on; none: all records
        meant: the levels of each, once they are known
    """

    event: AskedEvent
    given: AskedEvent = ()
    meant: tuple[Meant, Meant | None] | None = field(default=None, compare=False, repr=False)
    decidable: ClassVar[bool] = True
    conditional: ClassVar[bool] = True
    of_shape: ClassVar[bool] = True

    @classmethod
    def inside(cls, reader: Reader, *, level_follows: bool = False) -> Probability:
        """Read an event, and what is conditioned on; within an interval a level may follow."""
        event = reader.event(level_follows)
        return Probability(event, reader.given(level_follows))

    def bound(self, binding: Binding) -> Probability:
        """Find the levels that are meant."""
        event, given = binding.conditions(self.event), binding.conditions(self.given)
        return Probability(event, given, (binding.event(event), binding.event(given) or None))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The levels that are meant."""
        return self.meant or self.bound(Binding.of(str(self), belief.schema, belief.model)).meant or ()

    def levels_asked(self) -> list[LevelsAsked]:
        """Those of the event, and of what is conditioned on."""
        event, given = self.meant or (None, None)
        return [*levels_in(event), *levels_in(given)]

    def named(self, belief: Belief) -> Named:
        """The probability as a function of parameters."""
        event, given = self.arguments(belief)
        return belief.numbers.probability(event, given)

    @property
    def words(self) -> str:
        """What stands between the parentheses."""
        return joined(self.event) + after_bar(self.given)

    def __str__(self) -> str:
        return f"P({self.words})"
