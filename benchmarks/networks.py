"""What networks cost: `python benchmarks/networks.py`.

The bars: alarm, 10,000 rows: plan under 15 s, release under 10 s, reading a release under 0.3 s; the tables
of naive Bayes on ten million rows of 17 columns within 3.5 times a raw scan's CPU; a million rows of 50 nodes
in less than 2 GB; inference (`evidence/test_network_speed.py` stores it): alarm within 60 s of one core,
naive Bayes of 20 features within 2 s. How inference and predictions grow is told beside them. Inference is
under add-or-remove-one, with twice as many records declared as there are: their number is inferred too.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from counting import seconds
from readings import FEATURES, SCHEMA, write_parquet

import privior as pv
from privior.models import Network
from privior.tables import open_table

ALARM = Path(__file__).parents[1] / "tests" / "networks" / "bif" / "alarm.bif.gz"
ASKED = "P(LVFAILURE=TRUE | HRBP=HIGH, BP=LOW)"


def timed(what: str, work: Callable[[], object]) -> object:
    begun = time.perf_counter()
    found = work()
    print(f"{what:<44}{time.perf_counter() - begun:>8.2f} s", flush=True)
    return found


def alarm(records: int) -> None:
    """Plan, release, read, infer and ask a network of 37 nodes."""
    network = pv.NetworkFile.from_text(gzip.decompress(ALARM.read_bytes()).decode())
    schema = pv.Schema(network.columns, population="benchmark", unit="patient")
    model = pv.BayesianNetwork(network.parents, prior="1/2")
    theta = np.concatenate([network.tables[node] for node in model.columns])
    rows = pv.NetworkPosterior.numbers_of(model, schema).records(theta, records, np.random.default_rng(1))
    with tempfile.TemporaryDirectory() as folder:
        table, output = Path(folder) / "alarm.csv", Path(folder) / "alarm.json"
        lines = (",".join(map(str, row)) for row in zip(*rows.values(), strict=True))
        table.write_text("\n".join([",".join(rows), *lines]) + "\n")
        plan = timed("alarm: plan", lambda: _planned(model, schema, records))
        ledger = pv.Ledger.in_memory(population="benchmark", epsilon=1, delta="1e-4")
        timed("alarm: release of a CSV file", lambda: pv.measure(plan, table, ledger=ledger, output=output))  # type: ignore[arg-type]
        release = timed("alarm: reading the release", lambda: pv.Release.read(output))
    for prior in ("1/2", "learned"):
        posterior = timed(f"alarm: infer, prior {prior}", partial(pv.infer, release, prior=prior))  # type: ignore[arg-type]
        for which in ("first", "next"):
            timed(f"alarm: {which} question, prior {prior}", partial(pv.ask, posterior, ASKED))  # type: ignore[arg-type]


def _planned(model: pv.BayesianNetwork, schema: pv.Schema, records: int) -> pv.Plan:
    plan = pv.plan(
        model, schema, records=2 * records, epsilon=1, delta="1e-5", neighbours=pv.ADD_OR_REMOVE_ONE
    )
    str(plan)
    return plan


def naive_bayes(rows: int, repetitions: int) -> None:
    """Count the tables of a class and 16 features beside a sum of each column."""
    model = pv.NaiveBayes("class", FEATURES, prior=1)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, rows)
        readings = model.readings(SCHEMA, pv.REPLACE_ONE)
        table = open_table(path, SCHEMA, model.columns, ())
        sums = ", ".join(f'sum("{name}")' for name in model.columns)

        def scan() -> None:
            connection.execute(f"SELECT {sums} FROM '{path}'").fetchall()

        table.read(*readings)  # the imports
        turns = [(seconds(lambda: table.read(*readings))[1], seconds(scan)[1]) for _ in range(repetitions)]
    ours, raw = (min(column) for column in zip(*turns, strict=True))
    print(f"naive Bayes, {rows:,} rows: {ours:.3f} CPU-s, scan {raw:.3f}: {ours / raw:.2f} times", flush=True)


def wide(rows: int, nodes: int) -> None:
    """Release a wide network from a file, and say how much memory its reader took at most."""
    names, rng = [f"n{place}" for place in range(nodes)], np.random.default_rng(1)
    schema = pv.Schema({name: pv.Integer(0, 4) for name in names}, population="benchmark", unit="row")
    model = pv.BayesianNetwork({name: names[max(0, k - 3) : k] for k, name in enumerate(names)}, prior=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.parquet"
        import pyarrow.parquet as parquet

        parquet.write_table(pa.table({name: rng.integers(0, 5, rows, dtype=np.int8) for name in names}), path)
        plan = pv.plan(model, schema, records=rows, epsilon=1, delta="1e-5", mechanism=pv.GaussianTables)
        ledger = pv.Ledger.in_memory(population="benchmark", epsilon=1, delta="1e-4")
        timed(f"{nodes} nodes, {rows:,} rows: release", lambda: pv.measure(plan, path, ledger=ledger))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"{nodes} nodes, {rows:,} rows: reader's memory {most:>12.2f} GB", flush=True)


def inference(model: Network, schema: pv.Schema, records: int, epsilon: str) -> tuple[Any, float]:
    """Infer a network of which every record is as likely as any other; return the CPU seconds beside it."""
    rng = np.random.default_rng(1)
    rows = pa.table({name: rng.integers(0, schema.column(name).size, records) for name in model.columns})
    facts = {"records": 2 * records, "epsilon": epsilon, "delta": "1e-5", "neighbours": pv.ADD_OR_REMOVE_ONE}
    plan = pv.plan(model, schema, **facts)  # type: ignore[arg-type]
    ledger = pv.Ledger.in_memory(population="benchmark", epsilon=100, delta="1e-2")
    release, begun = pv.measure(plan, rows, ledger=ledger), time.process_time()
    posterior = pv.infer(release)
    return posterior, time.process_time() - begun


def inferred(what: str, model: Network, schema: pv.Schema, records: int, epsilon: str) -> object:
    """Say what inference takes, and what the plan said."""
    posterior, took = inference(model, schema, records, epsilon)
    effort = posterior.releases[0].plan.effort
    said = f"{what}, {sum(model.sizes(schema))} cells, epsilon {epsilon}"
    print(f"infer: {said:<50}{took:>8.2f} CPU-s, said {effort.in_short if effort else ''}", flush=True)
    return posterior


def chain(nodes: int, levels: int, parents: int = 1) -> tuple[pv.BayesianNetwork, pv.Schema]:
    """Return a network in which each node depends on those right before it."""
    names = [f"n{place}" for place in range(nodes)]
    columns = {name: pv.Integer(0, levels - 1) for name in names}
    graph = {name: names[max(0, place - parents) : place] for place, name in enumerate(names)}
    return pv.BayesianNetwork(graph), pv.Schema(columns, population="benchmark", unit="row")


def classes(features: int, prior: str = "learned") -> tuple[pv.NaiveBayes, pv.Schema]:
    """Return a class of two levels and features of five."""
    names = [f"f{place}" for place in range(features)]
    columns = {"class": pv.Integer(0, 1), **dict.fromkeys(names, pv.Integer(0, 4))}
    return pv.NaiveBayes("class", names, prior=prior), pv.Schema(columns, population="benchmark", unit="row")


#: what grows: nodes, levels of ten nodes and with them cells, parents of ten nodes of three levels, epsilon
Grown = tuple[str, pv.BayesianNetwork, pv.Schema, str]


def grown() -> Iterator[Grown]:
    """Yield networks that grow in one thing."""
    for nodes in (5, 10, 20, 40):
        yield (f"{nodes} nodes", *chain(nodes, 2), "1")
    for levels in (2, 4, 8):
        yield (f"10 nodes of {levels} levels", *chain(10, levels), "1")
    for parents in (1, 2, 4):
        yield (f"10 nodes of 3 levels, {parents} parents", *chain(10, 3, parents), "1")
    for epsilon in ("0.1", "1", "10"):
        yield ("10 nodes of 3 levels", *chain(10, 3), epsilon)


def growth() -> None:
    """Tell how inference grows in nodes, cells and epsilon, and what predictions take."""
    inferred("compiling, 5 nodes", *chain(5, 2), 10_000, "1")
    for what, model, schema, epsilon in grown():
        inferred(what, model, schema, 10_000, epsilon)
    inferred("naive Bayes: compiling", *classes(2), 1000, "1")
    for epsilon in ("0.1", "1", "10"):
        for prior in ("1", "learned"):
            what = f"naive Bayes, 20 features, prior {prior}"
            posterior: Any = inferred(what, *classes(20, prior), 10_000, epsilon)
    names = posterior.model.features
    rng = np.random.default_rng(2)
    for rows in (1_000, 10_000, 100_000):
        frame = {name: rng.integers(0, 5, rows) for name in names}
        timed(f"naive Bayes: {rows:,} predictions", partial(posterior.predict_proba, frame))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows for naive Bayes")
    parser.add_argument("--repetitions", type=int, default=5)
    asked = parser.parse_args()
    alarm(10_000)
    growth()
    naive_bayes(asked.rows, asked.repetitions)
    wide(1_000_000, 50)


if __name__ == "__main__":
    main()
