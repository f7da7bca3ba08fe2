"""Asks release files what is frozen of them, and compares answers with frozen ones.

Only what later versions keep is used: commands with their JSON and exit codes, TOML, and the Python that the
README shows (`pv.Release.read`, `pv.infer`, `pv.ask`, methods of posteriors; a plan's digest and guarantee).
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

import privior as pv
from privior.cli import main

#: exact numbers agree to this share of them
EXACT = 1e-12
NOTHING = 2.0**-52
#: sampled numbers agree to so many of their standard errors
ERRORS = 5.0
#: the standard error of the share of a value that was never drawn, or always
RARE = 0.01
#: where delta curves and divergences are frozen
EPSILONS, ORDERS = (0.1, 0.5, 1.0, 2.0), (2.0, 8.0)
#: what an answer says of its own draws, which another way of drawing may change
OF_DRAWS = ("simulation_error", "draws", "shortfall", "behind_error")
#: what answers did not say yet when they were frozen
LATER = ("about",)

Document = Any

#: a note that rests on a forecast, which is not frozen
FORECAST = "NOTE: This release would hardly say more than the prior alone."


def command(*arguments: object) -> tuple[int, Document]:
    """Run `privior` in this process; return its exit code and the JSON document that it wrote."""
    kept, output = sys.argv, io.StringIO()
    sys.argv = ["privior", *map(str, arguments), "--json"]
    try:
        with contextlib.redirect_stdout(output):
            main()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.argv = kept
    return code, json.loads(output.getvalue())


def done(*arguments: object) -> Document:
    """Return what a command answers that must succeed."""
    code, document = command(*arguments)
    if code:
        raise AssertionError(f"privior {arguments[0]} ended with {code}: {document}")
    return document


def remember_releases(replace: Callable[[object, str, object], None]) -> None:
    """Let every file be read and checked once: that costs more than most answers."""
    replace(pv.Release, "read", staticmethod(functools.cache(pv.Release.read)))


# ---- what is asked -----------------------------------------------------------------------------------------


def promise(path: Path) -> Document:
    """Return what a release file promises: plan, facts as printed, guarantee, curve of delta, divergences."""
    plan = pv.Release.read(path).plan
    guarantee = plan.guarantee
    return {
        "digest": plan.digest,
        "printed": [line for line in str(plan).splitlines() if not line.startswith(FORECAST)],
        "guarantee": guarantee.to_document(),
        "claim": guarantee.claim(),
        "deltas": [guarantee.delta(epsilon) for epsilon in EPSILONS],
        "divergences": [_finite(guarantee.renyi(order)) for order in ORDERS],
        "rho": _rho(guarantee),
    }


def planned(path: Path, ask: Document, folder: Path) -> Document:
    """Return what planning anew gives, from an analysis file that asks for the release in `path`."""
    arguments = dict(ask)
    options = [f"--{name}={arguments.pop(name)}" for name in ("mechanism", "draws", "least") if name in ask]
    plan = json.loads(path.read_text())["plan"]
    analysis = folder / "analysis.toml"
    analysis.write_text(tomli_w.dumps({**plan["schema"], "model": plan["model"], "ask": arguments}))
    code, document = command("plan", analysis, *options)
    if code:
        return {"code": code, "kind": document["error"]["kind"]}
    fits = [one["mechanism"] for one in document["candidates"] if one["unfit"] is None]
    return {"code": code, "digest": document["digest"], "warnings": document["warnings"], "fits": fits}


def answers(folder: Path, asked: Document) -> list[Document]:
    """Put questions to one release, or to several of one table, with the prior that is named."""
    posterior = inferred(folder, asked)
    found = [pv.ask(posterior, question, seed=asked.get("seed")) for question in asked["questions"]]
    return [_told(json.loads(json.dumps(answer.to_document()))) for answer in found]


def answers_on_the_command_line(folder: Path, asked: Document) -> list[Document]:
    """Put the same questions by `privior ask`, which takes longer to start than most take to answer."""
    first, *others = [folder / name for name in asked["releases"]]
    also = [word for other in others for word in ("--also", other)]
    seed = ["--seed", asked["seed"]] if "seed" in asked else []
    found = done("ask", first, *asked["questions"], "--prior", asked["prior"], *also, *seed)
    return [_told(answer) for answer in found["answers"]]


def said(folder: Path, asked: Document) -> list[Document]:
    """Call methods of a posterior, with the prior that is named."""
    posterior = inferred(folder, asked)
    return [_plain(_called(posterior, call)) for call in asked["calls"]]


def inferred(folder: Path, asked: Document) -> Any:
    """Infer from one release, or from several of one table."""
    releases = [pv.Release.read(folder / name) for name in asked["releases"]]
    return pv.infer(releases, prior=_prior(asked["prior"]), noise=asked.get("noise", "account"))


def decided(folder: Path, asked: Document) -> list[Document]:
    """Decide by a utility, with the prior that is named."""
    settings = [word for setting in asked["settings"] for word in ("--set", setting)]
    path = folder / asked["releases"][0]
    found = done(
        "decide", path, asked["question"], "--utility", asked["utility"], *settings, "--prior", asked["prior"]
    )
    kept = {name: found["choice"][name] for name in ("response", "expected_utility", "found", "warnings")}
    return [{"decision": found["decision"], **kept}]


def _told(answer: Document) -> Document:
    """Return an answer without what it says of its draws; of synthetic records the share of each value."""
    if answer["kind"] != "sample":
        return {name: value for name, value in answer.items() if name not in OF_DRAWS + LATER}
    shares = {
        name: {str(value): values.count(value) / len(values) for value in sorted(set(values), key=str)}
        for name, values in answer["columns"].items()
    }
    return {"kind": "sample", "question": answer["question"], "shares": shares}


def _prior(text: str) -> object:
    if text == "learned":
        return pv.ExchangeablePrior()
    return tomllib.loads(f"prior = {text}")["prior"] if text.startswith(("{", "[")) else text


def _called(posterior: Any, call: Sequence[Any]) -> object:
    found = getattr(posterior, call[0])
    return found(*call[1:]) if callable(found) else found


def _plain(value: Any) -> Document:
    """Return numbers, texts, lists and tables of them; of a quantity its mean, deviation and interval."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    mean = value.mean() if callable(value.mean) else value.mean
    stddev = value.stddev() if callable(value.stddev) else value.stddev
    return _plain({"mean": mean, "stddev": stddev, "interval": value.interval(0.8)})


