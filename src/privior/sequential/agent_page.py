"""The report about what an agent published: one page, without a script, with nothing to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privior.pictures import markup

if TYPE_CHECKING:
    from privior.sequential.published import AgentRelease

#: longer lists are in the file
_MOST_NUMBERS = 400
_WORDS = {
    "counts": "counts with noise: a line for each choice, a number for what followed",
    "visits": "visits of each choice, with noise",
    "sums": "sums of rewards of each choice, in units above the lowest, with noise",
    "squares": "sums of their squares, with noise",
    "rows": "drawn chances of each choice, as sticks out of 2^53: the first share, then of the rest",
}


def page_of(release: AgentRelease) -> str:
    """Return the page."""
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
        markup.facts(release.facts()),
        *_last(release),
        markup.element("h2", "All that was published"),
        markup.table(header, rows, numeric=(0, 1, 3)),
    )


def _last(release: AgentRelease) -> list[markup.Markup]:
    """The numbers that were published last, if they are not too many."""
    times = [(block.receipt.entry, *one) for block in release.blocks for one in block.times]
    if not times:
        return []
    entry, time, arrays = times[-1]
    found = [markup.element("h2", f"What was published last: entry {entry}, after {time} episodes")]
    for name, numbers in arrays.items():
        if _size(numbers) > _MOST_NUMBERS:
            continue
        lines = [
            [str(choice), *map(str, line if isinstance(line, list) else [line])]
            for choice, line in enumerate(numbers)
        ]
        header = ["choice", *map(str, range(len(lines[0]) - 1))]
        found.append(markup.element("p", f"{_WORDS[name].capitalize()}."))
        found.append(markup.table(header, lines, numeric=tuple(range(len(header)))))
    return found


def _size(numbers: Any) -> int:
    return sum(map(_size, numbers)) if isinstance(numbers, list) else 1
