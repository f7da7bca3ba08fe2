"""Posteriors: what follows from a release. Nothing here can see data, so everything here is free."""

from privior.posterior.counts.variance import VarianceParts
from privior.posterior.families.given_parameters import GivenParameters
from privior.posterior.families.joint_posterior import GivenJoint, JointPosterior
from privior.posterior.families.parameter_posterior import ParameterPosterior
from privior.posterior.finite.finite_posterior import FinitePosterior
from privior.posterior.given_draws import GivenDraws
from privior.posterior.inference import infer
from privior.posterior.quantity import Quantity
from privior.posterior.tables.categorical import CategoricalPosterior
from privior.posterior.tables.counts_posterior import CountsPosterior
from privior.posterior.tables.distances import EUCLIDEAN, HELLINGER, Distance
from privior.posterior.tables.markov import MarkovPosterior

__all__ = [
    "EUCLIDEAN",
    "HELLINGER",
    "CategoricalPosterior",
    "CountsPosterior",
    "Distance",
    "FinitePosterior",
    "GivenDraws",
    "GivenJoint",
    "GivenParameters",
    "JointPosterior",
    "MarkovPosterior",
    "ParameterPosterior",
    "Quantity",
    "VarianceParts",
    "infer",
]
