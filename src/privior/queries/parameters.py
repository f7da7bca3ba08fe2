"""parameters(): every coefficient of a regression, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privior.pictures import listing
from privior.posterior import Belief, Quantity
from privior.queries.answers import Answer, AnswerCells, EstimateAnswer, visible
from privior.queries.questions import Question, question
from privior.queries.reading import Reader

_REFUSAL = "only a regression has a list of coefficients"


@question("parameters", "parameters()", refusal=_REFUSAL, aliases=("coefficients",))
@dataclass(frozen=True)
class Parameters(Question):
    """The coefficients of a regression, the size of its errors and R squared."""

    @classmethod
    def inside(cls, reader: Reader) -> Parameters:
        """Read nothing: there is nothing to say between the parentheses."""
        return Parameters()

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> ParametersAnswer | EstimateAnswer:
        """Return all of them, in the order of the formula; estimates where nothing else is known."""
        found: list[Quantity] = self.known(belief)()
        if any(one.alone for one in found):
            return EstimateAnswer.of(str(self), found, belief.caveats, belief.about)
        ends = [one.interval(level) for one in found]
        return ParametersAnswer(
            str(self),
            level,
            tuple(one.name for one in found),
            tuple(one.mean for one in found),
            tuple(one.stddev for one in found),
            tuple(low for low, _ in ends),
            tuple(high for _, high in ends),
            belief.caveats,
        )

    def __str__(self) -> str:
        return "parameters()"


@dataclass(frozen=True, repr=False)
class ParametersAnswer(Answer):
    """What a posterior says about all parameters.

    Attributes:
        question: the question in canonical form
        level: of the intervals
        names: of the parameters
        mean: of each
        stddev: of each
        low: where each interval begins
        high: where it ends
        warnings: what must be known before the numbers are trusted
    """

    question: str
    level: float
    names: tuple[str, ...]
    mean: tuple[float, ...]
    stddev: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "parameters"

    def _rows(self) -> list[tuple[str, float, float, float, float]]:
        return list(zip(self.names, self.mean, self.stddev, self.low, self.high, strict=True))

    def facts(self) -> dict[str, object]:
        """Name each parameter with its numbers."""
        named = [
            {"name": name, "mean": mean, "stddev": stddev, "low": low, "high": high}
            for name, mean, stddev, low, high in self._rows()
        ]
        return {"level": self.level, "parameters": named}

    def frame(self) -> dict[str, list[object]]:
        """Return each parameter with its numbers."""
        return {
            "parameter": [*self.names],
            "mean": [*self.mean],
            "stddev": [*self.stddev],
            "low": [*self.low],
            "high": [*self.high],
        }

    def table(self) -> AnswerCells:
        """Return a header and one row per parameter."""
        rows = [
            [visible(name), f"{mean:.5g}", f"{stddev:.2g}", f"{low:.5g} to {high:.5g}"]
            for name, mean, stddev, low, high in self._rows()
        ]
        return ["parameter", "mean", "stddev", f"{100 * self.level:g}% interval"], rows

    def text(self, width: int) -> str:
        """Fit the table, and wrap the warnings."""
        below = listing.wrapped("\n".join(self.warnings), width) if self.warnings else []
        return "\n".join([*listing.table(*self.table(), width), *below])

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), *self.warnings])
