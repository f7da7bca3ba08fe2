"""A file of another kind is called what it is, with the command that reads it; drafts say what may go."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import run_here

import privior as pv
from privior.whole_files import what_it_is

_ANALYSIS = """
format = 1
population = "p"
unit = "row"
[columns.smokes]
type = "boolean"
[model]
family = "dirichlet-categorical"
columns = ["smokes"]
[ask]
records = 40
epsilon = "1"
delta = "0"
neighbours = "replace-one"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kinds")
    (place / "a.toml").write_text(_ANALYSIS)
    (place / "t.csv").write_text("smokes\nyes\n")
    (place / "r.json").write_text('{"kind": "privior-release", "format": 1}')
    (place / "t.parquet").write_bytes(b"PAR1\xff\xfe\x00")
    pv.Ledger.create(place / "p.ledger", population="p", epsilon=1)
    return place


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("ask t.csv P(smokes=true)", "It is a table: privior init"),
        ("ask a.toml P(smokes=true)", "It is a TOML file, as analyses are: privior plan"),
        ("report p.ledger", "It is a ledger, or another SQLite file: privior ledger show"),
        ("review t.parquet", "It is a Parquet table: privior init"),
        ("plan r.json", "It is a JSON file, as releases are: privior ask"),
        ("plan t.csv", "It is a table: privior init"),
        ("plan p.ledger", "It is a ledger"),
        ("ledger show a.toml", "It is a TOML file"),
        ("ledger show r.json", "It is a JSON file"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(folder: Path, words: str, says: str) -> None:
    ended = run_here(words.split(), folder)
    assert ended.code not in (0, 1)
    assert says in ended.errors, ended.errors


def test_nothing_is_said_of_what_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("something")
    (tmp_path / "bad.toml").write_text("= 1")
    assert what_it_is(tmp_path / "x", "JSON") is None
    assert what_it_is(tmp_path / "bad.toml", "TOML") is None
    assert what_it_is(tmp_path / "none.csv", "JSON") is None
    assert what_it_is(tmp_path, "JSON") is None


def test_a_draft_says_that_levels_need_no_value_for_missing_cells(folder: Path) -> None:
    draft = _ANALYSIS.replace('type = "boolean"', 'type = "boolean"\nmissing = "FILL IN"')
    (folder / "draft.toml").write_text(draft)
    ended = run_here(["plan", "draft.toml"], folder)
    assert "columns.smokes.missing" in ended.errors
    assert "`missing` of levels and of true or false" in ended.errors
