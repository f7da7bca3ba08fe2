"""Pictures and hostile words that the tests of all pictures share."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

from privior.pictures import BudgetBar, Density, ErrorCurve, IntervalChart, NetworkChart, Picture, SplitBars
from privior.pictures.markup import element

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "' onmouseover='alert(1)",
    "]]><b>",
    "&amp;&#60;script&#62;",
    "a\x00b\x1b[31mred\x07",
    "\u202egnp.exe",
    "two\nlines\r\nand\ta tab\u2028and\u0085more",
    "lone \ud800 surrogate \uffff",
    "$\\frac{1}{2}$ $x$ $",
    "</style></title>--><!--",
    "",
    "x" * 500,
)


def pictures(word: str) -> list[Picture]:
    """Every kind of picture, with one word wherever words go."""
    return [
        IntervalChart(
            [word, "other"], [0.2, 0.8], [(0.1, 0.3), (0.7, 0.9)], [(0.15, 0.25), (0.75, 0.85)], word, word
        ),
        ErrorCurve([0.1, 1], {word: [0.5, 0.1]}, word, word, 1, {word: 0.3}, word, word, word),
        BudgetBar(Fraction(1, 4), Fraction(1, 2), Fraction(1), word, word, word, word, word, word, word),
        SplitBars([word, "other"], [0.2, 0.1], [0.1, 0.3], word, word),
        NetworkChart([word, "child"], [(), (0,)], [0.1, 0.3], [0.2, 0.8], [False, True], word, word),
        Density([0.1, 0.2, 0.3], [0.5, 2, 0.5], [0, 3, 0], (0.15, 0.25), word, word, word),
    ]


def elements(markup: str) -> list[ElementTree.Element]:
    """Parse markup as XML, which is stricter than HTML, and list its elements."""
    return list(ElementTree.fromstring(element("div") if not markup else f"<div>{markup}</div>").iter())
