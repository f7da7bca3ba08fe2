"""The worked example, as its page says: by commands and in Python, and from tables of others."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from program import run_here

import privior as pv

EXAMPLE = Path(__file__).parents[2] / "examples" / "asia"


def answers(text: str) -> list[tuple[float, float, float]]:
    """Return every chance that is told with its interval."""
    found = re.findall(r"= ([0-9.]+), between ([0-9.]+) and ([0-9.]+)", text)
    return [tuple(map(float, one)) for one in found]  # type: ignore[misc]


def truth() -> float:
    """Return the chance by the network that the patients were drawn from, summed over all of them."""
    network = pv.NetworkFile.read(EXAMPLE / "asia.bif")
    schema, model = pv.Schema(network.columns, population="p", unit="u"), pv.BayesianNetwork(network.parents)
    theta = [chance for node in model.columns for chance in network.tables[node]]
    numbers = pv.NetworkPosterior.numbers_of(model, schema)
    _, found = numbers.probability({"lung": "yes"}, {"smoke": "yes", "dysp": "yes"})
    return float(found(np.array([theta]))[0])


def test_the_page_runs_and_its_answers_are_near_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seeded_noise: None
) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "asia")
    monkeypatch.chdir(folder)
    found = []
    page = (EXAMPLE / "README.md").read_text("utf-8")
    for line in "".join(re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)).splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "privior":
            agreed = ["--yes", "--no-report"] if arguments[0] == "release" else []
            ended = run_here([*arguments, *agreed], folder)
            assert ended.code == 0, (line, ended.errors)
            found += answers(ended.output)
        elif program == "python":
            monkeypatch.setattr(sys, "argv", arguments)
            runpy.run_path(arguments[0], run_name="__main__")
    runpy.run_path("example.py", run_name="__main__")
    found += answers(capsys.readouterr().out)
    assert len(found) == 4  # by a command and in Python: from a release of one's own, and from others' tables
    true = truth()
    assert f"says {true:.3f}" in page
    assert found[1] == found[3]  # the same numbers
    for mean, low, high in found:
        assert low < mean < high
        assert abs(mean - true) < 2 * (high - low)
