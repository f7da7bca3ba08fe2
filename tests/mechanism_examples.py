"""An example of every mechanism that releases counts, and its law; a new one is added here."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

import privior as pv
from chi_square import fits
from kinds import table_mechanism
from privior.exact import decimal
from privior.models import ExactStatistics, Observed

BOTH = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
EXAMPLES: list[Any] = [
    pv.KNorm(cells=2, epsilon=1),
    pv.KNorm(cells=3, epsilon="0.7"),
    *(pv.LaplaceCounts(cells=3, epsilon="1.5", neighbours=relation) for relation in BOTH),
    *(pv.GaussianCounts(cells=3, epsilon=2, delta="0.01", neighbours=relation) for relation in BOTH),
    pv.LSHist(cells=2, epsilon=1, records=5),
    pv.LSHist(cells=3, epsilon=1, records=5),
    pv.LSDim(cells=2, epsilon=1, records=5),
    pv.LSDim(cells=3, epsilon=2, records=5),
    pv.EHD(cells=2, epsilon=4, records=5),
    pv.EHD(cells=3, epsilon=6, records=5, prior=["0.5", 1, 2]),
    pv.EHD(cells=3, epsilon=4, records=5, calibrated=True),
    pv.EHDS(cells=2, epsilon=5, records=5, prior="0.5", gamma="0.1"),
    pv.EHDS(cells=3, epsilon=8, records=5, gamma=1),
    pv.EHDL(cells=3, epsilon=5, records=5),
]
COUNTS = {2: (4, 1), 3: (3, 0, 2)}


def exact(mechanism: Any) -> ExactStatistics:
    return ExactStatistics(np.array(COUNTS[mechanism.cells]))


def law(mechanism: Any, reach: int) -> dict[tuple[int, ...], float]:
    """Return the probability of every output in a box around the true counts."""
    side = range(-reach, 5 + reach + 1)
    boxes = itertools.product(side, repeat=mechanism.cells)
    logs = {box: mechanism.log_likelihood(Observed.of(box), exact(mechanism)) for box in boxes}
    return {box: math.exp(log) for box, log in logs.items() if log > -math.inf}


def check_draws(mechanism: Any, number: int, kept: Fraction) -> None:
    """Draw, and compare with the stated law and with that of a share of the epsilon."""
    draws = [mechanism.release(exact(mechanism)).counts for _ in range(number)]
    assert fits(draws, law(mechanism, 5))
    wrong = dict(mechanism.to_document())
    if isinstance(mechanism, pv.GaussianCounts):
        wrong["stddev"] = decimal(Fraction(float(mechanism.stddev) / float(kept)))
    else:
        wrong.pop("temperature", None)
        wrong["epsilon"] = decimal(Fraction(str(wrong["epsilon"])) * kept)
    assert not fits(draws, law(table_mechanism(wrong), 5))
