"""Figure 4 of "Differential Privacy of Dirichlet Posterior Sampling": rewards in RiverSwim."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privior.arrays import Floats
from privior.papers import river_swim
from privior.papers.published import dirichlet
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.sequential import river_swim as world
from privior.sequential import simulate

SEED = 20_181_113  # of the simulated world and agents; nothing private is drawn here
EPSILONS = ("0.01", "0.1", "1", "10")
GUARANTEES = (river_swim.ORDER_2, river_swim.PAIR)


def totals(way: river_swim.Setting, episodes: int, copies: int) -> Floats:
    """Return what each copy earns; copies of the same number meet the same chances in every way."""
    problem, mechanism, schedule = way
    made = simulate(problem, mechanism, schedule, world(), episodes=episodes, copies=copies, seed=SEED)
    return made.totals


def _carry_out(quick: bool, say: Say) -> Findings:
    episodes, copies = (100, 3) if quick else (river_swim.EPISODES, 20)
    epsilons, ways = (EPSILONS[2:], river_swim.WAYS[:4]) if quick else (EPSILONS, river_swim.WAYS)
    best = world().best(river_swim.STEPS) * episodes
    say("without privacy")
    free = totals(river_swim.not_private(), episodes, copies)
    rows = StudyRows()
    for guarantee in GUARANTEES:
        for epsilon in epsilons:
            found: dict[str, Floats] = {}
            for name in ways:
                say(f"{guarantee}, epsilon {epsilon}, {name}")
                found[name] = totals(river_swim.way(name, epsilon, guarantee), episodes, copies)
            for name, earned in found.items():
                rows.append(_row(guarantee, epsilon, name, earned, found["diffuse"], best))
    rows.append(_row("none", None, "without privacy", free, None, best))
    return Findings(
        {"rewards": rows.columns()}, _pictures(rows, best, epsilons), _text(rows, best, epsilons, ways)
    )


def _row(
    guarantee: str, epsilon: str | None, name: str, earned: Floats, diffuse: Floats | None, best: float
) -> Row:
    """One line: the mean, its error, and the paired difference from the diffuse draw in its errors."""
    gain = None if diffuse is None else earned - diffuse
    error = float(earned.std(ddof=1) / math.sqrt(len(earned)))
    return {
        "guarantee": guarantee,
        "epsilon": None if epsilon is None else float(epsilon),
        "way": name,
        "reward": float(earned.mean()),
        "standard_error": error,
        "of_the_best": float(earned.mean() / best),
        "of_diffuse": None if diffuse is None else float(earned.mean() / max(diffuse.mean(), 1e-9)),
        "gain": None if gain is None else float(gain.mean()),
        "gain_error": None if gain is None else float(gain.std(ddof=1) / math.sqrt(len(gain))),
        "copies": len(earned),
    }


def _pictures(rows: StudyRows, best: float, epsilons: Sequence[str]) -> dict[str, Picture]:
    free = rows.where(way="without privacy").numbers("reward")[0]
    grid = [float(epsilon) for epsilon in epsilons]
    levels = {"without privacy": free, "whoever knows all": best}
    found: dict[str, Picture] = {}
    for place, guarantee in enumerate(GUARANTEES):
        series = {
            name: rows.where(guarantee=guarantee, way=name).numbers("reward") for name in river_swim.WAYS[:4]
        }
        title = f"Total reward, {guarantee}"
        found[f"rewards-{place + 1}"] = ErrorCurve(grid, series, title, "reward", lines=levels)
    shares = {
        guarantee: rows.where(guarantee=guarantee, way="ours").numbers("of_the_best")
        for guarantee in GUARANTEES
    }
    found["ours"] = ErrorCurve(grid, shares, "Noisy counts after public epochs", "of the best reward")
    return found


def _text(rows: StudyRows, best: float, epsilons: Sequence[str], ways: Sequence[str]) -> str:
    free = rows.where(way="without privacy").numbers("reward")[0]
    said = []
    for guarantee in GUARANTEES:
        lines = []
        for epsilon in map(float, epsilons):
            one = {
                name: rows.where(guarantee=guarantee, epsilon=epsilon, way=name).numbers("reward")[0]
                for name in ways
            }
            numbers = ", ".join(f"{name} {np.round(value):.0f}" for name, value in one.items())
            lines.append(f"at epsilon {epsilon:g} {numbers}")
        said.append(f"Under {guarantee}: {'; '.join(lines)}.")
    near = {
        name: sorted({float(str(row["epsilon"])) for row in rows.where(way=name) if _near(row, free)})
        for name in ("diffuse", "concentrated", "ours")
    }
    told = "; ".join(
        f"{name}: {', '.join(f'{e:g}' for e in found) or 'none'}" for name, found in near.items()
    )
    pairs = zip(
        rows.where(way="diffuse").numbers("reward"),
        rows.where(way="concentrated").numbers("reward"),
        strict=True,
    )
    wins = [one > other for one, other in pairs]
    return (
        f"Mean total rewards; whoever knows all has {best:.0f}, posterior sampling without privacy has "
        f"{free:.0f}. {' '.join(said)} The paper's two claims. That private agents earn as much as the "
        "original one if epsilon is not too small: epsilons at which 95% of its reward is reached, under "
        f"one of the guarantees: {told}. That the diffuse draw outperforms the concentrated one: in "
        f"{sum(wins)} of {len(wins)} cells."
    )


def _near(row: Row, free: float) -> bool:
    return row["reward"] is not None and float(row["reward"]) >= 0.95 * free


STUDY = Study(
    "riverswim",
    "what private agents earn in RiverSwim: draws of the paper at a sound cost, and noisy counts",
    dirichlet.PAPER,
    "Figure 4",
    _carry_out,
)
