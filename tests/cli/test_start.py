"""Starting is quick, because nothing heavy is imported before it is needed. CPU time, the best of five."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from program import PROGRAM, environment

import forking
import privior as pv


def _seconds(command: list[str]) -> float:
    """Return the least CPU time of five runs, the first of which writes the compiled files."""
    found = []
    for _ in range(5):
        before = os.times()
        subprocess.run(command, env=environment(), check=True, capture_output=True)
        after = os.times()
        found.append(
            after.children_user - before.children_user + after.children_system - before.children_system
        )
    return min(found)


def test_help_takes_less_than_a_third_of_a_second() -> None:
    assert _seconds([*PROGRAM, "--help"]) < 0.3


def test_importing_takes_less_than_half_a_second() -> None:
    assert _seconds([sys.executable, "-c", "import privior"]) < 0.5


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['privior', '--help']\nfrom privior.cli import main\n"
        "try: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "scipy", "matplotlib", "rich", "duckdb", "ibis", "pyarrow", "opendp", "numba"}
    assert not heavy & set(ran.stdout.split())


def test_showing_a_ledger_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    place = tmp_path / "orchard.ledger"
    pv.Ledger.create(place, population="orchard", epsilon=1)
    code = (
        f"import sys; sys.argv = ['privior', 'ledger', 'show', {str(place)!r}]\n"
        "from privior.cli import main\ntry: main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "left        epsilon 1" in ran.stdout
    heavy = {"numpy", "scipy", "matplotlib", "rich", "pydantic", "psycopg", "opendp", "flint"}
    ours = {f"privior.{part}" for part in ("mechanisms", "models", "plans", "randomness", "schema")}
    assert not (heavy | ours | {"privior.privacy.pairs"}) & set(ran.stdout.split())


def test_every_command_explains_itself() -> None:
    for command in (
        *(
            "demo",
            "init",
            "plan",
            "release",
            "ask",
            "decide",
            "report",
            "review",
            "guarantee",
            "study",
            "doctor",
            "ledger",
        ),
        "ledger create",
    ):
        ran = forking.run([*PROGRAM, *command.split(), "--help"], capture_output=True, text=True, check=True)
        assert "Usage: privior" in ran.stdout
        assert len(ran.stdout.splitlines()) > 5


def test_shells_can_complete() -> None:
    ran = subprocess.run(
        [*PROGRAM],
        env={
            **environment(),
            "_PRIVIOR_COMPLETE": "complete_bash",
            "COMP_WORDS": "privior re",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
    )
    assert set(ran.stdout.split()) == {"release", "report", "review"}
    shown = subprocess.run(
        [*PROGRAM, "--show-completion", "bash"],
        env={**environment(), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
    )
    assert "_PRIVIOR_COMPLETE" in shown.stdout
