"""Writes the files that later versions must read, once for each version that changes a format.

python tests/compat/write_files.py FOLDER
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
from pathlib import Path

import pyarrow as pa

import privior as pv
from privior.mechanisms import Mechanism
from privior.models import Formula, Model

SCHEMA = pv.Schema(
    {
        "fruit": pv.Categorical(["apple", "pear", "plum"], missing="plum"),
        "ripe": pv.Boolean(),
        "weight": pv.Bounded(0, 500, grid="0.5"),
        "size": pv.Binned([0, "1.5", 10]),
        "year": pv.Integer(1900, 2100),
        "picked": pv.Date("2026-01-01", "2026-12-31"),
    },
    population="orchard",
    unit=pv.Unit("picker"),
    csv=pv.CsvDialect(delimiter=";"),
)


GARDEN = pv.Schema(
    {
        "fruit": pv.Categorical(["apple", "pear", "plum"]),
        "then": pv.Categorical(["apple", "pear", "plum"]),
        "ripe": pv.Boolean(),
        "pips": pv.Integer(0, 9),
        "weight": pv.Bounded(0, 20, grid="0.5"),
        "error": pv.Bounded(-4, 4, grid="0.5"),
    },
    population="garden",
    unit=pv.Unit("picker"),
)
GAMMA = pv.Gamma(3, 2)
NORMAL = pv.Normal(0, stddev=2)

#: networks, which files of format 6 hold: in a folder of their own
NETWORKS: list[tuple[Model, list[type[Mechanism]]]] = [
    (
        pv.BayesianNetwork({"fruit": [], "then": ["fruit"], "ripe": ["then", "fruit"]}, prior="1/2"),
        [pv.LaplaceTables, pv.GaussianTables, pv.NetworkDraws],
    ),
    (pv.NaiveBayes("ripe", ["fruit", "then"], prior=pv.BDeu(4)), [pv.GaussianTables]),
    (pv.BayesianNetwork({"ripe": []}, prior=1), [pv.FourierTables, pv.TruncatedNetworkDraws]),
]
#: regressions, likewise
REGRESSIONS: list[tuple[Model, list[type[Mechanism]]]] = [
    (pv.LinearRegression("pips ~ error*ripe + fruit"), [pv.GaussianMoments, pv.LaplaceMoments, pv.BallDraw]),
    (pv.GibbsPosterior("logistic", "ripe ~ error"), [pv.GibbsDraws]),
    (pv.GibbsPosterior("logistic", "ripe ~ error", convexity="0.05"), []),
    (pv.GibbsPosterior(pv.HuberLoss(2), "pips ~ error", radius="1/2"), []),
    (pv.GibbsPosterior(pv.SmoothQuantileLoss("0.9", 1), "pips ~ error"), []),
    (pv.GibbsPosterior(pv.PoissonLoss(2), "pips ~ error"), []),
    (pv.LogisticRegression("ripe ~ error + fruit", prior="2"), [pv.ObjectivePerturbation]),
    (pv.LogisticRegression("ripe ~ error + fruit"), [pv.GaussianMoments, pv.LaplaceMoments]),
    # written once; `earlier`: before plans named a coding, and before one feature had a bound of its own
    (pv.LinearRegression("pips ~ error:fruit"), []),
    (pv.LinearRegression("pips ~ error"), []),
]
#: models that only files of earlier versions have
EARLIER: list[Model] = [pv.LinearRegression(Formula.parse("pips ~ error:fruit", "first"))]
#: a model of every family, and the mechanisms that release it
KINDS: list[tuple[Model, list[type[Mechanism]]]] = [
    (pv.DirichletCategorical("fruit", prior=1), [pv.KNorm, pv.EHD, pv.EHDS, pv.EHDL]),
    (pv.MarkovChain("fruit", "then"), [pv.KNorm, pv.DirichletDraw]),
    (
        pv.FiniteFamily("fruit", {"even": ["1/3"] * 3, "apples": ["1/2", "1/4", "1/4"]}),
        [pv.GaussianCounts, pv.ModelDraws],
    ),
    (pv.BetaBernoulli("ripe", pv.Beta(1, 2)), [pv.NoisyStatistics, pv.PosteriorDraws]),
    (pv.BetaBinomial("pips", 9, pv.Truncated(pv.Beta(1, 2), "0.1", "0.9")), [pv.PosteriorDraws]),
    (pv.GammaPoisson("pips", GAMMA), [pv.NoisyStatistics]),
    (pv.GammaExponential("weight", pv.Reweighted(GAMMA, 1)), [pv.NoisyStatistics]),
    (pv.LaplaceScale("error", 0, GAMMA), [pv.PosteriorDraws]),
    (pv.NormalMean("error", NORMAL, stddev=2), [pv.PosteriorDraws]),
    (pv.NormalPrecision("error", 0, GAMMA), [pv.NoisyStatistics]),
    (pv.NormalMeanPrecision("error", pv.NormalGamma(0, 1, 3, 2)), [pv.NoisyStatistics]),
    (
        pv.MultivariateNormalMean(
            ["error", "weight"], pv.MultivariateNormal([0, 9], [[1, 0], [0, 9]]), [[1, 0], [0, 4]]
        ),
        [pv.PosteriorDraws],
    ),
    (
        pv.MultivariateNormalPrecision(
            ["error", "weight"], [0, 9], pv.Wishart(4, [[1, 0], [0, "0.1"]], "0.01", 2)
        ),
        [pv.NoisyStatistics, pv.PosteriorDraws],
    ),
    *NETWORKS,
    *REGRESSIONS,
]


def write(folder: Path) -> None:
    """Write a schema, an analysis, one release of every mechanism, and their ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    SCHEMA.write(folder / "schema.toml")
    model = pv.DirichletCategorical(("fruit", "ripe"), prior="1/2")
    pv.Analysis(SCHEMA, model, 10, pv.Budget.of("0.5", "1e-6")).write(folder / "analysis.toml")
    table = pa.table({"fruit": ["apple", "pear"] * 5, "ripe": [True, False] * 5})
    ledger = pv.Ledger.create(folder / "orchard.ledger", population="orchard", epsilon=10, delta="1e-3")
    for kind in (pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim):
        plan = pv.plan(model, SCHEMA, records=10, epsilon="0.5", delta="1e-6", mechanism=kind)
        pv.measure(plan, table, ledger=ledger, output=folder / f"{kind.name}.json")
    connection = sqlite3.connect(ledger.where)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def write_draws(folder: Path) -> None:
    """Write one release of each kind from the posterior, the first of format 3."""
    folder.mkdir(parents=True, exist_ok=True)
    model = pv.DirichletCategorical(("fruit", "ripe"), prior="1/2")
    table = pa.table({"fruit": ["apple", "pear"] * 5, "ripe": [True, False] * 5})
    for kind, draws in ((pv.DirichletDraw, 2), (pv.VirtualRecords, 1)):
        plan = pv.plan(model, SCHEMA, records=10, epsilon="0.5", delta="1e-6", mechanism=kind, draws=draws)
        ledger = pv.Ledger.in_memory(delta="1e-3", population="orchard")
        pv.measure(plan, table, ledger=ledger, output=folder / f"{kind.name}.json")


