"""Release files: allow-listed, checked in full when they are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import privior as pv


def test_a_release_survives_its_file(release_file: Path, tmp_path: Path) -> None:
    release = pv.Release.read(release_file)
    release.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == release_file.read_bytes()
    assert pv.Release.read(tmp_path / "again.json") == release


def test_t23_the_file_holds_what_is_listed_and_nothing_else(release_file: Path) -> None:
    document = json.loads(release_file.read_text())
    listed = {"kind", "format", "library", "id", "plan", "statistics", "guarantee", "ledger", "process"}
    assert set(document) == listed
    assert set(document["plan"]) == {"schema", "model", "mechanism", "neighbours", "records"}
    assert set(document["statistics"]) == {"counts"}
    assert all(isinstance(count, int) for count in document["statistics"]["counts"])
    assert "fruit.csv" not in release_file.read_text()  # no path, no fingerprint of the table (T24)


def test_a_release_cut_anywhere_is_refused(release_file: Path, tmp_path: Path) -> None:
    whole = release_file.read_bytes()
    cut = tmp_path / "cut.json"
    for length in range(0, len(whole) - 2, max(1, len(whole) // 60)):
        cut.write_bytes(whole[:length])
        with pytest.raises(pv.ReleaseError):
            pv.Release.read(cut)


def _set(*path: object, to: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


CHANGES: dict[str, tuple[Callable[[Any], None], str]] = {
    "kind": (_set("kind", to="other"), "not a privior release"),
    "newer": (_set("format", to=9), "newer than this library"),
    "no format": (_set("format", to=None), "no format number"),
    "extra entry": (_set("secret", to=1), "unknown or missing"),
    "extra entry in plan": (_set("plan", "secret", to=1), "unknown or missing"),
    "missing plan": (lambda document: document.pop("plan"), "unknown or missing"),
    "too few counts": (_set("statistics", "counts", to=[1, 2]), "one count per cell"),
    "float counts": (_set("statistics", "counts", to=[1.5, 2.5, 96]), "whole number"),
    "boolean counts": (_set("statistics", "counts", 0, to=True), "whole number"),
    "huge counts": (_set("statistics", "counts", 0, to=2**70), "whole number"),
    "text counts": (_set("statistics", "counts", to="1,2,3"), "not a list"),
    "impossible counts": (_set("statistics", "counts", to=[1, 2, 3]), "cannot have given"),
    "understated epsilon": (_set("guarantee", "epsilon", to="0.1"), "not that of the plan"),
    "other neighbours": (_set("guarantee", "neighbours", to="add-or-remove-one"), "not that of the plan"),
    "other mechanism epsilon": (_set("plan", "mechanism", "epsilon", to="0.1"), "not that of the plan"),
    "unknown mechanism": (_set("plan", "mechanism", "name", to="magic"), "unknown mechanism"),
    "mechanism of no name": (_set("plan", "mechanism", "name", to=["k-norm"]), "unknown mechanism"),
    "unknown family": (_set("plan", "model", "family", to="magic"), "unknown family"),
    "other population": (_set("ledger", "population", to="meadow"), "another population"),
    "bad head": (_set("ledger", "head", to="xyz"), "hash"),
    "bad entry": (_set("ledger", "entry", to=0), "ledger entry"),
    "bad version": (_set("library", to="<script>"), "version"),
    "records as text": (_set("plan", "records", to="100"), "positive whole number"),
    "levels gone": (_set("plan", "schema", "columns", "fruit", "levels", to=[]), "too few levels"),
    "schema as list": (_set("plan", "schema", to=[]), "not a table"),
    "newer schema": (_set("plan", "schema", "format", to=9), "newer"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_does_not_hold_together_is_refused(change: str, release_file: Path) -> None:
    alter, says = CHANGES[change]
    document = json.loads(release_file.read_text())
    alter(document)
    with pytest.raises(pv.ReleaseError, match=says):
        pv.Release.from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", "3", "NaN", '{"kind": NaN}', "[" * 100_000, "\x00", "9" * 10_000]
)
def test_t40_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(pv.ReleaseError):
        pv.Release.from_json(text)


def test_a_name_that_stands_twice_is_refused(release_file: Path) -> None:
    text = release_file.read_text().replace('"format": 1,', '"format": 1, "format": 1,', 1)
    with pytest.raises(pv.ReleaseError, match="damaged or forged"):
        pv.Release.from_json(text)


def test_a_deep_entry_is_refused(release_file: Path) -> None:
    text = release_file.read_text().replace('"prior": "1"', '"prior": ' + "[" * 900 + "]" * 900, 1)
    assert "[[[" in text
    with pytest.raises(pv.ReleaseError):
        pv.Release.from_json(text)
    for nothing in (None, 3, b"x"):
        with pytest.raises(pv.ReleaseError):
            pv.Release.from_json(nothing)  # type: ignore[arg-type]


def test_bad_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(pv.ReleaseError, match="No such file"):
        pv.Release.read(tmp_path / "none.json")
    with pytest.raises(pv.ReleaseError, match="not a regular file"):
        pv.Release.read(tmp_path)
    with pytest.raises(pv.ReleaseError):
        pv.Release.read("a\0b")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(pv.ReleaseError, match="not a text file"):
        pv.Release.read(tmp_path / "binary.json")
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(10**9)
    with pytest.raises(pv.ReleaseError, match="too large"):
        pv.Release.read(huge)


def test_printing_names_the_guarantee_and_the_entry(release_file: Path) -> None:
    text = str(pv.Release.read(release_file))
    for word in ("orchard", "k-norm", "epsilon 1 (pure)", "replace-one", "73.2%", "entry 1"):
        assert word in text
