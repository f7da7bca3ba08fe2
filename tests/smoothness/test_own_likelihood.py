"""Bounds of somebody's own likelihood hold, are near, and are refused where nothing is proved."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from analysed import analysed

import privior as pv
from privior.privacy import certified_suprema
from privior.privacy.certified_suprema import BranchingError, Enclosure, Watch, enclosure_of, supremum
from privior.smoothness import subject_of
from privior.smoothness.own_likelihood import OwnLikelihood
from privior.smoothness.plain_points import Caught, PlainPoints


def bernoulli(theta: Sequence[Any], x: Any) -> Any:
    return x * np.log(theta[0]) + (1 - x) * np.log(1 - theta[0])


def normal(theta: Sequence[Any], x: Any) -> Any:
    mean, precision = theta
    return -((x - mean) ** 2) * precision / 2 + np.log(precision) / 2


def logistic(theta: Sequence[Any], x: Any) -> Any:
    """A label given one of two features, coefficients and intercept."""
    feature, label = x
    return -np.log(1 + np.exp(-label * (theta[0] * feature + theta[1])))


CHANCES = {"p": ("0.2", "0.8")}
BOX = {"mean": (-1, 1), "precision": ("0.5", 2)}
LOGISTIC = [(f, y) for f in (-1, 1) for y in (-1, 1)]
LIKELIHOODS = [
    (bernoulli, CHANCES, [0, 1]),
    (normal, BOX, [-1, -0.5, 0.5, 1]),
    (logistic, {"slope": (-2, 2), "intercept": (-1, 1)}, LOGISTIC),
]


def subject(model: pv.LogLikelihood, distance: object = None) -> OwnLikelihood:
    found = subject_of(model, None, distance)
    assert isinstance(found, OwnLikelihood)
    return found


@pytest.mark.parametrize(("function", "box", "records"), LIKELIHOODS)
def test_certified_bounds_are_above_all_points_of_a_grid_and_near(
    function: Any, box: Any, records: list[Any]
) -> None:
    one = subject(pv.LogLikelihood(function, box, records))
    sides = [np.linspace(float(low), float(high), 61) for low, high in box.values()]
    grid = [axis.ravel() for axis in np.meshgrid(*sides)]
    logs = np.array([function(grid, x) for x in records])
    gaps = logs[:, None] - logs[None]
    slope = float(np.abs(gaps).max())
    oscillation = float((gaps.max(axis=2) - gaps.min(axis=2)).max())
    assert slope <= one.roughest <= slope * 1.01 + 1e-3
    assert oscillation <= one.oscillation <= oscillation * 1.01 + 1e-3
    assert one._steepest(one.reached) <= one.roughest
    assert (logs.max(axis=1) - logs.min(axis=1)).max() <= one.varies
    inside = np.abs(gaps).max(axis=(0, 1))
    for level in np.quantile(inside, [0.2, 0.5, 0.9]):
        assert float(one.outside(np.array([level]))[0]) >= float((inside > level).mean()) - 0.03


def test_an_own_likelihood_and_a_family_say_the_same() -> None:
    made = analysed(pv.LogLikelihood(bernoulli, CHANCES, [0, 1]), records=10)
    assert made.slope == pytest.approx(math.log(4), rel=1e-4)
    assert made.epsilon == pytest.approx(2 * math.log(4), rel=1e-4)
    assert made.epsilon >= 2 * math.log(4)
    assert made.delta(0.0) == pytest.approx(math.tanh(made.subject.oscillation / 4), rel=1e-9)  # the oracle's
    assert "interval arithmetic" in str(made)
    assert made.to_document()["tests"] == []


def test_the_bounded_range_of_an_oscillation_of_two_is_the_oracle() -> None:
    """MATH: eta = 2 gives delta(0) = .46211716 and delta(1) = .17904989."""
    wide = {"p": (-1, 1)}
    made = analysed(pv.LogLikelihood(lambda theta, x: x * theta[0], wide, [0, 1]), records=1)
    assert made.subject.oscillation == pytest.approx(2, rel=1e-6)
    assert made.delta(0.0) == pytest.approx(0.46211716, abs=1e-6)
    assert made.delta(1.0) == pytest.approx(0.17904989, abs=1e-6)


def test_declared_slopes_bound_what_lies_between_the_points() -> None:
    slopes = {"precision": 3, "mean": 4}
    plain = subject(pv.LogLikelihood(normal, BOX, [-1, 0, 1], slopes=slopes))
    certified = subject(pv.LogLikelihood(normal, BOX, [-1, 0, 1]))
    assert plain.oscillation >= certified.oscillation * (1 - 1e-3)
    assert "declared" in plain.computed
    assert plain.roughest >= certified._steepest(certified.reached)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda theta, x: math.log(float(theta[0])) * x, "decides by the value"),
        (lambda theta, x: x if theta[0] > 0.5 else -x, "decides by the value"),
        (lambda theta, x: x * max(theta[0], 0.5), "decides by the value"),
        (lambda theta, x: "a word", "TypeError"),
        (lambda theta, x: x * np.log(theta[0] - 1), "no bound"),
    ],
)
def test_what_cannot_be_certified_is_refused(function: Any, says: str) -> None:
    with pytest.raises(pv.ModelError, match=says) as refused:
        pv.analyse(pv.LogLikelihood(function, CHANCES, [0, 1]), records=3)
    assert "Nothing was spent" in str(refused.value)


def test_a_box_a_list_of_records_and_slopes_are_checked() -> None:
    for bad in ({"p": (1, 0)}, {"p": (0, "x")}, {"p": 3}, {}):
        with pytest.raises(pv.ModelError):
            pv.LogLikelihood(bernoulli, bad, [0, 1])  # type: ignore[arg-type]
    with pytest.raises(pv.ModelError, match="records that there can be"):
        pv.LogLikelihood(bernoulli, CHANCES, [0])
    with pytest.raises(pv.ModelError, match="every parameter or for none"):
        pv.LogLikelihood(bernoulli, CHANCES, [0, 1], slopes={"q": 1})
    with pytest.raises(pv.ModelError, match="negative"):
        pv.analyse(pv.LogLikelihood(bernoulli, CHANCES, [0, 1], slopes={"p": -1}), records=1)


def test_a_distance_that_ignores_what_the_likelihood_sees_is_refused() -> None:
    def size(one: Any, two: Any) -> float:
        return float(abs(abs(one) - abs(two)))

    records = [-1, -0.5, 0.5, 1]
    with pytest.raises(pv.ModelError, match="not sufficient"):
        pv.analyse(pv.LogLikelihood(normal, BOX, records), records=3, distance=size)
    centred = pv.LogLikelihood(lambda theta, x: -(x**2) * theta[0] / 2, {"precision": (1, 2)}, records)
    made = analysed(centred, records=3, distance=size)
    assert made.slope == pytest.approx(1.5, rel=1e-3)  # (1 - 1/4)/2 * 2 over a distance of 1/2


EXPRESSIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x * y - x / y + 3,
    lambda x, y: (x - y) ** 2 + 2**x,
    lambda x, y: np.exp(x) * np.log(y) - np.sqrt(y) + np.tanh(x),
    lambda x, y: np.sin(x) * np.cos(y) + abs(x - y) + np.log1p(y) + np.expm1(x),
    lambda x, y: 1 - x + 1 / y - (-x),
]


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_enclosures_hold_every_value(number: int) -> None:
    expression, rng = EXPRESSIONS[number], np.random.default_rng(number)
    for _ in range(30):
        (a, b), (c, d) = np.sort(rng.uniform(-2, 2, 2)), np.sort(rng.uniform(0.1, 3, 2))
        found = enclosure_of(lambda t: expression(*t), ((float(a), float(b)), (float(c), float(d))))
        for x, y in zip(rng.uniform(a, b, 40), rng.uniform(c, d, 40), strict=True):
            assert found.lower <= expression(x, y) <= found.upper
    top = supremum(lambda t: expression(*t), ((-1.0, 1.0), (0.5, 2.0)), effort=3000)
    xs, ys = np.meshgrid(np.linspace(-1, 1, 101), np.linspace(0.5, 2, 101))
    assert top.reached <= top.certified
    assert float(expression(xs, ys).max()) <= top.certified


def test_an_enclosure_is_not_a_number() -> None:
    one = Enclosure.between(0, 1)
    for ask in (lambda: one > 0, lambda: bool(one), lambda: float(one), lambda: one == 1, lambda: round(one)):
        with pytest.raises(BranchingError):
            ask()
    assert one.maximum(0.5).lower == pytest.approx(0.5)
    assert one.minimum(0.5).upper == pytest.approx(0.5)
    with pytest.raises(TypeError):
        _ = one + "1"


# ---- functions that hide what they do with plain numbers (T47) --------------------------------------------

STEEP = 20.0


def _tried(ask: Callable[[Any], object], caught: type[BaseException] = Exception) -> Callable[..., Any]:
    """Return a function that asks a parameter something, and is flat if the answer is refused."""

    def hidden(theta: Sequence[Any], x: Any) -> Any:
        try:
            ask(theta[0])
        except caught:
            return 0.0
        return STEEP * (2 * x - 1) * (theta[0] - 0.5)

    return hidden


def _chosen(is_number: Callable[[Any], bool]) -> Callable[..., Any]:
    """Return a function that is flat for what it does not take for a number."""
    return lambda theta, x: STEEP * (2 * x - 1) * theta[0] if is_number(theta[0]) else theta[0] * 0


REFUSED = {
    "float": _tried(float),
    "float, all caught": _tried(float, BaseException),
    "int": _tried(int),
    "bool": _tried(bool),
    "equal": _tried(lambda one: one == 0.5),
    "less": _tried(lambda one: one < 0.5),
    "hash": _tried(hash),
    "dictionary": _tried(lambda one: {one: 1}),
    "floor": _tried(math.floor),
    "round": _tried(round),
    "remainder": _tried(lambda one: one % 1),
    "whole part": _tried(lambda one: one // 1),
    "complex": _tried(complex),
    "math.exp": _tried(math.exp),
    "math.isnan": _tried(math.isnan),
    "numpy.isnan": _tried(np.isnan),
    "numpy.floor": _tried(np.floor),
    "numpy.maximum": _tried(lambda one: np.maximum(one, 0)),
    "array of floats": _tried(lambda one: np.array([one], dtype=float)),
    "numpy.where": _tried(lambda one: np.where(one > 0.5, 1.0, 0.0)),
    "text": _tried(lambda one: float(str(one))),
    "formatted": _tried(lambda one: float(f"{one:.3f}")),
    "not a number added": _tried(lambda one: one + math.inf),
    "attribute": _tried(lambda one: one.is_integer()),
    "its ends": _tried(lambda one: getattr(one, "upper", 0.0) + 1),
    "isinstance": _chosen(lambda one: isinstance(one, float)),
    "isinstance of several": _chosen(lambda one: isinstance(one, (int, float, np.floating))),
    "hasattr": _chosen(lambda one: hasattr(one, "as_integer_ratio")),
    "class": _chosen(lambda one: one.__class__ is float),
}
SEEN = {
    "type": _chosen(lambda one: type(one) is float),
    "name of the type": _chosen(lambda one: type(one).__name__ == "float"),
    "methods": _chosen(lambda one: not hasattr(one, "lgamma")),
}


def _epsilon(function: Callable[..., Any]) -> float:
    return pv.analyse(pv.LogLikelihood(function, {"p": (-1, 1)}, [0, 1]), records=1).epsilon


@pytest.mark.parametrize("name", [*REFUSED, *SEEN])
def test_a_function_that_hides_what_it_does_with_numbers_is_refused(name: str) -> None:
    with pytest.raises(pv.ModelError, match="can be certified") as refused:
        _epsilon({**REFUSED, **SEEN}[name])
    assert "slopes=" in str(refused.value)
    assert name in REFUSED or "with plain numbers it gives" in str(refused.value)


@pytest.mark.parametrize("name", [*REFUSED, *SEEN])
def test_without_memory_and_points_the_same_functions_are_certified_wrongly(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a flat function is certified where 40 is true."""
    monkeypatch.setattr(PlainPoints, "not_enclosed", lambda *_: None)
    if name in REFUSED:
        with pytest.raises(pv.ModelError):
            _epsilon(REFUSED[name])  # the memory alone refuses it
        monkeypatch.setattr(certified_suprema.Enclosure, "_note", lambda _: None)
    assert _epsilon({**REFUSED, **SEEN}[name]) < 1e-6


