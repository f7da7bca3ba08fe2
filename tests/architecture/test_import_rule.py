"""The import rule holds, and breaks on every fault that is planted (T11: seeded noise among them)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from import_rule import LAYER_OF, faults

import privior
from privior.contents import names

PACKAGE = Path(privior.__file__).parent


def test_the_package_keeps_the_rule() -> None:
    assert faults(PACKAGE) == []


def test_every_part_has_a_layer_and_every_layer_a_part() -> None:
    parts = {
        path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    assert {part for part in parts if not part.startswith("__")} == set(LAYER_OF)


PLANTED = {
    "upward": ("plans/plan.py", "from privior.release import Release", "upwards"),
    "upward by plain import": ("schema/unit.py", "import privior.ledger", "upwards"),
    "upward, relative": ("models/statistics.py", "from ..mechanisms import KNorm", "upwards"),
    "sibling": ("planning/comparison.py", "from privior.posterior import infer", "sibling"),
    "lazy": (
        "posterior/inference.py",
        "def f():\n    from privior.curator import measure",
        "upwards",
    ),
    "type checking": (
        "plans/plan.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from privior.release import Release",
        "upwards",
    ),
    "importlib": (
        "planning/comparison.py",
        "import importlib\nimportlib.import_module('privior.tables')",
        "by name",
    ),
    "importlib, renamed": (
        "planning/comparison.py",
        "from importlib import import_module as f\nf('privior.tables')",
        "importlib",
    ),
    "dunder import": ("planning/comparison.py", "__import__('privior.tables')", "by name"),
    "exec": ("planning/comparison.py", "exec('import privior.tables')", "by name"),
    "facade": ("planning/comparison.py", "from privior import measure", "facade"),
    "facade, whole": ("planning/comparison.py", "import privior as pv\npv.measure", "facade"),
    "a part that reads rows": ("posterior/inference.py", "import pandas", "uses pandas"),
    "frames that read": ("pandas_frames.py", "import pandas\npandas.read_csv('x')", "reads files (read_csv)"),
    "a part that opens tables": (
        "auditing/enumeration.py",
        "from privior.tables import open_table",
        "not the curator",
    ),
    "a core that needs the papers": (
        "smoothness/findings.py",
        "def theorems():\n    from privior.papers import theorems",
        "upwards: papers",
    ),
    "a report that needs the papers": ("report.py", "import privior.papers.published", "upwards: papers"),
    "pictures of ours": ("pictures/listing.py", "from privior.schema import Schema", "upwards"),
    "seeded noise": (
        "mechanisms/tables/k_norm.py",
        "import numpy as np\nnp.random.default_rng(0)",
        "numpy.random",
    ),
    "seeded noise, by name": ("randomness/knorm.py", "from numpy.random import default_rng", "numpy.random"),
    "balls elsewhere": (
        "models/model.py",
        "from privior.interval_arithmetic import flint",
        "uses flint",
    ),
    "pickle": ("release.py", "import pickle", "uses pickle"),
    "resolved by name": ("planning/comparison.py", "import pkgutil\npkgutil.resolve_name('x')", "pkgutil"),
    "loaded modules": ("planning/comparison.py", "import sys\nsys.modules['privior.tables']", "by name"),
    "another program": ("posterior/inference.py", "import subprocess", "uses subprocess"),
    "compiled code": ("posterior/inference.py", "compile('import os', '', 'exec')", "by name"),
    "the engine below": ("posterior/inference.py", "import _duckdb", "uses _duckdb"),
    "a file read": ("posterior/inference.py", "open('patients.csv')", "reads files"),
    "a file read through the door": (
        "posterior/inference.py",
        "from privior.whole_files import read_whole",
        "reads files",
    ),
    "a file read by a path": ("posterior/inference.py", "p.read_text()", "reads files"),
    "a file read by numpy": ("posterior/inference.py", "import numpy as np\nnp.loadtxt('x')", "reads files"),
    "a study that reads Parquet": (
        "papers/studies/files.py",
        "import pyarrow.parquet as pq\npq.read_table('patients.parquet')",
        "reads files",
    ),
    "a study that opens Parquet": (
        "papers/studies/files.py",
        "from pyarrow.parquet import ParquetFile",
        "reads files",
    ),
    "a study that opens a data set": (
        "papers/studies/files.py",
        "from pyarrow import dataset as d",
        "pyarrow.dataset",
    ),
    "seeded noise in the theory": ("theory/sampling_loss.py", "import numpy.random", "numpy.random"),
    "entropy by another name": ("mechanisms/tables/k_norm.py", "import os as o\no.urandom(1)", "randomness"),
    "entropy taken": ("mechanisms/tables/k_norm.py", "from os import urandom", "urandom"),
    "the curator's own": ("cli/app.py", "from privior.curator import open_table", "its own"),
    "inside the curator": ("cli/app.py", "from privior.curator.rows import noisy", "its own"),
    "inside the curator, whole": ("health.py", "import privior.curator.rows", "its own"),
    "new part": ("backdoor.py", "import json", "no layer"),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, in which one fault at a time is planted."""
    made = tmp_path_factory.mktemp("copy") / "privior"
    shutil.copytree(PACKAGE, made, ignore=shutil.ignore_patterns("__pycache__"))
    return made


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_caught(fault: str, copy: Path) -> None:
    file, code, says = PLANTED[fault]
    target = copy / file
    before = target.read_text() if target.exists() else None
    target.write_text(f"{before or ''}\n{code}\n")
    found = faults(copy)
    if before is None:
        target.unlink()
    else:
        target.write_text(before)
    assert len(found) >= 1
    assert all(file in line for line in found)
    assert any(says in line for line in found)


def _loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_a_program_that_reads_releases_never_loads_what_reads_rows(release_file: Path) -> None:
    loaded = _loaded_after(
        f"import privior as pv\npv.infer(pv.Release.read({str(release_file)!r})).interval(0.9)"
    )
    private = {"privior.tables", "privior.curator", "duckdb", "ibis", "pandas", "polars", "opendp.prelude"}
    assert not loaded & private


def test_importing_privior_is_light() -> None:
    assert not _loaded_after("import privior") & {"numpy", "scipy", "ibis", "numba", "matplotlib"}


def test_every_public_name_resolves() -> None:
    public = names("privior")
    assert len(public) > 100
    assert {*public, "__version__"} == set(dir(privior))
    for name in public:
        assert getattr(privior, name) is not None
    scope: dict[str, object] = {}
    exec("from privior import *", scope)
    assert scope["infer"] is privior.infer
    with pytest.raises(AttributeError, match="backdoor"):
        _ = getattr(privior, "back" + "door")
