"""interval(question, level): between what a number lies with a probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privior.exact import decimal
from privior.posterior import Belief
from privior.posterior.quantity import no_intervals
from privior.queries.binding import Binding
from privior.queries.combined import number_read
from privior.queries.missing import LevelsAsked
from privior.queries.probability import Probability
from privior.queries.questions import Number, NumberAnswer, Question, question
from privior.queries.reading import Reader


@question("interval", "interval(event | event, level)")
@dataclass(frozen=True)
class Interval(Question):
    """The interval that holds a number with the probability `level`; None leaves it to whoever asks."""

    of: Number
    level: Fraction | None = None

    @classmethod
    def inside(cls, reader: Reader) -> Interval:
        """Read a question about one number, or the event of a probability; then perhaps a level."""
        of = number_read(reader) or Probability.inside(reader, level_follows=True)
        if not reader.token.is_sign(","):
            return Interval(of)
        reader.at += 1
        return Interval(of, reader.level())

    def bound(self, binding: Binding) -> Interval:
        """Bind the question about the number."""
        return replace(self, of=self.of.bound(binding))

    def levels_asked(self) -> list[LevelsAsked]:
        """Those of the question about the number."""
        return self.of.levels_asked()

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> NumberAnswer:
        """Return what is known of the number, with the interval's own level."""
        if not belief.uncertain:
            no_intervals()
        own = level if self.level is None else float(self.level)
        return self.of.answered(str(self), belief, own)

    def __str__(self) -> str:
        level = "" if self.level is None else f", {decimal(self.level)}"
        return f"interval({self.of}{level})"
