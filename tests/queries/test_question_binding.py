"""Questions against a model: which cells they mean, which words it does not know, and where those stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import privior as pv
from privior.errors import QuestionError
from privior.queries import Probability, QuantityAnswer, ask, parse
from privior.queries.binding import Binding


def levels(posterior: pv.CategoricalPosterior, event: str) -> dict[str, list[str]]:
    text = f"P({event})"
    bound = parse(text).bound(Binding(text, posterior.schema, posterior.model.columns))
    assert isinstance(bound, Probability)
    assert bound.meant is not None
    assert isinstance(bound.meant[0], dict)
    return bound.meant[0]


#: an event about people, and the levels that it means
PEOPLE: dict[str, dict[str, list[str]]] = {
    "education=phd": {"education": ["phd"]},
    "education!=phd": {"education": ["none", "some college", "research and development"]},
    "education in {phd, none, phd}": {"education": ["none", "phd"]},
    "education='research and development'": {"education": ["research and development"]},
    "smoker=YES": {"smoker": ["true"]},
    "smoker!=1": {"smoker": ["false"]},
    "age=20": {"age": ["20"]},
    "age>20": {"age": ["21", "22"]},
    "age>=20": {"age": ["20", "21", "22"]},
    "age<20": {"age": ["18", "19"]},
    "age<=20": {"age": ["18", "19", "20"]},
    "age>19.5, age<=1e9": {"age": ["20", "21", "22"]},
    "age>=-100": {"age": ["18", "19", "20", "21", "22"]},
    "age>=19 and age<22, age!=20": {"age": ["19", "21"]},
    "smoker=no, age=20": {"smoker": ["false"], "age": ["20"]},
}
#: likewise about things
THINGS: dict[str, dict[str, list[str]]] = {
    "income>=0": {"income": ["[0, 10)", "[10, 12.5)", "[12.5, 100]"]},
    "income>=10": {"income": ["[10, 12.5)", "[12.5, 100]"]},
    "income>=12.50": {"income": ["[12.5, 100]"]},
    "income<12.5": {"income": ["[0, 10)", "[10, 12.5)"]},
    "income<=100": {"income": ["[0, 10)", "[10, 12.5)", "[12.5, 100]"]},
    "income>=10, income<12.5": {"income": ["[10, 12.5)"]},
    "income=50": {"income": ["[12.5, 100]"]},
    "income='[0, 10)'": {"income": ["[0, 10)"]},
    "day<2026-01-03": {"day": ["2026-01-01", "2026-01-02"]},
    "day<=2026-01-03": {"day": ["2026-01-01", "2026-01-02", "2026-01-03"]},
    "day>2026-01-03": {"day": ["2026-01-04"]},
    "day>=2026-01-03": {"day": ["2026-01-03", "2026-01-04"]},
    "day>2000-01-01, day!=2026-01-01": {"day": ["2026-01-02", "2026-01-03", "2026-01-04"]},
    "weight<0": {"weight": ["-1", "-0.5"]},
    "weight<=0": {"weight": ["-1", "-0.5", "0"]},
    "weight>0.2": {"weight": ["0.5", "1"]},
    "weight>=-1/2": {"weight": ["-0.5", "0", "0.5", "1"]},
    "weight=0.50": {"weight": ["0.5"]},
    "rooms in {1, -2}": {"rooms": ["1", "-2"]},
}


@pytest.mark.parametrize("event", PEOPLE)
def test_events_about_people(people: pv.CategoricalPosterior, event: str) -> None:
    assert levels(people, event) == PEOPLE[event]


@pytest.mark.parametrize("event", THINGS)
def test_events_about_things(things: pv.CategoricalPosterior, event: str) -> None:
    assert levels(things, event) == THINGS[event]


def test_bins_are_cut_as_records_are_counted(things: pv.CategoricalPosterior) -> None:
    """A comparison that is accepted holds for all numbers of its bins and for no other."""
    column = things.releases[0].plan.schema.column("income")
    numbers = [-5, 0, 5, 9.99, 10, 11, 12.5, 50, 100]
    accepted: dict[str, Callable[[float], bool]] = {
        "income>=10": lambda x: x >= 10,
        "income<12.5": lambda x: x < 12.5,
        "income<=100": lambda x: x <= 100,
        "income<10": lambda x: x < 10,
    }
    for event, holds in accepted.items():
        chosen = levels(things, event)["income"]
        for number in numbers:
            assert (column.labels[column.code(number)] in chosen) == holds(number)


#: a question to people, the place that is pointed at, and words of the message
WRONG_TO_PEOPLE: list[tuple[str, int, str]] = [
    ("P(eduction=phd)", 2, "no such column(.|\n)*allowed: education, smoker, age\n  Did you mean education?"),
    ("P(Education=phd)", 2, "Did you mean education?"),
    ("P(x=phd)", 2, "no such column"),
    ("P(unused=yes)", 2, "not a column of this model"),
    ("P(age=20 | unused=yes)", 11, "not a column of this model"),
    ("P(education=pdh)", 12, "not a level of education(.|\n)*Did you mean phd?"),
    ("P(education in {phd, college})", 21, "Did you mean some college?"),
    ("P(education = 'research & development')", 14, "Did you mean 'research and development'?"),
    ("P(smoker=maybe)", 9, "allowed: false, true"),
    ("P(age=17)", 6, "whole numbers from 18 to 22"),
    ("P(age!=17)", 7, "whole numbers from 18 to 22"),
    ("P(education >= phd)", 12, "no order(.|\n)*in {...}"),
    ("P(smoker<yes)", 8, "no order"),
    ("P(age<old)", 6, "not a number"),
    ("P(age<18)", 2, "no value of age satisfies this\n(.|\n)*18 to 22"),
    ("P(age>22)", 2, "no value"),
    ("P(age>20, smoker=yes, age<=20)", 22, "and what was said of it before"),
    ("P(smoker!=yes, smoker!=no)", 15, "and what was said of it before"),
    ("P(age=20 | age>20, age<21)", 19, "and what was said of it before"),
    ("interval(age>20, age<21, 0.8)", 17, "and what was said of it before"),
    ("mean(education)", 5, r"levels are not numbers(.|\n)*P\(education=none\)"),
    ("interval(mean(education))", 14, "levels are not numbers"),
    ("mean(unused)", 5, "not a column of this model"),
    ("mean(age | education=x)", 21, "not a level"),
    ("counts(age, unused)", 12, "not a column of this model"),
    ("counts(age, smoker, age)", 20, "named twice"),
    ("sample 0", 7, "not a positive whole number"),
    ("sample 999999999999", 7, "too large"),
    ("P(age=20 or 21)", 6, "not a level of age(.|\n)*a whole condition"),
    ("P(age=20 or agee=21)", 12, "Did you mean age"),
    ("P(age=20 or age>20 and age<21)", 23, "and what was said of it before"),
    ("P(age=20) - P(agee=21)", 14, "Did you mean age"),
    ("median(education)", 7, "education has no median"),
    ("quantile(age, 90% | education=x)", 30, "not a level"),
    ("table(mean(education))", 11, "has no mean"),
    ("share(age=17)", 10, "whole numbers from 18 to 22"),
    ("P(age=\ud800)", 6, "cannot be seen"),
    ("P(age='\ud800\x1b')", 6, "not a level"),
]
WRONG_TO_THINGS: list[tuple[str, int, str]] = [
    ("P(income>=11)", 10, "edges only(.|\n)*allowed: 0, 10, 12.5, 100"),
    ("P(income>10)", 9, "cut by < and >="),
    ("P(income<=12.5)", 10, "cut by < and >="),
    ("P(income<=0)", 10, "cut by < and >="),
    ("P(income<100)", 9, "holds its upper edge"),
    ("P(income>=100)", 10, "holds its upper edge"),
    ("P(income>100)", 2, "no value"),
    ("P(income<0)", 2, "no value"),
    ("P(income<101)", 9, "edges only"),
    ("P(day<tomorrow)", 6, "YYYY-MM-DD"),
    ("P(day=2027-01-01)", 6, "days from 2026-01-01 to 2026-01-04"),
    ("P(weight=0.3)", 9, "numbers from -1 to 1 in steps of 0.5"),
    ("P(weight<1e9999)", 9, "not a number"),
    ("P(rooms<3)", 7, "no order"),
    ("mean(income)", 5, r"its bins hide(.|\n)*P\(income>=10\)"),
    ("mean(day)", 5, r"its values are days(.|\n)*P\(day<2026-01-03\)"),
]


def refused(posterior: pv.CategoricalPosterior, text: str, place: int, says: str) -> None:
    with pytest.raises(QuestionError, match=says) as refusal:
        ask(posterior, text)
    assert refusal.value.place == place
    assert refusal.value.question == text
    assert all(sign.isprintable() or sign == "\n" for sign in str(refusal.value))


@pytest.mark.parametrize(("text", "place", "says"), WRONG_TO_PEOPLE)
def test_wrong_questions_to_people(people: pv.CategoricalPosterior, text: str, place: int, says: str) -> None:
    refused(people, text, place, says)


@pytest.mark.parametrize(("text", "place", "says"), WRONG_TO_THINGS)
def test_wrong_questions_to_things(things: pv.CategoricalPosterior, text: str, place: int, says: str) -> None:
    refused(things, text, place, says)


def test_advice_on_means_can_be_asked(things: pv.CategoricalPosterior) -> None:
    for question in ("P(income>=10)", "P(day<2026-01-03)"):
        assert isinstance(ask(things, question), QuantityAnswer)


def test_a_wrong_question_to_a_release_is_refused_before_inference(
    formulas: pv.Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inferred(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("privior.queries.asking.infer", inferred)
    for question in (
        "P(weigth=0)",
        "P(weight=0",
        "mean('=formula')",
        "P(smoker<yes)",
        "P(smoker=x | weight>1)",
    ):
        with pytest.raises(QuestionError):
            ask(formulas, question)


def test_columns_of_many_levels_are_asked_quickly() -> None:
    """As many conditions as fit into a question, on a column of a hundred thousand levels."""
    schema = pv.Schema({"x": pv.Integer(0, 99_999)}, population="p", unit="person")
    text = "P(" + ", ".join(["x>=9, x!=12345"] * 600) + ")"
    bound = parse(text).bound(Binding(text, schema, ("x",)))
    assert isinstance(bound, Probability)
    assert bound.meant is not None
    assert isinstance(bound.meant[0], dict)
    found = bound.meant[0]["x"]
    assert len(found) == 99_990
    from privior.posterior.events import Events

    assert np.count_nonzero(Events(schema, ("x",)).cells({"x": found})) == 99_990
