"""What follows from a released minimiser of a logistic regression: estimates and predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self, final

import numpy as np

from privior.errors import InferenceError
from privior.models import LogisticRegression
from privior.pictures import Picture
from privior.posterior.contract import Posterior, posterior_for, with_prior
from privior.posterior.events import Event, quoted
from privior.posterior.findings import Finding, Table
from privior.posterior.numbers import Floats
from privior.posterior.own_rows import NOTHING, coded_rows
from privior.posterior.quantity import Quantity, no_intervals
from privior.posterior.regression.logistic_numbers import LogisticNumbers
from privior.release import Release
from privior.schema import Schema


@final
@posterior_for(LogisticRegression)
@dataclass(frozen=True, repr=False, eq=False)
class LogisticPosterior(Posterior):
    """Estimated coefficients and predictions, without intervals: nothing released tells how sure they are.

    Several releases are averaged, each weight by the inverse of its noise's variance on the gradient.

    Attributes:
        releases: what it follows from
        model: the regression; the prior plays no part in estimates
        weights: the released minimiser
    """

    releases: tuple[Release, ...]
    model: LogisticRegression
    weights: Floats

    uncertain: ClassVar[bool] = False
    understands: ClassVar[Mapping[str, str]] = {
        "p": "probability",
        "parameter": "parameter",
        "parameters": "parameters",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Take the released weights."""
        if ignore_noise:
            raise InferenceError(
                "there is no noise to ignore: the minimiser is taken as it was released",
                asked='noise="ignore"',
            )
        laws = [one.plan.mechanism for one in releases]
        each = np.array([law.weights(one.statistics) for law, one in zip(laws, releases, strict=True)])
        shares = np.array([1 / float(law.variance) for law in laws])
        weights = shares @ each / shares.sum()
        return cls(releases, with_prior(releases[0].plan.model, prior), weights)

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> LogisticNumbers:
        """Return what weights say about records."""
        return LogisticNumbers(model, schema)

    @cached_property
    def numbers(self) -> LogisticNumbers:
        """What weights say about records."""
        return LogisticNumbers(self.model, self.schema)

    # What is known

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the estimate of a function of the weights."""
        return Quantity(name, float(function(self.weights[None])[0]), no_intervals, alone=True)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the estimated chance of the target's level, given values of other columns.

        Columns of which nothing is said are taken in the middle of their ranges, levels as the first one.
        """
        found = super().probability(event, given)
        return replace(found, provided=self.numbers.left_open(given))

    def parameter(self, name: str) -> Quantity:
        """Return the estimate of a coefficient."""
        return self.parameter_named(name)

    def parameters(self) -> list[Quantity]:
        """Return the estimate of every coefficient."""
        return [self.parameter(name) for name in self.numbers.parameters]

    quantities = parameters

    def draws(self, n: int, seed: int | None = None) -> NoReturn:
        """Refuse: there is no law to draw from."""
        no_intervals()

    def _draws(self, number: int, rng: np.random.Generator) -> NoReturn:
        no_intervals()

    def sample(self, n: int, seed: int | None = None, *, released: int | None = None) -> NoReturn:
        """Refuse: nothing is known of the columns that explain."""
        self.numbers.records(self.weights, 1, np.random.default_rng(0))

    # Predictions

    def predict_proba(self, frame: Any) -> Floats:
        """Return the chances of the target's levels for each row, as (rows, levels in the schema's order).

        Args:
            frame: of pandas, polars, Arrow, or a dictionary of lists, without the target. Cells follow the
                schema's rules, as in the table; rows with a cell that the schema leaves out are not a number.
        """
        target, *names = self.model.columns
        known = coded_rows(frame, self.schema, names, target, whole=True)
        rules = [self.schema.column(name).missing_code for name in names]
        codes = np.where(known == NOTHING, [NOTHING if one is None else one for one in rules], known)
        there = (codes != NOTHING).all(axis=1)
        yes = self.numbers.chances(self.weights[None], dict(zip(names, codes.T, strict=True)))[0]
        return np.where(there[:, None], np.column_stack([1 - yes, yes]), np.nan)

    def predict(self, frame: Any) -> Any:
        """Return the more probable level of the target for each row: an array of the schema's values.

        Rows with a cell that the schema leaves out are refused: they have none.
        """
        chances = self.predict_proba(frame)
        if np.isnan(chances).any():
            raise InferenceError(
                "some rows have cells that the schema leaves out",
                asked=f"row {int(np.isnan(chances[:, 0]).argmax())}",
                advice="Leave these rows out, or ask predict_proba(frame).",
            )
        return np.array(self.schema.column(self.model.target).values)[chances.argmax(axis=1)]

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return for each row the more probable level of the target and the chance of each level."""
        if target not in (None, self.model.target):
            raise InferenceError(
                "a regression predicts its target", asked=target, allowed=quoted(self.model.target)
            )
        if level is not None:
            no_intervals()
        chances, labels = self.predict_proba(frame), self.numbers.design.levels
        likely: list[object] = [None if np.isnan(one[0]) else labels[int(one.argmax())] for one in chances]
        target_name = self.model.target
        columns: dict[str, list[object]] = {target_name: likely}
        for place, label in enumerate(labels):
            columns[f"P({target_name}={label})"] = [
                None if np.isnan(one) else float(one) for one in chances[:, place]
            ]
        return columns

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """That there are no intervals."""
        return (
            "WARNING: these are estimates without intervals: the budget went into the weights, and how far "
            "noise and chance may have moved them depends on records that were not released",
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """That the formula is right."""
        return (f"That the log odds of {self.model.target} are linear in the features.",)

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the estimated coefficients."""
        rows = [[one.name, f"{one.mean:.5g}", f"{weight:.4g}"] for one, weight in self._beside()]
        no, yes = self.numbers.design.levels
        note = (
            f"estimate: what 1 of the column adds to the log odds of {yes} against {no}; end of range: what "
            "the feature adds from the middle to the end of its range"
        )
        table = Table([str(self.model.formula), "estimate", "end of range"], rows, note)
        return [Finding("The coefficients", table, words=lambda: self.warnings[0])]

    def _beside(self) -> list[tuple[Quantity, float]]:
        return list(zip(self.parameters(), self.weights.tolist(), strict=True))

    def picture(self, level: float = 0.9) -> Picture:
        """Refuse: there are no intervals to draw."""
        no_intervals()

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "level": level,
            "formula": str(self.model.formula),
            "estimates": [
                {"name": one.name, "value": one.mean, "end_of_range": weight}
                for one, weight in self._beside()
            ],
            "warnings": list(self.warnings),
        }

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say that there are coefficients instead of counts, and no records."""
        target = quoted(self.model.target)
        yes = quoted(self.numbers.design.levels[1])
        ask = f"Ask for parameters(), or for P({target}={yes} | column=value)."
        if question == "sample":
            return "what records are like was not released", ask
        if question in ("counts", "share", "table", "entries", "mean", "median", "quantile"):
            return "a logistic regression tells of the chances of its target alone", ask
        return None

    def __repr__(self) -> str:
        return f"<posterior of {self.model.formula}, {self.source}>"
