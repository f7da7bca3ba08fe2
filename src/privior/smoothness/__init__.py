"""How smooth a likelihood is under a prior, and what follows for draws from its posterior.

`analyse` puts the bounds of "Differential Privacy for Bayesian Inference through Posterior Sampling" beside
what is exact. A model takes part by registering one function (`subject_of`), a family of one parameter by
another one (`natural_of`).
"""

from privior.smoothness.analysing import analyse
from privior.smoothness.natural import Natural, natural_of
from privior.smoothness.own_likelihood import LogLikelihood
from privior.smoothness.report import ModelAnalysis
from privior.smoothness.subject import Contrast, Cut, Subject, subject_of

__all__ = [
    "Contrast",
    "Cut",
    "LogLikelihood",
    "ModelAnalysis",
    "Natural",
    "Subject",
    "analyse",
    "natural_of",
    "subject_of",
]
