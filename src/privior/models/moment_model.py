"""Models that are told enough by the moments of a formula: sums of products of 1, features and target."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from privior.arrays import Integers
from privior.models.design import Design
from privior.models.formula_model import FormulaModel
from privior.models.moment_layout import MomentLayout
from privior.models.moment_weights import FIRST, MomentWeights
from privior.privacy import Neighbours
from privior.schema import Schema


class MomentModel(FormulaModel):
    """A model of a formula whose moments may be published with noise (`MomentLayout`)."""

    @abstractmethod
    def moment_design(self, schema: Schema) -> Design:
        """Return features and target as whole numbers."""

    @abstractmethod
    def products(self, schema: Schema, statistics: Any) -> Integers:
        """Return the sums of all products of two numbers of the design, as a matrix: private.

        Args:
            schema: the public facts about the columns
            statistics: what the model's reading gave
        """

    def moment_trouble(self, schema: Schema) -> tuple[str, object] | None:
        """Say what is wrong with publishing moments, and what was asked; None if nothing is."""
        return None

    def kept(self, schema: Schema) -> float:
        """Return how many bytes are kept of each record until moments are summed; 0 if rows are streamed."""
        return 0.0

    def layout(self, schema: Schema, neighbours: Neighbours, weights: MomentWeights = FIRST) -> MomentLayout:
        """Return which sums are published, weighed against each other in this way."""
        return MomentLayout(self.moment_design(schema), neighbours, weights)
