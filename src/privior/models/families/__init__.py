"""Conjugate families of one parameter, one file each; `family` has their contract."""

from privior.models.families.beta_bernoulli import BetaBernoulli
from privior.models.families.beta_binomial import BetaBinomial
from privior.models.families.family import Family
from privior.models.families.gamma_exponential import GammaExponential
from privior.models.families.gamma_poisson import GammaPoisson
from privior.models.families.laplace_scale import LaplaceScale
from privior.models.families.normal_mean import NormalMean
from privior.models.families.normal_precision import NormalPrecision
from privior.models.families.reweighting import reweighted_draw

__all__ = [
    "BetaBernoulli",
    "BetaBinomial",
    "Family",
    "GammaExponential",
    "GammaPoisson",
    "LaplaceScale",
    "NormalMean",
    "NormalPrecision",
    "reweighted_draw",
]
