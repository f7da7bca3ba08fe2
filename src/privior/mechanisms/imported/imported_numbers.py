"""Noisy numbers that others made: their noise and their promise are declared, and nothing is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, is_whole, plain_fields
from privior.errors import InferenceError, shown
from privior.exact import decimal
from privior.mechanisms.contract import Asked, CellNoise, CellTerm, Mechanism, Offer, on_request_for
from privior.mechanisms.imported.noise_law import NoiseLaw, to_noise_law
from privior.mechanisms.imported.treatment import Treatment
from privior.mechanisms.tables.table_mechanism import check_unit
from privior.models import MOST_DECIMALS, ExactStatistics, Layout, Model, Observed
from privior.privacy import Budget, Guarantee, Neighbours, Sensitivity
from privior.privacy.pairs import ApproximatePair
from privior.schema import Schema

_LONGEST_SOURCE = 300
#: numbers with decimals are taken as they stand if their last place is so fine against the noise
_FINE = 100


@final
@on_request_for(Model)
@dataclass(frozen=True)
class ImportedNumbers(Mechanism):
    """Statistics of a model with independent noise of a declared law, published by somebody else.

    What is inferred is as true as the declaration. The guarantee is a claim of theirs: the pair is the one
    that dominates every mechanism with that epsilon and delta.

    Attributes:
        model: whose statistics they are
        schema: the public facts about its columns
        epsilon, delta: what is claimed
        neighbours: of which neighbours that is claimed
        source: who made them
        noise: the law of the noise, of all numbers or of each
        treatment: what was done to the noisy numbers before they were published
        decimals: numbers are in units of 10^-decimals
        blanks: which numbers were left out, counted from 0 through all arrays; they stand as 0
    """

    model: Model
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    source: str
    noise: tuple[NoiseLaw, ...]
    treatment: Treatment
    decimals: int
    blanks: tuple[int, ...]
    name: ClassVar[str] = "imported-numbers"
    about: ClassVar[str] = "noisy numbers made by others"
    randomness: ClassVar[str] = "theirs: nothing is known of it"
    imported: ClassVar[bool] = True
    declared: ClassVar[bool] = True

    def __init__(
        self,
        model: Model,
        schema: Schema,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str,
        source: str,
        noise: NoiseLaw | Sequence[NoiseLaw],
        treatment: Treatment,
        decimals: int = 0,
        blanks: Sequence[int] = (),
    ) -> None:
        budget = Budget.of(epsilon, delta)
        fill(self, model=model, schema=schema, epsilon=budget.epsilon, delta=budget.delta)
        fill(self, neighbours=Neighbours.of(neighbours), source=self._line(source))
        laws = (noise,) if isinstance(noise, NoiseLaw) else noise
        fill(self, noise=tuple(laws) if isinstance(laws, (list, tuple)) else ())
        fill(self, treatment=treatment, decimals=decimals, blanks=blanks)
        if not self.noise or not all(isinstance(one, NoiseLaw) for one in self.noise):
            raise self.refusal(
                "not a law of noise", asked=shown(noise), allowed="pv.LaplaceNoise, pv.GaussianNoise"
            )
        if not isinstance(treatment, Treatment):
            raise self.refusal(
                "what was done to the numbers is not said",
                asked=shown(treatment),
                allowed="pv.AS_DRAWN, pv.Treatment(clipped_at=0, ...)",
                advice="Clipped, rounded or suppressed numbers that are taken as drawn give wrong answers.",
            )
        if not is_whole(decimals, 0, MOST_DECIMALS):
            raise self.refusal("not a number of decimals", asked=shown(decimals), allowed=MOST_DECIMALS)
        self._check_numbers(blanks)
        self._check_fine()

    def _line(self, source: object) -> str:
        if not isinstance(source, str) or not source.strip() or len(source) > _LONGEST_SOURCE:
            raise self.refusal("who made the numbers is not said in a line", asked=shown(source))
        if not source.isprintable():
            raise self.refusal("the source has signs that cannot be printed", asked=shown(source))
        return source

    def _check_numbers(self, blanks: object) -> None:
        """Refuse blanks that are none, or another number of laws than of numbers."""
        size = sum(layout.size for layout in self.layouts)
        if len(self.noise) not in (1, size):
            raise self.refusal(
                "not one law of noise, or one for each number", asked=len(self.noise), allowed=size
            )
        found = tuple(blanks) if isinstance(blanks, (list, tuple)) else (None,)
        if not all(is_whole(one, 0, size - 1) for one in found) or list(found) != sorted(set(found)):
            raise self.refusal("not the places of blanks", asked=shown(blanks))
        fill(self, blanks=found)
        if found and self.treatment.suppressed_below is None:
            raise self.refusal(
                "a number is missing",
                asked=f"{len(found)} blank(s)",
                advice="Say below what numbers were left blank: suppressed_below=..., --suppressed-below.",
            )

    def _check_fine(self) -> None:
        """Refuse decimals that the noise cannot have, and rounding that is not declared."""
        unit = Fraction(1, 10**self.decimals)
        for law in self.noise:
            if law.discrete and self.decimals:
                raise self.refusal("discrete noise on whole numbers gives no decimals", asked=str(law))
            rounded = self.treatment.rounded_to is not None
            if not law.discrete and not rounded and unit * _FINE > law.size:
                raise self.refusal(
                    "the numbers have fewer decimals than continuous noise: they were rounded",
                    asked=f"{self.decimals} decimals, {law}",
                    advice=f"Say so: rounded_to={decimal(unit)}, --rounded-to {decimal(unit)}.",
                )

    # What is promised: by others

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves the statistics of the model."""
        return self.model.sensitivity(self.schema, self.neighbours)

    @property
    def guarantee(self) -> Guarantee:
        """What those who made the numbers claim; privior has not checked it."""
        pair = ApproximatePair(self.epsilon, self.delta)
        reason = f"claimed by {self.source}; not proved here"
        unit = Sensitivity.unit(self.schema.unit.max_rows)
        return Guarantee(pair, self.neighbours, Budget(self.epsilon, self.delta), reason, unit)

    @property
    def declaration(self) -> str:
        """Whose guarantee it is: theirs, named as they are in the file."""
        return f"the guarantee is theirs: {self.source} claims it, and privior has checked nothing of it"

    @property
    def drawback(self) -> str:
        """Say where Laplace noise of the declared scale cannot give the epsilon that is claimed."""
        law = self.noise[0]
        if self.delta or set(self.noise) != {law} or not law.rate:
            return ""
        given = self.model.sensitivity(self.schema, self.neighbours).l1 / law.size
        if given <= self.epsilon:
            return ""
        return (
            f"Laplace noise of this scale gives epsilon {float(given):.4g} under {self.neighbours}, not "
            f"the {float(self.epsilon):.4g} that {self.source} claims: scale, neighbours or claim are wrong."
        )

    def check(self, asked: Asked) -> None:
        """Refuse another model, schema or unit."""
        check_unit(self, asked)
        if (self.model, self.schema, self.neighbours) != (asked.model, asked.schema, asked.neighbours):
            raise self.refusal("the numbers are of another model, schema or neighbour relation")

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Nothing can be planned with it."""
        return ()

    def release(self, statistics: ExactStatistics) -> Observed:
        """Refuse: others have released already."""
        raise self.refusal("numbers of others are imported, not released")

    # What was published

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """Those of the model's statistics."""
        found = self.model.layouts(self.schema, self.neighbours)
        return tuple(replace(one, decimals=self.decimals) for one in found)

    def _laws(self, size: int) -> tuple[NoiseLaw, ...]:
        return self.noise * size if len(self.noise) == 1 else self.noise

    def _intervals(self, observed: Observed) -> list[tuple[float, float]]:
        """Return between what each noisy number lay."""
        blanks, unit = set(self.blanks), 10**self.decimals
        numbers = (
            None if place in blanks else Fraction(one, unit) for place, one in enumerate(observed.counts)
        )
        laws = self._laws(len(observed.counts))
        return [
            self.treatment.interval(one, discrete=law.discrete)
            for one, law in zip(numbers, laws, strict=True)
        ]

    def admits(self, observed: Observed, records: int) -> bool:
        """Raise what is wrong with the numbers for what is said to have been done to them."""
        if any(observed.counts[place] for place in self.blanks):
            return False
        self._intervals(observed)
        return True

    def log_likelihoods(self, observed: Observed, sums: Integers) -> Floats:
        """Return the log probability of what was published for each column of possible statistics."""
        found = np.zeros(sums.shape[1])
        intervals = self._intervals(observed)
        for (low, high), law, exact in zip(intervals, self._laws(len(intervals)), sums, strict=True):
            found += _log_published(law, low, high, exact.astype(np.float64))
        return found

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return it for the true statistics."""
        return float(self.log_likelihoods(observed, statistics.counts[:, np.newaxis])[0])

    def count_log_likelihoods(self, observed: Observed, numbers: Integers) -> Floats:
        """Return the log probability of the first number alone, which counts records."""
        low, high = self._intervals(observed)[0]
        return _log_published(self.noise[0], low, high, numbers.astype(np.float64))

    @property
    def variances(self) -> tuple[float, ...]:
        """The variance of the noise of each number, and of what rounding adds to it."""
        size = sum(layout.size for layout in self.layouts)
        rounding = float(self.treatment.rounded_to or 0) ** 2 / 12
        return tuple(law.variance + rounding for law in self._laws(size))

    @property
    def cell_noise(self) -> CellNoise:
        """The noise alone; numbers that were treated are said to be moved."""
        laws = self._laws(sum(layout.size for layout in self.layouts))
        rates, curvatures = ([law.rate for law in laws], [law.curvature for law in laws])
        return CellNoise(np.array(rates), np.array(curvatures), clamped=not self.treatment.none)

    def cell_terms(self, observed: Observed, records: int) -> tuple[CellTerm, ...]:
        """Write the likelihood of each number in pieces (`Pieces`), the first ones in the first term."""
        if self.treatment.none:
            return super().cell_terms(observed, records) or ()
        intervals = self._intervals(observed)
        found = [law.pieces(*ends) for law, ends in zip(self._laws(len(intervals)), intervals, strict=True)]
        pieces = [one for one in found if one is not None]
        if len(pieces) < len(found):
            raise InferenceError(
                "counts are not inferred from such numbers",
                where=self.name,
                asked=f"{self.treatment}; {self.noise[0]}",
                allowed="Laplace noise, or continuous Gaussian noise that was rounded finely",
                advice="Ask for the numbers as they were drawn.",
            )
        shape = max(len(one.points) for one in pieces), len(pieces)
        at, rates, curvatures, shares = (np.zeros(shape) for _ in range(4))
        for cell, one in enumerate(pieces):
            at[: len(one.points), cell], rates[: len(one.points), cell] = one.points, one.rates
            curvatures[0, cell] = one.curvature
        np.divide(rates, rates.sum(axis=0), out=shares, where=rates.sum(axis=0) > 0)
        shares[0, curvatures[0] > 0] = 1
        return tuple(map(CellTerm, at, rates, curvatures, shares / np.array(self.variances)))

    def cell_gammas(self, observed: Observed) -> None:
        """Return nothing: these are no draws."""

    # Words and files

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say whose numbers they are, and what is declared of them."""
        laws = "; ".join(dict.fromkeys(map(str, self.noise)))
        blanks = f"; {len(self.blanks)} blank" if self.blanks else ""
        return [
            ("source", self.source),
            ("noise", f"{laws}, as declared: what is inferred is as true as that"),
            ("treatment", f"{self.treatment}, as declared{blanks}"),
        ]

    def to_document(self) -> dict[str, object]:
        """Write the laws and the treatment as plain values too."""
        own = plain_fields(self, "model", "schema", "noise", "treatment")
        laws = [one.to_document() for one in self.noise]
        return {"name": self.name, **own, "noise": laws, "treatment": self.treatment.to_document()}

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        laws = [to_noise_law(one) for one in entries.pop("noise")]
        treatment = Treatment.from_document(entries.pop("treatment"))
        return cls(model, schema, noise=laws, treatment=treatment, **entries)


def _log_published(law: NoiseLaw, low: float, high: float, exact: Floats) -> Floats:
    """Return the log probability that noise on the exact number leads to where the published one tells."""
    return law.log_densities(low - exact) if low == high else law.log_within(low - exact, high - exact)
