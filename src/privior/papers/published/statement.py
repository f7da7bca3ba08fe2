"""A published statement on privacy or error: its number as printed, our verdict, what is exact instead."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from privior.privacy.pairs import DominatingPair


class Verdict(Enum):
    """What became of a statement when it was checked."""

    #: it holds, and cannot be improved in general
    SOUND = "sound"
    #: it holds, and a smaller number is true as well
    LOOSE = "loose"
    #: it fails as printed: it covers cases in which the truth is worse, this one or one next to it
    FALSE = "false"
    #: it holds, and says nothing: every mechanism has it, or nothing satisfies its assumptions
    VACUOUS = "vacuous"


@dataclass(frozen=True)
class Paper:
    """Where a statement was printed; authors and year as far as the paper itself says."""

    title: str
    authors: str = ""
    year: int | None = None

    def __str__(self) -> str:
        known = ", ".join(part for part in (self.authors, self.title) if part)
        return known if self.year is None else f"{known} ({self.year})"

    def states(
        self,
        place: str,
        formula: str,
        quantity: str,
        value: float,
        judged: tuple[Verdict, str],
        exact: DominatingPair | None = None,
        better: float | None = None,
    ) -> Published:
        """Return one of the paper's statements, applied to one case: see `Published`."""
        return Published(self, place, formula, quantity, value, *judged, exact, better)


@dataclass(frozen=True)
class Published:
    """One statement, applied to one case.

    Attributes:
        paper: where it was printed
        place: its number there
        formula: the printed formula, in our notation
        quantity: what the number is: an epsilon, a delta, a Renyi divergence, a distance, a chance
        value: the printed formula at this case, rounded up if it is about privacy
        verdict: whether it can be relied on in this case
        reason: why, in a sentence
        exact: the pair that is exact or best in this case; None if there is none
        better: the same quantity from that pair, from the exact law or from a better proof; None if there
            is none
    """

    paper: Paper
    place: str
    formula: str
    quantity: str
    value: float
    verdict: Verdict
    reason: str
    exact: DominatingPair | None = None
    better: float | None = None

    def __str__(self) -> str:
        instead = "" if self.better is None else f", against {self.better:.10g}"
        return (
            f"{self.place}: {self.quantity} {self.value:.10g}{instead}: {self.verdict.value}; {self.reason}"
        )
