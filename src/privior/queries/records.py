"""Records as CSV text that a spreadsheet may open: no cell of text is taken for a formula."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from privior.pictures.label import clean
from privior.schema.column import text

#: how a spreadsheet recognises a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


def csv_text(columns: Mapping[str, Sequence[object]]) -> str:
    """Return records, given column by column, as CSV with a header. Text gets an apostrophe if need be.

    >>> print(csv_text({"what": ["=1+1", 'a "b", c'], "how many": [-1, 2]}))
    what,how many
    '=1+1,-1
    "a ""b"", c",2
    """
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(_cell(value) for value in row) for row in rows)


def _cell(value: object) -> str:
    written = clean(text(value))
    start = unicodedata.normalize("NFKC", written.lstrip(" \u00a0\u3000")[:1])
    if isinstance(value, str) and (written.startswith(_FORMULA) or start.startswith(_FORMULA)):
        written = "'" + written
    return '"' + written.replace('"', '""') + '"' if _QUOTED.search(written) else written