def _rho(guarantee: Any) -> float | None:
    try:
        return float(guarantee.zcdp)
    except pv.NumberError:
        return None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# ---- comparison --------------------------------------------------------------------------------------------


def leaves(value: Document, place: str = "") -> Iterator[tuple[str, Document]]:
    """Yield every number and text of a document with its place."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, f"{place}/{name}")
    elif isinstance(value, list):
        yield f"{place}#", len(value)
        for number, one in enumerate(value):
            yield from leaves(one, f"{place}/{number}")
    else:
        yield place, value


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def differences(frozen: Document, found: Document, errors: Mapping[str, float | None]) -> list[str]:
    """Say where an answer is not the frozen one.

    Args:
        frozen: the answer of old
        found: the answer now
        errors: of each number that is sampled, its standard error; None where a text may change
    """
    old, new = dict(leaves(frozen)), dict(leaves(found))
    for shares, others in ((old, new), (new, old)):  # what is not drawn has no share of synthetic records
        shares |= {place: 0.0 for place in others if place.startswith("/shares/") and place not in shares}
    errors = {**{place: RARE for place in old if place.startswith("/shares/")}, **errors}
    free = {place for place, error in errors.items() if error is None}
    said = [f"{place}: only before" for place in sorted(old.keys() - new.keys() - free)]
    said += [f"{place}: only now" for place in sorted(new.keys() - old.keys() - free)]
    for place in sorted((old.keys() & new.keys()) - free):
        if not agree(old[place], new[place], errors.get(place)):
            said.append(f"{place}: was {old[place]!r}, is {new[place]!r}, error {errors.get(place)}")
    return said


def agree(old: Document, new: Document, error: float | None = None) -> bool:
    """Say whether two numbers are equal up to rounding, or by law if they are sampled, or two texts equal."""
    if not (is_number(old) and is_number(new)):
        return bool(old == new)
    allowed = EXACT * max(abs(old), abs(new)) if error is None else ERRORS * error
    if old == 0:  # which sums in another order, on another processor, leave next to 0
        allowed = max(allowed, NOTHING)
    return bool(abs(old - new) <= allowed)
