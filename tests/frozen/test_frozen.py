"""Answers that privior 0.3.0 gave to stored questions are given for ever, exactly or, if sampled, by law.

`make_frozen.py` made the files and is never run again for what is here, but for what was wrong: it says
what. What takes long is asked by `evidence/test_frozen_slowly.py`.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import frozen_answers as fa
import pytest
from frozen_answers import Document

HERE = Path(__file__).parent
RELEASES = HERE / "releases"
FROZEN: dict[str, Document] = json.loads((HERE / "answers.json").read_text("utf-8"))

SUMS = (
    *("beta-bernoulli", "beta-binomial", "gamma-poisson", "gamma-exponential", "laplace-scale"),
    *("normal-mean", "normal-precision", "normal-mean-precision"),
    *("multivariate-normal-mean", "multivariate-normal-precision"),
)
#: those that need no public number of records, and those that do
OPEN = ("laplace-counts", "gaussian-counts", "dirichlet-draw", "virtual-records")
CLOSED = ("k-norm", "lshist", "lsdim", "ehd", "ehds", "ehdl")
ALL, PUBLIC = ("replace-one", "add-or-remove-one"), ("replace-one",)
#: the mechanisms that each family can have, and under which neighbour relations
MECHANISMS = {
    **{family: {"noisy-statistics": ALL, "posterior-draws": PUBLIC} for family in SUMS},
    **{
        family: {**dict.fromkeys(OPEN, ALL), **dict.fromkeys(CLOSED, PUBLIC)}
        for family in ("dirichlet-categorical", "markov-chain")
    },
    "finite-family": {**dict.fromkeys((*OPEN[:2], "model-draws"), ALL), "k-norm": PUBLIC},
}


def quick(several: str) -> list[Document]:
    return [one for one in FROZEN[several] if "slow" not in one]


def name_of(one: Document) -> str:
    return str(one.get("release") or one.get("like") or one["releases"][0])


def cases(several: list[Document]) -> list[object]:
    """Return what is about one model and table as the parameter of one test."""
    grouped = groupby(several, lambda one: name_of(one).split(".")[0])
    return [pytest.param(list(some), id=case) for case, some in grouped]


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        fa.remember_releases(patch.setattr)
        yield


def check(one: Document, found: list[Document]) -> list[str]:
    """Say which answers are not the frozen ones."""
    pairs = zip(one["answers"], found, strict=True)
    wrong = [fa.differences(old["answer"], now, old.get("errors", {})) for old, now in pairs]
    return [f"{'+'.join(one['releases'])}: {said}" for said in wrong if said]


# ---- what is frozen ----------------------------------------------------------------------------------------


def test_two_hundred_questions_over_all_models_and_mechanisms_are_frozen() -> None:
    asked = [
        (one["prior"], question, answer["kind"])
        for one in FROZEN["questions"]
        for question, answer in zip(one["questions"], one["answers"], strict=True)
    ]
    assert len(asked) >= 200
    assert all(prior for prior, _, _ in asked)
    assert {kind for _, _, kind in asked} == {"exact", "sampled"}
    assert sum(len(one["questions"]) for one in quick("questions")) >= 200


def test_every_family_mechanism_and_neighbour_relation_is_asked() -> None:
    kinds = set()
    for path in RELEASES.iterdir():
        plan = json.loads(path.read_text())["plan"]
        kinds.add((plan["model"]["family"], plan["mechanism"]["name"], plan["neighbours"]))
    wanted = {
        (family, name, relation)
        for family, mechanisms in MECHANISMS.items()
        for name, relations in mechanisms.items()
        for relation in relations
    }
    assert kinds == wanted
    named = {name for one in FROZEN["questions"] for name in one["releases"]}
    assert named == {path.name for path in RELEASES.iterdir()}
    assert named == {one["release"] for one in FROZEN["releases"]}


def test_the_files_are_small_and_name_no_place() -> None:
    files = [path for path in HERE.rglob("*") if path.suffix in (".json", ".py")]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    for path in files:
        if path.suffix == ".json":
            text = path.read_text("utf-8")
            assert not any(f"/{folder}/" in text for folder in ("tmp", "home", "work", "root"))


# ---- that it is given again --------------------------------------------------------------------------------


@pytest.mark.parametrize("some", cases(FROZEN["releases"]))
def test_plans_and_promises_stay(some: list[Document]) -> None:
    for one in some:
        path = RELEASES / one["release"]
        found = fa.promise(path)
        assert fa.differences(one["promise"], found, {}) == [], path.name
        plan = json.loads(path.read_text())["plan"]
        canonical = json.dumps(plan, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert found["digest"] == hashlib.sha256(canonical.encode("ascii")).hexdigest()


@pytest.mark.parametrize("some", cases(sorted(quick("planned"), key=name_of)))
def test_planning_anew_gives_the_same_plan(some: list[Document], tmp_path: Path) -> None:
    for one in some:
        assert fa.planned(RELEASES / one["like"], one["ask"], tmp_path) == one["plan"], one["ask"]


@pytest.mark.parametrize("some", cases(quick("questions")))
def test_questions_are_answered_as_before(some: list[Document]) -> None:
    """The first release of each model by the command, the others in Python."""
    wrong = []
    for one in some:
        door = fa.answers_on_the_command_line if "seed" in one else fa.answers
        wrong += check(one, door(RELEASES, one))
    assert wrong == []


@pytest.mark.parametrize("some", cases(quick("calls")))
def test_posteriors_say_what_they_said(some: list[Document]) -> None:
    assert [said for one in some for said in check(one, fa.said(RELEASES, one))] == []


@pytest.mark.parametrize("some", cases(quick("decisions")))
def test_decisions_stay(some: list[Document]) -> None:
    assert [said for one in some for said in check(one, fa.decided(RELEASES, one))] == []


# ---- planted faults ----------------------------------------------------------------------------------------


def first(name: str) -> Document:
    return next(one for one in FROZEN["questions"] if one["releases"] == [name])


def wrong(frozen: Document, folder: Path, asked: Document) -> list[bool]:
    """Say of each question whether the comparison refuses the answer."""
    found = fa.answers(folder, asked)
    pairs = zip(frozen["answers"], found, strict=True)
    return [bool(fa.differences(one["answer"], now, one.get("errors", {}))) for one, now in pairs]


@pytest.mark.parametrize(
    ("name", "prior"),
    [
        ("fruit.laplace-counts.replace-one.json", "1.000001"),
        ("fruit.dirichlet-draw.replace-one.delta.json", "1.000001"),
        ("events.noisy-statistics.replace-one.json", "{ law = 'gamma', shape = 3.000001, rate = 2 }"),
        ("coin.posterior-draws.replace-one.delta.json", "{ law = 'beta', first = 2.000001, second = 3 }"),
        ("die.k-norm.replace-one.json", "[4.000001, 1, 2, 1]"),
    ],
)
def test_a_prior_that_is_a_little_off_is_noticed(name: str, prior: str) -> None:
    frozen = first(name)
    exact = [one["kind"] == "exact" and "P(" in str(one["answer"]) for one in frozen["answers"]]
    noticed = wrong(frozen, RELEASES, {**frozen, "prior": prior})
    assert any(exact)
    assert all(seen for seen, sure in zip(noticed, exact, strict=True) if sure)


@pytest.mark.parametrize(
    ("name", "prior"),
    [
        ("joint.k-norm.replace-one.json", '[2, "1/2", 1, 3, 1, 2]'),
        ("chain.k-norm.replace-one.json", "[1, 2, 1, 2]"),
    ],
)
def test_another_prior_is_noticed_in_sampled_answers(name: str, prior: str) -> None:
    frozen = first(name)
    noticed = wrong(frozen, RELEASES, {**frozen, "prior": prior})
    sampled = [one["kind"] == "sampled" for one in frozen["answers"]]
    assert any(seen for seen, drawn in zip(noticed, sampled, strict=True) if drawn)


@pytest.mark.parametrize(
    ("law", "other"),
    [
        ("fruit.laplace-counts.replace-one.json", "fruit.gaussian-counts.replace-one.delta.json"),
        ("joint.gaussian-counts.replace-one.delta.json", "joint.laplace-counts.replace-one.json"),
        ("die.laplace-counts.replace-one.json", "die.gaussian-counts.replace-one.delta.json"),
        ("waits.noisy-statistics.replace-one.json", "waits.noisy-statistics.replace-one.delta.json"),
    ],
)
def test_another_law_of_noise_is_noticed(law: str, other: str, tmp_path: Path) -> None:
    """The same noisy numbers, told to have come from another law."""
    frozen = first(law)
    twin = json.loads((RELEASES / other).read_text())
    twin["statistics"] = json.loads((RELEASES / law).read_text())["statistics"]
    (tmp_path / law).write_text(json.dumps(twin))
    assert any(wrong(frozen, tmp_path, frozen))
    promised = {one["release"]: one["promise"] for one in FROZEN["releases"]}
    assert any("deltas" in said for said in fa.differences(promised[law], fa.promise(tmp_path / law), {}))


def test_a_count_that_is_off_by_one_is_noticed(tmp_path: Path) -> None:
    name = "fruit.gaussian-counts.replace-one.delta.json"
    twin = json.loads((RELEASES / name).read_text())
    twin["statistics"]["counts"][0] += 1
    (tmp_path / name).write_text(json.dumps(twin))
    assert any(wrong(first(name), tmp_path, first(name)))


def test_every_exact_number_binds_and_sampled_ones_bind_by_their_error() -> None:
    frozen = [answer for one in FROZEN["questions"] for answer in one["answers"]]
    for answer in frozen[:: max(1, len(frozen) // 60)]:
        errors = answer.get("errors", {})
        assert fa.differences(answer["answer"], answer["answer"], errors) == []
        for place, value in fa.leaves(answer["answer"]):
            if place.endswith("#") or errors.get(place, 1) is None:
                continue
            assert fa.differences(answer["answer"], _moved(answer["answer"], place, value, errors, 6), errors)
            if place in errors:
                near = _moved(answer["answer"], place, value, errors, 4)
                assert fa.differences(answer["answer"], near, errors) == []


def _moved(answer: Document, place: str, value: Document, errors: Document, steps: float) -> Document:
    """Return the answer with one number off, by so many errors or by 1e-11 of itself, or another text."""
    moved = copy.deepcopy(answer)
    *path, last = place.split("/")[1:]
    inner = moved
    for step in path:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    if not fa.is_number(value):
        new: Document = f"{value}."
    elif place in errors:
        new = value + steps * errors[place]
    else:
        new = value * (1 + 1e-11) if value else 1e-11
    inner[int(last) if isinstance(inner, list) else last] = new
    return moved
