"""ask(): from a question to its answer. Free, as often as one likes, without data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privior.errors import QuestionError
from privior.posterior import Belief, Posterior, infer
from privior.posterior.quantity import check_level
from privior.queries.answers import Answer
from privior.queries.binding import Binding
from privior.queries.grammar import parse
from privior.queries.missing import missing_notes
from privior.queries.questions import Number, Question
from privior.release import Release
from privior.schema import Schema

QuestionSource = Belief | Release | Sequence[Release]


def ask(
    source: QuestionSource | str | Path,
    question: str | Question,
    *,
    level: float = 0.9,
    seed: int | None = None,
) -> Answer:
    """Return the answer of a posterior to a question, such as "P(smoker=yes | age>=65)".

    Args:
        source: a posterior, or a release to infer it from, or the path of its file, or several
        question: as text, or as `parse` returns it
        level: of intervals, where the question does not say another one
        seed: of the records of a sample; without it they are others each time

    Returns:
        the question's kind of `Answer`
    """
    if isinstance(source, (str, Path)):
        source = Release.read(source)
    written = str(question) if isinstance(question, Question) else question
    asked, usual = parse(written), check_level(level)
    plan = _first(source).plan
    bound = asked.bound(Binding.of(written, plan.schema, plan.model))
    belief = source if isinstance(source, Belief) else infer(source)
    found: Answer = belief.answer(bound, level=usual, seed=seed)
    imported = belief.releases[0].imported  # whose numbers were counted by others
    return found if imported else found.noted(missing_notes(bound.levels_asked(), plan.schema))


def number_asked(question: str, schema: Schema, model: Any) -> Number:
    """Read a question about one number that can be decided about, and refuse other ones."""
    asked = parse(question)
    if isinstance(asked, Number) and asked.decidable:
        return asked.bound(Binding.of(question, schema, model))
    raise QuestionError(
        "this is not about one number",
        question=question,
        place=0,
        allowed="P(event), mean(column), parameter(column)",
    )


def _first(source: QuestionSource) -> Release:
    """Return a release with the public facts, so that a wrong question is refused before inference."""
    if isinstance(source, Belief):
        return source.releases[0]
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    if isinstance(first, Release):
        return first
    found: Posterior = infer(source)  # which says what is wrong
    return found.releases[0]
