"""An A/B/n test on click data by commands, as the document says it; and what commands refuse."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from program import run

from privior.sequential import CategoricalBandit, User
from privior.sequential.tallies import lines_that_count, tallied
from privior.tables import read_steps

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


def test_commands_say_what_was_spent_and_overwrite_nothing(shop: Path) -> None:
    state = {"PRIVIOR_STATE": str(shop / "state"), "PRIVIOR_LEDGER": "shop.ledger"}

    def said(*words: str, code: int = 0) -> str:
        ended = run(list(words), shop, state)
        assert (ended.code == 0) is (code == 0), (words, ended.errors)
        lines = (ended.output + ended.errors).splitlines()
        assert all(len(line) <= 80 for line in lines if str(shop) not in line)  # a path is not broken
        return " ".join((ended.output + ended.errors).split())

    said("ledger", "create", "shop.ledger", "-p", "visitors of the shop", "-e", "3", "-d", "1e-5", "--yes")
    said("agent", "create", "clicks.toml", "a.private")
    spent = said("agent", "reserve", "a.private", "--yes")
    assert (
        "Spent epsilon 1, delta 1e-6 of visitors of the shop, ledger entry 1, for episodes 1 to 40." in spent
    )
    assert "Left: epsilon 2, delta 9e-6." in spent
    assert "nothing was spent" in said("agent", "reserve", "a.private", "--yes")
    (shop / "bad.csv").write_text("action,outcome\nfour,1\n\n0;1\n")
    good, bad = (
        said("agent", "learn", "a.private", log, "--episode", number)
        for log, number in (("today.csv", "1"), ("bad.csv", "2"))
    )
    assert "count nowhere" in good
    # T25: nothing about the log itself
    assert good.replace("episode 1", "") == bad.replace("episode 2", "")
    assert "terminal" in said("agent", "look", "clicks.toml", "bad.csv", code=1)
    shown = said("agent", "show", "a.private")
    assert "episodes 1 to 2 are to be published after episode" in shown
    said("agent", "publish", "a.private", "-o", "a.json")
    before = (shop / "a.json").read_text()
    assert "--force" in said("agent", "publish", "a.private", "-o", "a.json", code=1)
    assert "--force" in said("agent", "report", "a.json", "-o", "a.json", code=1)
    assert (shop / "a.json").read_text() == before
    said("agent", "publish", "a.private", "-o", "a.json", "--force")
    said("agent", "report", "a.json", "-o", "a.html")


def test_a_look_counts_as_the_agent_does(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes(b"action,outcome,user\n0,1,a\n0,1,\n0;1;a\n9,1,a\n0,2,a\n0,1,J\xe9\n\n1,0,b\n0,0,late\n")
    problem, unit = CategoricalBandit(2, batch=8), User(3)
    steps = read_steps(log, ("action", "outcome", "user"), 8)
    found = lines_that_count(problem, unit, steps)
    counted = tallied(problem, unit, steps, {}, lambda below: 0)
    assert found["lines that count"] == len(counted.steps) == 2
    assert found == {
        "lines that are looked at": 8,
        "with a known action": 4,
        "with a known outcome": 4,
        "with a known user": 4,
        "lines that count": 2,
    }
