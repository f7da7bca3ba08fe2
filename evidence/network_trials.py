"""One trial of a network: records, a release with default settings, what is inferred, and how far it is off.

Networks are those of the repository, whose tables are the truth; rows for naive Bayes are those of the tables
beside it. Errors are exact: KL(true || learned) is the sum over nodes of the divergence of each row, weighted
by the true chance of its parents' levels, which elimination gives.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from real_tables import FOLDER
from record import ROOT

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics, Network
from privior.posterior.networks.elimination import Elimination

DELTA = "1e-5"
EPSILONS = ("0.1", "0.5", "1", "2", "5", "10")
Floats = NDArray[np.float64]
Codes = Mapping[str, NDArray[np.integer]]


def counted(model: Network, schema: pv.Schema, codes: Codes) -> NDArray[np.int64]:
    """Count all tables of a network, one after the other."""
    found = []
    for node, names in zip(model.columns, model.tables, strict=True):
        shape = model.shape(node, schema)
        cells = np.ravel_multi_index([codes[name] for name in names], shape)
        found.append(np.bincount(cells, minlength=math.prod(shape)))
    return np.concatenate(found)


def planned(
    model: Network, schema: pv.Schema, records: int, epsilon: str, neighbours: pv.Neighbours, **more: object
) -> pv.Plan:
    """Plan a release; where the number of records is private, twice the truth is declared."""
    most = records if neighbours is pv.REPLACE_ONE else 2 * records
    facts = {"records": most, "epsilon": epsilon, "delta": DELTA, "neighbours": neighbours}
    return pv.plan(model, schema, **facts, **more)  # type: ignore[arg-type]


def released(plan: pv.Plan, counts: NDArray[np.int64]) -> pv.Release:
    """Draw a release of counts."""
    ledger = pv.Ledger.in_memory(population=plan.schema.population, epsilon=100, delta="1e-2")
    return measure_statistics(plan, ExactStatistics(counts), ledger=ledger)


@dataclass(frozen=True, eq=False)
class Truth:
    """A network with its true tables.

    Attributes:
        name: of the network
        model: its graph, and the prior by which it is inferred
        schema: the public facts of its columns
        theta: the true tables, one after the other, as one draw
    """

    name: str
    model: Network
    schema: pv.Schema
    theta: Floats

    @staticmethod
    def of(name: str) -> Truth:
        """Read one of the repository's networks; its rows are rounded, and made to sum to 1."""
        path = ROOT / "tests" / "networks" / "bif" / f"{name}.bif.gz"
        file = pv.NetworkFile.from_text(gzip.decompress(path.read_bytes()).decode())
        schema = pv.Schema(file.columns, population=name, unit="person")
        model, found = pv.BayesianNetwork(file.parents), []
        for node in model.columns:
            rows = np.array(file.tables[node], dtype=float).reshape(-1, schema.column(node).size)
            found.append((rows / rows.sum(axis=1, keepdims=True)).ravel())
        return Truth(name, model, schema, np.concatenate(found)[np.newaxis])

    @staticmethod
    def drawn(model: Network, schema: pv.Schema, rng: np.random.Generator) -> Truth:
        """Draw the tables of a network from its prior, which is in numbers."""
        found = []
        for node, prior in zip(model.columns, model.parameters(schema), strict=True):
            assert prior is not None
            found += [rng.dirichlet(row) for row in prior.reshape(-1, schema.column(node).size)]
        return Truth("drawn", model, schema, np.concatenate(found)[np.newaxis])

    @cached_property
    def elimination(self) -> Elimination:
        return Elimination(self.model, self.schema)

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """The chance of each row of each table."""
        parents = self.model.parents
        return {node: self.elimination.joint(self.theta, parents[node], {}).ravel() for node in parents}

    def records(self, number: int, rng: np.random.Generator) -> dict[str, NDArray[np.int64]]:
        """Draw records node by node, parents first, as codes."""
        codes: dict[str, NDArray[np.int64]] = {}
        for node in self.model.order:
            table = np.cumsum(self.elimination.table(self.theta, node)[0], axis=-1)
            rows = table[tuple(codes[name] for name in self.model.parents[node])]
            below = rng.random((number, 1)) * table[..., -1:].max() >= np.broadcast_to(
                rows, (number, table.shape[-1])
            )
            codes[node] = np.minimum(below.sum(axis=1), table.shape[-1] - 1)
        return codes

    def divergence(self, learned: Mapping[str, Floats]) -> float:
        """Return KL(true || learned) of the law of a record, in nats."""
        total = 0.0
        for node, weights in self.weights.items():
            true = self.elimination.table(self.theta, node)[0].reshape(weights.size, -1)
            with np.errstate(divide="ignore", invalid="ignore"):
                each = np.where(true > 0, true * np.log(true / learned[node].reshape(true.shape)), 0.0)
            total += float(weights @ each.sum(axis=1))
        return total

    def plain(self, noisy: NDArray[np.integer] | Floats) -> dict[str, Floats]:
        """Return the tables that noisy counts give, cut at zero and with 1 added to each."""
        found = {}
        for node, place in self.elimination.places.items():
            rows = np.maximum(noisy[place], 0).reshape(-1, self.elimination.shapes[node][-1]) + 1.0
            found[node] = rows / rows.sum(axis=1, keepdims=True)
        return found


