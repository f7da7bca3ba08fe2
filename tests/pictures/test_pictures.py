"""Every picture has three renderings, and none of them trusts the words or the numbers it is given."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pictures.samples import HOSTILE, elements, pictures
from privior.pictures import BudgetBar, ErrorCurve, IntervalChart, NetworkChart, Picture, SplitBars, markup
from privior.pictures.label import columns

TAGS = {
    *("div", "figure", "figcaption", "p", "span", "ul", "li"),
    *("svg", "g", "line", "circle", "rect", "text", "title"),
}
KINDS = ("intervals", "curve", "bar", "split")


def saved(picture: Picture) -> int:
    """Draw a figure as a file of each kind and return the size of one."""
    file = io.BytesIO()
    picture.figure().savefig(file, format="svg")
    picture.figure().savefig(file := io.BytesIO(), format="png", dpi=40)
    return len(file.getvalue())


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_stay_words(word: str, kind: int) -> None:
    picture = pictures(word)[kind]
    markup = picture.html()
    markup.encode("utf-8")
    for found in elements(markup):
        assert found.tag in TAGS
        assert not [name for name in found.attrib if name.startswith("on") or name in ("href", "src")]
    for width in (20, 72, 120):
        text = picture.text(width)
        text.encode("utf-8")
        assert all(sign == "\n" or sign.isprintable() for sign in text)
        assert max(map(columns, text.splitlines())) <= max(width, 40)
    file = io.BytesIO()  # each word and each kind as files of both kinds, but not all at once
    suffix = ("svg", "png")[(HOSTILE.index(word) + kind) % 2]
    picture.figure().savefig(file, format=suffix, dpi=40)
    assert len(file.getvalue()) > 1000


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_wide_and_combined_letters_are_measured(kind: int) -> None:
    for word in ("日本語" * 30, "e\u0301" * 90, "שלום", "👩\u200d🔬" * 40):
        picture = pictures(word)[kind]
        assert max(map(columns, picture.text().splitlines())) <= 72
        elements(picture.html())


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_a_notebook_shows_the_picture_with_its_style_and_print_the_text(kind: int) -> None:
    picture = pictures("word")[kind]
    shown = picture._repr_html_()
    assert shown.startswith('<div class="privior"><style>')
    assert picture.html() in shown
    assert str(picture) == picture.text()
    assert "\n" not in repr(picture)
    assert picture == pictures("word")[kind]


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_drawings_scale_without_scaling_their_text(kind: int) -> None:
    drawings = [found for found in elements(pictures("word")[kind].html()) if found.get("role") == "img"]
    assert drawings
    for drawing in drawings:
        assert drawing.get("aria-label")
        assert drawing.get("width") == "100%"
        assert drawing.get("viewBox") is None
        for mark in drawing.iter():
            for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy"):
                assert re.fullmatch(r"[\d.]+%", mark.get(name, "0%"))


NUMBERS = (0.0, 5e-324, 1e-300, 1e-9, 0.5, 1.0, 1e9, 1e300)


@pytest.mark.parametrize(("first", "second"), [*product(NUMBERS, NUMBERS)])
def test_curves_of_any_size_are_drawn(first: float, second: float) -> None:
    curve = ErrorCurve([0.5, 1.0], {"a": [first, second]}, "t", "y", 1.0, {"level": first})
    elements(curve.html())
    assert "◆" in curve.text()
    apart = NUMBERS.index(second) - NUMBERS.index(first)
    if apart in (0, 1, -3):  # for a figure, each size first and second, beside itself and others
        assert saved(curve) > 1000


@settings(deadline=None)
@given(st.lists(st.floats(min_value=1e-9, max_value=1e4), min_size=1, max_size=6, unique=True), st.data())
def test_curves_at_any_epsilon_are_drawn(epsilons: list[float], data: st.DataObject) -> None:
    values = st.lists(
        st.floats(min_value=0, max_value=1.7e308), min_size=len(epsilons), max_size=len(epsilons)
    )
    curve = ErrorCurve(
        sorted(epsilons), {"a": data.draw(values), "b": data.draw(values)}, "t", "y", epsilons[0]
    )
    elements(curve.html())
    lines = curve.text().splitlines()
    assert max(map(len, lines)) <= 72
    assert sum(line.count("◆") for line in lines) == 2


@pytest.mark.parametrize("value", [0.0, 1e-12, 0.25, 1.0, -3.7])
@pytest.mark.parametrize("rows", [1, 3])
def test_equal_and_empty_intervals_are_drawn(rows: int, value: float) -> None:
    ends = [(value, value)] * rows
    chart = IntervalChart([f"l{i}" for i in range(rows)], [value] * rows, ends, ends, "t")
    elements(chart.html())
    assert chart.text().count("●") == rows + 1
    assert saved(chart) > 1000


def test_of_ten_thousand_cells_the_most_probable_are_shown() -> None:
    share = np.random.default_rng(1).dirichlet(np.ones(10_000))
    ends = np.stack([share * 0.8, share * 1.2], axis=1)
    chart = IntervalChart([f"cell {i}" for i in range(10_000)], share, ends, ends, "many")
    top, last = f"cell {share.argmax()}", f"cell {share.argmin()}"
    markup, text = chart.html(), chart.text()
    assert len(markup) < 60_000
    for rendering in (markup, text):
        assert "40 most probable are shown; 9960 less probable are left out" in rendering.replace("\n", " ")
        assert f"{top}<" in rendering or f"{top} " in rendering
        assert f"{last}<" not in rendering
        assert f"{last} " not in rendering
    labels = [label.get_text() for label in chart.figure().axes[0].get_yticklabels()]
    assert len(labels) == 40
    assert labels[0] == top


def test_the_size_of_a_report_of_forty_cells() -> None:
    labels = [f"female, some level of education {i}" for i in range(40)]
    ends = [(0.0123, 0.0456)] * 40
    assert len(markup.page("t", IntervalChart(labels, [0.03] * 40, ends, ends, "t").html())) < 60_000


def test_a_cut_label_is_whole_in_its_title() -> None:
    label = "a <long> label " * 5
    found = [row for row in elements(pictures(label)[0].html()) if row.get("class") == "name"]
    assert [row.get("title") for row in found] == [label, None]
    assert (found[0].text or "").endswith("…")


NOWHERE = (float("nan"), float("inf"))


@pytest.mark.parametrize("bad", NOWHERE)
def test_intervals_that_cannot_be_drawn_are_refused(bad: float) -> None:
    good = [(0.1, 0.2)]
    with pytest.raises(ValueError, match="finite"):
        IntervalChart(["a"], [bad], good, good, "t")
    with pytest.raises(ValueError, match="finite"):
        IntervalChart(["a"], [0.1], [(0.1, bad)], good, "t")
    with pytest.raises(ValueError, match="finite"):
        IntervalChart(["a"], [0.1], good, [(bad, 0.1)], "t")


@pytest.mark.parametrize("bad", [*NOWHERE, -0.1])
def test_curves_that_cannot_be_drawn_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        ErrorCurve([1], {"a": [bad]}, "t", "y")
    with pytest.raises(ValueError, match="finite"):
        ErrorCurve([1], {"a": [1]}, "t", "y", lines={"b": bad})
    with pytest.raises(ValueError, match="positive"):
        ErrorCurve([bad], {"a": [1]}, "t", "y")


def test_shapes_that_do_not_fit_are_refused() -> None:
    one = [(0.1, 0.2)]
    for labels, centres, whole in (([], [], []), (["a", "b"], [0.1], one), (["a"], [0.1], one * 2)):
        with pytest.raises(ValueError, match="per label"):
            IntervalChart(labels, centres, whole, one, "t")
    with pytest.raises(ValueError, match="before it begins"):
        IntervalChart(["a"], [0.1], [(0.2, 0.1)], one, "t")
    with pytest.raises(ValueError, match="at least one"):
        IntervalChart(["a"], [0.1], one, one, "t", most=0)
    for epsilons, series in (([], {}), ([1], {}), ([1, 2], {"a": [1.0]})):
        with pytest.raises(ValueError, match="one value for each"):
            ErrorCurve(epsilons, series, "t", "y")
    with pytest.raises(ValueError, match="increasing"):
        ErrorCurve([2, 1], {"a": [1, 1]}, "t", "y")
    with pytest.raises(ValueError, match="none of those"):
        ErrorCurve([1, 2], {"a": [1, 1]}, "t", "y", chosen=1.5)
    with pytest.raises(ValueError, match="told apart"):
        ErrorCurve([1], {str(i): [1] for i in range(6)}, "t", "y")


def test_a_bar_takes_exact_amounts_within_the_cap() -> None:
    with pytest.raises(ValueError, match="exact"):
        BudgetBar(0.1, Fraction(0), Fraction(1), "t")  # type: ignore[arg-type]
    for before, this in ((-1, 0), (0, -1), (1, Fraction(1, 10**30))):
        with pytest.raises(ValueError, match="within the cap"):
            BudgetBar(Fraction(before), Fraction(this), Fraction(1), "t")


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.integers(40, 200))
def test_a_bar_shows_what_is_there_and_nothing_else(before: int, this: int, left: int, width: int) -> None:
    bar = BudgetBar(Fraction(before), Fraction(this), Fraction(before + this + left), "t")
    lengths = bar.lengths(width)
    assert [length > 0 for length in lengths] == [amount > 0 for amount in (before, this, left)]
    assert sum(lengths) == (width if bar.cap else 0)
    for length, amount in zip(lengths, (before, this, left), strict=True):
        assert not bar.cap or abs(length - width * amount / bar.cap) <= 3
    elements(bar.html())
    assert max(map(len, bar.text(width).splitlines())) <= width


@pytest.mark.parametrize(("before", "this", "cap"), [(0, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)])
def test_empty_and_full_bars_are_drawn(before: int, this: int, cap: int) -> None:
    bar = BudgetBar(Fraction(before), Fraction(this), Fraction(cap), "t")
    assert saved(bar) > 1000
    assert ("this release" in bar.html()) == (this > 0)
    assert "left" in bar.text()


@pytest.mark.parametrize("records", [[0.0, 0.0], [1e-300, 4.0], [1e300, 0.0]])
def test_split_bars_are_drawn_for_any_variances(records: list[float]) -> None:
    bars = SplitBars(["a", "b"], records, [0.0, 1.0], "t")
    elements(bars.html())
    assert saved(bars) > 1000
    assert "0% noise" in bars.text()
    with pytest.raises(ValueError, match="finite"):
        SplitBars(["a"], [float("nan")], [0.0], "t")


def test_split_bars_leave_out_the_least_uncertain() -> None:
    bars = SplitBars(list("abc"), [1.0, 3.0, 2.0], [0.0, 1.0, 2.0], "t", most=2)
    assert [line[0] for line in bars.text().splitlines()[2:4]] == ["b", "c"]
    assert "1 less uncertain" in bars.html()


def test_arcs_over_several_rows_of_a_network_pass_beside_their_nodes() -> None:
    """Six nodes, one a row: drawn on one line, eight arcs looked like a chain of five."""
    parents = [(), (0,), (1,), (0, 2), (0, 1, 3), (4,)]
    chart = NetworkChart("abcdef", parents, [0.1] * 6, [0.2] * 6, [False] * 6, "six")
    assert chart._clearance(chart._places) > 0.04
    straight = {node: (0.5, down / 6) for node, down in zip(range(6), range(6), strict=True)}
    assert chart._clearance(straight) == 0
