"""privior ledger, verify and batch, as people and programs run them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from program import run_here as run
from program import run_on_terminal

import privior as pv

ANALYSIS = """
format = 1
population = "clinic"
unit = "person"

[columns.region]
type = "categorical"
levels = ["north", "south"]

[columns.smoker]
type = "boolean"

[model]
family = "dirichlet-categorical"
columns = ["smoker"]

[ask]
records = 100
epsilon = "0.5"
neighbours = "add-or-remove-one"
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    (tmp_path / "a.toml").write_text(ANALYSIS)
    (tmp_path / "t.csv").write_text("region,smoker\n" + "north,yes\n" * 40 + "south,no\n" * 30)
    created = run(["ledger", "create", "c.ledger", "-p", "clinic", "-e", "4", "-d", "1e-5"], tmp_path)
    assert created.code == 0
    return tmp_path


def release(folder: Path, name: str, *more: str) -> int:
    asked = ["release", "a.toml", "t.csv", "-l", "c.ledger", "-o", name, "--yes", "--no-report", *more]
    return run([*asked, "--again"], folder).code


def test_a_release_is_verified(clinic: Path) -> None:
    assert release(clinic, "r.json") == 0
    found = run(["verify", "r.json", "-l", "c.ledger"], clinic)
    assert found.code == 0
    assert "stored this very release" in found.output
    assert found.output.count("holds") >= 4
    text = (clinic / "r.json").read_text()
    document = json.loads(text)
    document["statistics"]["counts"][0] += 1
    (clinic / "forged.json").write_text(json.dumps(document))
    forged = run(["verify", "forged.json", "-l", "c.ledger", "--json"], clinic)
    assert forged.code == 1
    assert [
        check["check"] for check in json.loads(forged.output)["checks"] if check["verdict"] == "FAILS"
    ] == ["bytes"]
    (clinic / "s.json").write_text(text.replace("privior-release", "privior-simulation"))
    assert run(["verify", "s.json"], clinic).code == 8


def test_a_key_gives_the_same_again(clinic: Path) -> None:
    assert release(clinic, "one.json", "--key", "monday") == 0
    assert release(clinic, "two.json", "--key", "monday") == 0
    assert (clinic / "one.json").read_text() == (clinic / "two.json").read_text()
    assert pv.Ledger.open(clinic / "c.ledger").last().number == 1
    assert release(clinic, "three.json", "--key", "monday", "--table-version", "2") == 4
    stored = run(["ledger", "release", "c.ledger", "1", "-o", "four.json"], clinic)
    assert stored.code == 0
    assert (clinic / "four.json").read_text() == (clinic / "one.json").read_text()
    assert run(["ledger", "release", "c.ledger", "1", "-o", "four.json"], clinic).code == 4
    assert run(["ledger", "release", "c.ledger", "7", "-o", "five.json"], clinic).code == 4


def test_t32_an_old_copy_is_refused_until_reconciled(clinic: Path) -> None:
    shutil.copy(clinic / "c.ledger", clinic / "old.ledger")
    assert release(clinic, "r.json") == 0
    (clinic / "old.ledger").replace(clinic / "c.ledger")
    for extra in ("-wal", "-shm"):
        (clinic / f"c.ledger{extra}").unlink(missing_ok=True)
    refused = run(["ledger", "verify", "c.ledger", "r.json"], clinic)
    assert refused.code == 4
    assert "old copy" in refused.errors
    shown = run(["ledger", "show", "c.ledger"], clinic)  # it showed what was left, and all seemed well
    assert shown.code == 4
    assert "not to be trusted" in shown.errors
    assert "old copy" in shown.errors
    document = json.loads(run(["ledger", "show", "c.ledger", "--json"], clinic).output)
    assert document["holds"] is False
    assert "old copy" in document["wrong"]["what"]
    assert run(["ledger", "show", "c.ledger", "--quiet"], clinic).output == ""
    assert release(clinic, "s.json") == 4  # the anchor knows
    elsewhere = {"PRIVIOR_STATE": str(clinic / "other-user")}
    assert run(["ledger", "verify", "c.ledger"], clinic, elsewhere).code == 0  # nothing is known there
    assert run(["ledger", "verify", "c.ledger", "r.json"], clinic, elsewhere).code == 4
    mended = run(["ledger", "reconcile", "c.ledger", "r.json"], clinic)
    assert mended.code == 0
    assert "spent now epsilon 0.5" in mended.output
    assert run(["ledger", "verify", "c.ledger", "r.json"], clinic).code == 0
    assert release(clinic, "s.json") == 0
    assert pv.Ledger.open(clinic / "c.ledger").spent == pv.Budget.of(1)


