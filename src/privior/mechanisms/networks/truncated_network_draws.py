"""Draws of the tables of a network of binary columns, with chances cut to a box: pure."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats
from privior.checks import fill
from privior.exact import decimal, rational, shortened_up
from privior.mechanisms.contract import Asked, on_request_for
from privior.mechanisms.networks.network_drawing import NetworkDrawing
from privior.models import Model, Network
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair
from privior.privacy.pairs.balls import ball, upper
from privior.randomness import Bits, truncated_beta
from privior.schema import Schema

#: a smaller chance than this is as good as none, and draws of it would need a finer grid
_LEAST = Fraction(1, 10**6)


@final
@on_request_for(Network)
@dataclass(frozen=True)
class TruncatedNetworkDraws(NetworkDrawing):
    """`draws` draws of all tables of binary columns, from the posterior given that chances lie in [w, 1-w].

    Proof. Given the data, theta has the density prior(theta) p_theta(D) / Z(D) on the box. Replacing the
    record x by x' multiplies p_theta(D) by p_theta(x') / p_theta(x) = product over the nodes of two entries'
    ratio, each between w/(1-w) and (1-w)/w: its logarithm varies over the box by at most eta = 2 sum over the
    nodes of ln((1-w)/w), which is attained by records that differ in every column. Z changes by an average of
    the same factor, so the loss lies in an interval of length eta that holds 0: pure eta, and
    `BoundedRangePair(eta)` dominates. Adding a record multiplies by p_theta(x), whose logarithm varies by
    half of that. A unit of m records: m times as much. N draws: N eta. None of this depends on the graph, on
    the prior or on the number of records.

    The posterior is CONDITIONED on the box: each row is a draw from a Beta law cut to [w, 1-w]. Moving draws
    from outside to its ends would put chances on two points that data decide: one node, w = 0.3, 50 records:
    4.79 where 1.69 is promised.

    Attributes:
        smallest: w, the least that N eta <= epsilon allows, rounded up
    """

    model: Network
    schema: Schema
    records: int
    epsilon: Fraction
    draws: int
    smallest: Fraction
    neighbours: Neighbours
    max_rows: int
    places: int
    name: ClassVar[str] = "truncated-network-draws"
    about: ClassVar[str] = "draws of all tables with chances cut to a box: pure, for binary columns"
    delta: ClassVar[Fraction] = Fraction(0)

    def __init__(
        self,
        model: Network,
        schema: Schema,
        records: int,
        epsilon: object,
        *,
        draws: int = 1,
        smallest: object = None,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        places: int = 53,
    ) -> None:
        fill(self, epsilon=Budget.of(epsilon).epsilon)
        self._set_draws(model, schema, neighbours, max_rows, (records, draws, places))
        for node, size in zip(model.columns, self.levels, strict=True):
            if size != 2:
                raise self.refusal(
                    f"{node} has {size} levels: the box is for chances of two levels, and for more no such "
                    "sampler is proved here",
                    allowed="columns of two levels",
                    advice="Take pv.NetworkDraws with a delta, or pv.LaplaceTables.",
                )
        self.prior_parameters  # noqa: B018 - refuses a prior that is learned
        fill(self, smallest=self._box() if smallest is None else rational(smallest, "smallest"))
        if not _LEAST <= self.smallest < Fraction(1, 2):
            raise self.refusal(
                "no chance is left in the box", asked=decimal(self.smallest), allowed="1e-6 to below 1/2"
            )
        if self.draws * self._oscillation(self.smallest) > self.epsilon:
            raise self.refusal(
                "these smallest chances do not give the stated guarantee", asked=decimal(self.smallest)
            )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon on draws inside the box; delta stays 0."""
        facts = asked.model, asked.schema, asked.records, asked.budget.epsilon
        rows = asked.schema.unit.max_rows
        return cls(*facts, neighbours=asked.neighbours, max_rows=rows, **asked.options)  # type: ignore[arg-type]

    @property
    def _terms(self) -> int:
        """How often ln((1-w)/w) is contained in eta."""
        return (2 if self.neighbours is REPLACE_ONE else 1) * self.max_rows * len(self.sizes)

    def _oscillation(self, smallest: Fraction) -> Fraction:
        """Return eta of one draw, rounded up."""
        return Fraction(upper(lambda: ball(self._terms) * ball((1 - smallest) / smallest).log()))

    def _box(self) -> Fraction:
        """Return 1 / (1 + exp(epsilon / (N terms))), rounded up until N eta is no more than epsilon."""
        each = self.epsilon / (self.draws * self._terms)
        digits = 15
        found = max(_LEAST, shortened_up(Fraction(upper(lambda: 1 / (1 + ball(each).exp()))), digits))
        while self.draws * self._oscillation(found) > self.epsilon and digits > 3:
            digits -= 3
            found = shortened_up(found * (1 + Fraction(1, 10**digits)), digits)
        return found

    @cached_property
    def _pair(self) -> DominatingPair:
        return compose_symmetric([(BoundedRangePair(self._oscillation(self.smallest)), self.draws)])

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, and the curve of so many bounded ranges."""
        nodes = len(self.sizes)
        times = "" if self.draws == 1 else f", {self.draws} draws"
        per = "2 " if self.neighbours is REPLACE_ONE else ""
        reason = (
            f"range of the log likelihood ratio of {nodes} node{'s' if nodes > 1 else ''}, {per}ln((1-w)/w) "
            f"each, chances in [w, 1-w], w = {float(self.smallest):.6g}{times} "
            "(proof: privior.TruncatedNetworkDraws)"
        )
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(self._pair, self.neighbours, Budget(self.epsilon), reason, unit)

    @property
    def record_weight(self) -> Fraction:
        """One: the posterior itself, given the box."""
        return Fraction(1)

    @property
    def smallest_chance(self) -> Fraction:
        """w, the least chance that the box allows."""
        return self.smallest

    def _row_drawn(self, parameters: list[Fraction]) -> tuple[int, ...]:
        first, second = parameters
        box = self.smallest, 1 - self.smallest
        return (truncated_beta(first, second, box, self.places, Bits()),)

    @property
    def count_variances(self) -> Floats:
        """Roughly what a cut draw is worth: that of an uncut one, of a box alone, and of chances outside it.

        In a narrow box of log odds up to L a draw tells c - d with variance 3 / L^2 at least; where the
        chance lies outside, as 2 w of all do, it tells little more than on which side.
        """
        rows, end = self.records * self.max_rows, float(np.log(1 / float(self.smallest) - 1))
        found = []
        for prior, cells in zip(self.prior_parameters, self.sizes, strict=True):
            lines = cells // 2
            each = rows / lines
            inside = (float(sum(prior)) / lines + each) / 2 + 3 / (4 * end**2)
            found.append((inside + float(self.smallest) * each**2 / 6) / self.draws)
        return np.array(found)

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say between what the chances lie."""
        ends = f"{float(self.smallest):.4g} and {1 - float(self.smallest):.4g}"
        return [("draws", f"every chance is drawn given that it lies between {ends}")]
