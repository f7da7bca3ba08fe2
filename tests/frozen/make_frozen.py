"""Made the frozen files, by privior 0.3.0; run once, never by tests: noise comes from the operating system.

python tests/frozen/make_frozen.py releases    writes releases/ and what each was asked
python tests/frozen/make_frozen.py answers     asks what is stored again, and writes answers.json

Answers that change with the seed of post-processing are sampled. Of those the mean over several seeds is
frozen, with the standard error of one, so that any sampler of the same law agrees. All others are exact.

What follows about one parameter of a family was asked again by privior 0.4.0, which mended the grid of such
posteriors; probabilities and means by any family got `provided` then.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import frozen_answers as fa
import numpy as np
import pyarrow as pa

import privior as pv

VERSION = "0.3.0"
HERE = Path(__file__).parent
RELEASES, ANSWERS = HERE / "releases", HERE / "answers.json"
#: how many seeds tell the standard error of a sampled answer; of one that takes seconds
SEEDS, FEW = 8, 4
ADD, REPLACE = "add-or-remove-one", "replace-one"
ROWS = 48


def schema(unit: pv.Unit | str = "person", **columns: Any) -> pv.Schema:
    return pv.Schema(columns, population="frozen", unit=unit)


def cells(**columns: Callable[[random.Random], object]) -> dict[str, list[object]]:
    draw = random.Random(11)
    rows = [[one(draw) for one in columns.values()] for _ in range(ROWS)]
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}


def _coin(draw: random.Random) -> bool:
    return draw.random() < 0.6


@dataclass
class Case:
    """A model with a table, what its prior is as text, and what is asked of its releases."""

    name: str
    model: Any
    schema: pv.Schema
    rows: dict[str, list[object]]
    prior: str
    questions: list[str]
    calls: list[list[Any]]
    own: str = ""
    decide: tuple[str, ...] = ()
    ways: list[dict[str, Any]] = field(default_factory=list)
    units: int = ROWS


FRUIT = pv.Categorical(["apple", "pear", "plum"])
TABLE_CALLS: list[list[Any]] = [["mean"], ["interval", 0.8], ["counts"], ["warnings"]]
#: without `mode`: that of 0.3.0 is wrong where floats cannot tell points of its grid apart
NUMBER_CALLS: list[list[Any]] = [["mean"], ["stddev"], ["interval", 0.8], ["warnings"]]
JOINT_CALLS: list[list[Any]] = [["mean"], ["interval", 0.8], ["warnings"]]
MODEL_CALLS: list[list[Any]] = [["models"], ["best"], ["mean"], ["mode"], ["warnings"]]


def way(mechanism: str, neighbours: str = REPLACE, **options: Any) -> dict[str, Any]:
    return {"mechanism": mechanism, "neighbours": neighbours, "epsilon": "1", "delta": "0", **options}


NOISE = [
    way("k-norm"),
    way("laplace-counts"),
    way("laplace-counts", ADD),
    way("gaussian-counts", delta="1e-3"),
    way("gaussian-counts", ADD, delta="1e-3"),
]
TABLES = [
    *NOISE,
    way("k-norm", ADD),
    way("lshist"),
    way("lsdim"),
    way("lshist", ADD),
    way("dirichlet-draw", delta="1e-3"),
    way("dirichlet-draw", ADD, delta="1e-3"),
    way("virtual-records"),
    way("virtual-records", ADD),
]
HELLINGER = [way("ehd"), way("ehds"), way("ehdl"), way("ehd", ADD)]
SUMS = [
    way("noisy-statistics"),
    way("noisy-statistics", ADD),
    way("noisy-statistics", delta="1e-3", epsilon="1/2"),
    way("posterior-draws", delta="1e-3"),
    way("posterior-draws", ADD, delta="1e-3"),
]
CUT = [way("posterior-draws")]
GAUSSIAN = way("noisy-statistics", ADD, delta="1e-3", epsilon="1/2")


def tables() -> Iterator[Case]:
    fruit = cells(fruit=lambda draw: draw.choices(["apple", "pear", "plum"], [5, 3, 2])[0])
    yield Case(
        "fruit",
        pv.DirichletCategorical("fruit", prior=1),
        schema(fruit=FRUIT),
        fruit,
        "1",
        ["P(fruit=apple)", "interval(P(fruit in {pear, plum}), 80%)", "counts()"],
        [*TABLE_CALLS, ["probability", {"fruit": ["apple", "plum"]}]],
        "[2, 1, 0.5]",
        ("P(fruit=apple)", "threshold", "at=0.3", "miss=2"),
        [
            *TABLES,
            *HELLINGER,
            way("dirichlet-draw", delta="1e-3", draws=3),
            way("dirichlet-draw", delta="1e-3", least=4),
            way("virtual-records", least=3),
        ],
    )
    yield Case(
        "joint",
        pv.DirichletCategorical(("ripe", "fruit"), prior=[1, "1/2", 1, 2, 1, "1/2"]),
        schema(ripe=pv.Boolean(), fruit=FRUIT),
        cells(
            ripe=lambda draw: draw.random() < 0.6,
            fruit=lambda draw: draw.choices(["apple", "pear", "plum"], [5, 3, 2])[0],
        ),
        '[1, "1/2", 1, 2, 1, "1/2"]',
        ["P(ripe=true | fruit=pear)", "P(fruit=plum, ripe=false)", "mean(ripe)", "counts(fruit)"],
        [*TABLE_CALLS, ["average", "ripe"], ["counts", "ripe"]],
        "1/2",
        ("P(ripe=true | fruit=apple)", "squared-error"),
        [*TABLES, way("ehdl")],
    )
    yield Case(
        "rooms",
        pv.DirichletCategorical(("rooms", "size"), prior="0.8"),
        schema(
            rooms=pv.Integer(0, 3), size=pv.Binned([0, "1.5", 4, 10]), day=pv.Date("2026-01-01", "2026-01-05")
        ),
        cells(
            rooms=lambda draw: draw.randint(0, 3),
            size=lambda draw: round(draw.uniform(0, 9), 1),
            day=lambda draw: f"2026-01-0{draw.randint(1, 5)}",
        ),
        "0.8",
        ["mean(rooms)", "P(rooms>=2 | size<4)", "interval(mean(rooms | size>=4), 0.5)"],
        TABLE_CALLS,
        "2",
        ("mean(rooms)", "quantile", "level=0.75"),
        [way("k-norm"), way("laplace-counts", ADD), way("gaussian-counts", delta="1e-3"), way("lsdim")],
    )
    yield Case(
        "days",
        pv.DirichletCategorical("day", prior="1/2"),
        schema(day=pv.Date("2026-01-01", "2026-01-05", missing=pv.DROP)),
        cells(day=lambda draw: f"2026-01-0{draw.randint(1, 5)}" if draw.random() < 0.9 else ""),
        "1/2",
        ["P(day<2026-01-03)", "P(day=2026-01-05)"],
        TABLE_CALLS,
        "[1, 1, 1, 1, 3]",
        (),
        [way("gaussian-counts", ADD, delta="1e-3"), way("virtual-records", ADD), way("k-norm", ADD)],
    )
    few = {name: values[:16] for name, values in cells(ripe=_coin, sweet=_coin).items()}
    yield Case(
        "joint-few",
        pv.DirichletCategorical(("ripe", "sweet"), prior=1),
        schema(ripe=pv.Boolean(), sweet=pv.Boolean()),
        few,
        "1",
        ["P(ripe=true | sweet=true)", "counts(sweet)"],
        TABLE_CALLS,
        "1/2",
        ("P(ripe=true)", "squared-error"),
        HELLINGER,
        16,
    )
    who: dict[str, list[object]] = {"who": [str(row // 3) for row in range(ROWS)]}
    yield Case(
        "persons",
        pv.DirichletCategorical("fruit", prior=2),
        schema(pv.Unit("person", column="who", max_rows=3), fruit=FRUIT),
        {**who, **fruit},
        "2",
        ["P(fruit=pear)", "counts()"],
        TABLE_CALLS,
        "1",
        ("P(fruit=pear)", "absolute-error"),
        [*NOISE, way("dirichlet-draw", delta="1e-3"), way("dirichlet-draw", ADD, delta="1e-3")],
        ROWS // 3,
    )
    steps = cells(
        now=lambda draw: draw.choices(["home", "ward"], [3, 2])[0],
        next=lambda draw: draw.choices(["home", "ward"], [2, 3])[0],
    )
    states = pv.Categorical(["home", "ward"])
    yield Case(
        "chain",
        pv.MarkovChain("now", "next", prior=1),
        schema(now=states, next=states),
        steps,
        "1",
        ["P(next=ward | now=home)", "after(3, home | ward)", "stationary(ward)"],
        [["matrix"], ["matrix_interval", 0.8], ["transition", "home", "ward"], ["mean"]],
        "[1, 2, 2, 1]",
        ("P(next=ward | now=home)", "interval-score", "level=0.8"),
        TABLES,
    )
    yield Case(
        "chain-few",
        pv.MarkovChain("now", "next", prior=1),
        schema(now=states, next=states),
        {name: values[:16] for name, values in steps.items()},
        "1",
        ["P(next=ward | now=home)", "stationary(ward)"],
        [["matrix"], ["mean"]],
        "[1, 2, 2, 1]",
        (),
        HELLINGER,
        16,
    )
    yield Case(
        "walks",
        pv.MarkovChain("now", "next", prior="1/2"),
        schema(pv.Unit("patient", column="who", max_rows=3), now=states, next=states),
        {**who, **steps},
        "1/2",
        ["P(next=ward | now=ward)", "stationary(home)"],
        [["matrix"], ["after", 2, "home", "ward"]],
        "2",
        (),
        [way("k-norm"), way("laplace-counts", ADD), way("dirichlet-draw", delta="1e-3")],
        ROWS // 3,
    )


def sums() -> Iterator[Case]:
    ripe = cells(ripe=lambda draw: draw.random() < 0.3)
    yield Case(
        "coin",
        pv.BetaBernoulli("ripe", pv.Beta(2, 3)),
        schema(ripe=pv.Boolean()),
        ripe,
        "{ law = 'beta', first = 2, second = 3 }",
        ["parameter(ripe)", "P(ripe=true)", "interval(mean(ripe), 50%)"],
        [*NUMBER_CALLS, ["probability", True]],
        "{ law = 'beta', first = '1/2', second = '1/2' }",
        ("P(ripe=true)", "threshold", "at=0.6", "false_alarm=3"),
        [*SUMS, GAUSSIAN, way("posterior-draws", delta="1e-3", draws=2)],
    )
    yield Case(
        "coin-cut",
        pv.BetaBernoulli("ripe", pv.Truncated(pv.Beta(2, 3), "0.1", "0.9")),
        schema(ripe=pv.Boolean()),
        ripe,
        "{ law = 'beta', first = 2, second = 3, lower = '0.1', upper = '0.9' }",
        ["parameter(ripe)", "P(ripe=false)"],
        NUMBER_CALLS,
        "{ law = 'beta', first = 1, second = 1 }",
        ("parameter(ripe)", "squared-error"),
        [*CUT, way("posterior-draws", draws=3, epsilon="2")],
    )
    yield Case(
        "coin-weighted",
        pv.BetaBernoulli("answer", pv.Reweighted(pv.Truncated(pv.Beta(3, 3), "0.05", "0.95"), 2), event="no"),
        schema(answer=pv.Categorical(["yes", "no"])),
        cells(answer=lambda draw: draw.choices(["yes", "no"], [2, 1])[0]),
        "{ law = 'beta', first = 3, second = 3, lower = '0.05', upper = '0.95', strength = 2 }",
        ["parameter(answer)", "P(answer=yes)"],
        NUMBER_CALLS,
        "{ law = 'beta', first = 3, second = 3 }",
        (),
        CUT,
    )
    hits = cells(hits=lambda draw: sum(draw.random() < 0.4 for _ in range(3)))
    yield Case(
        "hits",
        pv.BetaBinomial("hits", 3, pv.Beta(2, 2)),
        schema(hits=pv.Integer(0, 3)),
        hits,
        "{ law = 'beta', first = 2, second = 2 }",
        ["parameter(hits)", "mean(hits)", "P(hits>=2)"],
        [*NUMBER_CALLS, ["average", "hits"]],
        "{ law = 'beta', first = 1, second = 1 }",
        ("mean(hits)", "absolute-error"),
        SUMS,
    )
    yield Case(
        "hits-cut",
        pv.BetaBinomial("hits", 3, pv.Truncated(pv.Beta(2, 2), "0.2", "0.8")),
        schema(hits=pv.Integer(0, 3)),
        hits,
        "{ law = 'beta', first = 2, second = 2, lower = '0.2', upper = '0.8' }",
        ["parameter(hits)", "P(hits=0)"],
        NUMBER_CALLS,
        "",
        (),
        CUT,
    )
    events = cells(events=lambda draw: min(9, int(draw.expovariate(0.5))))
    yield Case(
        "events",
        pv.GammaPoisson("events", pv.Gamma(3, 2)),
        schema(events=pv.Integer(0, 9)),
        events,
        "{ law = 'gamma', shape = 3, rate = 2 }",
        ["parameter(events)", "P(events>=3)", "interval(mean(events), 80%)"],
        NUMBER_CALLS,
        "{ law = 'gamma', shape = 1, rate = 1 }",
        ("mean(events)", "threshold", "at=1"),
        SUMS,
    )
    yield Case(
        "events-cut",
        pv.GammaPoisson("events", pv.Truncated(pv.Gamma(3, 2), "0.5", 4)),
        schema(events=pv.Integer(0, 9)),
        events,
        "{ law = 'gamma', shape = 3, rate = 2, lower = '0.5', upper = 4 }",
        ["parameter(events)", "P(events=0)"],
        NUMBER_CALLS,
        "",
        (),
        CUT,
    )
    waits = cells(wait=lambda draw: round(min(8.0, draw.expovariate(0.8)), 1))
    yield Case(
        "waits",
        pv.GammaExponential("wait", pv.Gamma(3, 4)),
        schema(wait=pv.Bounded(0, 8, grid="0.5")),
        waits,
        "{ law = 'gamma', shape = 3, rate = 4 }",
        ["parameter(wait)", "mean(wait)", "P(wait>2)"],
        NUMBER_CALLS,
        "{ law = 'gamma', shape = 2, rate = 1, strength = 1 }",
        ("mean(wait)", "squared-error"),
        SUMS,
    )
    yield Case(
        "waits-cut",
        pv.GammaExponential("wait", pv.Reweighted(pv.Truncated(pv.Gamma(3, 4), "0.3", 3), 1, of="log")),
        schema(wait=pv.Bounded(0, 8, grid="0.5")),
        waits,
        "{ law = 'gamma', shape = 3, rate = 4, lower = '0.3', upper = 3, strength = 1, of = 'log' }",
        ["parameter(wait)", "P(wait<=1)"],
        NUMBER_CALLS,
        "",
        (),
        CUT,
    )
    wrong = cells(error=lambda draw: round(max(-4.0, min(4.0, draw.gauss(0.3, 1))), 1))
    deviations = schema(error=pv.Bounded(-4, 4, grid="0.5"))
    for name, made, prior, parameter in (
        ("scale", lambda law: pv.LaplaceScale("error", "0.25", law), "shape = 4, rate = 3", ["mean(error)"]),
        ("precision", lambda law: pv.NormalPrecision("error", 0, law), "shape = 4, rate = 3", []),
    ):
        law = pv.Gamma(4, 3)
        questions = ["parameter(error)", "P(error>1)", *parameter]
        text = f"{{ law = 'gamma', {prior} }}"
        decide = ("parameter(error)", "squared-error", "lower=0", "upper=4")
        own = "{ law = 'gamma', shape = 2, rate = 2 }"
        yield Case(name, made(law), deviations, wrong, text, questions, NUMBER_CALLS, own, decide, list(SUMS))
        cut = f"{{ law = 'gamma', {prior}, lower = '0.2', upper = 4 }}"
        yield Case(
            f"{name}-cut",
            made(pv.Truncated(law, "0.2", 4)),
            deviations,
            wrong,
            cut,
            questions[:2],
            NUMBER_CALLS,
            "",
            (),
            list(CUT),
        )
    normal = "{ law = 'normal', mean = 0, variance = 4 }"
    yield Case(
        "mean",
        pv.NormalMean("error", pv.Normal(0, stddev=2), stddev=1),
        deviations,
        wrong,
        normal,
        ["parameter(error)", "mean(error)", "P(error<0)"],
        NUMBER_CALLS,
        "{ law = 'normal', mean = 1, variance = 1 }",
        ("mean(error)", "interval-score", "level=0.9"),
        [*SUMS, GAUSSIAN, way("posterior-draws", delta="1e-3", draws=4)],
    )
    yield Case(
        "mean-cut",
        pv.NormalMean("error", pv.Truncated(pv.Normal(0, stddev=2), -3, 3), stddev=1),
        deviations,
        wrong,
        "{ law = 'normal', mean = 0, variance = 4, lower = -3, upper = 3 }",
        ["parameter(error)", "P(error>=0.5)"],
        NUMBER_CALLS,
        "",
        (),
        CUT,
    )


def joints() -> Iterator[Case]:
    wrong = cells(error=lambda draw: round(max(-4.0, min(4.0, draw.gauss(0.3, 1))), 1))
    deviations = schema(error=pv.Bounded(-4, 4, grid="0.5"))
    yield Case(
        "normal",
        pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 20)),
        deviations,
        wrong,
        "{ law = 'normal-gamma', mean = 0, strength = 4, shape = 20, rate = 20 }",
        ["mean(error)", "parameter(precision)", "P(error>1)"],
        JOINT_CALLS,
        "",
        ("mean(error)", "squared-error"),
        SUMS[:3],
    )
    yield Case(
        "normal-cut",
        pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 20, means=(-4, 4), precisions=("0.2", 3))),
        deviations,
        wrong,
        "{ law = 'normal-gamma', mean = 0, strength = 4, shape = 20, rate = 20, means = [-4, 4], "
        "precisions = ['0.2', 3] }",
        ["mean(error)", "parameter(precision)"],
        JOINT_CALLS,
        "",
        (),
        [*CUT, way("posterior-draws", ADD)],
    )
    two = schema(left=pv.Bounded(-3, 3, grid="0.5"), right=pv.Integer(-4, 6))
    pair = cells(
        left=lambda draw: round(max(-3.0, min(3.0, draw.gauss(0.5, 1))), 1),
        right=lambda draw: max(-4, min(6, round(draw.gauss(1, 2)))),
    )
    yield Case(
        "means",
        pv.MultivariateNormalMean(
            ["left", "right"],
            pv.MultivariateNormal(["0.5", 1], [[1, "0.3"], ["0.3", 2]]),
            [[1, "0.5"], ["0.5", 4]],
        ),
        two,
        pair,
        "{ law = 'multivariate-normal', mean = ['0.5', 1], covariance = [[1, '0.3'], ['0.3', 2]] }",
        ["mean(left)", "mean(right)", "P(left>0)"],
        JOINT_CALLS,
        "",
        (),
        SUMS,
    )
    yield Case(
        "matrix",
        pv.MultivariateNormalPrecision(
            ["left", "right"],
            ["0.5", 1],
            pv.Wishart(16, [["0.06", "0.005"], ["0.005", "0.02"]], "0.05", 2),
        ),
        two,
        pair,
        "{ law = 'wishart', degrees = 16, scale = [['0.06', '0.005'], ['0.005', '0.02']], lower = '0.05', "
        "upper = 2 }",
        ["P(left>0)", "P(right<=0)"],
        JOINT_CALLS,
        "",
        (),
        [*SUMS[:2], way("posterior-draws"), way("posterior-draws", ADD)],
    )


def finite() -> Iterator[Case]:
    throws = cells(die=lambda draw: draw.choices(["low", "middle", "high"], [5, 3, 2])[0])
    drawn = [way("model-draws"), way("model-draws", ADD), way("model-draws", delta="1e-2", draws=2)]
    yield Case(
        "die",
        pv.FiniteFamily(
            "die",
            {
                "fair": ["1/3", "1/3", "1/3"],
                "tilted": ["1/2", "1/4", "1/4"],
                "loaded": ["0.1", "0.2", "0.7"],
                "middling": ["0.3", "0.5", "0.2"],
            },
            prior=[4, 1, 2, 1],
        ),
        schema(die=pv.Categorical(["low", "middle", "high"])),
        throws,
        "[4, 1, 2, 1]",
        ["models()", "model(tilted)", "P(die=low)"],
        [*MODEL_CALLS, ["probability", {"die": ["low", "high"]}]],
        "[1, 1, 1, 1]",
        ("P(die=low)", "squared-error"),
        [*NOISE, way("k-norm", ADD), *drawn, way("lshist")],
    )
    yield Case(
        "pair",
        pv.FiniteFamily(
            ["coin", "hits"],
            {
                "apart": ["1/4", "1/8", "1/8", "1/4", "1/8", "1/8"],
                "together": ["3/8", "1/16", "1/16", "1/16", "1/16", "3/8"],
                "mostly": ["0.6", "0.1", "0.1", "0.1", "0.05", "0.05"],
            },
            prior=[1, 1, 1],
        ),
        schema(pv.Unit("person", column="who", max_rows=2), coin=pv.Boolean(), hits=pv.Integer(0, 2)),
        {
            "who": [str(row // 2) for row in range(ROWS)],
            **cells(coin=lambda draw: draw.random() < 0.5, hits=lambda draw: draw.randint(0, 2)),
        },
        "[1, 1, 1]",
        ["models()", "P(hits>=1 | coin=true)", "mean(hits)"],
        MODEL_CALLS,
        "[1, 2, 3]",
        (),
        [NOISE[0], NOISE[2], NOISE[3], drawn[0]],
        ROWS // 2,
    )


JOINT = (pv.NormalMeanPrecision, pv.MultivariateNormalMean, pv.MultivariateNormalPrecision)
KINDS: dict[str, Any] = {
    kind.name: kind
    for kind in (
        *(pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim, pv.EHD, pv.EHDS, pv.EHDL),
        *(pv.DirichletDraw, pv.VirtualRecords, pv.NoisyStatistics, pv.PosteriorDraws, pv.ModelDraws),
    )
}


def cases() -> Iterator[Case]:
    yield from tables()
    yield from sums()
    yield from joints()
    yield from finite()


def make_releases() -> None:
    """Plan and measure every case in every way, and write down what is asked of each."""
    RELEASES.mkdir(exist_ok=True)
    asked: dict[str, Any] = {"privior": VERSION}
    asked |= {name: [] for name in ("releases", "planned", "questions", "calls", "decisions")}
    planned: set[tuple[Any, ...]] = set()
    for case in cases():
        made: list[str] = []
        refused: list[dict[str, Any]] = []
        for number, ask in enumerate(case.ways):
            started = time.process_time()
            name = _name(case, ask)
            plain = {"records": case.units, **ask}
            options = {"draws": ask.get("draws", 1), "least": ask.get("least", 0)}
            facts = {key: plain[key] for key in ("records", "epsilon", "delta", "neighbours")}
            try:
                plan = pv.plan(case.model, case.schema, mechanism=KINDS[ask["mechanism"]], **facts, **options)
            except pv.PriviorError as error:
                print("planned", name, error.what)
                refused.append(plain)
                continue
            with tempfile.TemporaryDirectory() as folder:
                ledger = pv.Ledger.create(
                    Path(folder) / "frozen.ledger", population="frozen", epsilon=9, delta="1e-1"
                )
                pv.measure(plan, pa.table(case.rows), ledger=ledger, output=RELEASES / name)
            made.append(name)
            asked["releases"].append({"release": name})
            kind = (*name.split(".")[1:2], type(case.model), ask["neighbours"])
            if kind not in planned and "draws" not in ask:
                planned.add(kind)
                asked["planned"].append({"like": name, "ask": plain})
            _questions(asked, case, name, number)
            print(f"{time.process_time() - started:6.2f}", name, flush=True)
        asked["planned"] += [{"like": made[0], "ask": plain} for plain in refused]
        _together(asked, case, made)
    _groups(asked)
    ANSWERS.write_text(_lines(asked))


def _questions(asked: dict[str, Any], case: Case, name: str, number: int) -> None:
    """Ask every release; ask some of them by another prior, by methods, and for a decision."""
    one = {"releases": [name], "prior": case.prior}
    records = {"seed": 5, "questions": [*case.questions, "sample 400"]}
    asked["questions"].append({**one, **({"questions": case.questions} if number else records)})
    joint = isinstance(case.model, JOINT)
    if number % 2 == 0 and (number == 0 or not joint):
        asked["calls"].append({**one, "calls": case.calls})
    if case.own and number % 4 == 0:
        asked["questions"].append({**one, "prior": case.own, "questions": case.questions[:2]})
    if case.decide and number % 6 == 0:
        question, utility, *settings = case.decide
        decision = {"question": question, "utility": utility, "settings": settings}
        asked["decisions"].append({**one, **decision})


def _together(asked: dict[str, Any], case: Case, made: list[str]) -> None:
    """Ask two releases of one table together; ignore the noise; learn the prior."""
    two = [name for name in made if REPLACE in name][:2]
    if len(two) == 2 and case.name not in ("normal", "matrix", "pair"):
        asked["questions"].append({"releases": two, "prior": case.prior, "questions": case.questions[:2]})
    noisy = [name for name in made if not any(word in name for word in ("draw", "virtual", "ehd"))][:1]
    if noisy:
        ignored = {"noise": "ignore", "calls": [["mean"], ["interval", 0.8], ["warnings"]]}
        asked["calls"].append({"releases": noisy, "prior": case.prior, **ignored})
    if case.name in ("fruit", "rooms"):
        learned = {"releases": made[:1], "prior": "learned"}
        asked["questions"].append({**learned, "questions": case.questions[:2]})


def _groups(asked: dict[str, Any]) -> None:
    """Release a table and a sum for each group of a column."""
    groups = schema(ripe=pv.Boolean(), fruit=FRUIT, events=pv.Integer(0, 9))
    rows = pa.table(
        cells(
            ripe=lambda draw: draw.random() < 0.6,
            fruit=lambda draw: draw.choices(["apple", "pear", "plum"], [5, 3, 2])[0],
            events=lambda draw: min(9, int(draw.expovariate(0.5))),
        )
    )
    facts: dict[str, Any] = {"records": ROWS, "epsilon": 1, "neighbours": ADD}
    for model, column, prior, questions, calls in (
        (pv.DirichletCategorical("fruit", prior=1), "ripe", "1", ["P(fruit=apple)"], TABLE_CALLS),
        (
            pv.GammaPoisson("events", pv.Gamma(3, 2)),
            "fruit",
            "{ law = 'gamma', shape = 3, rate = 2 }",
            ["parameter(events)"],
            NUMBER_CALLS,
        ),
    ):
        batch = pv.Batch.of([pv.plan(model, groups, **facts)], by=column)
        names = [f"by-{column}.{number}.json" for number in range(len(batch.members))]
        with tempfile.TemporaryDirectory() as folder:
            ledger = pv.Ledger.create(Path(folder) / "frozen.ledger", population="frozen", epsilon=9)
            pv.measure_all(batch, rows, ledger=ledger, outputs=[RELEASES / name for name in names])
        for name in names:
            asked["releases"].append({"release": name})
            asked["questions"].append({"releases": [name], "prior": prior, "questions": questions})
            asked["calls"].append({"releases": [name], "prior": prior, "calls": calls})


def _name(case: Case, ask: dict[str, Any]) -> str:
    delta = "" if Fraction(ask["delta"]) == 0 else ".delta"
    more = "".join(f".{ask[name]}-{name}" for name in ("draws", "least") if name in ask)
    return f"{case.name}.{ask['mechanism']}.{ask['neighbours']}{delta}{more}.json"


# ---- answers -----------------------------------------------------------------------------------------------


@contextmanager
def another_seed(number: int) -> Iterator[None]:
    """Let all post-processing use other seeds."""
    kept = np.random.default_rng

    def other(seed: Any = None) -> np.random.Generator:
        if seed is None or number == 0:
            return kept(seed)
        if isinstance(seed, np.random.SeedSequence):
            entropy: Any = seed.entropy
            return kept(np.random.SeedSequence([number, 7, int(entropy)], spawn_key=seed.spawn_key))
        return kept([number, int(seed)])

    np.random.default_rng = other
    try:
        yield
    finally:
        np.random.default_rng = kept


def by_law(told: Callable[[], list[Any]]) -> list[dict[str, Any]]:
    """Freeze documents: as they are if no seed changes them, else means and standard errors over seeds."""
    runs: list[list[Any]] = []
    started = time.process_time()
    for number in range(SEEDS):
        with another_seed(number):
            runs.append(told())
        slow = time.process_time() - started > FEW
        if (number == 1 and runs[0] == runs[1]) or (number == FEW - 1 and slow):
            break
    return [_frozen([run[place] for run in runs]) for place in range(len(runs[0]))]


def _frozen(runs: list[Any]) -> dict[str, Any]:
    if all(run == runs[0] for run in runs):
        return _exact(runs[0])
    found = [dict(fa.leaves(run)) for run in runs]
    errors: dict[str, float | None] = {}
    means: dict[str, float] = {}
    for place in sorted({place for one in found for place in one}):
        values: list[Any] = [one.get(place) for one in found]
        if not all(fa.is_number(value) for value in values):
            if any(value != values[0] for value in values):
                errors[place] = None
            continue
        numbers = np.array(values, dtype=float)
        counts = (isinstance(value, int) or (value >= 2 and value.is_integer()) for value in values)
        whole = all(counts) and "#" not in place
        spread = float(numbers.std(ddof=1))
        if spread <= fa.EXACT * abs(numbers).max() and not whole:
            continue
        means[place] = float(numbers.mean())
        errors[place] = max(spread, 0.25 if whole else fa.RARE if place.startswith("/shares/") else 0.0)
    quantity = not any(place.count("/") > 2 for place in errors) and "mean" in runs[0]
    several = [error for error in errors.values() if error is not None]
    least = float(np.sqrt(np.mean(np.square(several)))) if several and quantity else 0.0
    for place, error in errors.items():
        if error is not None:
            # few seeds tell an error badly: numbers of one quantity lend each other strength
            share = max(error, least) if quantity else 1.5 * error
            errors[place] = float(f"{share if len(runs) == SEEDS else 1.5 * share:.2g}")
    return {"kind": "sampled", "answer": _with(runs[0], means), "errors": errors}


def _exact(answer: Any) -> dict[str, Any]:
    """Freeze an exact answer; a number that is nothing but rounding may round otherwise."""
    told = fa.leaves(answer)
    rounding = {place: 1e-15 for place, one in told if fa.is_number(one) and 0 < abs(one) < 1e-15}
    return {"kind": "exact", "answer": answer, **({"errors": rounding} if rounding else {})}


def _with(value: Any, means: dict[str, float], place: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _with(one, means, f"{place}/{name}") for name, one in value.items()}
    if isinstance(value, list):
        return [_with(one, means, f"{place}/{number}") for number, one in enumerate(value)]
    return float(f"{means[place]:.9g}") if place in means else value


def make_answers() -> None:
    """Ask all that is written down, and freeze what comes."""
    if pv.__version__ != VERSION:
        raise SystemExit(f"the answers were frozen by {VERSION}, this is {pv.__version__}")
    asked = json.loads(ANSWERS.read_text())
    fa.remember_releases(setattr)
    seen: set[tuple[object, ...]] = set()
    for one in asked["releases"]:
        one["promise"] = fa.promise(RELEASES / one["release"])
    with tempfile.TemporaryDirectory() as place:
        for one in asked["planned"]:
            one["plan"], seconds = _timed(
                partial(fa.planned, RELEASES / one["like"], one["ask"], Path(place))
            )
            family = json.loads((RELEASES / one["like"]).read_text())["plan"]["model"]["family"]
            _mark(one, seconds > 0.2 or (family, one["plan"]["code"]) in seen)
            seen.add((family, one["plan"]["code"]))
    for several, door in {"questions": fa.answers, "calls": fa.said, "decisions": fa.decided}.items():
        for one in asked[several]:
            one["answers"], seconds = _timed(partial(by_law, partial(door, RELEASES, one)))
            runs = FEW if any(each["kind"] == "sampled" for each in one["answers"]) else 2
            words = one["releases"][0].replace("-cut", "").split(".")
            kind = (several, *words[: 1 if several == "decisions" else 2])
            often = several == "calls" or kind in seen
            slow = seconds / runs > 0.15 or several == "decisions"
            _mark(one, seconds / runs > 1.5 or (slow and often))
            seen.add(kind)
        ANSWERS.write_text(_lines(asked))


def _mark(one: dict[str, Any], slow: bool) -> None:
    """Mark what the tests leave to the evidence."""
    one.pop("slow", None)
    if slow:
        one["slow"] = True


def _timed(told: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    return told(), time.process_time() - started


def _lines(frozen: dict[str, Any]) -> str:
    """Write one entry a line."""
    parts = []
    for name, value in frozen.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in value)
            parts.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    {"releases": make_releases, "answers": make_answers}[sys.argv[1]]()
