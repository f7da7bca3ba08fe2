"""Mechanisms: one release law per file, each with its guarantee, its draw and its likelihood.

Of two that are forecast equal the planner takes the one that is registered, hence imported, first.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # isort: off
    from privior.mechanisms.contract import MECHANISMS, Asked, CellNoise, CellTerm
    from privior.mechanisms.contract import Mechanism, Offer, ParityTerm, compared_for, offered_for
    from privior.mechanisms.contract import on_request_for, to_mechanism, unsuited
    from privior.mechanisms.table_mechanism import CellGammas, PriorParameters, PublicFacts, TableMechanism
    from privior.mechanisms.k_norm import KNorm
    from privior.mechanisms.laplace_counts import LaplaceCounts
    from privior.mechanisms.gaussian_counts import GaussianCounts
    from privior.mechanisms.published_laplace import LSDim, LSHist, PublishedLaplace
    from privior.mechanisms.hellinger_tables import HellingerMechanism
    from privior.mechanisms.ehd import EHD
    from privior.mechanisms.ehds import EHDS
    from privior.mechanisms.ehdl import EHDL
    from privior.mechanisms.posterior_release import PosteriorRelease
    from privior.mechanisms.dirichlet_draw import DirichletDraw
    from privior.mechanisms.virtual_records import VirtualRecords
    from privior.mechanisms.summed_mechanism import SummedMechanism, SumNoise
    from privior.mechanisms.noisy_statistics import NoisyStatistics
    from privior.mechanisms.posterior_draws import PosteriorDraws
    from privior.mechanisms.model_draws import ModelDraws
    from privior.mechanisms.noise_law import GaussianNoise, LaplaceNoise, NoiseLaw, to_noise_law
    from privior.mechanisms.treatment import AS_DRAWN, Treatment
    from privior.mechanisms.imported_numbers import ImportedNumbers
    from privior.mechanisms.network_mechanism import NetworkMechanism
    from privior.mechanisms.node_tables import NodeTables
    from privior.mechanisms.laplace_tables import LaplaceTables
    from privior.mechanisms.gaussian_tables import GaussianTables
    from privior.mechanisms.gibbs_draws import GibbsDraws
    from privior.mechanisms.fourier_tables import FourierTables
    from privior.mechanisms.drawn_sticks import DrawnSticks
    from privior.mechanisms.network_drawing import NetworkDrawing
    from privior.mechanisms.network_draws import NetworkDraws
    from privior.mechanisms.truncated_network_draws import TruncatedNetworkDraws
    from privior.mechanisms.moment_noise import MomentNoise
    from privior.mechanisms.laplace_moments import LaplaceMoments
    from privior.mechanisms.gaussian_moments import GaussianMoments
    from privior.mechanisms.ball_draw import BallDraw
    from privior.mechanisms.objective_perturbation import ObjectivePerturbation

    # isort: on
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
