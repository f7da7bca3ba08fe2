"""Files written by earlier versions are read for ever."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from write_files import SCHEMA

import privior as pv

VERSIONS = sorted(path for path in Path(__file__).parent.glob("[0-9]*") if path.is_dir())


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
    folder = Path(__file__).parent / "draws"
    draws = pv.Release.read(folder / "dirichlet-draw.json")
    assert draws.draws.shape == (2, 6)
    assert draws.plan.mechanism.guarantee.cost == pv.Budget.of("0.5", "1e-6")
    virtual = pv.Release.read(folder / "virtual-records.json")
    assert pv.infer([draws, virtual]).mean().sum() == pytest.approx(1)


def test_a_draw_with_a_public_minimum_is_read() -> None:
    release = pv.Release.read(Path(__file__).parent / "draws" / "dirichlet-draw-minimum.json")
    assert (release.plan.least, release.plan.schema.unit.max_rows) == (8, 2)
    assert release.plan.cost == pv.Budget.of("0.5", "1e-6")
    assert pv.infer(release).counts().interval(0.9).min() >= 8


def test_the_ledger_is_read_and_verified(files: Path, tmp_path: Path) -> None:
    copy = shutil.copy(files / "orchard.ledger", tmp_path)
    last = pv.Ledger.open(copy).verify()
    assert last.number == 5
    heads = {pv.Release.read(path).receipt.head for path in files.glob("*.json")}
    assert heads == {entry.hash for entry in pv.Ledger.open(copy).entries() if entry.number}
