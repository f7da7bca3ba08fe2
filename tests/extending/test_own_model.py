"""A model and a mechanism from outside privior go the whole way, and are called declared everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_example import FILE, SCHEMA, imported, own

import forking
import privior as pv
from privior.registry import extensions, import_extension, outside

ANALYSIS = """population = "callers"
[unit]
noun = "person"
[columns.wait]
type = "integer"
lower = 0
upper = 30
[model]
family = "beta-geometric"
column = "wait"
prior = { law = "beta", first = 1, second = 2 }
[ask]
records = 60
epsilon = "2"
"""


@pytest.fixture(autouse=True, scope="module")
def _example() -> Iterator[None]:
    """Know the example's kinds, in this file alone."""
    with imported():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "waits.toml").write_text(ANALYSIS)
    (tmp_path / "waits.csv").write_text("wait\n" + "\n".join(str(place % 9) for place in range(60)) + "\n")
    return tmp_path


def privior(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = forking.run(
        [sys.executable, "-c", forking.COMMAND_LINE, *arguments], cwd=folder, capture_output=True, text=True
    )
    return done


def test_by_commands_from_the_table_to_the_decision_and_the_review(folder: Path) -> None:
    extension = ("--extension", str(FILE))
    steps = [
        ("plan", "waits.toml", "--mechanism", "step-noise"),
        (
            "ledger",
            "create",
            "callers.ledger",
            "--population",
            "callers",
            "--epsilon",
            "9",
            "--accept-declared",
        ),
        (
            *("release", "waits.toml", "waits.csv", "--mechanism", "step-noise"),
            *("--ledger", "callers.ledger", "--output", "waits.json", "--yes"),
        ),
        ("ask", "waits.json", "parameter(wait)"),
        ("decide", "waits.json", "mean(wait)", "--utility", "squared-error"),
        ("report", "waits.json", "--output", "waits.html"),
        ("review", "waits.json", "--ledger", "callers.ledger"),
        ("ledger", "show", "callers.ledger"),
    ]
    said = {}
    for step in steps:
        done = privior(folder, *extension, *step)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
        said[step[0]] = done.stdout + done.stderr
    for command in ("plan", "release", "review", "ledger"):
        assert "declared" in said[command], command
    assert "declared by code outside privior" in (folder / "waits.html").read_text()
    assert "root mean squared error" in said["decide"]
    document = json.loads((folder / "waits.json").read_text())
    assert document["format"] == 6
    assert document["guarantee"]["declared"] is True
    assert document["ledger"]["declared"] == 1
    assert "own_model" not in json.dumps(document)  # files name kinds, never modules
    without = privior(folder, "ask", "waits.json", "parameter(wait)")
    assert without.returncode != 0
    assert "beta-geometric" in without.stderr


def test_the_example_goes_the_whole_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own().main(tmp_path)
    told = capsys.readouterr().out
    release = pv.Release.read(tmp_path / "waits.json")
    assert isinstance(release.plan.mechanism, own().StepNoise)
    assert "declared by code outside privior" in (tmp_path / "waits.html").read_text()
    mean = pv.ask(pv.infer(release), "mean(wait)")
    decided = pv.Decision("mean(wait)", pv.SquaredError()).decide(release)
    for said in (release.plan, mean, decided):
        assert str(said) in told
    # the ledger was there to compare with
    ledger = pv.Ledger.open(tmp_path / "callers.ledger")
    review = pv.review(release, ledger)
    assert review.passed
    assert str(review) in told


def test_a_ledger_that_was_not_created_so_refuses_it(folder: Path) -> None:
    plan = pv.plan(own().BetaGeometric("wait"), SCHEMA, records=60, epsilon=1, mechanism=own().StepNoise)
    ledger = pv.Ledger.create(folder / "strict.ledger", population="callers", epsilon=5)
    with pytest.raises(pv.LedgerError, match="declared"):
        pv.measure(plan, folder / "waits.csv", ledger=ledger)
    assert ledger.spent.epsilon == 0


def test_receipts_after_a_declared_spend_say_it(folder: Path) -> None:
    ledger = pv.Ledger.create(
        folder / "callers.ledger", population="callers", epsilon=5, accept_declared=True
    )
    model = own().BetaGeometric("wait")
    plans = [
        pv.plan(model, SCHEMA, records=60, epsilon=1, mechanism=kind)
        for kind in (pv.NoisyStatistics, own().StepNoise, pv.NoisyStatistics)
    ]
    assert all(plan.declared for plan in plans)  # what is summed is the model's word
    told = [pv.measure(plan, folder / "waits.csv", ledger=ledger).receipt.declared for plan in plans]
    assert told == [1, 2, 3]


def test_a_mechanism_that_takes_the_models_word_is_declared() -> None:
    class Outside(pv.MarkovChain):  # type: ignore[misc]
        family = "outside-chain"

    schema = pv.Schema(
        {name: pv.Categorical(["a", "b"]) for name in ("x", "y")}, population="p", unit="person"
    )
    plan = pv.plan(pv.MarkovChain("x", "y"), schema, records=9, epsilon=1)
    assert not plan.declared
    assert pv.plan(Outside("x", "y"), schema, records=9, epsilon=1).declared


def test_what_a_record_adds_is_bounded_by_privior_alone() -> None:
    from privior.extend import Factor, Summand

    class Narrow(Summand):
        def bounds(self, schema: pv.Schema) -> tuple[int, int]:
            return 0, 1

    class Liar(own().BetaGeometric):  # type: ignore[misc]
        def summand(self, schema: pv.Schema) -> Summand:
            return Narrow((Factor("wait"),))

    with pytest.raises(pv.PlanError, match="no Summand of privior"):
        pv.plan(Liar("wait"), SCHEMA, records=60, epsilon=1)


def test_a_fault_of_an_extension_is_not_called_one_of_privior(folder: Path) -> None:
    text = FILE.read_text().replace("return np.asarray((1 - theta) / theta)", "return self.no_such_thing")
    (folder / "typo.py").write_text(text)
    (folder / "boom.py").write_text("raise ValueError('boom')\n")
    told = privior(folder, "--extension", "boom.py", "plan", "waits.toml")
    assert "cannot be imported: ValueError: boom" in told.stderr
    arguments = ("--ledger", "callers.ledger", "--output", "waits.json", "--yes", "--no-report")
    ledger = ("callers.ledger", "--population", "callers", "--epsilon", "9", "--accept-declared")
    privior(folder, "ledger", "create", *ledger)
    done = privior(folder, "--extension", "typo.py", "release", "waits.toml", "waits.csv", *arguments)
    assert done.returncode == 0, done.stderr
    asked = privior(folder, "--extension", "typo.py", "ask", "waits.json", "mean(wait)")
    assert "in the extension" in asked.stderr
    assert "typo.py, line" in asked.stderr
    assert "fault of privior" not in asked.stderr


def test_no_other_class_takes_a_name() -> None:
    from privior.extend import MECHANISMS

    with pytest.raises(pv.PlanError, match="another mechanism of this name"):
        MECHANISMS.register(type("Mine", (pv.KNorm,), {"__module__": "somewhere"}))
    assert MECHANISMS.named("k-norm") is pv.KNorm


@pytest.mark.parametrize(
    "registry", ["mechanisms MECHANISMS name k-norm", "models MODELS family markov-chain"]
)
def test_a_name_of_privior_is_taken_before_it_is_used(registry: str) -> None:
    """Kinds are loaded when they are asked for: somebody's own may come first, and still takes no name."""
    part, held, attribute, name = registry.split()
    program = (
        f"from privior.{part} import {held}\nfrom privior.errors import PriviorError\n"
        f"try:\n    {held}.register(type('Mine', (), {{{attribute!r}: {name!r}}}))\n"
        f"except PriviorError as error:\n    print(error.what, {held}.named({name!r}).__module__)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "of this name" in ran.stdout
    assert ran.stdout.split()[-1].startswith(f"privior.{part}.")


@pytest.mark.parametrize("name", ["no_such_module_at_all", "no/such/file.py"])
def test_what_cannot_be_imported_is_told(name: str) -> None:
    with pytest.raises(pv.PriviorError, match="cannot be imported"):
        import_extension(name)


def test_a_file_is_outside_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "privior.own.py"
    path.write_text("class Mine:\n    pass\n")
    import_extension(str(path))
    assert outside(sys.modules["privior.own"].Mine)
    del sys.modules["privior.own"]
    for name, text in (("random.py", ""), ("half.py", "class Mine:\n    pass\nraise ValueError\n")):
        (tmp_path / name).write_text(text)
        for _ in range(2):  # what was loaded halfway is not taken for loaded
            with pytest.raises(pv.PriviorError, match="cannot be imported"):
                import_extension(str(tmp_path / name))


@pytest.mark.parametrize("slope", [0.5, True, "2"])
def test_factors_are_whole(slope: object) -> None:
    from privior.extend import Factor

    with pytest.raises(pv.ModelError, match="whole numbers"):
        Factor("wait", slope)  # type: ignore[arg-type]


def test_other_processes_import_files_by_place_and_packages_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert extensions([own().BetaGeometric, pv.KNorm]) == [str(FILE.resolve())]
    (tmp_path / "clinic").mkdir()
    (tmp_path / "clinic" / "__init__.py").write_text("")
    (tmp_path / "clinic" / "base.py").write_text("class Base:\n    pass\n")
    (tmp_path / "clinic" / "waits.py").write_text("from .base import Base\n\nclass Waits(Base):\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_extension("clinic.waits")
    assert extensions([sys.modules["clinic.waits"].Waits]) == ["clinic.waits"]
    for name in ("clinic", "clinic.base", "clinic.waits"):
        del sys.modules[name]


def test_columns_are_those_of_privior() -> None:
    """How far a record moves a sum follows from the size of its column."""

    class Small(pv.Integer):
        size = 2

    with pytest.raises(pv.SchemaError, match="not a column"):
        pv.Schema({"wait": Small(0, 30)}, population="callers", unit="person")


def test_a_mechanism_that_is_not_registered_is_not_planned() -> None:
    class Unknown(own().StepNoise):  # type: ignore[misc]
        name = "unknown-noise"

    with pytest.raises(pv.PlanError, match="not a registered mechanism"):
        pv.plan(own().BetaGeometric("wait"), SCHEMA, records=60, epsilon=1, mechanism=Unknown)
