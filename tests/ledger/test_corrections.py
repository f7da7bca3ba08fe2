"""Ledgers for which privior 0.2 added up too little rho are corrected by the first spend (T46)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from program import run_here as run
from write_files import GAMMA, GARDEN

import privior as pv
from privior.curator.charging import Charge
from privior.ledger import EntryKind
from privior.plans import Plan
from privior.reviews import Outcome, review

FORGETFUL = Path(__file__).parent.parent / "compat" / "forgetful"


@pytest.fixture(autouse=True)
def _no_anchors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test take the ledger of another one for an older copy of its own."""
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))


@pytest.fixture
def waiting() -> Plan:
    """Half minutes that may move by 20 in their sum: rho was 1,600 times too small."""
    model = pv.GammaExponential("weight", GAMMA)
    return pv.plan(model, GARDEN, records=40, epsilon="0.1", delta="1e-2", mechanism=pv.NoisyStatistics)


@pytest.fixture
def pure() -> Plan:
    model = pv.DirichletCategorical("fruit", prior=1)
    return pv.plan(model, GARDEN, records=40, epsilon="0.01", mechanism=pv.KNorm)


def opened(name: str, folder: Path) -> pv.Ledger:
    return pv.Ledger.open(shutil.copy(FORGETFUL / f"{name}.ledger", folder / f"{name}.ledger"))


def test_the_first_spend_charges_what_was_forgotten(waiting: Plan, pure: Plan, tmp_path: Path) -> None:
    ledger = opened("kept", tmp_path)
    due = ledger.last().accounting.price(waiting.guarantees)[0]
    assert due is not None
    entries = list(ledger.entries())
    short = [entry for entry in entries if "noisy-statistics" in entry.about]
    assert all(entry.price[0] < due / 1000 for entry in short)  # type: ignore[operator]
    ledger.spend(pure, analyst="ann")
    made = [entry for entry in ledger.entries() if entry.kind is EntryKind.CORRECTED]
    assert [entry.plans for entry in made] == [entry.plans for entry in short]
    for entry, correction in zip(short, made, strict=True):
        assert entry.price[0] + correction.price[0] == due  # type: ignore[operator]
        assert correction.analyst == entry.analyst
    last = ledger.verify()
    assert last.total[0] == sum(entry.price[0] for entry in ledger.entries())  # type: ignore[misc]
    assert last.spends == len([entry for entry in entries if entry.kind is EntryKind.SPENT]) + 1
    owns = {name: own for name, _, own in ledger.quotas()}
    for name, own in owns.items():
        paid = sum(entry.price[0] for entry in ledger.entries() if entry.analyst == name)  # type: ignore[misc]
        assert own[0] == paid


def test_a_ledger_is_corrected_once(pure: Plan, tmp_path: Path) -> None:
    ledger = opened("kept", tmp_path)
    ledger.spend(pure, analyst="ann")
    made = [entry.number for entry in ledger.entries() if entry.kind is EntryKind.CORRECTED]
    assert ledger.uncharged() == []
    assert ledger.correct() == []
    ledger.spend(pure, analyst="bob")
    assert [entry.number for entry in ledger.entries() if entry.kind is EntryKind.CORRECTED] == made


def test_without_the_plan_what_it_stated_is_charged(pure: Plan, tmp_path: Path) -> None:
    ledger = opened("lost", tmp_path)
    with pytest.raises(pv.BudgetExceededError) as refusal:
        ledger.spend(pure)
    made = [entry for entry in ledger.entries() if entry.kind is EntryKind.CORRECTED]
    assert [entry.about for entry in made] == [
        f"correction of entry {number}: epsilon 0.1, delta 0.01" for number in (1, 2)
    ]
    assert all(entry.price == (Fraction(0), Fraction(1, 10), Fraction(1, 100)) for entry in made)
    assert "more was spent than the cap allows" in str(refusal.value)
    assert dict(ledger.facts())["left"].startswith("nothing")
    assert "over the cap" in str(ledger)
    assert ledger.verify().total[1:] == (Fraction(1, 5), Fraction(1, 50))


