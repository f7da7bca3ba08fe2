"""T40: a small file that costs its reader much: memory or time that the file only names.

Others: archives that unpack without end, files read whole before their size is looked at, lists as long as a
number says, comparisons of all with all.
"""

from __future__ import annotations

import gc
import gzip
import json
import re
import time
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from orchard import planned, written
from twins import against, seen

import privior as pv
from privior.curator import header, measure_statistics
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics

_MEGABYTE = 2**20
_SECONDS = 0.5


def _cost(act: Callable[[], object]) -> tuple[float, float]:
    """Do something; return the seconds it computed and the most megabytes of Python's it held at once."""
    gc.freeze()  # what was there before is not looked through meanwhile
    tracemalloc.start()
    start = time.process_time()
    seen(act)
    seconds = time.process_time() - start
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    gc.unfreeze()
    return seconds, most / _MEGABYTE


class Documents(Protocol):
    folder: Path

    def read(self, path: Path) -> object:
        """Read a release that somebody sent, or refuse it."""


def attack_release(system: Documents) -> None:
    """Hand over releases that name more than they hold: reading costs what the file is worth."""
    path = system.folder / "release.json"
    path.write_text(_changed(pv.KNorm))
    system.read(path)  # what must be loaded first is loaded now
    for name, content in _releases().items():
        path.write_text(content)
        seconds, most = _cost(lambda: system.read(path))
        assert most < 40, f"{name}: {most:.0f} megabytes"
        assert seconds < _SECONDS, f"{name}: {seconds:.1f} seconds"
    with path.open("wb") as file:
        file.truncate(100 * _MEGABYTE)
    assert _cost(lambda: system.read(path))[1] < 40, "a file is read before its size is looked at"


@cache
def _releases() -> dict[str, str]:
    wide = {"type": "integer", "lower": 0, "upper": 999_999, "missing": 0}
    days = {"type": "date", "lower": "0001-01-01", "upper": "2700-01-01", "missing": "2000-01-01"}
    twins = {"type": "categorical", "levels": [*map(str, range(14_000)), "x", "x"], "missing": "x"}
    found: dict[str, str] = {}
    for kind in (pv.KNorm, pv.EHD, pv.DirichletDraw, pv.VirtualRecords):
        for levels in (10**6, 10**15):
            found[f"{kind.name}, {levels} cells"] = _changed(kind, levels=levels)
    found["columns of a million numbers"] = _changed(pv.KNorm, columns={f"n{i}": wide for i in range(12)})
    found["columns of a million days"] = _changed(pv.KNorm, columns={f"d{i}": days for i in range(12)})
    found["a level twice"] = _changed(pv.KNorm, columns={"twins": twins})
    found["nested"] = '{"kind":' * 50_000
    found["digits"] = '{"kind": ' + "9" * 10**6 + "}"
    return found


def _changed(kind: type[Mechanism], *, levels: int = 3, columns: dict[str, object] | None = None) -> str:
    plan = planned(records=20, delta="1e-6", mechanism=kind)
    exact = ExactStatistics(np.array([10, 5, 5]))
    document: dict[str, Any] = json.loads(
        measure_statistics(plan, exact, ledger=pv.Ledger.in_memory()).to_json()
    )
    document["plan"]["mechanism"]["levels"] = levels
    document["plan"]["schema"]["columns"].update(columns or {})
    return json.dumps(document)


class PriviorRelease:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: Path) -> object:
        return pv.Release.read(path)


class ReadWhole:
    """Reads the file, then looks at it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: Path) -> object:
        return self.understood(json.loads(path.read_bytes()))

    def understood(self, document: Any) -> object:
        return document


class Allocating(ReadWhole):
    """Makes room for as many cells as the file names."""

    def understood(self, document: Any) -> object:
        return np.zeros(min(document["plan"]["mechanism"]["levels"], 10**7) * 8, np.uint8)


class Listing(ReadWhole):
    """Lists all levels of a column, of the first one at least."""

    def understood(self, document: Any) -> object:
        whole = [entry for entry in document["plan"]["schema"]["columns"].values() if "upper" in entry]
        return [[str(n) for n in range(entry["upper"])] for entry in whole[:1] if entry["type"] == "integer"]


class Comparing(ReadWhole):
    """Compares every level with every other."""

    def understood(self, document: Any) -> object:
        levels = [entry.get("levels", []) for entry in document["plan"]["schema"]["columns"].values()]
        return [level for some in levels for level in some if some.count(level) > 1]


class Tables(Protocol):
    folder: Path

    def read(self, path: Path) -> object:
        """Read a table that somebody sent; what comes of it does not matter."""


def attack_table(system: Tables) -> None:
    """Hand over tables that unpack to one endless line: memory stays bounded."""
    path = system.folder / "fruit.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"fruit\n" + b"apple\n" * 98)
        for _ in range(160):
            file.write(b"x" * _MEGABYTE)
    assert path.stat().st_size < 2 * _MEGABYTE
    assert _cost(lambda: system.read(path))[1] < 140, "a line is held whole, however long it is"


def attack_header(system: Tables) -> None:
    """Hand over a header whose names are hard to judge: it is judged at once."""
    path = written(system.folder, ["apple"])
    system.read(path)
    path.write_text(" " * 16_000 + "x,fruit\napple\n")
    assert _cost(lambda: system.read(path))[0] < _SECONDS


class PriviorTable:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: Path) -> object:
        return pv.measure(planned(records=99), path, ledger=pv.Ledger.in_memory())


class PriviorHeader(PriviorTable):
    def read(self, path: Path) -> object:
        return header(path)


class UnpackedWhole:
    """Unpacks the file into memory, then splits it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: Path) -> object:
        return len(gzip.open(path, "rb").read().split(b"\n"))


class Backtracking(UnpackedWhole):
    """A pattern with two runs of spaces, which can be parted in many ways."""

    def read(self, path: Path) -> object:
        return re.fullmatch(r"\s*[+-]?\s*\d.*", path.read_text().split(",")[0])


test_t40_releases = against(attack_release)(
    privior={"release": PriviorRelease},
    twins={"read whole": ReadWhole, "allocating": Allocating, "listing": Listing, "comparing": Comparing},
)
test_t40_tables = against(attack_table)(
    privior={"csv": PriviorTable}, twins={"unpacked whole": UnpackedWhole}
)
test_t40_headers = against(attack_header)(
    privior={"header": PriviorHeader}, twins={"backtracking": Backtracking}
)
