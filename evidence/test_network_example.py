"""The worked example beside mbi: P(lung=yes | smoke=yes, dysp=yes) from the same noisy tables."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from network_peer import PYTHON, peer
from network_trials import Truth
from record import ROOT, Certificate, store

import privior as pv

EXAMPLE = ROOT / "examples" / "asia"
ASKED = ["lung", "smoke", "dysp"]
STDDEV = 12


def published(truth: Truth, folder: Path) -> dict[str, list[int]]:
    """Make the tables that another clinic has published, as the example does."""
    runpy.run_path(str(EXAMPLE / "patients.py"))["main"](folder)
    found: dict[str, list[int]] = json.loads((folder / "published.json").read_text())
    assert list(found) == list(truth.model.columns)
    return found


@pytest.mark.skipif(PYTHON is None, reason="no Python with mbi is named: PRIVIOR_MBI_PYTHON")
def test_the_example_beside_mbi(tmp_path: Path) -> None:
    certificate, truth = Certificate.of(__file__), Truth.of("asia")
    noisy = published(truth, tmp_path)
    event, given = {"lung": "yes"}, {"smoke": "yes", "dysp": "yes"}
    release = pv.import_release(
        truth.model,
        truth.schema,
        noisy,
        noise=pv.GaussianNoise(STDDEV, discrete=True),
        treatment=pv.AS_DRAWN,
        records=5000,
        epsilon=1,
        delta="1e-5",
        neighbours=pv.REPLACE_ONE,
        source="another clinic",
    )
    posterior = pv.infer(release)
    ours = posterior.probability(event, given)
    low, high = ours.interval(0.9)
    _, chance = posterior.numbers.probability(event, given)
    with peer() as mbi:
        assert mbi is not None
        flat = np.concatenate([np.array(one, dtype=float) for one in noisy.values()])
        found = mbi.tables(truth.model, truth.schema, flat, [STDDEV] * len(noisy), [ASKED])
    cube = found[-8:].reshape(2, 2, 2)  # levels are yes, no
    theirs = cube[0, 0, 0] / cube[:, 0, 0].sum()
    true = chance(truth.theta)[0]
    store(
        "network_example",
        certificate,
        title="P(lung=yes | smoke=yes, dysp=yes) from the noisy tables of examples/asia",
        claim="told, no bar: 5,000 records, discrete Gaussian noise of standard deviation 12 on every count",
        header=("the network itself", "ours", "90% interval", "mbi 2.0.0, 1,000 steps"),
        rows=[(f"{true:.4f}", f"{ours.mean:.4f}", f"{low:.4f} to {high:.4f}", f"{theirs:.4f}, no interval")],
    )
    assert low <= true <= high
