"""Whether a family fits a column: what it says of records beside a noisy histogram of the same records.

Sums cannot tell the shape of a column. A histogram can, in public bins that follow from the family's release.
If the family is right, the histogram is like those that are drawn here: parameters from the posterior,
records given them, the mechanism's noise. How far the released one is from what is expected, in its worst run
of bins, is ranked among the drawn ones, so that a right family is called contradicted in at most
`FALSE_ALARM` of releases (sum and histogram are of the same records: they agree better than that).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError
from privior.mechanisms import CellNoise
from privior.pictures import listing, markup
from privior.posterior.conflict import FALSE_ALARM, Conflict
from privior.posterior.contract import Posterior
from privior.posterior.fit_bins import apart, check_shape, codes_below
from privior.posterior.inference import infer
from privior.posterior.numbers import Floats
from privior.release import Release

#: histograms that are drawn, at least so many for a rank below the false-alarm rate, and their seed
_DRAWN, _SEED = 19_999, 20_261_118


@dataclass(frozen=True, repr=False)
class Fit:
    """What a histogram says of a family.

    Attributes:
        assumption: what the family assumes, in words
        bins: the name of each bin
        noisy: the share of records in each, as released
        expected: as the family has it
        stddev: how far released shares are from that, if the family is right
        conflict: how improbable the histogram is if the family is right
        left_out: the bin that holds the bad cells and is not compared; empty if there is none
    """

    assumption: str
    bins: tuple[str, ...]
    noisy: Floats
    expected: Floats
    stddev: Floats
    conflict: Conflict
    left_out: str = ""

    @property
    def contradicted(self) -> bool:
        """Whether the histogram contradicts the family."""
        return self.conflict.found

    @property
    def says(self) -> str:
        """What follows, in words."""
        if self.contradicted:
            return (
                f"The histogram contradicts that {self.assumption} ({self.conflict.where}; so far away in "
                f"{self.conflict.rarity} if it were so): probabilities of records by this family are not to "
                f"be trusted; ask the histogram.{self._but}"
            )
        return (
            f"The histogram does not contradict that {self.assumption} (farthest away: "
            f"{self.conflict.where}). Shapes that differ by less than the noise would not be noticed."
            f"{self._but}"
        )

    @property
    def _but(self) -> str:
        return f" Bad cells are in {self.left_out}, which is not compared." if self.left_out else ""

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return a row for each bin: its noisy share beside what the family expects."""
        rows = zip(self.bins, self.noisy, self.expected, self.stddev, strict=True)
        return ["bin", "histogram", "family", "± (1 stddev)"], [
            [name, *(f"{number:.4f}" for number in numbers)] for name, *numbers in rows
        ]

    def to_document(self) -> dict[str, object]:
        """Write it as plain values, for JSON."""
        names = ("noisy", "expected", "stddev")
        return {
            "assumption": self.assumption,
            "contradicted": self.contradicted,
            "chance": self.conflict.chance,
            "false_alarm": FALSE_ALARM,
            "where": self.conflict.where,
            "bins": list(self.bins),
            "left_out": self.left_out,
            **{name: [float(one) for one in getattr(self, name)] for name in names},
        }

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), self.says])

    def __repr__(self) -> str:
        return f"<fit of {self.assumption}: {'contradicted' if self.contradicted else 'not contradicted'}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), markup.element("p", self.says))


