"""What follows from a released minimiser of a logistic regression, or from noisy moments of its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self, final

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError
from privior.models import LogisticRegression
from privior.pictures import IntervalChart
from privior.posterior.contract import Posterior, posterior_for, with_prior
from privior.posterior.events import Event, quoted
from privior.posterior.findings import Finding, Table
from privior.posterior.numbers import Floats
from privior.posterior.own_rows import NOTHING, coded_rows, row_named
from privior.posterior.quantity import Quantity, check_level, no_intervals, quantiles
from privior.posterior.regression.index_draws import drawn_from_moments
from privior.posterior.regression.logistic_draws import LogisticDraws, drawn
from privior.posterior.regression.logistic_numbers import LogisticNumbers
from privior.release import Release
from privior.schema import Schema
from privior.special import ndtri

#: rows whose intervals are worked out at once
_BLOCK = 2000
#: draws over which predictions are averaged, about
_AVERAGED = 400
#: the name of what noisy moments are in a release
MOMENTS = "moments"
#: noise that fits the model leaves residuals of about 1; above this something is wrong
_WORST_MISFIT = 2.0


@final
@posterior_for(LogisticRegression)
@dataclass(frozen=True, repr=False, eq=False)
class LogisticPosterior(Posterior):
    """Coefficients and predictions; with intervals only if what these need was released too.

    Estimates and predictions are those of the released minimiser. Several releases are averaged, each weighed
    by the inverse of the variance of its noise on the gradient, and then have no intervals. Noisy moments
    give draws of the weights (`index_target`), over which predictions are averaged, and always intervals.

    Attributes:
        releases: what it follows from
        model: the regression; the prior plays no part in estimates
        weights: the released minimiser; of noisy moments the mean of the draws
        found: draws of the weights; None if nothing tells how uncertain they are
        averaged: whether predictions are averages over the draws
    """

    releases: tuple[Release, ...]
    model: LogisticRegression
    weights: Floats
    found: LogisticDraws | None = None
    averaged: bool = False

    understands: ClassVar[Mapping[str, str]] = {
        "p": "probability",
        "parameter": "parameter",
        "parameters": "parameters",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Take the released weights, and draw them if moments or sums of products were released."""
        model = with_prior(releases[0].plan.model, prior)
        told = {one.statistics.layouts[0].name for one in releases}
        if len(told) > 1:
            raise InferenceError(
                "releases of weights and of moments are not put together",
                asked=", ".join(sorted(one.plan.mechanism.name for one in releases)),
                advice="Infer from each kind by itself.",
            )
        if told == {MOMENTS}:
            if ignore_noise:
                raise InferenceError(
                    "the noise of moments cannot be ignored: noisy ones are often those of no table",
                    asked='noise="ignore"',
                )
            drawn_here = drawn_from_moments(releases, model)
            return cls(releases, model, drawn_here.weights.mean(axis=0), drawn_here, averaged=True)
        if ignore_noise:
            raise InferenceError(
                "there is no noise to ignore: the minimiser is taken as it was released",
                asked='noise="ignore"',
            )
        laws = [one.plan.mechanism for one in releases]
        each = np.array([law.weights(one.statistics) for law, one in zip(laws, releases, strict=True)])
        shares = np.array([1 / float(law.variance) for law in laws])
        weights = shares @ each / shares.sum()
        known = len(releases) == 1 and laws[0].intervals
        found = drawn(releases[0], model.scale) if known else None
        return cls(releases, model, weights, found)

    @property
    def about(self) -> str:
        """What its numbers are of: records as the question describes them, none of which was released."""
        return f"by the formula, of the process behind the table{self.whose}"

    @property
    def uncertain(self) -> bool:  # type: ignore[override]
        """Whether there are draws."""
        return self.found is not None

    @property
    def state(self) -> object:
        """The draws of weights, if there are any."""
        return self.found

    @classmethod
    def with_state(cls, releases: tuple[Release, ...], prior: object, state: object) -> Self:
        """Take the draws that were made before."""
        if not isinstance(state, LogisticDraws):
            raise TypeError("not the posterior of a logistic regression")
        law, model = releases[0].plan.mechanism, with_prior(releases[0].plan.model, prior)
        if releases[0].statistics.layouts[0].name == MOMENTS:
            return cls(releases, model, state.weights.mean(axis=0), state, averaged=True)
        return cls(releases, model, law.weights(releases[0].statistics), state)

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
        """Return the law of a function of the weights, or its estimate."""
        if self.found is not None:
            return Quantity.of(name, function(self.found.weights))
        return Quantity(name, float(function(self.weights[None])[0]), no_intervals, alone=True)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the estimated chance of the target's level, given values of other columns.

        Columns of which nothing is said are taken in the middle of their ranges, levels as the first one.
        """
        found = super().probability(event, given)
        return replace(found, provided=self.numbers.left_open(given))

    def rests_on(self, given: Event | object | None, *, of_shape: bool) -> str:
        """Say where columns are taken to be that nothing is said of."""
        return self.numbers.left_open(given)

    def parameter(self, name: str) -> Quantity:
        """Return what is known of a coefficient."""
        return self.parameter_named(name)

    def parameters(self) -> list[Quantity]:
        """Return what is known of every coefficient."""
        return [self.parameter(name) for name in self.numbers.parameters]

    quantities = parameters

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        if self.found is None:
            no_intervals()
        return self.found.weights[rng.integers(len(self.found.weights), size=number)]

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
        codes, there = self._codes(frame)
        if self.averaged and self.found is not None:
            some = self.found.weights[:: max(1, len(self.found.weights) // _AVERAGED)]
            yes = np.concatenate(
                [
                    self.numbers.chances(
                        some, {name: one[k : k + _BLOCK] for name, one in codes.items()}
                    ).mean(axis=0)
                    for k in range(0, max(len(there), 1), _BLOCK)
                ]
            )
        else:
            yes = self.numbers.chances(self.weights[None], codes)[0]
        return np.where(there[:, None], np.column_stack([1 - yes, yes]), np.nan)

    def predict_interval(self, frame: Any, level: float = 0.9) -> Floats:
        """Return the interval of each chance: lower and upper along a last axis, as (rows, levels, 2).

        It holds the chance that the true weights give with this probability.
        """
        check_level(level)
        if self.found is None:
            no_intervals()
        codes, there = self._codes(frame)
        found = np.full((len(there), 2, 2), np.nan)
        for start in range(0, len(there), _BLOCK):
            some = {name: one[start : start + _BLOCK] for name, one in codes.items()}
            ends = quantiles(self.numbers.chances(self.found.weights, some), level)
            found[start : start + _BLOCK, 1] = ends
            found[start : start + _BLOCK, 0] = 1 - ends[:, ::-1]
        return np.where(there[:, None, None], found, np.nan)

    def _codes(self, frame: Any) -> tuple[dict[str, Integers], Floats]:
        """Return the codes of rows, and which rows have them all: blanks count as the schema says."""
        target, *names = self.model.columns
        known = coded_rows(frame, self.schema, names, target, whole=True)
        rules = [self.schema.column(name).missing_code for name in names]
        codes = np.where(known == NOTHING, [NOTHING if one is None else one for one in rules], known)
        return dict(zip(names, codes.T, strict=True)), (codes != NOTHING).all(axis=1)

    def predict(self, frame: Any) -> Any:
        """Return the more probable level of the target for each row: an array of the schema's values.

        Rows with a cell that the schema leaves out are refused: they have none.
        """
        chances = self.predict_proba(frame)
        if np.isnan(chances).any():
            raise InferenceError(
                "some rows have cells that the schema leaves out",
                asked=row_named(int(np.isnan(chances[:, 0]).argmax())),
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
        ends = None if level is None else self.predict_interval(frame, level)
        chances, labels = self.predict_proba(frame), self.numbers.design.levels
        likely: list[object] = [None if np.isnan(one[0]) else labels[int(one.argmax())] for one in chances]
        target_name = self.model.target
        columns: dict[str, list[object]] = {target_name: likely}
        for place, label in enumerate(labels):
            columns[f"P({target_name}={label})"] = [
                None if np.isnan(one) else float(one) for one in chances[:, place]
            ]
            for side, word in enumerate(("low", "high") if ends is not None else ()):
                each = [] if ends is None else ends[:, place, side].tolist()
                columns[f"{word} P({target_name}={label})"] = each
        return columns

    # How it is shown

    @property
    def warnings(self) -> tuple[str, ...]:
        """That there are no intervals, or that chains disagree."""
        if self.found is not None:
            one = self.found.diagnostics
            chains = [] if one.warning is None else [f"WARNING: {one.warning}"]
            if one.misfit is not None and one.misfit > _WORST_MISFIT:
                chains.append(
                    "WARNING: the release contradicts model or prior, as if a level has hardly any records: "
                    f"its noise would be {one.misfit:.2g} times as strong as stated. Intervals are not to be "
                    "trusted."
                )
            return tuple(chains)
        return (
            "WARNING: these are estimates without intervals: the budget went into the weights, and how far "
            "noise and chance may have moved them depends on records that were not released",
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """That the formula is right, and what intervals take for granted."""
        linear = f"That the log odds of {self.model.target} are linear in the features."
        normal = (
            "Intervals take sums of features to be about Normal, as sums of several are, but for the two "
            "that move the log odds most: these are spread over their ranges as their mean and variance say."
        )
        if self.averaged:
            normal = (
                "That sums of the features, each times its weight, are about Normal, as sums of several are: "
                "moments tell no more. One feature of two levels that outweighs all others is not."
            )
        return (linear,) if self.found is None else (linear, normal)

    @property
    def computed(self) -> tuple[str, ...]:
        """The source and the diagnostics."""
        if self.found is None:
            return (self.source,)
        return (f"{self.source}; {self.found.diagnostics}",)

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the coefficients, with intervals if there are draws."""
        if self.found is not None:
            return [self._with_intervals(level)]
        rows = [[one.name, f"{one.mean:.5g}", f"{weight:.4g}"] for one, weight in self._beside()]
        no, yes = self.numbers.design.levels
        note = (
            f"estimate: what 1 of the column adds to the log odds of {yes} against {no}; end of range: what "
            "the feature adds from the middle to the end of its range"
        )
        table = Table([str(self.model.formula), "estimate", "end of range"], rows, note)
        return [Finding("The coefficients", table, words=lambda: self.warnings[0])]

    def _with_intervals(self, level: float) -> Finding:
        header = [str(self.model.formula), "mean", "stddev", f"{100 * level:g}% interval"]
        rows = [
            [
                one.name,
                f"{one.mean:.5g}",
                f"{one.stddev:.2g}",
                " to ".join(f"{end:.5g}" for end in one.interval(level)),
            ]
            for one in self.parameters()
        ]
        no, yes = self.numbers.design.levels
        note = f"what 1 of the column adds to the log odds of {yes} against {no}"
        return Finding(
            "The coefficients",
            Table(header, rows, note),
            picture=lambda: self.picture(level),
            words=lambda: "All intervals include the privacy noise and the finite number of records.",
        )

    def _beside(self) -> list[tuple[Quantity, float]]:
        return list(zip(self.parameters(), self.weights.tolist(), strict=True))

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw what each feature adds to the log odds from the middle to the end of its range."""
        check_level(level)
        if self.found is None:
            no_intervals()
        values, reach = self.found.weights, float(ndtri(0.5 + level / 2)) * self.found.alone
        centres, whole = values.mean(axis=0), quantiles(values, level)
        inner = np.column_stack(
            [
                np.clip(centres - reach, whole[:, 0], centres),
                np.clip(centres + reach, centres, whole[:, 1]),
            ]
        )
        return IntervalChart(
            list(self.numbers.parameters),
            centres,
            whole,
            inner,
            title=f"{self.model.target}: what each feature adds to the log odds, to the end of its range",
            note=self._note(level),
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "level": level,
            "formula": str(self.model.formula),
            "quantities": [self._numbers(one, level) for one in self.parameters()],
            "estimates": self.weights.tolist(),
            "warnings": list(self.warnings),
        }

    def _numbers(self, one: Quantity, level: float) -> dict[str, object]:
        if one.alone:
            return {"name": one.name, "estimate": one.mean}
        low, high = one.interval(level)
        return {"name": one.name, "mean": one.mean, "stddev": one.stddev, "low": low, "high": high}

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
