"""Drawings whose coordinates are shares of the drawing's width and height, so that text keeps its size
whatever the width of the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from privior.pictures.markup import Markup, element


def percent(share: float) -> str:
    """Write a share, such as 0.25, as a percentage that is short and exact enough for any screen."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def drawing(height: int, *marks: Markup, about: str | None, **attributes: str | None) -> Markup:
    """Build a drawing as wide as its place and so many pixels high; without words it is decoration."""
    role = {"aria_hidden": "true"} if about is None else {"role": "img", "aria_label": about}
    return element("svg", *marks, width="100%", height=height, **role, **attributes)


def line(
    start: tuple[float, float],
    end: tuple[float, float],
    tip: str | None = None,
    **attributes: str | float | None,
) -> Markup:
    """Draw a line between two points (x, y), y counted from the top."""
    ends = {"x1": percent(start[0]), "y1": percent(start[1]), "x2": percent(end[0]), "y2": percent(end[1])}
    return _mark("line", tip, **{key: value for key, value in ends.items() if value != "0%"}, **attributes)


def polyline(points: Sequence[tuple[float, float]], **attributes: str | float | None) -> Markup:
    """Join points by lines."""
    lines = [line(start, end) for start, end in pairwise(points)]
    return element("g", *lines, stroke_linecap="round", **attributes)


def circle(
    at: tuple[float, float], radius: float, tip: str | None = None, **attributes: str | None
) -> Markup:
    """Draw a circle of so many pixels."""
    return _mark("circle", tip, cx=percent(at[0]), cy=percent(at[1]), r=radius, **attributes)


def words(
    text: str, at: tuple[float, float], shift: tuple[int, int], anchor: str, class_: str | None = None
) -> Markup:
    """Write text at a point, shifted by so many pixels; the anchor is start, middle or end."""
    place = {"x": percent(at[0]), "y": percent(at[1]), "text_anchor": anchor, "class_": class_}
    return element("text", text, dx=shift[0] or None, dy=shift[1] or None, **place)


def _mark(name: str, tip: str | None, **attributes: str | float | None) -> Markup:
    return element(name, *([] if tip is None else [element("title", tip)]), **attributes)