def test_without_memory_the_points_find_what_was_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certified_suprema.Enclosure, "_note", lambda _: None)
    monkeypatch.setattr(Caught, "_called", lambda *_: None)
    for name, function in REFUSED.items():
        if name != "its ends":  # which are not asked of plain numbers
            with pytest.raises(pv.ModelError, match="with plain numbers it gives"):
                _epsilon(function)


@pytest.mark.parametrize("after", [1, 300, 5_000])
def test_a_function_that_changes_between_calls_is_refused(
    after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(10**9))

    def tired(theta: Sequence[Any], x: Any) -> Any:
        return (STEEP if next(calls) < after else 1) * (2 * x - 1) * theta[0] ** 3

    with pytest.raises(pv.ModelError, match="it gives"):
        _epsilon(tired)
    calls = iter(range(10**9))
    for guard in ("not_enclosed", "changed"):
        monkeypatch.setattr(PlainPoints, guard, lambda *_, **__: None)
    assert _epsilon(tired) > 0


def test_a_function_that_draws_is_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(pv.ModelError, match="can be certified"):
        _epsilon(lambda theta, x: x * theta[0] + float(rng.uniform()))


def test_a_function_cannot_change_its_parameters_for_the_next_record() -> None:
    def greedy(theta: Any, x: Any) -> Any:
        theta[0] = 0.5
        return x * theta[0]

    with pytest.raises(pv.ModelError, match="can be certified"):
        _epsilon(greedy)


