"""What pictures look like in a terminal, to the letter; and the labels and listings they are made of."""

from __future__ import annotations

import re
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
        lines={"records alone": 0.012, "prior alone": 0.6},
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


def test_a_table_that_is_too_wide_is_cut_and_says_everything_below() -> None:
    long, longer = "blue-collar work in manufacturing, construction or transport", "blue-collar work " * 6
    rows = [[long, "no", "0.1"], [longer, "yes", "0.2"], ["short", "no", "0.3"]]
    lines = listing.table(["job", "subscribed", "probability"], rows, 60)
    assert max(map(len, lines)) <= 60
    assert lines[2].startswith("blue-collar")
    assert "… [1]" in lines[2]
    assert "… [2]" in lines[3]
    assert long in " ".join(line.strip() for line in lines[5:])
    assert listing.table(["job"], [["short"]], 60) == listing.table(["job"], [["short"]])
    assert listing.wrapped("  " + "word " * 30, 40)[1].startswith("    word")


def test_narrow_intervals_are_drawn_again_as_distances() -> None:
    """With 45,000 records an interval is narrower than its dot."""
    chart = IntervalChart(
        ["a", "b"], [0.2, 0.8], [(0.198, 0.202), (0.797, 0.803)], [(0.199, 0.201), (0.798, 0.802)], "x"
    )
    html, text = chart.html(), chart.text(80)
    bars = re.findall(r'<line x1="([\d.]+)%" y1="50%" x2="([\d.]+)%" y2="50%" class="whole">', html)
    assert [round(float(high) - float(low), 1) for low, high in bars] == [0.2, 17.6, 0.3, 26.4]
    assert "distances from the means" in html
    assert "as distances" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "─" in text.splitlines()[2]
    wide = IntervalChart(["a"], [0.5], [(0.3, 0.7)], [(0.4, 0.6)], "x")
    assert "distances" not in wide.html()
