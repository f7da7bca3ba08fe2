"""Columns of named levels: words, or true and false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from privior.checks import fill
from privior.errors import SchemaError, shown
from privior.schema.column import DROP, MOST_LEVELS, Column, Level, Missing, text
from privior.schema.names import check_distinct, check_name


@dataclass(frozen=True)
class Categorical(Column):
    """Named levels. A cell that is none of them counts as `missing`, by default the last level."""

    levels: tuple[Level, ...]
    missing: Level | Literal[Missing.DROP] = DROP
    kind: ClassVar[str] = "categorical"

    def __init__(self, levels: Sequence[Level], missing: Level | Literal[Missing.DROP] | None = None) -> None:
        if isinstance(levels, str) or not isinstance(levels, Sequence):
            raise SchemaError("levels are not a list", where=self.kind, asked=shown(levels))
        chosen = tuple(levels)
        if len(chosen) < 2:
            raise SchemaError("too few levels", where=self.kind, asked=len(chosen), allowed="2 or more")
        if len(chosen) > MOST_LEVELS:
            raise SchemaError("too many levels", where=self.kind, asked=len(chosen), allowed=MOST_LEVELS)
        for level in chosen:
            known = isinstance(level, str) or (isinstance(level, int) and abs(level) < 2**63)
            if not known or level == "":
                raise SchemaError(
                    "a level is neither text nor a whole number", where=self.kind, asked=shown(level)
                )
        labels = [text(level) for level in chosen]
        if len(set(labels)) < len(labels):
            twice = next(label for label, times in Counter(labels).items() if times > 1)
            raise SchemaError("a level is listed twice", where=self.kind, asked=twice)
        for label in labels:
            check_name(label, self.kind)
        check_distinct(labels, self.kind)
        if missing is DROP and DROP.value in labels:
            raise SchemaError(
                "DROP cannot be told from a level of that name", where=self.kind, asked=DROP.value
            )
        fill(self, levels=chosen, missing=chosen[-1] if missing is None else missing)
        self.missing_code  # noqa: B018 - an unknown level is refused now, not at the first bad cell

    @property
    def size(self) -> int:
        """One code per level."""
        return len(self.levels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as text."""
        return tuple(text(level) for level in self.levels)

    @property
    def values(self) -> tuple[object, ...]:
        """The levels as they were given."""
        return self.levels


@dataclass(frozen=True)
class Boolean(Column):
    """True or false, also written yes/no, t/f, y/n or 1/0. A bad cell counts as `missing`: False."""

    missing: bool | Literal[Missing.DROP] = False
    kind: ClassVar[str] = "boolean"

    #: the accepted spellings, in lower case, of code 0 and code 1
    SPELLINGS: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = (
        ("false", "f", "no", "n", "0"),
        ("true", "t", "yes", "y", "1"),
    )

    def __post_init__(self) -> None:
        if self.missing is not DROP and not isinstance(self.missing, bool):
            raise SchemaError(
                "missing must be True, False or DROP", where=self.kind, asked=shown(self.missing)
            )

    @property
    def size(self) -> int:
        """Two codes: false and true."""
        return 2

    @property
    def labels(self) -> tuple[str, ...]:
        """In the order false, true."""
        return ("false", "true")

    @property
    def values(self) -> tuple[object, ...]:
        """The truth values."""
        return (False, True)

    def code(self, value: object) -> int:
        """Return the code of a truth value in any spelling that cells may have."""
        word = text(value).lower()
        spelled = [code for code in (0, 1) if word in self.SPELLINGS[code]]
        return spelled[0] if spelled else super().code(value)
