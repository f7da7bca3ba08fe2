"""At most so many rows of each person, chosen among that person's own rows only (T21).

Which rows are kept depends on the person and on the contents of her rows, never on the order of the table
or on anyone else: every row gets a lot, the hash of the person, the row's codes and how many equal rows of
hers came before, and the lowest lots stay. Equal rows are interchangeable, so the order does not matter,
and each of her rows has the same chance. Changing all rows of one person changes at most `most` counted
rows. Rows without a person cannot be attributed to anyone and are left out; rows that a missing rule has
left out are gone before this and do not use up the limit.
"""

from __future__ import annotations

from collections.abc import Sequence

from privior.tables import codes
from privior.tables.relations import PERSON, Expression, Relation, language


def name(rows: Expression) -> Expression:
    """Return who a row belongs to, null if nobody: missing, NaN or empty."""
    return codes.as_text(rows[PERSON])


def count(relation: Relation) -> int:
    """Count the different persons of a relation."""
    return int(relation.run(number(relation))["n"][0])


def number(relation: Relation) -> Expression:
    """Return the expression of how many different persons there are."""
    return relation.rows.agg(n=name(relation.rows).nunique())


def at_most(rows: Expression, words: Sequence[str], most: int) -> Expression:
    """Keep at most so many rows of each person; `words` are numbers that say what is in a row."""
    made = language(rows)
    turned = rows.mutate(turn=made.row_number().over(group_by=[PERSON, *words]))
    content = turned[PERSON]
    for name in ("turn", *reversed(words)):
        content = turned[name].cast("string").concat(":", content)
    drawn = turned.mutate(lot=content.hash())
    order = [drawn["lot"], *(drawn[word] for word in words), drawn["turn"]]
    ranked = drawn.mutate(rank=made.row_number().over(group_by=PERSON, order_by=order))
    return ranked.filter(ranked["rank"] < most)
