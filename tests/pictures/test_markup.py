"""Markup is built, never pasted: whatever a column is called, it stays text."""

from __future__ import annotations

import html
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures.samples import HOSTILE, elements
from privior.pictures.label import clean
from privior.pictures.markup import Markup, element, facts, fragment, join, page, table


@given(st.text(), st.text())
def test_text_and_attributes_come_back_as_they_were(child: str, attribute: str) -> None:
    built = element("p", child, title=attribute)
    body = built.removeprefix("<p").removesuffix("</p>")
    assert body.count("<") == 0
    assert body.count(">") == 1
    parsed = ElementTree.fromstring(built)
    assert list(parsed) == []
    assert set(parsed.attrib) == {"title"}
    assert (parsed.text or "") == clean(child, keep="\n\t")
    assert html.unescape(built.split('"')[1]) == clean(attribute, keep="\n\t")


@given(st.text())
def test_what_is_computed_from_markup_is_text_again(word: str) -> None:
    pasted = element("b", "x") + word
    assert not isinstance(pasted, Markup)
    assert [found.tag for found in elements(element("p", pasted))] == ["div", "p"]


def test_markup_is_kept_and_attributes_are_always_escaped() -> None:
    assert element("p", element("b", "<")) == "<p><b>&lt;</b></p>"
    assert element("p", title=Markup('"><b>')) == '<p title="&quot;&gt;&lt;b&gt;"></p>'
    assert join(["<", element("br"), element("line", x1="3%")]) == '&lt;<br/><line x1="3%"/>'


def test_attribute_names() -> None:
    assert element("p", class_="a", aria_label="b", id=None) == '<p class="a" aria-label="b"></p>'


@pytest.mark.parametrize("name", ["script", "SCRIPT", "iframe", "object", "a b", "a>", "", "1"])
def test_what_could_run_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an element"):
        element(name)


@pytest.mark.parametrize("name", ["onclick", "onLoad", 'a"b', "a b", "_"])
def test_attributes_that_could_run_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an attribute"):
        element("p", **{name: "x"})


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", " javascript:x", "data:text/html,x", "//evil", "file:///"]
)
def test_addresses_that_could_run_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        element("a", "x", href=address)


def test_a_void_element_has_no_content() -> None:
    with pytest.raises(ValueError, match="no content"):
        element("br", "x")


@pytest.mark.parametrize("word", HOSTILE)
def test_tables_facts_and_pages_hold_hostile_words(word: str) -> None:
    parts = (table([word, "n"], [[word, word]], numeric={1}), facts([(word, word)]))
    tags = {found.tag for part in parts for found in elements(part)}
    assert tags == {"div", "table", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd"}
    whole = page(word, *parts, word)
    whole.encode("utf-8")
    assert whole.count("<style>") == whole.count("</style>") == whole.count("</title>") == 1
    assert "<script" not in whole
    assert "\x00" not in whole
    ElementTree.fromstring(whole)


def test_a_page_asks_for_nothing() -> None:
    whole = page("Report", "text")
    root = ElementTree.fromstring(whole)
    assert whole.startswith('<!DOCTYPE html>\n<html lang="en">')
    policy = root.find("head/meta[@http-equiv='Content-Security-Policy']")
    assert policy is not None
    assert policy.get("content") == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert root.find("head/meta[@charset='utf-8']") is not None
    assert root.find("head/meta[@name='viewport']") is not None
    assert [found.get("href") for found in root.iter() if found.get("href")] == ["data:,"]
    assert "url(" not in whole
    assert "@import" not in whole
    assert root.findtext("body/main/h1") == root.findtext("head/title") == "Report"


def test_a_fragment_styles_only_itself() -> None:
    style = elements(fragment("x"))[2].text or ""
    assert style.count("{") == style.count("}")
    for selectors in (part.split("}")[-1] for part in style.split("{")[:-1]):
        if not selectors.strip().startswith("@"):
            assert all(".privior" in selector for selector in selectors.split(",")), selectors


def test_a_table_says_what_heads_what() -> None:
    written = table(["level", "count"], [["none", "3"]], numeric=[1])
    assert '<th class="number" scope="col">count</th>' in written
    assert '<th scope="row">none</th><td class="number">3</td>' in written
    with pytest.raises(ValueError, match="zip"):
        table(["level", "count"], [["none"]])
