"""Models: one family per file, each with prior, statistic, sensitivity, update and predictive."""

from privior.models.dirichlet_categorical import MOST_CELLS, DirichletCategorical
from privior.models.documents import Model, to_model
from privior.models.learned_prior import LearnedPrior, RateLaws
from privior.models.statistics import Counts, ExactStatistics, Observed, ObservedPoints, ObservedSticks

__all__ = [
    "MOST_CELLS",
    "Counts",
    "DirichletCategorical",
    "ExactStatistics",
    "LearnedPrior",
    "Model",
    "Observed",
    "ObservedPoints",
    "ObservedSticks",
    "RateLaws",
    "to_model",
]
