"""Draws of all tables of a network from their Dirichlet posteriors, exactly rounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats
from privior.checks import fill
from privior.exact import decimal, positive, rational, round_down
from privior.mechanisms.contract import Asked, on_request_for
from privior.mechanisms.networks.network_drawing import NetworkDrawing
from privior.mechanisms.tables.posterior_release import RATE_DIGITS
from privior.models import Model, Network
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.calibration import LEAST, largest_within
from privior.privacy.composition import compose_ordered, compose_symmetric, unit_draw
from privior.privacy.pairs import both_orders
from privior.randomness import dirichlet_sticks
from privior.schema import Schema

#: prior parameters beyond this are a mistake
_MOST_PRIOR = Fraction(10**9)


@final
@on_request_for(Network)
@dataclass(frozen=True)
class NetworkDraws(NetworkDrawing):
    """`draws` independent draws of all tables: row u of node v from Dirichlet(prior + rate * counts).

    Proof (privior.privacy.pairs.draws.network_draw). A table's draw is a function of independent Gammas, one
    for each cell of all its rows; one replaced record moves one count between two cells of the table, or
    none, and the likelihood ratio of the two Gammas is that of the Beta pair with the two smallest prior
    parameters of the WHOLE table, in both orders. Given the data the tables are independent, so one draw of
    all is dominated by the composition over the tables. Draws of one table keep their order together; the
    direction of one table says nothing of another's: the worse order of each table, after all its draws,
    is taken before tables are composed. Under add-or-remove-one the pair is (Gamma(a + r), Gamma(a)), a the
    smallest parameter of the table, and "with the record" is the same side of every table: both directions
    are composed by themselves. A unit of several records: `unit_draw` for each table, likewise.

    Covered tables cost nothing. Let w have exactly the parents of v, and v itself, and let the parameters of
    v be the sums of those of w over the levels of w (BDeu). Then so are the counts, and sums of independent
    Gammas are Gammas: normalised, the sums of the Gammas of w are the draw of v, independent of the rows of
    w. Both are one function of the Gammas of w, which are charged. No table covers two (v and v' would be
    parents of each other), and what is covered may cover a further one, of which the same holds.

    Concentrated or diffuse: raised to `floor`, prior parameters may be large enough for the rate 1, at which
    the posterior itself is drawn from; else the rate is the largest of four digits, at most 1, that keeps
    delta(epsilon) at or below the delta asked for. Loading a release checks the inequality again.

    Attributes:
        rate: the weight of one record
        floor: what every prior parameter is raised to at least, in the draws; 0 for none
    """

    model: Network
    schema: Schema
    records: int
    epsilon: Fraction
    delta: Fraction
    draws: int
    rate: Fraction
    floor: Fraction
    neighbours: Neighbours
    max_rows: int
    places: int
    name: ClassVar[str] = "network-draws"
    about: ClassVar[str] = "draws of all tables from their posteriors, exactly rounded"
    options: ClassVar[Mapping[str, object]] = {"draws": 1, "concentrated": False}
    #: compositions are searched through
    slow: ClassVar[bool] = True

    def __init__(
        self,
        model: Network,
        schema: Schema,
        records: int,
        epsilon: object,
        delta: object,
        *,
        draws: int = 1,
        concentrated: bool = False,
        rate: object = None,
        floor: object = 0,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        places: int = 53,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal(
                "a Dirichlet draw is never pure: give delta > 0",
                advice="For columns of two levels pv.TruncatedNetworkDraws is pure.",
            )
        fill(self, epsilon=budget.epsilon, delta=budget.delta, floor=_floor(floor))
        self._set_draws(model, schema, neighbours, max_rows, (records, draws, places))
        if rate is not None:
            fill(self, rate=positive(rate, "rate", least=LEAST, most=Fraction(1)))
        elif concentrated:
            fill(self, rate=Fraction(1), floor=self._smallest_floor())
        else:
            fill(self, rate=self._largest_rate())
        if self._delta_at(self.rate, self.floor) > round_down(self.delta):
            raise self.refusal("this rate does not give the stated guarantee", asked=decimal(self.rate))

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon and delta on draws, by a rate or by a stronger prior."""
        budget, rows = asked.budget, asked.schema.unit.max_rows
        facts = asked.model, asked.schema, asked.records, budget.epsilon, budget.delta
        return cls(*facts, neighbours=asked.neighbours, max_rows=rows, **asked.options)  # type: ignore[arg-type]

    @property
    def taken(self) -> dict[str, object]:
        """How many draws, and whether the prior was raised for them."""
        return {"draws": self.draws, "concentrated": self.floor > 0}

    @cached_property
    def prior_parameters(self) -> tuple[tuple[Fraction, ...], ...]:
        """Those of the model, raised to the floor."""
        return self._raised(self.floor)

    def _raised(self, floor: Fraction) -> tuple[tuple[Fraction, ...], ...]:
        return tuple(tuple(max(one, floor) for one in table) for table in self._said())

    # What it costs

    def _charged(self, floor: Fraction) -> tuple[tuple[Fraction, ...], ...]:
        """Return the parameters of the tables that are charged: those that no other one covers."""
        every = dict(zip(self.model.columns, self._raised(floor), strict=True))
        shapes = {node: self.model.shape(node, self.schema) for node in self.model.columns}
        covered = {
            node
            for node, above in self.model.parents.items()
            for child, names in self.model.parents.items()
            if set(names) == {*above, node}
            and _sums_to(every[child], names, shapes[child], every[node], (*above, node))
        }
        return tuple(tuple(sorted(every[node])) for node in self.model.columns if node not in covered)

    def _pair_at(self, rate: Fraction, floor: Fraction) -> DominatingPair:
        """Return the pair of all draws; of a single node of two levels, that for a public number of records.

        Beside other tables a binary root takes the pair that holds for any number, which is larger by little.
        """
        public = self.records if self.sizes == (2,) and self.neighbours is REPLACE_ONE else None
        charged = self._charged(floor)
        return _pair_of(charged, rate, self.neighbours, self.max_rows, public, self.draws)

    def _delta_at(self, rate: Fraction, floor: Fraction) -> float:
        return both_orders(self._pair_at(rate, floor)).delta(round_down(self.epsilon))

    def _largest_rate(self) -> Fraction:
        most = round_down(self.delta)
        found = largest_within(
            lambda rate: self._delta_at(rate, self.floor), most, Fraction(1, 10), Fraction(1), RATE_DIGITS
        )
        if found is None:
            raise self.refusal(
                "no rate is small enough for this budget",
                asked=str(Budget(self.epsilon, self.delta)),
                advice="Ask for a larger epsilon or delta, for fewer draws, or take a larger prior.",
            )
        return found

    def _smallest_floor(self) -> Fraction:
        """Return the smallest parameter, of four digits, at which the posterior itself may be drawn from."""
        most = round_down(self.delta)
        found = largest_within(
            lambda one: self._delta_at(Fraction(1), 1 / one), most, Fraction(1, 50), 1 / LEAST, RATE_DIGITS
        )
        if found is None or 1 / found > _MOST_PRIOR:
            raise self.refusal(
                "no prior is large enough for this budget",
                asked=str(Budget(self.epsilon, self.delta)),
                advice="Ask for a larger epsilon or delta, or for fewer draws.",
            )
        unit = Fraction(1, 10**6)
        return -(-1 / found // unit) * unit

    @cached_property
    def _pair(self) -> DominatingPair:
        return self._pair_at(self.rate, self.floor)

    @property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, and the whole curve."""
        charged = len(self._charged(self.floor))
        pair = "Beta" if self.neighbours is REPLACE_ONE else "Gamma"
        tables = f"{charged} table{'s' if charged > 1 else ''}"
        free = len(self.sizes) - charged
        less = f" ({free} more are sums of theirs)" if free else ""
        times = "" if self.draws == 1 else f", {self.draws} draws"
        reason = (
            f"exact {pair} pairs of Dirichlet draws at rate {decimal(self.rate)} composed over {tables}{less}"
            f"{times} (proof: privior.NetworkDraws)"
        )
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(self._pair, self.neighbours, Budget(self.epsilon, self.delta), reason, unit)

    # What is drawn

    @property
    def record_weight(self) -> Fraction:
        """The rate: how much a record counts in the posterior that is drawn from."""
        return self.rate

    def _row_drawn(self, parameters: list[Fraction]) -> tuple[int, ...]:
        return dirichlet_sticks(parameters, self.places)

    @property
    def count_variances(self) -> Floats:
        """(A + r m) / (N r^2 k) for a row of m records, k levels and parameters that add up to A.

        A share p of the row is drawn with variance p(1-p) / (A + r m); the count that it tells of is
        (A + r m) / r times that far off; noise of this variance on each of k counts has the same effect on p.
        """
        rate, rows = float(self.rate), self.records * self.max_rows
        found = []
        for prior, size in zip(self.prior_parameters, self.levels, strict=True):
            lines = len(prior) // size
            whole = float(sum(prior)) / lines + rate * rows / lines
            found.append(whole / (self.draws * rate**2 * size))
        return np.array(found)

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how much a record weighs, and what the prior was raised to."""
        said = f"every record has the weight {float(self.rate):.4g} in the posterior drawn from"
        if self.floor:
            said += f", every prior parameter is raised to {float(self.floor):.4g} at least"
        return [("draws", said)]


def _floor(floor: object) -> Fraction:
    found = rational(floor, "floor")
    return found if found == 0 else positive(floor, "floor", least=Fraction(1, 10**6), most=_MOST_PRIOR)


def _sums_to(
    large: tuple[Fraction, ...],
    names: tuple[str, ...],
    shape: tuple[int, ...],
    small: tuple[Fraction, ...],
    order: tuple[str, ...],
) -> bool:
    """Say whether one table's parameters are the sums over a child's levels of those of the child's table.

    Args:
        large: of the child, whose parents `names` are the columns of the other table
        names: in the child's order
        shape: of the child's table
        small: of the other table
        order: of its columns
    """
    size = shape[-1]
    sums = [sum(large[start : start + size], start=Fraction(0)) for start in range(0, len(large), size)]
    axes = [names.index(name) for name in order]
    by_codes = dict(zip(product(*(range(one) for one in shape[:-1])), sums, strict=True))
    found = []
    for codes in product(*(range(shape[axis]) for axis in axes)):
        moved = dict(zip(axes, codes, strict=True))
        found.append(by_codes[tuple(moved[axis] for axis in range(len(axes)))])
    return tuple(found) == small


@lru_cache(maxsize=4)
def _pair_of(
    tables: tuple[tuple[Fraction, ...], ...],
    rate: Fraction,
    neighbours: Neighbours,
    max_rows: int,
    records: int | None,
    draws: int,
) -> DominatingPair:
    """Return the pair of so many draws of these tables; the same one if it is asked for again."""
    parts = [(unit_draw(cells, rate, neighbours, max_rows, records), draws) for cells in tables]
    return (compose_symmetric if neighbours is REPLACE_ONE else compose_ordered)(parts)
