"""T40: a file that is loaded runs code.

Others: models and caches as pickles; Arrow files whose extension type is one (CVE-2023-47248).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from orchard import planned
from twins import against, seen

import privior as pv


class System(Protocol):
    folder: Path

    def readers(self) -> dict[str, Callable[[Path], object]]:
        """Return all functions that read a file somebody may have sent, by the ending of its name."""


class Bomb:
    """Its pickle creates a file when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.mark,))


def attack(system: System) -> None:
    """Let every reader read a bomb in every wrapping: no mark may appear."""
    mark = system.folder / "went off"
    bomb = pickle.dumps(Bomb(mark))
    for ending, read in system.readers().items():
        for number, content in enumerate(_wrapped(bomb, mark, system.folder)):
            path = system.folder / f"{number}{ending}"
            path.write_bytes(content)
            seen(lambda path=path, read=read: read(path))  # type: ignore[misc]
            assert not mark.exists(), f"a file *{ending} ran code"


def _wrapped(bomb: bytes, mark: Path, folder: Path) -> list[bytes]:
    """Return the bomb as it is, as a NumPy array of objects, and as the type of a Parquet column."""
    array, table = folder / "array.npy", folder / "table.pq"
    np.save(array, np.array([Bomb(mark)], dtype=object), allow_pickle=True)
    kind = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": bomb}
    fields = pa.schema([pa.field("fruit", pa.binary(), metadata=kind)])
    pq.write_table(pa.table({"fruit": pa.array([bomb] * 100, pa.binary())}, schema=fields), table)
    return [bomb, array.read_bytes(), table.read_bytes()]


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def readers(self) -> dict[str, Callable[[Path], object]]:
        return {
            ".json": pv.Release.read,
            ".toml": pv.Schema.read,
            ".analysis.toml": pv.Analysis.read,
            ".ledger": pv.Ledger.open,
            **dict.fromkeys((".csv", ".csv.gz", ".parquet"), self.measure),
        }

    def measure(self, path: Path) -> object:
        return pv.measure(planned(), path, ledger=pv.Ledger.in_memory())


class Unpickling:
    """Keeps its models as pickles."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def readers(self) -> dict[str, Callable[[Path], object]]:
        return {".model": lambda path: pickle.loads(path.read_bytes())}


class ArraysOfObjects(Unpickling):
    """Keeps arrays, and allows them to hold objects."""

    def readers(self) -> dict[str, Callable[[Path], object]]:
        return {".npy": lambda path: np.load(path, allow_pickle=True)}


class ExtensionTypes(Unpickling):
    """Rebuilds the extension type of a column as old versions of Arrow did."""

    def readers(self) -> dict[str, Callable[[Path], object]]:
        return {".parquet": self.read}

    def read(self, path: Path) -> object:
        for field in pq.read_schema(path):
            if b"ARROW:extension:metadata" in (field.metadata or {}):
                pickle.loads(field.metadata[b"ARROW:extension:metadata"])
        return pq.read_table(path)


test_t40_pickles = against(attack)(
    privior={"all readers": Privior},
    twins={"pickle": Unpickling, "array": ArraysOfObjects, "extension type": ExtensionTypes},
)
