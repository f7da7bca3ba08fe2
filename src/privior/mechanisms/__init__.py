"""Mechanisms: one release law per file, each with its guarantee, its draw and its likelihood.

Of two that are forecast equal the planner takes the one that is registered, hence imported, first.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # isort: off
    from privior.mechanisms.contract import MECHANISMS, Asked, CellNoise, CellTerm
    from privior.mechanisms.contract import Mechanism, Offer, ParityTerm, compared_for, offered_for
    from privior.mechanisms.contract import on_request_for, to_mechanism, unsuited
    from privior.mechanisms.tables.table_mechanism import (
        CellGammas,
        PriorParameters,
        PublicFacts,
        TableMechanism,
    )
    from privior.mechanisms.tables.k_norm import KNorm
    from privior.mechanisms.tables.laplace_counts import LaplaceCounts
    from privior.mechanisms.tables.gaussian_counts import GaussianCounts
    from privior.mechanisms.tables.published_laplace import LSDim, LSHist, PublishedLaplace
    from privior.mechanisms.hellinger.hellinger_tables import HellingerMechanism
    from privior.mechanisms.hellinger.ehd import EHD
    from privior.mechanisms.hellinger.ehds import EHDS
    from privior.mechanisms.hellinger.ehdl import EHDL
    from privior.mechanisms.tables.posterior_release import PosteriorRelease
    from privior.mechanisms.tables.dirichlet_draw import DirichletDraw
    from privior.mechanisms.tables.virtual_records import VirtualRecords
    from privior.mechanisms.families.summed_mechanism import SummedMechanism, SumNoise
    from privior.mechanisms.families.noisy_statistics import NoisyStatistics
    from privior.mechanisms.families.posterior_draws import PosteriorDraws
    from privior.mechanisms.families.model_draws import ModelDraws
    from privior.mechanisms.imported.noise_law import GaussianNoise, LaplaceNoise, NoiseLaw, to_noise_law
    from privior.mechanisms.imported.treatment import AS_DRAWN, Treatment
    from privior.mechanisms.imported.imported_numbers import ImportedNumbers
    from privior.mechanisms.networks.network_mechanism import NetworkMechanism
    from privior.mechanisms.networks.node_tables import NodeTables
    from privior.mechanisms.networks.laplace_tables import LaplaceTables
    from privior.mechanisms.networks.gaussian_tables import GaussianTables
    from privior.mechanisms.regression.gibbs_draws import GibbsDraws
    from privior.mechanisms.networks.fourier_tables import FourierTables
    from privior.mechanisms.networks.drawn_sticks import DrawnSticks
    from privior.mechanisms.networks.network_drawing import NetworkDrawing
    from privior.mechanisms.networks.network_draws import NetworkDraws
    from privior.mechanisms.networks.truncated_network_draws import TruncatedNetworkDraws
    from privior.mechanisms.regression.moment_noise import MomentNoise
    from privior.mechanisms.regression.laplace_moments import LaplaceMoments
    from privior.mechanisms.regression.gaussian_moments import GaussianMoments
    from privior.mechanisms.regression.ball_draw import BallDraw
    from privior.mechanisms.regression.objective_perturbation import ObjectivePerturbation

    # isort: on
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
