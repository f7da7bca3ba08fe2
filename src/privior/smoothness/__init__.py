"""How smooth a likelihood is under a prior, and what follows for draws from its posterior.

`analyse` says what is promised, what the best test can do, and what a cut prior costs and buys. A model takes
part by registering one function (`subject_of`), a family of one parameter by another one (`natural_of`).
"""

from privior.smoothness.analysing import analyse
from privior.smoothness.findings import ModelAnalysis
from privior.smoothness.natural import Natural, natural_of
from privior.smoothness.own_likelihood import LogLikelihood
from privior.smoothness.subject import Contrast, Cut, Subject, subject_of
