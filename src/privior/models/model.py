"""The contract of a model: what is learned of which columns, and what each record adds to that.

A model states public facts and mathematics. It reads nothing and draws nothing. It registers itself; one file
in `posterior` says what follows from a release of it, and one in `forecasting` what can be expected of that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from privior.arrays import Integers
from privior.errors import ModelError, shown
from privior.models.readings import Reading, Sums
from privior.models.statistics import ExactRecords, ExactStatistics, Layout
from privior.models.summands import Summand
from privior.privacy import REPLACE_ONE, Neighbours, Sensitivity
from privior.registry import Registry
from privior.schema import Schema

#: sums reach no farther than this, in every engine
MOST_SUM = 2**62
#: a prior is too strong if the records leave a larger share of its own error open
PRIOR_SHARE = 0.7


class Model(ABC):
    """What is to be learned: a frozen value.

    Attributes:
        columns: the columns that are read, in order
        prior: what is believed before any data
    """

    #: the name in files
    family: ClassVar[str]
    #: the oldest format of release files that can hold it
    first_format: ClassVar[int] = 5
    #: what mechanisms are compared by, and how a column of such errors is headed
    error_name: ClassVar[str] = "error"
    error_heading: ClassVar[str] = "error"
    #: measures of forecasts that are drawn against epsilon, beside the width
    pictured: ClassVar[tuple[str, ...]] = ()
    #: no error and no interval is larger than this
    largest_error: ClassVar[float] = math.inf
    #: what to do if no epsilon reaches what is wanted
    less: ClassVar[str] = "Ask for less: only more records would tell more."
    columns: tuple[str, ...]
    prior: Any

    @classmethod
    def refusal(
        cls, what: str, *, asked: object = None, allowed: object = None, advice: str | None = None
    ) -> ModelError:
        """Return the error that says what is wrong with a model of this family."""
        return ModelError(what, where=cls.family, asked=asked, allowed=allowed, advice=advice)

    # What is asked of the rows

    @property
    def by(self) -> tuple[str, ...]:
        """The columns whose levels make the cells in which records are summed; none for one sum over all."""
        return ()

    @abstractmethod
    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return what each record adds to the statistics of its cell."""

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """Return what arrays of its statistics look like: one, with a number for each sum of each cell."""
        cells = math.prod(schema.column(name).size for name in self.by)
        return (Layout("counts", (cells * len(self.summands(schema, neighbours)),)),)

    def readings(
        self, schema: Schema, neighbours: Neighbours, within: tuple[str, ...] = ()
    ) -> tuple[Reading, ...]:
        """Return what is asked of the rows, all in one pass: sums in the cells of `by`, unless it says more.

        Args:
            schema: the public facts about the table
            neighbours: the neighbour relation
            within: columns that divide the records first, such as that of a group
        """
        return (Sums((*within, *self.by), tuple(self.summands(schema, neighbours))),)

    def counted(self, answers: Sequence[Any]) -> tuple[Integers, ...]:
        """Return the statistics from the answers to the readings: arrays whose first axis is of the cells.

        What divides the records first varies slowest in each of them.
        """
        return tuple(np.asarray(answer) for answer in answers)

    def exact(self, arrays: Sequence[Integers]) -> ExactStatistics | ExactRecords:
        """Return what mechanisms are given of these arrays: all numbers, one array after the other.

        A model of records keeps them as such (`ExactRecords`).
        """
        return ExactStatistics(np.concatenate([np.ravel(one) for one in arrays]))

    @property
    def times_counted(self) -> int:
        """How often each record adds 1 to the statistics, where their total is public."""
        return 1

    @abstractmethod
    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one unit moves the statistics, after checking that the model fits the schema."""

    def _check_drops(self, schema: Schema, neighbours: Neighbours | str) -> None:
        """Refuse to leave records out where their number is public: it would not be (`missing=DROP`)."""
        if Neighbours.of(neighbours) is REPLACE_ONE and schema.drops(self.columns):
            raise ModelError(
                "records with bad cells cannot be dropped under replace-one: their number would be public",
                where=", ".join(name for name in self.columns if schema.drops((name,))),
                asked="missing = DROP",
                advice="Count them as a level or a value (missing=...), or plan with "
                "neighbours=pv.ADD_OR_REMOVE_ONE; families of numbers release their number too.",
            )

    @property
    def least_records(self) -> int:
        """With fewer records nothing can be inferred."""
        return 1

    @property
    def parts(self) -> tuple[object, ...]:
        """Values that it is made of and that somebody else may have written."""
        return ()

    # The prior

    def with_prior(self, prior: object) -> Self:
        """Return the same model with another prior, written as in files or as a value, and checked."""
        written = prior.to_document() if hasattr(prior, "to_document") else prior
        entries = {name: value for name, value in self.to_document().items() if name != "family"}
        return self.from_entries({**entries, "prior": written})

    # Words

    @abstractmethod
    def in_words(self, schema: Schema) -> str:
        """Say what is learned, and how much that is."""

    @property
    def subject(self) -> str:
        """What is learned of, for titles."""
        return " and ".join(self.columns)

    @property
    def assumption(self) -> str:
        """What is assumed of the shape of the columns and no sum can tell, such as "x is Poisson"."""
        return ""

    @property
    @abstractmethod
    def first_question(self) -> str:
        """What somebody will ask a release first."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What makes a release more informative, in words."""

    @abstractmethod
    def width_in_words(self, schema: Schema) -> str:
        """Say what the forecast width is the width of."""

    @abstractmethod
    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Say that the prior is stronger than all records together; nothing if it is not.

        Args:
            schema: the public facts about the table
            records: how many there are
            left_open: returns the error that the true statistics would leave, as a share of the prior's own
        """

    @property
    def typical_in_words(self) -> str:
        """Say of which data forecasts are typical, where that is not the prior's own."""
        return ""

    @property
    def identity(self) -> object:
        """What must be the same for several releases to speak of the same thing, beside the columns."""
        return self.family

    # Files

    @abstractmethod
    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, without the name of the family: arguments of the constructor."""
        try:
            return cls(**entries)
        except TypeError:
            from inspect import signature

            raise ModelError(
                "unknown or missing entries",
                where=f"model, {cls.family}",
                asked=", ".join(entries),
                allowed=", ".join(signature(cls).parameters),
            ) from None

    @classmethod
    def from_stored(cls, entries: dict[str, object]) -> Self:
        """Read the entries of a model from a stored plan, whose version may have meant more than it wrote."""
        return cls.from_entries(entries)


MODELS: Registry[type[Model]] = Registry(
    "family", "model", "family", ModelError, ("privior.models", "privior.models.families")
)


def to_model(document: object, *, stored: bool = False) -> Model:
    """Read what `to_document` wrote, refusing whatever is unknown.

    Args:
        document: the family's name and the entries
        stored: whether it stands in a plan, perhaps one of an earlier version
    """
    if not isinstance(document, dict):
        raise ModelError("not a table", where="model", asked=type(document).__name__)
    entries = {str(name): value for name, value in document.items()}
    family = MODELS.named(entries.pop("family", None))
    return family.from_stored(entries) if stored else family.from_entries(entries)


def column_name(name: object, family: str) -> str:
    """Return the name of a column, or refuse what is none."""
    if not isinstance(name, str) or not name:
        raise ModelError("not the name of a column", where=family, asked=shown(name))
    return name
