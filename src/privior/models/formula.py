"""Formulas of regressions: `income ~ age + sex + age:sex`, read without a table.

A formula names columns. `a:b` is a product, `a*b` means `a + b + a:b`, `-1` leaves the intercept out, at the
beginning too. Names with blanks or signs stand in quotes. There are no functions: levels and codings come
from the schema.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from privior.checks import fill
from privior.errors import ModelError, shown
from privior.models.coding import FIRST, MARGINS, check_coding

#: the columns that are multiplied, each once
Term = tuple[str, ...]
#: more terms than this are a mistake
MOST_TERMS = 200
_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[^\W\d]\w*)|(?P<quoted>'[^']+'|"[^"]+"|`[^`]+`)|(?P<sign>[-~+:*()^|/])|(?P<number>\d+))"""
)
_BARE = re.compile(r"[^\W\d]\w*\Z")
_ALLOWED = "target ~ a + b + a:b, with + : * and -1"
_WHERE = "formula"


@dataclass(frozen=True)
class Formula:
    """What depends on what.

    Attributes:
        target: the column that is explained
        terms: what explains it, without the intercept: products before which their factors need not stand
        intercept: whether a constant is among the terms
        coding: which levels have a feature, `MARGINS` wherever that is the same as `FIRST`
    """

    target: str
    terms: tuple[Term, ...]
    intercept: bool = True
    coding: str = MARGINS

    def __post_init__(self) -> None:
        seen: dict[frozenset[str], Term] = {}
        for term in self.terms:
            seen.setdefault(frozenset(term), tuple(dict.fromkeys(term)))
        fill(self, terms=tuple(sorted(seen.values(), key=len)))
        fill(self, coding=check_coding(self.coding) if self.marginal else MARGINS)
        if not self.terms:
            raise ModelError(
                "a regression needs at least one feature",
                where=_WHERE,
                asked=str(self),
                allowed=_ALLOWED,
                advice="For the mean of a column alone take pv.NormalMeanPrecision.",
            )
        if len(self.terms) > MOST_TERMS:
            raise ModelError("too many terms", where=_WHERE, asked=len(self.terms), allowed=MOST_TERMS)
        if any(self.target in term for term in self.terms):
            raise ModelError("the target cannot explain itself", where=_WHERE, asked=self.target)

    @staticmethod
    def of(target: object, features: object) -> Formula:
        """Return the formula in which each feature stands by itself."""
        listed = [features] if isinstance(features, str) else features
        if not isinstance(target, str) or not isinstance(listed, (list, tuple)):
            raise ModelError(
                "say which columns: a target and a list of features",
                where="target, features",
                asked=f"{shown(target)}, {shown(features)}",
                allowed='target="income", features=["age", "sex"]',
            )
        if not all(isinstance(one, str) and one for one in (target, *listed)):
            raise ModelError("not the names of columns", where="target, features", asked=shown(listed))
        return Formula(target, tuple((one,) for one in listed))

    @staticmethod
    def parse(text: object, coding: str = MARGINS) -> Formula:
        """Read a formula.

        Args:
            text: the formula
            coding: which levels have a feature; files of earlier versions mean `FIRST`

        >>> str(Formula.parse("income ~ age*sex"))
        'income ~ age + sex + age:sex'
        """
        if not isinstance(text, str):
            raise ModelError("not a formula", where=_WHERE, asked=shown(text), allowed=_ALLOWED)
        tokens = _tokens(text)
        if len(tokens) < 3 or tokens[1] != ("sign", "~") or tokens[0][0] != "name":
            raise _wrong("a formula begins with its target and ~", text)
        terms, intercept, place = list[Term](), True, 2
        adding = True
        if tokens[2] in (("sign", "+"), ("sign", "-")):
            adding, place = tokens[2][1] == "+", 3
        while place < len(tokens):
            kind, word = tokens[place]
            if (kind, word) == ("number", "1"):
                intercept, place = adding, place + 1
            elif kind == "name":
                if not adding:
                    raise _wrong(f"only 1 can be left out, not {word}", text)
                factors, place = _product(tokens, place, text)
                terms += _crossed(factors)
            else:
                raise _wrong(f"a column is expected where {word!r} stands", text)
            if place == len(tokens):
                break
            kind, word = tokens[place]
            if (kind, word) not in (("sign", "+"), ("sign", "-")):
                raise _wrong(f"+ or - is expected where {word!r} stands", text)
            adding, place = word == "+", place + 1
            if place == len(tokens):
                raise _wrong("the formula ends with a sign", text)
        return Formula(tokens[0][1], tuple(terms), intercept, coding)

    @property
    def columns(self) -> tuple[str, ...]:
        """The target first, then every column of a term, once."""
        return tuple(dict.fromkeys((self.target, *(name for term in self.terms for name in term))))

    def centred(self, column: str) -> bool:
        """Say whether the model stays the same if a number is added to the column everywhere.

        That is so if with every term of the column the model has the term without it, the intercept being
        the empty one. The target is such a column if there is an intercept.
        """
        if column == self.target:
            return self.intercept
        known = {frozenset(term) for term in self.terms} | ({frozenset[str]()} if self.intercept else set())
        return all(frozenset(term) - {column} in known for term in self.terms if column in term)

    @property
    def marginal(self) -> bool:
        """Whether some product stands without one of its parts, the intercept being one: codings may differ.

        If not, each product comes with an intercept and all products of its columns, or there is no product:
        then both codings leave out first levels everywhere, but of the first column alone without intercept.
        """
        products = [frozenset(term) for term in self.terms if len(term) > 1]
        known = {frozenset(term) for term in self.terms}
        whole = all(term - {one} in known for term in products for one in term)
        return bool(products) and not (self.intercept and whole)

    def to_document(self) -> dict[str, object]:
        """Write the formula; the coding only where it matters, so that others keep the files they had."""
        said = {"coding": MARGINS} if self.marginal and self.coding != FIRST else {}
        return {"formula": str(self), **said}

    def __str__(self) -> str:
        written = [":".join(map(_written, term)) for term in self.terms]
        return f"{_written(self.target)} ~ {' + '.join(written)}{'' if self.intercept else ' - 1'}"


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _wrong(f"what is {text[place:].strip()[:1]!r}", text)
        kind, word = match.lastgroup or "", match[match.lastgroup or 0]
        found.append(("name", word[1:-1]) if kind == "quoted" else (kind, word))
        place = match.end()
    return found


