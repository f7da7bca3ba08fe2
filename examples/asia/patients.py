"""Makes up the clinic: `python patients.py FOLDER` writes patients.csv and published.json.

patients.csv has 5,000 patients, drawn node by node from asia.bif. published.json stands for what another
clinic has published of patients of its own: the tables of the network with Gaussian noise. It is made with a
seed, so it protects nobody; nobody is in it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import privior as pv

HERE = Path(__file__).parent
RECORDS, STDDEV = 5000, 12


def patients(network: pv.NetworkFile, draw: random.Random) -> list[dict[str, str]]:
    """Draw records node by node, parents first."""
    model, found = pv.BayesianNetwork(network.parents), []
    for _ in range(RECORDS):
        one: dict[str, str] = {}
        for node in model.order:
            row = 0
            for name in network.parents[node]:
                row = row * len(network.levels[name]) + network.levels[name].index(one[name])
            levels = network.levels[node]
            one[node] = draw.choices(levels, network.tables[node][row * len(levels) :][: len(levels)])[0]
        found.append(one)
    return found


def main(folder: Path) -> None:
    """Write both files."""
    network, draw = pv.NetworkFile.read(HERE / "asia.bif"), random.Random(1)  # noqa: S311 - nobody
    nodes = list(network.levels)
    lines = [",".join(one[node] for node in nodes) for one in patients(network, draw)]
    (folder / "patients.csv").write_text("\n".join([",".join(nodes), *lines]) + "\n")
    others, published = patients(network, draw), {}
    for node in nodes:
        names = [*network.parents[node], node]
        cells: list[tuple[str, ...]] = [()]
        for name in names:
            cells = [(*cell, level) for cell in cells for level in network.levels[name]]
        counts = [sum(tuple(one[name] for name in names) == cell for one in others) for cell in cells]
        published[node] = [count + round(draw.gauss(0, STDDEV)) for count in counts]
    (folder / "published.json").write_text(json.dumps(published) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