def test_reading_never_writes_and_says_what_is_due(pure: Plan, tmp_path: Path) -> None:
    ledger = opened("lost", tmp_path)
    before = Path(ledger.where).read_bytes()
    head = ledger.verify().hash
    said = dict(ledger.facts())["not charged yet"]
    assert "privior 0.2 charged too little for 2 earlier spends" in said
    assert "nothing will be granted" in said
    with pytest.raises(pv.BudgetExceededError):
        ledger.check(pure)
    assert ledger.history().entries[-1].hash == head
    assert Path(ledger.where).read_bytes() == before


def test_a_ledger_over_its_cap_grants_nothing(waiting: Plan, pure: Plan, tmp_path: Path) -> None:
    """300 releases at (0.1, 1e-2) were granted within (1, 1e-5): the truth is delta(1) = .443."""
    ledger = opened("lost", tmp_path)
    for plan in (waiting, pure, waiting):
        with pytest.raises(pv.BudgetExceededError):
            ledger.spend(plan)
    assert [entry.kind for entry in ledger.entries()].count(EntryKind.SPENT) == 3


def test_other_sums_need_no_correction(waiting: Plan, tmp_path: Path) -> None:
    for accounting in ("basic", "renyi"):
        place = tmp_path / f"{accounting}.ledger"
        ledger = pv.Ledger.create(place, population="garden", epsilon=4, delta="0.1", accounting=accounting)
        ledger.spend(waiting)
        assert [entry.kind for entry in ledger.entries()] == [EntryKind.OPENED, EntryKind.SPENT]


def test_an_interrupted_correction_is_made_whole(pure: Plan, tmp_path: Path) -> None:
    """All corrections are one transaction: there are none, or all."""
    ledger = opened("kept", tmp_path)
    connection = sqlite3.connect(ledger.where)
    connection.execute(
        "CREATE TRIGGER second BEFORE INSERT ON entries WHEN NEW.number = 7 "
        "BEGIN SELECT RAISE(ABORT, 'power cut'); END"
    )
    connection.commit()
    count = len(list(ledger.entries()))
    assert count == 6
    with pytest.raises(pv.LedgerError):
        ledger.spend(pure, analyst="ann")
    assert len(list(ledger.entries())) == count
    connection.execute("DROP TRIGGER second")
    connection.commit()
    connection.close()
    ledger.spend(pure, analyst="ann")
    assert ledger.verify().number == count + 2


def test_the_old_release_is_read_and_reviewed(pure: Plan, tmp_path: Path) -> None:
    release = pv.Release.read(FORGETFUL / "waiting.json")
    assert pv.infer(release).mean() > 0
    ledger = opened("kept", tmp_path)
    alone = {check.name: check for check in review(release).checks}
    assert "too little" in alone["charged"].says
    before = {check.name: check for check in review(release, ledger).checks}
    assert before["ledger"].verdict is Outcome.FAILS
    ledger.spend(pure, analyst="ann")
    after = {check.name: check for check in review(release, ledger).checks}
    assert after["ledger"].verdict is Outcome.HOLDS
    assert "its correction" in after["ledger"].says


def test_only_that_version_may_have_paid_too_little(tmp_path: Path) -> None:
    text = (FORGETFUL / "waiting.json").read_text().replace('"library": "0.2.0"', '"library": "0.3.0"')
    with pytest.raises(pv.ReleaseError, match="does not add up"):
        pv.Release.from_json(text)


def test_the_same_key_gives_the_old_release(waiting: Plan, tmp_path: Path) -> None:
    ledger = opened("kept", tmp_path)
    assert ledger.replay(waiting, key="again", analyst="bob") is not None
    assert len(ledger.uncharged()) == 2


