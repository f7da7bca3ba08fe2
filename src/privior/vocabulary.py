"""Vocabulary: what the words of privacy mean that stand in what is shown, in a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: a word as it is shown, and what it means
MEANINGS: dict[str, str] = {
    "pure": "delta is 0: the bound of epsilon holds whatever comes out",
    "replace-one": "compared are tables of as many records, of which one unit's contribution is another",
    "add-or-remove-one": "compared are tables with and without the records of one unit",
    "k-norm": "noise on all counts together, as far as one record can move them; their sum, which is public, "
    "stays as it is",
    "sticks": "how draws of probabilities are written: of what earlier cells left, the part of each cell",
    "virtual records": "counts of records that were drawn from a draw of the probabilities",
}

#: what stands before a word where it means something else: guarantees that are not pure are compared with one
_COMPARED = {"pure": "(?<!under a )"}


def explained(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the words that stand in some texts and need a meaning, with it.

    >>> explained(["epsilon 1 (pure)"])
    [('pure', 'delta is 0: the bound of epsilon holds whatever comes out')]
    >>> explained(["unlike under a pure guarantee, a rare outcome may tell more"])
    []
    """
    said = " ".join(" ".join(texts).lower().split())
    return [
        (word, meaning)
        for word, meaning in MEANINGS.items()
        if re.search(rf"{_COMPARED.get(word, '')}\b{word}\b", said)
    ]
