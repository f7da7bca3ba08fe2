"""What every picture is: one frozen value with three renderings, for files, for pages and for terminals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from privior.pictures.markup import Markup, fragment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: narrower than this no picture can be drawn with characters
LEAST_WIDTH = 40


class Picture(ABC):
    """A picture as a value. Printing shows its text, a notebook its markup."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return a matplotlib figure that belongs to no window and no global state."""

    @abstractmethod
    def html(self) -> Markup:
        """Return markup for a `page` or a `fragment`, which bring the style."""

    @abstractmethod
    def text(self, width: int = 72) -> str:
        """Return lines of plain text, at most `width` characters wide."""

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return fragment(self.html())
