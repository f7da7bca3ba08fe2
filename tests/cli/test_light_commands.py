"""A command loads what it needs and no more: most of what a user waits for is loading."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

#: each takes longer to load than a small table takes to be read
HEAVY = ("ibis", "pandas", "polars", "sqlglot", "opendp.prelude", "pydantic")
#: what `import scipy.special` brings along, and what a table has nothing to do with
NOT_FOR_TABLES = (
    *("scipy._lib._array_api", "numpy.f2py", "numpy.testing", "matplotlib"),
    *("privior.models.families.normal_mean", "privior.papers", "numpy.ma", "xml.sax", "http.client"),
    *("privior.posterior.networks.network_posterior", "privior.posterior.families.joint_posterior"),
    *("privior.cli.commands.study", "privior.forecasting.networks", "privior.planning.draw_calibration"),
    *("privior.mechanisms.hellinger.ehd", "privior.mechanisms.families.posterior_draws"),
    "privior.models.finite_family",
    *("privior.forecasting.hellinger", "privior.forecasting.draws", "privior.privacy.composition"),
)

_LOADED = """
import atexit, json, os, sys
heavy = {heavy!r}
atexit.register(lambda: print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr))
"""

_WORKER = """
import json, sys
from privior.curator import worker
from privior.curator.incidents import Incident
from privior.curator.rows import Rows
from privior.release import Release
rows = Rows.opened([Release.read(sys.argv[1]).plan], sys.argv[2], lambda step: None)
rows.noisy(Incident("1"))
print(json.dumps([name for name in {heavy!r} if name in sys.modules]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table, and a release of it made here."""
    import privior as pv

    where = tmp_path_factory.mktemp("light")
    lines = [f"{word},{age}" for age, word in enumerate(["yes", "no"] * 20)]
    (where / "t.csv").write_text("\n".join(["smokes,age", *lines]) + "\n")
    columns = {"smokes": pv.Categorical(["yes", "no"]), "age": pv.Binned(list(range(0, 400, 2)))}
    schema = pv.Schema(columns, population="p", unit="row")
    ledger = pv.Ledger.create(where / "p.ledger", population="p", epsilon=9)
    for name, column in (("r", "smokes"), ("binned", "age")):
        plan = pv.plan(pv.DirichletCategorical(column, prior=1), schema, records=40, epsilon=1)
        pv.measure(plan, where / "t.csv", ledger=ledger, output=where / f"{name}.json")
    return where


def _loaded(folder: Path, program: str, *words: str) -> list[Any]:
    state = {**os.environ, "XDG_STATE_HOME": str(folder)}
    ran = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env=state,
        check=True,
        capture_output=True,
        text=True,
    )
    found: list[Any] = json.loads((ran.stdout + ran.stderr).splitlines()[-1])
    return found


def test_a_question_is_answered_without_pydantic_and_what_reads_rows(folder: Path) -> None:
    heavy = (*HEAVY, "pyarrow", "duckdb", "opendp", "flint.types.arb", *NOT_FOR_TABLES)
    program = _LOADED.format(heavy=heavy) + "from privior.cli import main; main()"
    assert _loaded(folder, program, "ask", "r.json", "P(smokes=yes)", "--level", "0.8") == []
    assert _loaded(folder, program, "ask", "r.json", "sample 2", "--seed", "1") == [
        "pydantic"
    ]  # the test sees it


@pytest.mark.parametrize("name", ["r.json", "binned.json"])
def test_a_file_is_read_without_ibis_and_frames(folder: Path, name: str) -> None:
    """Levels and many bins are looked up in tables beside the rows."""
    assert _loaded(folder, _WORKER.format(heavy=HEAVY), name, "t.csv") == []


def test_releasing_loads_neither_what_reads_rows_nor_what_other_models_need(folder: Path) -> None:
    """Exact enclosures are for the other process, or for who wants to know what an attacker may gain."""
    columns = '[columns."smokes"]\ntype = "categorical"\nlevels = ["yes", "no"]\n'
    model = '[model]\nfamily = "dirichlet-categorical"\ncolumns = ["smokes"]\nprior = 1\n'
    ask = '[ask]\nrecords = 40\nepsilon = "1"\ndelta = "0"\nneighbours = "replace-one"\n'
    (folder / "a.toml").write_text(f'format = 1\npopulation = "p"\nunit = "row"\n{columns}{model}{ask}')
    heavy = (*HEAVY, "pyarrow", "duckdb", "opendp", "flint.types.arb", "importlib.metadata", *NOT_FOR_TABLES)
    program = _LOADED.format(heavy=heavy) + "from privior.cli import main; main()"
    words = ("release", "a.toml", "t.csv", "--ledger", "p.ledger", "-o", "new.json", "--yes")
    assert _loaded(folder, program, *words) == []
    assert _loaded(folder, program, *words[:5], "-o", "b.json", "--yes", "--again", "--json") == [
        "flint.types.arb"
    ]


@pytest.mark.parametrize("told", [None, "3"])
def test_linear_algebra_has_one_thread_unless_somebody_says_so(
    folder: Path, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that wait for each other were a fifth of what a small release cost."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if told is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", told)
    ask = "import atexit, json, os\natexit.register(lambda: print(json.dumps([os.environ[{name!r}]])))\n"
    program = ask.format(name="OPENBLAS_NUM_THREADS") + "from privior.cli import main; main()"
    assert _loaded(folder, program, "ask", "r.json", "P(smokes=yes)") == [told or "1"]


def test_the_process_that_reads_rows_loads_no_forecast_no_posterior_and_no_ledger(folder: Path) -> None:
    own = ("privior.forecasting.tables", "privior.ledger.ledger", "privior.ledger.entry", "privior.pictures")
    heavy = (*NOT_FOR_TABLES, *own, "scipy", "sqlite3", "subprocess")
    program = _WORKER.format(heavy=heavy).replace("from privior.release import Release\n", "")
    read = 'import json; from privior.plans import Plan; plan = json.load(open(sys.argv[1]))["plan"]\n'
    program = program.replace("rows = ", read + "rows = ")
    program = program.replace("Release.read(sys.argv[1]).plan", "Plan.from_document(plan)")
    assert _loaded(folder, program, "r.json", "t.csv") == []


def test_the_engine_is_loaded_without_its_package_and_is_the_same(folder: Path) -> None:
    """Levels and bins are looked up in Arrow tables; relations need the package, and get it."""
    program = _WORKER.format(heavy=("duckdb", "importlib.metadata"))
    read = "from privior.tables.light_duckdb import load_lightly\nload_lightly()\nrows = "
    assert _loaded(folder, program.replace("rows = ", read, 1), "binned.json", "t.csv") == []
    assert _loaded(folder, program, "binned.json", "t.csv") == ["duckdb", "importlib.metadata"]
    program = """
import json
from privior.tables.light_duckdb import connection, load_lightly
load_lightly()
first = connection({}).execute("SELECT 1 + 1").fetchall()
import duckdb
print(json.dumps([first, duckdb.sql("SELECT 3").fetchall(), connection({}).sql("SELECT 4").fetchall()]))
"""
    assert _loaded(folder, program) == [[[2]], [[3]], [[4]]]


def test_scipy_is_loaded_in_two_steps_and_is_the_same(folder: Path) -> None:
    program = """
import json, sys
from privior.light_scipy import load_lightly
load_lightly()
from scipy import special
light = special.gammaln(2.5), any(name in sys.modules for name in ("scipy._lib._array_api", "scipy.version"))
from scipy.special import logsumexp
import scipy.stats
nothing = hasattr(special, "nothing") or hasattr(scipy, "nothing") or not scipy.__version__[0].isdigit()
rest = float(logsumexp([0.0, 0.0])), float(special.gammaln(2.5)), nothing
print(json.dumps([*light, *rest]))
"""
    first, loaded, two, again, nothing = _loaded(folder, program)
    assert (loaded, nothing) == (False, False)
    assert first == again == pytest.approx(math.lgamma(2.5), rel=1e-15)
    assert two == pytest.approx(math.log(2), rel=1e-15)


def test_interval_arithmetic_is_loaded_in_part_and_is_the_same(folder: Path) -> None:
    program = """
import json, sys
from privior.interval_arithmetic import arb, flint as light
from privior.stand_in import take_in_part
take_in_part("flint")
with light.ctx.workprec(100):
    first = str(arb(light.fmpq(1, 3)).exp() + light.fmpz(2))
loaded = [name for name in ("flint", "flint.types.nmod") if name in sys.modules]
import flint
same = all(getattr(light, name) is getattr(flint, name) for name in ("arb", "acb", "fmpq", "fmpz", "ctx"))
with flint.ctx.workprec(100):
    equal = str((flint.arb(1) / 3).exp() + 2) == first
print(json.dumps([first, loaded, same, equal, light.arb_mat is flint.arb_mat]))
"""
    number, *rest = _loaded(folder, program)
    assert rest == [[], True, True, True]
    assert number.startswith("[3.3956124250860895286")
