"""The report in a real browser: no error, no request, readable on a phone and on paper."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.testing.small_tables import statistics

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "no browser found: `make test` installs Debian's chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def of_a_table(folder: Path) -> pv.Release:
    """A joint table with long names, under a budget that was used before."""
    schema = pv.acs_schema()
    ledger = pv.Ledger.create(folder / "l", population=schema.population, epsilon=1)
    for columns in ("sex", ("sex", "education")):
        plan = pv.plan(
            pv.DirichletCategorical(columns, prior=1), schema, records=pv.ACS_RECORDS, epsilon="0.1"
        )
        release = pv.measure(plan, pv.acs_table(), ledger=ledger)
    return release


def of_a_regression(folder: Path) -> pv.Release:
    """Coefficients in tens of thousands, some below 0."""
    columns = {"income": pv.Integer(0, 100_000), "age": pv.Integer(18, 90)}
    schema = pv.Schema(
        {**columns, "sex": pv.Categorical(["male", "female"])}, population="town", unit="person"
    )
    rng, people = np.random.default_rng(3), 3000
    age, sex = rng.integers(18, 91, people), rng.integers(2, size=people)
    income = 5_000 + 700 * age + 12_000 * sex - 250 * sex * age + rng.normal(0, 8_000, people)
    codes = np.column_stack([np.clip(income.round().astype(int), 0, 100_000), age - 18, sex])
    model = pv.LinearRegression("income ~ age + sex + age:sex")
    plan = pv.plan(model, schema, records=people, epsilon=1, delta="1e-6")
    ledger = pv.Ledger.create(folder / "l", population="town", epsilon=2, delta="1e-5")
    exact = ExactStatistics(statistics(model, schema, pv.REPLACE_ONE, codes))
    return measure_statistics(plan, exact, ledger=ledger)


@pytest.fixture(scope="module", params=[of_a_table, of_a_regression], ids=["table", "regression"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a release."""
    folder = tmp_path_factory.mktemp("report")
    pv.write_report(request.param(folder), folder / "report.html")
    return folder / "report.html"


def opened(browser: Browser, report: Path, width: int) -> tuple[Page, list[str], list[str]]:
    page = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    page.goto(report.as_uri())
    return page, said, requested


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_opens_without_an_error_or_a_request(browser: Browser, report: Path, width: int) -> None:
    page, said, requested = opened(browser, report, width)
    assert said == []
    assert requested == [report.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_everything_is_legible_on_a_phone(browser: Browser, report: Path) -> None:
    page, _, _ = opened(browser, report, 360)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('.privior *')]
        .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
        .filter(e => !['STYLE', 'TITLE'].includes(e.tagName.toUpperCase()))
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert len(sizes) > 100
    assert min(sizes) >= 11
    outside = page.evaluate(
        """() => [...document.querySelectorAll('.privior svg text')]
        .filter(e => { const box = e.getBoundingClientRect();
                       return box.left < -1 || box.right > innerWidth + 1; }).map(e => e.textContent)"""
    )
    assert outside == []
    touching = page.evaluate(
        """() => [...document.querySelectorAll('.privior .cells svg')].flatMap(svg => {
            const boxes = [...svg.querySelectorAll('text')]
                .map(e => [e.textContent, e.getBoundingClientRect()])
                .sort((a, b) => a[1].left - b[1].left);
            const near = boxes.slice(1).filter((b, k) => b[1].left < boxes[k][1].right + 4);
            return near.map(b => b[0]);
        })"""
    )
    assert touching == []
    drawn = page.evaluate(
        "() => [...document.querySelectorAll('svg[role=img]')]"
        ".every(e => e.getBoundingClientRect().width > 150)"
    )
    assert drawn
    page.close()


def test_pictures_have_words_for_those_who_do_not_see_them(browser: Browser, report: Path) -> None:
    page, _, _ = opened(browser, report, 1280)
    unnamed = page.evaluate("() => document.querySelectorAll('svg[role=img]:not([aria-label])').length")
    assert unnamed == 0
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("h1").count() == 1
    page.close()


def test_it_prints(browser: Browser, report: Path, tmp_path: Path) -> None:
    page, _, _ = opened(browser, report, 1280)
    page.emulate_media(media="print")
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 2 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 8
    page.close()


def test_a_planted_request_is_noticed(browser: Browser, report: Path, tmp_path: Path) -> None:
    """The guards above can fail: a page with an image from elsewhere and a script breaks both."""
    spoilt = report.read_text().replace(
        "default-src &#x27;none&#x27;", "default-src * &#x27;unsafe-inline&#x27;", 1
    )
    planted = tmp_path / "planted.html"
    planted.write_text(
        spoilt.replace(
            "<h1>", "<img src='http://127.0.0.1:9/x.png'><script>console.log('hi')</script><h1>", 1
        )
    )
    page, said, requested = opened(browser, planted, 360)
    assert "hi" in said
    assert len(requested) == 2
    page.close()
