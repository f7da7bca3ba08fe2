"""The natural parameter of a family of one parameter: what each family says of it.

log p(x | theta) = h t(x) - A(h) + b(x),    h = h(theta) the natural parameter
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from privior.arrays import Floats
from privior.checks import known_as
from privior.errors import ModelError
from privior.models import Family
from privior.models.families import BetaChance, GammaPoisson, NormalMean
from privior.models.families.gamma_rate import GammaRate
from privior.models.laws import Beta, Gamma
from privior.special import expit, gammaln


@dataclass(frozen=True)
class Natural:
    """What a family of one parameter says of its natural parameter.

    Attributes:
        theta: the parameter as a function of h; increasing or decreasing
        peak: the parameter under which records of this average statistic are most likely
        base: b of each value, given the values of t
        rates: limits of -log P[h < -v]/v and -log P[h > v]/v under the prior's law, uncut
    """

    theta: Callable[[Floats], Floats]
    peak: Callable[[Floats], Floats]
    base: Callable[[Floats], Floats]
    rates: tuple[float, float]


@singledispatch
def natural_of(model: Family) -> Natural:
    """Return what is known of a family's natural parameter; families register themselves."""
    raise ModelError("the natural parameter of this family is not known", where="analyse", asked=model.family)


@natural_of.register
def _of_chances(model: BetaChance) -> Natural:
    beta, trials = known_as(Beta, model.law), model.trials
    return Natural(
        theta=lambda h: np.asarray(expit(h)),
        peak=lambda average: average / trials,
        base=lambda t: np.asarray(gammaln(trials + 1) - gammaln(t + 1) - gammaln(trials - t + 1)),
        rates=(float(beta.first), float(beta.second)),
    )


@natural_of.register
def _of_counts(model: GammaPoisson) -> Natural:
    shape = float(known_as(Gamma, model.law).shape)
    return Natural(
        theta=lambda h: np.exp(np.minimum(h, 709.0)),
        peak=lambda average: average,
        base=lambda t: np.asarray(-gammaln(t + 1)),
        rates=(shape, math.inf),
    )


@natural_of.register
def _of_rates(model: GammaRate) -> Natural:
    each, rate = float(model.each), float(known_as(Gamma, model.law).rate)

    def peak(average: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(each / average)

    return Natural(theta=lambda h: -h, peak=peak, base=np.zeros_like, rates=(rate, math.inf))


@natural_of.register
def _of_means(model: NormalMean) -> Natural:
    variance = float(model.variance)
    return Natural(
        theta=lambda h: h * variance,
        peak=lambda average: average,
        base=lambda t: np.asarray(-(t**2) / (2 * variance)),
        rates=(math.inf, math.inf),
    )
