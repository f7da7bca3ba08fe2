"""Naive Bayes: a column to be told from others, which are independent of each other given it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, final

from privior.errors import shown
from privior.models.dirichlet_table import LEARNED
from privior.models.model import MODELS, column_name
from privior.models.network import Network
from privior.models.network_prior import NetworkPrior


@final
@MODELS.register
@dataclass(frozen=True)
class NaiveBayes(Network):
    """The network in which the target is the only parent of each feature.

    Attributes:
        columns: the target, then the features
        arcs: the parents of each
        prior: as for a Bayesian network
    """

    columns: tuple[str, ...]
    arcs: tuple[tuple[str, ...], ...]
    prior: NetworkPrior
    family: ClassVar[str] = "naive-bayes"
    pictured: ClassVar[tuple[str, ...]] = ("KL", "log loss")

    def __init__(self, target: str, features: Sequence[str], prior: object = LEARNED) -> None:
        """Name the columns.

        Args:
            target: what is to be told
            features: what it is told from
            prior: see `pv.BayesianNetwork`
        """
        name = column_name(target, self.family)
        if not isinstance(features, (list, tuple)) or not features or name in features:
            raise self.refusal("features are not a list of other columns", asked=shown(features))
        if len({*map(str, features)}) < len(features):
            raise self.refusal("a feature is named twice", asked=", ".join(map(str, features)))
        self._set_graph({name: [], **{column_name(one, self.family): [name] for one in features}}, prior)

    @property
    def target(self) -> str:
        """The column that is to be told: the class."""
        return self.columns[0]

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that it is told from, independent given the class."""
        return self.columns[1:]

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values."""
        return {
            "family": self.family,
            "target": self.target,
            "features": list(self.features),
            "prior": self.prior.to_document(),
        }

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote; without a prior it is learned."""
        target, features = entries.get("target"), entries.get("features")
        known = isinstance(target, str) and isinstance(features, list)
        if set(entries) - {"target", "features", "prior"} or not known:
            raise cls.refusal(
                "unknown or missing entries", asked=", ".join(entries), allowed="target, features, prior"
            )
        return cls(target, features, entries.get("prior", LEARNED))  # type: ignore[arg-type]
