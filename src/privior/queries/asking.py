"""ask(): from a question to its answer. Free, as often as one likes, without data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

from privior.errors import InferenceError
from privior.posterior import CategoricalPosterior, FinitePosterior, JointPosterior, ParameterPosterior, infer
from privior.posterior.counts.certain import CertainCounts
from privior.posterior.quantity import check_level, check_number
from privior.queries.answers import Answer, CountsAnswer, ModelsAnswer, QuantityAnswer, SampleAnswer
from privior.queries.binding import Binding
from privior.queries.grammar import parse
from privior.queries.numbers_asked import BoundNumber, finite, parameters_of
from privior.queries.questions import (
    Counts,
    Interval,
    Models,
    Number,
    Question,
    Sample,
)
from privior.release import Release
from privior.schema.columns import Bounded

Posterior = CategoricalPosterior | ParameterPosterior | FinitePosterior | JointPosterior
Source = Posterior | Release | Sequence[Release]


def ask(
    source: Source | str | Path, question: str | Question, *, level: float = 0.9, seed: int | None = None
) -> Answer:
    """Return the answer of a posterior to a question, such as "P(smoker=yes | age>=65)".

    Args:
        source: a posterior, or a release to infer it from, or the path of its file, or several
        question: as text, or as `parse` returns it
        level: of intervals, where the question does not say another one
        seed: of the records of a sample; without it they are others each time
    """
    if isinstance(source, (str, Path)):
        source = Release.read(source)
    written = str(question) if isinstance(question, Question) else question
    asked, usual = parse(written), check_level(level)
    plan = _first(source).plan
    binding = Binding(written, plan.schema, plan.model.columns, parameters_of(plan.model))
    match binding.bound(asked):
        case Counts() as counts:
            posterior = _posterior(source)
            if isinstance(posterior, FinitePosterior):
                raise binding.error(
                    "a finite family is asked for models and chances, not for counts",
                    0,
                    advice="Ask for models(), or for P(event).",
                )
            if not isinstance(posterior, CategoricalPosterior):
                raise binding.error(
                    "a family has no table of counts",
                    0,
                    advice=f"Ask for mean({plan.model.columns[0]}), or for {plan.model.first_question}.",
                )
            return _counts(posterior, counts, usual)
        case Models() as models:
            return _models(finite(_posterior(source), models), models)
        case Sample() as sample:
            return _sample(_posterior(source), sample, binding, seed)
        case number:
            return _quantity(source, number, binding, usual)


def _quantity(
    source: Source,
    question: Number | Interval,
    binding: Binding,
    usual: float,
) -> QuantityAnswer:
    own = question.level if isinstance(question, Interval) else None
    level = usual if own is None else float(own)
    number = BoundNumber.of(question.of if isinstance(question, Interval) else question, binding)
    posterior = _posterior(source)
    quantity = number.quantity(posterior)
    low, high = quantity.interval(level)
    return QuantityAnswer(
        question=str(question),
        mean=quantity.mean,
        stddev=quantity.stddev,
        level=level,
        low=low,
        high=high,
        simulation_error=quantity.simulation_error,
        warnings=_warnings(posterior),
    )


def _counts(posterior: CategoricalPosterior, question: Counts, level: float) -> CountsAnswer:
    columns = tuple(word.text for word in question.columns) or posterior.model.columns
    schema = posterior.releases[0].plan.schema
    counts = posterior.counts(*columns)
    ends = counts.interval(level)
    certain = isinstance(posterior.latent, CertainCounts)
    return CountsAnswer(
        question=str(question),
        columns=columns,
        cells=tuple(product(*(schema.column(name).labels for name in columns))),
        mean=tuple(counts.mean().tolist()),
        stddev=tuple(counts.stddev().tolist()),
        level=level,
        low=tuple(round(low) for low in ends[:, 0].tolist()),
        high=tuple(round(high) for high in ends[:, 1].tolist()),
        note=CountsAnswer.NOISY if certain else CountsAnswer.TRUE,
        warnings=_warnings(posterior),
    )


def _models(posterior: FinitePosterior, question: Models) -> ModelsAnswer:
    prior = posterior.model.log_prior()
    order = sorted(range(len(prior)), key=lambda index: -posterior.chances.shares[index])
    return ModelsAnswer(
        str(question),
        tuple(posterior.model.names[index] for index in order),
        tuple(math.exp(prior[index]) for index in order),
        tuple(float(posterior.chances.shares[index]) for index in order),
        _warnings(posterior),
    )


def _sample(posterior: Posterior, question: Sample, binding: Binding, seed: int | None) -> SampleAnswer:
    try:
        check_number(question.number, "the number of records")
    except InferenceError as error:
        raise binding.error(
            error.what, question.place, asked=error.asked, allowed=error.allowed or "1 or more"
        ) from None
    records = posterior.sample(question.number, seed)
    for name, values in records.items():
        if isinstance(binding.schema.column(name), Bounded):
            numbers = {label: float(Fraction(str(label))) for label in set(values)}
            records[name] = [numbers[label] for label in values]
    return SampleAnswer(str(question), records, _warnings(posterior))


def _posterior(source: Source) -> Posterior:
    if isinstance(source, Posterior):
        return source
    found: Posterior = infer(source)
    return found


def _first(source: Source) -> Release:
    """Return a release with the public facts, so that a wrong question is refused before inference."""
    if isinstance(source, Posterior):
        return source.releases[0]
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    if isinstance(first, Release):
        return first
    found: Posterior = infer(source)  # which says what is wrong
    return found.releases[0]


def _warnings(posterior: Posterior) -> tuple[str, ...]:
    ignored = isinstance(posterior, CategoricalPosterior) and isinstance(posterior.latent, CertainCounts)
    noise = ["WARNING: the privacy noise is IGNORED: intervals are too narrow"] if ignored else []
    return (*posterior.warnings, *noise)
