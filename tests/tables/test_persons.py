"""T21: at most so many rows of a person are counted, and nobody's rows decide about anybody else's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from row_reference import Counts

from privior.schema import DROP, Categorical, Integer, Schema, Unit
from privior.tables import open_table

LEVELS = ["a", "b", "c", "d"]
Rows = Sequence[tuple[str | None, str]]


def schema(most: int, *, drop: bool = False) -> Schema:
    unit = Unit("person", column="who", max_rows=most)
    return Schema({"v": Categorical(LEVELS, missing=DROP if drop else "d")}, population="people", unit=unit)


def counted(rows: Rows, most: int) -> Counts:
    table = pa.table({"who": pa.array([who for who, _ in rows], pa.string()), "v": [v for _, v in rows]})
    return open_table(table, schema(most), ("v",)).counts()


def some_rows(choose: random.Random, number: int) -> list[tuple[str, str]]:
    return [(choose.choice("ABCDE"), choose.choice(LEVELS)) for _ in range(number)]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_rows_of_a_person_are_counted_up_to_the_limit_and_come_from_her(most: int) -> None:
    rows = some_rows(random.Random(most), 25)
    total = np.zeros(4, np.int64)
    for who in "ABCDE":
        hers = [row for row in rows if row[0] == who]
        kept = counted(hers, most)
        had = Counter(v for _, v in hers)
        assert kept.sum() == min(most, len(hers))
        assert all(kept[place] <= had[level] for place, level in enumerate(LEVELS))
        total += kept
    assert (counted(rows, most) == total).all()  # what is kept of one does not depend on the others


@pytest.mark.parametrize("most", [1, 2])
def test_replacing_all_rows_of_one_person_moves_no_more_than_her_limit(most: int) -> None:
    choose = random.Random(most)
    worst = 0
    for _ in range(15):
        rows = some_rows(choose, 16)
        others = [row for row in rows if row[0] != "A"]
        new = [("A", choose.choice(LEVELS)) for _ in range(choose.randrange(6))]
        worst = max(worst, int(np.abs(counted(rows, most) - counted([*others, *new], most)).sum()))
    assert 0 < worst <= 2 * most


def test_the_order_of_rows_does_not_decide_which_are_kept() -> None:
    choose = random.Random(5)
    rows = some_rows(choose, 40)
    before = counted(rows, 2)
    for _ in range(5):
        choose.shuffle(rows)
        assert (counted(rows, 2) == before).all()


def test_each_row_of_a_person_has_the_same_chance() -> None:
    persons = 4000
    rows = [(f"person {number}", level) for number in range(persons) for level in "aaab"]
    counts = counted(rows, 1)
    assert counts.sum() == persons
    assert abs(counts[0] / persons - 0.75) < 0.04  # six standard deviations


def test_rows_of_nobody_are_left_out_and_persons_are_counted(tmp_path: Path) -> None:
    rows: Rows = [("A", "a"), ("A", "b"), (None, "c"), ("", "c"), ("B", "a")]
    table = pa.table({"who": pa.array([who for who, _ in rows]), "v": [v for _, v in rows]})
    path = tmp_path / "t.csv"
    path.write_text("v,who\n" + "".join(f"{v},{who or ''}\n" for who, v in rows) + '"\na,b,c\n')
    for source in (table, path):
        opened = open_table(source, schema(9), ("v",))
        assert opened.records() == 2
        assert opened.counts().tolist() == [2, 1, 0, 0]


def test_persons_may_be_numbers() -> None:
    numbers = [1, 1, 2, None, 3]
    for who in (
        pa.array(numbers, pa.int64()),
        pa.array(numbers, pa.float64()),
        pa.array([1, 1, 2, float("nan"), 3]),
    ):
        opened = open_table(pa.table({"who": who, "v": ["a"] * 5}), schema(1), ("v",))
        assert opened.records() == 3
        assert opened.counts().tolist() == [3, 0, 0, 0]


def test_rows_that_are_dropped_do_not_use_up_the_limit() -> None:
    table = pa.table({"who": ["A"] * 50, "v": ["?"] * 49 + ["a"]})
    assert open_table(table, schema(1, drop=True), ("v",)).counts().tolist() == [1, 0, 0, 0]


def test_several_columns_are_kept_together() -> None:
    unit = Unit("person", column="who", max_rows=1)
    two = Schema({"v": Categorical(LEVELS), "n": Integer(0, 3)}, population="people", unit=unit)
    table = pa.table({"who": ["A", "A", "B"], "v": ["a", "b", "c"], "n": [1, 2, 3]})
    counts = open_table(table, two, ("n", "v")).counts().reshape(4, 4)
    assert counts.sum() == 2
    assert counts[3, 2] == 1
    assert counts[1, 0] + counts[2, 1] == 1
