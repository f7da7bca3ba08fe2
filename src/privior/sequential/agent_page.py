"""The report about what an agent published: one page, without a script, with nothing to load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privior.pictures import IntervalChart, markup

if TYPE_CHECKING:
    from privior.sequential.estimates import ChoiceEstimate, Estimated
    from privior.sequential.published import AgentRelease

#: of the intervals of a report
LEVEL = 0.9
#: more choices, or more outcomes, are in the file
_MOST_ROWS, _MOST_CHANCES = 200, 12


def page_of(release: AgentRelease) -> str:
    """Return the page about an agent's release, as HTML: what was published when, and what follows."""
    rows = [
        [str(block.receipt.entry), str(time), name, str(_size(numbers))]
        for block in release.blocks
        for time, arrays in block.times
        for name, numbers in arrays.items()
    ]
    header = ["ledger entry", "after episodes", "published", "numbers"]
    return markup.page(
        f"What an agent published about {release.plan.population}",
        markup.element(
            "p",
            "The promise is about one unit and all that was published in one block. Several blocks add "
            "up by the ledger's own rule. It cannot be concluded that an action was best for anyone.",
        ),
        *_choices(release),
        markup.element("h2", "What was promised"),
        markup.facts(release.facts()),
        markup.element("h2", "All that was published"),
        markup.table(header, rows, numeric=(0, 1, 3)),
    )


def standing(release: AgentRelease, found: Sequence[ChoiceEstimate]) -> tuple[list[str], list[list[str]]]:
    """Return the table of choices: a header, and a line for each with its intervals."""
    bandit = release.plan.problem.states == 1
    columns: list[tuple[str, list[str]]] = [
        ("choice" if bandit else "state, action", [one.choice for one in found]),
        ("taken", [_told(one.taken, 0) for one in found]),
        ("pays on average", [_told(one.paid) for one in found]),
        ("is best", ["" if one.best is None else f"{100 * one.best:.0f}%" for one in found]),
    ]
    filled = [(name, cells) for name, cells in columns if any(cells)]
    return [name for name, _ in filled], [list(line) for line in zip(*(c for _, c in filled), strict=True)]


def explained(release: AgentRelease) -> str:
    """Say what the table of choices is about."""
    if not any(block.times for block in release.blocks):
        return "Nothing was published yet."
    drawn = release.plan.mechanism.draws_rows
    rows = " Drawn rows are draws, and have no intervals." if drawn else ""
    return (
        f"From all that was published, with its noise reckoned with; intervals of {100 * LEVEL:.0f}%. "
        "What was counted since the last public time is in none of them. How often a choice was taken is an "
        f"estimate too: choices are drawn for each episode, and not published.{rows}"
    )


def _choices(release: AgentRelease) -> list[markup.Markup]:
    """What is known of each choice: a picture where there is one, and tables."""
    found = release.estimates(LEVEL)[:_MOST_ROWS]
    header, lines = standing(release, found)
    made = [markup.element("h2", "What is known of each choice"), markup.element("p", explained(release))]
    if len(header) > 1:
        made += [*_chart(found), markup.table(header, lines, numeric=tuple(range(1, len(header))))]
    return made + _chances(release, found)


def _chart(found: Sequence[ChoiceEstimate]) -> list[markup.Markup]:
    rows = [(one.choice, one.paid, one.alone, one.seen) for one in found if one.paid and one.alone]
    if not rows or len(rows) < len(found):
        return []
    chart = IntervalChart(
        [choice for choice, _, _, _ in rows],
        [paid.mean for _, paid, _, _ in rows],
        [(paid.low, paid.high) for _, paid, _, _ in rows],
        # where counts may be noise alone, nobody knows what the steps alone would leave open
        [(alone.low, alone.high) if seen else (paid.mean, paid.mean) for _, paid, alone, seen in rows],
        "What each choice pays on average",
    )
    return [chart.html()]


def _chances(release: AgentRelease, found: Sequence[ChoiceEstimate]) -> list[markup.Markup]:
    """Chances of what follows each choice, if they say more than what is paid."""
    problem = release.plan.problem
    several = problem.cells > 2 or release.plan.mechanism.draws_rows
    if not found or not several or problem.cells > _MOST_CHANCES:
        return []
    what = "outcome" if problem.states == 1 else "next state"
    header = [
        "choice" if problem.states == 1 else "state, action",
        *(f"{what} {cell}" for cell in range(problem.cells)),
    ]
    lines = [[one.choice, *(_told(chance) for chance in one.chances)] for one in found]
    return [
        markup.element("h2", f"Chances of each {what}"),
        markup.table(header, lines, numeric=tuple(range(1, len(header)))),
    ]


def _told(found: Estimated | None, places: int | None = None) -> str:
    """A number with its interval, to two digits of its width."""
    if found is None:
        return ""
    width = found.high - found.low
    if not width:
        return f"{found.mean:.4f}"
    if places is None:
        places = min(9, max(0, 1 - math.floor(math.log10(width))))
    return f"{found.mean:.{places}f} ({found.low:.{places}f} to {found.high:.{places}f})"


def _size(numbers: Any) -> int:
    return sum(map(_size, numbers)) if isinstance(numbers, list) else 1
