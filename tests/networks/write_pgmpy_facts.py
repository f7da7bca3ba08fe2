"""Writes what pgmpy reads of the networks here, and what it answers: an independent reader, run by hand.

pip install pgmpy; python tests/networks/write_pgmpy_facts.py
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def facts(text: str, name: str) -> dict[str, Any]:
    """Read one network, and ask it some questions."""
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    model = BIFReader(string=text).get_model()
    nodes: dict[str, Any] = {}
    for cpd in model.get_cpds():
        parents = [str(one) for one in cpd.variables[1:]]
        values = cpd.values.transpose(*range(1, cpd.values.ndim), 0)
        weights = [(place % 97 + 1) / 97 for place in range(values.size)]
        nodes[str(cpd.variable)] = {
            "levels": [str(one) for one in cpd.state_names[cpd.variable]],
            "parents": parents,
            "weighed": float(sum(w * v for w, v in zip(weights, values.ravel().tolist(), strict=True))),
        }
    draw, asked = random.Random(name), []
    for _ in range(6):
        target, *others = draw.sample(sorted(nodes), 3)
        given = {one: draw.choice(nodes[one]["levels"]) for one in others}
        found = VariableElimination(model).query([target], evidence=given, show_progress=False)
        order = found.state_names[target]
        chances = dict(zip(order, found.values.tolist(), strict=True))
        if all(0 <= one <= 1 for one in chances.values()):
            asked.append({"target": target, "given": given, "chances": chances})
    return {"nodes": nodes, "asked": asked}


if __name__ == "__main__":
    every = {
        path.name.removesuffix(".bif.gz"): facts(gzip.decompress(path.read_bytes()).decode(), path.name)
        for path in sorted((HERE / "bif").glob("*.bif.gz"))
    }
    (HERE / "pgmpy_facts.json").write_text(json.dumps(every, indent=1) + "\n")
