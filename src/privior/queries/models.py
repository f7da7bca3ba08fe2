"""models() and model(name): which model of a finite family it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privior.pictures import listing
from privior.posterior import Belief
from privior.queries.answers import Answer, AnswerCells, visible
from privior.queries.questions import Number, Question, Word, question
from privior.queries.reading import Reader

_REFUSAL = "only a finite family has models to choose from"


@question("model", "model(name)", refusal=_REFUSAL)
@dataclass(frozen=True)
class ModelChance(Number):
    """The probability that a model of a finite family is the right one."""

    model: Word

    @classmethod
    def inside(cls, reader: Reader) -> ModelChance:
        """Read the name of a model."""
        return ModelChance(reader.word("a model"))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The name of the model."""
        return (self.model.text,)

    def __str__(self) -> str:
        return f"model({self.model})"


@question("models", "models()", refusal=_REFUSAL)
@dataclass(frozen=True)
class Models(Question):
    """The probability of each model of a finite family."""

    @classmethod
    def inside(cls, reader: Reader) -> Models:
        """Read nothing: there is nothing to say between the parentheses."""
        return Models()

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> ModelsAnswer:
        """Return all models, the most probable one first."""
        names, prior, chances = zip(*self.known(belief)(), strict=True)
        return ModelsAnswer(str(self), names, prior, chances, belief.caveats)

    def __str__(self) -> str:
        return "models()"


@dataclass(frozen=True, repr=False)
class ModelsAnswer(Answer):
    """What a posterior says about the models of a finite family, the most probable one first.

    Attributes:
        question: the question in canonical form
        names: of the models
        prior: the probability of each before the release
        probability: and after it
        warnings: what must be known before the numbers are trusted
    """

    question: str
    names: tuple[str, ...]
    prior: tuple[float, ...]
    probability: tuple[float, ...]
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "models"

    def facts(self) -> dict[str, object]:
        """Name each model with its chances."""
        numbers = zip(self.names, self.prior, self.probability, strict=True)
        models = [{"name": name, "prior": prior, "probability": chance} for name, prior, chance in numbers]
        return {"models": models}

    def frame(self) -> dict[str, list[object]]:
        """Return each model with its chances."""
        return {"model": [*self.names], "prior": [*self.prior], "probability": [*self.probability]}

    def table(self) -> AnswerCells:
        """Return a header and one row per model."""
        numbers = zip(self.names, self.prior, self.probability, strict=True)
        rows = [[visible(name), f"{prior:.4g}", f"{chance:.4g}"] for name, prior, chance in numbers]
        return ["model", "prior", "probability"], rows

    def text(self, width: int) -> str:
        """Fit the table, and wrap the warnings."""
        below = listing.wrapped("\n".join(self.warnings), width) if self.warnings else []
        return "\n".join([*listing.table(*self.table(), width), *below])

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), *self.warnings])
