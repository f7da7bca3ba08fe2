"""Where moves go: more of them to tables about which chains disagree.

Between two runs the chances of the moves are set anew, from the split R-hats of the runs before. Whatever the
chances are, each move leaves the target as it is; within a run they do not change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.posterior.networks.joint_arrays import chances_of
from privior.posterior.networks.joint_layout import JointLayout
from privior.posterior.networks.joint_state import Nodes, Swaps, Walks

#: R-hat² - 1 of an entry is taken to be between these; and how much more or less often a move may be tried
_LEAST, _MOST, _FACTOR = 0.002, 0.5, 8.0


@dataclass(frozen=True, eq=False)
class Aim:
    """The first chances of all moves, and which tables each of them changes.

    Attributes:
        layout: of the network
        walks: as at first
        nodes: likewise
        swaps: likewise
    """

    layout: JointLayout
    walks: Walks
    nodes: Nodes
    swaps: Swaps

    def at(self, r_hats: Floats) -> tuple[Walks, Nodes, Swaps]:
        """Return the moves with chances that suit the R-hats of all entries."""
        model, tree = self.layout.model, self.layout.tree
        squares = np.clip(np.nan_to_num(r_hats**2 - 1, nan=_MOST), _LEAST, _MOST)
        parts = np.split(squares, np.cumsum(model.sizes(self.layout.schema))[:-1])
        need = {node: float(np.sqrt(part.mean())) for node, part in zip(model.columns, parts, strict=True)}
        usual = float(np.median(list(need.values())))
        with_column: dict[str, list[float]] = {name: [] for name in model.columns}
        for node, names in zip(model.columns, model.tables, strict=True):
            for name in names:
                with_column[name].append(need[node])
        at_home: list[list[float]] = [[] for _ in tree.cliques]
        for node, home in tree.homes.items():
            at_home[home].append(need[node])

        blocks = [walk.block for walk in self.layout.walks]
        of_blocks = [
            max((one for name in block for one in with_column[name]), default=usual) for block in blocks
        ]
        of_nodes = [max(with_column[node]) for node in model.order]
        of_swaps = [max(at_home[clique], default=usual) for clique in self.swaps.clique]
        return (
            self.walks._replace(chances=_scaled(self.walks.chances, of_blocks, usual)),
            self.nodes._replace(chances=_scaled(self.nodes.chances, of_nodes, usual)),
            self.swaps._replace(chances=_scaled(self.swaps.chances, of_swaps, usual)),
        )


def _scaled(chances: Floats, needs: list[float], usual: float) -> Floats:
    """Return chances in proportion to what they were, and to needs."""
    if not chances.size:
        return chances
    factors = np.clip(np.array(needs) / usual, 1 / _FACTOR, _FACTOR)
    return chances_of(np.diff(chances, prepend=0.0) * factors)
