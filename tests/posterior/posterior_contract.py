"""What every posterior must keep to, one check for each point of the contract."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

import numpy as np

import privior as pv
from privior.errors import InferenceError, QuestionError
from privior.posterior import GivenDraws, Posterior
from privior.posterior.averages import numbers_of
from privior.queries import parse
from privior.queries.questions import forms
from privior.schema import Column

Check = Callable[[Posterior], None]
CHECKS: dict[str, Check] = {}
#: how far means of draws may be from what they are compared with, in standard errors
FAR = 6


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def events(posterior: Posterior) -> list[dict[str, object]]:
    """An event of the first column, and the opposite one."""
    name = posterior.model.columns[0]
    labels = posterior.schema.column(name).labels
    half = max(1, len(labels) // 2)
    return [{name: list(labels[:half])}, {name: list(labels[half:])}]


def has_mean(column: Column) -> bool:
    return not isinstance(column, pv.Categorical | pv.Binned | pv.Date)


@check
def draws_are_as_asked_for(posterior: Posterior) -> None:
    """So many, the same for the same seed, others for another one."""
    first = posterior.draws(7, seed=1)
    assert len(first) == 7
    assert np.isfinite(first).all()
    assert np.array_equal(first, posterior.draws(7, seed=1))
    assert not np.array_equal(posterior.draws(50, seed=1), posterior.draws(50, seed=2))
    for wrong in (0, -1, 1.5, True, 10**12):
        try:
            posterior.draws(wrong)  # type: ignore[arg-type]
        except InferenceError:
            continue
        raise AssertionError(wrong)


@check
def opposite_events_share_all_records(posterior: Posterior) -> None:
    assert math.isclose(sum(posterior.probability(event).mean for event in events(posterior)), 1)


@check
def numbers_are_those_of_the_draws(posterior: Posterior) -> None:
    """`probability`, and the numbers of the parameters that `draws` gives, are of one law."""
    event = events(posterior)[0]
    said = posterior.probability(event)
    _, function = posterior.numbers.probability(event)
    drawn = function(posterior.draws(4000, seed=3))
    error = math.hypot(float(drawn.std()), said.stddev) / math.sqrt(len(drawn))
    assert abs(float(drawn.mean()) - said.mean) <= FAR * error + 1e-9
    assert abs(float(drawn.std()) - said.stddev) <= 0.2 * said.stddev + 1e-9
    taken = GivenDraws(posterior.releases, posterior.draws(4000, seed=3)).probability(event)
    assert np.allclose(taken.values, drawn)


@check
def comparisons_and_quantiles_are_those_of_the_draws(posterior: Posterior) -> None:
    """What follows from two numbers, and a median, are of one law with the parameters that `draws` gives."""
    column = posterior.model.columns[0]
    one, other = ("', '".join(map(str, event[column])) for event in events(posterior))  # type: ignore[call-overload]
    text = f"P('{column}' in {{'{one}'}}) - P('{column}' in {{'{other}'}})"
    said, theta = posterior.answer(parse(text), level=0.8), posterior.draws(4000, seed=4)
    drawn = 2 * posterior.numbers.probability(events(posterior)[0])[1](theta) - 1
    error = math.hypot(float(drawn.std()), said.stddev) / math.sqrt(len(drawn))
    assert abs(float(drawn.mean()) - said.mean) <= FAR * error + 1e-9
    assert abs(float(drawn.std()) - said.stddev) <= 0.2 * said.stddev + 1e-9
    if not has_mean(posterior.schema.column(column)) or "median" not in posterior.understands:
        return
    below = [label for label, _ in _up_to_the_median(posterior, column)]
    assert posterior.probability({column: below}).mean >= 0.45
    assert len(below) == 1 or posterior.probability({column: below[:-1]}).mean <= 0.55


def _up_to_the_median(posterior: Posterior, column: str) -> list[tuple[str, float]]:
    """The levels of a column of numbers up to the nearest to its median."""
    known = posterior.schema.column(column)
    numbers = list(zip(known.labels, numbers_of(column, known), strict=True))
    nearest = min(numbers, key=lambda level: abs(level[1] - float(posterior.median(column).estimate)))
    return [level for level in numbers if level[1] <= nearest[1]]


@check
def numbers_have_names_beside_them(posterior: Posterior) -> None:
    summary = posterior.summary(0.8)
    frame = posterior.to_pandas(0.8)
    assert list(frame.columns) == ["mean", "stddev", "low", "high"]
    assert list(frame.index.names) == list(summary.names)
    quantities = posterior.quantities()
    assert len(frame) == len(summary) == len(quantities) == len(posterior.labels)
    for place in (0, -1):
        row, one = frame.iloc[place], quantities[place]
        assert row["mean"] == one.mean
        assert math.isclose(row["stddev"], one.stddev, rel_tol=0.1, abs_tol=1e-12)
        assert (row["low"], row["high"]) == one.interval(0.8)
    assert str(summary).count("\n") == len(summary) + 1
    if "sample" in posterior.understands:
        records = posterior.sample(5, seed=1)
        assert records.to_pandas().shape == (5, len(posterior.model.columns))


@check
def quantities_have_names_and_intervals(posterior: Posterior) -> None:
    found = posterior.quantities()
    assert found
    assert len({one.name for one in found}) == len(found)
    for one in found:
        inner, outer = one.interval(0.5), one.interval(0.99)
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]
        assert outer[0] - 5 * one.stddev <= one.mean <= outer[1] + 5 * one.stddev
        assert one.stddev >= 0


@check
def asking_twice_gives_one_answer(posterior: Posterior) -> None:
    event = events(posterior)[0]
    assert posterior.probability(event).mean == posterior.probability(event).mean
    assert posterior.probability(event).interval() == posterior.probability(event).interval()


@check
def samples_are_records(posterior: Posterior) -> None:
    """Or refused, where what records are like is not known."""
    if "sample" not in posterior.understands:
        try:
            posterior.sample(20, seed=1)
        except InferenceError:
            return
        raise AssertionError("a sample that nobody can ask for")
    sample = posterior.sample(20, seed=1)
    assert tuple(sample) == tuple(posterior.model.columns)
    assert sample == posterior.sample(20, seed=1)
    for name, values in sample.items():
        assert len(values) == 20
        assert {str(value) for value in values} <= {*map(str, posterior.schema.column(name).values)}


@check
def a_mode_is_a_draw_or_refused(posterior: Posterior) -> None:
    try:
        mode = np.asarray(posterior.mode())
    except InferenceError:
        return
    assert mode.shape == posterior.draws(1, seed=1)[0].shape


@check
def findings_are_shown_alike_everywhere(posterior: Posterior) -> None:
    findings = posterior.findings(0.8)
    for one in findings:
        assert one.title
        for table in (one.table, None if one.at_length is None else one.at_length()):
            assert table is None or {len(row) for row in table.rows} == {len(table.header)}
    assert any(one.table is not None for one in findings)
    assert any(one.picture is not None for one in findings)
    text, html = posterior.text(0.8), posterior._repr_html_()
    for one in findings:
        if one.table is not None:
            assert all(words in text for words in (*one.table.header, one.table.rows[0][1]))
            assert f"<summary>{one.title.replace('80%', '90%')}</summary>" in html
        if one.words is not None:
            assert len(one.words()) > 20
    assert html.count("<svg") >= sum(one.picture is not None for one in findings)
    assert posterior.source in text
    assert str(posterior) == posterior.text()
    assert repr(posterior).startswith("<posterior of ")


@check
def documents_are_plain(posterior: Posterior) -> None:
    document = posterior.to_document(0.8)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["level"] == 0.8
    assert document["warnings"] == list(posterior.warnings)


@check
def it_answers_what_it_understands_and_no_more(posterior: Posterior) -> None:
    """Every kind of question, written with words of the model, is answered or refused."""
    column = posterior.model.columns[0]
    label = posterior.schema.column(column).labels[0]
    models = getattr(posterior.model, "names", posterior.numbers.parameters or ("any",))
    words = {
        "p": f"P('{column}'='{label}')",
        "mean": f"mean('{column}')",
        "median": f"median('{column}')",
        "quantile": f"quantile('{column}', 0.9)",
        "share": f"share('{column}'='{label}')",
        "table": f"table(P('{column}'='{label}'))",
        "parameter": f"parameter('{models[0] if posterior.numbers.parameters else column}')",
        "interval": f"interval('{column}'='{label}', 0.5)",
        "counts": "counts()",
        "entries": f"table('{column}')",
        "most_probable": f"most_probable('{column}')",
        "model": f"model('{models[0]}')",
        "models": "models()",
        "parameters": "parameters()",
        "stationary": f"stationary('{label}')",
        "after": f"after(2, '{label}' | '{label}')",
        "sample": "sample 3",
    }
    assert set(words) == set(forms()), "a question that this check does not know"
    assert set(posterior.understands) <= set(forms())
    for name, text in words.items():
        understood = name in posterior.understands or name == "interval"
        if name in ("mean", "median", "quantile") and not has_mean(posterior.schema.column(column)):
            understood = False
        try:
            answer = posterior.answer(parse(text), level=0.8, seed=1)
        except QuestionError as error:
            said, answer = error, None
        assert (answer is not None) == understood, text
        if answer is None:
            assert said.advice or said.allowed
            continue
        assert answer.to_document() == pv.ask(posterior, text, level=0.8, seed=1).to_document()
        assert json.loads(json.dumps(answer.to_document(), allow_nan=False))["kind"] == answer.kind
        assert answer.question == str(parse(text))
        assert answer.warnings == posterior.caveats


@check
def ignoring_the_noise_is_said_or_refused(posterior: Posterior) -> None:
    assert "IGNORED" not in " ".join([posterior.source, *posterior.caveats])
    try:
        ignoring = pv.infer(posterior.releases, noise="ignore")
    except InferenceError:
        return
    assert ignoring.noise_ignored
    assert "IGNORED" in ignoring.source
    assert any("IGNORED" in caveat for caveat in ignoring.caveats)


@check
def the_prior_is_the_model_s_or_the_analyst_s(posterior: Posterior) -> None:
    """The model's own prior, given as an analyst would write it, changes nothing."""
    own = posterior.model.to_document()["prior"]
    again = pv.infer(posterior.releases, prior=own)
    assert again.model == posterior.model
    event = events(posterior)[0]
    assert math.isclose(again.probability(event).mean, posterior.probability(event).mean, rel_tol=1e-12)


@check
def arviz_gets_draws_alone(posterior: Posterior) -> None:
    variables = posterior.numbers.variables(posterior.draws(5, seed=1))
    assert set(variables) <= {"posterior", "coords", "dims"}
    assert variables["posterior"]
    assert all(values.shape[:2] == (1, 5) for values in variables["posterior"].values())


@check
def the_class_is_final_and_documented(posterior: Posterior) -> None:
    kind = type(posterior)
    assert getattr(kind, "__final__", False)
    public = [name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    assert all(re.match(r"[A-Z]", getattr(kind, name).__doc__ or "") for name in public)
