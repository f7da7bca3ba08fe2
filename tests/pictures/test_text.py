"""What pictures look like in a terminal, to the letter; and the labels and listings they are made of."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from privior.pictures import BudgetBar, ErrorCurve, IntervalChart, SplitBars, listing
from privior.pictures.label import clean, columns, cut, wrapped

CHART = """\
education

none          ╶─╼━━●━━╾─                    0.20 (0.12\N{EN DASH}0.28)
school                        ╶──━━━●━━───  0.50 (0.40\N{EN DASH}0.60)
degree                ─━●━━─                0.30 (0.25\N{EN DASH}0.35)
        ┌──────────┬──────────┬──────────┐
        0         0.2        0.4       0.6

● posterior mean   ━ what the records alone leave open
─ with the privacy noise
90% intervals"""

CURVE = """\
What epsilon buys

width of a 90% interval
     │┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈
 0.5 ┤
     │  ●─────╮
     │        ╰────╮
 0.2 ┤             ╰────●╮
     │                   ╰─────╮
 0.1 ┤                         ╰────╮
     │                              ╰────╮
0.05 ┤                                   ◆──────╮
     │                                          ╰─────╮
0.02 ┤                                                ╰──●
     │
     │╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     └──┬─────────┬────────────┬─────────┬─────────┬────────
       0.1       0.2          0.5        1         2
                             epsilon

◆ chosen, epsilon 1: 0.05   ● interval width
╌ records alone: 0.012   ┈ prior alone: 0.6"""

BAR = """\
clinic-2026: epsilon 1 in all

███████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░░░░░░░░░
█ spent before 0.25   ▓ this release 0.5   ░ left 0.25
entry 3"""


SPLIT = """\
Where the uncertainty comes from

none    ████████████████████████                          2 (0% noise)
school  █████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  4 (38% noise)
        ┌───────────┬──────────┬──────────┬───────────┐
        0           1          2          3           4

█ from the finite number of records   ▒ from the privacy noise"""


def test_split_bars() -> None:
    bars = SplitBars(["none", "school"], [4.0, 10.0], [0.0, 6.0], "Where the uncertainty comes from")
    assert bars.text(70) == SPLIT


def test_an_interval_chart() -> None:
    whole, inner = [(0.12, 0.28), (0.4, 0.6), (0.25, 0.35)], [(0.15, 0.25), (0.45, 0.55), (0.27, 0.33)]
    levels = ["none", "school", "degree"]
    chart = IntervalChart(levels, [0.2, 0.5, 0.3], whole, inner, "education", "90% intervals")
    assert chart.text(60) == CHART


def test_an_error_curve() -> None:
    curve = ErrorCurve(
        [0.1, 0.3, 1, 3],
        {"interval width": [0.4, 0.15, 0.05, 0.02]},
        title="What epsilon buys",
        y_label="width of a 90% interval",
        chosen=1,
        levels={"records alone": 0.012, "prior alone": 0.6},
    )
    assert curve.text(60) == CURVE


def test_a_budget_bar() -> None:
    labels = {"before_label": "0.25", "this_label": "0.5", "left_label": "0.25"}
    bar = BudgetBar(Fraction(1, 4), Fraction(1, 2), Fraction(1), "clinic-2026", "entry 3", **labels)
    assert bar.text(60) == BAR


@given(st.text(st.characters()), st.integers(1, 30))
def test_labels_fit_and_are_harmless(label: str, most: int) -> None:
    short = cut(label, most)
    assert columns(short) <= most
    assert clean(short) == short
    assert not set("\n\r\t\x00\x1b\u202e\u2028") & set(short)


@given(st.lists(st.text()), st.integers(10, 40))
def test_wrapped_lines_fit(parts: list[str], width: int) -> None:
    assert all(columns(line) <= width for line in wrapped([clean(part) for part in parts], width))


def test_listings_are_aligned_in_any_script() -> None:
    assert listing.table(["level", "n"], [["日本", "1"], ["e\u0301", "2"]]) == [
        "level  n",
        "-----  -",
        "日本   1",
        "e\u0301      2",
    ]
    assert listing.facts([("a", "1"), ("long", "2")]) == ["a     1", "long  2"]
