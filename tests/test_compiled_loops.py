"""Loops are compiled before the tests begin, each for one kind of arguments: another takes as long again."""

from __future__ import annotations

import compiled_loops


def test_each_loop_is_compiled_once() -> None:
    compiled_loops.run()
    found = compiled_loops.signatures()
    assert len(found) > 30
    assert {name: many for name, many in found.items() if many != 1} == {}
