"""Reviews: what holds, what fails, what stays open."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privior as pv
from privior.exact import decimal
from privior.privacy import Accounting, AccountingKind
from privior.release import LedgerReceipt
from privior.reviews import Outcome


def verdicts(review: pv.Review) -> dict[str, str]:
    return {check.name: check.verdict.value for check in review.checks}


def test_a_release_is_confirmed_by_its_ledger(release_file: Path, ledger: pv.Ledger) -> None:
    found = pv.review(pv.Release.read(release_file), ledger)
    assert found.passed
    assert verdicts(found)["ledger"] == "holds"
    assert verdicts(found)["enumeration"] == "holds"
    assert found.to_document()["passed"] is True


def test_without_a_ledger_that_stays_open(release_file: Path) -> None:
    found = pv.review(pv.Release.read(release_file))
    assert found.passed
    assert verdicts(found)["ledger"] == "open"


def test_another_plan_or_entry_fails(release_file: Path, plan: pv.Plan, ledger: pv.Ledger) -> None:
    release = pv.Release.read(release_file)
    moved = replace(release, paid=replace(release.receipt, head="0" * 64))
    assert verdicts(pv.review(moved, ledger))["ledger"] == "FAILS"
    later = replace(release, paid=replace(release.receipt, entry=7))
    assert verdicts(pv.review(later, ledger))["ledger"] == "FAILS"
    half = (Fraction(1, 2), Fraction(0))
    cheaper = replace(release, plan=plan.at("0.5"), paid=replace(release.receipt, price=half, total=half))
    assert verdicts(pv.review(cheaper, ledger))["ledger"] == "FAILS"


def test_a_trial_fails(plan: pv.Plan, table: Path) -> None:
    found = pv.review(pv.measure(plan, table, ledger=pv.Ledger.in_memory()))
    assert not found.passed
    assert verdicts(found)["charged"] == "FAILS"


@pytest.mark.parametrize(
    "kind", [pv.KNorm, pv.LaplaceCounts, pv.LSHist, pv.LSDim, pv.GaussianCounts, pv.EHD, pv.EHDS, pv.EHDL]
)
def test_every_mechanism_can_be_reviewed(kind: type, plan: pv.Plan, table: Path) -> None:
    other = pv.plan(plan.model, plan.schema, records=100, epsilon=1, delta="1e-6", mechanism=kind)
    found = pv.review(pv.measure(other, table, ledger=pv.Ledger.in_memory()))
    assert verdicts(found)["enumeration"] == "holds"
    wide = pv.plan(plan.model, plan.schema, records=100, epsilon="0.01", delta="1e-6", mechanism=kind)
    found = pv.review(pv.measure(wide, table, ledger=pv.Ledger.in_memory()))
    assert verdicts(found)["enumeration"] == ("open" if kind is pv.GaussianCounts else "holds")


def test_totals_that_the_ledger_does_not_know_fail(release_file: Path, ledger: pv.Ledger) -> None:
    release = pv.Release.read(release_file)
    larger = Accounting(AccountingKind.BASIC, pv.Budget.of(1000, "1e-3"))
    forged = replace(release, paid=replace(release.receipt, accounting=larger))
    assert verdicts(pv.review(forged, ledger))["ledger"] == "FAILS"
    with pytest.raises(pv.ReleaseError, match="does not add up"):
        replace(release, paid=replace(release.receipt, total=(Fraction(1, 2), Fraction(0))))


def test_another_population_is_named(release_file: Path, tmp_path: Path) -> None:
    other = pv.Ledger.create(tmp_path / "o", population="forest", epsilon=1)
    found = pv.review(pv.Release.read(release_file), other)
    assert "forest" in str(found)
    assert not found.passed
    assert "FAILED" in repr(found)


def test_a_broken_law_fails_the_enumeration(release_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: half the noise that the guarantee states."""
    release = pv.Release.read(release_file)
    real = pv.KNorm.log_likelihood

    def louder(self: pv.KNorm, observed: object, statistics: object) -> float:
        return real(pv.KNorm(self.cells, 2 * self.epsilon), observed, statistics)  # type: ignore[arg-type]

    monkeypatch.setattr(pv.KNorm, "log_likelihood", louder)
    found = pv.review(release)
    assert not found.passed
    assert any(check.name == "enumeration" and check.verdict is Outcome.FAILS for check in found.checks)


def test_a_price_or_a_predecessor_that_the_ledger_does_not_know_fails(
    release_file: Path, plan: pv.Plan, table: Path, ledger: pv.Ledger
) -> None:
    release = pv.measure(plan, table, ledger=ledger)
    for facts in ({"price": release.receipt.total}, {"previous": "0" * 64}):
        forged = replace(release, paid=replace(release.receipt, **facts))
        assert verdicts(pv.verify(forged, ledger))["ledger"] == "FAILS"
    assert pv.verify(release, ledger).passed


