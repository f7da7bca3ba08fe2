"""Numbers of others: what must be declared, what is refused, and that nothing here vouches for them (T40)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program import run_here as run

import privior as pv
from privior.errors import PriviorError
from privior.plans import Batch
from privior.release import read_numbers
from privior.report import page_of
from privior.reviews import Outcome, review, verify

SCHEMA = pv.Schema(
    {"sex": pv.Categorical(["f", "m"]), "age": pv.Categorical(["young", "old, or so"])},
    population="town",
    unit="person",
)
MODEL = pv.DirichletCategorical(("sex", "age"), prior=1)
NUMBERS: dict[Any, Any] = {
    ("m", "young"): "31.37",
    ("f", "old, or so"): 9.5,
    ("f", "young"): 22,
    ("m", "old, or so"): "-4.25",
}


def taken(numbers: Any = NUMBERS, **facts: Any) -> pv.Release:
    usual: dict[str, Any] = {
        "noise": pv.LaplaceNoise(20, discrete=False),
        "treatment": pv.AS_DRAWN,
        "records": 60,
        "epsilon": "0.1",
        "neighbours": pv.REPLACE_ONE,
        "source": "Statistics Office, table 3",
    }
    return pv.import_release(MODEL, SCHEMA, numbers, **usual | facts)


def test_numbers_are_put_in_the_order_of_the_cells_and_survive_a_file(tmp_path: Path) -> None:
    release = taken()
    assert release.statistics.counts == (2200, 950, 3137, -425)
    assert release == taken([["22", "9.5"], ["31.37", "-4.25"]])
    release.write(tmp_path / "theirs.json")
    again = pv.Release.read(tmp_path / "theirs.json")
    assert (again, again.sha256, again.to_json()) == (release, release.sha256, release.to_json())
    document = json.loads(release.to_json())
    assert document["kind"] == "imported-release"
    assert "ledger" not in document
    with pytest.raises(pv.InferenceError, match="given twice"):
        pv.infer([release, taken()])


def test_it_says_whose_guarantee_it_is_and_never_verifies() -> None:
    release = taken()
    assert "the guarantee is theirs: Statistics Office, table 3 claims it" in str(release)
    page = page_of(release)
    assert "the guarantee is theirs" in page
    assert "ledger entry" not in page
    book = pv.Ledger.in_memory(accept_declared=True)
    pv.charge_import(release, book)
    for ledger in (None, book):
        for found in (verify(release, ledger), review(release, ledger)):
            assert not found.passed
            failed = [check.name for check in found.checks if check.verdict is Outcome.FAILS]
            assert failed == ["imported"]
            (claim,) = (check for check in found.checks if check.name == "claim")
            assert claim.verdict is Outcome.OPEN
            assert "what they claim" in claim.says
    with pytest.raises(pv.ReleaseError, match="made by others"):
        _ = release.receipt


def test_a_claim_that_the_declared_noise_cannot_keep_is_told() -> None:
    """Scale 20 gives 0.1 under replace-one: less may not be claimed of it without a word."""
    said = {claimed: " ".join(taken(epsilon=claimed).plan.warnings) for claimed in ("0.1", "0.05")}
    assert "gives epsilon 0.1 under replace-one, not the 0.05" in said["0.05"]
    assert "claims" not in said["0.1"]


def test_a_charge_is_one_for_a_declared_guarantee_and_once() -> None:
    release, book = taken(), pv.Ledger.in_memory(population="town", epsilon=1, accept_declared=True)
    entry = pv.charge_import(release, book)
    assert pv.charge_import(release, book) == entry
    assert (book.spent, book.declared_spends) == (pv.Budget.of("0.1"), 1)
    pv.charge_import(taken([1, 2, 3, "4.25"]), book)
    assert book.declared_spends == 2
    with pytest.raises(pv.LedgerError, match="declared"):
        pv.charge_import(release, pv.Ledger.in_memory(population="town"))
    with pytest.raises(pv.BudgetExceededError):
        pv.charge_import(taken(epsilon=2), book)
    assert book.declared_spends == 2


def test_nothing_is_released_or_planned_with_it(tmp_path: Path) -> None:
    plan, book = taken().plan, pv.Ledger.in_memory(accept_declared=True)
    (tmp_path / "rows.csv").write_text("sex,age\nf,young\n")
    for work in (plan, Batch.of([plan, plan])):
        with pytest.raises(pv.PlanError, match="imported, not released"):
            pv.measure_all(work, tmp_path / "rows.csv", ledger=book)  # type: ignore[arg-type]
    assert book.last().spends == 0
    with pytest.raises(pv.PlanError):
        pv.plan(MODEL, SCHEMA, records=60, epsilon=1, mechanism=pv.ImportedNumbers)
    usual = pv.plan(MODEL, SCHEMA, records=60, epsilon=1)
    assert "imported-numbers" not in [one.name for one in usual.candidates]


def test_kinds_of_files_are_not_confused() -> None:
    """A file of numbers of others cannot be made to look like a release, nor the other way round."""
    theirs = json.loads(taken().to_json())
    plan = pv.plan(MODEL, SCHEMA, records=60, epsilon=1)
    rows = {"sex": ["f"] * 60, "age": ["young"] * 60}
    import pandas as pd

    ours = json.loads(pv.measure(plan, pd.DataFrame(rows), ledger=pv.Ledger.in_memory()).to_json())
    forged = [
        {**theirs, "kind": "privior-release"},
        {**theirs, "kind": "privior-release", "format": 6, "ledger": ours["ledger"], "process": "own"},
        {**theirs, "ledger": ours["ledger"]},
        {**ours, "kind": "imported-release"},
        {name: ours[name] for name in theirs} | {"kind": "imported-release", "format": 1},
        {**theirs, "format": 2},
        {**theirs, "id": "0" * 32},
        {**theirs, "statistics": {**theirs["statistics"], "decimals": 1}},
        {**theirs, "guarantee": {**theirs["guarantee"], "declared": False}},
        {**theirs, "guarantee": {**theirs["guarantee"], "epsilon": "0.01"}},
    ]
    for document in forged:
        with pytest.raises(pv.ReleaseError):
            pv.Release.from_json(json.dumps(document))
    worded = {**theirs, "guarantee": {**theirs["guarantee"], "reason": "proved by privior"}}
    assert not verify(pv.Release.from_json(json.dumps(worded))).passed


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"numbers": {("f", "young"): 1}}, "no number for a cell"),
        ({"numbers": {**NUMBERS, ("x", "young"): 1}}, "not a level of the column"),
        ({"numbers": {**NUMBERS, "f": 1}}, "not a level of each column"),
        ({"numbers": [1, 2, 3]}, "not one number for each statistic"),
        ({"numbers": "1234"}, "not one number for each statistic"),
        ({"numbers": [1, 2, 3, "four"]}, "not a number"),
        ({"numbers": [1, 2, 3, float("inf")]}, "not a number"),
        ({"numbers": [1, 2, 3, None]}, r"a number is missing(.|\n)*--suppressed-below"),
        ({"numbers": [1, 2, 3, float("nan")]}, "a number is missing"),
        ({"numbers": [1, 2, 3, 4]}, r"fewer decimals than continuous noise(.|\n)*--rounded-to 1"),
        ({"noise": pv.LaplaceNoise(20, discrete=True)}, "gives no decimals"),
        ({"noise": 20}, "not a law of noise"),
        ({"noise": [pv.LaplaceNoise(20, discrete=False)] * 3}, "one for each number"),
        ({"treatment": None}, "what was done to the numbers is not said"),
        ({"treatment": "as drawn"}, "what was done to the numbers is not said"),
        ({"treatment": pv.Treatment(clipped_at=0)}, "cannot have been published so"),
        ({"treatment": pv.Treatment(rounded_to=5)}, "cannot have been published so"),
        ({"treatment": pv.Treatment(suppressed_below=10)}, "cannot have been published so"),
        ({"source": "  "}, "who made the numbers"),
        ({"source": "a\x1b[31m"}, "cannot be printed"),
        ({"records": 0}, "records"),
        ({"epsilon": 0}, "epsilon"),
        ({"neighbours": "next-door"}, "neighbour"),
        ({"numbers": [10**30, 2, 3, "4.25"]}, "too large"),
    ],
)
def test_what_is_not_declared_or_cannot_be_is_refused(facts: dict[str, Any], said: str) -> None:
    with pytest.raises(PriviorError, match=said):
        taken(**facts)


def test_laws_say_what_they_are() -> None:
    for bad in (0, -1, "nan", "1e30", None):
        with pytest.raises(PriviorError):
            pv.LaplaceNoise(bad, discrete=True)
    with pytest.raises(PriviorError, match="discrete is not said"):
        pv.GaussianNoise(3, discrete=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        pv.LaplaceNoise(3)  # type: ignore[call-arg]


HEADER = 'age,sex,"noisy count"\n'
LINES = '"old, or so",m,-4.25\nyoung,f,22\n\nyoung,m,31.37\n"old, or so",f,9.50\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADER + LINES + "young,f,1\n", "two numbers for one cell"),
        (HEADER + "young,f\n", "another number of cells"),
        (HEADER + '"young,f,1\n', "quote is not closed"),
        ("sex,count\nf,1\n", "header"),
        ("sex;age;count\nf;young;1,5\n", r"header(.|\n)*between commas"),
        ("", "header"),
        ('{"a": NaN}', "not a valid JSON"),
        ('{"a": 1, "a": 2}', "not a valid JSON"),
        ("[" * 100_000, "not a valid JSON"),
    ],
)
def test_bad_files_of_numbers_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "numbers").write_text(text)
    with pytest.raises(pv.ReleaseError, match=said):
        read_numbers(tmp_path / "numbers", ("sex", "age"))


def test_from_a_csv_file_to_an_answer(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("\ufeff" + HEADER + LINES, "utf-8")
    budget = pv.Budget.of("0.1")
    pv.Analysis(SCHEMA, MODEL, 60, budget).write(tmp_path / "town.toml")
    ledger = ("--population", "town", "--epsilon", "1", "--accept-declared")
    assert run(("ledger", "create", "town.ledger", *ledger), tmp_path).code == 0
    words = (
        "import",
        "town.toml",
        "counts.csv",
        "--source",
        "Statistics Office, table 3",
        "-o",
        "theirs.json",
    )
    noise = ("--laplace-scale", "20", "--continuous")
    for missing in (noise, (*noise[:2], "--as-drawn"), ("--as-drawn",), (*noise, "--as-drawn", "--charge")):
        assert run((*words, *missing), tmp_path).code == 2
    clipped = run((*words, *noise, "--clipped-at", "0"), tmp_path)
    assert clipped.code == 3
    assert "cannot have been published so" in clipped.errors
    assert not (tmp_path / "theirs.json").exists()
    charged = (*noise, "--as-drawn", "--ledger", "town.ledger", "--charge")
    assert run((*words[:-1], "nowhere/theirs.json", *charged), tmp_path).code == 8
    assert pv.Ledger.open(tmp_path / "town.ledger").last().number == 0  # exit code 8: nothing was spent
    assert run((*words, *charged, "--epsilon", "2"), tmp_path).code == 5
    assert not (tmp_path / "theirs.json").exists()
    made = run((*words, *charged), tmp_path)
    assert made.code == 0, made.errors
    assert "the guarantee is theirs" in made.plain
    assert "Charged once, as entry 1" in made.plain
    assert pv.Release.read(tmp_path / "theirs.json") == taken()
    assert run((*words, *noise, "--as-drawn"), tmp_path).code == 8  # the file is there
    assert run(("ask", "theirs.json", "P(sex=f)"), tmp_path).code == 0
    assert run(("report", "theirs.json"), tmp_path).code == 0
    for command in ("verify", "review"):
        assert run((command, "theirs.json"), tmp_path).code == 1
        assert run((command, "theirs.json", "--ledger", "town.ledger"), tmp_path).code == 1
    reconciled = run(("ledger", "reconcile", "town.ledger", "theirs.json"), tmp_path)
    assert "of others" in reconciled.errors


def test_a_contradiction_may_be_the_fault_of_the_declared_noise() -> None:
    (said,) = pv.infer(taken(noise=pv.LaplaceNoise(2, discrete=False), records=120)).warnings
    assert "or what was declared of its noise" in said


def test_numbers_that_opendp_made() -> None:
    """A peer's noise, continuous with decimals and discrete, imported as it is declared."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    truth = [400, 250, 200, 150]
    for atom, noise in ((float, False), (int, True)):
        nan = {"nan": False} if atom is float else {}
        space = dp.vector_domain(dp.atom_domain(T=atom, **nan)), dp.l1_distance(T=atom)
        laplace = space >> dp.m.then_laplace(scale=2.0)
        release = taken(
            laplace([atom(one) for one in truth]),
            noise=pv.LaplaceNoise(2, discrete=noise),
            records=1000,
            epsilon=1,
            source="OpenDP",
        )
        posterior = pv.infer(release)
        assert posterior.conflict is not None
        assert np.abs(posterior.counts().mean() - truth).max() < 60  # 30 scales: once in 10^12
