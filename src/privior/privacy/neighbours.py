"""Neighbour relations: which two data sets a guarantee says cannot be told apart."""

from __future__ import annotations

from enum import Enum
from typing import Final

from privior.errors import PlanError, shown


class Neighbours(Enum):
    """How two neighbouring data sets differ. Guarantees under different relations never mix."""

    REPLACE_ONE = "replace-one"
    ADD_OR_REMOVE_ONE = "add-or-remove-one"

    @classmethod
    def of(cls, value: Neighbours | str) -> Neighbours:
        """Return the relation itself or the one of that name."""
        if isinstance(value, cls):
            return value
        for relation in cls:
            if value == relation.value:
                return relation
        raise PlanError(
            "unknown neighbour relation",
            where="neighbours",
            asked=shown(value),
            allowed=", ".join(relation.value for relation in cls),
        )

    def __str__(self) -> str:
        return self.value


#: one unit's records are replaced by another's; the number of units is public
REPLACE_ONE: Final = Neighbours.REPLACE_ONE
#: one unit's records appear or disappear; the number of units is private
ADD_OR_REMOVE_ONE: Final = Neighbours.ADD_OR_REMOVE_ONE
