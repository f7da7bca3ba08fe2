"""How long draws take, and how that grows with the cells and the counts: `python benchmarks/draws.py`.

CPU seconds of one draw. The bars: an exactly rounded Dirichlet draw of a thousand cells 2, whatever the
counts; K-norm noise for 100,000 cells 5. The ratios compare a row with that of a tenth of the cells, and with
that of the smallest counts: work in proportion to the cells gives 10, and counts should matter little.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privior.randomness import dirichlet_sticks, k_norm, virtual_counts

PLACES = 53
CELLS, MOST_COUNTS = (10, 100, 1000), (10**3, 10**5, 10**7, 10**9)
NOISY_CELLS = (10**3, 10**4, 10**5)
URN_CELLS, URN_RECORDS = 100, (10**3, 10**4)


@dataclass(frozen=True)
class Timing:
    """CPU seconds of some draws, the bar if there is one, and what each took in other rows."""

    name: str
    seconds: list[float]
    bar: float | None = None
    fewer_cells: float | None = None
    smaller_counts: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def line(self) -> str:
        ratios = [
            "" if other is None else f"{self.median / other:.2g}"
            for other in (self.fewer_cells, self.smaller_counts)
        ]
        bar = "" if self.bar is None else f"{self.bar:g}"
        longest = max(self.seconds)
        return f"{self.name:<44}{self.median:>10.4f}{longest:>11.4f}{bar:>6}{ratios[0]:>13}{ratios[1]:>14}"


def cpu_seconds(draw: Callable[[], object], repetitions: int) -> list[float]:
    draw()  # imports and tables that are kept
    found = []
    for _ in range(repetitions):
        start = time.process_time()
        draw()
        found.append(time.process_time() - start)
    return found


def parameters(cells: int, most: int) -> list[Fraction]:
    """Prior 1 and counts from 0 up to some number, an empty cell among them."""
    counts = np.random.default_rng(1).integers(0, most, cells, endpoint=True)
    counts[0] = 0
    return [Fraction(1 + int(count)) for count in counts]


def dirichlet_draws(repetitions: int) -> list[Timing]:
    found: list[Timing] = []
    before: dict[tuple[int, int], float] = {}
    for cells in CELLS:
        for most in MOST_COUNTS:
            u = parameters(cells, most)
            seconds = cpu_seconds(lambda u=u: dirichlet_sticks(u, PLACES), repetitions)  # type: ignore[misc]
            made = Timing(
                f"Dirichlet draw, {cells} cells, counts to {most:.0e}",
                seconds,
                bar=2.0 if cells == CELLS[-1] else None,
                fewer_cells=before.get((cells // 10, most)),
                smaller_counts=before.get((cells, MOST_COUNTS[0])),
            )
            before[cells, most] = made.median
            found.append(made)
    return found


def urns(repetitions: int) -> list[Timing]:
    u = parameters(URN_CELLS, 1000)
    return [
        Timing(
            f"Polya urn, {URN_CELLS} cells, {drawn} records",
            cpu_seconds(lambda drawn=drawn: virtual_counts(u, drawn), repetitions),  # type: ignore[misc]
        )
        for drawn in URN_RECORDS
    ]


def noises(repetitions: int) -> list[Timing]:
    found: list[Timing] = []
    for cells in NOISY_CELLS:
        seconds = cpu_seconds(lambda cells=cells: k_norm(cells, Fraction(1)), repetitions)  # type: ignore[misc]
        bar = 5.0 if cells == NOISY_CELLS[-1] else None
        fewer = found[-1].median if found else None
        found.append(Timing(f"K-norm noise, {cells} cells, epsilon 1", seconds, bar, fewer))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    asked = parser.parse_args()
    print(f"{'CPU seconds of one draw':<44}{'median':>10}{'longest':>11}{'bar':>6}", end="")
    print(f"{'1/10 cells':>13}{'counts 1e3':>14}")
    for part in (dirichlet_draws, urns, noises):
        for made in part(asked.repetitions):
            print(made.line, flush=True)


if __name__ == "__main__":
    main()
