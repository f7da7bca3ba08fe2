"""The page of evidence shows what is stored, and marks what is stale: what was made with other code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import page
import pytest
import record
import runs
from sources import Sources

START = "evidence/test_claim.py"
HOUSE = {
    START: "from helper import claimed\nfrom record import store\n\n\ndef test():\n    store(claimed())\n",
    "evidence/record.py": "def store(it): ...\n",
    "tests/some/helper.py": "import privior as pv\n\n\ndef claimed() -> object:\n    return pv.plan()\n",
    "src/privior/__init__.py": "from typing import TYPE_CHECKING\n__version__ = '1'\n"
    "if TYPE_CHECKING:\n    from privior.near import plan\n    from privior.middle.copy import copy\n"
    "    from privior.other import idle\nelse:\n    from privior.contents import load\n"
    "    def __getattr__(name): return load(name)\n",
    "src/privior/contents.py": "from importlib import import_module as load\nN = 1\n",
    "src/privior/near.py": '"""Plans."""\nfrom typing import TYPE_CHECKING\nfrom privior.middle import FAR\n'
    "from privior.registry import subject_of\nif TYPE_CHECKING:\n    from privior.typed import Kind\n"
    "PROGRAM = 'import sys; from privior.worker import main; main()'\nTABLE = 'table.csv'\n"
    "def plan() -> Kind:\n    from privior.lazy import late\n    return late(FAR)\n",
    "src/privior/middle/__init__.py": "from .far import FAR\n",
    "src/privior/middle/far.py": '"""Says how far."""\nFAR = (3, "a")\n\n\ndef go(x: int) -> int:\n'
    '    """Go."""\n    return x + FAR[0]  # as far as that\n',
    "src/privior/middle/copy.py": "N = 1\n",
    "src/privior/lazy.py": "N = 1\n",
    "src/privior/registry.py": "from functools import singledispatch as open\n@open\ndef subject_of(x): 1\n",
    "src/privior/member.py": "from privior.registry import subject_of\n@subject_of.register\ndef f(x): 1\n",
    "src/privior/worker.py": "N = 1\n",
    "src/privior/typed.py": "class Kind:\n    N = 1\n",
    "src/privior/other.py": "N = 1\n",
    "src/privior/table.csv": "N\n1\n",
}
NEAR, FAR, FACADE = "src/privior/near.py", "src/privior/middle/far.py", "src/privior/__init__.py"
#: what leaves evidence as it is: a place, what stands there and what is put there
KEPT = {
    "a docstring": (FAR, '"""Go."""', '"""Go on."""'),
    "a docstring less": (FAR, '    """Go."""\n', ""),
    "a docstring of the module": (FAR, "Says how far.", "Says how far it is.\n\nAnd why."),
    "a comment": (FAR, "as far as that", "as far as this"),
    "formatting": (FAR, "x + FAR[0]", "(\n        x\n        + FAR[0]\n    )"),
    "quotes": (FAR, '"a"', "'a'"),
    "text in two pieces": (FAR, '"a"', '"" "a"'),
    "what nobody imports": ("src/privior/other.py", "1", "2"),
    "what only a type checker reads": ("src/privior/typed.py", "1", "2"),
    "another name in the facade": (FACADE, "import idle", "import idle, more"),
    "the version": (FACADE, "'1'", "'2'"),
    "what stores": ("evidence/record.py", "it", "what"),
}
#: what makes it stale
STALE = {
    "a number three imports away": (FAR, "3", "4"),
    "its type": (FAR, "3", "3.0"),
    "a letter": (FAR, '"a"', '"b"'),
    "an annotation": (FAR, "x: int", "x: float"),
    "an operator": (FAR, "x + FAR", "x - FAR"),
    "an import inside a function": ("src/privior/lazy.py", "1", "2"),
    "what registers itself": ("src/privior/member.py", "1", "2"),
    "a program in text": ("src/privior/worker.py", "1", "2"),
    "data": ("src/privior/table.csv", "1", "2"),
    "how the facade finds": (FACADE, "load(name)", "load(name + 's')"),
    "where the facade finds": (FACADE, "privior.near import plan", "privior.middle.copy import plan"),
    "what finds for the facade": ("src/privior/contents.py", "1", "2"),
    "the helper": ("tests/some/helper.py", "pv.plan()", "pv.plan"),
    "the measuring file": (START, "claimed()", "claimed"),
    "an import more": ("src/privior/lazy.py", "N = 1", "N = 1\nimport privior.other"),
}
#: ways to one module and no other
FOLLOWED = {
    "by name": "import privior as pv\npv.idle",
    "from the facade": "from privior import idle",
    "by its path": "import privior.other",
    "an attribute of the package": "import privior\nprivior.other.N",
    "one name for two modules": "def f(): import privior.other as x\ndef g(): import privior.worker as x",
    "patched": "patch('privior.other.N', 2)",
    "in a program": "run('''\n    import privior as pv\n    pv.idle\n''')",
    "in an alternative": "if TYPE_CHECKING:\n    import typed\nelse:\n    from privior.other import N",
}
#: ways that cannot be followed: they may lead to any
UNKNOWN = {
    "all names": "from privior import *",
    "a name of a run": "import privior as pv\ngetattr(pv, name)",
    "all modules": "import privior\nmodules(privior.__path__)",
    "imported by a name of a run": "import importlib\nimportlib.import_module(name)",
    "imported by that, renamed": "from importlib import import_module as load\nload(name)",
    "imported the older way": "__import__(name)",
    "in a program with gaps": "run(f'import privior as pv; print({name}, pv.idle, {name})')",
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A package of a few modules, and a file that measures it."""
    for place, text in HOUSE.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    return tmp_path


