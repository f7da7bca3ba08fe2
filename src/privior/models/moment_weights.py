"""How the moments of a regression are weighed against each other, and how far one record moves them together.

Let x be the features of a record, |x| <= 1 (`Design`), and u the target in [-1/2, 1/2]. What a record adds,
in the units that noise is measured by, with squared weights c, a, b, e, q and k:

    f = (sqrt c svec(x x'), sqrt a x, sqrt b x u, sqrt e u, sqrt q u^2, and sqrt k where records come and go)

svec has x_i^2 and sqrt2 x_i x_j for i < j, so that its length is |x|^2.

**Theorem.** Let q <= 2b + 2e, and h(g) = g^2 / 2c for g <= 2c, 2g - 2c above. Replacing a record moves f by
at most D, D^2 = 2c + 2a + b/2 + max(h(a + b/4), h(|a - b/4|) + e); adding or removing one by at most D,
D^2 = c + a + b/4 + e/4 + q/16 + k. Without an intercept a and e are 0, also in what q may be.

Proof. Records (x, u) and (z, v), r = x.z, t = |x|, s = |z|:
|f - f'|^2 = c (t^4 + s^4 - 2r^2) + a (t^2 + s^2 - 2r) + b (t^2 u^2 + s^2 v^2 - 2ruv) + e (u - v)^2 + q (u^2 -
v^2)^2. What depends on r is -2c r^2 - 2rg with g = a + buv, at most h(|g|) for |r| <= 1. The rest increases
in t and s, hence t = s = 1. h(|g|) is convex in g, which is linear in u; the rest has the second derivative
2b + 2e + q (12u^2 - 4v^2) >= 2b + 2e - q >= 0 in u. So all of it is convex in u, likewise in v, and largest
at a
corner: u = v, or u = -v, both 1/2 in size. With two features every r in [-1, 1] occurs for t = s = 1: D is
attained. A record alone: its squared length, largest at |x| = 1, |u| = 1/2. []

One feature, with the weights `FIRST` of releases of earlier versions: 2, not sqrt 5. There r = xz; u, v are
at corners, by 4x^2 + 2 + 12u^2 - 4v^2 > 0. u = v: with a = x - z, b = x + z, |a| + |b| <= 2, it is a^2 (b^2 +
1) <= a^2 ((2 - a)^2 + 1) <= 4. u = -v: a^2 b^2 + (a^2 + b^2)/2 + 1 <= 4. []
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Self

from privior.checks import fill
from privior.errors import ModelError, shown
from privior.exact import decimal, rational


@dataclass(frozen=True)
class MomentWeights:
    """The squares of the weights.

    Attributes:
        products: c, of products of features
        features: a, of the features themselves
        with_target: b, of products with the target
        target: e, of the target
        own: q, of its square
        count: k, of the number of records, where that is private
    """

    products: Fraction
    features: Fraction
    with_target: Fraction
    target: Fraction
    own: Fraction
    count: Fraction

    def __init__(self, *squares: object) -> None:
        names = [one.name for one in fields(self)]
        if len(squares) != len(names):
            raise ModelError("not six squared weights", where="weights", asked=shown(squares))
        found = [rational(one, name) for one, name in zip(squares, names, strict=True)]
        if min(found) <= 0:
            raise ModelError("a squared weight is not above 0", where="weights", asked=shown(squares))
        fill(self, **dict(zip(names, found, strict=True)))
        self._check_convex(self.target, "with an intercept")

    @classmethod
    def of(cls, said: object) -> Self:
        """Read the weights of moments from a file, as `to_document` wrote them."""
        if isinstance(said, cls):
            return said
        if not isinstance(said, (list, tuple)):
            raise ModelError("not six squared weights", where="weights", asked=shown(said))
        return cls(*said)

    def to_document(self) -> list[str]:
        """Write the six numbers."""
        return [decimal(getattr(self, one.name)) for one in fields(self)]

    def replacing(self, intercept: bool, features: int) -> Fraction:
        """Return the square of how far replacing a record moves f."""
        c, b = self.products, self.with_target
        a, e = (self.features, self.target) if intercept else (Fraction(0), Fraction(0))
        self._check_convex(e, "with an intercept" if intercept else "without an intercept")
        if features == 1 and intercept and self == FIRST:
            return Fraction(4)
        return 2 * c + 2 * a + b / 2 + max(self._turned(a + b / 4), self._turned(abs(a - b / 4)) + e)

    def _check_convex(self, target: Fraction, case: str) -> None:
        """Refuse q > 2b + 2e, for which the theorem says nothing."""
        most = 2 * (self.with_target + target)
        if self.own > most:
            raise ModelError(
                "the square of the target has a weight for which nothing is proved",
                where="weights",
                asked=decimal(self.own),
                allowed=f"up to {decimal(most)} {case}",
            )

    def _turned(self, slope: Fraction) -> Fraction:
        """Return h(v) of the theorem above: v^2 / (2c) up to v = 2c, and 2v - 2c beyond."""
        c = self.products
        return slope**2 / (2 * c) if slope <= 2 * c else 2 * slope - 2 * c

    def adding(self, intercept: bool) -> Fraction:
        """Return the square of how far adding a record, or removing one, moves f."""
        found = self.products + self.with_target / 4 + self.own / 16 + self.count
        return found + (self.features + self.target / 4 if intercept else 0)


#: of releases of earlier versions, which do not name them
FIRST = MomentWeights(1, "1/2", 2, 1, 1, "1/4")
