"""Answers: the numbers of the posterior's methods and of plain draws, as text, documents and tables."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow.csv
import pytest

import privior as pv
from privior.errors import InferenceError, QuestionError
from privior.models.statistics import Observed
from privior.posterior import Quantity
from privior.queries import CountsAnswer, QuantityAnswer, SampleAnswer, ask, parse

MANY = 60_000


def number(posterior: object, question: str, **how: object) -> QuantityAnswer:
    answer = ask(posterior, question, **how)  # type: ignore[arg-type]
    assert isinstance(answer, QuantityAnswer)
    return answer


def test_probabilities_are_those_of_the_posterior(people: pv.CategoricalPosterior) -> None:
    events: list[tuple[str, Quantity]] = [
        ("P(education=phd)", people.probability({"education": "phd"})),
        (
            "P(education=phd, smoker=no, age=18)",
            people.probability({"education": "phd", "smoker": False, "age": 18}),
        ),
        ("P(age>=20, age<22)", people.probability({"age": [20, 21]})),
        ("P(smoker!=no | age<20)", people.probability({"smoker": "yes"}, given={"age": [18, 19]})),
        ("mean(age)", people.average("age")),
        ("mean(smoker | age>20)", people.average("smoker", {"age": [21, 22]})),
        ("interval(age>=20)", people.probability({"age": [20, 21, 22]})),
        ("interval(mean(age | smoker=yes))", people.average("age", {"smoker": True})),
    ]
    for question, quantity in events:
        answer = number(people, question, level=0.8)
        assert (answer.mean, answer.stddev) == (quantity.mean, quantity.stddev)
        assert (answer.low, answer.high) == quantity.interval(0.8)
        assert answer.simulation_error == quantity.simulation_error
        assert answer.level == 0.8
        assert number(people, f"interval({question}, 0.8)" if question[0] in "Pm" else question, level=0.8)


def test_probabilities_are_those_of_plain_draws(people: pv.CategoricalPosterior) -> None:
    """Brute force on the joint table: education, smoker, age."""
    theta = people.draws(MANY, seed=11).reshape(MANY, 4, 2, 5)
    ages = np.arange(18, 23)
    given = theta[:, 1:3, :, 1:].sum(axis=(1, 2))
    expected = {
        "P(education=phd)": theta[:, 2].sum(axis=(1, 2)),
        "P(education!=phd, age>=20, age<22)": theta[:, [0, 1, 3]][..., 2:4].sum(axis=(1, 2, 3)),
        "P(smoker=yes | age<20)": theta[:, :, 1, :2].sum(axis=(1, 2)) / theta[..., :2].sum(axis=(1, 2, 3)),
        "P(education=none | education=phd)": np.zeros(MANY),
        "mean(age)": theta.sum(axis=(1, 2)) @ ages,
        "mean(age | education in {some college, phd}, age>18)": given @ ages[1:] / given.sum(axis=1),
        "mean(smoker)": theta[:, :, 1].sum(axis=(1, 2)),
    }
    for question, draws in expected.items():
        answer, spread = number(people, question), float(draws.std())
        assert answer.mean == pytest.approx(draws.mean(), abs=0.1 * spread + 1e-12)
        assert answer.stddev == pytest.approx(spread, rel=0.05, abs=1e-12)
        ends = np.quantile(draws, [0.05, 0.95])
        assert (answer.low, answer.high) == pytest.approx(tuple(ends), abs=0.15 * spread + 1e-12)


def test_comparisons_medians_and_or_are_those_of_plain_draws(people: pv.CategoricalPosterior) -> None:
    """Brute force on the joint table: education, smoker, age."""
    theta = people.draws(MANY, seed=12).reshape(MANY, 4, 2, 5)
    ages = np.arange(18, 23)
    smokers, others = theta[:, :, 1].sum(axis=1), theta[:, :, 0].sum(axis=1)
    of_age, of_smokers = theta.sum(axis=(1, 2)), smokers / smokers.sum(axis=1, keepdims=True)
    either = theta[:, 2].sum(axis=(1, 2)) + theta[:, [0, 1, 3], 1, 2].sum(axis=1)
    below = theta[:, :, :, :2].sum(axis=(1, 2, 3))
    expected = {
        "P(age=20) - P(age=21)": of_age[:, 2] - of_age[:, 3],
        "P(age=20 | smoker=yes) / P(age=20)": of_smokers[:, 2] / of_age[:, 2],
        "mean(age | smoker=yes) - mean(age | smoker=no)": of_smokers @ ages
        - others @ ages / others.sum(axis=1),
        "median(age)": 18.0 + (np.cumsum(of_age, axis=1) < 0.5).sum(axis=1),
        "quantile(age, 30% | smoker=yes)": 18.0 + (np.cumsum(of_smokers, axis=1) < 0.3).sum(axis=1),
        "P(education=phd or smoker=yes and age=20)": either,
        "P(age<19 | age=18 or age=19)": of_age[:, 0] / below,
    }
    for question, draws in expected.items():
        answer, spread = number(people, question), float(draws.std())
        assert answer.mean == pytest.approx(draws.mean(), abs=0.1 * spread + 1e-12)
        assert answer.stddev == pytest.approx(spread, rel=0.1, abs=0.03)
        ends = np.quantile(draws, [0.05, 0.95])
        assert (answer.low, answer.high) == pytest.approx(tuple(ends), abs=0.15 * spread + 1e-12)
        assert "process behind the table" in str(answer)


def test_the_table_is_asked_as_such(
    people: pv.CategoricalPosterior, unknown_total: pv.CategoricalPosterior
) -> None:
    """Brute force on draws of the true table; privacy noise alone, so intervals are narrower."""
    tables = people.counts().draws(MANY, seed=13).reshape(MANY, 4, 2, 5)
    ages, of_age = np.arange(18, 23), tables.sum(axis=(1, 2))
    smokers = tables[:, :, 1].sum(axis=1)
    expected = {
        "share(age>=20, age<22)": of_age[:, 2:4].sum(axis=1) / 300,
        "share(smoker=yes | age=20)": smokers[:, 2] / of_age[:, 2],
        "table(mean(age))": of_age @ ages / 300,
        "table(mean(age | smoker=yes))": smokers @ ages / smokers.sum(axis=1),
        "table(median(age))": 18.0 + (np.cumsum(of_age, axis=1) < 150).sum(axis=1),
        "share(age=20) - share(age=21)": (of_age[:, 2] - of_age[:, 3]) / 300,
        "table(P(age=20) / P(age=21))": of_age[:, 2] / of_age[:, 3],
    }
    for question, draws in expected.items():
        answer, spread = number(people, question), float(draws.std())
        assert answer.mean == pytest.approx(draws.mean(), abs=0.1 * spread + 1e-12)
        assert answer.stddev == pytest.approx(spread, rel=0.1, abs=1e-3)
        ends = np.quantile(draws, [0.05, 0.95], method="inverted_cdf")
        assert (answer.low, answer.high) == pytest.approx(tuple(ends), abs=0.15 * spread + 1e-12)
        assert answer.about == "of the table of 300 records"
    exact, behind = number(people, "share(age=20)"), number(people, "P(age=20)")
    assert exact.simulation_error == 0
    assert exact.high - exact.low < 0.7 * (behind.high - behind.low)
    assert number(people, "table(P(age=20))").low == exact.low
    assert number(people.counts("age"), "P(age=20)").facts() == exact.facts()
    assert people.counts("age", "smoker").probability({"age": 20}).interval() == (exact.low, exact.high)
    private = unknown_total.counts()
    drawn = private.draws(MANY, seed=0)
    shares = drawn[:, [cell[0] == "phd" for cell in unknown_total.cells]].sum(axis=1) / drawn.sum(axis=1)
    found = number(unknown_total, "share(education=phd)")
    assert found.simulation_error == 0
    assert found.mean == pytest.approx(float(shares.mean()), abs=5 * shares.std() / MANY**0.5)
    ends = np.quantile(shares, [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=0.05 * shares.std())
    assert found.about == "of the table itself"


def test_quantiles_of_days_and_bins_are_days_and_bins(things: pv.CategoricalPosterior) -> None:
    """Brute force on the joint table: income in three bins, four days, weights, rooms."""
    theta = things.draws(MANY, seed=14).reshape(MANY, 3, 4, 5, 3)
    days = np.cumsum(theta.sum(axis=(1, 3, 4)), axis=1)
    rich = theta[:, 2].sum(axis=(2, 3))
    bins, late = np.cumsum(theta.sum(axis=(2, 3, 4)), axis=1), np.cumsum(rich, axis=1) / rich.sum(1)[:, None]
    income, day = (things.schema.column(name).labels for name in ("income", "day"))
    for question, draws, names in (
        ("median(day)", (days < 0.5).sum(axis=1), day),
        ("quantile(day, 90% | income>=12.5)", (late < 0.9).sum(axis=1), day),
        ("median(income)", (bins < 0.5).sum(axis=1), income),
        ("quantile(income, 70%)", (bins < 0.7).sum(axis=1), income),
    ):
        answer = ask(things, question)
        low, middle, high = (
            names[code] for code in np.quantile(draws, [0.05, 0.5, 0.95], method="inverted_cdf")
        )
        said = answer.to_document()
        assert [said[name] for name in ("kind", "estimate", "low", "high")] == ["level", middle, low, high]
        assert f" = {middle}, between {low} and {high} with probability 90%" in str(answer)
        assert "process behind the table" in str(answer)
        assert ask(things, f"interval({question})").to_document()["estimate"] == middle
        table = ask(things, f"table({question})").to_document()
        assert table["estimate"] in names
        assert table["about"] == "of the table of 300 records"
    found = things.median("day", {"income": 50})
    low, high = found.interval(0.9)
    assert str(found).endswith(f" = {found.estimate}, between {low} and {high} with probability 90%")
    assert ask(things, "median(income)").brief.count("'") == 6  # bins have spaces
    with pytest.raises(QuestionError, match="not taken of days and bins"):
        ask(things, "median(day) - median(day | income>=12.5)")
    with pytest.raises(QuestionError, match=r"Ask for median\(day\) or a probability"):
        ask(things, "mean(day)")


def test_a_quantile_is_a_value_that_occurs_and_lies_in_its_interval(people: pv.CategoricalPosterior) -> None:
    """The mean of what it may be is neither: of 97 draws of 20 and three of 18 it is 19.94."""
    lopsided = Quantity("median(x)", 19.94, np.array([20.0] * 97 + [18.0] * 3), occurring=True)
    assert (lopsided.estimate, float(lopsided), lopsided.interval()) == (20.0, 20.0, (20.0, 20.0))
    assert str(lopsided) == "median(x) = 20, between 20 and 20 with probability 90%"
    ages = {18.0, 19.0, 20.0, 21.0, 22.0}
    for question in ("median(age)", "quantile(age, 30% | smoker=yes)", "table(quantile(age, 25%))"):
        answer = number(people, question, level=0.5)
        assert {answer.estimate, answer.low, answer.high} <= ages
        assert answer.estimate is not None
        assert answer.to_document()["estimate"] == answer.estimate
        assert answer.low <= answer.estimate <= answer.high
        assert str(answer).startswith(f"{answer.question} = {answer.estimate:.0f}, between")
        assert answer.brief == f"{answer.estimate:.0f} {answer.low:.0f} {answer.high:.0f}"
    assert number(people, "mean(age)").estimate is None


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("share(age<20)", ["age"]),
        ("P(age>=20)", []),
        ("P(age>=18)", []),  # everybody
        ("P(education=phd | age=18 or smoker=no)", ["age", "smoker"]),
        ("interval(P(age=18) - P(smoker=yes))", ["age"]),
        ("mean(age)", ["age"]),
        ("mean(age | age>=20)", []),
        ("table(median(age | smoker=no))", ["age", "smoker"]),
        ("counts(age)", []),
    ],
)
def test_bad_cells_that_count_among_what_is_asked_for_are_told(
    people: pv.CategoricalPosterior, question: str, columns: list[str]
) -> None:
    """A missing age counts as 18, a missing smoker as no, a missing education as the last level."""
    answer = ask(people, question)
    label = {"age": "18", "smoker": "false"}
    told = [
        f"NOTE: a missing or unreadable {name} counts as {label[name]}, which is among what is asked for"
        for name in columns
    ]
    assert [*answer.notes] == told
    assert all(note in str(answer) for note in told)
    assert "missing" not in answer.text(80)  # of several answers they are said once, below
    assert "notes" not in answer.to_document()


def test_a_condition_that_nobody_may_satisfy_is_told() -> None:
    """In some possible tables nobody is as the condition says: the answer says how probable that is."""
    schema = pv.Schema({"a": pv.Boolean(), "b": pv.Boolean()}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical(("a", "b")), schema, records=40, epsilon=1)
    table = pyarrow.table({"a": [True] * 40, "b": [False] * 40})
    drawn = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    release = replace(drawn, statistics=Observed.of((0, 1, 40, -1)))
    answer = number(release, "share(b=no | a=no)")
    said = pv.infer(release).counts().draws(4000, seed=0)[:, :2].sum(axis=1)
    assert (said == 0).mean() > 0
    assert f"with probability {100 * (said == 0).mean():.2g}% nobody" in answer.warnings[-1]


def test_simulation_error_is_zero_for_closed_forms_alone(
    people: pv.CategoricalPosterior, unknown_total: pv.CategoricalPosterior
) -> None:
    exact = number(people, "P(education=phd, smoker=no, age=18)")
    assert exact.simulation_error == 0
    cell = people.cells.index(("phd", "false", "18"))
    assert exact.mean == people.mean()[cell]
    assert exact.stddev == people.stddev()[cell]
    assert (exact.low, exact.high) == tuple(people.interval(0.9)[cell])
    several = number(people, "P(education=phd)")
    assert several.simulation_error == 0
    draws = people.draws(MANY, seed=5)[:, [cell[0] == "phd" for cell in people.cells]].sum(axis=1)
    assert several.mean == pytest.approx(draws.mean(), abs=5 * draws.std() / MANY**0.5)
    assert several.stddev == pytest.approx(draws.std(), rel=0.05)
    assert (several.low, several.high) == pytest.approx(
        np.quantile(draws, [0.05, 0.95]), abs=0.1 * draws.std()
    )
    assert number(people, "P(education=phd | smoker=yes)").simulation_error > 0
    private = number(unknown_total, "P(education=phd, smoker=no)")
    assert private.simulation_error > 0
    cell = unknown_total.cells.index(("phd", "false"))
    assert (private.low, private.high) == tuple(unknown_total.interval(0.9)[cell])


def test_numbers_as_text(people: pv.CategoricalPosterior) -> None:
    answer = QuantityAnswer("P(education=phd)", 0.0123, 0.001, 0.9, 0.0110, 0.0137, 0.0)
    assert str(answer) == "P(education=phd) = 0.0123, between 0.0110 and 0.0137 with probability 90%"
    leading = QuantityAnswer("interval(P(a=x), 0.8)", 0.5, 0.1, 0.8, 0.25, 0.75, 0.0, ("WARNING: look",))
    said = "interval(P(a=x), 0.8) = 0.2500 to 0.7500 with probability 80%, mean 0.5000\nWARNING: look"
    assert str(leading) == said
    narrow = QuantityAnswer("P(a=x)", 0.0000123456, 1e-7, 0.9, 0.0000121, 0.0000125, 0.0)
    assert "0.00001235, between 0.00001210 and 0.00001250" in str(narrow)
    assert str(QuantityAnswer("mean(a)", 41.234, 0.1, 0.999, 41.0, 41.5, 0.0)).startswith("mean(a) = 41.23,")
    sure = number(people, "P(age>=0)")
    first, second, warning = str(sure).split("\n")
    assert first == "P(age>=0) = 1.0000, between 1.0000 and 1.0000 with probability 90%"
    assert second == "  of the next record, from the process behind the table"
    assert warning.startswith("WARNING: the release contradicts this prior")  # most cells are empty
    header, rows = answer.table()
    assert header == ["question", "mean", "stddev", "90% interval"]
    assert rows == [["P(education=phd)", "0.0123", "0.001", "0.0110 to 0.0137"]]
    hostile = QuantityAnswer("P(a='\x1b\n')", 0.5, 0.1, 0.9, 0.4, 0.6, 0.0)
    assert str(hostile).startswith(r"P(a='\x1b\n') = ")


def test_the_question_is_written_with_the_levels_that_were_meant(
    people: pv.CategoricalPosterior, things: pv.CategoricalPosterior
) -> None:
    assert number(people, "p(smoker == YES and age>=20)").question == "P(smoker=true, age>=20)"
    assert number(things, "P(income=50)").question == "P(income='[12.5, 100]')"
    question = number(things, "P(income=50 | weight in {0.50, 1})").question
    assert question == "P(income='[12.5, 100]' | weight in {0.5, 1})"
    assert number(things, question).question == question


def test_a_question_may_be_given_as_read(people: pv.CategoricalPosterior) -> None:
    assert ask(people, parse("P( age >= 20 )")) == ask(people, "P(age>=20)")
    with pytest.raises(QuestionError) as refusal:
        ask(people, parse("P(  agee  =  20)"))
    assert (refusal.value.question, refusal.value.place) == ("P(agee=20)", 2)


def test_the_level_of_the_question_comes_first(people: pv.CategoricalPosterior) -> None:
    assert number(people, "interval(age=20, 50%)", level=0.8).level == 0.5
    assert number(people, "interval(age=20)", level=0.8).level == 0.8
    assert number(people, "interval(age=20)").level == 0.9
    with pytest.raises(InferenceError, match="level"):
        ask(people, "P(age=20)", level=1.5)


def test_means_of_every_kind_of_number(things: pv.CategoricalPosterior) -> None:
    theta = things.mean().reshape(3, 4, 5, 3)
    weight = theta.sum(axis=(0, 1, 3)) @ [-1, -0.5, 0, 0.5, 1]
    rooms = theta.sum(axis=(0, 1, 2)) @ [3, 1, -2]
    assert number(things, "mean(weight)").mean == pytest.approx(weight)
    assert number(things, "mean(rooms)").mean == pytest.approx(rooms)


def test_counts(people: pv.CategoricalPosterior) -> None:
    whole = ask(people, "counts()")
    assert isinstance(whole, CountsAnswer)
    assert whole.columns == ("education", "smoker", "age")
    assert whole.cells == people.cells
    assert whole.mean == tuple(people.counts().mean())
    assert whole.low == tuple(people.counts().interval()[:, 0])
    some = ask(people, "counts(age, education)", level=0.5)
    assert isinstance(some, CountsAnswer)
    assert some.cells[:5] == (
        ("18", "none"),
        ("18", "some college"),
        ("18", "phd"),
        ("18", "research and development"),
        ("19", "none"),
    )
    table = people.counts().mean().reshape(4, 2, 5).sum(axis=1).T.ravel()
    assert some.mean == pytest.approx(tuple(table))
    assert "privacy noise is the only uncertainty" in str(some)
    header, rows = some.table()
    assert header == ["age", "education", "count", "stddev", "50% interval"]
    assert len(rows) == 20
    ignored = ask(pv.infer(people.releases[0], noise="ignore"), "counts(smoker)")
    assert "noisy table" in str(ignored)
    assert "IGNORED" in str(ignored)


def test_documents_are_plain(people: pv.CategoricalPosterior, formulas: pv.Release) -> None:
    for answer in (
        ask(people, "P(age=20)"),
        ask(people, "mean(age | smoker=yes)"),
        ask(people, "counts(smoker, age)"),
        ask(people, "sample 5", seed=1),
        ask(formulas, "sample 50", seed=1),
    ):
        document = answer.to_document()
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert document["kind"] == answer.kind
        assert document["question"] == answer.question


def test_samples(people: pv.CategoricalPosterior, things: pv.CategoricalPosterior) -> None:
    answer = ask(people, "sample 7", seed=3)
    assert isinstance(answer, SampleAnswer)
    assert answer.columns == people.sample(7, seed=3)
    assert ask(people, "sample(7)", seed=3) == answer
    assert ask(people, "sample 7") != ask(people, "sample 7")
    header, rows = answer.table()
    assert header == ["education", "smoker", "age"]
    assert len(rows) == 7
    numbers = ask(things, "sample 200", seed=0)
    assert isinstance(numbers, SampleAnswer)
    assert set(numbers.columns["weight"]) == {-1.0, -0.5, 0.0, 0.5, 1.0}
    with pytest.raises(InferenceError, match="seed"):
        ask(people, "sample 7", seed=-1)


def test_t40_no_cell_of_a_sample_is_a_formula(formulas: pv.Release) -> None:
    """T40: text that a spreadsheet would run gets an apostrophe; numbers stay numbers; CSV reads back."""
    answer = ask(formulas, "sample 400", seed=2)
    assert isinstance(answer, SampleAnswer)
    # Line ends in a level are part of a quoted cell.
    options = pyarrow.csv.ParseOptions(newlines_in_values=True)
    texts = pyarrow.csv.ConvertOptions(column_types={"'=formula": "string"})
    read = pyarrow.csv.read_csv(
        io.BytesIO(str(answer).encode()), parse_options=options, convert_options=texts
    ).to_pydict()
    assert list(read) == ["'=formula", "weight", "smoker"]
    assert read["weight"] == answer.columns["weight"]
    assert min(read["weight"]) < 0
    assert read["smoker"] == answer.columns["smoker"]
    cells = read["'=formula"]
    assert set(cells) == {"'=1+1", "'+x", "'-y", "'@z", "'\u00a0=t", "'\uff1dr", 'a "b", c', "plain"}
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert [cell.removeprefix("'") for cell in cells] == answer.columns["=formula"]
    assert answer.to_document()["columns"] == answer.columns


def test_a_release_or_several_may_be_asked(formulas: pv.Release) -> None:
    posterior = pv.infer(formulas)
    assert ask(formulas, "P(smoker=yes)") == ask(posterior, "P(smoker=yes)")
    assert ask([formulas], "P(smoker=yes)") == ask(posterior, "P(smoker=yes)")
    for wrong in (None, [], 7, [None]):
        with pytest.raises(InferenceError, match="not a release"):
            ask(wrong, "P(smoker=yes)")  # type: ignore[arg-type]
    with pytest.raises(QuestionError, match="is a text"):
        ask(formulas, 7)  # type: ignore[arg-type]


def test_warnings_travel_with_the_answer() -> None:
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="person")
    plan = pv.plan(
        pv.DirichletCategorical("x", prior=1), schema, records=2, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE
    )
    table = pyarrow.table({"x": [True] * 500})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    for question in ("P(x=yes)", "counts()", "sample 3"):
        answer = ask(release, question)
        assert "the stated number of records" in answer.warnings[0]
        assert ("the stated number of records" in str(answer)) == (question != "sample 3")
    assert "IGNORED" in str(ask(pv.infer(release, noise="ignore"), "P(x=yes)"))


def test_importing_questions_is_cheap() -> None:
    heavy = ("scipy", "matplotlib", "duckdb", "pyarrow", "numba", "privior.tables", "privior.curator")
    code = f"import sys, privior.queries; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_answers_and_records_become_frames(
    people: pv.CategoricalPosterior, things: pv.CategoricalPosterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = people.counts("smoker", "age").to_pandas()
    cell = people.counts("smoker", "age").labels.index("true, 20")
    assert counts.loc[(True, 20), "mean"] == people.counts("smoker", "age").mean()[cell]
    assert str(people.counts("age")).startswith(str(people.counts("age").summary()))  # print shows the counts
    assert people.to_pandas().loc[("phd", False, 18), "high"] == people.summary().high[20]
    assert list(ask(people, "P(age=20)").to_pandas().columns)[:3] == ["question", "mean", "stddev"]
    assert ask(people, "counts(age)").to_pandas()["age"].tolist() == ["18", "19", "20", "21", "22"]
    assert ask(people, "sample 7", seed=3).to_pandas().equals(people.sample(7, seed=3).to_pandas())
    frame = things.sample(50, seed=1).to_pandas()
    assert frame["weight"].dtype == float
    assert frame["day"][0].year == 2026
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InferenceError, match="pip install pandas"):
        people.to_pandas()
