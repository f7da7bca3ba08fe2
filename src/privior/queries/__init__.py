"""Queries: one grammar for questions to a posterior, and their answers."""

from privior.queries.answers import Answer, CountsAnswer, ModelsAnswer, QuantityAnswer, SampleAnswer
from privior.queries.asking import ask
from privior.queries.grammar import parse
from privior.queries.numbers_asked import BoundNumber, Numbers
from privior.queries.questions import (
    Condition,
    Counts,
    Interval,
    Mean,
    Parameter,
    Probability,
    Question,
    Sample,
    Word,
)

__all__ = [
    "Answer",
    "BoundNumber",
    "Condition",
    "Counts",
    "CountsAnswer",
    "Interval",
    "Mean",
    "ModelsAnswer",
    "Numbers",
    "Parameter",
    "Probability",
    "QuantityAnswer",
    "Question",
    "Sample",
    "SampleAnswer",
    "Word",
    "ask",
    "parse",
]
