"""What a forecast says of a regression: how far predictions will be off, and how wide intervals will be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

#: of so many coefficients a plan tells the widths in words
_TOLD = 8


@final
@dataclass(frozen=True)
class CoefficientsForecast:
    """Typical distances between what is inferred of a regression and what is true.

    Attributes:
        width: of the 90% interval of what a feature adds, average over the features
        error: root of the expected squared error of predicted means
        widths: of the 90% interval of each coefficient, by its name, in units of the columns
    """

    width: float
    error: float
    widths: tuple[tuple[str, float], ...]

    @property
    def measures(self) -> dict[str, float]:
        """The distances by the names that people read."""
        return {"90% width": self.width, "error": self.error}

    @property
    def told(self) -> str:
        """The widths of the first coefficients, in words."""
        some = ", ".join(f"{name} {width:.3g}" for name, width in self.widths[:_TOLD])
        more = f"; {len(self.widths) - _TOLD} more in the document" if len(self.widths) > _TOLD else ""
        return f"90% intervals about so wide, each in its own unit: {some}{more}"

    def to_document(self) -> dict[str, object]:
        """Write the distances as plain values."""
        return {"width": self.width, "error": self.error, "widths": dict(self.widths)}
