"""The grammar of questions. Reading needs no posterior: whether columns and values exist is seen later.

    question  = "P(" event ["|" event] ")"
              | "mean(" column ["|" event] ")"
              | "parameter(" column ")"
              | "interval(" (event ["|" event] | "P(" ... ")" | "mean(" ... ")" | ...) ["," level] ")"
              | "counts(" [column {"," column}] ")"
              | "model(" name ")" | "models()"
              | "stationary(" state ")" | "after(" number "," state "|" state ")"
              | "sample" number | "sample(" number ")"
    event     = condition {("," | "and") condition}
    condition = column ("=" | "!=" | "<" | "<=" | ">" | ">=") value
              | column "in" "{" value {"," value} "}"

A column or a value is a bare word, which may hold single blanks, or stands in quotes. No rule contains
itself, so no question can be nested deeply.
"""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction

from privior.errors import NumberError, QuestionError
from privior.exact import rational
from privior.queries.questions import (
    After,
    Condition,
    Counts,
    Interval,
    Mean,
    ModelChance,
    Models,
    Number,
    Parameter,
    Probability,
    Question,
    Sample,
    Stationary,
    Word,
)
from privior.queries.tokens import Token, tokens

#: the forms of questions, for messages
FORMS = {
    "p": "P(event | event)",
    "mean": "mean(column | event)",
    "parameter": "parameter(column)",
    "interval": "interval(event | event, level)",
    "counts": "counts(column, ...)",
    "model": "model(name)",
    "models": "models()",
    "stationary": "stationary(state)",
    "after": "after(steps, state | state)",
    "sample": "sample number",
}
#: what people type for a form
_OTHER_NAMES = {
    "probability": "p",
    "prob": "p",
    "pr": "p",
    "average": "mean",
    "avg": "mean",
    "count": "counts",
}
#: forms that ask for one number and hold one name
_NAMED: dict[str, tuple[str, type[Parameter] | type[ModelChance] | type[Stationary]]] = {
    "parameter": ("a column", Parameter),
    "model": ("a model", ModelChance),
    "stationary": ("a state", Stationary),
}
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_MOST_DIGITS = 18
#: levels are no finer than this, so that none is 0 or 1 as a float
_FINEST_LEVEL = 10**15


