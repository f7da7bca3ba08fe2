"""Mechanisms: one release law per file, each with its guarantee, its draw and its likelihood."""

from privior.mechanisms.contract import CellNoise, Mechanism, Prior, PublicFacts
from privior.mechanisms.dirichlet_draw import DirichletDraw
from privior.mechanisms.documents import (
    FAMILY_MECHANISMS,
    MECHANISMS,
    ON_REQUEST,
    AnyMechanism,
    FamilyMechanism,
    FiniteMechanism,
    mechanism_named,
    table_mechanism_named,
    to_family_mechanism,
    to_finite_mechanism,
    to_mechanism,
)
from privior.mechanisms.ehd import EHD
from privior.mechanisms.ehdl import EHDL
from privior.mechanisms.ehds import EHDS
from privior.mechanisms.expect import Expect
from privior.mechanisms.forecasts import Ahead, Forecast, forecast, prior_alone, records_alone
from privior.mechanisms.gaussian_counts import GaussianCounts
from privior.mechanisms.hellinger_tables import HellingerMechanism
from privior.mechanisms.k_norm import KNorm
from privior.mechanisms.laplace_counts import LaplaceCounts
from privior.mechanisms.model_draws import ModelDraws
from privior.mechanisms.model_forecast import ModelForecast, model_forecast
from privior.mechanisms.noisy_statistics import NoisyStatistics
from privior.mechanisms.parameter_forecast import ParameterForecast, parameter_forecast
from privior.mechanisms.posterior_draws import PosteriorDraws, one_parameter
from privior.mechanisms.posterior_release import CellGammas, PosteriorRelease
from privior.mechanisms.published_laplace import LSDim, LSHist, PublishedLaplace
from privior.mechanisms.virtual_records import VirtualRecords

__all__ = [
    "EHD",
    "EHDL",
    "EHDS",
    "FAMILY_MECHANISMS",
    "MECHANISMS",
    "ON_REQUEST",
    "Ahead",
    "AnyMechanism",
    "CellGammas",
    "CellNoise",
    "DirichletDraw",
    "Expect",
    "FamilyMechanism",
    "FiniteMechanism",
    "Forecast",
    "GaussianCounts",
    "HellingerMechanism",
    "KNorm",
    "LSDim",
    "LSHist",
    "LaplaceCounts",
    "Mechanism",
    "ModelDraws",
    "ModelForecast",
    "NoisyStatistics",
    "ParameterForecast",
    "PosteriorDraws",
    "PosteriorRelease",
    "Prior",
    "PublicFacts",
    "PublishedLaplace",
    "VirtualRecords",
    "forecast",
    "mechanism_named",
    "model_forecast",
    "one_parameter",
    "parameter_forecast",
    "prior_alone",
    "records_alone",
    "table_mechanism_named",
    "to_family_mechanism",
    "to_finite_mechanism",
    "to_mechanism",
]
