"""What posteriors of networks say of their chains, and whether their tables belong together."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
from network_trials import Floats

#: draws of whole data sets that are looked at
DRAWS = 200


def r_hats_of(posterior: Any) -> Floats:
    """Return the split R-hat of each entry; none where all data sets were summed."""
    return np.asarray(getattr(posterior.known, "r_hats", np.zeros(0)))


def told(posterior: Any) -> int:
    """Return about how many entries the warnings say that chains disagree."""
    found = [re.search(r"disagree about (\d+) of", one) for one in posterior.warnings]
    return sum(int(one[1]) for one in found if one)


def apart(posterior: Any) -> int:
    """Return in how many draws of data sets two tables differ about the columns that both hold."""
    model, schema = posterior.model, posterior.schema
    tables = []
    for place, node in enumerate(model.columns):
        drawn = posterior.known.counts(place).draws(DRAWS, np.random.default_rng(1))  # the same data sets
        tables.append((model.tables[place], drawn.reshape(-1, *model.shape(node, schema))))
    differ = np.zeros(DRAWS, dtype=bool)
    for (names, one), (others, other) in combinations(tables, 2):
        shared = sorted(set(names) & set(others))
        margins = [_margin(one, names, shared), _margin(other, others, shared)]
        differ |= (margins[0] != margins[1]).reshape(DRAWS, -1).any(axis=1)
    return int(differ.sum())


def _margin(tables: Any, names: Any, kept: list[str]) -> Any:
    """Sum tables over all columns but some; over all, if none is kept: the number of records."""
    left_out = tuple(1 + axis for axis, name in enumerate(names) if name not in kept)
    order = [name for name in names if name in kept]
    return tables.sum(axis=left_out).transpose(0, *(1 + order.index(name) for name in kept))
