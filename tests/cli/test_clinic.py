"""The commands of docs/clinic.md, as they stand there, on the bundled table."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from program import run

from privior.bundled import CLINIC_RECORDS, clinic_schema, clinic_table
from privior.schema import Schema

PAGE = Path(__file__).resolve().parents[2] / "docs" / "clinic.md"
#: nobody needs more to go from a table to an answer
MOST_LINES = 9


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_commands_run(tmp_path: Path) -> None:
    shutil.copy(clinic_table(), tmp_path / "clinic.csv")
    facts, *models = blocks("toml")
    for model in models:
        name = model.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(facts + model)
        assert Schema.read(tmp_path / name) == clinic_schema()
    lines = [line for block in blocks("text") for line in block.splitlines()]
    assert len(lines) == 11
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "privior"
        agreed = ["--yes"] if arguments[0] == "release" else []  # nobody is there to be asked
        ended = run([*arguments, *agreed], tmp_path)
        assert ended.code == 0, (line, ended.errors)
    assert re.search(r"spent\s.*4", ended.output)


def test_the_examples_are_short() -> None:
    for block in blocks("python"):
        assert len([line for line in block.splitlines() if line.strip()]) <= MOST_LINES


def test_the_table_has_the_records_that_are_told() -> None:
    lines = clinic_table().read_text().splitlines()
    assert len(lines) == CLINIC_RECORDS + 1
    assert lines[0].split(",") == list(clinic_schema().columns)