def changed(house: Path, place: str, old: str, new: str) -> bool:
    """Change one source after a measurement; return whether that is stale now."""
    before = Sources(house).reached([START])
    text = (house / place).read_text()
    assert old in text
    (house / place).write_text(text.replace(old, new))
    return Sources(house).hashes(before) != before


@pytest.mark.parametrize("change", KEPT)
def test_what_leaves_evidence_fresh(house: Path, change: str) -> None:
    assert not changed(house, *KEPT[change])


@pytest.mark.parametrize("change", STALE)
def test_what_makes_it_stale(house: Path, change: str) -> None:
    assert changed(house, *STALE[change])


@pytest.mark.parametrize("way", [*FOLLOWED, *UNKNOWN])
def test_ways_to_a_module(house: Path, way: str) -> None:
    (house / START).write_text({**FOLLOWED, **UNKNOWN}[way])
    reached = Sources(house).reached([START])
    assert "src/privior/other.py" in reached
    assert ("src/privior/typed.py" in reached) == (way in UNKNOWN)


def test_a_source_that_is_gone_makes_evidence_stale(house: Path) -> None:
    before = Sources(house).reached([START])
    (house / "src/privior/lazy.py").unlink()
    assert Sources(house).hashes(before) != before


def test_the_hash_is_the_same_under_every_python(house: Path) -> None:
    (house / START).write_text(
        "@a\nclass B(C, d=1):\n    pass\n"
        "async def f(x: int = 1, /, *y, z=None, **k) -> None:\n"
        "    u'a', b'\\xff', 1e3, 2j, ..., {**k}, x[1:], [*y], (w := 3)\n"
        "    return f'{x!r:>{y}}{x:{y}} {z}' 'end', lambda: (yield)\n"
        "try:\n    pass\nexcept* E as e:\n    del e\n"
        "match a:\n    case {'b': 1, **c} | [_, *c]:\n        pass\n"
    )
    assert Sources(house).reached([START])[START] == "a1878cf3b5bf0edc"


def test_what_real_evidence_is_made_with() -> None:
    reached = set(record.sources_under(record.ROOT).reached(["evidence/test_storm.py"]))
    assert {"evidence/test_storm.py", "tests/ledger/storm.py", "src/privior/ledger/sqlite.py"} <= reached
    assert not [
        place for place in reached if place.startswith(("src/privior/cli/", "src/privior/posterior/"))
    ]


def test_the_page_is_what_is_stored() -> None:
    assert page.PAGE.read_text("utf-8") == page.render(record.load(), runs.listed()), "run make pages"


def test_what_is_stored_is_read(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "ROOT", house)
    monkeypatch.setattr(record, "RESULTS", house)
    monkeypatch.setattr(record, "loaded", lambda: None)
    certificate = record.Certificate.of(str(house / START))
    record.store("new", certificate, title="t", claim="c", header=("a",), rows=[("1",)])
    (new,) = record.load()
    assert new.sources == certificate.sources
    assert not new.stale
    assert (
        "certifies contents, lazy, member, middle, near, registry, table.csv, worker: current."
        in page.render([new], {})
    )
    old = record.Evidence(**{**vars(new), "sources": {**new.sources, FAR: "0" * 64}})
    assert old.changed == [FAR]
    assert "**stale**" in page.render([old], {})


