"""Cells of somebody's own rows, read one by one: the code that a column's public rule gives a cell.

The curator's tables are read by an engine (`tables.codes`), which never stops at a cell. Here a person asks
about rows of her own: nothing in a cell is nothing known, and a cell that cannot be read is an error. What
else a cell says is for its column to tell (`Column.own_code`).
"""

from __future__ import annotations

from privior.schema.column import Column


def cell_code(column: Column, cell: object) -> int | None:
    """Return the code of a cell; None if there is nothing in it.

    >>> from privior.schema import Boolean, Integer
    >>> cell_code(Integer(0, 9), "3"), cell_code(Integer(0, 9), 40.2), cell_code(Boolean(), "")
    (3, 9, None)
    """
    plain = _plain(cell)
    return None if _is_nothing(plain) else column.own_code(plain)


def _plain(cell: object) -> object:
    """Return Python's own value of a number of numpy."""
    item = getattr(cell, "item", None)
    return item() if callable(item) and not isinstance(cell, (str, bytes)) else cell


def _is_nothing(cell: object) -> bool:
    """Say whether a cell is empty: nothing, no text, no number, no moment."""
    try:
        return cell is None or bool(cell == "") or bool(cell != cell)
    except TypeError:  # a missing value for which not even that can be told
        return True