def test_quotas_and_history(clinic: Path) -> None:
    assert run(["ledger", "quota", "c.ledger", "ann", "1/8"], clinic).code == 0
    assert run(["ledger", "quota", "c.ledger", "ben", "1"], clinic).code == 4
    assert run(["ledger", "quota", "c.ledger", "ben", "much"], clinic).code == 3
    assert release(clinic, "r.json") == 4
    assert release(clinic, "r.json", "--analyst", "ann") == 0
    assert release(clinic, "s.json", "--analyst", "ann") == 5
    shown = json.loads(run(["ledger", "show", "c.ledger", "--json"], clinic).output)
    assert shown["quotas"] == [
        {"analyst": "ann", "share": "0.125", "spent": {"epsilon": "0.5", "delta": "0"}}
    ]
    written = run(["ledger", "history", "c.ledger", "-o", "h.csv"], clinic)
    assert written.code == 0
    lines = (clinic / "h.csv").read_text().splitlines()
    assert len(lines) == 3
    assert '"released"' in lines[2]
    assert '"ann"' in lines[2]
    assert run(["ledger", "history", "c.ledger", "-o", "h.json"], clinic).code == 0
    assert len(json.loads((clinic / "h.json").read_text())["entries"]) == 3
    assert run(["ledger", "history", "c.ledger", "-o", "h.csv"], clinic).code == 4
    assert run(["ledger", "history", "c.ledger", "-o", "h.txt"], clinic).code == 4


def test_a_batch_by_groups(clinic: Path) -> None:
    together = ["batch", "t.csv", "a.toml", "-l", "c.ledger", "--by", "region", "--yes"]
    made = run(together, clinic)
    assert made.code == 0
    assert "region = south" in made.output
    page = (clinic / "batch.report.html").read_text()
    assert page.count("smoker, region = ") == 2
    assert page.count("<html") == 1
    assert "epsilon 0.5, delta 0, protecting one person" in page
    assert (clinic / "a.1.release.json").exists()
    assert (clinic / "a.2.release.json").exists()
    assert run(["verify", "a.2.release.json", "-l", "c.ledger"], clinic).code == 0
    assert pv.Ledger.open(clinic / "c.ledger").spent == pv.Budget.of("0.5")
    assert run(together, clinic).code == 6  # the files are there
    assert run([*together, "--charge-as", "replace-one", "-f", "."], clinic).code in (4, 6)
    assert run(["batch", "t.csv", "a.toml", "-l", "c.ledger", "--by", "nowhere", "--yes"], clinic).code == 3


@pytest.mark.parametrize("accounting", ["gaussian", "concentrated", "renyi"])
def test_other_accountings(accounting: str, clinic: Path) -> None:
    made = run(
        [
            *("ledger", "create", "o.ledger", "-p", "clinic", "-e", "4", "-d", "1e-5", "--yes"),
            *("--accounting", accounting, "--aside-epsilon", "1", "--aside-delta", "1e-6"),
        ],
        clinic,
    )
    assert made.code == 0
    assert "kept aside" in " ".join(made.output.split())
    asked = ["release", "a.toml", "t.csv", "-l", "o.ledger", "-o", "r.json", "--yes"]
    assert run(asked, clinic).code == 0
    shown = run(["ledger", "show", "o.ledger"], clinic)
    assert "is summed" in shown.output
    assert run(["verify", "r.json", "-l", "o.ledger"], clinic).code == 0
    assert run(["review", "r.json", "-l", "o.ledger"], clinic).code == 0
    pure = ["ledger", "create", "p.ledger", "-p", "clinic", "-e", "4", "--accounting", accounting, "-y"]
    assert run(pure, clinic).code == 4


def test_a_delta_aside_without_an_epsilon_is_not_ignored(tmp_path: Path) -> None:
    cap = ["ledger", "create", "o.ledger", "-p", "clinic", "-e", "4", "-d", "1e-5", "--accounting", "renyi"]
    made = run([*cap, "--aside-delta", "1e-6"], tmp_path)
    assert made.code == 4
    assert "--aside-epsilon" in made.errors
    assert not (tmp_path / "o.ledger").exists()


