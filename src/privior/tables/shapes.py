"""Shapes of cells: 99,9 for 60,3 and Aaa for Ada. For the curator's own eyes, and never kept (T15, T25)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from privior.schema import CellKinds, Schema
from privior.schema.cell_kinds import MISSING, VALID
from privior.tables import codes
from privior.tables.relations import Expression, Relation, column
from privior.tables.summing import key, looked_up
from privior.tables.writing import as_declared

#: signs of a shape that are shown, and shapes of each kind
_LONGEST, _MOST = 24, 3
_KIND, _SHAPE, _ROWS = "kind", "shape", "n"


@dataclass(frozen=True, repr=False)
class Shapes:
    """What a column's cells look like: private.

    Attributes:
        column: its name
        rows: how many rows have a cell of each kind
        bad: the commonest shapes of each kind that is neither valid nor missing, and how many rows have them
    """

    column: str
    rows: dict[str, int]
    bad: dict[str, list[tuple[str, int]]]


def shapes(relation: Relation, schema: Schema, columns: tuple[str, ...]) -> list[Shapes]:
    """Look at the cells of columns that say of what kind they are (`Schema.of_cells`)."""
    return [_of_column(relation, schema, columns, place) for place in range(len(columns))]


def _of_column(relation: Relation, schema: Schema, columns: tuple[str, ...], place: int) -> Shapes:
    name, kinds = columns[place], schema.column(columns[place])
    if not isinstance(kinds, CellKinds):
        raise TypeError("not a column of kinds of cells")
    cell = column(place)
    with_shapes = relation.rows.mutate(**{_SHAPE: _shape(relation.rows[cell])})
    read = as_declared(replace(relation, rows=with_shapes), schema, columns).rows
    keyed = read.select(_SHAPE, **{cell: key(read[cell], kinds)})
    coded = looked_up(keyed, relation, {cell: kinds})
    found = coded.select(_SHAPE, **{_KIND: coded[cell].fill_null(kinds.missing_code)})
    counted = found.group_by([_KIND, _SHAPE]).agg(**{_ROWS: found.count()})
    rows: Counter[str] = Counter(dict.fromkeys(kinds.labels, 0))
    bad: dict[str, Counter[str]] = {}
    for batch in relation.batches(counted):
        for group in batch.to_pylist():
            label = kinds.labels[group[_KIND]]
            rows[label] += group[_ROWS]
            if label not in (VALID, MISSING):
                bad.setdefault(label, Counter())[group[_SHAPE] or ""] += group[_ROWS]
    return Shapes(name, dict(rows), {label: shown.most_common(_MOST) for label, shown in bad.items()})


def _shape(cell: Expression) -> Expression:
    """Write 9 for digits, A and a for letters and ? for what is no sign of ASCII; the rest as it is."""
    text = codes.as_text(cell)
    for pattern, sign in (
        (r"[0-9]|\p{Nd}", "9"),
        (r"[A-Z]|\p{Lu}", "A"),
        (r"[a-z]|[^A\P{L}]", "a"),
        (r"[^ -~]", "?"),
        (rf"^(.{{{_LONGEST}}}).+$", r"\1..."),
    ):
        text = text.re_replace(pattern, sign)
    return text
