"""Names of columns, levels, populations, units and models: what is seen is what there is.

A sign without a shape makes two names of what looks like one, or turns the writing around it. Such signs are
refused, by their code point; what joins letters or emoji is allowed between them, as Persian, the scripts of
India and emoji need it. Two names that look the same are refused too. Letters of different scripts may still
look alike: no rule about signs can tell what somebody meant.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from privior.errors import PriviorError, SchemaError

#: joiners, the grapheme joiner and variation selectors: invisible, and of use between or after signs
_JOINING = frozenset(
    "\u200c\u200d\u034f" + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
#: letters and marks that have no shape although their category does not say so
_SHAPELESS = frozenset(
    "\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2065\u2800\u3164\uffa0\ufffc\U00016fe4"
    + "".join(map(chr, range(0xFDD0, 0xFDF0)))
)
_REFUSED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def check_name(name: str, where: str, error: type[PriviorError] = SchemaError) -> None:
    """Refuse a name that holds a sign which cannot be seen, or which turns the writing around it."""
    if name.isascii() and name.isprintable():
        return
    for place, sign in enumerate(name):
        joins = sign in _JOINING and place > 0 and not name[place - 1].isspace()
        last = place == len(name) - 1 and sign in "\u200c\u200d\u034f"
        if (_shapeless(sign) and not joins) or (joins and last):
            raise error(
                f"a name holds a sign that cannot be seen, U+{ord(sign):04X} {_called(sign)}",
                where=where,
                asked=ascii(name)[:80],
                advice=f"Remove it: it is number {place + 1} of the name's signs.",
            )


def check_distinct(names: Iterable[str], where: str, error: type[PriviorError] = SchemaError) -> None:
    """Refuse two names that look the same."""
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(looks(name), name)
        if first != name:
            raise error(
                "two names look the same",
                where=where,
                asked=f"{ascii(first)[:60]} and {ascii(name)[:60]}",
                advice="Keep one of them; cells of the other count as missing unless they are written alike.",
            )


def looks(name: str) -> str:
    """Return what is seen of a name: composed letters, single spaces between words, nothing shapeless."""
    if name.isascii():
        return " ".join(name.split())
    seen = unicodedata.normalize("NFC", "".join(sign for sign in name if not _shapeless(sign)))
    return " ".join(seen.split())


def _shapeless(sign: str) -> bool:
    return unicodedata.category(sign) in _REFUSED or sign in _JOINING or sign in _SHAPELESS


def _called(sign: str) -> str:
    return unicodedata.name(sign, "(a control sign)")
