"""counts(column, ...): the true table of counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from privior.posterior import Belief
from privior.queries.binding import Binding
from privior.queries.cells import CellsAnswer
from privior.queries.questions import Question, Word, question
from privior.queries.reading import Reader


@question("counts", "counts(column, ...)", refusal="there is no table of counts", aliases=("count",))
@dataclass(frozen=True)
class Counts(Question):
    """The true table of counts of some columns; none means all columns of the model."""

    columns: tuple[Word, ...] = ()

    @classmethod
    def inside(cls, reader: Reader) -> Counts:
        """Read columns, if there are any."""
        columns: list[Word] = []
        while columns or not reader.token.is_sign(")"):
            columns.append(reader.word("a column"))
            if not reader.token.is_sign(","):
                break
            reader.at += 1
        return Counts(tuple(columns))

    def bound(self, binding: Binding) -> Counts:
        """Refuse columns that the model does not have."""
        binding.check_columns(self.columns)
        return self

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> CountsAnswer:
        """Return the expected count of each cell, and its interval."""
        known = self.known(belief)
        columns = tuple(word.text for word in self.columns) or belief.model.columns
        counts = known(*columns)
        ends = counts.interval(level)
        return CountsAnswer(
            question=str(self),
            columns=columns,
            cells=tuple(product(*(belief.schema.column(name).labels for name in columns))),
            mean=tuple(counts.mean().tolist()),
            stddev=tuple(counts.stddev().tolist()),
            level=level,
            low=tuple(round(low) for low in ends[:, 0].tolist()),
            high=tuple(round(high) for high in ends[:, 1].tolist()),
            note=(CountsAnswer.NOISY if belief.noise_ignored else CountsAnswer.TRUE) + belief.whose,
            warnings=belief.caveats,
        )

    def __str__(self) -> str:
        return f"counts({', '.join(map(str, self.columns))})"


@dataclass(frozen=True, repr=False)
class CountsAnswer(CellsAnswer):
    """What a posterior says about the true counts: privacy noise is all that is uncertain."""

    kind: ClassVar[str] = "counts"
    noun: ClassVar[str] = "count"

    #: what the numbers are, and what they are if the noise is ignored
    TRUE: ClassVar[str] = (
        "the true table of counts given the release and the prior: privacy noise is the only uncertainty"
    )
    NOISY: ClassVar[str] = "the noisy table of counts, taken as the true one"

    @staticmethod
    def written(mean: float, stddev: float, low: float, high: float) -> list[str]:
        """Write as many digits as the noise leaves."""
        few = stddev < 10
        return [
            f"{mean:.1f}" if few else f"{mean:.0f}",
            f"{stddev:.2g}" if few else f"{stddev:.0f}",
            f"{low} to {high}",
        ]
