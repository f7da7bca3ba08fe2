"""Table 1 of the paper on networks, computed for one network: what is printed, and what is true."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privior.checks import above_zero, whole_number
from privior.papers.fourier_theory import theorem_3
from privior.papers.published.network_points import (
    corollary_4_density,
    lemma_4,
    naive_bayes_sampler,
    theorem_4_network,
)
from privior.papers.published.networks import corollary_1, corollary_2
from privior.papers.published.statement import Published
from privior.papers.update_noise import theorem_1, theorem_1_expectation


def table_1(
    families: Sequence[Sequence[int]], records: int, epsilon: object, failure: object = "0.1"
) -> list[dict[str, object]]:
    """Return the rows of Table 1: privacy and utility of each mechanism as printed, with verdicts.

    Args:
        families: for each variable, its own number and its parents'; the last one is the class's table
        records: n
        epsilon: what every mechanism is asked for
        failure: the chance that a bound of the error may fail
    """
    nominal, n = above_zero(epsilon, "epsilon"), whole_number(records, "records")
    nodes = len(families)
    half = n // 2, n - n // 2
    likely = [0.9, 0.1], [0.5, 0.5]
    rows: list[tuple[str, str, Published]] = [
        ("Laplace", "privacy", corollary_1(nominal, nodes)),
        (
            "Laplace",
            "utility: divergence of posteriors, one row",
            theorem_1_expectation(nominal, nodes, half, refined=True),
        ),
        ("Laplace", "utility: chance of more", theorem_1(nominal, nodes, (n, 0), failure)),
        ("Fourier", "privacy", corollary_2(nominal, families)),
        ("Fourier", "utility: distance of a table", theorem_3(nominal, families, families[-1], 1, failure)),
        (
            "Sampler",
            "privacy, Lipschitz: one chance for all",
            naive_bayes_sampler(nominal, nodes - 1 or 1, n),
        ),
        ("Sampler", "privacy, stochastic", theorem_4_network(nodes, n)),
        ("MAP", "privacy, on a density", corollary_4_density(nominal, "0.2", n)),
        ("MAP", "utility: chance of a bad point", lemma_4(nominal, math.tanh(0.25), *likely, "0.3")),
    ]
    return [
        {
            "mechanism": mechanism,
            "about": about,
            "place": one.place,
            "quantity": one.quantity,
            "printed": one.value,
            "true": one.better,
            "verdict": one.verdict.value,
            "reason": one.reason,
        }
        for mechanism, about, one in rows
    ]
