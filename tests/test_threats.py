"""docs/threats.md tells the truth: every test file it names exists and mentions the threat."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROW = re.compile(r"^\| (\d\d) \|.*\| ([^|]*) \|$", re.MULTILINE)


def test_every_named_test_mentions_its_threat() -> None:
    rows = ROW.findall((TESTS.parent / "docs" / "threats.md").read_text("utf-8"))
    assert len(rows) > 25
    for number, files in rows:
        for name in filter(None, (file.strip() for file in files.split(","))):
            text = (TESTS / name).read_text("utf-8")
            assert re.search(rf"\bT{number}\b|_t{number}_", text), f"{name} does not mention T{number}"


def test_every_file_of_the_twins_is_named() -> None:
    rows = dict(ROW.findall((TESTS.parent / "docs" / "threats.md").read_text("utf-8")))
    files = sorted((TESTS / "threats").glob("test_t[0-9][0-9]_*.py"))
    assert len(files) > 10
    for file in files:
        number = file.name[len("test_t") :][:2]
        assert f"threats/{file.name}" in rows.get(number, ""), f"{file.name} is not named at T{number}"
