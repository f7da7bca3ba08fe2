"""What was inferred is kept for the next question: the same answers, from the user's own folder alone."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior import cache
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.posterior.kept import NotKeptError, read, written


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own; everything counts as lasting."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "LASTING", 0.0)
    return tmp_path / "cache" / "privior"


def released(neighbours: pv.Neighbours = pv.REPLACE_ONE) -> pv.Release:
    schema = pv.Schema({"x": pv.Integer(0, 9)}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical("x"), schema, records=60, epsilon=1, neighbours=neighbours)
    return measure_statistics(
        plan, ExactStatistics(np.array([3, 4, 9, 20, 9, 6, 4, 3, 2, 0])), ledger=pv.Ledger.in_memory()
    )


@pytest.mark.parametrize("neighbours", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("prior", ["1/2", pv.LearnedPrior()], ids=["fixed", "learned"])
def test_what_is_kept_gives_the_same_answers(
    prior: object, neighbours: pv.Neighbours, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = released(neighbours)
    first: Any = cache.inferred([release], prior)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    monkeypatch.setattr(cache, "infer", None)  # cannot be called
    again: Any = cache.inferred([release], prior)
    assert again.text() == first.text()
    assert (again.draws(5, 1) == first.draws(5, 1)).all()
    assert (again.counts().interval(0.9) == first.counts().interval(0.9)).all()
    for other in ("1/3", None):  # another prior is another question
        with pytest.raises(TypeError):
            cache.inferred([release], other)
    with pytest.raises(TypeError):
        cache.inferred([released(neighbours)], prior)


@pytest.mark.parametrize(
    "place", ["first byte", "number of records", "last byte", "cut", "empty", "another's"]
)
def test_a_damaged_or_foreign_file_is_ignored_and_written_anew(place: str, folder: Path) -> None:
    release = released()
    right = cache.inferred([release]).text()
    (file,) = folder.iterdir()
    content = file.read_bytes()
    if place == "another's":
        cache.inferred([released()])
        (foreign,) = set(folder.iterdir()) - {file}
        file.write_bytes(foreign.read_bytes())
        foreign.unlink()
    else:
        damaged = {
            "first byte": b"!" + content[1:],
            "number of records": content.replace(b'"most": 60', b'"most": 61'),
            "last byte": content[:-1] + bytes([content[-1] ^ 1]),
            "cut": content[: len(content) // 2],
            "empty": b"",
        }
        file.write_bytes(damaged[place])
    assert cache.inferred([release]).text() == right
    assert file.read_bytes() == content


def test_a_file_that_names_other_kinds_makes_nothing(folder: Path) -> None:
    """Only kept classes are made; a checksum that fits does not help."""
    wrongs: list[Any] = [{"Path": {}}, {"tuple": 3}, {"floats": [0, [9]]}, {"IntegerLaw": {"low": 0}}, []]
    for wrong in [*wrongs, {"a": 1, "b": 2}]:
        with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
            read(wrong, {"floats": np.zeros(3), "integers": np.zeros(0, np.int64)})
    for value in (object(), [1], np.zeros(2, np.complex128), {"a": 1}, Path()):
        with pytest.raises(NotKeptError):
            written((1, value))


def test_nothing_is_kept_where_it_is_not_safe_or_not_wanted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = released()
    monkeypatch.setenv("PRIVIOR_CACHE", "off")
    cache.inferred([release])
    assert not folder.exists()
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o777)
    open_to_all.chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for unsafe in (open_to_all, tmp_path / "link"):
        monkeypatch.setenv("PRIVIOR_CACHE", str(unsafe))
        assert cache.folder() is None
        cache.inferred([release])
    assert list(open_to_all.iterdir()) == []
    monkeypatch.setattr(cache, "LASTING", 60.0)
    monkeypatch.delenv("PRIVIOR_CACHE")
    cache.inferred([release])  # too quick to be kept
    assert list(folder.iterdir()) == []


def test_the_oldest_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.inferred([released()])
    (first,) = folder.iterdir()
    monkeypatch.setattr(cache, "MOST_BYTES", first.stat().st_size * 3 // 2)
    cache.inferred([released()])
    (second,) = folder.iterdir()
    assert second != first


def test_one_cell_of_a_large_table_needs_no_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws of all cells took ten times as long as everything else."""
    posterior = pv.infer(released())
    monkeypatch.setattr(
        "privior.posterior.tables.dirichlet_probabilities.DirichletProbabilities.log_draws", None
    )
    assert str(posterior.probability({"x": 3})).startswith("P(")
