"""The page of evidence shows what is stored, and marks what is stale."""

from __future__ import annotations

import page
import record


def test_the_page_is_what_is_stored() -> None:
    assert page.PAGE.read_text("utf-8") == page.render(record.load()), "run make pages"


def test_a_change_of_the_sources_makes_evidence_stale() -> None:
    found = record.load()
    assert found
    old = record.Evidence(**{**vars(found[0]), "sources": "0" * 64})
    assert old.stale
    assert "**stale**" in page.render([old])
