"""Numbers in questions have one form, days that of the table too; to what is wrong the nearest is offered."""

from __future__ import annotations

import pytest

import privior as pv
from privior.errors import QuestionError
from privior.queries import parse
from privior.queries.binding import Binding

SCHEMA = pv.Schema(
    {
        "balance": pv.Bounded(0, 200_000, grid="0.5"),
        "fine": pv.Bounded(0, 9, grid="0.001"),
        "job type": pv.Categorical(["clerk", "chef"]),
        "day": pv.Date("2026-01-01", "2026-01-09"),
        "age": pv.Integer(18, 90),
        "when": pv.Binned([0, 10, 20]),
    },
    population="bank",
    unit="customer",
    csv=pv.CsvDialect(delimiter=";", decimal=",", thousands=".", dates="DD.MM.YYYY"),
)


def bound(text: str) -> object:
    return parse(text).bound(Binding(text, SCHEMA, tuple(SCHEMA.columns)))


def refused(text: str) -> str:
    with pytest.raises(QuestionError) as caught:
        bound(text)
    return " ".join(str(caught.value).split())


@pytest.mark.parametrize("text", ["P(balance>=50.000)", "P(balance=50.000)", "P(age=30 and balance<1.000)"])
def test_a_number_that_the_table_writes_otherwise_is_not_read_as_another_one(text: str) -> None:
    said = refused(text)
    assert "can be read in two ways" in said
    assert "allowed: 50 or 50000" in said or "allowed: 1 or 1000" in said
    assert "decimal point and nothing between thousands" in said


def test_numbers_with_one_reading_have_a_decimal_point() -> None:
    assert str(bound("P(balance>=50000.5)")) == "P(balance>=50000.5)"
    assert str(bound("P(balance=50.5)")) == "P(balance=50.5)"
    assert str(bound("P(fine=1.125)")) == "P(fine=1.125)"
    assert str(bound("P(fine<1.125)")) == "P(fine<1.125)"  # 1125 is no value of it
    for text in ("P(balance>=50,000)", "P(balance=0,5)"):
        assert "decimal point and nothing between thousands" in refused(text)
    assert "a comparison is missing" in refused("P(age=30, 50)")


def test_days_may_be_written_as_in_the_table() -> None:
    assert str(bound("P(day=3.01.2026)")) == "P(day=2026-01-03)"
    assert bound("P(day>=03.01.2026)").meant == bound("P(day>=2026-01-03)").meant  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("P(age=40.2)", "The nearest is 40."),
        ("P(age=18.5)", "The nearest is 19."),
        ("P(age=200)", "The range ends at 90."),
        ("P(age=-3)", "The range ends at 18."),
        ("P(balance=20.3)", "The nearest is 20.5."),
        ("P(job=clerk)", "Did you mean 'job type'?"),
        ("P(Age=20)", "Did you mean age?"),
        ("P(job type=clrk)", "Did you mean clerk?"),
    ],
)
def test_what_is_offered_is_near(text: str, says: str) -> None:
    assert says.replace("'", "") in refused(text).replace("'", "")


def test_nothing_is_offered_that_is_far() -> None:
    assert "Did you mean" not in refused("P(triage=red)")


def test_a_range_is_written_with_and() -> None:
    assert "P(age>20 and age<30)" in refused("P(20<age<30)")
    assert "P(age<=30 and age>=20)" in refused("P(30>=age>=20)")
    assert "Each comparison has its column" in refused("P(age>20<30)")
    assert str(bound("P(age>20 and age<30)")) == "P(age>20, age<30)"
