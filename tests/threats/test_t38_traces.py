"""T38: a query leaves rows behind: in temporary files, logs, caches, or a core dump.

Mitigated: swap, and what the system keeps of files it has read, are not tested here, since no promise is
made about them.
"""

from __future__ import annotations

import ctypes
import gc
import json
import logging
import resource
import secrets
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

import pytest
from orchard import planned, written
from till import RefusedError
from twins import against, noise, seen

import privior as pv
from child_program import PROGRAM, at, planted

LINUX = sys.platform == "linux"


class System(Protocol):
    folder: Path

    def release(self, table: Path, found: Path, *, fails: bool) -> None:
        """Release a table; while its rows are held, writes to `found` whether they could be dumped."""


def attack(system: System) -> None:
    """Release a table, once well and once with a failure that quotes a cell; then look everywhere."""
    temporary, found = system.folder / "temporary", system.folder / "found.json"
    temporary.mkdir()
    parts = secrets.token_hex(8), secrets.token_hex(8)  # one after the other in what is read, and only there
    table = written(system.folder, ["".join(parts), "apple", "pear"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        patch.setenv("PRIVIOR_STATE", str(system.folder / "state"))
        for fails in (False, True):
            shown = seen(lambda: system.release(table, found, fails=fails))  # noqa: B023 - called at once
            if (shown.failure is not None) != fails:
                raise RuntimeError("it did not end as it should")
            told = _tells(shown.text, parts)
            assert not told, "a cell was logged, printed or raised"
    left = [path.name for path in temporary.rglob("*")]
    assert not left, "temporary files are left"
    files = [path for path in system.folder.rglob("*") if path.is_file() and path != table]
    kept = [path.name for path in files if _tells(path.read_bytes().decode("latin-1"), parts)]
    assert not kept, "a file holds a cell"
    held = _holds(gc.get_objects(), parts)
    assert not held, "the process that asked still holds a cell"
    dumps = json.loads(found.read_text())
    assert not any(dumps), "rows could be written to a core dump"


def _tells(text: str, parts: tuple[str, str]) -> bool:
    return text.partition(parts[0])[2].startswith(parts[1])


def _holds(objects: Iterable[object], parts: tuple[str, str]) -> bool:
    """Whether any object, or a tuple in it, refers to a text that came from the table."""
    for one in objects:
        for thing in gc.get_referents(one):
            inside = thing if type(thing) is tuple else (thing,)
            if any(type(text) is str and _tells(text, parts) for text in inside):
                return True
    return False


def dumpable() -> list[bool]:
    """Whether this process may write a core dump, or be dumped by a debugger of the same user."""
    traced = LINUX and ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) != 0
    return [resource.getrlimit(resource.RLIMIT_CORE) != (0, 0), traced]


class Privior:
    """The look at the process that reads is planted in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(records=3)

    def release(self, table: Path, found: Path, *, fails: bool) -> None:
        look = f"import json, test_t38_traces as t; json.dump(t.dumpable(), open({str(found)!r}, 'w'))"
        act = f"{look}; raise ValueError(open({str(table)!r}).read())" if fails else look
        with pytest.MonkeyPatch.context() as patch:
            place = "privior.tables.table:OpenTable.read"
            patch.setattr(PROGRAM, lambda: planted(at(place, act, when="after")))
            pv.measure(self.plan, table, ledger=pv.Ledger.in_memory())


class Careless:
    """Reads the rows where it was asked to, like any program; all else is clean."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def release(self, table: Path, found: Path, *, fails: bool) -> None:
        self.counts(table)
        found.write_text(json.dumps(dumpable()))
        if fails:
            raise RefusedError("the release failed")
        noise(3)

    def counts(self, table: Path) -> list[int]:
        rows = table.read_text().split()[1:]
        return [rows.count("apple"), rows.count("pear")]


class Scratch(Careless):
    """Sorts in a temporary file, which it forgets when something goes wrong, and here in any case."""

    def counts(self, table: Path) -> list[int]:
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write("\n".join(sorted(table.read_text().split())))
        return super().counts(table)


class Logs(Careless):
    """Logs what it could not read, for whoever has to repair it."""

    def counts(self, table: Path) -> list[int]:
        for row in table.read_text().split()[1:]:
            if row not in ("apple", "pear", "plum"):
                logging.getLogger("twin").info("not a fruit: %s", row)
        return super().counts(table)


@cache
def _rows(table: Path) -> list[str]:
    return table.read_text().split()[1:]


class Cached(Careless):
    """Reads each file once, and keeps it for the next query."""

    def counts(self, table: Path) -> list[int]:
        return [_rows(table).count("apple"), _rows(table).count("pear")]


test_t38_traces = against(attack)(
    privior={"own process": Privior},
    twins={
        "scratch": Scratch,
        "logs": Logs,
        "cached": Cached,
        **({"careless": Careless} if LINUX else {}),
    },
)
