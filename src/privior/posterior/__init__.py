"""Posteriors: what follows from a release. Nothing here can see data, so everything here is free."""

from privior.posterior.categorical import CategoricalPosterior
from privior.posterior.counts import CountsPosterior
from privior.posterior.distances import EUCLIDEAN, HELLINGER, Distance
from privior.posterior.finite_posterior import FinitePosterior
from privior.posterior.given_draws import GivenDraws
from privior.posterior.given_parameters import GivenParameters
from privior.posterior.inference import infer
from privior.posterior.joint_posterior import GivenJoint, JointPosterior
from privior.posterior.markov import MarkovPosterior
from privior.posterior.parameter_posterior import ParameterPosterior
from privior.posterior.quantity import Quantity
from privior.posterior.variance import VarianceParts

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
