"""XMLBIF, version 0.3: the Bayesian interchange format as XML. What is read of it, and how it is written.

After TABLE the levels of the node itself vary fastest, then those of its last parent. Properties are not
read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from xml.etree import ElementTree

from privior.errors import SchemaError, shown
from privior.schema.bif import NetworkFacts


def read(text: str) -> NetworkFacts:
    """Read a file, or say what is wrong with it."""
    if "<!ENTITY" in text:
        raise SchemaError("a file that declares entities is not read")
    try:
        network = ElementTree.fromstring(text.lstrip("\ufeff \t\r\n")).find("NETWORK")  # noqa: S314 - no entities
    except (ElementTree.ParseError, ValueError):
        raise SchemaError("not an XML document: cut off or damaged") from None
    if network is None:
        raise SchemaError("there is no NETWORK in it")
    levels: dict[str, tuple[str, ...]] = {}
    for variable in network.findall("VARIABLE"):
        node = _text(variable, "NAME")
        own = tuple((one.text or "").strip() for one in variable.findall("OUTCOME"))
        if node in levels or len(own) < 2 or len(set(own)) < len(own):
            raise SchemaError("a node that stands twice, or without two different levels", asked=shown(node))
        levels[node] = own
    parents: dict[str, tuple[str, ...]] = {}
    tables: dict[str, tuple[float, ...]] = {}
    for definition in network.findall("DEFINITION"):
        node = _text(definition, "FOR")
        above = tuple((one.text or "").strip() for one in definition.findall("GIVEN"))
        if node in parents or not {node, *above} <= set(levels) or len({node, *above}) <= len(above):
            raise SchemaError("a node that is not declared, or stands twice", asked=shown(node))
        parents[node] = above
        words = "".join(definition.findtext("TABLE") or "").split()
        if words:
            tables[node] = tuple(map(_probability, words))
    missing = [node for node in levels if node not in parents]
    if missing or not levels:
        raise SchemaError("a node has no DEFINITION", asked=missing[0] if missing else None)
    return levels, {node: parents[node] for node in levels}, tables


def written(
    levels: Mapping[str, Sequence[str]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, Sequence[float]],
) -> str:
    """Write a network as text in XMLBIF."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>unknown</NAME>",
    ]
    for node, own in levels.items():
        outcomes = "".join(f"<OUTCOME>{_safe(one)}</OUTCOME>" for one in own)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{_safe(node)}</NAME>{outcomes}</VARIABLE>')
    for node, above in parents.items():
        given = "".join(f"<GIVEN>{_safe(one)}</GIVEN>" for one in above)
        numbers = " ".join(repr(float(one)) for one in tables.get(node, ()))
        table = f"<TABLE>{numbers}</TABLE>" if numbers else ""
        lines.append(f"<DEFINITION><FOR>{_safe(node)}</FOR>{given}{table}</DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _safe(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise SchemaError("a name or level cannot be written in XMLBIF", asked=shown(text))
    return escape(text, quote=False)


def _text(element: ElementTree.Element, name: str) -> str:
    found = (element.findtext(name) or "").strip()
    if not found:
        raise SchemaError(f"{name} is missing")
    return found


def _probability(word: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    if not 0 <= found <= 1:
        raise SchemaError("not a probability", asked=shown(word))
    return found
