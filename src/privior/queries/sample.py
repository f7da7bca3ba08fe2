"""The question `sample number`, which is answered by synthetic records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from privior.errors import InferenceError
from privior.posterior import Belief
from privior.posterior.quantity import check_number
from privior.queries.answers import Answer, AnswerCells, visible
from privior.queries.binding import Binding
from privior.queries.questions import Question, question
from privior.queries.reading import Reader
from privior.queries.records import csv_text
from privior.schema.column import text
from privior.schema.numbers import Bounded


@question("sample", "sample number", refusal="no records can be drawn here")
@dataclass(frozen=True)
class Sample(Question):
    """So many synthetic records."""

    number: int
    place: int = field(default=0, compare=False)

    @classmethod
    def read(cls, reader: Reader) -> Sample:
        """Read a number, with or without parentheses."""
        return super().read(reader) if reader.token.is_sign("(") else cls.inside(reader)

    @classmethod
    def inside(cls, reader: Reader) -> Sample:
        """Read how many records are wanted, and remember where that was said."""
        place = reader.token.place
        return Sample(reader.digits("how many records is not said in digits", "sample 100"), place)

    def bound(self, binding: Binding) -> Sample:
        """Refuse a number that is too large."""
        try:
            check_number(self.number, "the number of records")
        except InferenceError as error:
            allowed = error.allowed or "1 or more"
            raise binding.error(error.what, self.place, asked=error.asked, allowed=allowed) from None
        return self

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> SampleAnswer:
        """Return the records; numbers on a grid as numbers."""
        records = self.known(belief)(self.number, seed)
        for name, values in records.items():
            if isinstance(belief.schema.column(name), Bounded):
                numbers = {label: float(Fraction(str(label))) for label in set(values)}
                records[name] = [numbers[label] for label in values]
        return SampleAnswer(str(self), records, belief.caveats)

    def __str__(self) -> str:
        return f"sample {self.number}"


@dataclass(frozen=True, repr=False)
class SampleAnswer(Answer):
    """Synthetic records. As text they are CSV, without the warnings.

    Attributes:
        question: the question in canonical form
        columns: the values of each column, one per record
        warnings: what must be known before the records are trusted
    """

    question: str
    columns: Mapping[str, Sequence[object]]
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "sample"
    warns: ClassVar[bool] = False

    def facts(self) -> dict[str, object]:
        """Name the columns with their values."""
        return {"columns": {name: list(values) for name, values in self.columns.items()}}

    def frame(self) -> dict[str, list[object]]:
        """Return the columns."""
        return {name: list(values) for name, values in self.columns.items()}

    def table(self) -> AnswerCells:
        """Return a header and one row per record."""
        rows = [[visible(text(value)) for value in row] for row in zip(*self.columns.values(), strict=True)]
        return [visible(name) for name in self.columns], rows

    def __str__(self) -> str:
        return csv_text(self.columns)
