"""Files of networks, BIF and XMLBIF: which columns there are, their levels, parents, and perhaps tables.

Levels and parents are public facts, and go into schemas and models. Probabilities in a file are somebody's
own; nothing of privior's looks at them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from privior.errors import SchemaError, shown
from privior.schema import bif, xmlbif
from privior.schema.column import Column
from privior.schema.named_levels import Categorical
from privior.whole_files import read_whole, write_whole

#: of a path the end is told, which has the file's name
_END = 70


@dataclass(frozen=True)
class NetworkFile:
    """What a file says of a network.

    Attributes:
        levels: of each node, in the order of the file
        parents: of each node, in the same order
        tables: the probabilities of each node: one for each combination of levels of its parents, in their
            order, and of its own, which vary fastest; none for nodes without
    """

    levels: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, tuple[float, ...]]

    def __post_init__(self) -> None:
        for node, above in self.parents.items():
            strange = [name for name in (node, *above) if name not in self.levels]
            if strange:
                raise SchemaError("a node without levels", where="network", asked=shown(strange[0]))
            many = math.prod(len(self.levels[name]) for name in (*above, node))
            if len(self.tables.get(node, ())) not in (0, many):
                raise SchemaError(
                    "not one probability for each combination of levels",
                    where=node,
                    asked=len(self.tables[node]),
                    allowed=many,
                )

    @staticmethod
    def read(path: str | Path) -> NetworkFile:
        """Read a file: XMLBIF if it begins like XML, else BIF."""
        where = shown(str(path)[-_END:]).strip("'")
        try:
            text = read_whole(path).decode("utf-8")
        except OSError as error:
            raise SchemaError(f"cannot read the file: {error.strerror}", where=where) from None
        except (TypeError, ValueError):
            raise SchemaError("not the path of a readable text file", where=where) from None
        try:
            return NetworkFile.from_text(text)
        except SchemaError as error:
            place = where if error.where is None else f"{where}, {error.where}"
            told = error.what, error.asked, error.allowed, error.advice
        raise SchemaError(told[0], where=place, asked=told[1], allowed=told[2], advice=told[3])

    @staticmethod
    def from_text(text: str) -> NetworkFile:
        """Read what stands in a file."""
        read = xmlbif.read if text.lstrip("\ufeff \t\r\n").startswith("<") else bif.read
        return NetworkFile(*read(text))

    def to_bif(self) -> str:
        """Write it as BIF."""
        return bif.written(self.levels, self.parents, self.tables)

    def to_xmlbif(self) -> str:
        """Write it as XMLBIF."""
        return xmlbif.written(self.levels, self.parents, self.tables)

    def write(self, path: str | Path) -> None:
        """Write a file, whole or not at all: XMLBIF if its name ends in .xml or .xmlbif, else BIF."""
        xml = str(path).lower().endswith((".xml", ".xmlbif"))
        try:
            write_whole(path, self.to_xmlbif() if xml else self.to_bif())
        except (OSError, ValueError):
            raise SchemaError("the file cannot be written there", where=shown(str(path))) from None

    @property
    def columns(self) -> dict[str, Column]:
        """The nodes as columns of a schema; a bad cell counts as the last level."""
        return {node: Categorical(list(levels)) for node, levels in self.levels.items()}
