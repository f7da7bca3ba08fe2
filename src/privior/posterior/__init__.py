"""Posteriors: what follows from a release. Nothing here can see data, so everything here is free."""

from privior.posterior.categorical import CategoricalPosterior, CountsPosterior
from privior.posterior.inference import infer
from privior.posterior.quantity import Quantity

__all__ = ["CategoricalPosterior", "CountsPosterior", "Quantity", "infer"]
