"""Mechanisms: one release law per file, each with its guarantee, its draw and its likelihood."""

from privior.mechanisms.contract import CellNoise, Mechanism, PublicFacts
from privior.mechanisms.documents import MECHANISMS, mechanism_named, to_mechanism
from privior.mechanisms.forecasts import Forecast, forecast, prior_alone, records_alone
from privior.mechanisms.gaussian_counts import GaussianCounts
from privior.mechanisms.k_norm import KNorm
from privior.mechanisms.laplace_counts import LaplaceCounts
from privior.mechanisms.published_laplace import LSDim, LSHist, PublishedLaplace

__all__ = [
    "MECHANISMS",
    "CellNoise",
    "Forecast",
    "GaussianCounts",
    "KNorm",
    "LSDim",
    "LSHist",
    "LaplaceCounts",
    "Mechanism",
    "PublicFacts",
    "PublishedLaplace",
    "forecast",
    "mechanism_named",
    "prior_alone",
    "records_alone",
    "to_mechanism",
]
