"""Finite families under the eyes of the analysis: everything is a sum over models.

l(m) is the largest |log p_mi - log p_mj| / rho(i, j) over the cells i and j, infinite for a model that
excludes a cell. A draw is a model, so that the loss of one draw takes finitely many values, each with its
posterior chance; the best test of N draws follows from these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.errors import NumberError
from privior.models import FiniteFamily
from privior.privacy import REPLACE_ONE
from privior.privacy.hellinger import all_tables, number_of_tables
from privior.privacy.pairs import DominatingPair, FiniteDraw, SignedSteps
from privior.schema import Schema
from privior.smoothness.distances import Distance, Replaced
from privior.smoothness.subject import Contrast, Cut, Subject, replaced_numbers, subject_of
from privior.smoothness.table_records import distance_of_cells, schema_of_table
from privior.theory.likelihood_ratio import RatioTest

#: cells that tables may have which are listed
MOST_CELLS = 40
#: tables of the other records among which neighbours are looked for, and how many of these are kept
_MOST_OTHERS, _KEPT = 400, 4


@dataclass(frozen=True)
class FiniteModels(Subject):
    """A finite family and a distance of cells."""

    model: FiniteFamily
    schema: Schema
    distance: Distance
    computed: ClassVar[str] = (  # type: ignore[misc]
        "in floating point from sums over all models; the exact guarantee in interval arithmetic"
    )
    advice: ClassVar[str] = "give every level a chance in every model"  # type: ignore[misc]

    # Assumptions 1 and 2

    @cached_property
    def slopes(self) -> Floats:
        """l of each model, infinite for one that excludes a cell."""
        logs = self.model.log_chances()
        excluding = np.asarray(np.isneginf(logs).any(axis=1))
        known = np.where(excluding[:, np.newaxis], 0.0, logs)
        if isinstance(self.distance, Replaced):
            found = known.max(axis=1) - known.min(axis=1)
        else:
            found = np.abs(self.distance.chords(known.T)).max(axis=0)
        return np.where(excluding, math.inf, found)

    @cached_property
    def shares(self) -> Floats:
        """The prior chance of each model."""
        total = sum(self.model.prior)
        return np.array([float(weight / total) for weight in self.model.prior])

    @property
    def smoothest(self) -> float:
        """The slope of the smoothest model."""
        return float(self.slopes.min())

    @property
    def roughest(self) -> float:
        """The slope of the roughest model."""
        return float(self.slopes.max())

    def outside(self, slopes: Floats) -> Floats:
        """The prior chance of all models that are rougher than each level."""
        room = np.asarray(slopes, dtype=np.float64)[:, np.newaxis] * (1 + 1e-12)
        return np.asarray((self.slopes > room) @ self.shares)

    # What is exact

    def draw(self, records: int) -> FiniteDraw | None:
        """Return the law of one draw; None where a cell is excluded, or there is too much to compare."""
        try:
            return FiniteDraw(self.model.chances, self.model.prior, REPLACE_ONE, records)
        except NumberError:
            return None

    @cached_property
    def oscillation(self) -> float:
        """As for draws; where there is too much to compare, twice the largest range of log chances."""
        if not self.model.bounded:
            return math.inf
        draw = self.draw(1)
        if draw is not None:
            return float(draw.oscillation(Fraction(1)))
        logs = self.model.log_chances()
        return 2 * float((logs.max(axis=1) - logs.min(axis=1)).max()) * (1 + 1e-12)

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """Of the largest loss over all tables where they can be listed; else of the oscillation."""
        draw = self.draw(records)
        if draw is None or not draw.listable:
            return super().pair(records, draws)
        return SignedSteps(draw.pure(Fraction(1)), draws)

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Log chances, 0 in place of excluded cells, and which these are; (cells, models)."""
        logs = self.model.log_chances().T
        excluded = np.isneginf(logs)
        return np.where(excluded, 0.0, logs), excluded.astype(np.float64)

    def likelihoods(self, tables: Floats) -> Floats:
        """Return the log likelihood of each model given tables, (tables, models)."""
        logs, excluded = self.logs
        return np.where(tables @ excluded > 0, -math.inf, tables @ logs)

    def listable(self, records: int, most: int) -> bool:
        """Say whether all tables of so many records can be listed, up to a number."""
        cells = len(self.model.chances[0])
        return cells <= MOST_CELLS and number_of_tables(records, cells) <= most

    # Adversaries

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Some records moved from one cell to another, where one draw tells that best.

        The other records are in any cells if all tables can be listed; else all in one, or as a model or a
        mixture of two expects them.
        """
        found = []
        for moved in replaced_numbers(records):
            kept = _KEPT if moved == 1 else 1
            for others, one, two in self._best_told(records - moved, moved, kept):
                name = "the others " + ", ".join(f"{count:.0f}" for count in others[:6])
                name += ", ..." if others.size > 6 else ""
                cells = f"{self._cell(two)} to {self._cell(one)}"
                about = f"{moved} moved from {cells}" + (f", {name}" if moved < records else "")
                distance = moved * self.distance.apart(one, two)
                for first, second in ((one, two), (two, one)):
                    test = self.test(others, first, second, moved)
                    found.append(Contrast(about, moved, distance, test))
        return found

    def _cell(self, place: int) -> str:
        shape = [self.schema.column(name).size for name in self.model.columns]
        codes = np.unravel_index(place, shape)
        names = zip(self.model.columns, codes, strict=True)
        return "/".join(self.schema.column(name).labels[int(code)] for name, code in names)

    def _others(self, rest: int) -> Floats:
        """Return tables of the other records."""
        cells = len(self.model.chances[0])
        if self.listable(rest, _MOST_OTHERS):
            return all_tables(rest, cells).astype(np.float64)
        laws = np.exp(self.model.log_chances())[:24]
        mixed = [s * one + (1 - s) * two for one, two in combinations(laws, 2) for s in (0.3, 0.5, 0.7)]
        alone = list(np.eye(cells)[:MOST_CELLS])
        return np.array([_whole(rest, law) for law in [*laws, *alone, *mixed[:_MOST_OTHERS]]])

    def _best_told(self, rest: int, moved: int, kept: int) -> list[tuple[Floats, int, int]]:
        """Return tables of the others and two cells, those first whose posteriors are farthest apart."""
        logs, excluded = self.logs
        spread = np.where(excluded.any(axis=1), math.inf, np.ptp(logs, axis=1))
        cells = np.sort(np.argsort(-spread, kind="stable")[:MOST_CELLS])
        found: list[tuple[float, Floats, int, int]] = []
        for others in self._others(rest):
            tables = others + moved * np.eye(others.size)[cells]
            weights = np.log(self.shares) + self.likelihoods(tables)
            possible = np.isfinite(weights.max(axis=1))
            if possible.sum() < 2:
                continue
            laws, places = _normal(weights[possible]), cells[possible]
            apart = np.abs(laws[:, np.newaxis] - laws[np.newaxis]).sum(axis=2) / 2
            one, two = np.unravel_index(int(apart.argmax()), apart.shape)
            if places[one] != places[two]:
                found.append((float(apart[one, two]), others, int(places[one]), int(places[two])))
        found.sort(key=lambda each: -each[0])
        return [(others, one, two) for _, others, one, two in found[:kept]]

    def test(self, others: Floats, one: int, two: int, moved: int = 1) -> RatioTest:
        """Return the best test between posteriors: of others and `moved` records in one cell or another."""
        tables = np.stack([others, others])
        tables[0, one] += moved
        tables[1, two] += moved
        weights = np.log(self.shares) + self.likelihoods(tables)
        with np.errstate(divide="ignore"):
            logs = np.log(_normal(weights))
        drawn = np.isfinite(logs[0])
        sure = drawn & ~np.isfinite(logs[1])
        chances = np.exp(logs[0])
        losses = (logs[0] - np.where(np.isfinite(logs[1]), logs[1], 0.0))[drawn & ~sure]
        order = np.argsort(losses)
        steps = losses[order]
        sums = np.concatenate([[0.0], np.cumsum(chances[drawn & ~sure][order])])

        def below(points: Floats) -> Floats:
            return np.asarray(sums[np.searchsorted(steps, points, side="right")])

        low, high = (float(steps[0]), float(steps[-1])) if steps.size else (0.0, 0.0)
        room = 1e-9 * (1 + high - low)
        return RatioTest(below, ends=(low - room, high + room), certain=float(chances[sure].sum()))

    # Cuts

    def cuts(self, records: int) -> Sequence[Cut]:
        """The roughest models dropped, more and more of them."""
        slopes = np.unique(self.slopes[np.isfinite(self.slopes)])
        some = np.unique(np.linspace(0, max(slopes.size - 1, 0), 6).astype(int))
        found = []
        for slope in slopes[some[: slopes.size]]:
            kept = np.flatnonzero(self.slopes <= slope * (1 + 1e-12))
            if kept.size < 2:
                continue
            chances = tuple(self.model.chances[m] for m in kept)
            prior = tuple(self.model.prior[m] for m in kept)
            try:
                loss = FiniteDraw(chances, prior, REPLACE_ONE, records).pure(Fraction(1))
            except NumberError:
                continue
            names = ", ".join(self.model.names[m] for m in kept[:4])
            words = f"{kept.size} of {len(self.model.names)} models: {names}"
            words += ", ..." if kept.size > 4 else ""
            outside = float(self.outside(np.array([slope]))[0])
            found.append(Cut(float(slope), outside, words, math.nextafter(float(loss), math.inf)))
        return found


def _normal(weights: Floats) -> Floats:
    """Return the chances of log weights, row by row."""
    shares = np.exp(weights - weights.max(axis=1)[:, np.newaxis])
    return np.asarray(shares / shares.sum(axis=1)[:, np.newaxis])


def _whole(records: int, law: Floats) -> Floats:
    """Return whole counts near n times a law, that add up to n."""
    exact = records * law
    found = np.floor(exact)
    short = records - int(found.sum())
    found[np.argsort(found - exact, kind="stable")[:short]] += 1
    return np.asarray(found)


@subject_of.register
def _(model: FiniteFamily, schema: Schema | None, distance: object) -> FiniteModels:
    schema = schema_of_table(model, schema)
    # cells of the same chances under every model have the same likelihood
    laws = list(zip(*model.chances, strict=True))
    known = {law: float(place) for place, law in enumerate(dict.fromkeys(laws))}
    alike = np.array([known[law] for law in laws])
    return FiniteModels(model, schema, distance_of_cells(model, schema, distance, alike))
