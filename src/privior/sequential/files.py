"""Files about agents: what one is asked for (TOML), and logs of interactions (lines), which are private."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privior.errors import PlanError, TableError, shown
from privior.sequential.plan import AgentPlan
from privior.sequential.problems import to_problem
from privior.sequential.units import to_unit
from privior.whole_files import read_whole

#: what a log may say of a step
COLUMNS = ("action", "outcome", "state", "reward", "after", "user")
_ASKED = {"population", "episodes", "epsilon", "delta", "unit", "schedule", "mechanism", "problem"}


def read_plan(path: str | Path, **instead: str | None) -> AgentPlan:
    """Read what an agent is asked for, and calibrate it.

    Args:
        path: a TOML file
        instead: epsilon, delta or mechanism instead of what the file says
    """
    try:
        asked: dict[str, Any] = tomllib.loads(read_whole(path).decode("utf-8"))
    except (OSError, ValueError):
        raise PlanError("not a TOML file about an agent", where=shown(str(path))) from None
    asked |= {name: value for name, value in instead.items() if value is not None}
    missing = {"population", "episodes", "epsilon", "problem"} - set(asked)
    if missing or set(asked) - _ASKED:
        found = ", ".join(sorted(missing | (set(asked) - _ASKED)))
        raise PlanError(
            "unknown or missing entries", where=str(path), asked=found, allowed=", ".join(sorted(_ASKED))
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


def read_log(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the steps of a log: a header line that names columns, then one line for each step.

    Each line is read by itself; what cannot be read is given as it is not there, and counts nowhere.
    """
    try:
        lines = read_whole(path).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        raise TableError("the log cannot be read", where=shown(str(path))) from None
    header = [name.strip() for name in lines[0].split(",")] if lines else []
    if "action" not in header or not set(header) <= set(COLUMNS):
        raise TableError(
            "the first line of a log names its columns",
            where=str(path),
            asked=shown(", ".join(header)),
            allowed=", ".join(COLUMNS),
        )
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(header):
            cells = [""] * len(header)
        yield {name: _value(name, cell) for name, cell in zip(header, cells, strict=True)}


def _value(name: str, cell: str) -> object:
    if name in ("reward", "user"):
        return cell[:100]
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 10 else -1
