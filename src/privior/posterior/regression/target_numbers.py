"""What is asked of any regression: about its target alone, given one value of some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privior.errors import InferenceError
from privior.models.formula_model import FormulaModel
from privior.posterior.events import Event, quoted
from privior.posterior.numbers import Numbers


@dataclass(frozen=True)
class TargetNumbers(Numbers):
    """Numbers of the target of a formula."""

    model: FormulaModel
    #: a question about one value, for advice
    example: ClassVar[str]

    def known(self, given: Event | object | None) -> dict[str, int]:
        """Return the codes of the columns that are given, one value each."""
        if not given:
            return {}
        alternatives = self.events.codes(given)
        several = [name for one in alternatives for name, codes in one.items() if len(codes) > 1]
        if len(alternatives) > 1 or several:
            raise InferenceError(
                "a regression is asked about one value of each column",
                asked=self.events.name(given),
                advice=f"Ask for each value by itself: {self.example}.",
            )
        found = {name: codes[0] for name, codes in alternatives[0].items()}
        if self.model.target in found:
            raise InferenceError(
                "the target is what is asked about, not what is given", asked=self.model.target
            )
        return found

    def _check_target(self, *columns: str) -> None:
        for column in columns:
            self.events.place(column)
        if columns != (self.model.target,):
            raise InferenceError(
                "a regression tells of its target alone",
                asked=", ".join(columns),
                allowed=quoted(self.model.target),
            )

    def _condition(self, given: Event | object | None) -> str:
        return f" | {self.events.name(given)}" if given else ""
