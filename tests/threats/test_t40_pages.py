"""T40: a column or level name becomes markup, a script or an address in a page.

Others: names pasted into templates of reports and notebooks.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from twins import against

import privior as pv
from privior.report import page_of

#: each is more than text wherever it is pasted: in an element, an attribute, a style or a title
NAMES = (
    "<script>xyzzy()</script>",
    '"><img src=x onerror=xyzzy()>',
    "' onmouseover='xyzzy()",
    "</title><script>xyzzy()</script>",
    "</style><script>xyzzy()</script>",
    "</svg><iframe src=javascript:xyzzy()>",
    "<a href='javascript:xyzzy()'>",
    "&lt;script&gt;xyzzy()&lt;/script&gt;",
    "<svg/onload=xyzzy()>",
)


class System(Protocol):
    def pages(self, name: str) -> list[str]:
        """Return all pages about a table whose column, level, population and unit have this name."""


class Reader(HTMLParser):
    """Notes what a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe", "object", "embed", "base", "form", "a"):
            self.faults.append(tag)
        for name, value in attrs:
            address = name in ("href", "src", "xlink:href", "action") and value != "data:,"
            if name.startswith("on") or address:
                self.faults.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.text += data


def attack(system: System) -> None:
    """Read the pages as a browser would: the name is text in them, and nothing else."""
    for name in NAMES:
        for page in system.pages(name):
            reader = Reader()
            reader.feed(page)
            reader.close()
            assert reader.faults == [], f"{name!r} is more than text"
            assert "xyzzy" in reader.text, f"{name!r} is not shown as it is"


class Privior:
    def __init__(self, folder: Path) -> None:
        pass

    def pages(self, name: str) -> list[str]:
        schema = pv.Schema({name: pv.Categorical(["a", name])}, population="xyzzy", unit=name)
        plan = pv.plan(pv.DirichletCategorical(name, prior=1), schema, records=9, epsilon=1)
        ledger = pv.Ledger.in_memory()
        release = pv.measure(plan, pa.table({name: ["a"] * 9}), ledger=ledger)
        posterior = pv.infer(release)
        page = page_of(release, posterior)
        assert "default-src 'none'" in page.replace("&#x27;", "'")
        answer = pv.ask(posterior, "sample 9", seed=1)
        shown = (release, plan, posterior, answer, ledger)
        return [page, *(thing._repr_html_() for thing in shown)]


class Pasted:
    """A template with names pasted into it."""

    def __init__(self, folder: Path) -> None:
        pass

    def pages(self, name: str) -> list[str]:
        return [f"<!DOCTYPE html><title>report</title><h1>{self.written(name)}</h1><p>0.6 to 0.7</p>"]

    def written(self, name: str) -> str:
        return name


class AnglesOnly(Pasted):
    """Escapes angle brackets, and then pastes the name into an attribute."""

    def written(self, name: str) -> str:
        plain = name.replace("<", "&lt;").replace(">", "&gt;")
        return f"<span title='{plain}'>{plain}</span>"


class Filtered(Pasted):
    """Deletes the word script, and trusts the rest."""

    def written(self, name: str) -> str:
        return name.replace("script", "")


test_t40_pages = against(attack)(
    privior={"pages": Privior},
    twins={"pasted": Pasted, "angles only": AnglesOnly, "filtered": Filtered},
)
