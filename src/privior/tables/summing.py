"""Exact sums over the records of a table, made in the engine: at most one row per cell comes back.

Levels come from the schema in its order (T17, T18, T22), a bad cell follows the missing rule of its column,
and sums are sums of integers (T03). A record is left out if the rule of any column that is asked about says
so, for all sums alike. Where each row counts, rows are first grouped by what is in the outer columns, so that
levels are matched once per different text and not once per row; the factors of the inner columns are summed
within the groups, and the factors of the outer ones multiply these sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from privior.arrays import Integers
from privior.models.summands import Factor
from privior.schema import Binned, Column
from privior.tables import codes, persons
from privior.tables.light import MOST_ROWS, Light, light
from privior.tables.question import LIMIT, SumsQuestion
from privior.tables.relations import PERSON, Expression, NamedArrays, Relation, language

CELL = "cell"
#: how many rows were summed quickly
_ROWS = "rows"
#: factors below this sum to 64 bits over 2**40 rows, more than any plan is for
_LONG = 2**22

#: the sums within groups, one for each product of inner factors
PartNames = dict[tuple[Factor, ...], str]


def sums(relation: Relation, question: SumsQuestion) -> Integers:
    """Return the sums: a row for each cell, a column for each summand."""
    if not question.summands:
        return np.zeros((question.cells, 0), np.int64)
    answer = relation.run(totals(relation, question, quick=relation.exact))
    if _ROWS in answer and max(answer[_ROWS].tolist(), default=0) > MOST_ROWS:
        answer = relation.run(totals(relation, question))
    return placed(answer, question)


def placed(answer: NamedArrays, question: SumsQuestion) -> Integers:
    """Put the sums of the cells that occur in their places."""
    result = np.zeros((question.cells, len(question.summands)), np.int64)
    for place in range(len(question.summands)):
        result[answer[CELL], place] = answer[total(place)]
    return result


def totals(relation: Relation, question: SumsQuestion, *, quick: bool = False) -> Expression:
    """Return the expression of the cells that occur and their sums; quickly, for up to `MOST_ROWS` rows."""
    parts: PartNames = {}
    if question.schema.unit.column is None:
        parts = _parts(question)
        grouped = _grouped(relation, question, parts, quick)
        if not question.outer:
            return _alone(grouped, parts, question)
        coded = _coded(grouped, relation, question.outer)
        coded = coded.mutate(**{CELL: _number(coded, _made(question))}) if question.by else coded
    else:
        added = {question.place(name) for summand in question.summands for name in summand.columns}
        coded = chosen(relation, question, sorted(added))
    summed = {
        total(place): _limited(_sum(coded, summand.factors, parts, question))
        for place, summand in enumerate(question.summands)
    }
    if _ROWS in coded.columns:
        summed[_ROWS] = coded[_ROWS].sum().fill_null(0)
    if question.by:
        return coded.group_by(CELL).agg(**summed)
    return coded.agg(**summed).mutate(**{CELL: _whole(coded, 0)})


def _alone(grouped: Expression, parts: PartNames, question: SumsQuestion) -> Expression:
    """Return the totals where all rows are one group, and so are summed already."""
    summed = {
        total(place): _limited(grouped[parts[summand.factors]])
        for place, summand in enumerate(question.summands)
    }
    counted = [_ROWS] if _ROWS in grouped.columns else []
    return grouped.select(*counted, **summed, **{CELL: _whole(grouped, 0)})


def _sum(
    coded: Expression, factors: tuple[Factor, ...], parts: PartNames, question: SumsQuestion
) -> Expression:
    """Add up a product: of codes alone, or of codes and what has been summed within groups."""
    inside = tuple(factor for factor in factors if question.place(factor.column) in question.inner)
    if inside not in parts:
        return _product(coded, factors, question).sum() if factors else coded.count()
    outside = tuple(factor for factor in factors if factor not in inside)
    part = coded[parts[inside]]
    return (_product(coded, outside, question) * part if outside else part).sum()


def _limited(total: Expression) -> Expression:
    """Keep a sum, 0 if there is no record, in 64 bits; no plan lets it grow so large."""
    made = language(total)
    return made.least(made.greatest(total.fill_null(0), _whole(total, -LIMIT)), _whole(total, LIMIT))


def _parts(question: SumsQuestion) -> PartNames:
    products = (
        tuple(factor for factor in summand.factors if question.place(factor.column) in question.inner)
        for summand in question.summands
    )
    return {factors: f"part{place}" for place, factors in enumerate(dict.fromkeys(products))}


def _grouped(relation: Relation, question: SumsQuestion, parts: PartNames, quick: bool) -> Expression:
    """Reduce rows to their outer keys and sums of inner products, row by row where grouping is not exact."""
    rows = relation.rows
    keys = {name: key(rows[name], kind) for name, kind in question.outer.items()}
    values: dict[str, Expression] = {}
    offsets: dict[str, int] = {}
    lights = _lights(relation, question, parts) if quick else {}
    for name, kind in question.inner.items():
        if name in lights:
            values[name], offsets[name] = lights[name].value, 0
            continue
        dropped = kind.missing_code is None
        values[name], offsets[name] = (
            (codes.code(rows[name], kind), 0) if dropped else codes.ruled(rows[name], kind)
        )
    reduced = rows.select(**keys, **values) if keys or values else rows
    reduced = _ruled_out(reduced, question.inner)
    moved = {factors: tuple(_moved(factor, offsets, question) for factor in factors) for factors in parts}
    if keys and not relation.exact:
        each = {
            name: _product(reduced, moved[factors], question) if factors else _whole(reduced, 1)
            for factors, name in parts.items()
        }
        return reduced.select(*keys, **each)
    added = {name: _added(reduced, moved[factors], question, lights) for factors, name in parts.items()}
    if lights:
        added[_ROWS] = reduced.count()
    return reduced.group_by(list(keys)).agg(**added) if keys else reduced.agg(**added)


def _moved(factor: Factor, offsets: dict[str, int], question: SumsQuestion) -> Factor:
    """Return the factor as a function of a value to which an offset must be added to give the code."""
    offset = offsets[question.place(factor.column)]
    if factor.level is not None:
        return replace(factor, level=factor.level - offset)
    return replace(factor, shift=factor.shift + factor.slope * offset)


def _lights(relation: Relation, question: SumsQuestion, parts: PartNames) -> dict[str, Light]:
    """Return the light forms of the columns of which nothing but sums of codes is asked."""
    heavy = {
        question.place(factor.column)
        for factors in parts
        for factor in factors
        if _row_by_row(factors, question)
    }
    forms = {
        name: light(relation.rows[name], kind) for name, kind in question.inner.items() if name not in heavy
    }
    return {name: form for name, form in forms.items() if form is not None}


def _row_by_row(factors: tuple[Factor, ...], question: SumsQuestion) -> bool:
    """Say whether a product is made of each row: a single factor is not, unless its sums might be long."""
    return (
        len(factors) > 1
        or factors[0].absolute
        or factors[0].level is not None
        or question.largest(factors[0]) >= _LONG
    )


def _added(
    reduced: Expression, factors: tuple[Factor, ...], question: SumsQuestion, lights: dict[str, Light]
) -> Expression:
    """Add up a product of inner factors; of a single one only the values are added row by row."""
    if not factors:
        return reduced.count()
    if _row_by_row(factors, question):
        return _product(reduced, factors, question).sum()
    first = factors[0]
    place = question.place(first.column)
    values = reduced[place]
    total = lights[place].total(values, reduced.count()) if place in lights else values.sum()
    if first.slope != 1:
        total = _whole(total, first.slope) * total
    return total + _whole(total, first.shift) * reduced.count() if first.shift else total


def chosen(relation: Relation, question: SumsQuestion, kept: Sequence[str]) -> Expression:
    """Return the codes of at most so many rows of each person; rows that belong to nobody are left out."""
    rows = relation.rows
    keys = {name: key(rows[name], kind) for name, kind in question.columns.items()}
    named = rows.select(**keys, **{PERSON: persons.name(rows)})
    coded = _coded(named.filter(named[PERSON].notnull()), relation, question.columns)
    words, made = _words(question.columns), _made(question)
    numbers = {CELL: _number(coded, made)}
    if words != [made]:  # the cell does not say all that is in a row
        numbers |= {f"word{place}": _number(coded, word) for place, word in enumerate(words)}
    numbered = coded.select(PERSON, *kept, **numbers)
    said = [name for name in numbers if name != CELL] or [CELL]
    return persons.at_most(numbered, said, question.schema.unit.max_rows)


def _made(question: SumsQuestion) -> list[tuple[str, Column]]:
    """Return the columns that make the cells."""
    return [(question.place(name), question.schema.column(name)) for name in question.by]


def _words(columns: dict[str, Column]) -> list[list[tuple[str, Column]]]:
    """Split columns into as few runs as have numbers of 62 bits; together they say what is in a row."""
    words: list[list[tuple[str, Column]]] = [[]]
    size = 1
    for name, kind in columns.items():
        size *= kind.size
        if size > LIMIT:
            words.append([])
            size = kind.size
        words[-1].append((name, kind))
    return words


def key(cell: Expression, kind: Column) -> Expression:
    """Return the code of a cell, or what its code will be looked up by."""
    if not codes.is_looked_up(kind):
        return codes.code(cell, kind)
    return codes.as_number(cell) if isinstance(kind, Binned) else cell


def _coded(keyed: Expression, relation: Relation, columns: dict[str, Column]) -> Expression:
    """Replace the keys of columns by codes, those of bad cells by the rule's."""
    coded = _ruled_out(looked_up(keyed, relation, columns), columns)
    filled = {
        name: coded[name].fill_null(kind.missing_code)
        for name, kind in columns.items()
        if kind.missing_code is not None
    }
    return coded.mutate(**filled) if filled else coded


