"""One line of characters as a track: intervals with half a character's precision, and a scale below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from privior.pictures.axis import Axis
from privior.pictures.label import columns, cut, pad

#: by what the left and the right half hold: nothing, a thin line or a thick one
_HALVES = {
    "  ": " ",
    "--": "─",
    "==": "━",
    " -": "╶",
    "- ": "╴",
    " =": "╺",
    "= ": "╸",
    "-=": "╼",
    "=-": "╾",
}


def track(
    axis: Axis, width: int, centre: float, whole: tuple[float, float], inner: tuple[float, float]
) -> str:
    """Return a thin whole interval, a thick inner one and a dot."""
    halves = [" "] * (2 * width)
    for sign, (low, high) in (("-", whole), ("=", inner)):
        first, last = (round(axis.place(end) * (len(halves) - 1)) for end in (low, high))
        halves[first : last + 1] = sign * (last + 1 - first)
    signs = [_HALVES[halves[2 * i] + halves[2 * i + 1]] for i in range(width)]
    signs[round(axis.place(centre) * (2 * width - 1)) // 2] = "●"
    return "".join(signs)


def laid_out(
    axes: Sequence[Axis],
    labels: Sequence[str],
    numbers: Sequence[str],
    width: int,
    draw: Callable[[int, int, Axis], str],
) -> list[str]:
    """Return one line per row, label, tracks and numbers, and the scales below.

    Args:
        axes: of the tracks that stand side by side, common to all rows
        labels: one per row; long ones are cut
        numbers: what stands behind the tracks
        width: of the whole
        draw: returns the track of a row, counted from 0, in so many characters on one of the axes
    """
    right = max(map(len, numbers))
    room = max(width - right - 4, 12)
    short = [cut(label, max(room // 2, 6)) for label in labels]
    left = max(map(columns, short))
    length = max((room - left - 2 * (len(axes) - 1)) // len(axes), 1)
    lines = [
        f"{pad(label, left)}  {'  '.join(draw(row, length, axis) for axis in axes)}  {written.rjust(right)}"
        for row, (label, written) in enumerate(zip(short, numbers, strict=True))
    ]
    scales = zip(*(scale(axis, length) for axis in axes), strict=True)
    below = ["  ".join(pad(part, length) for part in parts).rstrip() for parts in scales]
    return [*lines, *(" " * (left + 2) + line for line in below)]


def scale(axis: Axis, width: int, corner: str = "") -> list[str]:
    """Return a line with ticks and a line with as many of their labels as fit side by side."""
    rule, labels = ["─"] * width, [" "] * width
    free = 0
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        at = round(axis.place(tick) * (width - 1))
        first = min(max(at - len(label) // 2, 0), max(width - len(label), 0))
        if first < free or first + len(label) > width:
            continue
        rule[at] = "┌" if at == 0 and not corner else "┐" if at == width - 1 else "┬"
        labels[first : first + len(label)] = label
        free = first + len(label) + 1
    return [corner + "".join(rule), " " * len(corner) + "".join(labels).rstrip()]
