"""A public minimum of the counts joins the prior; what is below it is raised, so the promise needs no trust.

T05, T08: every two neighbouring tables, those that break the declaration too. T04: refusals before the spend.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import betainc, betaln

import privior as pv
from kinds import table_mechanism
from privior.mechanisms import PosteriorRelease, PublicFacts
from privior.models import ExactStatistics, Observed

BOTH = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
Table = tuple[int, ...]


def tables(total: int, cells: int) -> Iterator[Table]:
    for part in itertools.product(range(total + 1), repeat=cells):
        if sum(part) == total:
            yield part


def neighbours(relation: pv.Neighbours, records: int, cells: int) -> Iterator[tuple[Table, Table]]:
    if relation is pv.REPLACE_ONE:
        for one, other in itertools.permutations(tables(records, cells), 2):
            if sum(abs(x - y) for x, y in zip(one, other, strict=True)) == 2:
                yield one, other
    else:
        for one in tables(records - 1, cells):
            for cell in range(cells):
                more = (*one[:cell], one[cell] + 1, *one[cell + 1 :])
                yield from ((one, more), (more, one))


def beta_delta(p: tuple[float, float], q: tuple[float, float], epsilon: float) -> float:
    """The divergence of two Beta laws whose likelihood ratio is y^s (1-y)^t with s t <= 0: monotone in y."""
    s, t = p[0] - q[0], p[1] - q[1]
    if s < 0 or t > 0:  # seen from the other end
        return beta_delta(p[::-1], q[::-1], epsilon)
    level = epsilon + betaln(*p) - betaln(*q)
    low, high = -3000.0, 3000.0  # log odds at which the loss is epsilon
    for _ in range(200):
        middle = (low + high) / 2
        loss = -s * np.logaddexp(0, -middle) - t * np.logaddexp(0, middle)
        low, high = (low, middle) if loss > level else (middle, high)
    below = 1 / (1 + math.exp(low)) if low < 700 else 0.0
    return float(betainc(p[1], p[0], below) - math.exp(epsilon) * betainc(q[1], q[0], below))


def largest_delta(mechanism: pv.DirichletDraw, records: int, epsilon: float) -> float:
    """Over all neighbouring tables: what the parameters of two tables say, reduced to the cells that differ.

    One cell differs: its share is sufficient. Two do: their shares of each other, if the sums are alike.
    """
    worst = 0.0
    for one, other in neighbours(mechanism.neighbours, records, mechanism.cells):
        u, v = ([float(x) for x in mechanism.parameters(ExactStatistics(np.array(t)))] for t in (one, other))
        apart = [i for i, (x, y) in enumerate(zip(u, v, strict=True)) if x != y]
        if len(apart) == 1:
            i = apart[0]
            rest = math.fsum(u[:i] + u[i + 1 :])
            pair = (u[i], rest), (v[i], rest)
        elif len(apart) == 2:
            i, j = apart
            pair = (u[i], u[j]), (v[i], v[j])
        else:
            continue
        worst = max(worst, beta_delta(*pair, epsilon))
    return worst


DRAWS = [(cells, relation, least) for cells in (2, 3) for relation in BOTH for least in (0, 1, 2)]


@pytest.mark.parametrize(("cells", "relation", "least"), DRAWS)
def test_draws_of_every_table_keep_the_promise(cells: int, relation: pv.Neighbours, least: int) -> None:
    """Nine records: tables with fewer than `least` in a cell are among them."""
    made = pv.DirichletDraw(cells, "1/2", 1, "1e-2", neighbours=relation, records=9, least=least)
    for epsilon in (0.0, 0.5, 1.0):
        true, claimed = largest_delta(made, 9, epsilon), made.guarantee.delta(epsilon)
        assert true <= claimed * (1 + 1e-9)
        if relation is pv.REPLACE_ONE:
            assert true == pytest.approx(claimed, rel=1e-6)  # attained


@pytest.mark.parametrize("relation", BOTH)
def test_draws_without_raising_break_the_promise(
    relation: pv.Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted fault: the larger prior is charged, low counts are used as they are."""
    made = pv.DirichletDraw(3, "1/2", 1, "1e-2", neighbours=relation, records=9, least=2)

    def lower(self: PosteriorRelease, statistics: ExactStatistics) -> list[Fraction]:
        return [a + self.rate * int(c) for a, c in zip(self.prior, statistics.counts, strict=True)]

    monkeypatch.setattr(PosteriorRelease, "parameters", lower)
    assert largest_delta(made, 9, 1.0) > 1.5 * made.guarantee.delta(1.0)


