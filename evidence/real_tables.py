"""Columns and pairs of real tables, counted once, and what releases of them say of the tables themselves."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from record import ROOT

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

#: where the tables lie: beside the repository, or where a variable says
FOLDER = Path(os.environ.get("PRIVIOR_REAL_TABLES", ROOT.parent / "shared" / "data"))
KINDS = ("counts", "shares", "mean", "upper 10%", "upper 3%", "upper 0.5%")
_TAILS = (0.1, 0.03, 0.005)
#: maxima that are declared of a private number of records, as parts of it, by turns
DECLARED = (1, 1.01, 2)
#: draws behind an interval, and noises behind a plain one: of so many two are the 5% and 95% quantiles, to 7%
#: of its width, and the mean over all tables and relations to 1%
_DRAWS, _NOISES = 2000, 199
#: columns of numbers: the public bounds and the step that a curator would declare
_NUMBERS = {
    "adult_raw": {
        "age": (0, 110, 1),
        "hours-per-week": (0, 99, 1),
        "education-num": (1, 16, 1),
        "capital-gain": (0, 100_000, 2_000),
        "capital-loss": (0, 5_000, 100),
        "fnlwgt": (0, 1_500_000, 20_000),
    },
    "acs_national2019_raw": {
        "AGEP": (0, 99, 1),
        "NPF": (0, 20, 1),
        "PINCP": (-10_000, 400_000, 5_000),
        "POVPIP": (0, 501, 6),
        "PWGTP": (0, 600, 10),
        "INDP": (0, 10_000, 200),
    },
}
_NAMES = {
    "adult_raw": ("workclass", "occupation", "relationship", "native-country", "race", "sex"),
    "acs_national2019_raw": ("PUMA", "RAC1P", "HISP"),
    "mushroom_disc": ("cap_color", "odor", "gill_color", "habitat"),
}
_PAIRS = {
    "adult_raw": (
        ("sex", "age"),
        ("race", "hours-per-week"),
        ("relationship", "education-num"),
        ("workclass", "occupation"),
    ),
    "acs_national2019_raw": (("HISP", "AGEP"), ("RAC1P", "NPF")),
    "adult_disc": (("age", "hours"), ("education_num", "occupation"), ("marital", "y")),
    "mushroom_disc": (("odor", "y"), ("cap_color", "habitat")),
}


@dataclass(frozen=True, eq=False)
class Subject:
    """A table of counts, as a curator would have it.

    Attributes:
        name: of the table and its columns
        schema: the public facts
        columns: in order
        counts: the true table
    """

    name: str
    schema: pv.Schema
    columns: tuple[str, ...]
    counts: np.ndarray

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.schema.column(name).size for name in self.columns)

    @cached_property
    def _along(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The level of the last ordered column in each cell, and the number of records of each level."""
        ordered = [place for place, name in enumerate(self.columns) if self.schema.column(name).ordered]
        if not ordered:
            return None
        levels = np.unravel_index(np.arange(self.counts.size), self.shape)[ordered[-1]]
        return levels, np.bincount(levels, weights=self.counts, minlength=self.shape[ordered[-1]])

    def answers(self, tables: np.ndarray) -> dict[str, np.ndarray]:
        """Return what some tables answer to each kind of question, as (table, question)."""
        totals = np.maximum(tables.sum(axis=1, keepdims=True), 1)
        found = {"counts": tables, "shares": tables / totals}
        if self._along is not None:
            levels, sizes = self._along
            upper = np.cumsum(sizes[::-1])[::-1] / sizes.sum()
            found["mean"] = (tables @ levels)[:, None] / totals
            for kind, share in zip(KINDS[3:], _TAILS, strict=True):
                edge = int(np.abs(upper - share).argmin())
                found[kind] = tables[:, levels >= edge].sum(axis=1)[:, None] / totals
        return found


