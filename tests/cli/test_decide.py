"""privior decide: a decision by a named utility on the command line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from program import run_here as run
from program import run_on_terminal

import privior as pv

DRAWS = Path(__file__).resolve().parents[1] / "compat" / "draws" / "dirichlet-draw.json"
ASKED = "P(fruit=apple)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a release of two draws of fruit and ripe."""
    shutil.copy(DRAWS, tmp_path / "fruit.json")
    return tmp_path


def test_the_best_response_is_shown_with_the_others(folder: Path) -> None:
    ended = run(["decide", "fruit.json", ASKED, "-u", "threshold", "-s", "at=0.3", "-s", "miss=5"], folder)
    assert (ended.code, ended.errors) == (0, "")
    expected = pv.Decision(ASKED, pv.Threshold("0.3", miss=5)).decide(folder / "fruit.json")
    assert re.search(rf"^response +{expected.response}$", ended.output, re.MULTILINE)
    assert all(words in ended.output for words in ("expected cost", "behind the best", "act", "wait", "█"))
    shown = run_on_terminal(["decide", "fruit.json", ASKED, "-u", "squared-error"], folder)
    assert shown.code == 0
    assert "root mean squared error" in shown.plain


def test_json_and_quiet(folder: Path) -> None:
    arguments = [
        "decide",
        "fruit.json",
        "mean(ripe | fruit=apple)",
        "-u",
        "cost-matrix",
        "-s",
        "cuts=0.2,0.5",
    ]
    arguments += ["-s", "names=a,b", "-s", "costs=0,1; 1,0; 3,0", "--compare", "--prior", "2"]
    document = json.loads(run([*arguments, "--json"], folder).output)
    decision = pv.Decision.from_document(document["decision"])
    utility = pv.CostMatrix(["0.2", "0.5"], ["a", "b"], [[0, 1], [1, 0], [3, 0]])
    assert decision == pv.Decision("mean(ripe | fruit=apple)", utility)
    release = pv.Release.read(folder / "fruit.json")
    own = pv.infer(release, prior=2)
    assert document["choice"] == decision.decide(own).to_document()
    assert document["compared"] == decision.compare(own).to_document()
    assert document["other_prior"] == decision.prior_loss(release, prior=2).to_document()
    brief = run([*arguments, "--quiet"], folder)
    assert brief.output.strip() == document["choice"]["response"]


@pytest.mark.parametrize(
    ("utility", "responses", "kind"),
    [
        (["squared-error"], "0.1, 0.2, 0.9", [0.1, 0.2, 0.9]),
        (["squared-error"], "0.1 to 0.2", pv.ResponseInterval("0.1", "0.2")),
        (["absolute-error"], "0 to 1 in 7 steps", pv.ResponseGrid(0, 1, 7)),
        (["interval-score"], "0.1 to 0.5, 0.2 to 0.9", [(0.1, 0.5), (0.2, 0.9)]),
        (["threshold", "-s", "at=0.4"], "wait", ["wait"]),
    ],
)
def test_responses_as_people_type_them(
    folder: Path, utility: list[str], responses: str, kind: object
) -> None:
    ended = run(["decide", "fruit.json", ASKED, "-u", *utility, "-r", responses, "--json"], folder)
    document = json.loads(ended.output)
    named = pv.Decision.from_document(document["decision"]).utility
    expected = pv.Decision(ASKED, named, kind).decide(folder / "fruit.json")
    assert document["choice"]["expected_utility"] == expected.expected_utility
    found = document["choice"]["response"]
    assert (tuple(found) if isinstance(found, list) else found) == expected.response


def test_the_three_ways_and_an_own_prior_are_told(folder: Path) -> None:
    ended = run(["decide", "fruit.json", ASKED, "-u", "squared-error", "-c", "--prior", "learned"], folder)
    assert ended.code == 9  # a prior cannot be learned from draws
    told = run(["decide", "fruit.json", ASKED, "-u", "squared-error", "-c", "--prior", "3"], folder)
    assert told.code == 0
    for words in ("Three ways of answering", "2 released", "vacuous", "you would lose", "Corollary 16"):
        assert words in told.output


def test_without_a_utility_all_are_listed(folder: Path) -> None:
    listed = run(["decide", "fruit.json", ASKED], folder)
    assert listed.code == 0
    for name in ("squared-error", "interval-score", "cost-matrix", "false_alarm"):
        assert name in listed.output
    assert len(json.loads(run(["decide", "fruit.json", ASKED, "--json"], folder).output)) == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([ASKED, "-u", "squared-eror"], "unknown utility"),
        (["P(fruit=aple)", "-u", "squared-error"], "Did you mean apple?"),
        (["counts()", "-u", "squared-error"], "not about one number"),
        ([ASKED, "-u", "quantile"], "settings are missing"),
        ([ASKED, "-u", "quantile", "-s", "level=2"], "level is out of range"),
        ([ASKED, "-u", "quantile", "-s", "level"], "KEY=VALUE"),
        ([ASKED, "-u", "quantile", "-s", "level=0.5", "-s", "level=0.6"], "said twice"),
        ([ASKED, "-u", "quantile", "-s", "name=zero-one"], "--utility"),
        ([ASKED, "-u", "quantile", "-s", "level=0.5", "-s", "code=1"], "unknown settings"),
        ([ASKED, "-u", "squared-error", "-r", "0.1, 7"], "out of range"),
        ([ASKED, "-u", "squared-error", "-r", "x"], "cannot be read"),
        ([ASKED, "-u", "squared-error", "-r", "0.9 to 0.1"], "lower is not below upper"),
        ([ASKED, "-u", "interval-score", "-r", "0.9"], "not intervals"),
        ([ASKED, "-u", "threshold", "-s", "at=0.1", "-r", "0 to 1"], "no such action"),
    ],
)
def test_mistakes_are_told(folder: Path, arguments: list[str], words: str) -> None:
    ended = run(["decide", "fruit.json", *arguments], folder)
    assert (ended.code, ended.output) == (9, "")
    assert words in ended.errors
