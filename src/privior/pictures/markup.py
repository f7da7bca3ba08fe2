"""Markup: HTML that was built, not pasted. Whatever is not `Markup` already is escaped, so no column or
level name can become a tag, an attribute or a script."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence

from privior.pictures.label import clean
from privior.pictures.style import PAGE_STYLE, STYLE

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_LINK = re.compile(r"https?://|#|data:,|data:image/png;base64,")
_FORBIDDEN = frozenset({"base", "embed", "iframe", "object", "script"})
#: elements that never have content, and shapes that need none: HTML and XML both let them end in a slash
_VOID = frozenset({"br", "hr", "img", "link", "meta"})
_SHAPES = frozenset({"circle", "line", "rect"})
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Markup(str):
    """Text that is markup already. Only what this part builds should be; adding to it gives plain text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return fragment(self)


def element(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """Build one element. Attributes are escaped, and so are children that are not `Markup`.

    Args:
        name: the tag; scripts and frames are refused
        children: text, or markup
        attributes: `class_` is written as class, `aria_label` as aria-label; None leaves one out

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    if not _NAME.fullmatch(name) or name.lower() in _FORBIDDEN:
        raise ValueError(f"not an element that a picture may hold: {name!r}")
    if children and name in _VOID:
        raise ValueError(f"{name} has no content")
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if not children and name in _VOID | _SHAPES:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    """Put parts one after the other, escaping those that are not markup."""
    return Markup("".join(part if isinstance(part, Markup) else _escaped(part) for part in parts))


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Build a list of named facts."""
    rows = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *rows, class_="facts")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Collection[int] = ()) -> Markup:
    """Build a table that scrolls in its own box where it is too wide.

    Args:
        header: one text per column
        rows: the cells, the first of each row being its name
        numeric: the columns, counted from 0, whose cells are numbers
    """
    kinds = ["number" if i in numeric else None for i in range(len(header))]
    head = (element("th", text, class_=kind, scope="col") for text, kind in zip(header, kinds, strict=True))
    body = []
    for row in rows:
        cells = [element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)]
        body.append(element("tr", element("th", row[0], class_=kinds[0], scope="row"), *cells[1:]))
    whole = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return element("div", whole, class_="scroll", tabindex=0)


def fragment(*children: str) -> Markup:
    """Build a part of somebody else's page, such as a notebook, with a style that touches nothing else."""
    return element("div", element("style", Markup(STYLE)), *children, class_="privior")


def page(title: str, *children: str) -> str:
    """Build a whole document that asks for nothing from anywhere and runs nothing.

    Args:
        title: the name of the page and its first heading
        children: what follows the heading
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", Markup(PAGE_STYLE + STYLE)),
    )
    body = element("body", element("main", element("h1", title), *children, class_="privior"))
    return "<!DOCTYPE html>\n" + element("html", head, body, lang="en") + "\n"


def _escaped(text: str) -> str:
    return html.escape(clean(text, keep="\n\t"), quote=True)


def _attribute(key: str, value: str | float) -> str:
    name = key.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.lower().startswith("on"):
        raise ValueError(f"not an attribute that a picture may hold: {key!r}")
    if name.lower() in ("href", "src") and not _LINK.match(str(value)):
        raise ValueError(f"not an address that a picture may name: {value!r}")
    return f' {name}="{_escaped(str(value))}"'
