"""Labels: text that somebody else chose, made harmless and fitted into a space on the screen."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

#: shown in place of what has no shape of its own or would change the text around it
REPLACEMENT = "\ufffd"
#: letters of some scripts, and emoji, are joined by them
_JOINERS = frozenset("\u200c\u200d")


def clean(text: str, keep: str = "") -> str:
    """Replace control signs, line ends, broken code points, and what cannot be seen or turns the writing.

    >>> clean("a\\x1b[31m\\u202eb")
    'a�[31m�b'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign in keep or _harmless(sign) else REPLACEMENT for sign in text)


def _harmless(sign: str) -> bool:
    no_character = ord(sign) & 0xFFFE == 0xFFFE
    unseen = unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") and sign not in _JOINERS
    return not (no_character or unseen)


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def cut(text: str, most: int) -> str:
    """Return a clean text of at most so many columns, with an ellipsis where something was cut off.

    >>> cut("a doctorate", 8)
    'a docto…'
    """
    text = clean(text)
    if columns(text) <= most:
        return text
    kept, taken = "", 0
    for sign in text:
        taken += _columns(sign)
        if taken >= most:
            break
        kept += sign
    return kept + "…"


def pad(text: str, width: int) -> str:
    """Fill a text up with blanks on the right."""
    return text + " " * (width - columns(text))


def for_matplotlib(text: str, most: int) -> str:
    """Return a clean, cut text whose dollar signs matplotlib does not read as mathematics."""
    return cut(text, most).replace("$", r"\$")


def wrapped(parts: Sequence[str], width: int, gap: str = "   ") -> list[str]:
    """Set parts one after the other on as few lines as they need; a part too long for a line is broken."""
    lines: list[str] = []
    for part in parts:
        if lines and columns(lines[-1] + gap + part) <= width:
            lines[-1] += gap + part
        elif columns(part) <= width:
            lines.append(part)
        else:
            lines += wrapped([cut(word, width) for word in part.split()], width, " ")
    return lines
