"""T40: a name in a file becomes a path or a statement.

Others: outputs named after what a file calls itself ("../../.bashrc"), names pasted into SQL.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import chdir
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from twins import against, noise

import privior as pv
from privior.analyses import draft
from privior.curator import header

#: each creates a file called xyzzy, drops a table or hides a column if it is more than a name
NAMES = (
    "../xyzzy",
    "../../xyzzy",
    "..\\xyzzy",
    "a/../../xyzzy",
    "'; COPY (SELECT 1) TO 'xyzzy'; --",
    "\"; COPY (SELECT 1) TO 'xyzzy'; --",
    '", (SELECT 1) AS "',
    "a\" AS VARCHAR) AS c0; COPY (SELECT 1) TO 'xyzzy'; --",
    "fruit'); ATTACH 'xyzzy' AS x; --",
    "*",
    "{fruit}",
    "$(touch xyzzy)",
)


class System(Protocol):
    folder: Path

    def publish(self, name: str, folder: Path) -> list[int]:
        """Release a table whose file, column, level and population have this name; say 60 and 40 counted."""


def attack(system: System) -> None:
    """Publish under hostile names: 100 records are counted, and no file appears outside the folder."""
    for name in NAMES:
        folder = system.folder / "outer" / "inner"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with chdir(system.folder):
                counts = system.publish(name, folder)
        except Exception as error:  # whatever it is: a name must be a name
            raise AssertionError(f"{name!r} is not taken as a name") from error
        assert abs(sum(counts) - 100) < 50, f"{name!r} is not counted"
        outside = [path for path in system.folder.rglob("*") if path.is_file() and folder not in path.parents]
        assert outside == [], f"{name!r} wrote outside the folder"


class Privior:
    ending = "csv"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, name: str, folder: Path) -> list[int]:
        place = folder / str(len(list(folder.iterdir())))
        place.mkdir()
        table = place / f"{self.file(name)}.{self.ending}"
        self.write(table, name)
        schema = pv.Schema({name: pv.Categorical(["a", name])}, population=name, unit="person")
        schema.write(place / "schema.toml")
        plan = pv.plan(
            pv.DirichletCategorical(name, prior=1),
            pv.Schema.read(place / "schema.toml"),
            records=100,
            epsilon=2,
        )
        ledger = pv.Ledger.create(place / "ledger", population=name, epsilon=2)
        release = pv.measure(plan, table, ledger=ledger, output=place / "release.json")
        pv.write_report(release, place / "report.html")
        draft(header(table), table.name)
        assert pv.review(pv.Release.read(place / "release.json"), ledger).passed
        return list(release.statistics.counts)

    def file(self, name: str) -> str:
        return name.replace("/", "|")

    def write(self, table: Path, name: str) -> None:
        with table.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [[name, "x"], *[["a", ""]] * 60, *[[name, ""]] * 40]
            )


class PriviorParquet(Privior):
    ending = "parquet"

    def write(self, table: Path, name: str) -> None:
        pq.write_table(pa.table({name: ["a"] * 60 + [name] * 40, "a": ["a"] * 100}), table)


class PriviorColumn(PriviorParquet):
    """A harmless file, so that the name of its column goes further."""

    def file(self, name: str) -> str:
        return "fruit"


class NamedByItself:
    """Writes the release where the release says it belongs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, name: str, folder: Path) -> list[int]:
        counts = [60 + noise(1)[0], 40 + noise(1)[0]]
        (folder / f"{name}.json").write_text(json.dumps(counts))
        return counts


class PastedStatements(NamedByItself):
    """Pastes the name into a statement."""

    def publish(self, name: str, folder: Path) -> list[int]:
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE rows (x TEXT)")
        connection.executemany("INSERT INTO rows VALUES (?)", [["a"]] * 60 + [[name]] * 40)
        [[hers]] = connection.execute(f"SELECT count(*) FROM rows WHERE x = '{name}'")
        connection.close()
        return [100 - hers + noise(1)[0], hers + noise(1)[0]]


test_t40_paths = against(attack)(
    privior={"csv": Privior, "parquet": PriviorParquet, "column": PriviorColumn},
    twins={"named by itself": NamedByItself, "pasted statements": PastedStatements},
)
