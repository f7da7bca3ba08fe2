"""Studies: figures of the papers, made anew and corrected. One a file; synthetic data, nobody's budget."""

from privior.papers.studies import (
    dirichlet_renyi,
    distinguish,
    draws_or_noise,
    fourier,
    gibbs_logistic,
    hellinger_accuracy,
    histogram_error,
    linear_regression,
    lipschitz_mass,
    multinomial_dirichlet,
    naive_bayes,
    river_swim,
)
from privior.papers.studies.files import files_of
from privior.papers.studies.study import Findings, Study, StudyColumn

_MODULES = (
    *(dirichlet_renyi, histogram_error, multinomial_dirichlet),
    *(hellinger_accuracy, lipschitz_mass, distinguish, draws_or_noise),
    *(naive_bayes, fourier, linear_regression, gibbs_logistic, river_swim),
)
#: every study, by name
STUDIES = {module.STUDY.name: module.STUDY for module in _MODULES}
