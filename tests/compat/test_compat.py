"""Files written by earlier versions are read for ever."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from own_example import imported
from write_files import EARLIER, KINDS, SCHEMA

import privior as pv
from privior.mechanisms import MECHANISMS
from privior.models import MODELS, Model
from privior.release import FORMAT
from privior.sequential import Agent, AgentRelease
from privior.sequential.files import read_plan

HERE = Path(__file__).parent
KIND_FILES = sorted((HERE / "kinds").glob("*.json"))
NETWORK_FILES = sorted((HERE / "networks").glob("*.json"))
REGRESSION_FILES = sorted((HERE / "regressions").glob("*.json"))
#: of privior alone, without extensions
OURS = sorted(path for path in HERE.rglob("*.json") if path.parent.name not in ("declared", "agents"))
VERSIONS = sorted(path for path in HERE.glob("[0-9]*") if path.is_dir())


@pytest.fixture(params=VERSIONS, ids=lambda path: path.name)
def files(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def test_there_is_a_version_to_read() -> None:
    assert VERSIONS


def test_schema_and_analysis_are_read(files: Path) -> None:
    assert pv.Schema.read(files / "schema.toml") == SCHEMA
    assert pv.Analysis.read(files / "analysis.toml").budget == pv.Budget.of("0.5", "1e-6")


def test_releases_are_read_and_give_posteriors(files: Path) -> None:
    releases = {path.stem: pv.Release.read(path) for path in files.glob("*.json")}
    assert set(releases) == {"k-norm", "laplace-counts", "gaussian-counts", "lshist", "lsdim"}
    for release in releases.values():
        assert pv.infer(release).mean().sum() == pytest.approx(1)
    assert pv.infer(list(releases.values())).mean().sum() == pytest.approx(1)


def test_releases_from_the_posterior_are_read() -> None:
    folder = HERE / "draws"
    draws = pv.Release.read(folder / "dirichlet-draw.json")
    assert draws.draws.shape == (2, 6)
    assert draws.plan.mechanism.guarantee.cost == pv.Budget.of("0.5", "1e-6")
    virtual = pv.Release.read(folder / "virtual-records.json")
    assert pv.infer([draws, virtual]).mean().sum() == pytest.approx(1)


def test_a_draw_with_a_public_minimum_is_read() -> None:
    release = pv.Release.read(HERE / "draws" / "dirichlet-draw-minimum.json")
    assert (release.plan.mechanism.minimum, release.plan.schema.unit.max_rows) == (8, 2)
    assert release.plan.cost == pv.Budget.of("0.5", "1e-6")
    assert pv.infer(release).counts().interval(0.9).min() >= 8


def test_the_ledger_is_read_and_verified(files: Path, tmp_path: Path) -> None:
    copy = shutil.copy(files / "orchard.ledger", tmp_path)
    last = pv.Ledger.open(copy).verify()
    assert last.number == 5
    heads = {pv.Release.read(path).receipt.head for path in files.glob("*.json")}
    assert heads == {entry.hash for entry in pv.Ledger.open(copy).entries() if entry.number}


def test_every_format_mechanism_and_family_has_a_file() -> None:
    """Whoever adds one writes a file of it (`write_files.py`) and adds it here."""
    with imported():
        releases = [pv.Release.read(path) for path in HERE.rglob("*.json") if path.parent.name != "agents"]
    ours = [release for release in releases if release.imported or not release.plan.declared]
    assert {release.format for release in releases} == set(range(1, FORMAT + 1))
    assert {release.plan.mechanism.name for release in ours} == {kind.name for kind in MECHANISMS}
    assert {release.plan.model.family for release in ours} == {kind.family for kind in MODELS}


@pytest.mark.parametrize("path", [*KIND_FILES, *NETWORK_FILES, *REGRESSION_FILES], ids=lambda path: path.stem)
def test_releases_of_every_kind_are_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "privior.posterior.families.joint_chain._SWEEPS", 100
    )  # whether it is answered, not how well
    monkeypatch.setattr("privior.posterior.families.joint_chain._ROUNDS", 1)
    monkeypatch.setattr("privior.posterior.regression.regression_draws._KEPT", 10)
    release = pv.Release.read(path)
    assert release.plan.model in [*EARLIER, *(model for model, _ in KINDS)]
    assert pv.Release.from_json(release.to_json()) == release
    posterior = pv.infer(release)
    asked = release.plan.model.first_question
    headings = {"counts()": "90% interval", "models()": "probability", "table(": "90% interval"}
    headings["parameters()"] = "90% interval" if posterior.uncertain else "estimate"
    table = asked if asked in headings else asked[:6]
    heading = headings.get(table, asked.replace("'", "") + " = ")
    assert heading in str(pv.ask(posterior, asked)).splitlines()[0]


#: of the analysis files of regressions
ANALYSES: dict[str, Model] = {
    "linear-regression.formula": pv.LinearRegression("pips ~ error + ripe + fruit + error:ripe"),
    "linear-regression.features": pv.LinearRegression("pips ~ error + ripe", prior=pv.Ridge("1/2")),
    "linear-regression.normal-tails": pv.LinearRegression(
        "pips ~ error + fruit - 1", prior=pv.Shrinkage(heavy_tails=False)
    ),
    "linear-regression.own-coefficients": pv.LinearRegression(
        "pips ~ error", prior=pv.OwnCoefficients({"error": (1, "1/2")})
    ),
    "linear-regression.every-slope": pv.LinearRegression("pips ~ error:fruit"),
    "logistic-regression": pv.LogisticRegression("ripe ~ error + fruit", prior="2"),
    "gibbs-posterior": pv.GibbsPosterior("logistic", "ripe ~ error", convexity="0.05"),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_analysis_files_of_regressions_are_read(name: str, tmp_path: Path) -> None:
    """Each says what is asked; what is written of it is read as the same."""
    assert set(ANALYSES) == {path.stem for path in (HERE / "regressions").glob("*.toml")}
    analysis = pv.Analysis.read(HERE / "regressions" / f"{name}.toml")
    assert analysis.model == ANALYSES[name]
    assert (analysis.records, analysis.budget) == (2000, pv.Budget.of(2, "1e-6"))
    private = name.endswith("features")
    assert analysis.neighbours is (pv.ADD_OR_REMOVE_ONE if private else pv.REPLACE_ONE)
    analysis.write(tmp_path / "again.toml")
    assert pv.Analysis.read(tmp_path / "again.toml") == analysis
    if analysis.mechanism is not None or name == "linear-regression.formula":
        plan = analysis.plan()
        assert analysis.mechanism in (None, type(plan.mechanism))
        assert pv.Plan.from_document(plan.to_document()).digest == plan.digest


def test_plans_of_earlier_versions_leave_the_first_slope_at_0() -> None:
    """Stored before plans named how levels are coded: they keep their features, and their noise."""
    kind = "linear-regression.laplace-moments.slopes"
    earlier, now = (
        pv.Release.read(HERE / "regressions" / f"{kind}{one}.json").plan for one in (".earlier", "")
    )
    names = ("intercept", "error:fruit[apple]", "error:fruit[pear]", "error:fruit[plum]")
    assert now.model.design(now.schema).names == names
    assert earlier.model.design(earlier.schema).names == (names[0], *names[2:])
    assert "coding" not in earlier.to_document()["model"]  # type: ignore[operator]
    assert max(earlier.mechanism.scales) > 1.2 * max(now.mechanism.scales)


def test_a_ledger_of_the_second_format_is_read_and_verified(tmp_path: Path) -> None:
    copy = pv.Ledger.open(shutil.copy(HERE / "kinds" / "garden.ledger", tmp_path))
    assert [name for name, _, _ in copy.quotas()] == ["ann"]
    entries = {entry.number: entry for entry in copy.entries()}
    charged = [path for path in KIND_FILES if not path.name.startswith("group")]
    assert copy.verify().number == len(charged) + 1  # the quota is an entry too
    for path in charged:
        release = pv.Release.read(path)
        entry = entries[release.receipt.entry]
        assert (entry.hash, entry.analyst, entry.version) == (release.receipt.head, "ann", "first")
        assert copy.replay(release.plan, key=path.name, analyst="ann", version="first") == (
            path.read_text("utf-8"),
        )


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_the_words_for_the_theorem_are_still_known(path: Path) -> None:
    """Whoever rewords a reason adds the earlier words to `privior.release.wordings`."""
    assert pv.Release.read(path).words_hold


def test_numbers_of_others_are_read() -> None:
    paths = {path.stem: path for path in (HERE / "imported").glob("*.json")}
    releases = {name: pv.Release.read(path) for name, path in paths.items()}
    assert {name: one.statistics.counts for name, one in releases.items()} == {
        "decimals": (2037, -150, 1900),
        "treated": (30, 4, 0),
        "sums": (38, 150),
    }
    for name, release in releases.items():
        assert release.to_json() == paths[name].read_text("utf-8")
        pv.ask(release, release.plan.model.first_question)


def test_a_declared_release_is_read_where_its_kinds_are_known(tmp_path: Path) -> None:
    """Written by `examples/own_model.py`, the oldest file of format 6."""
    path = HERE / "declared" / "waits.json"
    with pytest.raises(pv.ReleaseError, match="beta-geometric"):
        pv.Release.read(path)
    ledger = pv.Ledger.open(shutil.copy(HERE / "declared" / "callers.ledger", tmp_path))
    with imported():
        release = pv.Release.read(path)
        assert (release.format, release.plan.declared, release.receipt.declared) == (6, True, 1)
        assert pv.review(release, ledger).passed
        assert pv.infer(release).interval(0.9)[0] < 0.26


@pytest.mark.parametrize("kind", ["noisy-counts", "row-draws"])
def test_agents_go_on_and_what_they_published_is_read(kind: str, tmp_path: Path) -> None:
    for file in (f"{kind}.private", "shop.ledger"):
        shutil.copyfile(HERE / "agents" / file, tmp_path / file)
    release = AgentRelease.read(HERE / "agents" / f"{kind}.json")
    assert AgentRelease.from_json(release.to_json()) == release
    ledger = pv.Ledger.open(tmp_path / "shop.ledger")
    ledger.verify()
    assert all(holds for _, holds, _ in release.review(ledger))
    assert [len(block.times) for block in release.blocks] == [4, 3]
    with Agent.load(tmp_path / f"{kind}.private", ledger=ledger) as agent:
        assert (agent.identifier, agent.episode) == (release.identifier, 9)
        assert agent.learn([{"action": 0, "outcome": 2, "user": "late"}], episode=9)
        assert agent.published().blocks[0] == release.blocks[0]


def test_what_an_agent_is_asked_for_is_read() -> None:
    plan = read_plan(HERE / "agents" / "agent.toml")
    assert plan.budget == pv.Budget.of("2", "1e-6")
    assert plan.unit.noun == "user of up to 3 steps"
