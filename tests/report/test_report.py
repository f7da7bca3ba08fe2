"""The report: what it says, what it must not hold, and that it is the same for everybody."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import privior as pv
from privior.report import page_of


@pytest.fixture
def release(release_file: Path) -> pv.Release:
    return pv.Release.read(release_file)


def test_it_says_what_a_reader_needs(release: pv.Release, release_file: Path) -> None:
    page = page_of(release)
    text = re.sub(r"<[^>]+>", " ", page)
    for words in (
        "What follows from the release",
        "from the privacy noise",
        "ends at most 73.2% sure",
        "What epsilon buys",
        "Budget of orchard: epsilon 10 in all",
        "this release 1",
        "What may not be concluded",
        "How to cite",
        "How to verify",
        "privior review",
        release.identifier,
        release.receipt.head,
        hashlib.sha256(release_file.read_bytes()).hexdigest(),
    ):
        assert words in text, words
    assert "WARNING" not in text
    assert "trial" not in text


def test_it_holds_nothing_active_and_nothing_from_elsewhere(release: pv.Release) -> None:
    page = page_of(release)
    assert "default-src &#x27;none&#x27;" in page
    for found in ("<script", "javascript:", "http://", "https://", "@import", "url("):
        assert found not in page
    assert not re.search(r"\son\w+=", page)
    assert not re.search(r"(?:src|href)=\"(?!data:,)", page)
    assert len(page) < 60_000


def test_it_is_the_same_for_everybody(release: pv.Release, tmp_path: Path) -> None:
    pv.write_report(release, tmp_path / "a.html")
    pv.write_report(release, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_trial_says_that_it_is_one(plan: pv.Plan, table: Path) -> None:
    page = page_of(pv.measure(plan, table, ledger=pv.Ledger.in_memory()))
    assert "A trial: the ledger lived in memory only" in page


def test_a_weak_promise_is_called_weak(plan: pv.Plan, table: Path) -> None:
    page = page_of(pv.measure(plan.at(8), table, ledger=pv.Ledger.in_memory()))
    assert "A weak promise: an attacker may end 100% sure" in page
    assert "little can be learned" not in page


def test_with_delta_it_speaks_of_guesses_not_of_belief(plan: pv.Plan, table: Path) -> None:
    gaussian = pv.plan(
        plan.model, plan.schema, records=100, epsilon=1, delta="1e-6", mechanism=pv.GaussianCounts
    )
    page = page_of(pv.measure(gaussian, table, ledger=pv.Ledger.in_memory()))
    assert "is right with probability at most" in page
    assert "sure, whatever comes out" not in page


def test_t40_names_cannot_become_markup(table: Path) -> None:
    evil = "<script>alert(1)</script>"
    schema = pv.Schema(
        {'"><img src=x onerror=alert(1)>': pv.Categorical([evil, "'\" onload=x", "plum"])},
        population=f"orchard{evil}",
        unit=f"person{evil}",
    )
    model = pv.DirichletCategorical('"><img src=x onerror=alert(1)>', prior=1)
    table.write_text('"""><img src=x onerror=alert(1)>"\n' + "plum\n" * 100)
    release = pv.measure(pv.plan(model, schema, records=100, epsilon=1), table, ledger=pv.Ledger.in_memory())
    for page in (
        page_of(release),
        release._repr_html_(),
        release.plan._repr_html_(),
        pv.infer(release)._repr_html_(),
    ):
        assert "<script" not in page
        assert "<img" not in page


def test_files_of_the_first_format_have_a_report_without_a_budget_bar() -> None:
    old = Path(__file__).parent.parent / "compat" / "0.1" / "k-norm.json"
    page = page_of(pv.Release.read(old))
    assert "Budget of" not in page
    assert "What may not be concluded" in page


def test_every_value_shows_itself_in_a_notebook(release: pv.Release, ledger: pv.Ledger) -> None:
    for value in (release, release.plan, ledger, pv.infer(release)):
        shown = value._repr_html_()
        assert shown.startswith('<div class="privior">')
        assert "<svg" in shown
        assert value.plot().axes
