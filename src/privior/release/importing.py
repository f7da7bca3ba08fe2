"""import_release(): noisy statistics that others made, as something from which can be inferred.

Whoever imports declares the model, the noise, what was done to the numbers and what is claimed; nothing of it
is checked, beside that the numbers can be so. The file has no receipt, and no ledger is charged unless
somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from privior import __version__
from privior.errors import PlanError, PriviorError, ReleaseError, SchemaError, shown
from privior.exact import rational
from privior.ledger import Ledger, LedgerEntry
from privior.mechanisms import ImportedNumbers, NoiseLaw, Treatment
from privior.models import MOST_DECIMALS, Layout, Model, Observed
from privior.plans import Plan
from privior.privacy import Neighbours
from privior.release.release import Release, imported_identifier
from privior.schema import Schema

#: a number, or None for a blank
Stated = Fraction | None


def import_release(
    model: Model,
    schema: Schema,
    numbers: object,
    *,
    noise: NoiseLaw | Sequence[NoiseLaw],
    treatment: Treatment,
    records: int,
    epsilon: object,
    delta: object = 0,
    neighbours: Neighbours | str,
    source: str,
) -> Release:
    """Take noisy statistics that others made: `pv.infer` and all that follows works with them.

    Args:
        model: whose statistics they are
        schema: the public facts about the columns
        numbers: of one table a list in the order of the cells, or a dict by level (by tuples of levels for
            several columns); of a family a list of its sums; of several tables a dict of lists by their
            names. None where a number was suppressed
        noise: `pv.LaplaceNoise(20, discrete=False)` or `pv.GaussianNoise(5, discrete=True)`, of every number,
            or one for each
        treatment: `pv.AS_DRAWN`, or what was done to the noisy numbers: `pv.Treatment(clipped_at=0)`
        records: how many units: exact under replace-one, else the largest possible number
        epsilon: what they claim, exact
        delta: likewise
        neighbours: of which neighbours they claim it: `pv.REPLACE_ONE` or `pv.ADD_OR_REMOVE_ONE`
        source: who made the numbers, in a line
    """
    if not isinstance(model, Model) or not isinstance(schema, Schema):
        raise PlanError("not a model and a schema", asked=f"{shown(model)}, {shown(schema)}")
    relation = Neighbours.of(neighbours)
    model.sensitivity(schema, relation)  # refuses a schema that does not fit
    layouts = model.layouts(schema, relation)
    found = _numbers(numbers, layouts, model, schema)
    decimals = _decimals(found)
    law = ImportedNumbers(
        model,
        schema,
        epsilon,
        delta,
        neighbours=relation,
        source=source,
        noise=noise,
        treatment=treatment,
        decimals=decimals,
        blanks=[place for place, one in enumerate(found) if one is None],
    )
    whole = iter([0 if one is None else round(one * 10**decimals) for one in found])
    arrays = tuple(tuple(next(whole) for _ in range(layout.size)) for layout in layouts)
    observed = Observed(tuple(replace(one, decimals=decimals) for one in layouts), arrays)
    plan = Plan(schema, model, law, relation, records)
    return Release(plan, observed, None, imported_identifier(plan, observed), __version__)


def charge_import(release: Release, ledger: Ledger | str | Path) -> LedgerEntry:
    """Charge the claim of numbers that others made to a ledger that takes declared guarantees; once only.

    The file stays without a receipt: that something was paid does not verify what others did.
    """
    if not release.imported:
        raise ReleaseError("this release was charged when it was made", where=release.identifier)
    opened = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
    key = f"imported {release.identifier}"
    if opened.replay(release.plan, key=key) is None:
        opened.finish(opened.spend(release.plan, key=key), release.to_json())
    return next(entry for entry in opened.entries() if entry.key == key)


def _numbers(numbers: object, layouts: Sequence[Layout], model: Model, schema: Schema) -> list[Stated]:
    """Return all numbers in the order of the statistics."""
    if len(layouts) > 1:
        names = [layout.name for layout in layouts]
        if not isinstance(numbers, Mapping) or set(numbers) != set(names):
            raise _unfit("not a list of numbers for each table", numbers, ", ".join(names))
        return [one for layout in layouts for one in _listed(numbers[layout.name], layout)]
    if isinstance(numbers, Mapping):
        return _of_cells(numbers, layouts[0], model, schema)
    return _listed(numbers, layouts[0])


def _of_cells(numbers: Mapping[Any, object], layout: Layout, model: Model, schema: Schema) -> list[Stated]:
    """Put numbers by level into the order of the cells; each cell has one, and nothing else is there."""
    columns = [schema.column(name) for name in model.by]
    cells = list(product(*(column.labels for column in columns))) if columns else []
    if len(cells) != layout.size:
        raise _unfit("these statistics have no levels", numbers, f"a list of {layout.size} numbers")
    found: dict[tuple[str, ...], Stated] = {}
    for key, value in numbers.items():
        levels = key if isinstance(key, tuple) else (key,)
        if len(levels) != len(columns):
            raise _unfit("not a level of each column", key, ", ".join(model.by))
        cell = tuple(
            column.labels[_code(column, level, name)]
            for column, level, name in zip(columns, levels, model.by, strict=True)
        )
        if cell in found:
            raise _unfit("two numbers for one cell", ", ".join(cell), None)
        found[cell] = _number(value)
    missing = [", ".join(cell) for cell in cells if cell not in found]
    if missing:
        raise ReleaseError(
            "no number for a cell",
            where="numbers",
            asked="; ".join(missing[:5]),
            advice="Write an empty number, or None, where one was suppressed.",
        )
    return [found[cell] for cell in cells]


def _code(column: Any, level: object, name: str) -> int:
    try:
        return int(column.code(level))
    except SchemaError as error:
        raise ReleaseError(
            error.what, where=f"numbers, {name}", asked=error.asked, allowed=error.allowed
        ) from None


def _listed(numbers: object, layout: Layout) -> list[Stated]:
    found = list(_flat(numbers)) if hasattr(numbers, "__iter__") and not isinstance(numbers, str) else []
    if len(found) != layout.size:
        raise ReleaseError(
            "not one number for each statistic", where=layout.name, asked=len(found), allowed=layout.size
        )
    return [_number(one) for one in found]


def _flat(numbers: Any, deepest: int = 8) -> Iterator[object]:
    """Go through rows of rows: tables of several columns may be nested so."""
    for one in numbers:
        nested = deepest and hasattr(one, "__iter__") and not isinstance(one, str)
        yield from (_flat(one, deepest - 1) if nested else (one,))


def _number(value: object) -> Stated:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, float) and value != value:
        return None  # how frames write a blank
    try:
        return rational(value, "number")
    except PriviorError as error:
        raise _unfit("not a number", value, error.allowed) from None


def _decimals(numbers: Sequence[Stated]) -> int:
    """Return how many decimals the numbers have, at most `MOST_DECIMALS`: further ones are rounded off."""
    known = [one for one in numbers if one is not None]
    for places in range(MOST_DECIMALS):
        if all((one * 10**places).denominator == 1 for one in known):
            return places
    return MOST_DECIMALS


def _unfit(what: str, asked: object, allowed: object) -> ReleaseError:
    return ReleaseError(what, where="numbers", asked=shown(asked), allowed=allowed)