def parse(question: str) -> Question:
    """Read a question, or point at the place from which it cannot be read.

    >>> print(parse("p( sex == 'female' and age>=20 )"))
    P(sex=female, age>=20)
    """
    return _Reader(question, tokens(question)).question()


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, text: str, pieces: list[Token]) -> None:
        self.text = text
        self.tokens = pieces
        self.at = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def following(self) -> Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def question(self) -> Question:
        form = self.form()
        self.at += 1
        found: Question
        if form == "sample":
            found = self.sample()
        else:
            self.expect("(", "an opening parenthesis", allowed=FORMS[form])
            if form == "counts":
                found = self.counts()
            elif form == "interval":
                found = self.interval()
            elif form == "models":
                self.expect(")", "a closing parenthesis")
                found = Models()
            else:
                found = self.number(form)
        if self.token.kind != "end":
            sums = "Ask each by itself; differences and ratios follow from posterior.draws in Python."
            more = self.token.text[:1] in ("+", "-", "*", "/")
            raise self.error("the question has ended before this", advice=sums if more else None)
        return found

    def form(self) -> str:
        """Return which form of question begins here."""
        name = self.token.text.lower()
        if self.token.kind == "word" and name in FORMS:
            return name
        forms = ", ".join(FORMS.values())
        if self.token.kind == "end":
            raise self.error("the question is empty", allowed=forms)
        advice = None
        near = get_close_matches(name[:40], [*FORMS, *_OTHER_NAMES], n=1, cutoff=0.7)
        if any(token.is_sign("(") for token in self.tokens[:2]):
            advice = f"Did you mean {FORMS[_OTHER_NAMES.get(near[0], near[0])]}?" if near else None
        elif any(token.is_sign(*_COMPARISONS) or token.is_sign("{") for token in self.tokens):
            advice = "The probability of an event is written P(event)."
        raise self.error("this is not a form of question", allowed=forms, advice=advice)

    def probability(self, *, level_follows: bool = False) -> Probability:
        event = self.event(level_follows)
        given = self.given(level_follows)
        if not level_follows:
            self.expect(")", "a closing parenthesis")
        return Probability(event, given)

    def number(self, form: str) -> Number:
        """Read what follows the parenthesis of a form that asks for one number."""
        if form in _NAMED:
            what, kind = _NAMED[form]
            name = self.word(what)
            self.expect(")", "a closing parenthesis")
            return kind(name)
        if form == "after":
            return self.after()
        return self.mean() if form == "mean" else self.probability()

    def after(self) -> After:
        steps = self.digits("how many steps is not said in digits", "after(3, state | state)")
        self.expect(",", "a comma")
        state = self.word("a state")
        self.expect("|", "a bar, then where the chain starts,")
        start = self.word("a state")
        self.expect(")", "a closing parenthesis")
        return After(steps, state, start)

    def digits(self, what: str, allowed: str) -> int:
        digits = self.token.text if self.token.kind == "word" else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
            raise self.error(what, allowed=allowed)
        self.at += 1
        return int(digits)

    def mean(self) -> Mean:
        column = self.word("a column")
        given = self.given(level_follows=False)
        self.expect(")", "a closing parenthesis")
        return Mean(column, given)

    def interval(self) -> Interval:
        of: Number
        form = self.token.text.lower() if self.token.kind == "word" else ""
        if form in ("p", "mean", "after", *_NAMED) and self.following.is_sign("("):
            self.at += 2
            of = self.number(form)
        else:
            of = self.probability(level_follows=True)
        level = None
        if self.token.is_sign(","):
            self.at += 1
            level = self.level()
        self.expect(")", "a closing parenthesis")
        return Interval(of, level)

    def counts(self) -> Counts:
        columns: list[Word] = []
        while columns or not self.token.is_sign(")"):
            columns.append(self.word("a column"))
            if not self.token.is_sign(","):
                break
            self.at += 1
        self.expect(")", "a closing parenthesis")
        return Counts(tuple(columns))

    def sample(self) -> Sample:
        enclosed = self.token.is_sign("(")
        self.at += enclosed
        place = self.token.place
        number = self.digits("how many records is not said in digits", "sample 100")
        if enclosed:
            self.expect(")", "a closing parenthesis")
        return Sample(number, place)

    def given(self, level_follows: bool) -> tuple[Condition, ...]:
        if not self.token.is_sign("|"):
            return ()
        self.at += 1
        return self.event(level_follows)

    def event(self, level_follows: bool) -> tuple[Condition, ...]:
        conditions = [self.condition()]
        while self.token.is_word("and") or (
            self.token.is_sign(",") and not (level_follows and self.level_is_next())
        ):
            self.at += 1
            conditions.append(self.condition())
        return tuple(conditions)

    def condition(self) -> Condition:
        column = self.word("a column")
        token = self.token
        if token.is_sign(*_COMPARISONS):
            self.at += 1
            return Condition(column, token.text, (self.word("a value"),), token.place)
        if not self.in_is_next():
            tried = " in " in f"{column.text.lower()} "
            raise self.error(
                self.missing("a comparison"),
                allowed=f"{' '.join(_COMPARISONS)} in {{value, ...}}",
                advice="After in, values stand in braces." if tried else None,
            )
        self.at += 2
        values = [self.word("a value")]
        while self.token.is_sign(","):
            self.at += 1
            values.append(self.word("a value"))
        self.expect("}", "a closing brace")
        return Condition(column, "in", tuple(values), token.place)

    def word(self, what: str) -> Word:
        first, pieces = self.token, []
        if first.kind == "quoted":
            self.at += 1
            return Word(first.text, first.place)
        while self.token.kind == "word" and not self.token.is_word("and") and not self.in_is_next():
            pieces.append(self.token.text)
            self.at += 1
        if not pieces:
            reserved = "Put the word in quotes if it is meant as it stands." if first.kind == "word" else None
            raise self.error(self.missing(what), advice=reserved)
        return Word(" ".join(pieces), first.place)

    def in_is_next(self) -> bool:
        return self.token.is_word("in") and self.following.is_sign("{")

    def level_is_next(self) -> bool:
        """Say whether a comma is followed by a bare word and the end of an interval."""
        at = self.at + 1
        while self.tokens[at].kind == "word":
            at += 1
        return at > self.at + 1 and self.tokens[at].is_sign(")")

    def level(self) -> Fraction:
        place, bare = self.token.place, self.token.kind == "word"
        text = self.word("a level").text
        try:
            level = rational(text.removesuffix("%"), "level") / (100 if text.endswith("%") else 1)
        except NumberError:
            level = Fraction(0)
        if not bare or not 0 < level < 1 or level.denominator > _FINEST_LEVEL:
            raise QuestionError(
                "not the level of an interval",
                question=self.text,
                place=place,
                allowed="a number between 0 and 1, such as 0.9 or 90%",
            )
        return level

    def expect(self, sign: str, what: str, *, allowed: str | None = None) -> None:
        if not self.token.is_sign(sign):
            raise self.error(self.missing(what), allowed=allowed, advice=self.habit())
        self.at += 1

    def habit(self) -> str | None:
        """Say what to write instead of what other languages write here."""
        if self.token.is_sign("("):
            return "A name that holds a parenthesis stands in quotes."
        if any(token.is_word("or") for token in self.tokens[: self.at]):
            return "There is no or: write column in {value, value}."
        if self.token.kind == "word" and self.token.text.startswith(";"):
            return "Values are separated by commas."
        return None

    def missing(self, what: str) -> str:
        return f"{what} is missing" + ("" if self.token.kind == "end" else " before this")

    def error(self, what: str, *, allowed: str | None = None, advice: str | None = None) -> QuestionError:
        return QuestionError(what, question=self.text, place=self.token.place, allowed=allowed, advice=advice)
