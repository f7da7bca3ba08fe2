"""The kinds of columns, by the names that they have in files."""

from __future__ import annotations

from privior.schema.column import Column
from privior.schema.days import Date
from privior.schema.named_levels import Boolean, Categorical
from privior.schema.numbers import Binned, Bounded, Integer

#: every kind of column by the name it has in files
KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Categorical, Boolean, Integer, Bounded, Binned, Date)
}
