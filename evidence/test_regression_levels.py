"""Levels in regressions of real tables: 90% intervals of each level's mean, the first level's among them.

Least squares on a column's levels gives the mean of each, so the truth is that of the table. The first level
is the one that others are compared with; where its mean lies apart, a prior that draws the others' weights to
0 draws all of them to it. What that would hold is shown beside: it is what is asked for without
`Design.effects`.
"""

from __future__ import annotations

import dataclasses
from unittest.mock import PropertyMock, patch

import numpy as np
import pyarrow.parquet as pq
import pytest
from real_tables import FOLDER
from record import Certificate, store
from scipy.stats import binom

import privior as pv
from privior.curator import measure_statistics
from privior.models import Design, ExactStatistics
from privior.testing.small_tables import statistics

RECORDS, RELEASES = 5_000, 12
#: fewer records than these of a level are not asked about: their mean is that of few people
FEWEST = 50
#: table, levels, target, and the public range of the target with its step
CASES = (
    ("adult_raw", "workclass", "hours-per-week", (0, 99, 1)),
    ("adult_raw", "relationship", "age", (0, 110, 1)),
    ("acs_national2019_raw", "RAC1P", "PINCP", (-10_000, 200_000, 1_000)),
)
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
EPSILONS = ("0.5", "1")
LEAST, ON_AVERAGE = 0.8, 0.87


@dataclasses.dataclass(frozen=True)
class Levels:
    """Some records of a table: their levels, and a number."""

    schema: pv.Schema
    model: pv.LinearRegression
    codes: np.ndarray

    @property
    def truth(self) -> dict[str, float]:
        """The mean of each level that is not rare."""
        low = float(self.schema.column(self.model.target).lower)  # type: ignore[attr-defined]
        step = float(getattr(self.schema.column(self.model.target), "grid", 1))
        names = self.schema.column(self.model.columns[1]).values
        found = {}
        for code, name in enumerate(names):
            some = self.codes[self.codes[:, 1] == code, 0]
            if some.size >= FEWEST:
                found[str(name)] = low + step * float(some.mean())
        return found

    def held(self, epsilon: str, relation: pv.Neighbours, releases: int) -> dict[str, list[bool]]:
        """Release the moments some times, and say whether each level's mean was held."""
        most = len(self.codes) * (1 if relation is pv.REPLACE_ONE else 2)
        plan = pv.plan(self.model, self.schema, records=most, epsilon=epsilon, neighbours=relation)
        exact = ExactStatistics(statistics(self.model, self.schema, relation, self.codes))
        target, levels = self.model.columns
        truth = self.truth
        found: dict[str, list[bool]] = {name: [] for name in truth}
        for _ in range(releases):
            ledger = pv.Ledger.in_memory(population="people", epsilon=100)
            posterior = pv.infer(measure_statistics(plan, exact, ledger=ledger))
            for name, mean in truth.items():
                low, high = posterior.average(target, given={levels: name}).interval(0.9)
                found[name].append(low <= mean <= high)
        return found


def read(table: str, levels: str, target: str, grid: tuple[int, int, int]) -> Levels:
    """Take some records of a table, the same each time."""
    frame = pq.read_table(FOLDER / f"{table}.parquet").to_pandas()[[target, levels]].dropna()
    rows = frame.iloc[np.random.default_rng(1).permutation(len(frame))[:RECORDS]]
    names, places = np.unique(rows[levels].astype(str), return_inverse=True)
    low, high, step = grid
    numbers = np.clip(np.rint((rows[target].to_numpy(float) - low) / step), 0, (high - low) // step)
    kinds = {target: pv.Bounded(low, high, grid=step), levels: pv.Categorical(names.tolist())}
    schema = pv.Schema(kinds, population="people", unit="person")
    model = pv.LinearRegression(target=target, features=[levels])
    return Levels(schema, model, np.column_stack([numbers.astype(np.int64), places]))


@pytest.mark.skipif(not FOLDER.exists(), reason="the real tables are not beside the repository")
def test_means_of_levels_are_held_and_that_of_the_first_one_too() -> None:
    certificate = Certificate.of(__file__)
    rows, bad, without_it = [], [], []
    for case in CASES:
        some = read(*case)
        first = str(some.schema.column(case[1]).values[0])
        for relation in RELATIONS:
            for epsilon in EPSILONS:
                held = some.held(epsilon, relation, RELEASES)
                alone = PropertyMock(return_value=np.eye(len(some.model.design(some.schema).features)))
                with patch.object(Design, "effects", new_callable=lambda alone=alone: alone):
                    plain = some.held(epsilon, relation, RELEASES)
                average = float(np.mean(list(held.values())))
                worst = min(held, key=lambda name: float(np.mean(held[name])))
                rows.append(
                    (
                        f"{case[2]} by {case[1]}",
                        str(relation),
                        epsilon,
                        f"{average:.3f}",
                        f"{np.mean(held[first]):.2f}" if first in held else "",
                        f"{np.mean(held[worst]):.2f} ({worst})",
                        f"{np.mean(list(plain.values())):.3f}",
                        f"{np.mean(plain[first]):.2f}" if first in plain else "",
                    )
                )
                if first in plain:
                    without_it.append(float(np.mean(plain[first])))
                # beyond chance: 0.01 for all levels of all cells
                for name, each in held.items():
                    if binom.cdf(sum(each), RELEASES, LEAST) < 0.01 / (len(held) * 12):
                        bad.append((*rows[-1], name))
    every = [float(row[3]) for row in rows]
    store(
        "regression-levels",
        certificate,
        title=f"Means of levels in regressions of real tables, {RECORDS:,} records",
        claim=f"90% intervals hold at least {ON_AVERAGE} on average over all, no level less than {LEAST} "
        f"beyond chance; {RELEASES} releases each, default settings",
        header=(
            *("regression", "relation", "epsilon", "held", "first level", "worst level"),
            *("held without an effect of the first level", "first level without"),
        ),
        rows=rows,
    )
    assert not bad, bad
    assert np.mean(every) >= ON_AVERAGE, every
    assert min(without_it) < LEAST - 0.2, "the fault is not noticed"
