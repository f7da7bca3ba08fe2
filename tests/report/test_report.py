"""The report: what it says, what it must not hold, and that it is the same for everybody."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest

import privior as pv
from privior.models import Model
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


SCHEMA = pv.Schema(
    {
        "sex": pv.Categorical(["f", "m"]),
        "visits": pv.Integer(0, 4),
        "region": pv.Categorical(["north", "south"]),
    },
    population="clinic",
    unit="patient",
)
TABLE = pyarrow.table(
    {"sex": ["f", "m"] * 200, "visits": [0, 1, 2, 4] * 100, "region": ["north", "south"] * 200}
)


def page(model: Model) -> str:
    plan = pv.plan(model, SCHEMA, records=400, epsilon=1)
    return page_of(pv.measure(plan, TABLE, ledger=pv.Ledger.in_memory()))


def test_a_joint_table_shows_its_columns_alone_and_given_each_other() -> None:
    found = page(pv.DirichletCategorical(("sex", "visits")))
    assert "sex, whatever the rest is" in found
    assert "visits, whatever the rest is" in found
    assert "<summary>sex given visits, with 90% intervals</summary>" in found
    assert "true counts above" not in found
    assert "of the next record, from the process behind the table" in re.sub(r"\s+", " ", found)
    for word in ("pure", "k-norm", "replace-one"):
        assert f"<dt>{word}</dt>" in found


def test_one_parameter_has_a_density_and_no_counts() -> None:
    found = page(pv.GammaPoisson("visits", prior=pv.Gamma(2, 1)))
    assert "Where the mean of visits may lie" in found
    assert "true counts" not in found.replace("are the true counts", "")
    assert "units" not in found


def test_a_release_of_a_group_says_whose_it_is() -> None:
    model = pv.DirichletCategorical(("sex",))
    planned = pv.plan(model, SCHEMA, records=400, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE)
    plan = replace(planned, group=pv.Group("region", "north"))
    release = pv.measure(plan, TABLE, ledger=pv.Ledger.in_memory())
    found = page_of(release)
    assert "<title>sex, clinic, region = north</title>" in found
    assert "the records of clinic that have region = north" in found
    assert "only records with region = north" in str(pv.ask(release, "P(sex=f)"))
    assert "only records with region = north" in str(pv.ask(release, "counts()"))
    assert "only records with region = north" in str(pv.infer(release))
