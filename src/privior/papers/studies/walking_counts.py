"""Adults of the American Community Survey of 2019 who have difficulty walking, and what may explain it.

Counted in the excerpt that the National Institute of Standards and Technology prepared from the survey's
public use microdata (`bundled/NOTICE.md`): a work of the US Government. 22,062 adults: for each decade of
age from the second to the tenth (of 18 years and more), women and men, without and with difficulty hearing,
without and with difficulty seeing, owning their home and not, how many walk without difficulty and with.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from privior.arrays import Floats

RECORDS = 22062
FEATURES = ("age", "male", "hearing", "vision", "not owned")
_COUNTS = """
106 1 327 1 1 0 0 1 1 0 3 0 0 0 1 0 125 0 345 2 0 0 2 0 3 0 1 0 0 0 0 0 541 2 1262 11 11 0 9 1 2 0 6 0 0 0 3
2 561 8 1325 6 4 2 12 4 2 0 7 0 1 0 2 0 847 6 889 21 4 2 11 5 2 0 4 1 0 1 1 1 777 7 886 13 6 1 12 0 7 1 5 1
1 0 2 2 929 28 583 36 5 1 9 7 5 2 5 3 0 0 0 0 878 10 524 20 6 1 8 5 17 2 13 1 0 0 2 2 1125 62 415 88 9 4 9
16 9 4 7 10 1 3 2 4 1053 50 443 67 10 3 15 10 17 6 19 4 3 5 2 2 1194 143 382 137 13 13 13 15 27 8 11 5 4 1 1
9 1013 70 332 106 16 5 12 13 74 20 16 14 7 7 6 12 727 121 189 100 5 13 8 13 35 13 9 10 3 7 3 11 651 56 125
52 10 13 11 5 61 17 10 20 11 12 3 6 249 92 89 78 8 8 2 3 24 18 7 12 6 14 1 7 176 41 24 35 7 5 2 8 36 24 11 8
4 8 1 9 27 19 11 27 3 2 1 3 8 15 1 17 1 6 3 7 13 6 4 5 1 2 0 3 5 8 2 4 4 3 1 5
"""


@cache
def walking() -> tuple[Floats, Floats]:
    """Return the rows of all adults, an intercept and features in [-1, 1], and labels 1 and -1."""
    each = np.array(_COUNTS.split(), np.int64).reshape(-1, 2)
    kinds = np.array(list(product(range(1, 10), (0, 1), (0, 1), (0, 1), (0, 1))), np.float64)
    kinds = np.column_stack([np.ones(len(kinds)), (kinds[:, 0] - 5) / 4, 2 * kinds[:, 1:] - 1])
    rows = np.concatenate([np.repeat(kinds, each[:, side], axis=0) for side in (0, 1)])
    labels = np.repeat([-1.0, 1.0], each.sum(axis=0))
    return rows, labels
