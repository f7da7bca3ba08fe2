"""Who a user is: two names are never read as one, and no name, line or file makes counting fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from privior.sequential.problems import CategoricalBandit
from privior.sequential.tallies import tallied
from privior.sequential.units import User
from privior.tables import read_steps

COLUMNS = ("action", "outcome", "user")


def used(steps: list[dict[str, object]]) -> dict[str, int]:
    problem = CategoricalBandit(2, batch=8)
    return tallied(problem, User(4), steps, {}, lambda below: 0).users


def log(folder: Path, content: bytes) -> list[dict[str, str]]:
    path = folder / "log.csv"
    path.write_bytes(b"action,outcome,user\n" + content)
    return read_steps(path, COLUMNS, 8)


def test_names_that_are_not_utf_8_are_not_read_as_one(tmp_path: Path) -> None:
    found = log(tmp_path, b"0,0,J\xe9\n" * 4 + b"1,1,J\xe8\n" * 4)
    assert found == [{}] * 8
    assert used([dict(one) for one in found]) == {}


def test_both_doors_agree_about_who_a_user_is(tmp_path: Path) -> None:
    read = log(tmp_path, b"0,0,1\n1,1, 1 \n0,1,J\xc3\xa9\n")
    said: list[dict[str, object]] = [
        {"action": 0, "outcome": 0, "user": 1},
        {"action": 1, "outcome": 1, "user": " 1 "},
        {"action": 0, "outcome": 1, "user": "Jé"},
    ]
    assert used([dict(one) for one in read]) == used(said) == {"1": 2, "Jé": 1}
    large = 10**199  # as long as a name may be
    read = log(tmp_path, f"0,0,1\n1,1,{large}\n".encode())
    said = [
        {"action": 0, "outcome": 0, "user": np.int64(1)},
        {"action": 1, "outcome": 1, "user": large},
    ]
    assert used([dict(one) for one in read]) == used(said) == {"1": 1, str(large): 1}


@pytest.mark.parametrize(
    "user",
    [10**4999, -(10**4999), 2**10_000, "x" * 300, "   ", True, None, 1.0, b"J", np.True_, 10**200],
    ids=range(11),
)
def test_no_name_raises(user: object) -> None:
    assert used([{"action": 0, "outcome": 1, "user": user}]) == {}


def test_long_lines_and_large_files_are_lines_of_which_nothing_is_known(tmp_path: Path) -> None:
    long = b"0,0," + b"x" * (70 << 20) + b"\n"
    found = log(tmp_path, b"0,0,a\n" + long + b"1,1,b\n" + b"\n" * 5 + long)
    assert found == [
        {"action": "0", "outcome": "0", "user": "a"},
        {},
        {"action": "1", "outcome": "1", "user": "b"},
        *[{}] * 5,
    ]
