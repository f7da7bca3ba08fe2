"""One thread of linear algebra while a release is made of records, whoever's process it is.

Products of this size take less than threads wait for each other: several threads cost several times the
processor, and other releases their turn. An environment variable is read once, when a library is loaded, and
a table in memory is read in the process of whoever asks, who may have said anything. So the libraries that
are loaded are told, and told back afterwards. Only OpenBLAS is known here, which numpy and SciPy come with;
others (MKL, Accelerate) do as their environment says, which `own_process` sets.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

#: what libraries read when they are loaded
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
#: who brings a library along: in a folder beside the package, or in one of its own
_PACKAGES, _SHARED = ("numpy", "scipy"), ("libopenblas.so.0", "libopenblas.so", "libopenblas.0.dylib")
_NAMES = [
    f"{start}{{}}_num_threads{end}" for start in ("scipy_openblas_", "openblas_") for end in ("", "64_")
]

_turn = threading.Lock()
_inside = 0
_before: list[tuple[Callable[[int], object], int]] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra have one thread; when the last one leaves it has as many as before."""
    global _inside
    with _turn:
        if not _inside:
            _before[:] = [(tell, ask()) for ask, tell in _loaded()]
        _inside += 1
        for tell, _ in _before:
            tell(1)
    try:
        yield
    finally:
        with _turn:
            _inside -= 1
            if not _inside:
                for tell, threads in _before:
                    tell(threads)


def threads() -> list[int]:
    """Return how many threads each library has that is loaded."""
    return [ask() for ask, _ in _loaded()]


def _loaded() -> list[tuple[Callable[[], int], Callable[[int], object]]]:
    """Return what asks each library that is loaded, and what tells it; none is loaded for that."""
    found = []
    for name in _files():
        try:
            library = ctypes.CDLL(name, mode=os.RTLD_NOLOAD)
        except OSError:
            continue
        pairs = ((one.format("get"), one.format("set")) for one in _NAMES)
        known = next((pair for pair in pairs if all(hasattr(library, one) for one in pair)), None)
        if known is not None:
            found.append((getattr(library, known[0]), getattr(library, known[1])))
    return found


def _files() -> list[str]:
    """Return where such libraries may be: packages that are installed stand beside each other."""
    root = Path(np.__file__).parents[1]
    folders = [root / name / inside for name in _PACKAGES for inside in (".dylibs", ".libs")]
    folders += [root / f"{name}.libs" for name in _PACKAGES]
    return [*_SHARED, *(str(one) for folder in folders for one in sorted(folder.glob("*openblas*")))]
