"""The posterior of a linear regression given noisy moments, and what it says of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self, final

import numpy as np

from privior.errors import InferenceError
from privior.models import LinearRegression
from privior.pictures import FanChart, IntervalChart
from privior.posterior.contract import posterior_for, released_draws, with_prior
from privior.posterior.events import Event, quoted
from privior.posterior.families.family_posterior import FamilyPosterior
from privior.posterior.findings import Finding, Table
from privior.posterior.numbers import Floats
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.posterior.own_rows import NOTHING, coded_rows
from privior.posterior.quantity import Quantity, check_level, quantiles
from privior.posterior.regression.ball_posterior import drawn_from_ball
from privior.posterior.regression.regression_draws import RegressionDraws, drawn
from privior.posterior.regression.regression_numbers import RegressionNumbers
from privior.release import Release
from privior.schema import Schema
from privior.schema.columns import Bounded, Integer
from privior.special import ndtri

#: records whose intervals are worked out at once
_BLOCK = 2000
#: noise that fits the model leaves residuals of about 1; above this something is wrong
_WORST_MISFIT = 2.0
#: draws whose lines are kept within the bounds one by one, about
_CUT = 200
#: points of a fan
_POINTS = 41
#: fans that are shown unasked
_FANS = 3


@final
@posterior_for(LinearRegression)
@dataclass(frozen=True, repr=False, eq=False)
class RegressionPosterior(FamilyPosterior):
    """Coefficients, the size of the errors and what follows, by draws.

    Attributes:
        releases: what it follows from
        model: the regression with the prior that was used
        found: the draws
    """

    releases: tuple[Release, ...]
    model: LinearRegression
    found: RegressionDraws

    understands: ClassVar[Mapping[str, str]] = {**FamilyPosterior.understands, "parameters": "parameters"}

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer weights, errors and the latent moments together; a prior is one such as `pv.Ridge("0.5")`."""
        if ignore_noise:
            raise InferenceError(
                "the noise of moments cannot be ignored: noisy ones are often those of no table",
                asked='noise="ignore"',
            )
        model = with_prior(releases[0].plan.model, prior)
        found = drawn_from_ball if any(map(released_draws, releases)) else drawn
        return cls(releases, model, found(releases, model))

    @property
    def state(self) -> object:
        """The draws of all parameters."""
        return self.found

    @classmethod
    def with_state(cls, releases: tuple[Release, ...], prior: object, state: object) -> Self:
        """Take the draws that were made before."""
        if not isinstance(state, RegressionDraws):
            raise TypeError("not the posterior of a regression")
        return cls(releases, with_prior(releases[0].plan.model, prior), state)

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> RegressionNumbers:
        """Return what parameters say about records."""
        return RegressionNumbers(model, schema)

    @cached_property
    def numbers(self) -> RegressionNumbers:
        """What parameters say about records."""
        return RegressionNumbers(self.model, self.schema)

    @cached_property
    def theta(self) -> Floats:
        """All draws, one a row, as `RegressionNumbers` reads them."""
        one = self.found
        return self.numbers.rows(one.intercept, one.weights, one.stddev, one.means, one.scatter)

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self.theta[rng.integers(len(self.theta), size=number)]

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a function of the parameters, by all draws."""
        return Quantity.of(name, function(self.theta))

    def mode(self) -> NoReturn:
        """Refuse: draws do not tell the mode of several parameters."""
        raise InferenceError("the mode of several parameters together is not looked for")

    # What is known

    def rests_on(self, given: Event | object | None, *, of_shape: bool) -> str:
        """Say that single records are as Normal errors make them."""
        return f"the errors of {self.model.target} are Normal" if of_shape else ""

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the law of the probability that the target has a value, provided that errors are Normal."""
        return replace(super().probability(event, given), provided=self.rests_on(given, of_shape=True))

    def quantile(
        self, column: str, share: float, given: Event | object | None = None
    ) -> Quantity | OrderedQuantity:
        """Return the law of a quantile of the target's values, provided that errors are Normal."""
        found = super().quantile(column, share, given)
        return replace(found, provided=self.rests_on(given, of_shape=True))

    def parameter(self, name: str) -> Quantity:
        """Return the posterior of a coefficient, of "stddev of errors" or of "R squared"."""
        return self.parameter_named(name)

    def parameters(self) -> list[Quantity]:
        """Return the posterior of every coefficient, of the size of the errors and of R squared."""
        return [self.parameter(name) for name in self.numbers.parameters]

    quantities = parameters

    @cached_property
    def sampling_stddev(self) -> Floats:
        """What the records alone would leave open of each coefficient: by the variance given true moments."""
        turn = self.numbers.to_coefficients
        return np.sqrt(np.maximum(np.diag(turn @ self.found.within @ turn.T), 0.0))

    @property
    def noise_share(self) -> float:
        """About which share of the variance of the coefficients the privacy noise makes up."""
        whole = self.numbers.coefficients(self.theta).var(axis=0)
        return float(np.mean(np.clip(1 - self.sampling_stddev**2 / np.maximum(whole, 1e-300), 0.0, 1.0)))

    # Predictions

    def predict(self, frame: Any) -> Floats:
        """Return the expected target of each row of a frame; free, and without the target.

        It is the mean over the draws of what each draw's line says, kept within the target's bounds: where
        much is left open and a bound is near, the middle of what is possible lies inside.

        Args:
            frame: of pandas, polars, Arrow, or a dictionary of lists. Cells follow the schema's rules, as in
                the table; rows with a cell that the schema leaves out are not a number.
        """
        features, there = self._features(frame)
        found = [
            self._expected(features[start : start + _BLOCK])
            for start in range(0, max(len(features), 1), _BLOCK)
        ]
        return np.where(there, self._clipped(self.numbers.in_words_of_target(np.concatenate(found))), np.nan)

    def _expected(self, features: Floats) -> Floats:
        """Return the mean of the line of each draw, kept within the bounds: by all draws but for the
        bounds."""
        one, some = self.found, slice(None, None, max(1, len(self.found.intercept) // _CUT))
        lines = one.intercept[some] + features @ one.weights[some].T
        cut = (np.clip(lines, -0.5, 0.5) - lines).mean(axis=1)
        return np.asarray(one.intercept.mean() + features @ one.weights.mean(axis=0) + cut)

    def predict_interval(self, frame: Any, level: float = 0.9) -> Floats:
        """Return for each row an interval that has its target with this probability: errors included."""
        check_level(level)
        features, there = self._features(frame)
        found, rng = [], np.random.default_rng(0)
        errors = self.found.stddev * rng.standard_normal(self.found.stddev.size)
        for start in range(0, max(len(features), 1), _BLOCK):
            some = features[start : start + _BLOCK]
            values = self.found.intercept[:, None] + self.found.weights @ some.T + errors[:, None]
            found.append(quantiles(values, level))
        ends = self._clipped(self.numbers.in_words_of_target(np.concatenate(found)))
        return np.where(there[:, None], ends, np.nan)

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return the expected target of each row, and the ends of an interval of it if a level is said."""
        name = self.model.target
        if target not in (None, name):
            raise InferenceError("a regression predicts its target", asked=target, allowed=quoted(name))

        def written(values: Floats) -> list[object]:
            return [None if np.isnan(one) else float(one) for one in values]

        columns = {name: written(self.predict(frame))}
        if level is not None:
            ends = self.predict_interval(frame, level)
            columns |= {f"{word} {name}": written(ends[:, side]) for side, word in enumerate(("low", "high"))}
        return columns

    def _features(self, frame: Any) -> tuple[Floats, Floats]:
        """Return the features of rows, and which rows have them all: blanks count as the schema says."""
        target, *names = self.model.columns
        known = coded_rows(frame, self.schema, names, target, whole=True)
        rules = [self.schema.column(name).missing_code for name in names]
        codes = np.where(known == NOTHING, [NOTHING if one is None else one for one in rules], known)
        there = (codes != NOTHING).all(axis=1)
        return self.numbers.features(dict(zip(names, codes.T, strict=True))), there

    def _clipped(self, values: Floats) -> Floats:
        lower, step, size = self.numbers.target_grid
        return np.clip(values, lower, lower + step * (size - 1))

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        one = self.found.diagnostics
        chains = [] if one.warning is None else [f"WARNING: {one.warning}"]
        if one.misfit is not None and one.misfit > _WORST_MISFIT:
            chains.append(
                "WARNING: the release contradicts model or prior, as if a level has hardly any records: its "
                f"noise would be {one.misfit:.2g} times as strong as stated. Intervals are not to be trusted."
            )
        return (*super().warnings, *chains)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """That the formula is right, which no moments tell."""
        return (
            f"That {self.model.target} is linear in the features, with Normal errors of one size: moments "
            "cannot tell. Coefficients are those of the best line whatever the shape; probabilities and "
            "intervals of single records hold only if that is so.",
        )

    @property
    def computed(self) -> tuple[str, ...]:
        """The source and the diagnostics."""
        one = self.found.diagnostics
        return (f"{self.source}; {one}, residuals {one.misfit:.2f} (about 1 or below if the model fits)",)

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the coefficients, and where their uncertainty comes from."""
        header = [str(self.model.formula), "mean", "stddev", f"{100 * level:g}% interval", "records alone"]
        alone = [f"{one:.2g}" for one in self.sampling_stddev] + ["", ""]
        rows = [
            [
                one.name,
                f"{one.mean:.5g}",
                f"{one.stddev:.2g}",
                " to ".join(f"{end:.5g}" for end in one.interval(level)),
                left,
            ]
            for one, left in zip(self.parameters(), alone, strict=True)
        ]
        note = "records alone: the standard deviation that would be left without privacy noise"
        shown = Finding(
            "The coefficients",
            Table(header, rows, note),
            picture=lambda: self.picture(level),
            words=self._share,
        )
        fans = [
            Finding(f"{self.model.target} by {name}", picture=self._fan(name, level))
            for name in self._numeric
        ]
        return [shown, *fans[:_FANS]]

    def _fan(self, name: str, level: float) -> Callable[[], FanChart]:
        return lambda: self.fan(name, level)

    @property
    def _numeric(self) -> tuple[str, ...]:
        names = self.model.columns[1:]
        return tuple(one for one in names if isinstance(self.schema.column(one), Integer | Bounded))

    def _share(self) -> str:
        explained = self.parameter("R squared")
        low, high = explained.interval()
        return (
            f"The privacy noise accounts for about {100 * self.noise_share:.0f}% of the variance of the "
            "coefficients, the finite number of records for the rest. All intervals include both. The "
            f"features explain about {100 * explained.mean:.0f}% of the variance of {self.model.target}, "
            f"between {100 * low:.0f}% and {100 * high:.0f}% with probability 90%."
        )

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw the coefficients with the part that the records alone would leave open.

        Each is shown as what its feature adds to the target: a number from the middle to the end of its
        range, a level beside the one that it is compared with, as its coefficient.
        """
        check_level(level)
        features = self.numbers.design.features
        ends = [2.0 if len(one.parts) == 1 and one.at_ends(self.schema) else 1.0 for one in features]
        unit = self.numbers.in_units_of_target / np.sqrt(self.numbers.design.terms) * np.array(ends)
        values = self.found.weights * unit
        reach = float(ndtri(0.5 + level / 2)) * np.sqrt(np.diag(self.found.within)[1:]) * unit
        centres = values.mean(axis=0)
        whole = quantiles(values, level)
        inner = np.column_stack(
            [np.maximum(centres - reach, whole[:, 0]), np.minimum(centres + reach, whole[:, 1])]
        )
        inner = np.column_stack([np.minimum(inner[:, 0], centres), np.maximum(inner[:, 1], centres)])
        return IntervalChart(
            [feature.name for feature in features],
            centres,
            whole,
            inner,
            title=f"{self.model.target}: what each feature adds",
            note="numbers: from the middle to the end of their range; " + self._note(level),
        )

    def fan(self, column: str, level: float = 0.9, given: Event | object | None = None) -> FanChart:
        """Draw the mean of the target against one column of numbers, with intervals of it and of single
        records.

        Args:
            column: of numbers, among those that explain
            level: of the intervals
            given: values of other columns; those that are left open are as people of each value are on
                average
        """
        check_level(level)
        known = self.schema.column(column)
        if column not in self._numeric or not isinstance(known, Integer | Bounded):
            raise InferenceError(
                "not a column of numbers that explains", asked=column, allowed=", ".join(self._numeric)
            )
        codes = np.unique(np.linspace(0, known.size - 1, _POINTS).astype(int))
        lower, step = float(known.lower), float(known.grid) if isinstance(known, Bounded) else 1.0
        middle, means, records = [], [], []
        for code in codes:
            more: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
            both = self.numbers.expected({**more, column: known.labels[code]})
            mean, variance = both(self.theta)
            spread = np.sqrt(variance) * np.random.default_rng(1).standard_normal(len(mean))
            middle.append(float(mean.mean()))
            means.append(quantiles(mean, level))
            records.append(quantiles(mean + spread, level))
        turned = [
            self._clipped(self.numbers.in_words_of_target(np.array(one))) for one in (middle, means, records)
        ]
        return FanChart(
            (lower + step * codes).tolist(),
            turned[0].tolist(),
            {f"single records, {100 * level:g}%": turned[2], f"the mean, {100 * level:g}%": turned[1]},
            title=f"{self.model.target} by {column}",
            x_label=column,
            y_label=self.model.target,
            note=self._note(level),
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        alone = dict(zip(self.numbers.design.names, self.sampling_stddev.tolist(), strict=True))
        found = super().to_document(level)
        for one in found["quantities"]:  # type: ignore[attr-defined]
            if one["name"] in alone:
                one["records_alone"] = alone[one["name"]]
        return {**found, "formula": str(self.model.formula), "r_hat": self.found.diagnostics.r_hat}

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say that there are coefficients instead of counts."""
        if question not in ("counts", "share", "table", "entries"):
            return None
        target = quoted(self.model.target)
        return (
            "a regression has no table of counts",
            f"Ask for parameters(), or for mean({target} | column=value).",
        )

    def __repr__(self) -> str:
        return f"<posterior of {self.model.formula}, {self.source}>"