@dataclass(frozen=True)
class Held:
    """One kind of question about one table: the share of intervals that held the truth, and their width.

    Attributes:
        kind: of the question
        covered: the share, for each release
        width: the mean width of the intervals
        plain: that of the noise's own
    """

    kind: str
    covered: tuple[float, ...]
    width: float
    plain: float


def measured(
    subject: Subject, epsilon: str, neighbours: pv.Neighbours, releases: int, prior: object = None
) -> list[Held]:
    """Release the table some times, and ask each release what the table was."""
    records = int(subject.counts.sum())
    model = pv.DirichletCategorical(subject.columns)
    declared = DECLARED[len(subject.name) % len(DECLARED)]
    most = records if neighbours is pv.REPLACE_ONE else math.ceil(declared * records)
    plan = pv.plan(model, subject.schema, records=most, epsilon=epsilon, neighbours=neighbours)
    exact = ExactStatistics(subject.counts)
    truth = {kind: each[0] for kind, each in subject.answers(subject.counts[None]).items()}
    noisy = np.array([plan.mechanism.release(exact).array() for _ in range(_NOISES)])
    plain = {kind: np.diff(_ends(each), axis=0)[0] for kind, each in subject.answers(noisy).items()}
    held: dict[str, list[np.ndarray]] = {kind: [] for kind in truth}
    widths: dict[str, list[np.ndarray]] = {kind: [] for kind in truth}
    for _ in range(releases):
        release = measure_statistics(plan, exact, ledger=pv.Ledger.in_memory(epsilon=100))
        latent = pv.infer(release, prior=prior).latent
        tables = latent.draws(_DRAWS, np.random.default_rng(0)) if latent.kept is None else latent.kept
        for kind, each in subject.answers(tables).items():
            low, high = _ends(each)
            held[kind].append((low <= truth[kind]) & (truth[kind] <= high))
            widths[kind].append(high - low)
    return [
        Held(
            kind,
            tuple(float(np.mean(each)) for each in held[kind]),
            float(np.mean(widths[kind])),
            float(np.mean(plain[kind])),
        )
        for kind in truth
    ]


def _ends(answers: np.ndarray) -> np.ndarray:
    return np.asarray(np.quantile(answers, [0.05, 0.95], axis=0, method="inverted_cdf"))


def subjects() -> Iterator[Subject]:
    """Yield every column and pair."""
    for table in (*_NUMBERS, "adult_disc", "mushroom_disc"):
        frame = pq.read_table(FOLDER / f"{table}.parquet").to_pandas()
        names = (*_NUMBERS.get(table, ()), *_NAMES.get(table, ()))
        for columns in (*((name,) for name in names), *_PAIRS.get(table, ())):
            rows = frame[list(columns)].dropna()
            made, codes = zip(*(_column(table, name, rows[name].to_numpy()) for name in columns), strict=True)
            schema = pv.Schema(dict(zip(columns, made, strict=True)), population=table, unit="person")
            shape = tuple(column.size for column in made)
            cells = np.ravel_multi_index(codes, shape)
            counts = np.bincount(cells, minlength=int(np.prod(shape)))
            yield Subject(f"{table}: {' x '.join(columns)}", schema, columns, counts)


def _column(table: str, name: str, values: np.ndarray) -> tuple[pv.Integer | pv.Categorical, np.ndarray]:
    """Declare a column, and code its values; a column of wide steps is one of whole numbers of steps."""
    if name in _NUMBERS.get(table, {}):
        low, high, step = _NUMBERS[table][name]
        codes = (np.clip(values.astype(float), low, high) - low) // step
        return pv.Integer(0, int((high - low) // step)), codes.astype(np.int64)
    domain = FOLDER / f"{table}.domain.json"
    if domain.exists():
        size = json.loads(domain.read_text())[name]
        return pv.Categorical([f"level {level}" for level in range(size)]), values.astype(np.int64)
    levels, codes = np.unique(values.astype(str), return_inverse=True)
    return pv.Categorical(levels.tolist()), codes