def test_a_lost_spend_whose_sums_may_be_too_small_fills_the_cap(tmp_path: Path) -> None:
    release = pv.Release.read(FORGETFUL / "waiting.json")
    known = release.receipt.known(release.plan, release.library)
    accounting = release.receipt.accounting
    assert known is not None
    assert accounting is not None
    assert known.price == known.total_at_most == accounting.limits()
    older = pv.Ledger.create(
        tmp_path / "older.ledger", population="garden", epsilon=4, delta="1e-5", accounting="concentrated"
    )
    older.reconcile([known])
    assert older.last().total == accounting.limits()


def test_waiting_times_are_granted_five_times_not_three_hundred() -> None:
    schema = pv.Schema({"wait": pv.Bounded(0, 120, grid="0.5")}, population="clinic", unit="patient")
    plan = pv.plan(
        pv.GammaExponential("wait", pv.Gamma(3, 2)),
        schema,
        records=200,
        epsilon="0.1",
        delta="1e-2",
        mechanism=pv.NoisyStatistics,
    )
    ledger = pv.Ledger.in_memory(population="clinic", epsilon=1, delta="1e-5", accounting="concentrated")
    for _ in range(5):
        ledger.spend(plan)
    with pytest.raises(pv.BudgetExceededError):
        ledger.spend(plan)


def test_an_attempt_to_release_corrects_the_ledger_and_says_so(tmp_path: Path) -> None:
    """From the command line too, whether or not the release is granted."""
    (tmp_path / "fruit.csv").write_text("fruit\n" + "apple\n" * 40)
    model = pv.DirichletCategorical("fruit", prior=1)
    pv.Analysis(GARDEN, model, 40, pv.Budget.of("0.01")).write(tmp_path / "fruit.toml")
    for name, code, says in (("kept", 0, "charged too little for 2"), ("lost", 5, "nothing will be granted")):
        ledger = opened(name, tmp_path)
        shown = json.loads(run(["ledger", "show", f"{name}.ledger", "--json"], tmp_path).output)
        assert len(shown["uncharged"]) == 2
        assert says in run(["ledger", "verify", f"{name}.ledger"], tmp_path).errors
        asked = ["release", "fruit.toml", "fruit.csv", "-l", f"{name}.ledger", "-o", f"{name}.json", "--yes"]
        ended = run([*asked, "--no-report", *(["--analyst", "ann"] if name == "kept" else [])], tmp_path)
        assert ended.code == code
        assert says in " ".join(ended.errors.split())
        assert [entry.kind for entry in ledger.entries()].count(EntryKind.CORRECTED) == 2
        assert ledger.uncharged() == []


def test_a_ledger_can_be_corrected_without_a_spend(tmp_path: Path) -> None:
    ledger = opened("kept", tmp_path)
    ended = run(["ledger", "correct", "kept.ledger"], tmp_path)
    assert ended.code == 0
    assert "charged for correction of entry 3: rho 0.00" in ended.output
    assert "Nothing charged" in run(["ledger", "correct", "kept.ledger"], tmp_path).output
    assert ledger.verify().kind is EntryKind.CORRECTED


def test_a_correction_is_not_taken_for_the_spend_that_was_interrupted(
    waiting: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = opened("kept", tmp_path)
    start = ledger.last().number
    ledger.correct()
    assert Charge(waiting, ledger)._entry_since(start) is None


def test_an_entry_that_stands_for_spends_nobody_knows_takes_the_whole_cap(pure: Plan, tmp_path: Path) -> None:
    """Twenty spends were charged again by one of their releases: its plan says nothing about the others."""
    ledger = opened("reconciled", tmp_path)
    with pytest.raises(pv.BudgetExceededError):
        ledger.spend(pure)
    made = [entry for entry in ledger.entries() if entry.kind is EntryKind.CORRECTED]
    assert made[0].price == ledger.last().accounting.limits()
    assert not ledger.last().accounting.admits(ledger.verify().total)


def test_groups_of_two_columns_were_charged_rightly(tmp_path: Path) -> None:
    ledger = opened("groups", tmp_path)
    assert ledger.uncharged() == []
    assert ledger.verify().spends == 1
