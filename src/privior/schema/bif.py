"""BIF, the Bayesian interchange format, version 0.15: what is read of it, and how it is written.

    variable smoke { type discrete [ 2 ] { yes, no }; }
    probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }

Names and levels are words without the signs below, or stand in double quotes. After `table` the levels of the
node itself vary slowest; `default` is every row that is not said. Properties are left out.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence

from privior.errors import SchemaError, shown

#: levels, parents and tables of each node
NetworkFacts = tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, tuple[float, ...]]]

#: the probabilities of a node's levels, by the levels of its parents; of None where no others are said
TableRows = dict[tuple[str, ...] | None, list[float]]

#: entries of all tables together; a few words say many of them, and no model could take more
_MOST_ENTRIES = 1_000_000

_SIGNS = "{}()[]|,;"
_TOKEN = re.compile(
    rf'//[^\n]*|/\*(?:.*?\*/|.*)|"[^"\n]*"|[{re.escape(_SIGNS)}]|[^\s"{re.escape(_SIGNS)}]+', re.DOTALL
)
_BARE = re.compile(rf'[^\s"{re.escape(_SIGNS)}]+')


def read(text: str) -> NetworkFacts:
    """Read a file, or say in which line it cannot be read."""
    return _Reader(text).facts()


def written(
    levels: Mapping[str, Sequence[str]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, Sequence[float]],
) -> str:
    """Write a network as text in BIF."""
    lines = ["network unknown {", "}"]
    for node, own in levels.items():
        listed = ", ".join(map(_word, own))
        lines += [f"variable {_word(node)} {{", f"  type discrete [ {len(own)} ] {{ {listed} }};", "}"]
    for node, above in parents.items():
        bar = f" | {', '.join(map(_word, above))}" if above else ""
        lines.append(f"probability ( {_word(node)}{bar} ) {{")
        table, many = tables.get(node, ()), len(levels[node])
        rows = itertools.product(*(levels[name] for name in above)) if table else ()
        for place, row in enumerate(rows):
            start = f"({', '.join(map(_word, row))})" if above else "table"
            numbers = ", ".join(repr(float(one)) for one in table[place * many : (place + 1) * many])
            lines.append(f"  {start} {numbers};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    if _BARE.fullmatch(text) and not text.startswith(("//", "/*")):
        return text
    if '"' in text or not text.isprintable():
        raise SchemaError("a name or level cannot be written in BIF", asked=shown(text))
    return f'"{text}"'


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, text: str) -> None:
        found = [(one.group(), one.start()) for one in _TOKEN.finditer(text)]
        self.tokens = [one for one in found if not one[0].startswith(("//", "/*"))]
        last = found[-1][0] if found else ""
        self.unfinished = last.startswith("/*") and not last[2:].endswith("*/")
        self.text, self.at, self.entries = text, 0, 0
        self.levels: dict[str, tuple[str, ...]] = {}
        self.parents: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, tuple[float, ...]] = {}

    def facts(self) -> NetworkFacts:
        """Read blocks up to the end."""
        while self.at < len(self.tokens):
            kind = self.word("a block")
            if kind == "variable":
                self.variable()
            elif kind == "probability":
                self.probability()
            elif kind != "network":
                raise self.error("not a block: network, variable or probability", kind)
            else:  # whose name may be several words
                while not self.taken("{"):
                    self.word("a brace")
                self.block(self.skipped)
        if self.unfinished:
            raise self.error("a comment does not end", None)
        missing = [node for node in self.levels if node not in self.parents]
        if missing or not self.levels:
            raise self.error("a node has no probability block", missing[0] if missing else None)
        return self.levels, {node: self.parents[node] for node in self.levels}, self.tables

    def variable(self) -> None:
        """Read the levels of a node."""
        node = self.word("a node")
        if node in self.levels:
            raise self.error("a node is declared twice", node)
        self.expect("{")
        self.block(lambda: self.typed(node))
        if node not in self.levels:
            raise self.error("a node without levels", node)

    def typed(self, node: str) -> None:
        """Read `type discrete [ n ] { level, ... };`, or anything else up to its end."""
        if self.word("an entry") != "type":
            self.skipped()
            return
        if self.word("a type") != "discrete":
            raise self.error("only discrete nodes are read", node)
        self.expect("[")
        size = self.word("a number")
        self.expect("]")
        self.expect("{")
        found = self.words("}")
        self.expect(";")
        if size != str(len(found)) or len(set(found)) < len(found) or len(found) < 2:
            raise self.error("not so many different levels, at least two", node)
        self.levels[node] = tuple(found)

    def probability(self) -> None:
        """Read the parents of a node, and its table."""
        self.expect("(")
        node = self.word("a node")
        above = self.words(")", start="|")
        strange = [name for name in (node, *above) if name not in self.levels]
        if strange or node in self.parents or len({node, *above}) <= len(above):
            raise self.error("a node that is not declared, or stands twice", (strange or [node])[0])
        self.parents[node] = tuple(above)
        self.expect("{")
        rows: TableRows = {}
        self.block(lambda: self.row(node, rows))
        own = len(self.levels[node])
        if not rows:
            return
        every = self.combinations(node)
        self.entries += own * len(every)
        missing = [row for row in every if row not in rows and None not in rows]
        if missing or any(len(row) != own for row in rows.values()):
            raise self.error("a row of probabilities is missing, or has not one for each level", node)
        self.tables[node] = tuple(p for row in every for p in rows.get(row, rows.get(None, [])))

    def row(self, node: str, rows: TableRows) -> None:
        """Read one row, all rows after `table`, or the others after `default`."""
        above = self.parents[node]
        if self.taken("("):
            levels = self.words(")")
            known = len(levels) == len(above) and all(
                level in self.levels[name] for level, name in zip(levels, above, strict=True)
            )
            if not known or tuple(levels) in rows:
                raise self.error("not a row of the table, or one that stands twice", ", ".join(levels))
            rows[tuple(levels)] = self.numbers()
            return
        kind = self.word("a row")
        if kind == "default":
            rows[None] = self.numbers()
        elif kind == "table":
            numbers, own, every = self.numbers(), len(self.levels[node]), self.combinations(node)
            if len(numbers) != own * len(every):
                raise self.error("not one probability for each combination of levels", node)
            rows.update({row: numbers[place :: len(every)] for place, row in enumerate(every)})
        else:
            self.skipped()

    def combinations(self, node: str) -> list[tuple[str, ...]]:
        """List the levels that the parents of a node can have together, if there are not too many."""
        above = [self.levels[name] for name in self.parents[node]]
        many = len(self.levels[node]) * math.prod(map(len, above))
        if self.entries + many > _MOST_ENTRIES:
            raise self.error(f"all tables together have more than {_MOST_ENTRIES} entries", node)
        return list(itertools.product(*above))

    def numbers(self) -> list[float]:
        """Read numbers up to a semicolon."""
        found = []
        for text in self.words(";"):
            try:
                found.append(float(text))
            except ValueError:
                found.append(math.nan)
            if not 0 <= found[-1] <= 1:
                raise self.error("not a probability", text)
        return found

    # Pieces

    def block(self, entry: Callable[[], None]) -> None:
        """Read entries up to a closing brace."""
        while not self.taken("}"):
            entry()

    def words(self, end: str, start: str = "") -> list[str]:
        """Read words up to a sign, with or without commas between them; none unless `start` comes first."""
        found: list[str] = []
        if start and not self.taken(start):
            self.expect(end)
            return found
        while not self.taken(end):
            if not self.taken(","):
                found.append(self.word("a word"))
        return found

    def skipped(self) -> None:
        """Leave out what stands up to the next semicolon."""
        while not self.taken(";"):
            self.at += 1
            if self.at > len(self.tokens):
                raise self.error("the file has ended: a brace, a parenthesis or a semicolon is missing", None)

    def word(self, what: str) -> str:
        """Read a name, a level or a number."""
        token = self.tokens[self.at][0] if self.at < len(self.tokens) else ""
        if not token or token in _SIGNS:
            raise self.error(f"{what} is missing", token or None)
        self.at += 1
        return token.strip('"')

    def taken(self, sign: str) -> bool:
        """Read a sign, if it comes next."""
        if self.at >= len(self.tokens):
            raise self.error("the file has ended: a brace, a parenthesis or a semicolon is missing", None)
        if self.tokens[self.at][0] != sign:
            return False
        self.at += 1
        return True

    def expect(self, sign: str) -> None:
        """Read a sign, or say that it is missing."""
        if not self.taken(sign):
            raise self.error(f"{sign} is missing", self.tokens[self.at][0])

    def error(self, what: str, asked: str | None) -> SchemaError:
        """Return the error that points at the line."""
        place = self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 0
        line = self.text.count("\n", 0, place) + 1
        return SchemaError(what, where=f"line {line}", asked=None if asked is None else shown(asked))
