"""Noise whose law is exact, from the operating system's randomness. Nothing here takes a seed.

- `entropy`: `Bits`, uniform bits and whole numbers
- `bernoulli`: coins with exponential probabilities, the geometric law
- `inversion`: a random index with real weights
- `discrete`: discrete Laplace and Gaussian vectors, through OpenDP (whose bits are OpenSSL's)
- `knorm`: discrete K-norm vectors, for tables with a public total
- `compositions`, `boxes`: uniform tables of counts, all or those within given intervals
- `acceptance`: a coin with probability exp(-x), x a real number
- `hellinger`: tables with probability falling with a Hellinger distance
- `rounding`: real numbers on a public grid, exactly rounded, by enclosures of their law
- `concave`: what those laws share, the chance of any interval; `beta`, `gamma` and `normal` are such laws
- `normal_gamma`: a mean and a precision together, in a box
- `wishart`: a matrix of two rows with bounded eigenvalues
- `truncated_normal`: several numbers together, Normal, in a ball
- `truncated`: a law given that the draw lies in an interval
- `mixtures`: a piece with real weights, then a number from its law; or an index alone
- `finite`: one of several models, with weights that are products of powers
- `perturbed_minimum`: the minimiser of a logistic objective with a random linear term
- `shells`, `shell_draws`: several parameters with a log-concave density that many records make, by rejection
- `trial_bounds`: how many trials that takes at most, whatever the records are
- `dirichlet`: draws from Dirichlet laws as exactly rounded sticks, and counts of records from a Polya urn
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.randomness.beta import BetaLaw
    from privior.randomness.dirichlet import EXACTLY_ROUNDED, dirichlet_sticks, virtual_counts
    from privior.randomness.discrete import OPENDP, WIDEST, discrete_gaussian, discrete_laplace
    from privior.randomness.entropy import OPERATING_SYSTEM, Bits
    from privior.randomness.finite import draw_models, draw_scored
    from privior.randomness.gamma import GammaLaw
    from privior.randomness.hellinger import MOST_BOXED, HellingerTables
    from privior.randomness.knorm import k_norm
    from privior.randomness.mixtures import WeightedLaw, draw_mixture, draw_weighted
    from privior.randomness.normal import NormalLaw
    from privior.randomness.normal_gamma import NormalGammaBox
    from privior.randomness.perturbed_minimum import Objective, rounded_minimum
    from privior.randomness.rounding import MOST_PLACES, IdealDraw, rounded
    from privior.randomness.shell_draws import TrialTally, draw_from
    from privior.randomness.shells import Envelope, Potential, centre, envelope
    from privior.randomness.trial_bounds import AnyTable
    from privior.randomness.truncated import TruncatedLaw, truncated_beta
    from privior.randomness.truncated_normal import NormalInBall
    from privior.randomness.wishart import BoundedWishart
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
