"""Conjugate families, one file each.

`summed` has the contract of all, `family` that of one parameter, `joint` that of several.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.models.families.beta_bernoulli import BetaBernoulli
    from privior.models.families.beta_binomial import BetaBinomial
    from privior.models.families.beta_chance import BetaChance
    from privior.models.families.family import Family
    from privior.models.families.gamma_exponential import GammaExponential
    from privior.models.families.gamma_poisson import GammaPoisson
    from privior.models.families.joint import JointFamily, JointLikelihood, Random
    from privior.models.families.laplace_scale import LaplaceScale
    from privior.models.families.multivariate_normal_mean import MultivariateNormalMean
    from privior.models.families.multivariate_normal_precision import MultivariateNormalPrecision
    from privior.models.families.normal_mean import NormalMean
    from privior.models.families.normal_mean_precision import NormalMeanPrecision
    from privior.models.families.normal_precision import NormalPrecision
    from privior.models.families.reweighting import reweighted_draw
    from privior.models.families.summed import SummedModel
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
