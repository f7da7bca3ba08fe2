"""measure(): the order of its steps, and what every bad input costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from child_program import PROGRAM, at, planted
from privior.curator import prepare
from privior.mechanisms import KNorm
from privior.models import ExactStatistics, Observed

#: what opens a table in this process, and something that is opened here since it is no path
OPEN = "privior.curator.rows.open_table"
LIVE = object()


def test_a_release_of_the_bundled_table(tmp_path: Path) -> None:
    plan = pv.plan(
        pv.DirichletCategorical("sex", prior=1), pv.acs_schema(), records=pv.ACS_RECORDS, epsilon=1
    )
    ledger = pv.Ledger.create(tmp_path / "acs.ledger", population="acs-2019", epsilon=2)
    release = pv.measure(plan, pv.acs_table(), ledger=tmp_path / "acs.ledger", output=tmp_path / "sex.json")
    assert pv.Release.read(tmp_path / "sex.json") == release
    assert ledger.spent == pv.Budget.of(1)
    assert release.receipt.head == ledger.last().hash
    assert release.receipt.durable
    assert sum(release.statistics.counts) == pv.ACS_RECORDS
    assert abs(release.statistics.counts[0] - 14_030) < 60  # public data; the noise exceeds 60 once in e^60


@pytest.mark.parametrize(
    "kind",
    [pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim, pv.EHD, pv.EHDS, pv.EHDL],
)
def test_every_mechanism_goes_all_the_way(
    kind: type[pv.KNorm], schema: pv.Schema, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    plan = pv.plan(
        pv.DirichletCategorical("fruit", prior=1),
        schema,
        records=100,
        epsilon=1,
        delta="1e-6",
        mechanism=kind,
    )
    path = tmp_path / "release.json"
    pv.measure(plan, table, ledger=ledger, output=path)
    posterior = pv.infer(pv.Release.read(path))
    assert posterior.mean().sum() == pytest.approx(1)
    assert ledger.spent == plan.cost


def _refused(error: type[pv.PriviorError], says: str, act: Callable[[], object], ledger: pv.Ledger) -> None:
    before = ledger.last()
    with pytest.raises(error, match=says) as refusal:
        act()
    assert "Nothing was spent" in str(refusal.value)
    assert ledger.verify() == before


def test_what_is_wrong_before_the_spend_costs_nothing(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    empty, headless, folder = tmp_path / "empty.csv", tmp_path / "head.csv", tmp_path / "folder"
    empty.touch()
    headless.write_text("fruit\n")
    folder.mkdir()
    other = tmp_path / "other.csv"
    other.write_text("vegetable\nleek\n")
    for wrong, says in (
        (tmp_path / "missing.csv", "missing.csv"),
        (folder, "folder"),
        (empty, "empty.csv"),
        (headless, "the plan is for exactly 100"),
        (other, "fruit"),
        (tmp_path / "*.parquet", "parquet"),
        (tmp_path / "table.xlsx", "table.xlsx"),
        (42, "int"),
        (pa.table({"vegetable": ["leek"]}), "fruit"),
        (pa.table({"fruit": ["apple"] * 99}), "the plan is for exactly 100"),
    ):
        _refused(pv.TableError, says, lambda wrong=wrong: pv.measure(plan, wrong, ledger=ledger), ledger)  # type: ignore[misc]
    _refused(pv.PlanError, "not a plan", lambda: pv.measure("plan", table, ledger=ledger), ledger)  # type: ignore[arg-type]
    batch = pv.Batch.of([plan])
    _refused(pv.PlanError, "measure_all", lambda: pv.measure(batch, table, ledger=ledger), ledger)  # type: ignore[arg-type]
    _refused(pv.LedgerError, "not a ledger", lambda: pv.measure(plan, table, ledger=3), ledger)  # type: ignore[arg-type]
    _refused(pv.LedgerError, "no ledger here", lambda: pv.measure(plan, table, ledger=tmp_path / "x"), ledger)
    _refused(
        pv.TableError, "exists already", lambda: pv.measure(plan, table, ledger=ledger, output=table), ledger
    )
    for output, says in (
        (tmp_path / "no" / "release.json", "cannot be written"),
        (tmp_path / ("x" * 300), "cannot be written"),
        (f"{tmp_path}/a\0b", "cannot be written"),
        (5, "not the path"),
    ):
        act = partial(pv.measure, plan, table, ledger=ledger, output=output)  # type: ignore[arg-type]
        _refused(pv.TableError, says, act, ledger)


def test_t35_a_budget_that_is_used_up_leaves_the_table_unopened(plan: pv.Plan, tmp_path: Path) -> None:
    poor = pv.Ledger.create(tmp_path / "poor.ledger", population="orchard", epsilon="0.5")
    _refused(
        pv.BudgetExceededError, "largest release", lambda: pv.measure(plan, "none.csv", ledger=poor), poor
    )


def test_the_order_is_check_spend_read_draw(
    plan: pv.Plan, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T27: rows are read only after the spend is durable."""
    steps: list[str] = []

    class Watched:
        def records(self) -> int:
            steps.append(f"records, spent {ledger.spent.epsilon}")
            return 100

        def check(self, *_: object) -> None:
            pass

        def read(self, *_: object) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
            steps.append(f"rows, spent {ledger.spent.epsilon}")
            return (np.array([[50], [30], [20]]),)

    monkeypatch.setattr(OPEN, lambda *_: Watched())
    pv.measure(plan, LIVE, ledger=ledger)
    assert steps == ["records, spent 0", "rows, spent 1"]


