"""Codings: which levels, and which products of levels, have a feature of their own.

A term is a product of columns of numbers, B, and of columns of levels, C. Its features are B's product times
the indicator of a cell, one level of each column of C, for some of the cells. `MARGINS` takes a cell unless
the columns in which it has not the first level are all in one earlier term of the same numbers B (the
intercept is the term of no columns):

    y ~ a + c + a:c     a; c but its first level; a times c but its first level
    y ~ a:c             a times every level of c: each has a slope, as in R
    y ~ b:c             every pair of levels but the first two, which the intercept is
    y ~ a*c - 1         a; every level of c; a times c but its first level

**Theorem.** Features span all functions that the terms stand for, and are linearly independent: no direction
is without data by the formula alone, and no slope is fixed at 0. Proof. Products with different numbers B are
independent; let B be fixed. Functions of the levels of C have the basis "level l_i of each i in S, none of
them the first", S a part of C. Let U be the parts of the earlier terms, hence with S every part of S. A
function that U spans is 0 if it is 0 at every cell x whose set N(x) of columns with another level than the
first is in U: by size, the coefficients of S in U are seen at the cells with N(x) = S, where else only parts
of S count. So indicators of the cells with N(x) not in U are independent of U; and as many are missing. []

Of a term's features at most one is not 0 for a record, since it has one level in each column.

`FIRST` is that of earlier versions, whose files name none: every column leaves out its first level wherever
it stands, but for the first column that stands alone where there is no intercept. The two differ only in
formulas with a product whose parts are not all in the model (`Formula.marginal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from privior.errors import ModelError, shown

if TYPE_CHECKING:
    from privior.models.formula import Formula, Term

MARGINS = "margins"
FIRST = "first"
#: the code of each column of levels of a term, by its name
Cell = dict[str, int]


def check_coding(said: object) -> str:
    """Return the name of a coding, or refuse what is none."""
    if said not in (MARGINS, FIRST):
        raise ModelError("no coding of levels", where="coding", asked=shown(said), allowed=MARGINS)
    return str(said)


def cells(formula: Formula, sizes: Mapping[str, int]) -> dict[Term, list[Cell]]:
    """Return which cells of each term have a feature.

    Args:
        formula: with its coding
        sizes: how many levels each column of levels has
    """
    kept = _by_margins if formula.coding == MARGINS else _but_the_first
    return dict(kept(formula, sizes))


def every_cell(names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[Cell]:
    """Give every combination of the levels of some columns; one of nothing if there are none."""
    return (
        dict(zip(names, codes, strict=True)) for codes in product(*(range(sizes[name]) for name in names))
    )


def _by_margins(formula: Formula, sizes: Mapping[str, int]) -> Iterator[tuple[Term, list[Cell]]]:
    spanned: dict[frozenset[str], list[set[str]]] = {frozenset(): [set()] if formula.intercept else []}
    for term in formula.terms:  # the short ones first
        levels = [name for name in term if name in sizes]
        known = spanned.setdefault(frozenset(term) - set(levels), [])
        found = (
            cell
            for cell in every_cell(levels, sizes)
            if not any({name for name in levels if cell[name]} <= one for one in known)
        )
        yield term, list(found)
        known.append(set(levels))


def _but_the_first(formula: Formula, sizes: Mapping[str, int]) -> Iterator[tuple[Term, list[Cell]]]:
    alone = (term[0] for term in formula.terms if len(term) == 1 and term[0] in sizes)
    whole = None if formula.intercept else next(alone, None)
    for term in formula.terms:
        levels = [name for name in term if name in sizes]
        found = (
            cell for cell in every_cell(levels, sizes) if all(cell[name] or name == whole for name in levels)
        )
        yield term, list(found)
