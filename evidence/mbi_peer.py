"""The peer's side: fits a graphical model to noisy tables by mbi, in an environment of its own.

Reads one JSON document a line from standard input and writes one to standard output. Nothing here imports
privior, and privior needs no mbi: `PRIVIOR_MBI_PYTHON` names a Python that has it (pip install mbi).
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any


def fitted(asked: dict[str, Any]) -> list[list[float]]:
    """Return the counts of each table, and of other columns together, as the fitted model says."""
    import mbi
    import numpy as np

    domain = mbi.Domain(list(asked["sizes"]), list(asked["sizes"].values()))
    measurements = [
        mbi.LinearMeasurement(np.array(noisy, dtype=float), tuple(names), stddev=stddev)
        for names, noisy, stddev in zip(asked["tables"], asked["noisy"], asked["stddevs"], strict=True)
    ]
    model = mbi.estimation.MirrorDescent().estimate(
        domain, measurements, known_total=asked["total"], iters=asked["iterations"]
    )
    wanted = [*asked["tables"], *asked["also"]]
    return [np.asarray(model.project(tuple(names)).datavector()).tolist() for names in wanted]


def main() -> None:
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr
    import jax

    jax.config.update("jax_enable_x64", True)
    for line in sys.stdin:
        print(json.dumps(fitted(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
