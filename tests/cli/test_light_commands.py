"""A command loads what it needs and no more: most of what a user waits for is loading."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: each takes longer to load than a small table takes to be read
HEAVY = ("ibis", "pandas", "polars", "sqlglot", "opendp.prelude", "pydantic")

_LOADED = """
import atexit, json, os, sys
heavy = {heavy!r}
atexit.register(lambda: print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr))
"""

_WORKER = """
import json, sys
from privior.curator import worker
from privior.curator.incidents import Incident
from privior.curator.rows import Rows
from privior.release import Release
rows = Rows.opened([Release.read(sys.argv[1]).plan], sys.argv[2], lambda step: None)
rows.noisy(Incident("1"))
print(json.dumps([name for name in {heavy!r} if name in sys.modules]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table, and a release of it made here."""
    import privior as pv

    where = tmp_path_factory.mktemp("light")
    lines = [f"{word},{age}" for age, word in enumerate(["yes", "no"] * 20)]
    (where / "t.csv").write_text("\n".join(["smokes,age", *lines]) + "\n")
    columns = {"smokes": pv.Categorical(["yes", "no"]), "age": pv.Binned(list(range(0, 400, 2)))}
    schema = pv.Schema(columns, population="p", unit="row")
    ledger = pv.Ledger.create(where / "p.ledger", population="p", epsilon=9)
    for name, column in (("r", "smokes"), ("binned", "age")):
        plan = pv.plan(pv.DirichletCategorical(column, prior=1), schema, records=40, epsilon=1)
        pv.measure(plan, where / "t.csv", ledger=ledger, output=where / f"{name}.json")
    return where


def _loaded(folder: Path, program: str, *words: str) -> list[str]:
    state = {**os.environ, "XDG_STATE_HOME": str(folder)}
    ran = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env=state,
        check=True,
        capture_output=True,
        text=True,
    )
    found: list[str] = json.loads((ran.stdout + ran.stderr).splitlines()[-1])
    return found


def test_a_question_is_answered_without_pydantic_and_what_reads_rows(folder: Path) -> None:
    heavy = (*HEAVY, "pyarrow", "duckdb", "opendp")
    program = _LOADED.format(heavy=heavy) + "from privior.cli import main; main()"
    assert _loaded(folder, program, "ask", "r.json", "P(smokes=yes)", "--level", "0.8") == []
    assert _loaded(folder, program, "ask", "r.json", "sample 2", "--seed", "1") == [
        "pydantic"
    ]  # the test sees it


@pytest.mark.parametrize("name", ["r.json", "binned.json"])
def test_a_file_is_read_without_ibis_and_frames(folder: Path, name: str) -> None:
    """Levels and many bins are looked up in tables beside the rows."""
    assert _loaded(folder, _WORKER.format(heavy=HEAVY), name, "t.csv") == []