def test_a_release_for_a_spend_that_was_cut_off_fails(
    release_file: Path, plan: pv.Plan, ledger: pv.Ledger
) -> None:
    cut_off = ledger.spend(plan)
    forged = replace(
        pv.Release.read(release_file),
        paid=LedgerReceipt.of(cut_off, durable=True),
        read_digest=None,
    )
    found = verdicts(pv.verify(forged, ledger))
    assert found["ledger"] == "holds"
    assert found["bytes"] == "FAILS"


def test_a_theorem_that_the_plan_does_not_have_fails(
    release_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan's is shown; the file's own words fail the check, with a ledger or without."""
    text = release_file.read_text()
    reason = pv.Release.read(release_file).plan.guarantee.reason
    forged = pv.Release.from_json(text.replace(reason, "NIST approved"))
    for look in (pv.review, pv.verify):
        found = look(forged)
        assert verdicts(found)["claim"] == "FAILS"
        assert not found.passed
        assert look(pv.Release.from_json(text)).passed
    assert "NIST" not in str(forged)
    assert "NIST" not in forged.to_json()
    for bad in ('"reason": 3', '"reason": ""', '"reason": "' + "x" * 30_000 + '"'):
        with pytest.raises(pv.ReleaseError, match="no words"):
            pv.Release.from_json(text.replace(f'"reason": "{reason}"', bad))
    monkeypatch.setattr("privior.release.wordings.EARLIER", {"k-norm": ("NIST .*",)})
    assert pv.verify(forged).passed
    monkeypatch.setattr("privior.release.release.known_words", lambda *_: True)  # the planted fault
    assert pv.verify(forged).passed


def test_every_number_of_a_stated_guarantee_is_compared(release_file: Path) -> None:
    document = json.loads(release_file.read_text())
    for name, other in (
        ("epsilon", "0.5"),
        ("delta", "0.1"),
        ("neighbours", "add-or-remove-one"),
        ("unit", "household"),
    ):
        forged = {**document, "guarantee": {**document["guarantee"], name: other}}
        with pytest.raises(pv.ReleaseError, match="not that of the plan"):
            pv.Release.from_json(json.dumps(forged))


def _concentrated(tmp_path: Path, plan: pv.Plan, table: Path, spends: int) -> dict[str, Any]:
    book = pv.Ledger.create(
        tmp_path / "c.ledger", population="orchard", epsilon=3, delta="1e-6", accounting="concentrated"
    )
    texts = [pv.measure(plan, table, ledger=book).to_json() for _ in range(spends)]
    document: dict[str, Any] = json.loads(texts[-1])
    assert pv.verify(pv.Release.from_json(texts[-1])).passed
    return document


def test_a_limit_that_does_not_follow_from_the_cap_fails_without_a_ledger(
    plan: pv.Plan, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = plan.at("0.1")
    document = _concentrated(tmp_path, small, table, 1)
    limit = Fraction(document["ledger"]["accounting"]["limit"])
    for share in ("0.9", "0.9999"):
        document["ledger"]["accounting"]["limit"] = decimal(limit * Fraction(share))
        forged = pv.Release.from_json(json.dumps(document))
        for look in (pv.review, pv.verify):
            assert verdicts(look(forged))["receipt"] == "FAILS"
    monkeypatch.setattr(LedgerReceipt, "doubt", property(lambda receipt: None))  # the planted fault
    assert pv.verify(forged).passed


def test_a_first_entry_that_was_not_the_first_spend_fails_without_a_ledger(
    plan: pv.Plan, table: Path, tmp_path: Path
) -> None:
    """Entry 0 opens a ledger, so what entry 1 cost is all that was spent by then."""
    document = _concentrated(tmp_path, plan.at("0.1"), table, 2)
    assert document["ledger"]["entry"] == 2
    document["ledger"]["entry"] = 1
    assert verdicts(pv.verify(pv.Release.from_json(json.dumps(document))))["receipt"] == "FAILS"
    document["ledger"] |= {"entry": 2, "previous": document["ledger"]["head"]}
    assert verdicts(pv.verify(pv.Release.from_json(json.dumps(document))))["receipt"] == "FAILS"


def test_what_cannot_be_known_without_a_ledger_is_named(release_file: Path, ledger: pv.Ledger) -> None:
    """Another identifier is found by the ledger alone: the words say so."""
    release = pv.Release.read(release_file)
    other = pv.Release.from_json(release_file.read_text().replace(release.identifier, "0" * 32))
    found = pv.verify(other)
    assert verdicts(found)["ledger"] == verdicts(found)["bytes"] == "open"
    says = " ".join(check.says for check in found.checks if check.verdict is Outcome.OPEN)
    for name in ("id", "entry", "head", "cap", "total"):
        assert name in says.replace(",", " ").split()
    assert verdicts(pv.verify(other, ledger))["bytes"] == "FAILS"
    assert verdicts(pv.verify(release, ledger))["bytes"] == "holds"