def write_minimum(folder: Path) -> None:
    """Write a draw with a public minimum of the counts and units of two rows: two entries of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    unit = pv.Unit("picker", column="who", max_rows=2)
    schema = pv.Schema({"ripe": pv.Boolean()}, population="orchard", unit=unit)
    table = pa.table({"who": [str(row // 2) for row in range(20)], "ripe": [True, False, False, True] * 5})
    plan = pv.plan(
        pv.DirichletCategorical("ripe", prior=1),
        schema,
        records=10,
        epsilon="0.5",
        delta="1e-6",
        mechanism=pv.DirichletDraw,
        least=8,
    )
    ledger = pv.Ledger.in_memory(delta="1e-3", population="orchard")
    pv.measure(plan, table, ledger=ledger, output=folder / "dirichlet-draw-minimum.json")


def write_kinds(folder: Path) -> None:
    """Write one release of every family and of what was new with them, formats 4 and 5; a ledger of format 2.

    The table is a file, so another process reads it, and releases say so. One part of the ledger's history
    has a key, an analyst with a quota and a version of the table.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(4)
    rows = [
        f"{draw.choice(['apple', 'pear'])},{draw.choice(['pear', 'plum'])},{draw.choice(['yes', 'no'])},"
        f"{draw.randint(0, 9)},{draw.uniform(0, 18):.1f},{draw.gauss(0, 1):.1f}"
        for _ in range(40)
    ]
    table = folder / "garden.csv"
    table.write_text("fruit,then,ripe,pips,weight,error\n" + "\n".join(rows) + "\n")
    ledger = pv.Ledger.create(folder / "garden.ledger", population="garden", epsilon=100, delta="1e-2")
    ledger.allow("ann", "1/2")
    for model, mechanisms in KINDS[: -len(NETWORKS) - len(REGRESSIONS)]:
        for kind in mechanisms:
            delta = "0" if kind in (pv.EHD, pv.EHDS, pv.EHDL) else "1e-6"
            plan = pv.plan(model, GARDEN, records=40, epsilon=2, delta=delta, mechanism=kind)
            name = f"{model.family}.{kind.name}.json"
            pv.measure(
                plan, table, ledger=ledger, output=folder / name, key=name, analyst="ann", version="first"
            )
    grouped = pv.plan(
        pv.GammaPoisson("pips", GAMMA), GARDEN, records=60, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE
    )
    places = [folder / f"group-{number}.json" for number in range(3)]
    batch = pv.Batch.of([grouped], by="fruit")
    pv.measure_all(batch, table, ledger=pv.Ledger.in_memory(population="garden", epsilon=9), outputs=places)
    table.unlink()
    connection = sqlite3.connect(ledger.where)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def write_networks(folder: Path) -> None:
    """Write one release of each kind of network and of noise on its tables."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(5)
    names = {"fruit": ["apple", "pear"], "then": ["pear", "plum"], "ripe": ["yes", "no"]}
    table = pa.table({name: [draw.choice(levels) for _ in range(40)] for name, levels in names.items()})
    for model, mechanisms in NETWORKS:
        for kind in mechanisms:
            plan = pv.plan(model, GARDEN, records=40, epsilon=2, delta="1e-6", mechanism=kind)
            ledger = pv.Ledger.in_memory(delta="1e-3", population="garden")
            pv.measure(plan, table, ledger=ledger, output=folder / f"{model.family}.{kind.name}.json")


def write_regressions(folder: Path) -> None:
    """Write one release of each kind, and one where the number of records is private.

    Files of Gaussian noise without `weighed` in their names are of a time when all moments had the same
    weights, which releases did not name; the pure one with `twice` is of a time when twice what two losses
    vary was charged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(6)
    rows = [
        (draw.choice(["apple", "pear", "plum"]), draw.choice([True, False]), draw.gauss(0, 1))
        for _ in range(200)
    ]
    table = pa.table(
        {
            "fruit": [fruit for fruit, _, _ in rows],
            "ripe": [ripe for _, ripe, _ in rows],
            "error": [round(error, 1) for _, _, error in rows],
            "pips": [round(5 + error + 2 * ripe + draw.gauss(0, 1)) for _, ripe, error in rows],
        }
    )
    for model, mechanisms in REGRESSIONS:
        for kind in mechanisms:
            for relation, records in ((pv.REPLACE_ONE, 200), (pv.ADD_OR_REMOVE_ONE, 500)):
                plan = pv.plan(
                    model,
                    GARDEN,
                    records=records,
                    epsilon=2,
                    delta="1e-6",
                    neighbours=relation,
                    mechanism=kind,
                )
                ledger = pv.Ledger.in_memory(delta="1e-3", population="garden")
                private = "" if relation is pv.REPLACE_ONE else ".private-number"
                weighed = ".weighed" if kind is pv.GaussianMoments else ""
                name = f"{model.family}.{kind.name}{weighed}{private}.json"
                pv.measure(plan, table, ledger=ledger, output=folder / name)
    model = pv.LogisticRegression("ripe ~ error + fruit", prior="2")
    law = pv.ObjectivePerturbation
    for relation, records in ((pv.REPLACE_ONE, 200), (pv.ADD_OR_REMOVE_ONE, 500)):
        plan = pv.plan(
            model,
            GARDEN,
            records=records,
            epsilon=2,
            delta="1e-6",
            neighbours=relation,
            mechanism=law,
            intervals=True,
        )
        ledger = pv.Ledger.in_memory(delta="1e-3", population="garden")
        private = "" if relation is pv.REPLACE_ONE else ".private-number"
        name = f"{model.family}.{law.name}.intervals{private}.json"
        pv.measure(plan, table, ledger=ledger, output=folder / name)
    convex = pv.GibbsPosterior("logistic", "ripe ~ error", convexity="0.05")
    plan = pv.plan(convex, GARDEN, records=200, epsilon=2, delta="1e-6")
    ledger = pv.Ledger.in_memory(delta="1e-3", population="garden")
    pv.measure(plan, table, ledger=ledger, output=folder / f"{convex.family}.gibbs-draws.convex.json")
    huber, quantile, poisson = (one for one, kinds in REGRESSIONS if not kinds and one != convex)
    for other, delta, label in (
        (huber, "0", "pure"),
        (quantile, "1e-6", "quantile"),
        (poisson, "0", "poisson"),
    ):
        for relation, records in ((pv.REPLACE_ONE, 200), (pv.ADD_OR_REMOVE_ONE, 250)):
            plan = pv.plan(other, GARDEN, records=records, epsilon=2, delta=delta, neighbours=relation)
            ledger = pv.Ledger.in_memory(delta="1e-3", population="garden")
            private = "" if relation is pv.REPLACE_ONE else ".private-number"
            name = f"{other.family}.gibbs-draws.{label}{private}.json"
            pv.measure(plan, table, ledger=ledger, output=folder / name)