def test_corrupt_text_in_a_ledger_is_an_error_of_the_ledger(clinic: Path) -> None:
    """Exit code 4 and one message, which does not repeat the text."""
    with closing(sqlite3.connect(clinic / "c.ledger")) as connection:
        for guard in ("final", "kept"):
            connection.execute(f"DROP TRIGGER entries_{guard}")
        connection.execute("UPDATE entries SET body = CAST(x'73656372657420ff' AS TEXT)")
        connection.commit()
    for command in ("show", "verify", "history"):
        ended = run(["ledger", command, "c.ledger"], clinic)
        assert ended.code == 4
        assert "Traceback" not in ended.errors
        assert "secret" not in ended.errors


def test_a_ledger_for_declared_guarantees_says_so(tmp_path: Path) -> None:
    asked = ["ledger", "create", "c.ledger", "-p", "clinic", "-e", "4"]
    assert run([*asked, "--accept-declared"], tmp_path).code == 0
    shown = run(["ledger", "show", "c.ledger"], tmp_path)
    assert "takes guarantees that others declare" in " ".join(shown.output.split())
    document = json.loads(run(["ledger", "show", "c.ledger", "--json"], tmp_path).output)
    assert (document["accepts declared"], document["declared releases"]) == (True, 0)


def test_a_ledger_whose_past_was_rewritten_is_not_shown_as_if_it_held(clinic: Path) -> None:
    """The newest entry is as it was: only the whole chain tells, which a release of a short one checks."""
    assert release(clinic, "r.json") == 0
    assert release(clinic, "s.json") == 0
    assert run(["ledger", "show", "c.ledger"], clinic).code == 0
    with closing(sqlite3.connect(clinic / "c.ledger")) as connection:
        for guard in ("final", "kept"):
            connection.execute(f"DROP TRIGGER entries_{guard}")
        connection.execute("UPDATE entries SET body = replace(body, 'smoker', 'others') WHERE number = 1")
        connection.commit()
    shown = run(["ledger", "show", "c.ledger"], clinic)
    assert shown.code == 4
    assert "release nothing from this ledger" in shown.errors
    assert run(["ledger", "verify", "c.ledger"], clinic).code == 4
    refused = run(
        ["release", "a.toml", "t.csv", "-l", "c.ledger", "-o", "u.json", "--yes", "--again"], clinic
    )
    assert refused.code == 4
    said = " ".join(refused.errors.split())
    assert "release nothing from this ledger" in said
    assert "ledger reconcile" in said
    assert "Nothing was spent." in said
    assert not (clinic / "u.json").exists()


def test_a_batch_is_told_epsilon_and_neighbours(clinic: Path) -> None:
    shutil.copy(clinic / "a.toml", clinic / "b.toml")
    asked = ["batch", "t.csv", "a.toml", "b.toml", "-l", "c.ledger", "--yes", "--no-report"]
    made = run([*asked, "--epsilon", "0.25", "--neighbours", "add-or-remove-one"], clinic)
    assert made.code == 0
    assert pv.Ledger.open(clinic / "c.ledger").spent == pv.Budget.of("0.5")
    plan = pv.Release.read(clinic / "b.release.json").plan
    assert (plan.cost, plan.neighbours) == (pv.Budget.of("0.25"), pv.ADD_OR_REMOVE_ONE)
    assert not (clinic / "batch.report.html").exists()
    replaced = run([*asked, "--neighbours", "replace-one", "-f", "."], clinic)
    assert replaced.code in (4, 6)  # the ledger has another relation, and the files are there


def test_a_second_ledger_of_a_population_is_asked_about(clinic: Path) -> None:
    again = ["ledger", "create", "second.ledger", "-p", "clinic", "-e", "4"]
    refused = run(again, clinic)
    assert refused.code == 4
    assert "knows a ledger of this population" in refused.errors
    assert "--yes" in refused.errors
    assert not (clinic / "second.ledger").exists()
    assert run(["ledger", "create", "c.ledger", "-p", "clinic", "-e", "4"], clinic).code == 4
    for key, code in (("n", 1), ("y", 0)):
        asked = run_on_terminal(again, clinic, {"[y/N]": f"{key}\n"})
        assert "Make another ledger for clinic?" in asked.plain
        assert asked.code == code
        assert (clinic / "second.ledger").exists() is (code == 0)
    assert run(["ledger", "create", "third.ledger", "-p", "clinic", "-e", "4", "--yes"], clinic).code == 0
    assert run(["ledger", "create", "others.ledger", "-p", "clinic 2", "-e", "4"], clinic).code == 0
    elsewhere = {"PRIVIOR_STATE": str(clinic / "another machine")}
    assert run(["ledger", "create", "fourth.ledger", "-p", "clinic", "-e", "4"], clinic, elsewhere).code == 0