def tables_of(posterior: pv.NetworkPosterior) -> dict[str, Floats]:
    """Return the expected entries of all tables."""
    return {node: posterior.table(node).mean() for node in posterior.model.columns}


@dataclass(frozen=True)
class Rows:
    """A table of codes with a class, split as all methods split it.

    Attributes:
        name: of the table
        codes: of all columns; the class is y
        sizes: how many levels each column has
    """

    name: str
    codes: dict[str, NDArray[np.int64]]
    sizes: dict[str, int]

    @staticmethod
    def of(name: str) -> Rows:
        frame = pq.read_table(FOLDER / f"{name}.parquet").to_pandas()
        sizes = json.loads((FOLDER / f"{name}.domain.json").read_text())
        return Rows(name, {one: frame[one].to_numpy().astype(np.int64) for one in sizes}, sizes)

    @cached_property
    def schema(self) -> pv.Schema:
        columns = {
            name: pv.Categorical([str(code) for code in range(size)]) for name, size in self.sizes.items()
        }
        return pv.Schema(columns, population=self.name, unit="person")

    @cached_property
    def model(self) -> pv.NaiveBayes:
        return pv.NaiveBayes("y", [name for name in self.sizes if name != "y"])

    def split(self, repeat: int, train: int | None) -> tuple[Codes, Codes]:
        """Return training and test rows: a permutation's first 30% are the test, the next ones train."""
        order = np.random.default_rng(1000 + repeat).permutation(len(self.codes["y"]))
        cut = int(0.3 * len(order))
        used = order[cut:] if train is None else order[cut : cut + train]
        return tuple({name: one[some] for name, one in self.codes.items()} for some in (used, order[:cut]))  # type: ignore[return-value]

    def of_class_alone(self, train: Codes, test: Codes, epsilon: str, neighbours: pv.Neighbours) -> float:
        """Return the log loss if the whole budget is spent on the frequencies of the class."""
        model = pv.DirichletCategorical("y")
        counts = np.bincount(train["y"], minlength=self.sizes["y"])
        plan = planned(model, self.schema, len(train["y"]), epsilon, neighbours)  # type: ignore[arg-type]
        chances = pv.infer(released(plan, counts)).mean()
        return float(-np.log(chances[test["y"]]).mean())

    def plain(self, noisy: NDArray[np.integer] | Floats, test: Codes) -> float:
        """Return the log loss of the tables that noisy counts give, cut at zero and with 1 added to each."""
        elimination = Elimination(self.model, self.schema)
        logs = np.zeros((len(test["y"]), self.sizes["y"]))
        for node, place in elimination.places.items():
            rows = np.maximum(noisy[place], 0).reshape(elimination.shapes[node]) + 1.0
            table = np.log(rows / rows.sum(axis=-1, keepdims=True))
            logs += table if node == "y" else table[:, test[node]].T
        return log_loss(np.exp(logs - logs.max(axis=1, keepdims=True)), test["y"])

    def loss(self, posterior: pv.NetworkPosterior, test: Codes) -> float:
        """Return the log loss of a posterior's predictions."""
        return log_loss(
            posterior.predict_proba({name: test[name] for name in self.model.features}), test["y"]
        )


def log_loss(chances: Floats, truth: NDArray[np.integer]) -> float:
    """Return the mean log loss of the truth, in nats."""
    return float(-np.log(chances[np.arange(len(truth)), truth] / chances.sum(axis=1)).mean())
