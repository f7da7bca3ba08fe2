"""Studies: figures of the papers, made anew and corrected. One a file; synthetic data, nobody's budget."""

from privior.papers.studies import (
    dirichlet_renyi,
    distinguish,
    draws_or_noise,
    hellinger_accuracy,
    histogram_error,
    lipschitz_mass,
    multinomial_dirichlet,
)
from privior.papers.studies.files import files_of
from privior.papers.studies.study import Column, Findings, Study

#: every study, by name
STUDIES = {
    study.name: study
    for study in (
        dirichlet_renyi.STUDY,
        histogram_error.STUDY,
        multinomial_dirichlet.STUDY,
        hellinger_accuracy.STUDY,
        lipschitz_mass.STUDY,
        distinguish.STUDY,
        draws_or_noise.STUDY,
    )
}

__all__ = ["STUDIES", "Column", "Findings", "Study", "files_of"]