def test_yes_does_not_pay_for_the_same_twice(clinic: Path) -> None:
    """A script reads no notes: it says --again, or gives its spend a name."""
    ledger = pv.Ledger.open(clinic / "c.ledger")
    once = ["release", "a.toml", "t.csv", "-l", "c.ledger", "--yes", "--no-report", "-o"]
    grouped = ["batch", "t.csv", "a.toml", "-l", "c.ledger", "--by", "region", "--yes", "--no-report", "-f"]
    checked = ["check", "a.toml", "t.csv", "--epsilon", "0.5", "-l", "c.ledger", "--yes", "-f"]
    for place, asked in enumerate((once, grouped, checked), start=1):
        for name in ("first", "second", "third"):
            (clinic / name).mkdir(exist_ok=True)
        first, second, third = (
            [*asked, name + "/r.json" * (asked is once)] for name in ("first", "second", "third")
        )
        assert run(first, clinic).code == 0
        refused = run(second, clinic)
        assert refused.code == 4
        said = " ".join(refused.errors.split())
        assert "the same was bought before" in said
        assert "To use that again is free: privior ledger release" in said
        assert "--again" in said
        assert "Nothing was spent." in said
        assert ledger.last().number == 2 * place - 1
        assert run([*third, "--again"], clinic).code == 0
        assert ledger.last().number == 2 * place
    assert run([*once, "named.json", "--key", "monday"], clinic).code == 0
    on_terminal = [one for one in once if one != "--yes"]
    asked_there = run_on_terminal([*on_terminal, "asked.json"], clinic, {"[y/N]": "y\n"})
    assert "NOTE: the same was bought before" in " ".join(asked_there.plain.split())
    assert asked_there.code == 0


def test_verify_without_a_ledger_does_not_look_like_success(clinic: Path) -> None:
    assert release(clinic, "r.json") == 0
    found = run(["verify", "r.json"], clinic)
    assert found.code == 10
    assert "no ledger is named" in found.errors
    assert run(["verify", "r.json"], clinic, {"PRIVIOR_LEDGER": str(clinic / "c.ledger")}).code == 0


def test_verify_says_if_the_ledger_is_what_does_not_hold(clinic: Path) -> None:
    for name in ("r.json", "s.json"):
        assert release(clinic, name) == 0
    with closing(sqlite3.connect(clinic / "c.ledger")) as connection:
        for guard in ("final", "kept"):
            connection.execute(f"DROP TRIGGER entries_{guard}")
        connection.execute("UPDATE entries SET body = replace(body, 'smoker', 'others') WHERE number = 1")
        connection.commit()
    found = run(["verify", "r.json", "-l", "c.ledger"], clinic)
    assert found.code == 1
    assert "the ledger does not hold" in " ".join(found.errors.split())


def test_advice_is_of_options_that_there_are(clinic: Path) -> None:
    (clinic / "batch.report.html").write_text("")
    refused = run(["batch", "t.csv", "a.toml", "-l", "c.ledger", "--yes"], clinic)
    assert refused.code == 6
    assert "Choose another --folder, or say --no-report." in refused.errors
    other = ANALYSIS.replace('neighbours = "add-or-remove-one"', "").replace(
        'epsilon = "0.5"', 'epsilon = "0,5"'
    )
    (clinic / "comma.toml").write_text(other)
    assert "Numbers have a decimal point: 0.5" in run(["plan", "comma.toml"], clinic).errors
    (clinic / "b.toml").write_text(other.replace("0,5", "0.5"))
    mixed = run(["batch", "t.csv", "a.toml", "b.toml", "-l", "c.ledger", "--yes", "--no-report"], clinic)
    assert mixed.code == 3
    assert "--neighbours" in mixed.errors
    (clinic / "h.csv").write_text("")
    there = run(["ledger", "history", "c.ledger", "-o", "h.csv"], clinic)
    assert (there.code, there.output) == (4, "")
    assert "exists already" in there.errors
