"""The grammar of questions. Reading needs no posterior: whether columns and values exist is seen later.

    question  = number | number "-" number | number "/" number
              | "interval(" (event ["|" event] | number ["-" number] | ...) ["," level] ")"
              | "counts(" [column {"," column}] ")" | "models()"
              | "table(" node ")" | "most_probable(" column {"," column} ["|" event] ")"
              | "sample" number | "sample(" number ")"
    number    = "P(" event ["|" event] ")" | "share(" event ["|" event] ")"
              | "mean(" column ["|" event] ")" | "median(" column ["|" event] ")"
              | "quantile(" column "," share ["|" event] ")"
              | "table(" number ["-" number] ")"
              | "parameter(" column ")" | "model(" name ")"
              | "stationary(" state ")" | "after(" number "," state "|" state ")"
    event     = all {"or" all}
    all       = condition {("," | "and") condition}
    condition = column ("=" | "!=" | "<" | "<=" | ">" | ">=") value
              | column "in" "{" value {"," value} "}"

A column or a value is a bare word, which may hold single blanks, or stands in quotes. No rule contains
itself, but for a table's number, which is of no table again: no question can be nested deeply.
"""

from __future__ import annotations

from difflib import get_close_matches

from privior.errors import QuestionError
from privior.queries.combined import combined_with_next
from privior.queries.questions import Number, Question, forms
from privior.queries.reading import COMPARISONS, Reader
from privior.queries.tokens import tokens


def parse(question: str) -> Question:
    """Read a question, or point at the place from which it cannot be read.

    >>> print(parse("p( sex == 'female' and age>=20 )"))
    P(sex=female, age>=20)
    """
    reader = Reader(question, tokens(question))
    kind = forms().get(reader.token.text.lower()) if reader.token.kind == "word" else None
    if kind is None:
        raise _unknown(reader)
    reader.at += 1
    found = kind.kind_meant(reader).read(reader)
    if isinstance(found, Number):
        found = combined_with_next(reader, found)
    if reader.token.kind != "end":
        sums = "Two numbers are compared at a time: P(event) - P(event), mean(column) / mean(column)."
        more = reader.token.text[:1] in ("+", "-", "*", "/")
        raise reader.error("the question has ended before this", advice=sums if more else None)
    return found


def _unknown(reader: Reader) -> QuestionError:
    """Say that no question begins so, and which one may be meant."""
    known = ", ".join(kind.form for kind in forms().values())
    if reader.token.kind == "end":
        return reader.error("the question is empty", allowed=known)
    names = {name: kind.form for name, kind in forms().items()}
    others = {alias: kind.form for kind in forms().values() for alias in kind.aliases}
    near = get_close_matches(reader.token.text.lower()[:40], [*names, *others], n=1, cutoff=0.7)
    advice = None
    if any(token.is_sign("(") for token in reader.tokens[:2]):
        advice = f"Did you mean {(others | names)[near[0]]}?" if near else None
    elif any(token.is_sign(*COMPARISONS) or token.is_sign("{") for token in reader.tokens):
        advice = "The probability of an event is written P(event)."
    return reader.error("this is not a form of question", allowed=known, advice=advice)