def write_forgetful(folder: Path) -> None:
    """Write ledgers that add up rho, and a release, as privior 0.2.0, which forgot a part of some spends.

    `kept`: one spend for each of two analysts that was charged too little, one for counts that was not; all
    releases are stored. `lost`: two spends that were charged too little, of which one failed and one was cut
    off, and one for counts that failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table({"weight": [1.5, 9.0] * 20, "fruit": ["apple", "pear"] * 20})
    waiting = pv.plan(
        pv.GammaExponential("weight", GAMMA),
        GARDEN,
        records=40,
        epsilon="0.1",
        delta="1e-2",
        mechanism=pv.NoisyStatistics,
    )
    counts = pv.plan(
        pv.DirichletCategorical("fruit", prior=1),
        GARDEN,
        records=40,
        epsilon="0.1",
        delta="1e-6",
        mechanism=pv.GaussianCounts,
    )
    rho = {"population": "garden", "epsilon": 4, "delta": "1e-5", "accounting": "concentrated"}
    kept = pv.Ledger.create(folder / "kept.ledger", **rho)  # type: ignore[arg-type]
    kept.allow("ann", "1/2")
    kept.allow("bob", "1/2")
    output = folder / "waiting.json"
    pv.measure(waiting, table, ledger=kept, analyst="ann", output=output)
    pv.measure(counts, table, ledger=kept, analyst="bob")
    pv.measure(waiting, table, ledger=kept, analyst="bob", key="again")
    lost = pv.Ledger.create(folder / "lost.ledger", **rho)  # type: ignore[arg-type]
    lost.fail(lost.spend(waiting))
    lost.spend(waiting)
    lost.fail(lost.spend(counts))
    for ledger in (kept, lost):
        connection = sqlite3.connect(ledger.where)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()


def write_reconciled(folder: Path) -> None:
    """Write two more such ledgers, by privior 0.2.0 and without an anchor of its user.

    `reconciled`: twenty spends in one batch that an old copy forgot, charged again by one of their releases.
    `groups`: one batch of a group of each of two columns, for which the first rules were right.
    """
    table = pa.table(
        {"weight": [1.5, 9.0] * 20, "fruit": ["apple", "pear"] * 20, "then": ["pear", "plum"] * 20}
    )
    rho = {"population": "garden", "epsilon": 4, "delta": "1e-5", "accounting": "concentrated"}
    budget = {"records": 40, "epsilon": "0.1", "delta": "1e-2", "mechanism": pv.NoisyStatistics}
    waiting = pv.plan(pv.GammaExponential("weight", GAMMA), GARDEN, **budget)  # type: ignore[arg-type]
    place, copy = folder / "reconciled.ledger", folder / "copy.ledger"
    ledger = pv.Ledger.create(place, **rho)  # type: ignore[arg-type]
    shutil.copy(place, copy)
    several = pv.measure_all(pv.Batch.of([waiting] * 20), table, ledger=ledger)
    for ending in ("", "-wal", "-shm"):
        Path(f"{place}{ending}").unlink(missing_ok=True)
    copy.replace(place)
    shutil.rmtree(Path(os.environ["PRIVIOR_STATE"]) / "anchors")
    known = several[0].receipt.known(several[0].plan)  # type: ignore[call-arg]
    ledger.reconcile([known] if known else [])
    pv.measure(waiting, table, ledger=ledger)
    budget["neighbours"] = pv.ADD_OR_REMOVE_ONE
    grouped = pv.plan(pv.GammaExponential("weight", GAMMA), GARDEN, **budget)  # type: ignore[arg-type]
    groups = pv.Ledger.create(folder / "groups.ledger", **rho)  # type: ignore[arg-type]
    members = [pv.Batch.of([grouped], by=column).members[0] for column in ("fruit", "then")]
    pv.measure_all(pv.Batch.of(members), table, ledger=groups)
    for one in (ledger, groups):
        connection = sqlite3.connect(one.where)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()


def write_imported(folder: Path) -> None:
    """Write numbers of others: a table with decimals, one that was treated, and sums of a family."""
    claim = {
        "records": 40,
        "epsilon": "0.5",
        "delta": "1e-6",
        "source": "an office",
        "neighbours": "replace-one",
    }
    noises = (pv.LaplaceNoise(4, discrete=False), pv.LaplaceNoise("2.5", discrete=True))
    private = {**claim, "neighbours": "add-or-remove-one"}
    treated = pv.Treatment(suppressed_below=3, clipped_at=0, rounded_to=2)
    several = [pv.GaussianNoise(3, discrete=True), pv.GaussianNoise("20.5", discrete=True)]
    files = {
        "decimals": (KINDS[0][0], ["20.37", "-1.5", "19"], noises[0], pv.AS_DRAWN, claim),
        "treated": (KINDS[0][0], {"apple": 30, "plum": None, "pear": 4}, noises[1], treated, claim),
        "sums": (pv.GammaPoisson("pips", GAMMA), [38, 150], several, pv.AS_DRAWN, private),
    }
    for name, (model, numbers, noise, treatment, facts) in files.items():
        made = pv.import_release(model, GARDEN, numbers, noise=noise, treatment=treatment, **facts)  # type: ignore[arg-type]
        made.write(folder / f"{name}.json")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