def check_fit(family: Posterior | Release, histogram: Release, column: str | None = None) -> Fit:
    """Compare a family with a noisy histogram of the same records.

    Args:
        family: the family's posterior, or its release
        histogram: a release of a table of one column in bins, as `pv.histogram_for` asks for
        column: which one, where the family has several
    """
    belief: Posterior = infer(family) if isinstance(family, Release) else family
    plan, table = belief.releases[0].plan, histogram.plan
    check_shape(plan.model)
    name = table.model.columns[0] if column is None else column
    facts = [(one.schema.population, one.records, one.neighbours, one.group) for one in (plan, table)]
    counted = table.model.columns == (name,) and name in plan.model.columns and not table.model.assumption
    noise = table.mechanism.cell_noise
    if not counted or facts[0] != facts[1] or noise is None or noise.clamped:
        raise InferenceError(
            "not a noisy histogram of a column of this family, of the same records",
            asked=f"{' x '.join(table.model.columns)} of {table.schema.population}, {table.mechanism.name}",
            advice="Write its analysis file with privior check-fit RELEASE --write FILE.",
        )
    kind = table.schema.column(name)
    below, bad = codes_below(belief.schema, name, kind), apart(belief.schema, name, kind)
    rng = np.random.default_rng(_SEED)
    theta = belief.draws(_DRAWN, _SEED)
    cumulated = np.column_stack([belief.numbers.at_most(name, code)(theta) for code in below])
    chances = np.clip(np.diff(cumulated, axis=1, prepend=0.0, append=1.0), 0, 1)
    kept = np.array([code for code in range(kind.size) if code != bad])
    chances = chances[:, kept]
    chances /= chances.sum(axis=1, keepdims=True)
    observed = histogram.statistics.amounts.astype(np.float64)[kept]
    records = table.records if table.total_public and bad is None else max(1, int(observed.sum()))
    drawn = rng.multinomial(records, chances) + _noise(noise, _DRAWN, rng)[:, kept]
    labels = tuple(kind.labels[code] for code in kept)
    fit = _compared(plan.model.assumption, labels, observed, drawn.astype(np.float64), chances.mean(axis=0))
    return fit if bad is None else replace(fit, left_out=kind.labels[bad])


def _compared(
    assumption: str, labels: tuple[str, ...], observed: Floats, drawn: Floats, expected: Floats
) -> Fit:
    """Rank what was released among what was drawn, by the run of bins that is farthest away."""
    every = np.vstack([observed, drawn])
    totals = np.maximum(every.sum(axis=1, keepdims=True), 1)
    away = every / totals - expected
    below = away.cumsum(axis=1)[:, :-1]
    runs = np.column_stack([away, below])
    names = [*labels, *(f"up to {label}" for label in labels[:-1])]
    spread = np.maximum(runs[1:].std(axis=0), 1e-300)
    farthest = np.abs(runs) / spread
    ranks = farthest.max(axis=1)
    place = int(farthest[0].argmax())
    share = float(np.append(expected, expected.cumsum()[:-1])[place])
    where = f"{names[place]}: {share + runs[0, place]:.3f} of records instead of {share:.3f}"
    chance = float((1 + (ranks[1:] >= ranks[0]).sum()) / len(ranks))
    conflict = Conflict(chance, where, len(names))
    return Fit(assumption, labels, away[0] + expected, expected, spread[: len(labels)], conflict)


def _noise(noise: CellNoise, size: int, rng: np.random.Generator) -> Integers:
    """Draw the noise of histograms, one a row: to compare with, never to release."""
    found: list[Integers] = []
    while sum(map(len, found)) < size:
        shape = (size, noise.rates.size)
        laplace = -np.expm1(-np.where(noise.rates > 0, noise.rates, 50.0))
        gauss = np.sqrt(np.divide(1, noise.curvatures, out=np.zeros(shape[1]), where=noise.curvatures > 0))
        drawn = rng.geometric(laplace, shape) - rng.geometric(laplace, shape)
        drawn += np.rint(gauss * rng.standard_normal(shape)).astype(np.int64)
        if noise.sums_to_zero:  # what the last cell would have to be, accepted by its probability
            drawn[:, -1] = -drawn[:, :-1].sum(axis=1)
            drawn = drawn[rng.random(size) < np.exp(-noise.rates[-1] * np.abs(drawn[:, -1]))]
        found.append(drawn)
    return np.concatenate(found)[:size]
