"""The schema: everything privior may know about a table before its budget is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from privior.checks import fill
from privior.errors import SchemaError, shown
from privior.registry import outside
from privior.schema import documents
from privior.schema.cell_kinds import CellKinds, read_as
from privior.schema.column import DROP, Column
from privior.schema.dialect import CsvDialect
from privior.schema.names import check_distinct, check_name, looks
from privior.schema.unit import Unit

#: the number of the file format written here; older ones are read, newer ones refused
FORMAT = 1


@dataclass(frozen=True)
class Schema:
    """Public facts about a table: columns, whose records they are, and how a CSV file is written.

    Attributes:
        columns: what is known of each column, by name, in order
        population: the people a budget belongs to, across files and versions
        unit: whose whole contribution is protected; text means that each row is one of those
        csv: how CSV files are written
    """

    columns: Mapping[str, Column]
    population: str
    unit: Unit
    csv: CsvDialect

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        population: str,
        unit: Unit | str,
        csv: CsvDialect | None = None,
    ) -> None:
        if not isinstance(columns, Mapping):
            raise SchemaError("columns are not {name: column}", where="schema", asked=shown(columns))
        if not columns:
            raise SchemaError("there are no columns", where="schema", advice="Give {name: column}.")
        for name, column in columns.items():
            if not isinstance(name, str) or not name or any(sign in name for sign in "\r\n\0"):
                raise SchemaError("a column name is not one line of text", where="schema", asked=shown(name))
            check_name(name, "schema")
            if not isinstance(column, Column) or outside(type(column)):
                raise SchemaError(
                    "not a column",
                    where=name,
                    asked=shown(column),
                    allowed="pv.Categorical(...), pv.Integer(...), ...",
                )
        check_distinct(columns, "schema")
        if isinstance(population, str):
            check_name(population, "population")
        if not isinstance(population, str) or not population.strip() or not population.isprintable():
            raise SchemaError(
                "the population has no name of one line", where="population", asked=shown(population)
            )
        whose = Unit(unit) if isinstance(unit, str) else unit
        if not isinstance(whose, Unit):
            raise SchemaError(
                "not a unit of protection", where="unit", asked=shown(unit), allowed='"person", pv.Unit(...)'
            )
        if whose.column is not None and looks(whose.column) in map(looks, columns):
            raise SchemaError(
                "the person column cannot be analysed",
                where="unit",
                asked=whose.column,
                advice="Remove it from the columns.",
            )
        dialect = CsvDialect() if csv is None else csv
        if not isinstance(dialect, CsvDialect):
            raise SchemaError(
                "not a CSV dialect", where="csv", asked=shown(csv), allowed="pv.CsvDialect(...)"
            )
        fill(self, columns=MappingProxyType(dict(columns)), population=population, unit=whose, csv=dialect)

    def __hash__(self) -> int:
        return hash((frozenset(self.columns.items()), self.population, self.unit, self.csv))

    def __reduce__(self) -> tuple[object, ...]:
        return (Schema.from_document, (self.to_document(),))

    def column(self, name: str) -> Column:
        """Return the column of that name, or say which ones there are."""
        if name not in self.columns:
            known = list(self.columns)
            raise SchemaError(
                "unknown column", where="schema", asked=shown(name), allowed=", ".join(known[:20])
            )
        return self.columns[name]

    def of_cells(self) -> Schema:
        """Return the schema of the same table in which columns say of what kind their cells are."""
        kinds = {name: CellKinds(read_as(column)) for name, column in self.columns.items()}
        return Schema(kinds, population=self.population, unit=self.unit, csv=self.csv)

    def cells(self, names: tuple[str, ...]) -> int:
        """Return how many cells the table of these columns has."""
        return math.prod(self.column(name).size for name in names)

    def drops(self, names: tuple[str, ...]) -> bool:
        """Say whether records with a bad cell in these columns are left out."""
        return any(self.column(name).missing is DROP for name in names)

    def to_document(self) -> dict[str, object]:
        """Write the schema as plain lists and dictionaries, for JSON and TOML."""
        return {
            "format": FORMAT,
            "population": self.population,
            "unit": documents.from_unit(self.unit),
            "csv": documents.from_dialect(self.csv),
            "columns": {name: documents.from_column(column) for name, column in self.columns.items()},
        }

    @staticmethod
    def from_document(document: object) -> Schema:
        """Read what `to_document` wrote, refusing whatever is unknown, missing or newer."""
        fields = documents.table(
            document, "schema", required=("population", "unit", "columns"), known=("format", "csv")
        )
        number = fields.get("format", FORMAT)
        if not isinstance(number, int) or number > FORMAT:
            raise SchemaError(
                "the format is newer than this library", asked=number, allowed=FORMAT, where="format"
            )
        columns = documents.table(fields["columns"], "columns")
        return Schema(
            {name: documents.to_column(name, column) for name, column in columns.items()},
            population=documents.line(fields["population"], "population"),
            unit=documents.to_unit(fields["unit"]),
            csv=documents.to_dialect(fields.get("csv", {})),
        )

    @staticmethod
    def read(path: str | Path) -> Schema:
        """Read a TOML file that holds a schema or names one; a model and a budget may stand beside it."""
        document = documents.read_facts(path)
        facts = {name: value for name, value in document.items() if name not in ("model", "ask")}
        documents.check_filled(facts, str(path))
        return Schema.from_document(facts)

    def write(self, path: str | Path) -> None:
        """Write the schema as a TOML file."""
        documents.write_toml(self.to_document(), path)
