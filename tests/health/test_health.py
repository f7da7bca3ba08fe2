"""The doctor: a healthy machine is well, and each planted illness is found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from privior import health
from privior.ledger import file_systems


def ill(folder: Path) -> list[str]:
    return [finding.part for finding in health.examine(folder) if not finding.well]


def test_a_healthy_machine_is_well_and_nothing_is_left(tmp_path: Path) -> None:
    steps: list[str] = []
    findings = health.examine(tmp_path, steps.append)
    assert [finding.part for finding in findings if not finding.well] == []
    assert steps == ["entropy", "samplers", "engine", "file system", "ledger"]
    assert list(tmp_path.iterdir()) == []


def test_repeating_entropy_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda size: b"\x07" * size)
    assert "entropy" in ill(tmp_path)


def test_noise_of_another_scale_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "discrete_laplace", lambda size, scale: [0] * size)
    assert "samplers" in ill(tmp_path)


def test_a_missing_engine_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise ImportError("No module named 'duckdb'")

    monkeypatch.setattr(health, "engine_version", gone)
    assert ill(tmp_path) == ["engine"]


def test_a_folder_that_is_not_there_is_found(tmp_path: Path) -> None:
    assert ill(tmp_path / "none") == ["file system", "ledger"]


def test_a_network_file_system_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_systems, "kind_of", lambda place: "nfs4")
    assert ill(tmp_path) == ["file system", "ledger"]


def test_a_missing_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_PACKAGES", ("numpy", "no-such-package"))
    assert ill(tmp_path) == ["versions"]
