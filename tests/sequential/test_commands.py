"""An A/B/n test on click data by commands, as the document says it; and what commands refuse."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from program import run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "agents.md"


def block(kind: str) -> str:
    """The first block of a kind in the document."""
    found = re.search(rf"^```{kind}\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))
    (tmp_path / "clicks.toml").write_text(block("toml").replace("batch = 500", "batch = 50"))
    lines = [f"0,{int(visitor % 12 == 0)}" for visitor in range(80)]
    (tmp_path / "today.csv").write_text("\n".join(["action,outcome", *lines]) + "\n")
    return tmp_path


def test_the_commands_of_the_document_run(shop: Path) -> None:
    state = {"PRIVIOR_STATE": str(shop / "state")}
    said = {}
    for line in block("sh").splitlines():
        words = shlex.split(line, comments=True)
        assert words[0] == "privior"
        ended = run([*words[1:], "--json"], shop, state)
        assert ended.code == 0, (line, ended.errors)
        said[words[2]] = json.loads(ended.output)
    assert said["plan"]["mechanism"]["name"] == "noisy-counts"
    assert [row["epsilon"] for row in said["forecast"]] == ["0.1", "1", None]
    assert said["forecast"][0]["regret"] > said["forecast"][-1]["regret"] >= 0
    assert said["act"]["episode"] == said["learn"]["episode"] == 1
    assert said["learn"]["next"] == said["show"]["next episode"] == 2
    assert {check["verdict"] for check in said["review"]} == {"holds"}
    assert "visitors of the shop" in (shop / "clicks.html").read_text()
    text = (shop / "clicks.json").read_text().replace('"episodes": 40', '"episodes": 41')
    (shop / "forged.json").write_text(text)
    assert run(["agent", "review", "forged.json", "-l", "shop.ledger"], shop, state).code == 1
    again = run(
        ["agent", "learn", "clicks.private", "today.csv", "--episode", "1", "-l", "shop.ledger"], shop, state
    )
    assert again.code == 0
    shown = run(["agent", "show", "clicks.private", "-l", "shop.ledger", "-q"], shop, state)
    assert shown.output.strip() == "2"  # it was counted once


def test_commands_refuse_and_nothing_is_spent(shop: Path) -> None:
    state = {"PRIVIOR_STATE": str(shop / "state"), "PRIVIOR_LEDGER": "shop.ledger"}

    def code(*words: str) -> int:
        return run(list(words), shop, state).code

    assert code("agent", "plan", "today.csv") != 0
    create = (
        "ledger",
        "create",
        "shop.ledger",
        "-p",
        "visitors of the shop",
        "-e",
        "1",
        "-d",
        "1e-5",
        "--yes",
    )
    assert code(*create) == 0
    assert code("agent", "create", "clicks.toml", "a.private") == 0
    assert code("agent", "act", "a.private") != 0  # nothing is reserved
    assert code("agent", "reserve", "a.private") != 0  # nobody can be asked
    assert code("agent", "reserve", "a.private", "--yes") == 0
    assert code("agent", "learn", "a.private", "today.csv", "--episode", "2") != 0
    assert code("agent", "learn", "a.private", "today.csv") != 0  # which episode?
    assert code("agent", "create", "clicks.toml", "b.private") == 0
    assert code("agent", "reserve", "b.private", "--yes") != 0  # the cap
    assert code("agent", "show", "clicks.toml") != 0
    assert code("agent", "review", "a.private") != 0  # no release
