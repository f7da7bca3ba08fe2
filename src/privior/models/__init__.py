"""Models: one family per file, each with prior, statistic, sensitivity, update and predictive."""

from privior.models.dirichlet_categorical import MOST_CELLS, DirichletCategorical
from privior.models.documents import FAMILIES, Model, to_model
from privior.models.families import Family, JointFamily, SummedModel
from privior.models.learned_prior import LearnedPrior, RateLaws
from privior.models.statistics import Counts, ExactStatistics, Observed, ObservedPoints, ObservedSticks
from privior.models.summands import ONE, Factor, Summand

__all__ = [
    "FAMILIES",
    "MOST_CELLS",
    "ONE",
    "Counts",
    "DirichletCategorical",
    "ExactStatistics",
    "Factor",
    "Family",
    "JointFamily",
    "LearnedPrior",
    "Model",
    "Observed",
    "ObservedPoints",
    "ObservedSticks",
    "RateLaws",
    "Summand",
    "SummedModel",
    "to_model",
]
