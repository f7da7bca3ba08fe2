"""Schemas as plain documents (lists, dictionaries, text, numbers), the form of TOML and JSON files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from privior.errors import PriviorError, SchemaError, shown
from privior.exact import decimal
from privior.schema.cell_kinds import CellKinds
from privior.schema.column import DROP, Column
from privior.schema.columns import KINDS
from privior.schema.dialect import CsvDialect
from privior.schema.named_levels import Categorical
from privior.schema.unit import Unit
from privior.whole_files import read_whole, what_it_is, write_whole

T = TypeVar("T")

#: what the file of a schema holds: the first three in any case
SCHEMA_ENTRIES = ("population", "unit", "columns", "format", "csv")
#: entries of a dialect that plans of old do not have: written where they are said
_SAID = ("decimal", "thousands", "dates")
#: stands in a drafted file wherever somebody must still decide
UNFILLED = "FILL IN"


def table(
    document: object, where: str, *, required: Sequence[str] = (), known: Sequence[str] | None = None
) -> dict[str, object]:
    """Check that a document is a table with these entries and, if `known` is given, no others."""
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise SchemaError("not a table", where=where, asked=type(document).__name__)
    absent = [name for name in required if name not in document]
    if absent:
        raise SchemaError("an entry is missing", where=where, asked=", ".join(absent))
    if known is not None:
        strange = sorted(set(document) - set(required) - set(known))
        if strange:
            raise SchemaError(
                "unknown entry", where=where, asked=", ".join(strange), allowed=", ".join([*required, *known])
            )
    return document


def check_filled(document: dict[str, object], where: str) -> None:
    """Refuse a draft, naming every entry that is not filled in."""
    gaps = list(_gaps(document, ""))
    if gaps:
        more = f" and {len(gaps) - 20} more" if len(gaps) > 20 else ""
        raise SchemaError(
            f"not filled in yet: {', '.join(gaps[:20])}{more}",
            where=where,
            advice=f'Replace every "{UNFILLED}", and delete the columns that you do not need'
            + (", and `missing` of levels and of true or false." if _of_cells(gaps) else "."),
        )


def _of_cells(gaps: list[str]) -> bool:
    """Say whether what a missing cell counts as is not filled in, which not every column needs."""
    return any(gap.endswith(".missing") for gap in gaps)


def _gaps(value: object, name: str) -> Iterator[str]:
    if value == UNFILLED or (isinstance(value, list) and UNFILLED in value):
        yield name
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _gaps(entry, f"{name}.{key}" if name else str(key))


def line(value: object, where: str) -> str:
    """Check that a document is text."""
    if not isinstance(value, str):
        raise SchemaError("not text", where=where, asked=shown(value))
    return value


def from_unit(unit: Unit) -> dict[str, object]:
    """Write a unit, leaving out what is not set."""
    rows = {"column": unit.column, "max_rows": unit.max_rows} if unit.column is not None else {}
    return {"noun": unit.noun, **rows}


def to_unit(document: object) -> Unit:
    """Read a unit: its noun alone, or a table."""
    if isinstance(document, str):
        return Unit(document)
    return _built(Unit, "unit", table(document, "unit", required=("noun",), known=("column", "max_rows")))


def from_dialect(dialect: CsvDialect) -> dict[str, object]:
    """Write a CSV dialect; how numbers and days are written only where that is said."""
    usual = asdict(CsvDialect())
    entries = asdict(dialect).items()
    return {name: value for name, value in entries if name not in _SAID or value != usual[name]}


def to_dialect(document: object) -> CsvDialect:
    """Read a CSV dialect; what is not said has its default."""
    known = [field.name for field in fields(CsvDialect)]
    return _built(CsvDialect, "csv", table(document, "csv", known=known))


def from_column(column: Column) -> dict[str, object]:
    """Write a column with its type and, always, where its bad cells go."""
    document: dict[str, object] = {"type": column.kind}
    for field in fields(column):  # type: ignore[arg-type]  # every column is a dataclass
        document[field.name] = _plain(getattr(column, field.name))
    return document


def to_column(name: str, document: object) -> Column:
    """Read a column."""
    entries = dict(table(document, name, required=("type",)))
    inner = entries.get("of")
    if isinstance(inner, dict) and entries["type"] == CellKinds.kind:
        if inner.get("type") == CellKinds.kind:
            raise SchemaError("kinds of kinds of cells", where=name)
        entries["of"] = to_column(name, inner)
    kind = KINDS.get(str(entries.pop("type")))
    if kind is None:
        raise SchemaError(
            "unknown type of column", where=name, asked=shown(document), allowed=", ".join(KINDS)
        )
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # every column is a dataclass
    table(entries, name, known=known)
    levels = entries.get("levels")
    if entries.get("missing") == DROP.value and not (isinstance(levels, list) and DROP.value in levels):
        entries["missing"] = DROP
    return _built(kind, name, entries)


def read_toml(path: str | Path) -> dict[str, object]:
    """Read a TOML file, with an error that names the file and, where it is malformed, the line."""
    import tomllib

    where = str(path) if isinstance(path, Path) else shown(path).strip("'")
    try:
        return tomllib.loads(read_whole(path).decode("utf-8").replace("\r\n", "\n"))
    except OSError as error:
        raise SchemaError(f"cannot read the file: {error.strerror}", where=where) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"not a TOML file: {error}", where=where, advice=what_it_is(path, "TOML")) from None
    except (TypeError, ValueError, RecursionError):
        raise SchemaError("not the path of a readable TOML file", where=where) from None


def read_facts(path: str | Path) -> dict[str, object]:
    """Read the TOML file of an analysis, with the facts of the schema file that it may name in their place.

    Likewise the graph of a network file. Files are named relative to the one that names them, beside it or
    below, and name no other one.
    """
    return _with_network(_with_schema(read_toml(path), path), path)


def _with_schema(document: dict[str, object], path: str | Path) -> dict[str, object]:
    """Put the facts of the schema file that a document names in its place."""
    if "schema" not in document:
        return document
    named = document.pop("schema")
    place = _beside(path, named)
    facts = read_toml(place)
    # Each file may say its format, if it is the same.
    twice = [entry for entry in SCHEMA_ENTRIES if entry in document]
    if [entry for entry in twice if entry != "format" or document[entry] != facts.get(entry, 1)]:
        raise SchemaError(
            "the file names a schema and holds one too",
            where=str(path),
            asked=", ".join(twice),
            advice="Keep the one or the other.",
        )
    check_filled(facts, str(place))
    table(facts, str(place), required=SCHEMA_ENTRIES[:3], known=SCHEMA_ENTRIES[3:])
    return {**facts, **document}


def _with_network(document: dict[str, object], path: str | Path) -> dict[str, object]:
    """Put the graph of the BIF file that a model names in its place, and its nodes among the columns."""
    model = document.get("model")
    if not isinstance(model, dict) or "bif" not in model:
        return document
    from privior.schema.network_files import NetworkFile  # loads what reads XML

    entries = dict(model)
    network = NetworkFile.read(_beside(path, entries.pop("bif"), 'bif = "asia.bif"'))
    if "parents" in entries or "nodes" in entries:
        raise SchemaError(
            "the model names a network file and has a graph too",
            where=f"{path}, model",
            advice="Keep the one or the other.",
        )
    graph = {node: list(above) for node, above in network.parents.items()}
    nodes = {
        node: {"type": Categorical.kind, "levels": list(levels)} for node, levels in network.levels.items()
    }
    said = table(document.get("columns", {}), "columns")
    _check_nodes(nodes, said, str(path))
    columns = {**nodes, **said}
    return {**document, "columns": columns, "model": {**entries, "parents": graph}}


def _check_nodes(nodes: Iterable[str], said: Iterable[str], where: str) -> None:
    """Refuse a node that is no column of a schema which has others: its name is misspelt, or theirs."""
    strange, others = (
        [node for node in nodes if node not in said],
        [name for name in said if name not in nodes],
    )
    if strange and others:
        from difflib import get_close_matches

        near = [close for node in strange for close in get_close_matches(node, others, 1)]
        raise SchemaError(
            "nodes of the network file are no columns of the schema",
            where=where,
            asked=", ".join(map(shown, strange[:5])) + (" and more" if len(strange) > 5 else ""),
            allowed=", ".join(map(shown, others[:5])) + (" and more" if len(others) > 5 else ""),
            advice=(f"Is {shown(near[0])} meant? " if near else "")
            + "Names are to be equal. Without columns of its own, a file takes all nodes as they are.",
        )


def _beside(path: str | Path, named: object, example: str = 'schema = "bank.schema.toml"') -> Path:
    """Return the place of a file that another one names, which must be in the same folder or below."""
    folder = Path(path).parent
    try:
        plain = isinstance(named, str) and named.isprintable() and not Path(named).is_absolute()
        place = folder / str(named)
        if plain and place.resolve().is_relative_to(folder.resolve()):
            return place
    except (OSError, RuntimeError, ValueError):
        pass
    raise SchemaError(
        "not the name of a file beside this one",
        where=str(path),
        asked=shown(named),
        allowed=f"a file in the same folder or below: {example}",
    )


def write_toml(document: dict[str, object], path: str | Path) -> None:
    """Write a document as a TOML file."""
    import tomli_w

    try:
        write_whole(path, tomli_w.dumps(document))
    except OSError as error:
        raise SchemaError(f"cannot write the file: {error.strerror}", where=str(path)) from None
    except (TypeError, ValueError):
        raise SchemaError("a name or level is not valid text", where=str(path)) from None


def _built(kind: Callable[..., T], where: str, entries: dict[str, object]) -> T:
    try:
        return kind(**entries)
    except PriviorError as error:
        raise SchemaError(
            error.what, where=where, asked=error.asked, allowed=error.allowed, advice=error.advice
        ) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise SchemaError(f"an entry is missing or of the wrong kind: {error}", where=where) from None


def _plain(value: object) -> object:
    if value is DROP:
        return DROP.value
    if isinstance(value, Column):
        return from_column(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, date):
        return value.isoformat()
    return value
