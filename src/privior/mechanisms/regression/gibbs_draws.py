"""Exact draws from a Gibbs posterior, as hot as privacy needs it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, known_as, whole_number
from privior.errors import PlanError
from privior.exact import decimal
from privior.mechanisms.contract import Asked, Mechanism, offered_for
from privior.mechanisms.regression.gibbs_calibration import GibbsCalibration, exact_float
from privior.mechanisms.regression.gibbs_effort import MOST_SECONDS, Expected, expected
from privior.mechanisms.tables.table_mechanism import check_records
from privior.models import ExactRecords, GibbsPosterior, Layout, Loss, Model, Observed, check_in_units
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours, Sensitivity
from privior.privacy.pairs import DominatingPair
from privior.randomness import Bits, Potential, centre, draw_from, envelope
from privior.registry import outside
from privior.schema import Schema

MOST_DRAWS = 1000
#: weights are published on a grid of 2^-_PLACES
_PLACES = 30
#: how far predictors may be unknown to floats, in units in which losses bend; how much more losses may bend
#: than the prior, and between which powers of 2 its precision lies
_BLUR, _BENT, _PRECISE = Fraction(1, 8), 2**40, 200
#: of how many weights the normaliser is integrated, and at how many points each
_POINTS = {1: 2001, 2: 121, 3: 41}


@final
@offered_for(GibbsPosterior)
@dataclass(frozen=True)
class GibbsDraws(Mechanism):
    """N independent draws of the weights from exp(-beta sum of losses) Normal(0, I/m), rounded to a grid.

    **Lipschitz losses.** With rows of length R at most (the intercept is a feature like the others) and a
    loss of slope s, each loss is L = s R-Lipschitz and convex in theta; the negative logarithm of the prior
    is m-strongly convex, in the intercept's direction too. Two neighbouring data sets have m-strongly convex
    potentials on one convex set, all of R^d or a ball, whose difference is G-Lipschitz: G = 2 beta L if a
    record is replaced, beta L if one is added. One draw is mu-GDP with mu = G / sqrt(m) (Gopi, Lee, Liu,
    Private Convex Optimization via Exponential Mechanism, 2022); N draws have sqrt(N) mu.

    **Strongly convex losses.** Where each record's loss has m_l/2 |theta|^2 beside, and n is public, the sum
    of these is beta n m_l/2 |theta|^2 whatever the records are: it belongs to both potentials, which are
    (m + beta n m_l)-strongly convex, and their difference is that of the rest, 2 beta L-Lipschitz. So mu =
    2 beta L / sqrt(m + beta n m_l), with L without the ridge: no ball is needed for it. m + beta n m_l is
    rounded to a float, with which draws are made and mu is computed.

    **Bounded losses** (a ball, delta = 0). The loss of one record varies by at most V where predictors are
    within R W: the log density ratio of two neighbours has a range of at most 2 beta V, and of beta V if a
    record is added. One draw is pure with that epsilon and has a bounded range (the paper's Theorems 3 and 4
    have 4 beta A for losses within A; `GibbsCalibration.loss_range` has the proof), N draws N times as much.

    Draws are exact (`randomness.shell_draws`) and rounded to whole multiples of 2^-30: post-processing.

    Attributes:
        model: loss, formula and prior
        schema: the public facts of the columns
        records: n, exact under replace-one, the largest possible one otherwise
        draws: N
        temperature: beta, a float that is meant exactly
        precision: m, likewise
    """

    model: GibbsPosterior
    schema: Schema
    records: int
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    draws: int
    temperature: Fraction
    precision: Fraction
    name: ClassVar[str] = "gibbs-draws"
    about: ClassVar[str] = "exact draws from a Gibbs posterior"
    randomness: ClassVar[str] = "exact rejection, decided by interval arithmetic from the system's bits"
    stands_for: ClassVar[str] = "posterior-draws"
    options: ClassVar[Mapping[str, object]] = {"draws": 1}
    draws_posterior: ClassVar[bool] = True
    slow: ClassVar[bool] = True

    def __init__(
        self,
        model: GibbsPosterior,
        schema: Schema,
        records: int,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        draws: int = 1,
        temperature: object = None,
        precision: object = None,
    ) -> None:
        self._set(
            model,
            schema,
            records,
            epsilon,
            delta,
            neighbours=neighbours,
            draws=draws,
            temperature=temperature,
            precision=precision,
        )
        if self.declared:
            self._try_loss()
        foreseen = self.expected
        if foreseen.seconds > MOST_SECONDS:
            raise self._not_drawn(
                f"exact draws could take too long: for some tables of {self.records} records up to "
                f"{foreseen.trials:.3g} trials a draw cannot be ruled out"
            )

    def _set(
        self,
        model: GibbsPosterior,
        schema: Schema,
        records: int,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        draws: int = 1,
        temperature: object = None,
        precision: object = None,
    ) -> None:
        """Set and check all but how long it takes, which is nothing to those who read what was drawn, and
        somebody's constants at random points: nothing that was drawn is refused by chance."""
        budget = Budget.of(epsilon, delta)
        whole_number(draws, "draws", 1, MOST_DRAWS, what="not a number of draws", error=PlanError)
        fill(self, model=model, schema=schema, records=check_records(records, self.name))
        fill(self, epsilon=budget.epsilon, delta=budget.delta, draws=draws)
        fill(self, neighbours=Neighbours.of(neighbours))
        if model.convexity and self.neighbours is not REPLACE_ONE:
            raise self.refusal(
                "the losses' own convexity counts for a public number of records only",
                asked=str(self.neighbours),
                allowed=str(REPLACE_ONE),
                advice="Say no convexity, but a prior.",
            )
        self.sensitivity  # noqa: B018 - refuses a schema that does not fit
        if not self.loss.samplable:
            raise self._not_drawn("this loss states no lower bound of how it bends (concordance)")
        if budget.delta == 0 and self.radius is None:
            raise self.refusal(
                "needs delta > 0, or weights within a ball: without one the losses are not bounded",
                advice="Say radius=... in the model, or give a delta.",
            )
        self._calibrate(exact_float(precision, "precision"), exact_float(temperature, "temperature"))
        self._check_floats()

    def _calibrate(self, precision: Fraction | None, temperature: Fraction | None) -> None:
        """Set m and beta; those that are said must keep the budget, and the model's prior."""
        by, found = self.calibration, precision is None or temperature is None
        if found and self.delta and not by.mu_squared:
            raise self.refusal("this budget is too small", asked=str(by.budget))
        fill(self, precision=by.precision() if precision is None else precision)
        fill(self, temperature=by.temperature(self.precision) if temperature is None else temperature)
        if not by.enough(self.precision, self.temperature):
            raise self.refusal(
                "this temperature does not give the stated guarantee", asked=decimal(self.temperature)
            )
        if self.model.prior is not None and precision not in {None, by.precision()}:
            raise self.refusal(
                "the precision is not that of the model's prior", asked=decimal(self.precision)
            )

    def _try_loss(self) -> None:
        """Refuse constants of somebody's loss that do not hold in the units of the target."""

        def targets(places: Integers) -> Floats:
            return self.model.targets_at(places, self.schema)

        values = self.schema.column(self.model.target).size
        check_in_units(self.loss, values, targets, self.calibration.tried(self.precision), Bits())

    def _check_floats(self) -> None:
        """Refuse, whatever the data, what would make draws endless because floats know too little.

        No table makes a draw fail (`randomness.shells`): this is about time alone. The search for the mode
        begins at 0 and only falls, so that m |c|^2 / 2 <= beta n L |c| and |c| <= 2 beta n L / m. Floats know
        predictors at c up to 1.01 (d+1) u R |c|, u = 2^-53: with a concordance C at least 1 - C times that is
        left of how losses bend, here 7/8. All curvature together is at most beta n B R^2 + m, B the
        smoothness; 2^40 times m leaves 13 bits for the prior's part of it.
        """
        design, n = self.model.design(self.schema), self.records
        heat = self.temperature / self.whole_precision
        away = (2 * heat * n) ** 2 * self.calibration.lipschitz_squared
        if self.radius is not None:
            away = min(away, self.radius**2)
        blur = Fraction(101, 100) * (design.size + 1) * (self.loss.concordance or 0) / 2**53
        bent = 1 + heat * n * self.loss.smoothness * design.squared_norm
        precise = Fraction(1, 2**_PRECISE) < self.whole_precision < 2**_PRECISE
        if blur**2 * design.squared_norm * away > _BLUR**2 or bent > _BENT or not precise:
            raise self.refusal(
                "the loss bends too sharply for draws by floats, next to this prior",
                asked=f"{self.loss}: {float(bent):.3g} times as much as the prior",
                allowed=f"{_BENT:.3g} times, and predictors that floats know to 1/8 of the loss's width",
                advice="Take a wider loss, a narrower prior or fewer records.",
            )

    def _not_drawn(self, what: str) -> PlanError:
        return self.refusal(
            what,
            allowed=f"an expected {MOST_SECONDS:g} seconds",
            advice="Take fewer features, fewer draws or a narrower prior; for two levels "
            "pv.LogisticRegression, whose objective perturbation does not depend on such draws.",
        )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon and delta on the largest temperature that keeps them."""
        draws = asked.options.get("draws", 1)
        spent = (asked.records, asked.budget.epsilon, asked.budget.delta)
        return cls(
            known_as(GibbsPosterior, asked.model),
            asked.schema,
            *spent,
            neighbours=asked.neighbours,
            draws=draws,
        )

    # Constants

    @property
    def loss(self) -> Loss:
        """The loss in the units of the target."""
        return self.calibration.loss

    @cached_property
    def calibration(self) -> GibbsCalibration:
        """What the constants of the loss and the budget make of temperature and prior."""
        spent = Budget.of(self.epsilon, self.delta)
        return GibbsCalibration(self.model, self.schema, self.records, spent, self.neighbours, self.draws)

    @property
    def radius(self) -> Fraction | None:
        """The radius of the ball in which weights are drawn; None without one."""
        return self.calibration.radius

    @cached_property
    def whole_precision(self) -> Fraction:
        """m + beta n m_l, as the float that it is drawn with."""
        return self.calibration.whole(self.precision, self.temperature)

    @cached_property
    def _pair(self) -> DominatingPair:
        return self.calibration.pair(self.precision, self.temperature)

    # What it promises

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the numbers of records of each kind."""
        return self.model.sensitivity(self.schema, self.neighbours)

    @property
    def guarantee(self) -> Guarantee:
        """mu-GDP; or pure, on a ball."""
        several = "" if self.draws == 1 else f", {self.draws} draws"
        if self.delta == 0:
            reason = self._bounded(self.temperature * self.calibration.loss_range)
            return Guarantee(self._pair, self.neighbours, Budget(self.epsilon), reason)
        length = math.sqrt(self.calibration.lipschitz_squared)
        own = (
            f" and {float(self.model.convexity):.4g} of each, {float(self.whole_precision):.4g} in all"
            if self.model.convexity
            else ""
        )
        reason = (
            f"convex losses, {length:.4g}-Lipschitz at temperature {float(self.temperature):.4g}, under a "
            f"prior of precision {float(self.precision):.4g}{own} (Gopi, Lee, Liu 2022){several}"
        )
        return Guarantee(self._pair, self.neighbours, Budget(self.epsilon, self.delta), reason)

    def _bounded(self, eta: Fraction) -> str:
        several = "" if self.draws == 1 else f", {self.draws} draws"
        reason = f"bounded losses: the log density ratio of neighbours has a range of {float(eta):.4g}"
        return f"{reason} (Wang, Fienberg, Smola 2015){several}"

    @property
    def earlier_reasons(self) -> tuple[str, ...]:
        """Under replace-one a range of twice the length was charged: more than there is."""
        if self.delta or self.neighbours is not REPLACE_ONE:
            return ()
        return (self._bounded(2 * self.temperature * self.calibration.loss_range),)

    @property
    def declared(self) -> bool:
        """Whether the loss was written outside privior: its constants were tried, not proved."""
        return outside(type(self.model.loss))

    @property
    def declaration(self) -> str:
        """Who declares the constants."""
        return (
            f"the constants of the loss {self.model.loss.name} are declared by code outside privior, which "
            "has tried them at public points and not proved them"
        )

    def check(self, asked: Asked) -> None:
        """Refuse another model, schema, neighbour relation or number of records."""
        if asked.model != self.model or asked.schema != self.schema:
            raise self.refusal("the mechanism is for another model or schema")
        if asked.neighbours is not self.neighbours or asked.records != self.records:
            raise self.refusal("the mechanism is for another neighbour relation or number of records")

    # What it publishes

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The weights of each draw, of features in [-1, 1]."""
        return (Layout("weights", (self.draws, self.model.design(self.schema).size), _PLACES),)

    @cached_property
    def expected(self) -> Expected:
        """What draws are expected to take at most, by a public rule."""
        design = self.model.design(self.schema)
        return expected(
            self.loss,
            design.size,
            self.records,
            math.sqrt(design.squared_norm) * (1 + 2.0**-40),
            float(self.temperature),
            float(self.whole_precision),
            None if self.radius is None else float(self.radius),
            self.draws,
        )

    def _potential(self, statistics: ExactRecords) -> Potential:
        codes = statistics.codes
        return Potential(
            self.model.design(self.schema).rows(codes),
            self.model.targets(codes, self.schema),
            self.loss,
            float(self.temperature),
            float(self.whole_precision),
            None if self.radius is None else float(self.radius),
        )

    def release(self, statistics: ExactRecords) -> Observed:
        """Draw exactly; numbers too large for files, which hardly ever occur, become the largest.

        No table makes it fail, not one of more records than were planned for either: `shells.plain`.
        """
        if self.model.convexity and statistics.total != self.records:
            raise ValueError("the records are not as many as planned")
        potential, bits = self._potential(statistics), Bits()
        given = envelope(potential)
        drawn = [draw_from(potential, given, _PLACES, bits) for _ in range(self.draws)]
        most = self.largest - 1
        return Observed(self.layouts, (tuple(max(-most, min(most, one)) for row in drawn for one in row),))

    def log_likelihood(self, observed: Observed, statistics: ExactRecords) -> float:
        """Return the log density of the draws, integrated where there are at most three weights."""
        potential = self._potential(statistics)
        points = _POINTS.get(potential.size)
        if points is None:
            raise self.refusal(
                "the law of so many weights is not normalised", asked=potential.size, allowed=3
            )
        at = centre(potential)
        whiten = np.linalg.inv(np.linalg.cholesky(potential.curvature(at)))
        axis = np.linspace(-10, 10, points)
        grid = np.stack(np.meshgrid(*[axis] * potential.size, indexing="ij"), axis=-1).reshape(
            -1, potential.size
        )
        base = potential.at(at)[0]
        heights = np.exp(-(_at(potential, at + grid @ whiten) - base))
        volume = (axis[1] - axis[0]) ** potential.size * abs(float(np.linalg.det(whiten)))
        log = math.log(float(heights.sum()) * volume) - base
        return float(-_at(potential, self.parameters_drawn(observed)).sum() - self.draws * log)

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return the weights, one draw a row."""
        return observed.values()

    def admits(self, observed: Observed, records: int) -> bool:
        """Any weights are possible; on a ball those in it, up to the grid."""
        if self.radius is None:
            return True
        lengths = np.linalg.norm(observed.values(), axis=1)
        return bool(
            (lengths <= float(self.radius) + 2.0**-_PLACES * math.sqrt(observed.layouts[0].shape[1])).all()
        )

    @property
    def draw_weight(self) -> Fraction:
        """The temperature, by which losses of records count against the prior."""
        return self.temperature

    # Words and files

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say temperature, prior, and what drawing takes."""
        foreseen = self.expected
        bounds = f"{math.sqrt(self.calibration.lipschitz_squared):.4g}-Lipschitz"
        ball = "" if self.radius is None else f", weights within {float(self.radius):.4g}"
        return [
            ("loss", f"{self.loss}: {bounds}, the intercept counted{ball}"),
            ("temperature", f"{float(self.temperature):.4g} (1 is a record's full weight)"),
            (
                "prior",
                f"Normal, standard deviation {1 / math.sqrt(self.precision):.4g} of each weight"
                + (
                    f"; with the losses' own convexity {1 / math.sqrt(self.whole_precision):.4g}"
                    if self.model.convexity
                    else ""
                ),
            ),
            (
                "drawing",
                f"{foreseen.trials:.3g} trials a draw on average at most, whatever the records are: "
                f"{max(foreseen.seconds, 0.1):.2g} s, usually less, and {max(foreseen.megabytes, 1):.0f} MB; "
                "no cap: an interrupted draw stays spent",
            ),
        ]

    @property
    def drawback(self) -> str:
        """What one draw cannot say."""
        if self.draws > 1:
            return ""
        return (
            "One draw says nothing of its own spread; several do (draws=20), at the same budget, hotter each."
        )

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them.

        How long draws may take is asked of plans alone: what was planned by another rule stays readable.
        """
        made = cls.__new__(cls)
        made._set(known_as(GibbsPosterior, model), schema, **entries)
        return made


def _at(potential: Potential, theta: Floats) -> Floats:
    """Return F at many points."""
    total = potential.precision * (theta**2).sum(axis=1) / 2
    for row, y in zip(potential.rows, potential.targets, strict=True):
        total = total + potential.temperature * potential.loss.value(theta @ row, np.full(len(theta), y))
    if potential.radius is not None:
        total = np.where((theta**2).sum(axis=1) > potential.radius**2 * (1 + 1e-6), np.inf, total)
    return np.asarray(total)