def _ruled_out(coded: Expression, columns: dict[str, Column]) -> Expression:
    """Leave out records with a bad cell in a column that has no code for it."""
    for name, kind in columns.items():
        if kind.missing_code is None:
            coded = coded.filter(coded[name].notnull())
    return coded


def looked_up(keyed: Expression, relation: Relation, columns: dict[str, Column]) -> Expression:
    """Replace the keys that are not codes yet by codes, null where there is none."""
    for name, kind in columns.items():
        if not codes.is_looked_up(kind):
            continue
        others = {other: keyed[other] for other in keyed.columns if other != name}
        if isinstance(kind, Binned):
            known = relation.lookup(codes.lookup(kind))
            keyed = keyed.asof_join(known, on=keyed[name] >= known["edge"]).select(
                **others, **{name: known["code"]}
            )
            continue
        text = codes.as_text(keyed[name], kind)
        if relation.exact:
            known = relation.lookup(codes.lookup(kind))
            keyed = keyed.left_join(known, text == known["text"]).select(**others, **{name: known["code"]})
        else:
            keyed = keyed.select(**others, **{name: codes.matched(text, kind)})
    return keyed


def _number(coded: Expression, columns: list[tuple[str, Column]]) -> Expression:
    """Return the number of the cell that codes are in, row-major."""
    number = _whole(coded, 0)
    for place, (name, kind) in enumerate(columns):
        number = number * _whole(coded, kind.size) + coded[name] if place else coded[name]
    return number


def _product(table: Expression, factors: Sequence[Factor], question: SumsQuestion) -> Expression:
    return reduce(
        lambda one, other: one * other,
        (_factor(table[question.place(factor.column)], factor) for factor in factors),
    )


def _factor(code: Expression, factor: Factor) -> Expression:
    """Return slope * code + shift, in 64 bits because the slope has as many."""
    if factor.level is not None:
        same = code == _whole(code, factor.level)
        code = language(code).ifelse(same, _whole(code, 1), _whole(code, 0))
    value = _whole(code, factor.slope) * code
    if factor.shift:
        value = value + _whole(code, factor.shift)
    return value.abs() if factor.absolute else value


def _whole(near: Expression, number: int) -> Expression:
    """Return a number of 64 bits that the engine reads as text: it may take a literal for a shorter one."""
    return language(near).literal(str(number)).cast("int64")


def total(place: int) -> str:
    """Return the name of the sums of a summand."""
    return f"total{place}"
