"""Files about agents: what one is asked for, in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privior.errors import PlanError
from privior.schema.documents import read_toml
from privior.sequential.plan import AgentPlan
from privior.sequential.problems import to_problem
from privior.sequential.units import to_unit

_NEEDED = {"population", "episodes", "epsilon", "problem"}
_ASKED = _NEEDED | {"delta", "unit", "schedule", "mechanism"}


def read_plan(path: str | Path, **instead: str | None) -> AgentPlan:
    """Read what an agent is asked for, and calibrate it.

    Args:
        path: a TOML file
        instead: epsilon, delta or mechanism instead of what the file says
    """
    asked: dict[str, Any] = dict(read_toml(path))
    asked |= {name: value for name, value in instead.items() if value is not None}
    wrong = (_NEEDED - set(asked)) | (set(asked) - _ASKED)
    if wrong:
        raise PlanError(
            "unknown or missing entries",
            where=str(path),
            asked=", ".join(sorted(wrong)),
            allowed=", ".join(sorted(_ASKED)),
        )
    return AgentPlan.of(
        to_problem(asked["problem"]),
        population=asked["population"],
        episodes=asked["episodes"],
        epsilon=asked["epsilon"],
        delta=asked.get("delta", "1e-6"),
        unit=to_unit(asked.get("unit", "step")),
        schedule=asked.get("schedule"),
        mechanism=asked.get("mechanism", "noisy-counts"),
    )
