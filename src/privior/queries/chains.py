"""stationary(state) and after(steps, state | state): where a Markov chain is, in the long run or later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from privior.posterior import Belief, Quantity
from privior.queries.binding import Binding
from privior.queries.questions import Number, Word, question
from privior.queries.reading import Reader

_REFUSAL = "only a Markov chain has steps and a long run"


@question
@dataclass(frozen=True)
class Stationary(Number):
    """The share of time that a Markov chain spends in a state in the long run."""

    state: Word
    name: ClassVar[str] = "stationary"
    form: ClassVar[str] = "stationary(state)"
    refusal: ClassVar[str] = _REFUSAL

    @classmethod
    def inside(cls, reader: Reader) -> Stationary:
        """Read a state."""
        return Stationary(reader.word("a state"))

    def bound(self, binding: Binding) -> Stationary:
        """Find the state."""
        return replace(self, state=binding.state(self.state))

    def quantity(self, belief: Belief) -> Quantity:
        """Ask for the share."""
        found: Quantity = self.known(belief)(self.state.text)
        return found

    def __str__(self) -> str:
        return f"stationary({self.state})"


@question
@dataclass(frozen=True)
class After(Number):
    """The chance that a Markov chain is in a state so many steps after another one."""

    steps: int
    state: Word
    start: Word
    name: ClassVar[str] = "after"
    form: ClassVar[str] = "after(steps, state | state)"
    refusal: ClassVar[str] = _REFUSAL

    @classmethod
    def inside(cls, reader: Reader) -> After:
        """Read the number of steps, where they lead and where they start."""
        steps = reader.digits("how many steps is not said in digits", "after(3, state | state)")
        reader.expect(",", "a comma")
        state = reader.word("a state")
        reader.expect("|", "a bar, then where the chain starts,")
        return After(steps, state, reader.word("a state"))

    def bound(self, binding: Binding) -> After:
        """Find the states."""
        return replace(self, state=binding.state(self.state), start=binding.state(self.start))

    def quantity(self, belief: Belief) -> Quantity:
        """Ask for the chance."""
        found: Quantity = self.known(belief)(self.steps, self.state.text, self.start.text)
        return found

    def __str__(self) -> str:
        return f"after({self.steps}, {self.state} | {self.start})"
