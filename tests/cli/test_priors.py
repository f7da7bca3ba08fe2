"""An analyst's own prior on the command line, and posterior draws whose dials are chosen together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from program import inside
from program import run_here as run

import privior as pv

KINDS = Path(__file__).resolve().parents[1] / "compat" / "kinds"
GAMMA = '{ law = "gamma", shape = 1, rate = "0.5" }'
#: a release, a question, a prior as it is written in files, and the same in Python
OWN: dict[str, tuple[str, str, str, object]] = {
    "a number": ("dirichlet-categorical.k-norm", "P(fruit=apple)", "1/2", "1/2"),
    "a number each": ("dirichlet-categorical.k-norm", "P(fruit=apple)", '[1, "1/2", 9]', [1, "1/2", 9]),
    "learned": ("dirichlet-categorical.k-norm", "P(fruit=apple)", "learned", pv.LearnedPrior()),
    "a law": ("gamma-poisson.noisy-statistics", "mean(pips)", GAMMA, pv.Gamma(1, "0.5")),
    "a cut law": (
        "beta-bernoulli.posterior-draws",
        "P(ripe=true)",
        '{ law = "beta", first = 2, second = 2, lower = "0.2", upper = "0.8" }',
        pv.Truncated(pv.Beta(2, 2), "0.2", "0.8"),
    ),
    "several parameters": (
        "normal-mean-precision.noisy-statistics",
        "parameter(mean of error)",
        '{ law = "normal-gamma", mean = 1, strength = 2, shape = 3, rate = 2 }',
        pv.NormalGamma(1, 2, 3, 2),
    ),
    "models": ("finite-family.model-draws", "P(fruit=apple)", "[3, 1]", [3, 1]),
}


@pytest.mark.parametrize("case", OWN)
def test_a_prior_is_written_as_in_analysis_files(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, question, text, prior = OWN[case]
    release = pv.Release.read(KINDS / f"{name}.json")
    asked = ["ask", str(KINDS / f"{name}.json"), question, "--json"]
    assert inside([*asked, "--prior", text], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    expected = pv.ask(pv.infer(release, prior=prior), question).to_document()
    assert document["answers"] == [json.loads(json.dumps(expected))]
    assert inside(asked, monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["answers"] != document["answers"]  # the prior matters


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1", 'a law like { law = "gamma", shape = "3", rate = "2" }'),
        ('{ law = "beta", first = 1, second = 1 }', 'a law like { law = "gamma"'),
        ('{ law = "gamma", form = 1 }', "unknown or missing entries"),
        ('{ law = "gamma", shape = -1, rate = 1 }', "shape"),
        ('{ law = "gamma", shape }', "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("learned", "a law like"),
    ],
)
def test_priors_that_do_not_fit(
    text: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(KINDS / "gamma-poisson.noisy-statistics.json")
    for command in (["ask", file, "mean(pips)"], ["decide", file, "mean(pips)", "-u", "squared-error"]):
        assert inside([*command, "--prior", text], monkeypatch) in (3, 9)
        captured = capsys.readouterr()
        assert says in captured.err
        assert "Traceback" not in captured.err
        assert captured.out == ""


ANALYSIS = """\
format = 1
population = "clinic"
unit = "patient"

[columns.wait]
type = "bounded"
lower = 0
upper = 20
grid = "0.5"

[model]
family = "gamma-exponential"
column = "wait"
prior = { law = "gamma", shape = 2, rate = 2 }

[ask]
records = 60
epsilon = "2"
delta = "1e-6"
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    (tmp_path / "wait.toml").write_text(ANALYSIS)
    (tmp_path / "wait.csv").write_text("wait\n" + "1.5\n" * 40 + "0.5\n" * 20)
    pv.Ledger.create(tmp_path / "clinic.ledger", population="clinic", epsilon=2, delta="1e-3")
    return tmp_path


def test_dials_are_chosen_together_and_released(clinic: Path) -> None:
    analysis = pv.Analysis.read(clinic / "wait.toml")
    assert isinstance(analysis.model, pv.GammaExponential)
    expected = pv.calibrate_draws(
        analysis.model, analysis.schema, records=60, epsilon=2, delta="1e-6", draws=2
    )
    shown = run(["plan", "wait.toml", "--calibrate", "--draws", 2], clinic)
    assert (shown.code, shown.errors) == (0, "")
    own = '{ law = "gamma", shape = "2", rate = "2" }'
    for words in (expected.reason, str(expected.chosen.prior), f"privior ask RELEASE --prior '{own}'"):
        assert " ".join(words.split()) in " ".join(shown.output.split())
    asked = "release wait.toml wait.csv --calibrate --draws 2 --ledger clinic.ledger -o w.json"
    made = run([*asked.split(), "--yes"], clinic)
    assert made.code == 0, made.errors
    release = pv.Release.read(clinic / "w.json")
    assert release.plan == expected.plan
    report = (clinic / "w.report.html").read_text("utf-8")
    assert run(["report", "w.json", "-o", "again.html"], clinic).code == 0
    assert (clinic / "again.html").read_text("utf-8") == report  # whatever is believed by who planned
    assert f"--prior '{own}'" in " ".join(made.output.split())
    answer = run(["ask", "w.json", "parameter(wait)", "--prior", own, "--quiet"], clinic)
    assert float(answer.output.split()[0]) == pytest.approx(
        pv.infer(release, prior=pv.Gamma(2, 2)).mean(), rel=1e-4
    )


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--want", "width 0.1"], "Leave out --want"),
        (["--least", "3"], "Leave out --want"),
        (["--expect", "skewed"], "Leave out --want"),
        (["--mechanism", "noisy-statistics"], "other mechanisms"),
        (["--neighbours", "add-or-remove-one"], "number of records is public"),
        (["--draws", "0"], "not a number of draws"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_what_cannot_be_calibrated(
    more: list[str],
    says: str,
    clinic: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert inside(["plan", str(clinic / "wait.toml"), "--calibrate", *more], monkeypatch) == 3
    assert says in capsys.readouterr().err


def test_tables_are_not_calibrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(KINDS.parent / "0.2" / "analysis.toml", tmp_path)
    assert inside(["plan", str(tmp_path / "analysis.toml"), "--calibrate"], monkeypatch) == 3
    assert "not a family of one parameter" in capsys.readouterr().err
