"""A Bayesian network of discrete columns whose graph is public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, final

from privior.errors import shown
from privior.models.dirichlet_table import LEARNED
from privior.models.model import MODELS
from privior.models.network import Network
from privior.models.network_prior import NetworkPrior


@final
@MODELS.register
@dataclass(frozen=True)
class BayesianNetwork(Network):
    """The tables of a network with this graph, each node's given its parents.

    Attributes:
        columns: the nodes
        arcs: the parents of each
        prior: learned from the release for each table, unless it is said; or a number for every entry,
            `pv.BDeu(weight)`, or numbers for each node's table
    """

    columns: tuple[str, ...]
    arcs: tuple[tuple[str, ...], ...]
    prior: NetworkPrior
    family: ClassVar[str] = "bayesian-network"

    def __init__(self, parents: Any, prior: object = LEARNED) -> None:
        """Take a graph.

        Args:
            parents: the parents of every node, {"smoke": [], "lung": ["smoke"]}; or a graph of networkx
            prior: see above
        """
        self._set_graph(_graph(parents), prior)

    @classmethod
    def read(cls, path: str | Path, prior: object = LEARNED) -> BayesianNetwork:
        """Take the graph of a BIF or XMLBIF file; its probabilities are not looked at."""
        from privior.schema import NetworkFile

        return cls(NetworkFile.read(path).parents, prior)

    def to_document(self) -> dict[str, object]:
        """Write the graph and the prior; nodes are listed, since their order is that of the tables."""
        return {
            "family": self.family,
            "nodes": list(self.columns),
            "parents": {node: list(above) for node, above in self.parents.items() if above},
            "prior": self.prior.to_document(),
        }

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote; without a list of nodes all of them have their parents said."""
        parents, nodes = entries.get("parents"), entries.get("nodes")
        if set(entries) - {"nodes", "parents", "prior"} or not isinstance(parents, dict):
            raise cls.refusal(
                "unknown or missing entries", asked=", ".join(entries), allowed="nodes, parents, prior"
            )
        if nodes is not None:
            if not isinstance(nodes, list) or len({*map(str, nodes)}) < len(nodes):
                raise cls.refusal("nodes are not a list of different names", asked=shown(nodes))
            strange = [node for node in parents if node not in nodes]
            if strange:
                raise cls.refusal("parents of what is no node", asked=shown(strange[0]))
            parents = {node: parents.get(node, []) for node in nodes}
        return cls(parents, entries.get("prior", LEARNED))


def _graph(given: Any) -> Mapping[str, Any]:
    """Return the parents of each node, of a dictionary or of a directed graph of networkx."""
    if isinstance(given, Mapping):
        return given
    if hasattr(given, "predecessors") and hasattr(given, "nodes"):
        return {node: list(given.predecessors(node)) for node in given.nodes}
    raise BayesianNetwork.refusal(
        "not the graph of a network",
        asked=shown(given),
        allowed='the parents of every node, {"smoke": [], "lung": ["smoke"]}; or a graph of networkx',
        advice="A BIF or XMLBIF file is read by pv.BayesianNetwork.read(path).",
    )
