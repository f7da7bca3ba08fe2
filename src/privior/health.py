"""Health: whether a machine can be trusted with a release: entropy, samplers, engine, disk, versions."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from pathlib import Path

from privior import __version__
from privior.curator import engine_version
from privior.errors import PriviorError
from privior.ledger import Ledger, kind_of, refuse_unsafe
from privior.models import DirichletCategorical
from privior.planning import plan
from privior.randomness import Bits, discrete_gaussian, discrete_laplace, k_norm
from privior.schema import Boolean, Schema

_PACKAGES = ("duckdb", "ibis-framework", "numba", "numpy", "opendp", "pyarrow", "python-flint", "scipy")


@dataclass(frozen=True)
class Examined:
    """One thing that was looked at."""

    part: str
    well: bool
    found: str


def examine(folder: Path, progress: Callable[[str], None] = lambda step: None) -> list[Examined]:
    """Look at everything that a release depends on; nothing is left behind.

    Args:
        folder: where ledgers and releases will lie
        progress: is told each step before it begins
    """
    looks: list[tuple[str, Callable[[], str]]] = [
        ("entropy", _entropy),
        ("samplers", _samplers),
        ("engine", engine_version),
        ("file system", lambda: _file_system(folder)),
        ("ledger", lambda: _ledger(folder)),
    ]
    findings = []
    for part, look in looks:
        progress(part)
        try:
            findings.append(Examined(part, True, look()))
        except Exception as error:  # whatever it is, the machine is not ready
            said = error.what if isinstance(error, PriviorError) else str(error) or type(error).__name__
            findings.append(Examined(part, False, said))
    return [*findings, _versions()]


def _entropy() -> str:
    bits = Bits()
    draws = {bits.bits(128) for _ in range(64)}
    if len(draws) < 64:
        raise OSError("the operating system's random bits repeat")
    return "the operating system gives random bits"


def _samplers() -> str:
    """Draw from every law; a mean square off by more than a half has a chance below 1e-12."""
    size, variance = 4000, 2 * 0.3678794 / (1 - 0.3678794) ** 2
    laplace = sum(z * z for z in discrete_laplace(size, Fraction(1))) / size
    gaussian = sum(z * z for z in discrete_gaussian(size, Fraction(4))) / size
    if abs(laplace / variance - 1) > 0.5 or abs(gaussian / 16 - 1) > 0.5:
        raise ValueError("the noise has another variance than it should")
    if sum(k_norm(100, Fraction(1))) != 0:
        raise ValueError("the K-norm noise does not sum to zero")
    return "discrete Laplace, Gaussian and K-norm noise draw as they should"


def _file_system(folder: Path) -> str:
    if not folder.is_dir():
        raise OSError(f"{folder} is not a folder")
    place = folder.resolve()
    if not os.access(place, os.W_OK):
        raise OSError(f"{folder} cannot be written")
    refuse_unsafe(place)
    return f"{kind_of(place) or 'unknown kind'}, writable"


def _ledger(folder: Path) -> str:
    """Create a ledger there, spend from it, verify it, remove it."""
    schema = Schema({"x": Boolean()}, population="trial", unit="person")
    trial = plan(DirichletCategorical("x"), schema, records=1, epsilon=1)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".privior-doctor-") as own:
        tried = Ledger.create(Path(own) / "trial.ledger", population="trial", epsilon=1)
        tried.spend(trial)
        tried.verify()
    return "created, spent from, verified and removed in a trial"


def _versions() -> Examined:
    found = [f"privior {__version__}", f"Python {platform.python_version()}"]
    missing = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Examined("versions", False, "not installed: " + ", ".join(missing))
    return Examined("versions", True, ", ".join(found))