@pytest.mark.parametrize("relation", BOTH)
@pytest.mark.parametrize(("cells", "rate", "least"), [(2, "1", 2), (3, "1", 1), (3, "0.4", 2)])
def test_virtual_records_of_every_table_keep_the_promise(
    relation: pv.Neighbours, cells: int, rate: str, least: int
) -> None:
    made = pv.VirtualRecords(
        cells, ["1/2", "2", "3/4"][:cells], 4, rate=rate, neighbours=relation, records=6, least=least
    )
    found = pv.audit(made, records=6, epsilons=(0.0, 0.3))
    assert found.holds
    assert found.outside < 1e-9
    without = pv.VirtualRecords(cells, made.prior, 4, rate=rate, neighbours=relation, records=6)
    assert made.epsilon < without.epsilon


def test_virtual_records_without_raising_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = pv.VirtualRecords(3, "1/2", 4, records=5, least=1)

    def lower(self: PosteriorRelease, statistics: ExactStatistics) -> list[Fraction]:
        return [a + self.rate * int(c) for a, c in zip(self.prior, statistics.counts, strict=True)]

    monkeypatch.setattr(PosteriorRelease, "parameters", lower)
    assert not pv.audit(made, records=5).holds


def test_less_noise_for_the_same_promise() -> None:
    """Known values at prior 1, (1, 1e-6): rate .08784 without, .5346 with at least 20 in every cell."""
    rates = [pv.DirichletDraw(3, 1, 1, "1e-6", records=1000, least=t).rate for t in (0, 5, 20, 100)]
    assert rates == [Fraction("0.08784"), Fraction("0.1405"), Fraction("0.5346"), 1]
    facts = [PublicFacts(3, 1000, 1, pv.REPLACE_ONE, pv.Budget.of(1), least=t) for t in (0, 20)]
    errors = [pv.VirtualRecords.for_facts(one).expected_squared_error for one in facts]
    assert errors[1] < 0.8 * errors[0]


def test_the_floor_is_a_larger_prior() -> None:
    """The guarantee is that of a prior larger by rate * least."""
    made = pv.DirichletDraw(4, 1, 1, "1e-6", records=1000, least=20)
    same = pv.DirichletDraw(4, 1 + 20 * made.rate, 1, "1e-6", records=1000, rate=made.rate)
    assert made.guarantee.delta(0.5) == same.guarantee.delta(0.5)
    with pytest.raises(pv.PlanError, match="does not give"):
        pv.DirichletDraw(4, 1, 1, "1e-6", records=1000, rate=made.rate)
    assert "counts raised to 20 at least" in str(made.guarantee)


def test_the_document_says_so_and_older_ones_are_read() -> None:
    made = pv.DirichletDraw(3, 1, 1, "1e-6", records=1000, least=20, max_rows=2)
    document = json.loads(json.dumps(made.to_document()))
    assert (document["least"], document["max_rows"]) == (20, 2)
    assert table_mechanism(document) == made
    plain = pv.DirichletDraw(3, 1, 1, "1e-6", records=1000).to_document()
    assert not {"least", "max_rows"} & set(plain)
    assert (table_mechanism(plain).least, table_mechanism(plain).max_rows) == (0, 1)  # type: ignore[attr-defined]
    for entry in ("least", "max_rows"):  # a file that claims less than it costs is refused
        with pytest.raises(pv.PlanError, match="does not give"):
            table_mechanism(
                {**document, "least" if entry == "least" else "max_rows": {"least": 0, "max_rows": 3}[entry]}
            )