def test_evidence_of_whole_parts_is_read_and_stale(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "ROOT", house)
    monkeypatch.setattr(record, "RESULTS", house)
    (house / "old.json").write_text(
        '{"title": "t", "claim": "c", "parts": ["middle", "near"], "header": ["a"], "rows": [["1"]], '
        f'"date": "2026-01-01", "sources": "{"0" * 64}"}}'
    )
    (old,) = record.load()
    assert old.stale
    assert "certifies middle, near: **stale**" in page.render([old], {})


#: a session of its own, with the plugin and another house
SESSION = """import pytest
import record
import runs
from pathlib import Path
from conftest_of_evidence import pytest_addoption, pytest_configure

record.ROOT = runs.ROOT = Path(__file__).resolve().parent.parent
runs.RUNS = record.ROOT / "runs"
"""


def outcomes(house: Path, *asked: str, **environment: str) -> str:
    """Run the tests of a house's evidence, and return the last line that pytest says."""
    (house / "evidence/conftest_of_evidence.py").write_text(
        (record.ROOT / "evidence/conftest.py").read_text("utf-8"), "utf-8"
    )
    (house / "evidence/conftest.py").write_text(SESSION, "utf-8")
    (house / "evidence/record.py").unlink(missing_ok=True)
    paths = [str(record.ROOT / "evidence"), str(house / "evidence")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked],
        cwd=house,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return re.sub(r" in .*", "", done.stdout.strip().splitlines()[-1])


def test_what_is_current_is_not_measured_again(house: Path) -> None:
    """A whole run is noted, a failure, a part or a shorter run is not; a change of sources undoes it."""
    claim, other = "evidence/test_claim.py", "evidence/test_other.py"
    (house / claim).write_text("def test_one():\n    pass\n\n\ndef test_two():\n    assert 1\n")
    (house / other).write_text("def test_three():\n    raise ValueError\n")
    assert outcomes(house, f"{claim}::test_one") == "1 passed"
    assert outcomes(house, claim, PRIVIOR_FUZZ_SECONDS="1") == "2 passed"
    assert outcomes(house, "evidence") == "1 failed, 2 passed"
    assert [path.name for path in (house / "runs").iterdir()] == ["test_claim.json"]
    assert outcomes(house, "evidence") == "1 failed, 2 skipped"
    assert outcomes(house, claim, "--anew") == "2 passed"
    (house / claim).write_text("def test_one():\n    pass\n\n\ndef test_two():\n    assert 2\n")
    assert outcomes(house, claim) == "2 passed"


#: a measurement that loads one of two modules, which both could be
NARROW = """
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))


def load(_=None):
    import privior.worker


def test_one():
    {work}
    if sys.argv is None:
        from privior.lazy import N
"""


@pytest.mark.parametrize(
    ("work", "whole"),
    {
        "load()": False,
        "from loading import in_workers; in_workers(load, [1])": False,
        "load(); import subprocess; subprocess.run([sys.executable, '-c', ''])": True,
        "load(); import os; (os.fork() or os._exit(0))": True,
    }.items(),
)
def test_what_was_not_loaded_is_not_certified(house: Path, work: str, whole: bool) -> None:
    """Unless a program was started: of what that loads nothing is known."""
    (house / START).write_text(NARROW.format(work=work))
    assert outcomes(house, START) == "1 passed"
    (run,) = (house / "runs").iterdir()
    sources = json.loads(run.read_text())["sources"]
    assert "src/privior/worker.py" in sources
    assert ("src/privior/lazy.py" in sources) == whole


def test_an_edit_between_two_measurements_of_a_process_is_not_certified(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first one loaded is still at work in the second."""
    monkeypatch.setattr(record, "ROOT", house)
    before = record.Certificate.of(START)
    (house / FAR).write_text("FAR = 5\n")
    assert record.Certificate.of(START) == before


def test_evidence_starts_processes_only_where_they_tell_what_they_load() -> None:
    unseen = re.compile(r"ProcessPoolExecutor|multiprocessing|shell=True|/env\b")
    files = [file for file in (record.ROOT / "evidence").glob("*.py") if file.name != "loading.py"]
    assert not [file.name for file in files if unseen.search(file.read_text("utf-8"))]
    assert unseen.search((record.ROOT / "evidence" / "loading.py").read_text("utf-8"))
