"""Stealth: the chance that tables which follow from noisy parities have no negative cell.

"On the Differential Privacy of Bayesian Inference", Algorithm 2, adds 4 t |N|^2 / epsilon to the noisy number
of records, so that no cell is likely to be negative and nobody sees that there is noise. Corollary 3 says how
likely that is: at least 1 - e^-t, whatever the records. It is not, for t below 1/2; here the chance is
simulated, from public facts alone. Whoever runs the algorithm again because a cell came out negative spends
epsilon again; cutting cells at zero costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.checks import above_zero, known_as, zero_or_above
from privior.errors import NumberError
from privior.mechanisms import FourierTables
from privior.mechanisms.networks.parities import largest_sum, listed, once_each, subsets, transformed
from privior.models import Network
from privior.papers.fourier_theory import Families
from privior.papers.published.networks import PAPER
from privior.papers.published.statement import Published, Verdict
from privior.plans import Plan
from privior.posterior import NetworkPosterior
from privior.privacy import Budget
from privior.schema import Schema

#: releases that are simulated, of which so many share the tables of one draw from the prior
_RUNS, _ALIKE = 20_000, 500
#: a chance is called smaller than another one if it is by so many standard errors
_SURE = 5
_AGAIN = "Running it again after a negative cell costs the same once more."


@dataclass(frozen=True)
class Stealth:
    """The chance that no cell of the released tables is negative.

    Attributes:
        of_prior: for tables of the prior
        worst: for records that are all alike, so that all cells but one of each table are empty
        claimed: what Corollary 3 says of the published algorithm with this t; 0 without a shift
        cost: what one run spends
    """

    of_prior: float
    worst: float
    claimed: float
    cost: Budget

    def __str__(self) -> str:
        chances = f"{self.of_prior:.3f} for tables of the prior, {self.worst:.3f} for records all alike"
        return f"no cell is negative with probability {chances}. {_AGAIN} ({self.cost})"


def stealth(plan: Plan, t: object = 0) -> Stealth:
    """Return the chance that a release of parities has no negative cell, if the algorithm's shift is added.

    Args:
        plan: of `pv.FourierTables`; its own noise is simulated
        t: of the shift 4 t |N|^2 / epsilon of the number of records; 0 for none
    """
    law, model, factor = known_as(FourierTables, plan.mechanism), plan.model, zero_or_above(t, "t")
    rng, families = np.random.default_rng(0), law.families
    draw = rng.normal if law.delta else rng.laplace
    spread = math.sqrt(law.variance if law.delta else law.variance / 2) * (2 if law.public_total else 1)
    noise = spread * draw(size=(_RUNS, len(law.subsets)))
    if law.public_total:
        noise[:, 0] = 0
    noise[:, 0] += float(4 * factor * len(law.subsets) ** 2 / law.epsilon)
    size = min(plan.records, 10**5)
    drawn = [_tables(model, plan.schema, size, rng) for _ in range(_RUNS // _ALIKE)]
    parts = [
        _none_negative(families, [table * (plan.records / size) for table in tables], some)
        for tables, some in zip(drawn, np.split(noise, len(drawn)), strict=True)
    ]
    worst = _none_negative(families, _alike(families, plan.records), noise)
    claimed = -math.expm1(-float(factor))
    return Stealth(float(np.concatenate(parts).mean()), float(worst.mean()), claimed, plan.cost)


def corollary_3(t: object, families: Families, *, joint: bool = False) -> Published:
    """Corollary 3: no cell is negative with probability 1 - e^-t at least, simulated for the worst records.

    In units of 2 |N| / epsilon the sums s_g have noise of scale 1, the number of records 2 t |N| in addition,
    and the epsilon of the algorithm does not matter. The proof needs all |N| noises together above -2 t |N|,
    but a cell adds them with signs, and the worst cell picks the signs: that sum is about -|N|.

    Args:
        t: of the shift
        families: for each variable, its own number and its parents'
        joint: whether the table of all variables is meant, where almost every cell is empty; else the
            released ones, with all records alike
    """
    factor = above_zero(t, "t")
    noise = np.random.default_rng(0).laplace(size=(_RUNS, len(subsets(families))))
    noise[:, 0] += float(2 * factor) * noise.shape[1]
    if joint:
        found = _least_of_all(families, noise) >= 0
    else:
        found = _none_negative(families, _alike(families, 10**9), noise)
    claimed, true = -math.expm1(-float(factor)), float(found.mean())
    error = math.sqrt(max(true * (1 - true), 1 / _RUNS) / _RUNS)
    below = true < claimed - _SURE * error
    reason = f"simulated, with a standard error of {error:.1g}. {_AGAIN}"
    judged = (Verdict.FALSE if below else Verdict.LOOSE), reason
    return PAPER.states("Corollary 3", "1 - e^-t, no cell negative", "chance", claimed, judged, None, true)


def _none_negative(families: Families, tables: Sequence[Floats], noise: Floats) -> NDArray[np.bool_]:
    """Say of each run whether no cell of any table is negative; the noise is that of the sums s_g."""
    order = {one: place for place, one in enumerate(subsets(families))}
    fine = np.ones(len(noise), dtype=bool)
    for family, table in zip(families, tables, strict=True):
        cells = transformed(noise[:, [order[one] for one in listed(family)]]) / table.size
        fine &= (table + cells >= 0).all(axis=1)
    return fine


def _least_of_all(families: Families, noise: Floats) -> Floats:
    """Return the least noise of a cell of the table of all columns in each run, times the number of cells."""
    order = {one: place for place, one in enumerate(subsets(families))}
    terms = [
        (columns, transformed(-noise[:, [order[one] for one in own]] * new))
        for columns, own, new in once_each(families)
    ]
    found = largest_sum(terms)
    if found is None:
        raise NumberError("the graph is too dense", asked=f"{len(families)} families")
    return -found


def _alike(families: Families, records: int) -> list[Floats]:
    return [records * (np.arange(2 ** len(family)) == 0).astype(np.float64) for family in families]


def _tables(model: Network, schema: Schema, records: int, rng: np.random.Generator) -> list[Floats]:
    """Draw the tables of records from the prior."""
    numbers = NetworkPosterior.numbers_of(model, schema)
    rows = []
    for node, prior in zip(model.columns, model.parameters(schema), strict=True):
        shape = model.shape(node, schema)
        alpha = np.ones(shape) if prior is None else prior.reshape(shape)
        drawn = rng.standard_gamma(alpha) + 1e-300
        rows.append((drawn / drawn.sum(axis=-1, keepdims=True)).ravel())
    drawn_records = numbers.records(np.concatenate(rows), records, rng)
    codes = {name: np.array(drawn_records[name]) == schema.column(name).values[1] for name in model.columns}
    found = []
    for names in model.tables:
        cell = sum(codes[name].astype(np.int64) << place for place, name in enumerate(reversed(names)))
        found.append(np.bincount(cell, minlength=2 ** len(names)).astype(np.float64))
    return found
