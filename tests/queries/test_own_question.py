"""A question of somebody else: one class, registered, that a posterior says it understands."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import privior as pv
from privior.errors import QuestionError
from privior.posterior import Belief
from privior.queries import Number, QuantityAnswer, Word, ask, parse, question
from privior.queries.questions import forms
from privior.queries.reading import Reader


def test_a_question_is_one_class(formulas: pv.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privior.queries.questions._FORMS", dict(forms()))

    @question("centre", "centre(column)", refusal="this has no centre", aliases=("middle",))
    @dataclass(frozen=True)
    class Centre(Number):
        column: Word

        @classmethod
        def inside(cls, reader: Reader) -> Centre:
            return cls(reader.word("a column"))

        def arguments(self, belief: Belief) -> tuple[object, ...]:
            return (self.column.text,)

        def __str__(self) -> str:
            return f"centre({self.column})"

    posterior = pv.infer(formulas)
    assert parse("centre(weight)") == Centre(Word("weight"))
    with pytest.raises(QuestionError, match="Did you mean centre"):
        parse("middl(weight)")
    with pytest.raises(QuestionError, match="this has no centre"):
        ask(posterior, "centre(weight)")
    known = {**pv.CategoricalPosterior.understands, "centre": "average"}
    monkeypatch.setattr(pv.CategoricalPosterior, "understands", known)
    answer, mean = ask(posterior, "interval(centre(weight), 0.5)"), ask(posterior, "mean(weight)")
    assert isinstance(answer, QuantityAnswer)
    assert isinstance(mean, QuantityAnswer)
    assert (answer.question, answer.mean, answer.level) == ("interval(centre(weight), 0.5)", mean.mean, 0.5)
    with pytest.raises(TypeError, match="already"):
        question("centre", "centre(other)")(Centre)
