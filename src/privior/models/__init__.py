"""Models: one family per file, each with prior, statistic, sensitivity and update."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.models.bayesian_network import BayesianNetwork
    from privior.models.design import INTERCEPT, Design, Feature
    from privior.models.dirichlet_categorical import DirichletCategorical
    from privior.models.dirichlet_table import DirichletTable
    from privior.models.exchangeable_prior import ExchangeablePrior, RateLaws
    from privior.models.families import Family, JointFamily, SummedModel
    from privior.models.finite_family import FiniteFamily
    from privior.models.formula import Formula
    from privior.models.gibbs_posterior import GibbsPosterior
    from privior.models.junction_tree import JunctionTree
    from privior.models.learned_prior import LearnedPrior
    from privior.models.linear_regression import LinearRegression
    from privior.models.logistic_regression import LogisticRegression
    from privior.models.loss_checks import check_in_units, check_loss
    from privior.models.loss_kinds import (
        HuberLoss,
        LogisticLoss,
        PoissonLoss,
        SmoothHingeLoss,
        SmoothQuantileLoss,
    )
    from privior.models.losses import LOSSES, Loss, to_loss
    from privior.models.markov_chain import MarkovChain
    from privior.models.model import MODELS, MOST_SUM, Model, to_model
    from privior.models.moment_layout import Moment, MomentLayout
    from privior.models.moment_model import MomentModel
    from privior.models.moment_weights import MomentWeights
    from privior.models.naive_bayes import NaiveBayes
    from privior.models.network import Network
    from privior.models.network_prior import BDeu, NetworkPrior
    from privior.models.readings import Margins, Moments, Reading, Records, Sums
    from privior.models.row_design import RowDesign
    from privior.models.statistics import (
        MOST_DECIMALS,
        ExactRecords,
        ExactStatistics,
        ExactTable,
        Layout,
        Observed,
    )
    from privior.models.summands import ONE, Factor, Summand
    from privior.models.table_model import MOST_CELLS, TableModel
    from privior.models.weight_prior import OwnCoefficients, Ridge, Shrinkage, WeightPrior
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