def _product(tokens: Sequence[tuple[str, str]], place: int, text: str) -> tuple[list[Term], int]:
    """Read a:b*c: products that `*` joins, each a list of columns that `:` joins."""
    factors: list[Term] = [(tokens[place][1],)]
    place += 1
    while place < len(tokens) and tokens[place][1] in (":", "*") and tokens[place][0] == "sign":
        joins = tokens[place][1]
        if place + 1 == len(tokens) or tokens[place + 1][0] != "name":
            raise _wrong(f"a column is expected after {joins}", text)
        name = tokens[place + 1][1]
        factors = [*factors[:-1], (*factors[-1], name)] if joins == ":" else [*factors, (name,)]
        place += 2
    if place < len(tokens) and tokens[place] == ("sign", "("):
        raise _wrong(f"there are no functions such as {tokens[place - 1][1]}(...)", text)
    return factors, place


def _crossed(factors: Sequence[Term]) -> list[Term]:
    """Return all products of one or more of the factors, the short ones first."""
    if len(factors) > 8:
        raise ModelError("too many factors are crossed", where=_WHERE, asked=len(factors), allowed=8)
    several = (some for many in range(1, len(factors) + 1) for some in combinations(factors, many))
    return [tuple(name for factor in some for name in factor) for some in several]


def _written(name: str) -> str:
    if _BARE.match(name):
        return name
    mark = next((one for one in "'\"`" if one not in name), "'")
    return f"{mark}{name}{mark}"


def _wrong(what: str, text: str) -> ModelError:
    return ModelError(
        f"not a formula: {what}",
        where=_WHERE,
        asked=shown(text),
        allowed=_ALLOWED,
        advice="Compute other features in the table, as columns of their own.",
    )
