"""A network from a BIF file, released privately, and asked: `python example.py FOLDER`, see README.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import privior as pv

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Release the tables, ask them, and ask those of another clinic."""
    network = pv.NetworkFile.read(HERE / "asia.bif")
    schema = pv.Schema(network.columns, population="chest-clinic", unit="patient")
    model = pv.BayesianNetwork(network.parents)

    plan = pv.plan(model, schema, records=5000, epsilon=1, delta="1e-5")
    posterior = pv.infer(pv.measure(plan, folder / "patients.csv", ledger=folder / "clinic.ledger"))
    print(posterior.probability({"lung": "yes"}, given={"smoke": "yes", "dysp": "yes"}))

    # the chances of lung cancer for patients of one's own; xray of the second one is not known
    rows = {"smoke": ["yes", "no"], "dysp": ["yes", "yes"], "xray": ["yes", None]}
    print(posterior.predict_proba(rows, target="lung"))

    # what another clinic has published, and how its noise was drawn
    published = pv.import_release(
        model,
        schema,
        json.loads((folder / "published.json").read_text()),
        noise=pv.GaussianNoise(12, discrete=True),
        treatment=pv.AS_DRAWN,
        records=5000,
        epsilon=1,
        delta="1e-5",
        neighbours=pv.REPLACE_ONE,
        source="another clinic",
    )
    theirs = pv.infer(published)
    print(theirs.probability({"lung": "yes"}, given={"smoke": "yes", "dysp": "yes"}))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
