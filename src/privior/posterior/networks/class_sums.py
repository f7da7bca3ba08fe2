"""What is known of a class and features that depend on it alone, summed over all data sets.

Given the numbers N_c of records of the classes, every row of every feature's table is by itself
(`class_walk`): its records are divided among cells with weights

    w_x(m) = Γ(m+α_x) / m! q(observed - m),    so that N records weigh N!/Γ(N+κ) (w_1 * w_2 * ...)(N),

a convolution over the cells. Products over features give what is known of each N_c, a convolution over
classes what is known of n. Backwards, chances of all counts follow, and whole data sets are drawn. Priors are
fixed.

Counts are looked for where the noise does not fall below e^-C of its largest. What a row leaves out, some
cell being outside its window, weighs at most the cell's tail times all weights of the other cells, whatever N
is. So each N_c has a weight and an upper bound of it; in sums over classes n!/Γ(n+A) is taken at its largest
where bounds and weights differ. If what may be left out is not below `_ERROR` of what was summed, C grows; if
sums would take too long, there are none, and chains are run instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.networks.all_summed import AllSummed
from privior.posterior.networks.class_numbers import AllClasses, OneClass
from privior.posterior.networks.class_rows import ClassRow, Windowed, log_noise, summed_row, window
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.special import gammaln

#: the share of all weight that may be left out
_ERROR = 1e-9
#: how far the noise's log likelihood falls within a window at first, and how often that is tried anew
_FALL, _TRIES = 60.0, 3
#: multiply-adds of all convolutions, and records
_MOST_COST, _MOST_RECORDS = 2e9, 300_000


def class_sums(evidence: JointEvidence, priors: Sequence[Floats]) -> ClassSums | None:
    """Return the sums over all data sets of a star; None where they would take too long."""
    model = evidence.layout.model
    if model.root is None or not evidence.of_cells or evidence.total.most > _MOST_RECORDS:
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
    numbers, classwise = np.arange(most + 1), list[OneClass]()
    factorials = gammaln(numbers + 1.0)
    shapes = {row.kappa: factorials - gammaln(numbers + row.kappa) for row in found.values()}
    for c in range(classes):
        own = gammaln(numbers + priors[root][c]) - factorials + noise[root][c](numbers)
        mine = [row for (_, one), row in found.items() if one == c]
        own = own + np.sum([shapes[row.kappa] for row in mine], axis=0)
        each, bound = (
            own + np.sum([row.log_weights(numbers, at_most=up) for row in mine], axis=0)
            for up in (False, True)
        )
        classwise.append(OneClass.of(each, bound, fall))
    if not all(math.isfinite(one.top) for one in classwise):
        return None
    joint = AllClasses.of(classwise, factorials - gammaln(numbers + priors[root].sum()), known=total.known)
    return None if joint is None else ClassSums(evidence, priors, root, found, joint, cost)


@dataclass(frozen=True, eq=False)
class ClassSums(AllSummed):
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
    joint: AllClasses
    cost: float

    @property
    def error(self) -> float:
        """Which share of all weights was left out, at most."""
        return self.joint.error

    @property
    def _classes(self) -> int:
        return self.priors[self.root].size

    @property
    def total(self) -> IntegerLaw:
        """The law of the number of records of all classes together."""
        return IntegerLaw(self.joint.first, self.joint.whole)

    def levels(self, place: int) -> int:
        """Return the number of levels of a table's node."""
        return self.priors[place].size // (1 if place == self.root else self._classes)

    def laws(self, place: int) -> tuple[IntegerLaw, ...]:
        """Return the law of each count of a table."""
        each = zip(self.joint.lows, self.joint.chances, strict=True)
        if place == self.root:
            return tuple(IntegerLaw(low, chances) for low, chances in each)
        found: list[IntegerLaw] = []
        for c, (low, chances) in enumerate(each):
            row = self.rows[place, c]
            found += [
                IntegerLaw(cell.low, mass)
                for cell, mass in zip(row.cells, row.laws(low, chances), strict=True)
            ]
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
        shapes = self.shapes(place, self.table(place, self.joint.draws(number, rng), rng))
        whole = shapes.sum(axis=2, keepdims=True)
        means = shapes / whole
        noise, records = means.var(axis=0).sum(), (means * (1 - means) / (whole + 1)).mean(axis=0).sum()
        return float(noise / (noise + records)) if noise + records > 0 else 0.0

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

    def one_table(self, place: int, number: int, rng: np.random.Generator) -> Integers:
        """Draw the numbers of records of the classes, then one table."""
        return self.table(place, self.joint.draws(number, rng), rng)

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Everything was summed, but for what is bounded."""
        return Diagnostics.of_exact("summed over all data sets", self.cost, error=max(self.error, 1e-9))

    @property
    def how(self) -> str:
        """Say that nothing was sampled."""
        return f"all tables together, {self.diagnostics}"