def _fail(*_: object) -> Observed:
    raise RuntimeError("cell 'SECRET' in row 17")


def test_t36_every_failure_after_the_spend_has_one_answer(
    plan: pv.Plan, ledger: pv.Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failing to read, to draw and to write give the same words; the spend stands; no cause shows."""

    class Source:
        def __init__(self, counts: Any) -> None:
            self._counts = counts

        def records(self) -> int:
            return 100

        def check(self, *_: object) -> None:
            pass

        def read(self, *_: object) -> tuple[object]:
            return (_fail() if isinstance(self._counts, Exception) else self._counts[:, np.newaxis],)

    good = np.array([50, 30, 20])
    answers = []
    for number, (counts, broken) in enumerate(
        [
            (RuntimeError(), None),
            (np.array([1, 2, 3]), None),
            (good, "release"),
            (good, "write"),
            (good, None),
        ]
    ):
        with monkeypatch.context() as patch:
            patch.setattr(OPEN, lambda *_, counts=counts: Source(counts))
            if broken == "release":
                patch.setattr(KNorm, "release", _fail)
            if broken == "write":
                patch.setattr(pv.Release, "write", _fail)
            output = tmp_path / f"{number}.json"
            if number == 4:
                pv.measure(plan, LIVE, ledger=ledger, output=output)
                continue
            with pytest.raises(pv.ReleaseFailedError) as failure:
                pv.measure(plan, LIVE, ledger=ledger, output=output)
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None
        assert not output.exists()
        answers.append(
            str(failure.value)
            .replace(f"entry {number + 1}", "entry N")
            .replace(f"epsilon {number + 1}", "epsilon S")
            .replace(str(failure.value.incident), "I")
        )
        assert failure.value.incident == ledger.last().incident
        assert ledger.last().number == number + 1
    assert len(set(answers)) == 1
    assert "stays spent" in answers[0]
    assert "SECRET" not in answers[0]


class Failing:
    """A table whose rows raise with a cell in the message."""

    def __init__(self, error: BaseException, *, when: str) -> None:
        self.error, self.when = error, when

    def records(self) -> int:
        if self.when == "records":
            raise self.error
        return 100

    def check(self, *_: object) -> None:
        pass

    def read(self, *_: object) -> None:
        raise self.error


def test_t36_a_cell_in_an_exception_goes_nowhere(
    plan: pv.Plan, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, when, answer in (
        (ValueError, "records", pv.TableError),
        (ValueError, "rows", pv.ReleaseFailedError),
        (SystemExit, "rows", pv.ReleaseFailedError),
        (KeyboardInterrupt, "rows", KeyboardInterrupt),
    ):
        failing = Failing(kind("cell 'SECRET'"), when=when)
        monkeypatch.setattr(OPEN, lambda *_, failing=failing: failing)
        with pytest.raises(answer) as failure:
            pv.measure(plan, LIVE, ledger=ledger)
        assert "SECRET" not in str(failure.value)
        assert failure.value.__context__ is None
    assert ledger.last().number == 3


def test_bad_cells_are_never_an_error(schema: pv.Schema, ledger: pv.Ledger, tmp_path: Path) -> None:
    """T14, T15, T44: whatever stands in a line, it counts as one record."""
    path = tmp_path / "bad.csv"
    lines = [b"apple"] * 50 + [
        b"",
        b"nan",
        b"inf",
        b'"apple',
        b'pl"um',
        b"a,b,c",
        b"\xff\xfe",
        b"APPLE",
        b"\x00",
        b"1e999",
    ]
    path.write_bytes(b"fruit\n" + b"\n".join(lines) + b"\n")
    plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=60, epsilon=1000)
    release = pv.measure(plan, path, ledger=pv.Ledger.in_memory())
    assert release.statistics.counts == (50, 0, 10)  # at epsilon 1000 noise is zero but once in e^500


def test_under_add_or_remove_one_the_number_of_records_is_not_looked_at(
    schema: pv.Schema, tmp_path: Path, ledger: pv.Ledger
) -> None:
    """T20: a table of another size than declared is released like any other."""
    plan = pv.plan(
        pv.DirichletCategorical("fruit", prior=1),
        schema,
        records=1000,
        epsilon=1,
        neighbours=pv.ADD_OR_REMOVE_ONE,
    )
    for rows in (0, 10, 2000):
        release = pv.measure(plan, pa.table({"fruit": ["apple"] * rows}), ledger=ledger)
        assert len(release.to_json()) > 0
    assert ledger.spent == pv.Budget.of(3)


def test_persons_with_several_rows(ledger: pv.Ledger) -> None:
    """T21: at most max_rows rows of each person count, and records are persons."""
    schema = pv.Schema(
        {"fruit": pv.Categorical(["apple", "pear"])},
        population="orchard",
        unit=pv.Unit("person", "id", max_rows=2),
    )
    table = pa.table({"id": [1] * 50 + [2], "fruit": ["apple"] * 50 + ["pear"]})
    plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=2, epsilon=1000)
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    assert release.statistics.counts == (2, 1)


def test_t22_the_order_of_rows_and_columns_does_not_matter(schema: pv.Schema) -> None:
    plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=6, epsilon=1000)
    fruit = ["plum", "apple", "apple", "pear", "plum", "plum"]
    tables = [pa.table({"fruit": fruit}), pa.table({"z": range(6), "fruit": fruit[::-1]})]
    counts = {pv.measure(plan, table, ledger=pv.Ledger.in_memory()).statistics.counts for table in tables}
    assert counts == {(2, 1, 3)}


def test_the_inner_door_spends_too(plan: pv.Plan, ledger: pv.Ledger) -> None:
    from privior.curator import measure_statistics

    release = measure_statistics(plan, ExactStatistics(np.array([50, 30, 20])), ledger=ledger)
    assert ledger.last().number == release.receipt.entry == 1
    with pytest.raises(pv.ReleaseFailedError):
        measure_statistics(plan, ExactStatistics(np.array([50, 30])), ledger=ledger)
    assert ledger.last().number == 2


def test_two_releases_never_share_a_name(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    """The name is taken before the spend: who comes second spends nothing and overwrites nothing."""
    place = tmp_path / "r.json"
    first, second = (prepare(plan, table, ledger=ledger, output=place) for _ in range(2))
    first.carry_out()
    written = place.read_bytes()
    with pytest.raises(pv.TableError, match="exists already"):
        second.carry_out()
    assert place.read_bytes() == written
    assert ledger.last().number == 1


def test_a_measurement_is_carried_out_once(plan: pv.Plan, table: Path, ledger: pv.Ledger) -> None:
    ready = prepare(plan, table, ledger=ledger)
    ready.carry_out()
    with pytest.raises(pv.PlanError, match="already"):
        ready.carry_out()
    assert ledger.last().number == 1
    assert not hasattr(ready, "source")  # nobody can count without paying


def test_who_listens_cannot_make_a_release_fail(plan: pv.Plan, table: Path, ledger: pv.Ledger) -> None:
    def deaf(step: str) -> None:
        raise BrokenPipeError(step)

    release = prepare(plan, table, ledger=ledger, progress=deaf).carry_out(deaf)
    assert pv.review(release, ledger).passed


def test_a_failure_leaves_the_name_free(
    plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = at("privior.mechanisms.tables.k_norm:k_norm", "raise MemoryError")
    monkeypatch.setattr(PROGRAM, lambda: planted(fault))
    with pytest.raises(pv.ReleaseFailedError):
        pv.measure(plan, table, ledger=ledger, output=tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("length", [200, 240, 245, 250, 255, 256, 300])
def test_a_name_that_can_be_checked_can_be_written(
    length: int, plan: pv.Plan, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    place = tmp_path / ("a" * (length - 5) + ".json")
    try:
        pv.measure(plan, table, ledger=ledger, output=place)
    except pv.TableError:
        assert ledger.last().number == 0
    else:
        assert place.exists()


def test_an_unreadable_ledger_after_an_interruption_is_no_promise(
    plan: pv.Plan, ledger: pv.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the ledger cannot be asked whether the spend stands, nobody is told that it does not."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def unreadable(self: pv.Ledger) -> None:
        raise pv.LedgerError("disk I/O error")

    monkeypatch.setattr("privior.mechanisms.tables.k_norm.k_norm", interrupted)
    monkeypatch.setattr(pv.Ledger, "entries", unreadable)
    with pytest.raises(pv.ReleaseInterruptedError, match="The spend stands"):
        pv.measure(plan, pa.table({"fruit": ["apple"] * 100}), ledger=ledger)
