"""Releases with something changed: numbers to extremes, entries removed, of another type, longer or shorter.

Whatever is changed in a plan, the guarantee and the receipt are written anew as they follow from it, as
whoever forges a file would do, so that the change is seen by what comes after reading.
"""

from __future__ import annotations

import copy
import json
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import privior as pv
from privior.errors import PriviorError
from privior.exact import decimal
from privior.plans import Plan
from privior.privacy import Accounting, AccountingKind
from privior.release import to_payload
from privior.release.release import imported_identifier
from privior.report import page_of

FILES = sorted((Path(__file__).parents[1] / "compat").rglob("*.json"))
EXTREMES: list[Any] = [
    *(0, 1, -1, 2, 3, 10**6, 10**18, 2**62, -(2**62), 2**63, 10**30, 10**400),
    *(0.5, 1e-9, 1e300, -0.0, 1e-320),
    *("0", "1", "-1", "0.5", "1e-9", "1e-18", "1e9", "1e18", "1e300", "1e-300", "1/3", "nan", "inf"),
]
WHOLE = [1, 2, 3, 7, 60, 10**4, 10**6, 10**9, 10**12, 10**15, 10**18]
AMOUNTS = [
    "1e-30",
    "1e-18",
    "1e-9",
    "1e-6",
    "1e-3",
    "0.5",
    "1",
    "3",
    "1e3",
    "1e6",
    "1e9",
    "1e12",
    "1e18",
    "1e30",
]
ODD = [
    "", " ", "\x00", "\ud800", "\u202e", "\u200b", "\n", "a" * 100_000, "<script>", "=1+1", "../../x",
    "%s{0}{x}", "1e999999999", "0." + "0" * 5000 + "1", "9" * 5000, "1/0", "-0", "\u0661", "NaN",
    "e" + "\u0301" * 50,
]  # fmt: skip
OTHERS: list[Any] = [
    None,
    True,
    False,
    "",
    "x",
    [],
    {},
    [[]],
    {"x": 1},
    "\x00",
    "ключ",
    [1, 2],
    ["0.2", "0.8"],
]


def changed(name: str, number: int) -> str:
    """Return one file with one to three changes, always the same for the same number."""
    draw = random.Random(f"{name} {number}")
    path = next(path for path in FILES if path.name == name)
    document = json.loads(path.read_text("utf-8"))
    if draw.random() < 0.6:
        numbers = [place for place in _places(document["plan"]) if _is_number(*place)]
        for inside, key in draw.choices(numbers, k=draw.choice((1, 1, 2))):
            inside[key] = type(inside[key])(draw.choice(WHOLE if isinstance(inside[key], int) else AMOUNTS))
        return json.dumps(mended(document))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = list(_places(document, ("plan", "statistics") if draw.random() < 0.8 else ()))
        if places:
            _change(*draw.choice(places), draw)
    return json.dumps(mended(document) if draw.random() < 0.9 else document)


def odd(name: str, number: int) -> str:
    """Return one file with something in it that no program writes: odd texts, names, and deep nesting."""
    draw = random.Random(f"odd {name} {number}")
    document = json.loads(next(path for path in FILES if path.name == name).read_text("utf-8"))
    places = list(_places(document, ("plan",) if draw.random() < 0.7 else ()))
    inside, key = draw.choice(places)
    way = draw.choice(("text", "name", "deep", "wide", "twice"))
    if way == "text":
        texts = [place for place in places if isinstance(place[0][place[1]], str)]
        inside, key = draw.choice(texts)
        inside[key] = draw.choice(ODD) if draw.random() < 0.5 else inside[key] + draw.choice(ODD)
    elif way == "name" and isinstance(inside, dict):
        inside[draw.choice([*ODD, *(other for held, other in places if isinstance(held, dict))])] = inside[
            key
        ]
        if draw.random() < 0.5:
            inside.pop(key, None)
    elif way == "deep":
        depth = draw.choice((3, 50, 400, 900, 5000))
        inside[key] = "DEEP"
        opening, closing = draw.choice((("[", "]"), ('{"x":', "}")))
        return json.dumps(document).replace('"DEEP"', opening * depth + "1" + closing * depth)
    elif way == "wide" and isinstance(inside[key], list):
        inside[key] = inside[key] * draw.choice((0, 2, 50))
    else:
        other, place = draw.choice(places)
        inside[key] = copy.deepcopy(other[place])
    return json.dumps(mended(document) if draw.random() < 0.8 else document)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise a TimeoutError as soon as so many seconds of the processor are gone."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds:g} s of the processor")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def wrong(name: str, number: int, seconds: float) -> str | None:
    """Return what came out of a changed release that should not have, None if nothing did."""
    try:
        with within(seconds):
            use(odd(name, number) if number % 3 == 2 else changed(name, number))
    except Exception as error:
        return f"{name} {number}: {type(error).__name__}: {str(error)[:200]}"
    return None


