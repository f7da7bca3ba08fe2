"""Legends: which mark means what, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privior.pictures.label import clean, wrapped
from privior.pictures.markup import Markup, element
from privior.pictures.style import PAPER, SPENT


@dataclass(frozen=True)
class Entry:
    """One mark of a picture: its meaning, its sign in plain text and its colour and shape in a drawing.

    Attributes:
        words: the meaning
        sign: the character that stands for it
        colour: of the mark
        shape: "line", "block" or "ring"
        thickness: of a line, in pixels
        dashes: of a line, as in SVG; None for a solid one
    """

    words: str
    sign: str
    colour: str
    shape: str = "line"
    thickness: float = 2
    dashes: str | None = None

    @property
    def stroke(self) -> dict[str, str | float | None]:
        """How SVG draws the line."""
        return {"stroke": self.colour, "stroke_width": self.thickness, "stroke_dasharray": self.dashes}

    def html(self) -> Markup:
        """Return the mark with its meaning."""
        if self.shape == "ring":
            mark = element("circle", cx=11, cy=6, r=4, fill=PAPER, stroke=self.colour, stroke_width=2)
        elif self.shape == "block":
            mark = element("rect", x=4, width=14, height=12, fill=self.colour, stroke=SPENT)
        else:
            mark = element("line", x2=22, y1=6, y2=6, **self.stroke)
        return element("li", element("svg", mark, width=22, height=12, aria_hidden="true"), self.words)


def html(entries: Sequence[Entry]) -> Markup:
    """Return a legend as markup."""
    return element("ul", *(entry.html() for entry in entries), class_="legend")


def text(entries: Sequence[Entry], width: int) -> list[str]:
    """Return a legend as lines of text."""
    return wrapped([f"{entry.sign} {clean(entry.words)}" for entry in entries], width)
