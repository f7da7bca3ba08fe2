"""stationary(state) and after(steps, state | state): where a Markov chain is, in the long run or later."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privior.posterior import Belief
from privior.queries.binding import Binding
from privior.queries.questions import Number, Word, question
from privior.queries.reading import Reader

_REFUSAL = "only a Markov chain has steps and a long run"


@question("stationary", "stationary(state)", refusal=_REFUSAL)
@dataclass(frozen=True)
class Stationary(Number):
    """The share of time that a Markov chain spends in a state in the long run."""

    state: Word

    @classmethod
    def inside(cls, reader: Reader) -> Stationary:
        """Read the name of a state, which is looked up when the question is bound."""
        return Stationary(reader.word("a state"))

    def bound(self, binding: Binding) -> Stationary:
        """Look the state up among the levels of the chain's column."""
        return replace(self, state=binding.state(self.state))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The state whose share in the long run is asked for."""
        return (self.state.text,)

    def __str__(self) -> str:
        return f"stationary({self.state})"


@question("after", "after(steps, state | state)", refusal=_REFUSAL)
@dataclass(frozen=True)
class After(Number):
    """The chance that a Markov chain is in a state so many steps after another one."""

    steps: int
    state: Word
    start: Word

    @classmethod
    def inside(cls, reader: Reader) -> After:
        """Read the number of steps, where they lead and where they start."""
        steps = reader.digits("how many steps is not said in digits", "after(3, state | state)")
        reader.expect(",", "a comma")
        state = reader.word("a state")
        reader.expect("|", "a bar, then where the chain starts,")
        return After(steps, state, reader.word("a state"))

    def bound(self, binding: Binding) -> After:
        """Look both states up among the levels of the chain's column."""
        return replace(self, state=binding.state(self.state), start=binding.state(self.start))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The number of steps, where they lead and where they start."""
        return self.steps, self.state.text, self.start.text

    def __str__(self) -> str:
        return f"after({self.steps}, {self.state} | {self.start})"
