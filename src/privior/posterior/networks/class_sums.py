"""What is known of a class and features that depend on it alone, summed over all data sets.

Given the numbers N_c of records of the classes, every row of every feature's table is by itself (`class_walk`):
its records are divided among cells with weights

    w_x(m) = Γ(m+α_x) / m! q(observed - m),    so that rows of N records weigh N!/Γ(N+κ) (w_1 * w_2 * ...)(N),

a convolution over the cells. Products over features give what is known of each N_c, a convolution over classes
what is known of n. Backwards, chances of all counts follow, and whole data sets are drawn. Priors are fixed.

Counts are looked for where the noise does not fall below e^-C of its largest. What a row leaves out, some cell
being outside its window, weighs at most the cell's tail times all weights of the other cells, whatever N is. So
each N_c has a weight and an upper bound of it; in sums over classes n!/Γ(n+A) is taken at its largest where
bounds and weights differ. If what may be left out is not below `_ERROR` of what was summed, C grows; if sums
would take too long, there are none, and chains are run instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.contract import LatentCounts, SummedCounts
from privior.posterior.counts.law import Law
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.networks.class_rows import ClassRow, Windowed, log_noise, summed_row, window
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_tables import dirichlet
from privior.posterior.networks.known_tables import KnownTables
from privior.special import gammaln

#: the share of all weight that may be left out
_ERROR = 1e-9
#: how far the noise's log likelihood falls within a window at first, and how often that is tried anew
_FALL, _TRIES = 60.0, 3
#: multiply-adds of all convolutions, and records
_MOST_COST, _MOST_RECORDS = 2e9, 300_000


def class_sums(evidence: JointEvidence, priors: Sequence[Floats]) -> ClassSums | None:
    """Return the sums over all data sets of a star; None where they would take too long."""
    model, layout = evidence.layout.model, evidence.layout
    if model.root is None or layout.parities or evidence.total.most > _MOST_RECORDS:
        return None
    fall = _FALL
    for _ in range(_TRIES):
        found = _summed(evidence, tuple(priors), fall)
        if found is None or found.error <= _ERROR:
            return found
        fall += math.log(found.error / _ERROR) + 1
    return None


def _summed(evidence: JointEvidence, priors: tuple[Floats, ...], fall: float) -> ClassSums | None:
    layout, total = evidence.layout, evidence.total
    model = layout.model
    root = model.columns.index(str(model.root))
    classes, most = priors[root].size, total.most
    ends = np.cumsum([0, *(one.size for one in priors)])
    places = [layout.places[ends[k] : ends[k + 1]] for k in range(len(priors))]
    noise = [log_noise(evidence, some) for some in places]
    rows: dict[tuple[int, int], list[Windowed]] = {}
    cost = 0.0
    for feature, (own, prior) in enumerate(zip(noise, priors, strict=True)):
        if feature == root:
            continue
        levels = prior.size // classes
        for c in range(classes):
            cells = [window(own[k], prior[k], most, fall) for k in range(c * levels, (c + 1) * levels)]
            length = 0
            for cell in cells:
                cost += float(length) * cell.mass.size
                length = min(length + cell.mass.size, most + 1)
            rows[feature, c] = cells
    if cost > _MOST_COST:
        return None
    found = {key: summed_row(cells, most) for key, cells in rows.items()}
    numbers, classwise = np.arange(most + 1), list[_Class]()
    factorials = gammaln(numbers + 1.0)
    shapes = {row.kappa: factorials - gammaln(numbers + row.kappa) for row in found.values()}
    for c in range(classes):
        own = gammaln(numbers + priors[root][c]) - factorials + noise[root][c](numbers)
        mine = [row for (_, one), row in found.items() if one == c]
        own = own + np.sum([shapes[row.kappa] for row in mine], axis=0)
        each, bound = (
            own + np.sum([row.log_weights(numbers, at_most=up) for row in mine], axis=0) for up in (False, True)
        )
        classwise.append(_Class.of(each, bound, fall))
    if not all(math.isfinite(one.top) for one in classwise):
        return None
    joint = _Joint.of(classwise, factorials - gammaln(numbers + priors[root].sum()), known=total.known)
    return None if joint is None else ClassSums(evidence, priors, root, found, joint, cost)


@dataclass(frozen=True, eq=False)
class _Class:
    """The number of records of one class.

    Attributes:
        low: the least number that matters
        mass: the weights from there on, the largest being 1
        top: the log of that one
        more: by which part weights that matter are larger, at most
        others: the log of the weights of all other numbers, at most
    """

    low: int
    mass: Floats
    top: float
    more: float
    others: float

    @staticmethod
    def of(logs: Floats, bounds: Floats, fall: float) -> _Class:
        """Take the numbers whose weights have not fallen too far."""
        top = float(logs.max())
        if not math.isfinite(top):
            return _Class(0, np.ones(1), top, math.inf, math.inf)
        seen = np.flatnonzero(logs > top - fall)
        inside = slice(int(seen[0]), int(seen[-1]) + 1)
        others = np.delete(bounds, np.arange(inside.start, inside.stop))
        more = float(np.expm1(np.minimum(bounds[seen] - logs[seen], 700.0)).max())
        # What lies between numbers that matter, and does not, is an "other" one too
        gaps = logs[inside] <= top - fall
        others = np.append(others, bounds[inside][gaps])
        mass = np.where(gaps, 0.0, np.exp(logs[inside] - top))
        return _Class(inside.start, mass, top, more, float(np.logaddexp.reduce(others, initial=-math.inf)))


@dataclass(frozen=True, eq=False)
class _Joint:
    """The numbers of records of all classes together.

    Attributes:
        lows: the least number of each class
        masses: the weights from there on, the largest being 1
        before: the convolutions of the weights of the first classes: none, one, two and so on
        whole: the chance of each number of records in all
        first: the least such
        error: which share of all weights was left out, at most
    """

    lows: tuple[int, ...]
    masses: tuple[Floats, ...]
    before: tuple[Floats, ...]
    whole: Floats
    first: int
    error: float

    @staticmethod
    def of(classes: Sequence[_Class], weights: Floats, *, known: bool) -> _Joint | None:
        """Convolve what is known of each class, and weigh the sums; None if nothing is left.

        Args:
            classes: what is known of each
            weights: log n!/Γ(n+A) for all numbers of records
            known: whether there are as many records as there may be
        """
        before, scale, most = [np.ones(1)], 0.0, weights.size - 1
        for one in classes:
            both = np.convolve(before[-1], one.mass)
            scale += one.top + math.log(float(both.max()))
            before.append(both / both.max())
        first = sum(one.low for one in classes)
        numbers = first + np.arange(before[-1].size)
        allowed = (numbers == most) if known else (numbers <= most)
        with np.errstate(divide="ignore"):
            whole = np.log(before[-1]) + weights[np.minimum(numbers, most)]
        whole = np.where(allowed, whole, -np.inf)
        top = float(whole.max(initial=-np.inf))
        if not math.isfinite(top):
            return None
        chances = np.exp(whole - top)
        log_weight = top + math.log(float(chances.sum())) + scale
        error = math.expm1(min(sum(math.log1p(one.more) for one in classes), 700.0))
        every = [float(np.logaddexp(one.top + math.log((1 + one.more) * one.mass.sum()), one.others)) for one in classes]
        for one, mine in zip(classes, every, strict=True):
            error += math.exp(min(one.others + sum(every) - mine + float(weights.max()) - log_weight, 700.0))
        masses, lows = tuple(one.mass for one in classes), tuple(one.low for one in classes)
        return _Joint(lows, masses, tuple(before), chances / chances.sum(), first, error)

    @cached_property
    def chances(self) -> tuple[Floats, ...]:
        """The chance of each number of each class, from its least on."""
        return self.of_classes(self.whole)

    def of_classes(self, whole: Floats) -> tuple[Floats, ...]:
        """Return the weight of each number of each class, where those of numbers of all records are given."""
        ahead = np.divide(whole, self.before[-1], out=np.zeros(whole.size), where=whole > 0)
        found: list[Floats] = []
        for c in reversed(range(len(self.masses))):
            mass, start = self.masses[c], self.before[c]
            mine = mass * np.correlate(ahead, start, "valid")
            found.append(mine * (whole.sum() / mine.sum()))
            ahead = np.correlate(ahead, mass, "valid")
            ahead = ahead / ahead.max()
        return tuple(reversed(found))

    def draws(self, number: int, rng: np.random.Generator) -> Integers:
        """Draw the numbers of all classes, a data set a row."""
        found = np.empty((number, len(self.masses)), dtype=np.int64)
        left = rng.choice(self.whole.size, size=number, p=self.whole)
        for c in reversed(range(len(self.masses))):
            mass, start = self.masses[c], self.before[c]
            for value in np.unique(left):
                who = np.flatnonzero(left == value)
                low, high = max(0, value - start.size + 1), min(mass.size - 1, value)
                weights = mass[low : high + 1] * start[value - high : value - low + 1][::-1]
                found[who, c] = low + rng.choice(weights.size, size=who.size, p=weights / weights.sum())
            left = left - found[:, c]
        return found + np.array(self.lows)


@dataclass(frozen=True, eq=False)
class ClassSums(KnownTables):
    """The posterior of all tables of a star, summed.

    Attributes:
        evidence: the releases
        priors: the Dirichlet parameters of each table
        root: the place of the class's table
        rows: by feature and class
        joint: the numbers of records of all classes together
        cost: multiply-adds
    """

    evidence: JointEvidence
    priors: tuple[Floats, ...]
    root: int
    rows: dict[tuple[int, int], ClassRow]
    joint: _Joint
    cost: float

    @property
    def error(self) -> float:
        """Which share of all weights was left out, at most."""
        return self.joint.error

    @property
    def _classes(self) -> int:
        return self.priors[self.root].size

    def counts(self, place: int) -> LatentCounts:
        """Return the law of each count, and draws of whole data sets."""
        return ClassTable(self, place)

    def _levels(self, place: int) -> int:
        return self.priors[place].size // (1 if place == self.root else self._classes)

    def laws(self, place: int) -> tuple[Law, ...]:
        """Return the law of each count of a table."""
        each = zip(self.joint.lows, self.joint.chances, strict=True)
        if place == self.root:
            return tuple(Law(low, chances) for low, chances in each)
        found: list[Law] = []
        for c, (low, chances) in enumerate(each):
            row = self.rows[place, c]
            found += [Law(cell.low, mass) for cell, mass in zip(row.cells, row.laws(low, chances), strict=True)]
        return tuple(found)

    @cached_property
    def _means(self) -> tuple[Floats, ...]:
        found: list[Floats] = []
        for place, prior in enumerate(self.priors):
            if place == self.root:
                numbers = self.joint.first + np.arange(self.joint.whole.size)
                parts = self.joint.whole / (numbers + prior.sum())
                each = zip(self.joint.lows, self.joint.of_classes(parts), strict=True)
                expected = [float(mass @ (low + np.arange(mass.size))) for low, mass in each]
                found.append(np.array(expected) + prior * parts.sum())
                continue
            mine = prior.reshape(self._classes, -1)
            rows = []
            for c, (low, chances) in enumerate(zip(self.joint.lows, self.joint.chances, strict=True)):
                parts = chances / (low + np.arange(chances.size) + mine[c].sum())
                cells = zip(self.rows[place, c].cells, self.rows[place, c].laws(low, parts), strict=True)
                expected = [float(mass @ (cell.low + np.arange(mass.size))) for cell, mass in cells]
                rows.append(np.array(expected) + mine[c] * parts.sum())
            found.append(np.concatenate(rows))
        return tuple(found)

    def mean(self, place: int) -> Floats:
        """Return the expected entries of a table."""
        return self._means[place]

    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return how much of the variance of entries is that of their means given a data set."""
        shapes = self._shapes(place, self.table(place, self.joint.draws(number, rng), rng))
        whole = shapes.sum(axis=2, keepdims=True)
        means = shapes / whole
        noise, records = means.var(axis=0).sum(), (means * (1 - means) / (whole + 1)).mean(axis=0).sum()
        return float(noise / (noise + records)) if noise + records > 0 else 0.0

    def _shapes(self, place: int, tables: Integers) -> Floats:
        return np.asarray((tables + self.priors[place]).reshape(len(tables), -1, self._levels(place)))

    def tables(self, number: int, rng: np.random.Generator) -> Integers:
        """Draw the counts of all tables, each row those of one data set."""
        classes = self.joint.draws(number, rng)
        return np.concatenate([self.table(k, classes, rng) for k in range(len(self.priors))], axis=1)

    def table(self, place: int, classes: Integers, rng: np.random.Generator) -> Integers:
        """Draw the counts of one table, given the numbers of records of the classes."""
        if place == self.root:
            return classes
        rows = [self.rows[place, c].draws(classes[:, c], rng) for c in range(self._classes)]
        return np.concatenate(rows, axis=1)

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw data sets, then the entries of all tables given each."""
        tables = self.tables(number, rng)
        parts = np.split(tables, np.cumsum([one.size for one in self.priors])[:-1], axis=1)
        each = (dirichlet(self._shapes(place, part), rng) for place, part in enumerate(parts))
        return np.concatenate([one.reshape(number, -1) for one in each], axis=1)

    def learned(self, place: int) -> bool:
        """Learned priors are not summed out."""
        return False

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Everything was summed, but for what is bounded."""
        return Diagnostics.of_exact("summed over all data sets", self.cost, error=max(self.error, 1e-9))

    @property
    def how(self) -> str:
        """Say that nothing was sampled."""
        return f"all tables together, {self.diagnostics}"

    @property
    def together(self) -> bool:
        """They are."""
        return True

    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Nothing can go wrong."""
        return ()


@dataclass(frozen=True, eq=False)
class ClassTable(SummedCounts):
    """The counts of one table of a star.

    Attributes:
        known: all tables
        place: which one
    """

    known: ClassSums
    place: int

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Everything was summed."""
        return self.known.diagnostics

    @cached_property
    def marginals(self) -> tuple[Law, ...]:  # type: ignore[override]
        """The posterior of each count."""
        return self.known.laws(self.place)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Draw the numbers of records of the classes, then this table."""
        return self.known.table(self.place, self.known.joint.draws(size, rng), rng)
