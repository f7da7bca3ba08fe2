"""Speed: what a user waits for, in CPU seconds, on one machine in one run."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from counting import compare_parquet
from readings import compare as compare_readings
from record import Certificate, store
from sums import compare

import privior as pv
from regressions import measured

LEVELS = 10_000


def cpu_seconds(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def test_ten_thousand_levels() -> None:
    certificate = Certificate.of(__file__)
    names = [f"level {i}" for i in range(LEVELS)]
    schema = pv.Schema({"x": pv.Categorical(names)}, population="p", unit="person")
    rng = np.random.default_rng(0)
    rows = pa.table(
        {"x": np.array(names)[rng.choice(LEVELS, size=1_000_000, p=rng.dirichlet(np.ones(LEVELS)))]}
    )
    model = pv.DirichletCategorical("x", prior=1)
    lines = []
    for epsilon in ("1", "0.1"):
        found: dict[str, object] = {}

        def release(epsilon: str = epsilon, found: dict[str, object] = found) -> None:
            plan = pv.plan(model, schema, records=1_000_000, epsilon=epsilon)
            found["release"] = pv.measure(plan, rows, ledger=pv.Ledger.in_memory())

        def infer(found: dict[str, object] = found) -> None:
            posterior = pv.infer(found["release"])  # type: ignore[arg-type]
            posterior.interval(0.9)
            found["posterior"] = posterior

        took = [
            (cpu_seconds(release), 5.0, "plan and release"),
            (cpu_seconds(infer), 30.0, "infer and interval"),
        ]
        for seconds, bar, what in took:
            lines.append((f"{what}, epsilon {epsilon}", f"{seconds:.2f}", f"{bar:g}"))
            assert seconds <= bar, what
    store(
        "ten-thousand-levels",
        certificate,
        title="Ten thousand levels, a million records",
        claim="plan and release within 5 s, inference within 30 s",
        header=("step", "CPU seconds", "bar"),
        rows=lines,
    )


def test_counting_against_the_engine() -> None:
    certificate = Certificate.of(__file__)
    found = list(compare_parquet(rows=10_000_000, repetitions=9))
    store(
        "counting",
        certificate,
        title="Counting ten million rows of Parquet",
        claim="within 3 times DuckDB's own GROUP BY on the same file in the same run",
        header=("columns", "privior, CPU s", "GROUP BY, CPU s", "ratio, CPU", "ratio, wall"),
        rows=[
            (
                comparison.columns,
                f"{comparison.privior[1]:.2f}",
                f"{comparison.engine[1]:.2f}",
                f"{comparison.ratios[1]:.2f}",
                f"{comparison.ratios[0]:.2f}",
            )
            for comparison in found
        ],
    )
    assert max(comparison.ratios[1] for comparison in found) <= 3


def test_sums_against_the_engine() -> None:
    certificate = Certificate.of(__file__)
    found = list(compare(rows=10_000_000, repetitions=15))
    store(
        "sums",
        certificate,
        title="Summing ten million values of one column of Parquet",
        claim="within 2 times the CPU of DuckDB's own SELECT sum(x) on the same file in the same run, each "
        "from nothing: it opens its engine and the file; beside it the sum alone, in an engine that is open",
        header=(
            *("column", "privior, CPU s", "sum(x), CPU s", "ratio"),
            *("alone: privior, CPU s", "alone: sum(x), CPU s", "alone: ratio"),
        ),
        rows=[
            (
                one.column,
                *(f"{took[1]:.3f}" for took in one.whole),
                f"{one.ratios[1]:.2f}",
                *(f"{took[1]:.3f}" for took in one.alone),
                f"{one.ratios[0]:.2f}",
            )
            for one in found
        ],
    )
    assert max(one.ratios[1] for one in found) <= 2


def test_readings_against_the_engine() -> None:
    certificate = Certificate.of(__file__)
    tables, moments = compare_readings(rows=10_000_000, repetitions=5)
    bars = (
        ("to a scan", tables, tables.privior / tables.scan, 3.5),
        ("to the best SQL by hand", tables, tables.privior / tables.queries, 1.0),
        ("to SQL by hand", moments, moments.privior / moments.queries, 0.6),
    )
    store(
        "readings",
        certificate,
        title="Sixteen tables and 120 moments of ten million rows of Parquet, each in one pass",
        claim="tables of class by feature at most 3.5 times the CPU of a scan of their columns and at most "
        "that of the best queries by hand; moments at most 0.6 of a query by hand, all in the same run",
        header=("what", "privior, CPU s", "scan, CPU s", "by hand, CPU s", "ratio", "bar"),
        rows=[
            (
                f"{one.what} {beside}",
                *(f"{took:.3f}" for took in (one.privior, one.scan, one.queries)),
                f"{ratio:.2f}",
                f"{bar:g}",
            )
            for beside, one, ratio, bar in bars
        ],
    )
    for beside, one, ratio, bar in bars:
        assert ratio <= bar, f"{one.what} {beside}"


def test_moments_against_the_engine() -> None:
    certificate = Certificate.of(__file__)
    found = measured(repetitions=3)
    ratio, (little, much) = found.ours / found.by_hand, found.memory
    store(
        "regression-moments",
        certificate,
        title=f"{found.sums} moments of 14 features and a target, ten million rows of Parquet",
        claim="at most 0.6 of the CPU of a query by hand for the same sums in the same run; the reader's "
        "memory is flat: for ten million rows at most 1.3 times that for one million; inference within 5 s",
        header=("what", "found", "bar"),
        rows=[
            ("privior, CPU s", f"{found.ours:.2f}", ""),
            ("SQL by hand, CPU s", f"{found.by_hand:.2f}", ""),
            ("ratio", f"{ratio:.2f}", "0.6"),
            ("reader's memory, a million rows, MB", f"{little:.0f}", ""),
            ("reader's memory, ten million rows, MB", f"{much:.0f}", f"{1.3 * little:.0f}"),
            ("inference, 14 features, CPU s", f"{found.inference:.2f}", "5"),
        ],
    )
    assert ratio <= 0.6
    assert much <= 1.3 * little
    assert found.inference <= 5