def _is_number(inside: Any, key: Any) -> bool:
    """Say whether it is a number, as plans write them: whole, or exact as text."""
    value = inside[key]
    if isinstance(value, str):
        return key not in ("format", "missing") and value.replace(".", "", 1).replace("/", "", 1).isdigit()
    return isinstance(value, int) and not isinstance(value, bool) and key not in ("format", "missing")


def _places(document: Any, first: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    keys = document if isinstance(document, dict) else range(len(document))
    for key in keys:
        if first and key not in first:
            continue
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from _places(document[key])


def _change(inside: Any, key: Any, draw: random.Random) -> None:
    value = inside[key]
    way = draw.random()
    if isinstance(value, list) and way < 0.4:
        inside[key] = draw.choice([value[:-1], value[1:], value * 2, value[::-1], [*value, *value[-1:]]])
    elif way < 0.75:
        inside[key] = draw.choice(EXTREMES)
        if isinstance(value, str) and draw.random() < 0.7:
            inside[key] = str(inside[key])
    elif way < 0.9:
        inside[key] = copy.deepcopy(draw.choice(OTHERS))
    elif isinstance(inside, dict) and draw.random() < 0.5:
        inside[draw.choice(["least", "draws", "group", "max_rows", "column"])] = draw.choice(EXTREMES)
    else:
        del inside[key]


def mended(document: dict[str, Any]) -> dict[str, Any]:
    """Write guarantee and receipt as they follow from the plan, if it is one."""
    try:
        plan = Plan.from_document(document["plan"])
        cost = plan.guarantee.cost
        stated = {
            "epsilon": decimal(cost.epsilon),
            "delta": decimal(cost.delta),
            "neighbours": plan.neighbours.value,
            "unit": plan.schema.unit.noun,
            "reason": plan.guarantee.reason,
        }
        if plan.mechanism.imported:
            return _mended_import(document, plan, stated)
        own = document["ledger"]
        receipt = {name: own[name] for name in ("entry", "head", "durable")}
        receipt["population"] = plan.schema.population
        number = document["format"]
        if number > 3:
            top = Accounting(AccountingKind.BASIC, pv.Budget.of("1e9", "0.99")).to_document()
            price = [decimal(cost.epsilon), decimal(cost.delta)]
            receipt |= {"previous": own["previous"], "accounting": top, "price": price, "total": price}
        elif number > 1:
            receipt |= {
                "entry": 1,
                "spent": cost.to_document(),
                "cap": pv.Budget.of("1e9", "0.99").to_document(),
            }
        return {**document, "guarantee": stated, "ledger": receipt}
    except (PriviorError, KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        return document


def _mended_import(document: dict[str, Any], plan: Plan, stated: dict[str, Any]) -> dict[str, Any]:
    """Write the claim and the identifier of numbers of others as they follow from the plan."""
    statistics = document["statistics"]
    identifier = imported_identifier(plan, to_payload(statistics))
    return {**document, "guarantee": {**stated, "declared": True}, "id": identifier}


def use(text: str) -> bool:
    """Do with a release all that can be done with it; False if something was refused.

    Raises whatever else than a PriviorError comes out.
    """
    try:
        release = pv.Release.from_json(text)
    except PriviorError:
        return False
    whole = True
    for step in (
        lambda: str(release) + release._repr_html_(),
        lambda: pv.verify(release),
        lambda: str(pv.review(release)),
        lambda: pv.infer(release),
        lambda: str(pv.ask(release, release.plan.model.first_question)),
        lambda: page_of(release),
    ):
        try:
            step()
        except PriviorError:
            whole = False
    return whole
