"""The draft of an analysis file: what the header of a table tells, and gaps for what it must not tell."""

from __future__ import annotations

import json
from collections.abc import Sequence

from privior.errors import TableError, shown
from privior.schema import CsvDialect
from privior.schema.documents import UNFILLED

_GAP = json.dumps(UNFILLED)

_TOP = """\
# Public facts about {table}, of which only the header was read.
#
# Replace every {gap}. Take levels and ranges from the protocol of the study, never from the file:
# this file is public, and what you look up in the data and write here is protected by nothing.
# Delete the columns that you do not need. A column is one of
#
#   type = "categorical"   levels = ["yes", "no", "unknown"]       any other cell counts as the last level
#   type = "boolean"                                               true/false, yes/no, 1/0
#   type = "integer"       lower = 0   upper = 120                 numbers outside are clamped
#   type = "bounded"       lower = 20  upper = 200  grid = "0.5"   clamped, then rounded to the grid
#   type = "binned"        edges = [0, 18, 65, 120]                sorted into bins
#   type = "date"          lower = "2026-01-01"  upper = "2026-12-31"
#
# A missing or unreadable cell counts as the last level or as false unless you say otherwise:
# missing = "unknown", missing = true. For a number or a day you must say what it means:
#
#   missing = 0            it counts as this value (a value, a bin's number or a day inside the range)
#   missing = "drop"       it is left out: with "add-or-remove-one", or for means and rates of numbers,
#                          whose number of values is then released too
#
# How many cells are missing or unreadable: privior check (paid with --epsilon, or --look for yourself).

format = 1
population = {gap}    # whose budget this is, across files and versions: "clinic-2026"
unit = {gap}          # whom one row is about: "patient". Several rows of one person:
# unit = {{ noun = "patient", column = "id", max_rows = 5 }}
"""

_BOTTOM = """
[model]
family = "dirichlet-categorical"    # the probabilities of the levels, and of their combinations
columns = [{gap}]    # one column or several; few levels in all
prior = "learned"                   # learned from the release; or a number, as draws need: 1
# Or one parameter of one column: "beta-bernoulli", "beta-binomial", "gamma-poisson", "gamma-exponential",
# "laplace-scale", "normal-mean", "normal-precision"; or several: "normal-mean-precision",
# "multivariate-normal-mean", "multivariate-normal-precision" (docs/families.md), for example
# family = "gamma-exponential"
# column = "wait"
# prior = {{ law = "gamma", shape = 1, rate = 1 }}
# Or a network of columns (docs/networks.md): family = "bayesian-network" with parents = {{ ... }}
# or bif = "FILE", or family = "naive-bayes" with target = ... and features = [...]
# Or a line (docs/regression.md): family = "linear-regression" with formula = "income ~ age + sex";
# for yes or no (docs/logistic.md) family = "logistic-regression"; by a loss (docs/gibbs.md) "gibbs-posterior"

[ask]
records = {gap}      # how many persons, exactly: with "replace-one" the number is public
epsilon = {gap}      # what to spend: "0.5"; compare with: privior plan
delta = "0"
neighbours = "replace-one"          # or "add-or-remove-one": records is a maximum, their number private
"""

_MISSING = f"missing = {_GAP}"
_OF_NUMBERS = f'{_MISSING}    # number or day: a value, or "drop"; levels, true/false: delete this line'

#: what each kind of column needs
_ENTRIES = {
    "boolean": (),
    "integer": (f"lower = {_GAP}", f"upper = {_GAP}", _MISSING),
    "bounded": (f"lower = {_GAP}", f"upper = {_GAP}", f"grid = {_GAP}", _MISSING),
    "date": (f"lower = {_GAP}", f"upper = {_GAP}", _MISSING),
    "categorical": (f"levels = [{_GAP}]",),
}


def draft(columns: Sequence[tuple[str, str | None]], table: str, csv: CsvDialect | None = None) -> str:
    """Write a draft of an analysis file, as TOML text.

    Args:
        columns: the names in the header, each with the kind of column that its type tells, if any
        table: what to call the table in the first line
        csv: how a CSV file is written; None for other files
    """
    if not columns:
        raise TableError("the header names no column", where=table)
    parts = [_TOP.format(table=shown(table).strip("'"), gap=_GAP)]
    if csv is not None:
        parts.append(f"\n[csv]\ndelimiter = {_text(csv.delimiter)}\nencoding = {_text(csv.encoding)}\n")
        parts.append(_written(csv))
    parts += [_column(name, kind) for name, kind in columns]
    return "".join([*parts, _BOTTOM.format(gap=_GAP)])


def _written(csv: CsvDialect) -> str:
    """Ask how numbers and days are written: a gap where cells are not separated by commas, else a hint."""
    comma = csv.delimiter == ";"
    decimal = f'decimal = {_GAP}      # "," if numbers are written 60,3, as often between semicolons; or "."'
    return "".join(
        [
            f"{decimal}\n" if comma else '# decimal = ","       # if numbers are written 60,3\n',
            '# thousands = "."     # if they are written 1.234,5\n',
            '# dates = "DD.MM.YYYY"    # if days are not written YYYY-MM-DD\n',
        ]
    )


def _column(name: str, kind: str | None) -> str:
    if any(sign in name for sign in "\r\n\0"):
        raise TableError("a column name is not one line of text", where="header")
    entries = (f"type = {_GAP}", _OF_NUMBERS) if kind is None else (f"type = {_text(kind)}", *_ENTRIES[kind])
    return "\n".join(["", f"[columns.{_text(name)}]", *entries, ""])


def _text(value: str) -> str:
    """Write a TOML string, which differs from a JSON string in one sign."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
