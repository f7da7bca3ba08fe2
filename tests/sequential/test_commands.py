"""An A/B/n test on click data by commands: plan, forecast, create, act, observe, replay, publish, report,
review.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from program import run

LEDGER = ("-l", "shop.ledger")
ASKED = """
population = "visitors of the shop"
episodes = 16
epsilon = "5"
delta = "1e-6"
schedule = "doubling"
[problem]
name = "bandit"
arms = 3
batch = 50
prior = "1/2"
"""


def test_a_click_trial_from_plan_to_review(tmp_path: Path) -> None:
    (tmp_path / "clicks.toml").write_text(ASKED)
    draw = np.random.default_rng(7)
    arms = draw.integers(0, 3, 6000)
    clicks = draw.random(6000) < np.array([0.05, 0.06, 0.4])[arms]
    lines = [f"{arm},{int(click)}" for arm, click in zip(arms, clicks, strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(["action,outcome", *lines, "x,y", "1"]) + "\n")
    (tmp_path / "batch.csv").write_text("\n".join(["action,outcome", *["0,1"] * 50]) + "\n")

    def said(*words: str, code: int = 0) -> str:
        ended = run([*words, "--json"], tmp_path, {"PRIVIOR_STATE": str(tmp_path / "state")})
        assert ended.code == code, ended.errors
        return ended.output

    made = json.loads(said("agent", "plan", "clicks.toml"))
    assert made["mechanism"]["name"] == "noisy-counts"
    found = json.loads(
        said("agent", "forecast", "clicks.toml", "--chances", "0.05,0.06,0.4", "--epsilons", "1,10")
    )
    assert [row["epsilon"] for row in found] == ["1", "10", None]
    assert found[0]["regret"] > found[2]["regret"] >= 0
    said("ledger", "create", "shop.ledger", "-p", "visitors of the shop", "-e", "10", "-d", "1e-5", "--yes")
    said("agent", "create", "clicks.toml", "a.private", *LEDGER)
    first = json.loads(said("agent", "act", "a.private", *LEDGER))
    assert first["episodes_left"] == 16
    after = json.loads(said("agent", "observe", "a.private", "batch.csv", *LEDGER))
    assert after == {"published": ["counts"], "episodes_left": 15}
    played = json.loads(said("agent", "replay", "a.private", "log.csv", *LEDGER))
    assert (played["episodes"], played["episodes_left"]) == (15, 0)
    said("agent", "publish", "a.private", "-o", "shop.agent.json", *LEDGER)
    said("agent", "report", "shop.agent.json", "-o", "shop.html")
    assert "visitors of the shop" in (tmp_path / "shop.html").read_text()
    checks = json.loads(said("agent", "review", "shop.agent.json", *LEDGER))
    assert {check["verdict"] for check in checks} == {"holds"}
    text = (tmp_path / "shop.agent.json").read_text().replace('"episodes": 16', '"episodes": 17')
    (tmp_path / "forged.json").write_text(text)
    assert run(["agent", "review", "forged.json", *LEDGER], tmp_path).code == 1
    assert run(["agent", "plan", "log.csv"], tmp_path).code == 3
