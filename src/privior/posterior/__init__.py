"""Posteriors: what follows from a release. Nothing here can see data, so everything here is free.

`contract` says what a posterior is, and which one belongs to which model. `tables`, `families` and `finite`
have one folder each; `counts` is the machinery behind tables, which finds the unknown true counts.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.posterior.cells import CellsPosterior
    from privior.posterior.contract import POSTERIORS, Belief, Posterior, posterior_for, posterior_of
    from privior.posterior.counts.variance import VarianceParts
    from privior.posterior.families.family_posterior import FamilyPosterior
    from privior.posterior.families.joint_posterior import JointPosterior
    from privior.posterior.families.parameter_posterior import ParameterPosterior
    from privior.posterior.findings import Finding, Table
    from privior.posterior.finite.finite_posterior import FinitePosterior
    from privior.posterior.fit import Fit, check_fit
    from privior.posterior.gibbs.gibbs_belief import GibbsBelief
    from privior.posterior.given_draws import GivenDraws
    from privior.posterior.inference import infer, infer_many
    from privior.posterior.networks.network_posterior import NetworkPosterior
    from privior.posterior.numbers import Numbers
    from privior.posterior.quantity import Quantity
    from privior.posterior.regression.logistic_posterior import LogisticPosterior
    from privior.posterior.regression.regression_posterior import RegressionPosterior
    from privior.posterior.tables.categorical import CategoricalPosterior
    from privior.posterior.tables.counts_posterior import CountsPosterior
    from privior.posterior.tables.distances import EUCLIDEAN, HELLINGER, TableDistance
    from privior.posterior.tables.markov import MarkovPosterior
    from privior.posterior.tables.table_posterior import TablePosterior
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
