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
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self, final

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError
from privior.models import GibbsPosterior
from privior.pictures import IntervalChart
from privior.posterior.contract import Posterior, posterior_for, with_prior
from privior.posterior.events import Event, quoted
from privior.posterior.findings import Finding, Table
from privior.posterior.gibbs.gibbs_numbers import GibbsNumbers
from privior.posterior.numbers import Floats
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.posterior.own_rows import NOTHING, coded_rows, row_named
from privior.posterior.quantity import DRAWS, Quantity, check_level, quantiles
from privior.posterior.records import SampledRecords
from privior.posterior.seeds import drawing, seed_said
from privior.release import Release
from privior.schema import Schema

#: from so many draws on their own spread is looked at
_SEVERAL = 8
_OF_THE_MEAN = "The interval is of the mean of the Gibbs posterior, not of the truth."


@final
@posterior_for(GibbsPosterior)
@dataclass(frozen=True, repr=False, eq=False)
class GibbsBelief(Posterior):
    """Where the mean of a Gibbs posterior lies, given draws from it.

    Attributes:
        releases: one release
        model: the model
        seed: of what is drawn to read answers off
    """

    releases: tuple[Release, ...]
    model: GibbsPosterior
    seed: int = field(default_factory=seed_said, kw_only=True)
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
        model = releases[0].plan.model
        if with_prior(model, prior) != model:
            raise InferenceError("the prior is a part of what was drawn from", asked=str(prior))
        if ignore_noise:
            raise InferenceError(
                "draws are exact: there is no noise that could be ignored", asked='noise="ignore"'
            )
        return cls(releases, model)

    @property
    def about(self) -> str:
        """What its numbers are of, which is not the truth that a tempered posterior is shrunk away from."""
        return f"of the mean of the Gibbs posterior, by the formula{self.whose}"

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
        """m, with what the losses' own convexity adds to it."""
        return float(self.releases[0].plan.mechanism.whole_precision)

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
        return self._draws(DRAWS, drawing(0, self.seed))

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return what is known of a number that follows from the mean of the Gibbs posterior."""
        return Quantity.of(name, function(self.theta))

    def mode(self) -> NoReturn:
        """Refuse: draws do not tell it."""
        raise InferenceError("draws do not tell the mode of a Gibbs posterior")

    def sample(self, n: int, seed: int | None = None, *, released: int | None = None) -> SampledRecords:
        """Refuse: features are not modelled."""
        self.numbers.records(self.drawn[0], 1, np.random.default_rng(0))
        raise AssertionError  # never reached

    # What is known

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the chance of a level; columns that are left open are taken in the middle."""
        return replace(super().probability(event, given), provided=self.numbers.left_open(given))

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the mean of the target, likewise."""
        return replace(super().average(column, given), provided=self.numbers.left_open(given))

    def quantile(
        self, column: str, share: float, given: Event | object | None = None
    ) -> Quantity | OrderedQuantity:
        """Return the quantile that the loss is about, likewise."""
        return replace(super().quantile(column, share, given), provided=self.numbers.left_open(given))

    def rests_on(self, given: Event | object | None, *, of_shape: bool) -> str:
        """Say where columns are taken to be that nothing is said of."""
        return self.numbers.left_open(given)

    def parameter_named(self, name: str) -> Quantity:
        """Return a coefficient of the columns as they are: its mean is the average draw's, which is known."""
        found = super().parameter_named(name)
        average = self.numbers.parameter(name)[1](self.drawn).mean()
        return replace(found, mean=float(average))

    def parameter(self, name: str) -> Quantity:
        """Return a coefficient of the columns as they are."""
        return self.parameter_named(name)

    def parameters(self) -> list[Quantity]:
        """Return every coefficient of the columns as they are."""
        return [self.parameter(name) for name in self.numbers.parameters]

    quantities = parameters

    def predict_proba(self, frame: Any) -> Floats:
        """Return the chances of the target's levels for each row, as (rows, levels in the schema's order).

        The average over the draws. Cells follow the schema's rules, as in the table; rows with a cell that
        the schema leaves out are not a number.

        Args:
            frame: of pandas, polars, Arrow, or a dictionary of lists, without the target
        """
        predictors, there = self._predictors(frame)
        chances = self.numbers.loss.chance(predictors)
        if chances is None:
            raise InferenceError(
                f"the loss {self.model.loss.name} tells no probabilities", advice="Ask for predict(frame)."
            )
        yes = np.asarray(chances).mean(axis=0)
        return np.where(there[:, None], np.column_stack([1 - yes, yes]), np.nan)

    def predict(self, frame: Any) -> Any:
        """Return for each row what the loss is about: the level that most draws say, the mean, the quantile.

        Rows with a cell that the schema leaves out are refused where levels are predicted, else no number.
        """
        predictors, there = self._predictors(frame)
        loss = self.numbers.loss
        if loss.of_levels:
            if not there.all():
                raise InferenceError(
                    "some rows have cells that the schema leaves out",
                    asked=row_named(int(np.argmin(there))),
                    advice="Leave these rows out.",
                )
            chances = loss.chance(predictors)
            sides = (predictors > 0).astype(np.float64) if chances is None else np.asarray(chances)
            values = np.array(self.schema.column(self.model.target).values)
            return values[(sides.mean(axis=0) > 0.5).astype(np.int64)]
        means = loss.mean(predictors)
        each = predictors if means is None else np.asarray(means)
        return np.where(there, self.numbers.in_words_of_target(each.mean(axis=0)), np.nan)

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return what is predicted of the target for rows of one's own."""
        name = self.model.target
        if target not in (None, name):
            raise InferenceError("a regression predicts its target", asked=target, allowed=quoted(name))
        if level is not None:
            raise self._no_intervals(level)
        if self.numbers.loss.chance(np.zeros(1)) is None:
            return {name: list(self.predict(frame))}
        chances, labels = self.predict_proba(frame), self.numbers.design.levels
        likely: list[object] = [None if np.isnan(one[0]) else labels[int(one.argmax())] for one in chances]
        columns: dict[str, list[object]] = {name: likely}
        for place, label in enumerate(labels):
            columns[f"P({name}={label})"] = [
                None if np.isnan(one) else float(one) for one in chances[:, place]
            ]
        return columns

    def predict_interval(self, frame: Any, level: float = 0.9) -> NoReturn:
        """Refuse: intervals are of the mean of the Gibbs posterior, and say nothing of single records."""
        raise self._no_intervals(level)

    @staticmethod
    def _no_intervals(level: float) -> InferenceError:
        return InferenceError(
            "draws of a Gibbs posterior give no intervals of predictions",
            asked=f"level {level:g}",
            advice="Predict without a level; ask P(...) or mean(...) for intervals.",
        )

    def _predictors(self, frame: Any) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the predictors by each draw, and which rows have all features."""
        target, *names = self.model.columns
        known = coded_rows(frame, self.schema, names, target, whole=True)
        rules = [self.schema.column(name).missing_code for name in names]
        codes = np.where(known == NOTHING, [NOTHING if one is None else one for one in rules], known)
        there = (codes != NOTHING).all(axis=1)
        found = dict(zip(names, np.where(codes == NOTHING, 0, codes).T.astype(np.int64), strict=True))
        return self.numbers.predictors(found, self.drawn), there

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """That so few draws say little of their own spread; nothing where there are several."""
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
    def caveats(self) -> tuple[str, ...]:
        """What goes with every answer: that intervals are of the mean of the Gibbs posterior."""
        return (*self.warnings, _OF_THE_MEAN)

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
        """Say that draws are exact, and how many there are."""
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
        """Draw what features add from the middle to the end of their ranges, in units of the target."""
        check_level(level)
        unit = self.numbers.in_units_of_target
        centres, ends = unit * self.drawn.mean(axis=0), unit * quantiles(self.theta, level)
        names = list(self.numbers.parameters)
        if self.model.formula.intercept and unit != 1.0:  # it is no addition to the target's middle
            names, centres, ends = names[1:], centres[1:], ends[1:]
        ends = np.column_stack([np.minimum(ends[:, 0], centres), np.maximum(ends[:, 1], centres)])
        return IntervalChart(
            names,
            centres,
            ends,
            np.column_stack([centres, centres]),
            title=f"{self.model.target}: {self.numbers.added}, from the middle to the end of its range",
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
        return f"<posterior of {self.model.formula}, {self.source}>"
