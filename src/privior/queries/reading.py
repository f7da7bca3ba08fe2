"""Reading: the pieces that questions are made of, from left to right, or where one is missing."""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction
from typing import NoReturn

from privior.errors import NumberError, QuestionError
from privior.exact import rational
from privior.posterior.events import quoted
from privior.queries.questions import AnyOf, AskedEvent, Condition, Word
from privior.queries.tokens import Token

#: what stands behind the column if it stood before it
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_MOST_DIGITS = 18
#: levels are no finer than this, so that none is 0 or 1 as a float
_FINEST_LEVEL = 10**15
_SAY_A_VALUE = "Say which value is meant: P(smoker=yes)."
_POINT = "Numbers in questions have a decimal point and nothing between thousands: 0.5, 50000."
_BETWEEN = "A range is written with and: P({0}{1}{2} and {0}{3}{4})."
_EACH = "Each comparison has its column: column > value and column < value."
_ONE_WAY = "Write and, which binds more closely than or; or column in {value, value}."


class Reader:
    """Reads tokens from left to right. Each kind of question says which pieces it expects."""

    def __init__(self, text: str, pieces: list[Token]) -> None:
        self.text = text
        self.tokens = pieces
        self.at = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    @property
    def following(self) -> Token:
        """The token after the next one."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def digits(self, what: str, allowed: str) -> int:
        """Read a whole number."""
        digits = self.token.text if self.token.kind == "word" else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
            raise self.error(what, allowed=allowed)
        self.at += 1
        return int(digits)

    def given(self, level_follows: bool) -> AskedEvent:
        """Read what is conditioned on, if there is a bar."""
        if not self.token.is_sign("|"):
            return ()
        self.at += 1
        return self.event(level_follows)

    def event(self, level_follows: bool) -> AskedEvent:
        """Read conditions up to the end of an event; within an interval a level may follow a comma."""
        alternatives = [[self.condition()]]
        comma: int | None = None
        while True:
            if self.token.is_sign(",") and not (level_follows and self.level_is_next()):
                comma = self.at if comma is None else comma
            elif not self.token.is_word("and", "or"):
                break
            if self.token.is_word("or"):
                alternatives.append([])
            if comma is not None and len(alternatives) > 1:
                self.at = comma
                raise self.error("a comma beside or can be read in two ways", advice=_ONE_WAY)
            self.at += 1
            alternatives[-1].append(self.condition())
        found = tuple(map(tuple, alternatives))
        return found[0] if len(found) == 1 else AnyOf(found)

    def condition(self) -> Condition:
        """Read a column, a comparison and values."""
        column = self.word("a column")
        token = self.token
        if token.is_sign(*COMPARISONS):
            self.at += 1
            value = self.word("a value", joined=True)
            if token.text in _TURNED and self.token.is_sign(*_TURNED):
                self._refuse_chain(column, token.text, value)
            return Condition(column, token.text, (value,), token.place)
        if not self.in_is_next():
            before = self.tokens[max(self.at - 2, 0)]
            number = f"{self.tokens[max(self.at - 3, 0)].text},{column.text}"
            close = before.place + 1 == column.place
            if close and before.is_sign(",") and re.fullmatch(r"[+-]?[0-9]+,[0-9]+", number):
                self.at -= 2
                raise self.error(f"{number} is no number here", advice=_POINT)
            tried = " in " in f"{column.text.lower()} "
            raise self.error(
                self.missing("a comparison"),
                allowed=f"{' '.join(COMPARISONS)} in {{value, ...}}",
                advice="After in, values stand in braces." if tried else self.habit() or _SAY_A_VALUE,
            )
        self.at += 2
        values = [self.word("a value")]
        while self.token.is_sign(","):
            self.at += 1
            values.append(self.word("a value"))
        self.expect("}", "a closing brace")
        return Condition(column, "in", tuple(values), token.place)

    def _refuse_chain(self, low: Word, first: str, column: Word) -> NoReturn:
        """Say how 20<age<30 is written."""
        if not re.fullmatch(r"[+-]?[0-9][0-9.-]*", low.text):
            raise self.error("two comparisons in one", advice=_EACH)
        second = self.token
        high = self.following.text if self.following.kind != "end" else "..."
        raise self.error(
            "two comparisons in one",
            advice=_BETWEEN.format(column, _TURNED[first], low, second.text, quoted(high)),
        )

    def word(self, what: str, *, joined: bool = False) -> Word:
        """Read a column or a value, which another condition may follow after "or"."""
        first, pieces = self.token, []
        if first.kind == "quoted":
            self.at += 1
            return Word(first.text, first.place)
        while self.token.kind == "word" and not self.token.is_word("and") and not self.in_is_next():
            if joined and self.or_is_next():
                break
            pieces.append(self.token.text)
            self.at += 1
        if not pieces:
            reserved = "Put the word in quotes if it is meant as it stands." if first.kind == "word" else None
            raise self.error(self.missing(what), advice=reserved)
        return Word(" ".join(pieces), first.place)

    def in_is_next(self) -> bool:
        """Say whether a list of values in braces follows."""
        return self.token.is_word("in") and self.following.is_sign("{")

    def or_is_next(self) -> bool:
        """Say whether "or" and another condition follow; elsewhere the word is a part of a name."""
        if not self.token.is_word("or"):
            return False
        at = self.at + (2 if self.following.kind == "quoted" else 1)
        while self.tokens[at].kind == "word":
            at += 1
        braces = self.tokens[at].is_sign("{") and self.tokens[at - 1].is_word("in")
        return at > self.at + 1 and (braces or self.tokens[at].is_sign(*COMPARISONS))

    def sign_between(self, signs: Collection[str]) -> str | None:
        """Read a sign between two questions, which may stand next to a word; None if there is none."""
        token = self.token
        sign = token.text[:1] if token.kind == "word" else ""
        if sign not in signs:
            return None
        if len(token.text) == 1:
            self.at += 1
        else:
            self.tokens[self.at] = Token("word", token.text[1:], token.place + 1)
        return sign

    def level_is_next(self) -> bool:
        """Say whether a comma is followed by a bare word and the end of an interval."""
        at = self.at + 1
        while self.tokens[at].kind == "word":
            at += 1
        return at > self.at + 1 and self.tokens[at].is_sign(")")

    def level(self, what: str = "level of an interval") -> Fraction:
        """Read the level of an interval, or another number between 0 and 1."""
        place, bare = self.token.place, self.token.kind == "word"
        text = self.word("a level").text
        try:
            level = rational(text.removesuffix("%"), "level") / (100 if text.endswith("%") else 1)
        except NumberError:
            level = Fraction(0)
        if not bare or not 0 < level < 1 or level.denominator > _FINEST_LEVEL:
            raise QuestionError(
                f"not the {what}",
                question=self.text,
                place=place,
                allowed="a number between 0 and 1, such as 0.9 or 90%",
            )
        return level

    def expect(self, sign: str, what: str, *, allowed: str | None = None) -> None:
        """Read a sign, or say that it is missing."""
        if not self.token.is_sign(sign):
            raise self.error(self.missing(what), allowed=allowed, advice=self.habit())
        self.at += 1

    def habit(self) -> str | None:
        """Say what to write instead of what other languages write here."""
        if self.token.is_sign("("):
            return "A name that holds a parenthesis stands in quotes."
        if self.token.kind == "word" and self.token.text.startswith(";"):
            return "Values are separated by commas."
        return None

    def missing(self, what: str) -> str:
        """Say that something is missing here."""
        return f"{what} is missing" + ("" if self.token.kind == "end" else " before this")

    def error(self, what: str, *, allowed: str | None = None, advice: str | None = None) -> QuestionError:
        """Return an error that points at the next token."""
        return QuestionError(what, question=self.text, place=self.token.place, allowed=allowed, advice=advice)
