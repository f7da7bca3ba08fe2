"""What follows from draws of a Gibbs posterior: where its mean lies, and predictions.

The N draws are exact ones of G ~ exp(-beta sum of losses) Normal(0, I/m). G is m-strongly log-concave, so in
no direction does a draw vary by more than 1/m (Brascamp, Lieb 1976): the average of N draws is within
Normal(0, I/(m N)) of the mean of G, whatever the records are. From eight draws on their own spread is taken,
with Student's factor, where it is smaller on the whole.

That is what is stated, and nothing else: G is not the posterior of the records unless beta is 1 and the loss
a log likelihood; how far its mean is from what more records would say, draws cannot tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self, final

import numpy as np

from privior.errors import InferenceError
from privior.models import GibbsPosterior
from privior.pictures import IntervalChart
from privior.posterior.contract import Posterior, posterior_for
from privior.posterior.findings import Finding, Table
from privior.posterior.gibbs.gibbs_numbers import GibbsNumbers
from privior.posterior.numbers import Floats
from privior.posterior.own_rows import NOTHING, coded_rows
from privior.posterior.quantity import DRAWS, SEED, Quantity, check_level, quantiles
from privior.posterior.records import Records
from privior.release import Release
from privior.schema import Schema

#: from so many draws on their own spread is looked at
_SEVERAL = 8


@final
@posterior_for(GibbsPosterior)
@dataclass(frozen=True, repr=False, eq=False)
class GibbsBelief(Posterior):
    """Where the mean of a Gibbs posterior lies, given draws from it.

    Attributes:
        releases: one release
        model: the model
    """

    releases: tuple[Release, ...]
    model: GibbsPosterior
    understands: ClassVar[Mapping[str, str]] = {
        **{name: way for name, way in Posterior.understands.items() if name != "sample"},
        "parameter": "parameter_named",
        "parameters": "parameters",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Take the draws of one release; the prior is a part of what was drawn from."""
        if len(releases) > 1:
            raise InferenceError(
                "draws of several Gibbs posteriors are not put together: each has a temperature of its own",
                asked=f"{len(releases)} releases",
                advice="Ask each of them.",
            )
        if prior is not None:
            raise InferenceError("the prior is a part of what was drawn from", asked=str(prior))
        if ignore_noise:
            raise InferenceError(
                "draws are exact: there is no noise that could be ignored", asked='noise="ignore"'
            )
        return cls(releases, releases[0].plan.model)

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> GibbsNumbers:
        """Return what weights say about records."""
        return GibbsNumbers(model, schema)

    @cached_property
    def numbers(self) -> GibbsNumbers:
        """What weights say about records."""
        return GibbsNumbers(self.model, self.schema)

    # The draws

    @cached_property
    def drawn(self) -> Floats:
        """The released draws, one a row, as weights of features in [-1, 1]."""
        found = self.releases[0].plan.mechanism.parameters_drawn(self.releases[0].statistics)
        return np.asarray(found)

    @property
    def precision(self) -> float:
        """m."""
        return float(self.releases[0].plan.mechanism.precision)

    @cached_property
    def _own_spread(self) -> Floats | None:
        """Deviations of the draws, times Student's factor; None if the bound is all there is."""
        count = len(self.drawn)
        if count < _SEVERAL:
            return None
        away = (self.drawn - self.drawn.mean(axis=0)) * math.sqrt((count - 1) / (count - 3))
        smaller = float((away**2).mean(axis=0).sum()) < self.drawn.shape[1] / self.precision
        return away if smaller else None

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw where the mean of the Gibbs posterior may lie."""
        count, size = self.drawn.shape
        if self._own_spread is None:
            moved = rng.standard_normal((number, size)) / math.sqrt(self.precision * count)
        else:
            moved = rng.standard_normal((number, count)) @ self._own_spread / math.sqrt(count * (count - 1))
        return np.asarray(self.drawn.mean(axis=0) + moved)

    @cached_property
    def theta(self) -> Floats:
        """Draws behind every number, always the same."""
        return self._draws(DRAWS, np.random.default_rng(SEED))

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return what is known of a number that follows from the mean of the Gibbs posterior."""
        return Quantity.of(name, function(self.theta))

    def mode(self) -> NoReturn:
        """Refuse: draws do not tell it."""
        raise InferenceError("draws do not tell the mode of a Gibbs posterior")

    def sample(self, n: int, seed: int | None = None, *, released: int | None = None) -> Records:
        """Refuse: features are not modelled."""
        self.numbers.records(self.drawn[0], 1, np.random.default_rng(0))
        raise AssertionError  # never reached

    # What is known

    def parameters(self) -> list[Quantity]:
        """Return every coefficient of the columns as they are."""
        averages = self.numbers.coefficients(self.drawn).mean(axis=0)
        found = [self.parameter_named(name) for name in self.numbers.parameters]
        return [replace(one, mean=float(mean)) for one, mean in zip(found, averages, strict=True)]

    quantities = parameters

    def predict_proba(self, frame: Any) -> Floats:
        """Return for each row the chances of the target's levels, in the schema's order; draws are averaged.

        Args:
            frame: of pandas, polars, Arrow, or a dictionary of lists; the target is not needed
        """
        chances = self.numbers.loss.chance(self._predictors(frame))
        if chances is None:
            raise InferenceError(
                f"the loss {self.model.loss.name} tells no probabilities", advice="Ask for predict(frame)."
            )
        yes = np.asarray(chances).mean(axis=0)
        return np.column_stack([1 - yes, yes])

    def predict(self, frame: Any) -> Any:
        """Return for each row the level, the mean or the quantile that the loss is about."""
        predictors = self._predictors(frame)
        loss = self.numbers.loss
        if loss.of_levels:
            chances = loss.chance(predictors)
            sides = (predictors > 0).astype(np.float64) if chances is None else np.asarray(chances)
            labels = self.schema.column(self.model.target).values
            return [labels[int(one)] for one in sides.mean(axis=0) > 0.5]
        means = loss.mean(predictors)
        return self.numbers.in_words_of_target(
            (predictors if means is None else np.asarray(means)).mean(axis=0)
        )

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return what is predicted of the target for rows of one's own."""
        name = self.model.target
        if target not in (None, name):
            raise InferenceError("a regression predicts its target alone", asked=target, allowed=name)
        if self.numbers.loss.chance(np.zeros(1)) is None:
            return {name: list(self.predict(frame))}
        chances = self.predict_proba(frame)
        labels = self.numbers.design.levels
        return {
            name: list(self.predict(frame)),
            **{f"P({name}={label})": chances[:, place].tolist() for place, label in enumerate(labels)},
        }

    def _predictors(self, frame: Any) -> Floats:
        target, *names = self.model.columns
        known = coded_rows(frame, self.schema, names, target, whole=True)
        rules = [self.schema.column(name).missing_code for name in names]
        codes = np.where(known == NOTHING, [0 if one is None else one for one in rules], known)
        return self.numbers.predictors(dict(zip(names, codes.T.astype(np.int64), strict=True)), self.drawn)

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """What draws cannot say."""
        count = len(self.drawn)
        if count >= _SEVERAL:
            return ()
        several = "One draw says nothing of its" if count == 1 else f"{count} draws say little of their"
        return (
            f"{several} own spread: intervals take the widest that the prior allows, and "
            "are as wide with a million records. For narrower ones release several draws (draws=20), or "
            "logistic regressions with intervals.",
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What a Gibbs posterior is."""
        heat = float(self.releases[0].plan.mechanism.temperature)
        return (
            f"Intervals are of the mean of the Gibbs posterior, in which a record has the weight {heat:.3g} "
            "and which is shrunk towards 0 by its prior. They do not say how far the truth is from it.",
        )

    @property
    def source(self) -> str:
        """Draws are exact."""
        count = len(self.drawn)
        draws = "one exact draw" if count == 1 else f"{count} exact draws"
        return f"{draws} of a Gibbs posterior ({self.releases[0].plan.cost})"

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the coefficients, and what they are."""
        header = [str(self.model.formula), "average draw", f"{100 * level:g}% interval"]
        rows = [
            [one.name, f"{one.mean:.5g}", " to ".join(f"{end:.5g}" for end in one.interval(level))]
            for one in self.parameters()
        ]
        return [
            Finding(
                "The coefficients",
                Table(header, rows, "intervals: of the mean of the Gibbs posterior"),
                picture=lambda: self.picture(level),
                words=lambda: " ".join(self.assumptions),
            )
        ]

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw the weights of features in [-1, 1]."""
        check_level(level)
        centres, ends = self.drawn.mean(axis=0), quantiles(self.theta, level)
        ends = np.column_stack([np.minimum(ends[:, 0], centres), np.maximum(ends[:, 1], centres)])
        return IntervalChart(
            list(self.numbers.parameters),
            centres,
            ends,
            np.column_stack([centres, centres]),
            title=f"{self.model.target}: what each feature adds, from the middle to the end of its range",
            note=self._note(level),
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        found = []
        for one in self.parameters():
            low, high = one.interval(level)
            found.append({"name": one.name, "mean": one.mean, "stddev": one.stddev, "low": low, "high": high})
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "formula": str(self.model.formula),
            "level": level,
            "draws": len(self.drawn),
            "quantities": found,
            "warnings": list(self.warnings),
        }

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say that there are coefficients instead of counts."""
        if question not in ("counts", "share", "table", "entries", "sample"):
            return None
        return "a Gibbs posterior has no table of counts", "Ask for parameters()."

    def __repr__(self) -> str:
        return f"<draws of {self.model.formula}, {self.source}>"
