"""privior check: kinds of cells as a release, or shapes for the curator's own eyes (T15, T20, T25)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from program import run, run_here, run_on_terminal

import privior as pv
from privior.cli.commands.check import _percents
from privior.privacy import NOTHING

ANALYSIS = """\
format = 1
population = "bank"
unit = "customer"

[csv]
delimiter = ";"

[columns.age]
type = "integer"
lower = 18
upper = 90
missing = 18

[columns.job]
type = "categorical"
levels = ["clerk", "chef", "other"]

[model]
family = "dirichlet-categorical"
columns = ["age", "job"]

[ask]
records = 400
epsilon = "1"
neighbours = "NEIGHBOURS"
"""
#: each 100 times: a good line, a decimal comma and a level that is none, an old person, nothing
LINES = ["33;clerk", "60,3;Zorro7", "97;chef", ";"]


@pytest.fixture(params=["replace-one", "add-or-remove-one"])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made(tmp_path, request.param)


def made(folder: Path, neighbours: str = "replace-one") -> Path:
    (folder / "bank.toml").write_text(ANALYSIS.replace("NEIGHBOURS", neighbours))
    (folder / "bank.csv").write_text("age;job\n" + "\n".join(LINES * 100) + "\n")
    pv.Ledger.create(folder / "bank.ledger", population="bank", epsilon=100)
    return folder


def test_shares_of_no_cells_are_shown_as_nothing() -> None:
    assert _percents((0.000274, 4.79e-17, 0.0014)) == "0.0274% (0 to 0.14)"


def test_a_paid_check_is_a_release_of_each_column(bank: Path) -> None:
    arguments = ["check", "bank.toml", "bank.csv", "--epsilon", "40", "--ledger", "bank.ledger", "--yes"]
    ended = run_here([*arguments, "--json"], bank)
    assert ended.code == 0, ended.errors
    found = {one["column"]: one for one in json.loads(ended.output)["releases"]}
    shares = {
        name: {kind: part["mean"] for kind, part in one["shares"].items()} for name, one in found.items()
    }
    quarters = {"valid": 0.25, "missing": 0.25, "unparseable": 0.25, "out of range": 0.25}
    assert shares["age"] == pytest.approx(quarters, abs=0.03)
    assert shares["job"] == pytest.approx({"valid": 0.5, "missing": 0.25, "unknown": 0.25}, abs=0.03)
    assert pv.Ledger.open(bank / "bank.ledger").spent == pv.Budget.of(40)
    for one in found.values():
        release = pv.Release.read(bank / one["release"])
        assert release.plan.cost == pv.Budget.of(20)
        assert pv.review(release).passed
    asked = run_here(["ask", found["age"]["release"], 'P(age="out of range")'], bank)
    assert asked.code == 0, asked.errors
    again = run_here(arguments, bank)
    assert "exists already" in again.errors
    assert pv.Ledger.open(bank / "bank.ledger").spent == pv.Budget.of(40)


def test_one_of_the_two_ways_must_be_chosen(tmp_path: Path) -> None:
    made(tmp_path)
    for options in ([], ["--look", "--epsilon", "1"]):
        ended = run_here(["check", "bank.toml", "bank.csv", *options], tmp_path)
        assert ended.code == 3
        assert "--look" in ended.errors
    no_ledger = run_here(["check", "bank.toml", "bank.csv", "--epsilon", "1"], tmp_path)
    assert no_ledger.code != 0
    assert "no ledger" in no_ledger.errors


def test_t25_a_look_is_refused_where_it_could_be_kept(tmp_path: Path) -> None:
    """Piped, or as JSON, nothing is read: the refusal is the same whatever the table holds."""
    made(tmp_path)
    for options in ([], ["--json"], ["--quiet"]):
        ended = run(["check", "bank.toml", "bank.csv", "--look", *options], tmp_path)
        assert ended.code == 3
        assert "terminal" in ended.errors + ended.output
        for word in ("9999", "99,9", "100", "25%"):
            assert word not in ended.output + ended.errors
    on_terminal = run_on_terminal(["check", "bank.toml", "bank.csv", "--look", "--json"], tmp_path)
    assert on_terminal.code == 3


def test_t15_a_look_shows_shapes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    made(tmp_path)
    state = tmp_path / "state"
    state.mkdir()
    before = sorted((place, place.stat().st_size) for place in tmp_path.rglob("*"))
    ended = run_on_terminal(
        ["check", "bank.toml", "bank.csv", "--look"], tmp_path, extra={"PRIVIOR_STATE": str(state)}
    )
    assert ended.code == 0, ended.output
    assert "`99,9` 100" in ended.plain
    assert "`Aaaaa9` 100" in ended.plain
    assert "no longer public knowledge" in " ".join(ended.plain.split())
    for cell in ("60,3", "Zorro", "97"):
        assert cell not in ended.plain
    assert sorted((place, place.stat().st_size) for place in tmp_path.rglob("*")) == before
    assert pv.Ledger.open(tmp_path / "bank.ledger").spent == NOTHING


def test_t25_the_exit_code_of_a_look_says_nothing_of_the_rows(tmp_path: Path) -> None:
    """A table that cannot be read to its end, and one without a bad cell, end alike."""
    made(tmp_path)
    (tmp_path / "good.csv").write_text("age;job\n" + "33;clerk\n" * 400)
    whole = gzip.compress(("age;job\n" + "".join(f"{n % 70 + 18};x{n}\n" for n in range(50_000))).encode())
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    extra = {"PRIVIOR_STATE": str(tmp_path)}
    ends = {
        table: run_on_terminal(["check", "bank.toml", table, "--look"], tmp_path, extra=extra)
        for table in ("good.csv", "cut.csv.gz")
    }
    assert {ended.code for ended in ends.values()} == {0}
    assert "could not be read" in ends["cut.csv.gz"].plain
    assert "x1" not in (tmp_path / "curator.log").read_text()


def test_the_first_release_of_a_population_reminds_of_it(tmp_path: Path) -> None:
    made(tmp_path)
    arguments = ["release", "bank.toml", "bank.csv", "--ledger", "bank.ledger", "--yes", "--no-report"]
    first = run_here([*arguments, "-o", "1.json"], tmp_path)
    second = run_here([*arguments, "--again", "-o", "2.json"], tmp_path)
    assert first.code == second.code == 0, first.errors
    assert "privior check bank.toml bank.csv" in first.output
    assert "privior check" not in second.output
