"""Every pair, mechanism and composition agrees with itself (T09, T46); each planted omission is seen."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pair_consistency import DRAWN, complaints, guarantee_complaints, pairs_of

import privior as pv
from privior import privacy
from privior.mechanisms import Mechanism
from privior.privacy import Guarantee, pairs
from privior.privacy.composition import Composed, TwoLevelsDraws, closed_forms
from privior.privacy.pairs import (
    ApproximatePair,
    BetaPair,
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    FinitePair,
    GammaScalePair,
    GammaShapePair,
    GaussianPair,
    GroupPair,
    KNormPair,
    ShapeMoves,
    SignedSteps,
    VirtualRecordsPair,
    Within,
    WorstOf,
)

F = Fraction
SCHEMA = pv.Schema(
    {"die": pv.Categorical(["one", "two", "three"]), "wait": pv.Bounded(0, 4, grid="0.5")},
    population="few",
    unit="person",
)
DIE = pv.FiniteFamily("die", {"fair": ["1/3", "1/3", "1/3"], "loaded": ["1/2", "1/4", "1/4"]})


def every(kind: type[Any]) -> set[type[Any]]:
    """All classes of the library below this one that can be made."""
    for module in pkgutil.walk_packages(pv.__path__, "privior."):
        if ".privacy" in module.name or ".mechanisms" in module.name:
            importlib.import_module(module.name)
    found: set[type[Any]] = set()
    left = [kind]
    while left:
        left += (below := left.pop().__subclasses__())
        found.update(
            one for one in below if one.__module__.startswith("privior.") and not inspect.isabstract(one)
        )
    return found


def forgotten(kinds: Iterable[type[Any]], run: Iterable[type[Any]]) -> set[type[Any]]:
    return set(kinds) - set(run)


def test_no_pair_is_left_out() -> None:
    assert forgotten(every(DominatingPair), DRAWN) == set()
    new = type("NewPair", (GaussianPair,), {"__module__": "privior.privacy.pairs.new"})
    assert forgotten(every(DominatingPair), DRAWN) == {new}
    for kind in DRAWN:
        assert {type(pair) for pair in pairs_of(kind)} == {kind}


@pytest.mark.parametrize("kind", DRAWN, ids=lambda kind: kind.__name__)
def test_every_pair_agrees_with_itself(kind: type[DominatingPair]) -> None:
    for pair in pairs_of(kind):
        assert (pair, list(complaints(pair))) == (pair, [])


BOTH = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
TWO = pv.Schema({"a": pv.Boolean(), "b": pv.Boolean()}, population="few", unit="person")
NETWORK = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)
PAIRS = pv.Schema({"y": pv.Integer(-1, 1), "a": pv.Integer(-1, 1)}, population="few", unit="person")
LINE = pv.LinearRegression("y ~ a")
SIGNED = pv.Schema({"y": pv.Boolean(), "a": pv.Integer(-1, 1)}, population="few", unit="person")
ODDS = pv.LogisticRegression("y ~ a")
GIBBS = pv.GibbsPosterior(pv.LogisticLoss(), "y ~ a")
IN_BALL = pv.GibbsPosterior(pv.LogisticLoss(), "y ~ a", radius=2)
MECHANISMS: list[Any] = [
    pv.KNorm(cells=4, epsilon="0.7"),
    *(pv.LaplaceCounts(cells=3, epsilon="1.5", neighbours=relation) for relation in BOTH),
    *(pv.GaussianCounts(cells=3, epsilon=1, delta="0.01", neighbours=relation) for relation in BOTH),
    pv.GaussianCounts(cells=3, epsilon=1, delta="0.01", max_rows=3),
    pv.LSHist(cells=3, epsilon=1, records=5),
    pv.LSDim(cells=3, epsilon=2, records=5),
    pv.EHD(cells=3, epsilon=1, records=5, calibrated=True),
    pv.EHDS(cells=2, epsilon=1, records=5, gamma="0.1"),
    pv.EHDL(cells=3, epsilon=1, records=5),
    *(pv.DirichletDraw(3, 20, 1, "0.01", records=9, neighbours=relation) for relation in BOTH),
    pv.DirichletDraw(3, 20, 1, "0.01", records=9, draws=2, max_rows=2),
    *(pv.VirtualRecords(3, 4, 6, records=9, neighbours=relation) for relation in BOTH),
    *(pv.NoisyStatistics([(0, 10)], 1, "1e-3", neighbours=relation) for relation in BOTH),
    pv.NoisyStatistics([(1, 1), (-3, 5)], 1, "1e-3", neighbours=pv.ADD_OR_REMOVE_ONE),
    pv.NoisyStatistics([(0, 7)], 1, 0),
    pv.ModelDraws(DIE, 6, 1),
    pv.ModelDraws(DIE, 6, 1, "0.01", draws=8),
    pv.ModelDraws(DIE, 6, 2, point=True),
    pv.ModelDraws(DIE, 6, 1, published=True, draws=2),
    pv.PosteriorDraws(
        pv.GammaExponential("wait", {"law": "gamma", "shape": 5, "rate": 5}), SCHEMA, 20, 1, "0.01"
    ),
    *(
        pv.ImportedNumbers(
            pv.GammaExponential("wait", {"law": "gamma", "shape": 5, "rate": 5}),
            SCHEMA,
            1,
            "0.01",
            neighbours=relation,
            source="an office",
            noise=pv.LaplaceNoise(2, discrete=True),
            treatment=pv.AS_DRAWN,
        )
        for relation in BOTH
    ),
    *(pv.LaplaceTables(NETWORK, TWO, "1.5", neighbours=relation) for relation in BOTH),
    *(pv.GaussianTables(NETWORK, TWO, 1, "0.01", neighbours=relation) for relation in BOTH),
    pv.GaussianTables(NETWORK, TWO, 1, "0.01", max_rows=3),
    *(pv.FourierTables(NETWORK, TWO, "1.5", neighbours=relation) for relation in BOTH),
    *(pv.FourierTables(NETWORK, TWO, 1, "0.01", neighbours=relation) for relation in BOTH),
    *(pv.FourierTables(NETWORK, TWO, 1, delta, max_rows=3) for delta in (0, "0.01")),
    *(pv.TruncatedNetworkDraws(NETWORK, TWO, 9, "1.5", neighbours=relation) for relation in BOTH),
    pv.TruncatedNetworkDraws(NETWORK, TWO, 9, "1.5", draws=3, max_rows=2),
    *(pv.GaussianMoments(LINE, PAIRS, 1, "0.01", neighbours=relation) for relation in BOTH),
    *(pv.LaplaceMoments(LINE, PAIRS, 1, neighbours=relation) for relation in BOTH),
    *(pv.BallDraw(LINE, PAIRS, 1, neighbours=relation) for relation in BOTH),
    pv.BallDraw(LINE, PAIRS, 1, draws=2),
    pv.BallDraw(LINE, PAIRS, 1, "0.01", draws=3),
    *(
        pv.ObjectivePerturbation(
            ODDS, SIGNED, 1, "0.01", expected=9, neighbours=relation, intervals=intervals
        )
        for relation in BOTH
        for intervals in (False, True)
    ),
    *(pv.GibbsDraws(GIBBS, SIGNED, 9, 1, "0.01", neighbours=relation) for relation in BOTH),
    *(pv.GibbsDraws(IN_BALL, SIGNED, 9, 1, neighbours=relation) for relation in BOTH),
    pv.GibbsDraws(GIBBS, SIGNED, 9, 1, "0.01", draws=3),
    pv.GibbsDraws(IN_BALL, SIGNED, 9, 1, draws=2),
]


#: those that take seconds to calibrate, which is left to the test
NETWORK_DRAWS: list[dict[str, Any]] = [
    *({"neighbours": relation} for relation in BOTH),
    {"draws": 2, "concentrated": True},
    {"max_rows": 2},
]


def test_no_mechanism_is_left_out() -> None:
    assert forgotten(every(Mechanism), {pv.NetworkDraws, *map(type, MECHANISMS)}) == set()


@pytest.mark.parametrize("options", NETWORK_DRAWS, ids=str)
def test_draws_of_networks_agree_with_themselves(options: dict[str, Any]) -> None:
    test_every_mechanism_agrees_with_itself(pv.NetworkDraws(NETWORK, TWO, 9, 1, "0.01", **options))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: f"{one.name}-{one.guarantee.neighbours}")
def test_every_mechanism_agrees_with_itself(mechanism: Any) -> None:
    assert list(guarantee_complaints(mechanism.guarantee)) == []
    assert mechanism.replacing.neighbours is pv.REPLACE_ONE
    for epsilon in (0.2, 0.8):
        assert mechanism.replacing.delta(epsilon) >= mechanism.guarantee.delta(epsilon)


def test_a_pair_that_says_nothing_of_rho_has_that_of_its_loss_or_none() -> None:
    pure = SignedSteps(F(1, 2))
    bare = type(
        "Bare",
        (DominatingPair,),
        {
            "pure": property(lambda _: pure.pure),
            "mirror": property(lambda _: pure),
            "delta": pure.delta,
            "renyi": pure.renyi,
        },
    )
    assert bare().rho == F(1, 8)
    assert bare().mu_squared == pure.mu_squared
    endless = type("Endless", (bare,), {"mirror": property(lambda _: GaussianPair(F(1)))})
    assert (endless().rho, endless().mu_squared, endless().grouped(2), endless().adds_up) == (None,) * 4


def test_nothing_in_privacy_asks_what_class_a_pair_is_of() -> None:
    """But one: draws of one table with two levels, which composed like any other pair would be looser."""
    names = {kind.__name__ for kind in every(DominatingPair)} | {"LossPair"}
    asked = [
        f"{path.name}: {ast.unparse(call)}"
        for path in Path(privacy.__path__[0]).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ("isinstance", "issubclass", "type")
        and names & {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    ]
    assert asked == ["composing.py: isinstance(pair, TwoLevelsPair)"]


# ---- planted omissions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Omission:
    """A class, one of its methods, and what it answers if something is forgotten."""

    what: str
    kind: Any
    method: str
    wrong: Any
    on: type[DominatingPair]

    def __str__(self) -> str:
        return self.what


def told(answer: Any) -> property:
    return property(answer)


def once(name: str, join: Any = sum) -> property:
    """Each part of a composition counted once."""

    def answer(pair: Composed) -> Any:
        found = [getattr(one, name) for one, _ in pair.parts]
        return None if None in found else join(found)

    return property(answer)


OMISSIONS = [
    Omission(
        "the shift, in rho",
        DiscreteGaussianShift,
        "rho",
        told(lambda p: p.coordinates / (2 * p.variance)),
        DiscreteGaussianShift,
    ),
    Omission(
        "the square of the shift, in rho",
        DiscreteGaussianShift,
        "rho",
        told(lambda p: p.coordinates * p.shift / (2 * p.variance)),
        DiscreteGaussianShift,
    ),
    Omission(
        "the coordinates, in rho",
        DiscreteGaussianShift,
        "rho",
        told(lambda p: p.shift**2 / (2 * p.variance)),
        DiscreteGaussianShift,
    ),
    Omission(
        "the shift, in Renyi",
        DiscreteGaussianShift,
        "renyi",
        lambda p, order, true=DiscreteGaussianShift.renyi: true(replace(p, shift=1), order),
        DiscreteGaussianShift,
    ),
    Omission(
        "the coordinates, in Renyi",
        DiscreteGaussianShift,
        "renyi",
        lambda p, order, true=DiscreteGaussianShift.renyi: true(p, order) / p.coordinates,
        DiscreteGaussianShift,
    ),
    Omission(
        "the shift, in delta",
        DiscreteGaussianShift,
        "delta",
        lambda p, e, true=DiscreteGaussianShift.delta: true(replace(p, shift=1), e),
        DiscreteGaussianShift,
    ),
    Omission(
        "the coordinates, in delta",
        DiscreteGaussianShift,
        "delta",
        lambda p, e, true=DiscreteGaussianShift.delta: true(replace(p, coordinates=1), e),
        DiscreteGaussianShift,
    ),
    Omission("the other order of a Beta pair", BetaPair, "mirror", told(lambda p: p), BetaPair),
    Omission(
        "the rate, in the other order",
        BetaPair,
        "mirror",
        told(lambda p: BetaPair(p.second, p.first)),
        BetaPair,
    ),
    Omission("the other order of a Gamma pair", GammaShapePair, "mirror", told(lambda p: p), GammaShapePair),
    Omission("the other order of two laws", FinitePair, "mirror", told(lambda p: p), FinitePair),
    Omission(
        "the larger loss of both orders",
        DominatingPair,
        "largest_loss",
        told(lambda p: p.pure),
        GammaScalePair,
    ),
    Omission(
        "steeper, in sums",
        GammaScalePair,
        "of_amount",
        lambda p, amount: (GammaScalePair(amount, p.ratio), 1),
        GammaScalePair,
    ),
    Omission(
        "steeper, in the largest loss",
        GammaScalePair,
        "pure",
        told(lambda p: Fraction(1, 10)),
        GammaScalePair,
    ),
    Omission(
        "the rate of virtual records",
        VirtualRecordsPair,
        "pure",
        told(lambda p: pairs.virtual_records_epsilon(p.drawn, p.first)),
        VirtualRecordsPair,
    ),
    Omission("times, in rho of steps", SignedSteps, "rho", told(lambda p: p.step**2 / 2), SignedSteps),
    Omission("times, in the loss of steps", SignedSteps, "pure", told(lambda p: p.step), SignedSteps),
    Omission(
        "times, in sums of steps",
        SignedSteps,
        "adds_up",
        told(lambda p: ("signs", p.step, F(1))),
        SignedSteps,
    ),
    Omission(
        "times, in groups of steps",
        SignedSteps,
        "grouped",
        lambda p, size: SignedSteps(size * p.step),
        SignedSteps,
    ),
    Omission("the step of steps", SignedSteps, "rho", told(lambda p: p.times * F(1, 200)), SignedSteps),
    Omission("half of mu^2", GaussianPair, "rho", told(lambda p: p.mu_squared / 4), GaussianPair),
    Omission(
        "the square, in groups",
        GaussianPair,
        "grouped",
        lambda p, size: GaussianPair(size * p.mu_squared),
        GaussianPair,
    ),
    Omission(
        "the square, in groups of rho",
        Concentrated,
        "grouped",
        lambda p, size: Concentrated(size * p.rho),
        Concentrated,
    ),
    Omission("the size, in groups of rho", Concentrated, "grouped", lambda p, size: p, Concentrated),
    Omission("the range, in rho", BoundedRangePair, "rho", told(lambda p: p.eta**2 / 32), BoundedRangePair),
    Omission("the size, in the loss of a group", GroupPair, "pure", told(lambda p: p.pair.pure), GroupPair),
    Omission("the size, in delta of a group", GroupPair, "delta", lambda p, e: p.pair.delta(e), KNormPair),
    Omission(
        "the size, in Renyi of a group", GroupPair, "renyi", lambda p, order: p.pair.renyi(order), KNormPair
    ),
    Omission("the way back of a group", GroupPair, "mirror", told(lambda p: p), BetaPair),
    Omission(
        "the powers, in a group of an approximate pair",
        ApproximatePair,
        "grouped",
        lambda p, size: ApproximatePair(size * p.loss, p.chance),
        ApproximatePair,
    ),
    Omission("what is told, in the loss", ApproximatePair, "pure", told(lambda p: p.loss), ApproximatePair),
    Omission("times, in rho of a composition", Composed, "rho", once("rho"), KNormPair),
    Omission("times, in mu of a composition", Composed, "mu_squared", once("mu_squared"), KNormPair),
    Omission("the largest instead of the sum, in rho", Composed, "rho", once("rho", max), KNormPair),
    Omission(
        "a part without rho",
        Composed,
        "rho",
        told(lambda p: sum(n * (one.rho or 0) for one, n in p.parts)),
        BetaPair,
    ),
    Omission("times, in the loss of a composition", Composed, "pure", once("pure"), KNormPair),
    Omission(
        "times, in Renyi of a composition",
        Composed,
        "renyi",
        lambda p, order: sum(one.renyi(order) for one, _ in p.parts),
        KNormPair,
    ),
    Omission("the mirror of a composition", Composed, "mirror", told(lambda p: p), FinitePair),
    Omission(
        "times of a table with two levels",
        TwoLevelsDraws,
        "renyi",
        lambda p, order: p.table.renyi(order),
        pairs.TwoLevelsPair,
    ),
    Omission(
        "the largest move, in sums",
        ShapeMoves,
        "of_amount",
        lambda p, amount: (ShapeMoves(p.smallest, amount, p.largest / 2), 1),
        ShapeMoves,
    ),
    Omission("the second of a worst-of, in rho", WorstOf, "rho", told(lambda p: p.pairs[0].rho), WorstOf),
    Omission(
        "the second of a worst-of, in mu",
        WorstOf,
        "mu_squared",
        told(lambda p: p.pairs[0].mu_squared),
        WorstOf,
    ),
    Omission(
        "the second of a worst-of, in delta", WorstOf, "delta", lambda p, e: p.pairs[0].delta(e), BetaPair
    ),
    Omission(
        "the second of a worst-of, in Renyi",
        WorstOf,
        "renyi",
        lambda p, order: p.pairs[0].renyi(order),
        BetaPair,
    ),
    Omission(
        "the second of a worst-of, in compositions", WorstOf, "members", told(lambda p: p.pairs[:1]), BetaPair
    ),
    Omission(
        "the second of a worst-of, in the loss", WorstOf, "pure", told(lambda p: p.pairs[0].pure), WorstOf
    ),
    Omission("the sampler error, in delta", Within, "delta", lambda p, e: p.pair.delta(e), GaussianPair),
    Omission(
        "the sampler error, on one side",
        Within,
        "_stated",
        lambda p, e: p.pair.delta(e) + float(p.distance),
        GaussianPair,
    ),
    Omission("the sampler error, in rho", Within, "rho", told(lambda p: p.pair.rho), GaussianPair),
    Omission(
        "the sampler error, in mu", Within, "mu_squared", told(lambda p: p.pair.mu_squared), GaussianPair
    ),
    Omission("the sampler error, in the loss", Within, "pure", told(lambda p: p.pair.pure), KNormPair),
    Omission("the sampler error, in Renyi", Within, "renyi", lambda p, order: p.pair.renyi(order), KNormPair),
    Omission(
        "the sampler error, in a guarantee",
        Guarantee,
        "worst",
        told(lambda g: pairs.both_orders(g.pair)),
        GaussianPair,
    ),
    Omission(
        "the other order, in a guarantee",
        Guarantee,
        "worst",
        told(lambda g: Within(g.pair, g.sampler_error)),
        BetaPair,
    ),
]


@pytest.mark.parametrize("omission", OMISSIONS, ids=str)
def test_every_planted_omission_is_seen(omission: Omission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(omission.kind, omission.method, omission.wrong)
    assert any(True for pair in pairs_of(omission.on, 6) for _ in complaints(pair))


def test_a_sum_that_forgets_how_often_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    true = closed_forms.closed_forms
    monkeypatch.setattr(
        "privior.privacy.composition.composing.closed_forms", lambda counts: true(dict.fromkeys(counts, 1))
    )
    assert any(True for _ in complaints(GaussianPair(F(1, 4))))
