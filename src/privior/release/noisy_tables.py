"""Files with noisy numbers of others.

CSV has a header line, a column for each column of the table, and numbers in the last one: empty where one was
suppressed. JSON is a list, or an object of lists by the names of the tables.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

from privior.errors import ReleaseError, shown
from privior.release.documents import no_constant, no_twins
from privior.whole_files import read_whole

#: a cell of a line: quoted, with quotes doubled, or plain
_CELL = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(?:,|$)')


def read_numbers(path: str | Path, columns: tuple[str, ...]) -> object:
    """Read numbers as `import_release` takes them; `columns` are those of the table."""
    place = Path(path)
    try:
        text = read_whole(place).decode("utf-8-sig")
    except OSError as error:
        raise ReleaseError(f"cannot read the file: {error.strerror}", where=str(place)) from None
    except ValueError:
        raise ReleaseError("not a text file", where=shown(path)) from None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(
                text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=no_twins
            )
        except (ValueError, RecursionError):
            raise ReleaseError("not a valid JSON document", where=str(place)) from None
    return _from_csv(text, columns, str(place))


def _from_csv(text: str, columns: tuple[str, ...], where: str) -> dict[tuple[str, ...], str]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    header = _cells(lines[0][1], where, 1) if lines else []
    if sorted(header[:-1]) != sorted(columns):
        raise ReleaseError(
            "the header does not name the columns of the table, and then the numbers",
            where=where,
            asked=shown(", ".join(header)),
            allowed=", ".join((*columns, "noisy count")),
            advice="Cells stand between commas, numbers have points (60.3), whatever [csv] says of rows.",
        )
    order = [header.index(name) for name in columns]
    found: dict[tuple[str, ...], str] = {}
    for number, line in lines[1:]:
        cells = _cells(line, where, number)
        if len(cells) != len(header):
            raise ReleaseError("another number of cells than the header", where=f"{where}, line {number}")
        cell = tuple(cells[place] for place in order)
        if cell in found:
            raise ReleaseError(
                "two numbers for one cell", where=f"{where}, line {number}", asked=shown(", ".join(cell))
            )
        found[cell] = cells[-1]
    return found


def _cells(line: str, where: str, number: int) -> list[str]:
    found, at = [], 0
    while at <= len(line):
        cell = _CELL.match(line, at)
        if cell is None:
            raise ReleaseError("a quote is not closed", where=f"{where}, line {number}")
        quoted, plain = cell.groups()
        found.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        if cell.end() == len(line) and not line.endswith(",", at, cell.end()):
            break
        at = cell.end()
    return found
