"""The table of true epsilons in docs/mechanisms.md is computed anew from what its rows say."""

from __future__ import annotations

import ast
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import privior as pv
from kinds import COMPARED, ON_REQUEST
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mechanisms.md"
HEAD = "| mechanism | records | what | claimed | true |"
#: cells are counted from minus this to the records plus this, where noise leaves the tables
MARGIN = {"k-norm": 2, "laplace-counts": 2, "gaussian-counts": 16}
KINDS = {kind.__name__: kind for kind in COMPARED + ON_REQUEST}
Row = tuple[str, int, str, str, str]


def rows_of(page: str) -> list[Row]:
    lines = page.split(HEAD)[1].split("\n\n")[0].splitlines()[2:]
    found = []
    for line in lines:
        call, records, what, claimed, true = (cell.strip() for cell in line.strip("|").split("|"))
        found.append((call.strip("`"), int(records), what, claimed, true))
    return found


ROWS = rows_of(PAGE.read_text("utf-8"))


def built(call: str, records: int) -> Mechanism:
    """Build the mechanism that a row names, for its number of records if it needs one."""
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Name)
    given = [ast.literal_eval(argument) for argument in tree.args]
    named = {str(word.arg): ast.literal_eval(word.value) for word in tree.keywords}
    kind = KINDS[tree.func.id]
    if kind.name in ("lshist", "lsdim", "ehd", "ehds", "ehdl", "virtual-records", "dirichlet-draw"):
        named["records"] = records
    return kind(*given, **named)


@cache
def truth(call: str, records: int, what: str) -> tuple[float, float]:
    """Return what is claimed and what enumeration finds."""
    mechanism = built(call, records)
    at = re.fullmatch(r"delta at epsilon ([\d.]+)", what)
    if isinstance(mechanism, pv.DirichletDraw):
        assert at
        return mechanism.guarantee.delta(float(at[1])), drawn_delta(mechanism, records, float(at[1]))
    epsilons: tuple[float, ...] = (float(at[1]),) if at else ()
    found = pv.audit(mechanism, records=records, margin=MARGIN.get(mechanism.name, 0), epsilons=epsilons)  # type: ignore[arg-type]
    assert found.holds
    if at:
        return found.claimed_deltas[epsilons[0]], found.deltas[epsilons[0]]
    assert what == "epsilon"
    assert found.claimed is not None
    return found.claimed, found.largest_loss


def drawn_delta(mechanism: pv.DirichletDraw, records: int, epsilon: float) -> float:
    """Return the largest delta of one draw over all neighbours: two cells, so Beta laws on a line.

    Between neighbours the log ratio of densities rises or falls all the way, and crosses epsilon once, if
    at all: where a low count is raised, it may stay as it was.
    """
    assert (mechanism.cells, mechanism.draws, mechanism.max_rows) == (2, 1, 1)
    tables = [ExactStatistics(np.array([ones, records - ones])) for ones in range(records + 1)]
    laws = [stats.beta(*map(float, mechanism.parameters(table))) for table in tables]

    def delta(one: int, other: int) -> float:
        def loss(logit: float) -> float:
            y = 1 / (1 + math.exp(-logit))
            return float(laws[one].logpdf(y) - laws[other].logpdf(y)) - epsilon

        if loss(-30) < 0 and loss(30) < 0:
            return 0.0
        y = 1 / (1 + math.exp(-float(optimize.brentq(loss, -30, 30, xtol=1e-13))))
        mine, theirs = (laws[law].sf(y) if one > other else laws[law].cdf(y) for law in (one, other))
        return float(mine - math.exp(epsilon) * theirs)

    return max(max(delta(ones, ones + 1), delta(ones + 1, ones)) for ones in range(records))


def test_every_mechanism_is_in_the_table() -> None:
    listed = {call.partition("(")[0] for call, *_ in ROWS}
    assert listed == set(KINDS)
    assert any("calibrated" in call for call, *_ in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_table_holds_what_is_computed(row: Row) -> None:
    call, records, what, claimed, true = row
    found = truth(call, records, what)
    assert [f"{number:.4g}" for number in found] == [claimed, true]


def test_a_wrong_row_would_be_seen() -> None:
    """A claim that is half of the truth, and a number that drifted."""
    call, records, what, claimed, true = ROWS[0]
    found = truth(call, records, what)
    assert f"{found[1] / 2:.4g}" != true
    assert f"{found[0] / 2:.4g}" != claimed
    drifted = rows_of(PAGE.read_text("utf-8").replace(f"`{call}`", "`KNorm(3, 2)`"))
    assert f"{truth(drifted[0][0], records, what)[1]:.4g}" != drifted[0][4]
