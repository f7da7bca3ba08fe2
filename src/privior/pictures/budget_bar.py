"""A bar of a budget: spent before, spent by this release, left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from privior.pictures import legend, svg
from privior.pictures.label import clean, for_matplotlib, wrapped
from privior.pictures.legend import Entry
from privior.pictures.markup import Markup, element
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import key, sheet
from privior.pictures.style import LEFT, SPENT, VERMILLION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIGNS, _COLOURS = "█▓░", (SPENT, VERMILLION, LEFT)


@dataclass(frozen=True)
class BudgetBar(Picture):
    """A budget as one bar of three parts. Lengths follow the exact numbers; the words are the caller's.

    Attributes:
        before: spent so far, without this release
        this: spent by this release; 0 for a ledger alone
        cap: the whole budget
        title: whose budget it is
        note: the line under the bar
        what: what is counted, such as epsilon
        before_label: `before` as written; likewise the others. Left empty, a Fraction is written as such
    """

    before: Fraction
    this: Fraction
    cap: Fraction
    title: str
    note: str = ""
    what: str = "epsilon"
    before_label: str = ""
    this_label: str = ""
    left_label: str = ""
    cap_label: str = ""

    def __post_init__(self) -> None:
        if not all(isinstance(amount, (Fraction, int)) for amount in (self.before, self.this, self.cap)):
            raise ValueError("a budget bar is drawn from exact numbers")
        if min(self.before, self.this, self.left) < 0:
            raise ValueError("a budget bar shows amounts that are not negative and within the cap")

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self.cap - self.before - self.this

    @property
    def _parts(self) -> list[tuple[int, Entry]]:
        """The parts that are not empty, by their number; what is left is always named."""
        amounts = (self.before, self.this, self.left)
        given = (self.before_label, self.this_label, self.left_label)
        words = ("spent before" if self.this else "spent", "this release", "left")
        return [
            (i, Entry(f"{words[i]} {given[i] or amounts[i]}", _SIGNS[i], _COLOURS[i], shape="block"))
            for i in range(3)
            if amounts[i] or i == 2
        ]

    @property
    def _total(self) -> str:
        return f"{self.what} {self.cap_label or self.cap} in all"

    def lengths(self, whole: int, least: int = 1) -> tuple[int, int, int]:
        """Divide a bar of `whole` steps: no part that is not empty is shorter than `least` steps."""
        if not self.cap:
            return 0, 0, 0
        amounts = (self.before, self.this, self.left)
        steps = [max(least, round(amount / self.cap * whole)) if amount else 0 for amount in amounts]
        steps[steps.index(max(steps))] += whole - sum(steps)
        return steps[0], steps[1], steps[2]

    def _places(self, whole: int) -> list[tuple[int, int]]:
        first, second, third = self.lengths(whole, max(1, whole // 150))
        return [(0, first), (first, second), (first + second, third)]

    def figure(self) -> Figure:
        """Return the bar as a matplotlib figure."""
        figure, axes = sheet(1.5, f"{self.title}: {self._total}", [self.note])
        places = self._places(1500)
        for i, entry in self._parts:
            start, length = places[i]
            axes.barh(0, length, left=start, color=entry.colour, label=for_matplotlib(entry.words, 60))
        axes.set_xlim(0, 1500)
        axes.set_ylim(-0.4, 0.4)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set(visible=True, color=SPENT)
        key(figure, 3)
        return figure

    def html(self) -> Markup:
        """Return the bar as markup."""
        places = self._places(3000)
        marks = []
        for i, entry in self._parts:
            start, length = (svg.percent(steps / 3000) for steps in places[i])
            tip = element("title", entry.words)
            marks.append(element("rect", tip, x=start, width=length, height="100%", fill=entry.colour))
        frame = element("rect", width="100%", height="100%", fill="none", stroke=SPENT)
        about = ", ".join([*(entry.words for _, entry in self._parts), self._total])
        return element(
            "figure",
            element("figcaption", f"{self.title}: {self._total}"),
            svg.drawing(28, *marks, frame, about=about),
            legend.html([entry for _, entry in self._parts]),
            *([element("p", self.note, class_="note")] if self.note else []),
            class_="budget keep",
        )

    def text(self, width: int = 72) -> str:
        """Return the bar as lines of text."""
        width = max(width, LEAST_WIDTH)
        lengths = self.lengths(width)
        bar = "".join(sign * length for sign, length in zip(_SIGNS, lengths, strict=True))
        lines = wrapped([clean(f"{self.title}: {self._total}")], width)
        lines += ["", bar or "░" * width, *legend.text([entry for _, entry in self._parts], width)]
        return "\n".join([*lines, *(wrapped([clean(self.note)], width) if self.note else [])])