@pytest.mark.parametrize(
    "function",
    [
        lambda theta, x: x * (1 + theta[0] ** 2).log() - (2 + theta[0]).lgamma() * x,
        lambda theta, x: x * np.mean([theta[0], 2 * theta[0]]) + x * np.exp(theta[0]).minimum(2.0),
        lambda theta, x: float((np.array([x, 1.0]) * 2).sum()),
        lambda theta, x: (np.array([x, 1.0]) * theta[0]).sum() + np.int64(2) * theta[0] / np.float32(3),
        lambda theta, x: x * np.log(np.sum(np.exp(np.array([theta[0], 2 * theta[0]])))),
    ],
)
def test_what_was_certified_and_hides_nothing_still_is(function: Callable[..., Any]) -> None:
    assert math.isfinite(_epsilon(function))


def test_a_watched_interval_tells_nothing_and_hands_its_watch_on() -> None:
    watch = Watch()
    one: Any = Enclosure.between(0, 1, watch)
    made = (1 - np.log(one + 1) * 2).maximum(0)
    assert not watch.refused
    with pytest.raises(BranchingError):
        _ = made.upper
    assert watch.refused


def _after_an_error(ask: Callable[[Any], object]) -> Callable[..., Any]:
    """A function that is 0 where something cannot be asked of intervals, and has a narrow peak of 40 else."""

    def hidden(theta: Sequence[Any], x: Any) -> Any:
        try:
            ask(theta)
        except (TypeError, ValueError):
            return 0.0
        return x * STEEP * math.exp(-(((float(theta[0]) - 0.1234567) / 1e-7) ** 2))

    return hidden


@pytest.mark.parametrize(
    "ask",
    [
        lambda theta: np.arctan(np.array(theta)),
        lambda theta: np.cbrt(np.array(theta)),
        lambda theta: np.isnan(np.array(theta)),
        lambda theta: np.fft.fft(np.array(theta)),
        lambda theta: Decimal(theta[0]),
    ],
)
def test_an_error_that_is_caught_is_seen_though_no_interval_was_asked(
    ask: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The peak lies between all points that are looked at; only the error gives it away."""
    with pytest.raises(pv.ModelError, match="can be certified"):
        _epsilon(_after_an_error(ask))
    monkeypatch.setattr(Caught, "_called", lambda *_: None)
    assert _epsilon(_after_an_error(ask)) < 1e-6  # it is the only guard
