"""Conjugate laws of several parameters together, with exact parameters.

- `NormalGamma`: of a mean and a precision, perhaps cut to a box
- `MultivariateNormal`: of several means
- `Wishart`: of a precision matrix, cut to those with bounded eigenvalues
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privior.checks import fill
from privior.errors import ModelError, shown
from privior.exact import decimal
from privior.models.laws.conjugate import WrittenLaw, law_of, named_law, read_number, read_scale
from privior.models.laws.matrices import Matrix, Vector, inverse, read_matrix, read_vector

Span = tuple[Fraction, Fraction]

#: entries of precision matrices beyond this, or closer to 0 than its inverse, are a mistake too
_WIDEST = Fraction(10) ** 100


@dataclass(frozen=True)
class NormalGamma(WrittenLaw):
    """precision ~ Gamma(shape, rate); mean given precision ~ Normal(mean, 1 / (strength precision)).

    The prior knows as much of the mean as `strength` records, and of the precision as 2 * shape.

    Attributes:
        means: the interval to which the mean is cut; None for none
        precisions: the interval, above 0, to which the precision is cut
    """

    mean: Fraction
    strength: Fraction
    shape: Fraction
    rate: Fraction
    means: Span | None
    precisions: Span | None
    name: ClassVar[str] = "normal-gamma"

    def __init__(
        self,
        mean: object,
        strength: object,
        shape: object,
        rate: object,
        *,
        means: object = None,
        precisions: object = None,
    ) -> None:
        fill(self, mean=read_number(mean, self.name, "mean"))
        for name, value in (("strength", strength), ("shape", shape), ("rate", rate)):
            fill(self, **{name: read_scale(value, self.name, name)})
        fill(self, means=_interval(means, self.name, "means"))
        cut = _interval(precisions, self.name, "precisions")
        if cut is not None and cut[0] <= 0:
            raise self.refusal("a precision is above 0", asked=decimal(cut[0]))
        fill(self, precisions=cut)

    @property
    def box(self) -> tuple[Span, Span] | None:
        """Both intervals, of the mean and of the precision, if both are cut."""
        return None if self.means is None or self.precisions is None else (self.means, self.precisions)

    def __str__(self) -> str:
        four = ", ".join(decimal(one) for one in (self.mean, self.strength, self.shape, self.rate))
        cuts = {"means": self.means, "precisions": self.precisions}
        words = [
            f"{name} in [{decimal(cut[0])}, {decimal(cut[1])}]"
            for name, cut in cuts.items()
            if cut is not None
        ]
        return f"NormalGamma({four})" + (f" on {' and '.join(words)}" if words else "")


@dataclass(frozen=True)
class MultivariateNormal(WrittenLaw):
    """Density exp(-(x - mean)' covariance^-1 (x - mean) / 2)."""

    mean: Vector
    covariance: Matrix
    name: ClassVar[str] = "multivariate-normal"

    def __init__(self, mean: object, covariance: object) -> None:
        fill(self, mean=read_vector(mean, self.name, "mean"))
        fill(self, covariance=read_matrix(covariance, self.name, "covariance"))
        if len(self.mean) != len(self.covariance):
            raise self.refusal(
                "mean and covariance are not of one size",
                asked=f"{len(self.mean)} and {len(self.covariance)}",
            )

    @property
    def size(self) -> int:
        """How many numbers the mean has."""
        return len(self.mean)

    def __str__(self) -> str:
        return f"MultivariateNormal of {self.size} means"


@dataclass(frozen=True)
class Wishart(WrittenLaw):
    """Density |X|^((degrees - d - 1) / 2) exp(-trace(scale^-1 X) / 2), X with eigenvalues in [lower, upper].

    Before it is cut its mean is degrees * scale: the prior knows as much as `degrees` records.
    """

    degrees: Fraction
    scale: Matrix
    lower: Fraction
    upper: Fraction
    name: ClassVar[str] = "wishart"

    def __init__(self, degrees: object, scale: object, lower: object, upper: object) -> None:
        fill(self, scale=read_matrix(scale, self.name, "scale"))
        fill(self, degrees=read_scale(degrees, self.name, "degrees"))
        if self.degrees <= self.size - 1:
            raise self.refusal(
                "too few degrees of freedom for a matrix of this size",
                asked=decimal(self.degrees),
                allowed=f"more than {self.size - 1}",
            )
        low, high = _interval([lower, upper], self.name, "eigenvalues") or (Fraction(0), Fraction(0))
        if low <= 0:
            raise self.refusal("eigenvalues are above 0", asked=decimal(low))
        sizes = [abs(one) for matrix in (self.scale, inverse(self.scale)) for row in matrix for one in row]
        if max(high, 1 / low, *sizes) > _WIDEST:
            raise self.refusal(
                "an eigenvalue, or an entry of the scale or of its inverse, is too large or too small",
                allowed="1e-100 to 1e100",
                advice="Take other units of the columns, or a scale that is not all but singular.",
            )
        fill(self, lower=low, upper=high)

    @property
    def size(self) -> int:
        """How many rows the matrix has."""
        return len(self.scale)

    def __str__(self) -> str:
        ends = f"[{decimal(self.lower)}, {decimal(self.upper)}]"
        return f"Wishart({decimal(self.degrees)}), {self.size} x {self.size}, eigenvalues in {ends}"


JointLaw = NormalGamma | MultivariateNormal | Wishart

JOINT_LAWS: dict[str, type[JointLaw]] = {law.name: law for law in (NormalGamma, MultivariateNormal, Wishart)}


def to_joint_law(document: object, where: str = "prior") -> JointLaw:
    """Read what `to_document` wrote, refusing whatever is unknown."""
    kind, entries = named_law(JOINT_LAWS, document, where)
    return law_of(kind, entries, where)


def _interval(value: object, law: str, name: str) -> Span | None:
    if value is None:
        return None
    ends = read_vector(value, law, name)
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise ModelError(
            f"{name} is not an interval", where=law, asked=shown(value), allowed="a lower and an upper end"
        )
    return ends[0], ends[1]
