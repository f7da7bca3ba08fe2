"""Every threat that has a twin has its file, and every file an attack that is tried on both sides.

T12-T15, T20-T42, T45, T51 and T52 are threats whose broken behaviour is small enough to be kept.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NUMBERS = {*range(12, 16), *range(20, 43), 45, 51, 52}
FILES = sorted(HERE.glob("test_t[0-9][0-9]_*.py"))


def _number(file: Path) -> int:
    return int(file.name[len("test_t") :][:2])


def test_every_threat_has_its_file() -> None:
    assert {_number(file) for file in FILES} == NUMBERS


def test_no_file_stands_under_another_name() -> None:
    others = {"orchard.py", "test_registry.py", "till.py", "twins.py"}
    assert {file.name for file in HERE.glob("*.py")} == others | {file.name for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_tries_its_attack_on_both_sides(file: Path) -> None:
    """Its docstring names the threat; its tests bear the number, are made by `against`, and have twins."""
    module = importlib.import_module(file.stem)
    number = _number(file)
    assert re.match(rf"T{number}: ", module.__doc__ or "")
    tests = {name: test for name, test in vars(module).items() if name.startswith("test")}
    assert tests
    for name, test in tests.items():
        assert name.startswith(f"test_t{number}_")
        sound, broken = test.counted
        assert sound >= 1
        assert broken >= 1


def test_no_test_is_declared_twice() -> None:
    names = list(_declared())
    assert len(set(names)) == len(names)


def _declared() -> Iterator[str]:
    for file in FILES:
        yield from re.findall(r"^(test_\w+) = against\(", file.read_text("utf-8"), re.MULTILINE)


def test_the_harness_notices_a_twin_that_is_not_broken(tmp_path: Path) -> None:
    """An attack that a twin withstands, or that fails for another reason, fails the test."""
    from twins import against

    def attack(system: int) -> None:
        assert system / (system - 1) > 0

    def by_itself(folder: Path) -> int:
        return 0

    tried = against(attack)(privior={"sound": lambda _: 2}, twins={"broken": by_itself})
    tried((lambda _: 2, False), tmp_path)
    tried((by_itself, True), tmp_path)
    with pytest.raises(AssertionError):
        tried((by_itself, False), tmp_path)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        tried((lambda _: 2, True), tmp_path)
    with pytest.raises(ZeroDivisionError):
        tried((lambda _: 1, True), tmp_path)
