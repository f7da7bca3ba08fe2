"""Suggestions: what somebody may have meant by a word that is not known; numbers that can be read twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from fractions import Fraction
from itertools import islice

from privior.errors import NumberError, QuestionError, SchemaError
from privior.exact import rational
from privior.posterior.events import quoted
from privior.schema.column import Column
from privior.schema.writing import NumberWriting

#: so many words are searched for the one that was meant, and none that is longer
_SEARCHED, _LONGEST_SEARCHED = 2000, 60
#: words that are less alike are not offered; if they are about as long, a little less alike ones are
_ALIKE, _ALIKE_IF_LONG = 0.7, 0.6
_ABOUT = 2
#: how a number with a sign between thousands looks
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+")


def visible_word(word: str) -> str:
    """Return a word as it is typed, fit for a message."""
    return QuestionError.visible(quoted(word))


def meant(word: str, words: Iterable[str]) -> str | None:
    """Return a question back, if there is a word much like the one that was typed, or that begins like it."""
    typed = word.casefold()
    if not typed or len(word) > _LONGEST_SEARCHED:
        return None
    by_case = {each.casefold(): each for each in islice(words, _SEARCHED)}
    begun = [each for each in by_case if each.startswith(typed) or (each and typed.startswith(f"{each} "))]
    about = [each for each in by_case if abs(len(each) - len(typed)) <= _ABOUT]
    near = (
        [one for one in by_case if one == typed]
        or begun
        or get_close_matches(typed, by_case, n=1, cutoff=_ALIKE)
        or get_close_matches(typed, about, n=1, cutoff=_ALIKE_IF_LONG)
    )
    return f"Did you mean {visible_word(by_case[near[0]])}?" if near else None


def nearest_level(column: Column, word: str) -> str | None:
    """Return which value of a column of numbers is nearest to a number, or where their range ends."""
    try:
        number, nearest = rational(word, "value"), column.labels[column.own_code(word)]
    except (NumberError, SchemaError, ValueError, OverflowError):
        return _with_point(word)
    if column.ends is not None and not rational(column.ends[0], "end") <= number <= rational(
        column.ends[1], "end"
    ):
        return f"The range ends at {nearest}."
    return f"The nearest is {nearest}."


def _with_point(word: str) -> str | None:
    comma = re.fullmatch(r"([+-]?[0-9]+),([0-9]+)", word)
    return f"Numbers in questions have a point: {comma[1]}.{comma[2]}" if comma else None


def read_twice(column: Column, writing: NumberWriting, word: str) -> tuple[str, str] | None:
    """Return what a number would be with a decimal point and with points between thousands, if a schema in
    which a point is no decimal sign lets both be meant; None if one reading is all there is.
    """
    if column.written_as != "number" or writing.decimal == "." or not _GROUPED.fullmatch(word):
        return None
    grouped = word.replace(".", "")
    if word.count(".") > 1 or column.ends is None:
        return None
    low, high = (rational(end, "end") for end in column.ends)
    if not low <= Fraction(grouped) <= high:
        return None
    return str(float(word)).removesuffix(".0"), grouped
