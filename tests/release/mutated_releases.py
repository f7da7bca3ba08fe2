"""Releases with something changed: numbers to extremes, entries removed, of another type, longer or shorter.

Whatever is changed in a plan, the guarantee and the receipt are written anew as they follow from it, as
whoever forges a file would do, so that the change is seen by what comes after reading.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import privior as pv
from privior.errors import PriviorError
from privior.exact import decimal
from privior.plans import Plan
from privior.privacy import Accounting, AccountingKind
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
