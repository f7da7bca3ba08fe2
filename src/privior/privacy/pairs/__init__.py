"""Dominating pairs: two laws whose privacy loss is at least that of any two neighbours. One kind a file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.privacy.pairs.approximate import ApproximatePair
    from privior.privacy.pairs.beta import BetaPair
    from privior.privacy.pairs.bounded_range import BoundedRangePair
    from privior.privacy.pairs.concentrated import Concentrated
    from privior.privacy.pairs.contract import DominatingPair
    from privior.privacy.pairs.discrete_gaussian import DiscreteGaussianShift
    from privior.privacy.pairs.draws import (
        dirichlet_draw,
        gamma_rate_draw,
        network_draw,
        normal_mean_draw,
        poisson_draw,
        statistics_draw,
        virtual_records_draw,
    )
    from privior.privacy.pairs.finite import FinitePair
    from privior.privacy.pairs.finite_draw import FiniteDraw
    from privior.privacy.pairs.gamma_scale import GammaScalePair
    from privior.privacy.pairs.gamma_shape import GammaShapePair
    from privior.privacy.pairs.gaussian import GaussianPair
    from privior.privacy.pairs.group import GroupPair, group
    from privior.privacy.pairs.k_norm import KNormPair
    from privior.privacy.pairs.losses import LossPair
    from privior.privacy.pairs.objective_perturbation import ObjectivePair, ReplacedObjectivePair
    from privior.privacy.pairs.reweighted import ReweightedDraw, Side
    from privior.privacy.pairs.shape_moves import ShapeMoves
    from privior.privacy.pairs.signed_steps import SignedSteps
    from privior.privacy.pairs.truncated import (
        FiniteBernoulli,
        Truncated,
        TruncatedBernoulli,
        TruncatedExponential,
        TruncatedNormal,
        TruncatedPoisson,
    )
    from privior.privacy.pairs.two_levels import TwoLevelsPair
    from privior.privacy.pairs.virtual_records import VirtualRecordsPair, virtual_records_epsilon
    from privior.privacy.pairs.within import Within
    from privior.privacy.pairs.worst import WorstOf, both_orders
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
