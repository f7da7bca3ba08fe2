"""The bundled tables, for demonstrations, documentation and tests: where they lie and their public facts."""

from __future__ import annotations

from pathlib import Path

from privior.schema import Schema

#: the number of records of the bundled table, one per person: public
ACS_RECORDS = 27_253


def acs_table() -> Path:
    """Return the path of the bundled excerpt of the American Community Survey 2019 (see NOTICE.md)."""
    return Path(__file__).with_name("acs_2019.parquet")


def acs_schema() -> Schema:
    """Return its schema, made from the data dictionary."""
    return Schema.read(Path(__file__).with_name("acs_2019.toml"))


#: the number of records of the made-up clinic, one per patient: public
CLINIC_RECORDS = 2000


def clinic_table() -> Path:
    """Return the path of a CSV file of a clinic that does not exist (see NOTICE.md)."""
    return Path(__file__).with_name("clinic.csv")


def clinic_schema() -> Schema:
    """Return the schema of the bundled table: its columns, bounds and unit."""
    return Schema.read(Path(__file__).with_name("clinic.toml"))
