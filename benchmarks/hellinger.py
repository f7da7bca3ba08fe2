"""How long the Hellinger mechanisms take: `python benchmarks/hellinger.py`.

The bars, in seconds: sensitivities of ten thousand cells, local and global 0.1, smooth 2; one draw at
epsilon 1, EHD with two cells and a million records 0.5, five cells 2, fifty cells and 100,000 records 2;
EHDS with five cells and a million records 5. Draws vary, since they are accepted or tried again: the median
and the longest are shown.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import privior as pv
from privior.mechanisms import HellingerMechanism, PublicFacts
from privior.mechanisms.hellinger.hellinger import global_sensitivity, local_sensitivity, smooth_sensitivity
from privior.models import ExactStatistics

CELLS = 10_000


@dataclass(frozen=True)
class Timing:
    """Seconds of repetitions of one piece of work, and the bar."""

    name: str
    seconds: list[float]
    bar: float


def timed(name: str, work: Callable[[], object], bar: float, repetitions: int) -> Timing:
    found = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return Timing(name, found, bar)


def sensitivities(repetitions: int) -> Iterator[Timing]:
    """Time a usual table and one in which no cell is beaten by another, so that all pairs are looked at."""
    rng = np.random.default_rng(1)
    usual = rng.multinomial(10**6, rng.dirichlet(np.ones(CELLS)))
    contrary = np.sort(rng.integers(0, 10**5, CELLS))[::-1]
    grown = np.sort(rng.gamma(1.0, 1.0, CELLS)) + 0.01
    for kind, counts, prior in (("usual", usual, np.ones(CELLS)), ("worst", contrary, grown)):
        works: list[tuple[str, Callable[[], object], float]] = [
            ("local", lambda c=counts, a=prior: local_sensitivity(c, a), 0.1),  # type: ignore[misc]
            ("global", lambda a=prior: global_sensitivity(a, 10**6), 0.1),  # type: ignore[misc]
            ("smooth", lambda c=counts, a=prior: smooth_sensitivity(c, a, 1e-6), 2.0),  # type: ignore[misc]
        ]
        for name, work, bar in works:
            yield timed(f"{name} sensitivity, {CELLS} cells, {kind}", work, bar, repetitions)


def draws(repetitions: int) -> Iterator[Timing]:
    kinds: list[tuple[type[HellingerMechanism], int, int, float]] = [
        (pv.EHD, 2, 10**6, 0.5),
        (pv.EHD, 5, 10**6, 2.0),
        (pv.EHD, 50, 10**5, 2.0),
        (pv.EHDS, 2, 10**6, 5.0),
        (pv.EHDS, 5, 10**6, 5.0),
        (pv.EHDS, 8, 10**6, 5.0),
    ]
    for kind, levels, records, bar in kinds:
        mechanism = kind.for_facts(PublicFacts(levels, records, 1, pv.REPLACE_ONE, pv.Budget.of(1)))
        rng = np.random.default_rng(2)
        counts = ExactStatistics(rng.multinomial(records, rng.dirichlet(np.ones(levels))))
        name = f"{mechanism.name}, {levels} cells, {records} records"
        yield timed(name, lambda m=mechanism, c=counts: m.release(c), bar, repetitions)  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    asked = parser.parse_args()
    print(f"{'':<48}{'median s':>10}{'longest s':>11}{'bar':>7}")
    for part in (sensitivities(3), draws(asked.repetitions)):
        for found in part:
            median, longest = statistics.median(found.seconds), max(found.seconds)
            print(f"{found.name:<48}{median:>10.4f}{longest:>11.4f}{found.bar:>7g}")


if __name__ == "__main__":
    main()