# ---- through a plan, a table and a file --------------------------------------------------------------------


def planned(kind: Any, relation: pv.Neighbours, least: int, **how: Any) -> pv.Plan:
    unit = pv.Unit("person", column="who", max_rows=how.pop("max_rows", 1))
    schema = pv.Schema({"x": pv.Categorical(["a", "b", "c"])}, population="p", unit=unit)
    model = pv.DirichletCategorical("x", prior="1/2")
    facts: dict[str, Any] = {"records": 9, "epsilon": 2, "delta": "1e-2", **how}
    return pv.plan(model, schema, neighbours=relation, mechanism=kind, least=least, **facts)


def measured(plan: pv.Plan, counts: list[int]) -> pv.Release:
    rows = ["abc"[i] for i, count in enumerate(counts) for _ in range(count)]
    who = [f"p{place // plan.schema.unit.max_rows}" for place in range(len(rows))]
    ledger = pv.Ledger.in_memory(epsilon=1000, delta="0.5")
    return pv.measure(plan, pa.table({"who": who, "x": rows}), ledger=ledger)


def enumerated(
    releases: list[pv.Release], least: int, prior: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and stddev of the counts, mean of the probabilities, over all tables that satisfy the minimum."""
    plan = releases[0].plan
    a, most = (
        plan.model.parameters(plan.schema) if prior is None else np.full(3, prior),
        plan.records * plan.schema.unit.max_rows,
    )
    totals = [plan.records] if plan.total_public else range(most + 1)
    every = [c for total in totals for c in tables(total, a.size) if min(c) >= least]
    logs = []
    for c in every:
        n = sum(c)
        before = math.lgamma(n + 1) - math.lgamma(n + a.sum())
        before += sum(math.lgamma(x + y) - math.lgamma(x + 1) for x, y in zip(c, a, strict=True))
        exact = ExactStatistics(np.array(c))
        logs.append(before + sum(r.plan.mechanism.log_likelihood(r.statistics, exact) for r in releases))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    found = np.array(every)
    mean = weights @ found
    chances = weights @ ((found + a) / (found.sum(axis=1, keepdims=True) + a.sum()))
    return mean, np.sqrt(weights @ (found - mean) ** 2), chances


CASES = [
    (kind, relation, least, rows)
    for kind, rows in ((pv.DirichletDraw, 1), (pv.DirichletDraw, 2), (pv.VirtualRecords, 1))
    for relation in BOTH
    for least in (0, 1, 3)
    if least or rows == 2
]


@pytest.mark.parametrize(("kind", "relation", "least", "rows"), CASES)
def test_measured_and_inferred_as_by_enumeration(
    kind: Any, relation: pv.Neighbours, least: int, rows: int
) -> None:
    plan = planned(kind, relation, least, max_rows=rows)
    release = measured(plan, [4 * rows, 2 * rows, 3 * rows])
    again = pv.Release.from_json(release.to_json())
    assert again.plan.digest == plan.digest
    posterior = pv.infer(again)
    mean, stddev, chances = enumerated([release], least)
    assert posterior.latent.exact
    assert posterior.counts().mean() == pytest.approx(mean, rel=1e-8)
    assert posterior.counts().stddev() == pytest.approx(stddev, rel=1e-7, abs=1e-9)
    assert posterior.mean() == pytest.approx(chances, rel=1e-8 if plan.total_public else 2e-2)
    draws = posterior.counts().draws(200, seed=1)
    assert draws.min() >= least
    assert posterior.counts().interval(0.9).min() >= least


def test_beside_noisy_counts_and_with_another_prior() -> None:
    drawn = measured(planned(pv.DirichletDraw, pv.REPLACE_ONE, 2), [4, 2, 3])
    noisy = measured(planned(pv.KNorm, pv.REPLACE_ONE, 0), [4, 2, 3])
    mean, stddev, _ = enumerated([drawn, noisy], 2)
    both = pv.infer([drawn, noisy])
    assert both.counts().mean() == pytest.approx(mean, rel=1e-8)
    assert both.counts().stddev() == pytest.approx(stddev, rel=1e-7)
    other = pv.infer(drawn, prior=3)
    mean, stddev, chances = enumerated([drawn], 2, prior=3)
    assert other.counts().mean() == pytest.approx(mean, rel=1e-8)
    assert other.counts().stddev() == pytest.approx(stddev, rel=1e-7)
    assert other.mean() == pytest.approx(chances, rel=1e-8)


def test_a_minimum_that_leaves_no_choice() -> None:
    """Three cells of three of nine records: nothing is left to learn about the counts."""
    posterior = pv.infer(measured(planned(pv.DirichletDraw, pv.REPLACE_ONE, 3), [3, 3, 3]))
    assert posterior.counts().mean() == pytest.approx([3, 3, 3])
    assert posterior.mean() == pytest.approx([1 / 3] * 3)


def test_a_table_that_breaks_the_declaration_is_released_all_the_same() -> None:
    """An error would tell something about the data; the counts are raised instead."""
    plan = planned(pv.VirtualRecords, pv.REPLACE_ONE, 3)
    release = measured(plan, [9, 0, 0])
    assert sum(release.statistics.counts) == plan.mechanism.drawn
    raised, as_declared = (ExactStatistics(np.array(t)) for t in ([9, 0, 2], [9, 3, 3]))
    for output in tables(2, 3):
        seen = Observed.of(output)
        small = pv.VirtualRecords(3, "1/2", 2, records=9, least=3)
        assert small.log_likelihood(seen, raised) == small.log_likelihood(seen, as_declared)


def test_the_plan_says_so_and_it_is_part_of_its_identity(tmp_path: Path) -> None:
    plan, without = (planned(pv.DirichletDraw, pv.REPLACE_ONE, least) for least in (2, 0))
    assert plan.digest != without.digest
    assert "every cell has at least 2 records, which is public" in str(plan)
    assert "minimum" not in dict(without.facts())
    assert plan.at(1).mechanism.minimum == 2
    assert plan.forecast.l2 < without.forecast.l2
    release = measured(plan, [4, 2, 3])
    review = pv.review(release)
    assert "takes the declaration on trust" in str(review)
    assert "declaration" not in str(pv.review(measured(without, [4, 2, 3])))
    assert (
        pv.review(measured(planned(pv.VirtualRecords, pv.REPLACE_ONE, 2), [4, 2, 3])).table()[1][2][1]
        == "holds"
    )
    pv.write_report(release, tmp_path / "report.html")
    assert "at least 2 records" in (tmp_path / "report.html").read_text("utf-8")


def test_refusals_say_why() -> None:
    with pytest.raises(pv.PlanError, match="only dirichlet-draw, virtual-records can be told this"):
        planned(pv.KNorm, pv.REPLACE_ONE, 1)
    with pytest.raises(pv.PlanError, match="only dirichlet-draw, virtual-records can be told this"):
        planned(None, pv.REPLACE_ONE, 1)
    with pytest.raises(pv.PlanError, match="more than there can be"):
        planned(pv.DirichletDraw, pv.REPLACE_ONE, 4)
    for bad in (-1, True, "2", 10**10):
        with pytest.raises(pv.PlanError, match="least is out of range"):
            planned(pv.DirichletDraw, pv.REPLACE_ONE, bad)  # type: ignore[arg-type]
        with pytest.raises(pv.PlanError, match="least is out of range"):
            planned(pv.VirtualRecords, pv.REPLACE_ONE, bad)  # type: ignore[arg-type]
