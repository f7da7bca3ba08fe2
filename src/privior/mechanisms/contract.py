"""The contract of a mechanism: a release law, built from public facts, whatever it publishes.

A mechanism registers itself and says what it offers for a model; the planner compares the offers. Laws only:
what a release will be good for is forecast elsewhere (`privior.forecasting`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from privior.arrays import Floats, Integers
from privior.checks import plain_fields
from privior.errors import PlanError, shown
from privior.models import Layout, Model, Observed
from privior.privacy import Budget, Guarantee, Neighbours, Sensitivity
from privior.registry import Registry, outside
from privior.schema import Schema

if TYPE_CHECKING:
    from privior.mechanisms.networks.drawn_sticks import DrawnSticks
    from privior.mechanisms.tables.table_mechanism import TableMechanism


@dataclass(frozen=True)
class Asked:
    """What a release is asked for: public facts, and nothing that is read from data.

    Attributes:
        model: what is to be learned
        schema: the public facts about the table
        records: number of units n: exact under replace-one, the largest possible one otherwise
        neighbours: the neighbour relation
        budget: what may be spent
        options: what only some mechanisms know, such as the number of draws
    """

    model: Model
    schema: Schema
    records: int
    neighbours: Neighbours
    budget: Budget
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Offer:
    """One way to carry out what is asked.

    Attributes:
        name: as the table of candidates has it
        build: makes the mechanism, or raises PlanError if it does not fit
    """

    name: str
    build: Callable[[], Mechanism]


@dataclass(frozen=True)
class CellNoise:
    """A release's log likelihood as a function of the true counts c, cell by cell and up to a constant:

    -rates |observed - c| - curvatures (observed - c)^2 / 2.

    Attributes:
        rates: one for each cell
        curvatures: one for each cell
        sums_to_zero: whether `observed - c` sums to zero, and is otherwise as if it were independent
        clamped: whether `observed` was moved to where counts can be: then `observed - c` is not the noise
        approximate: what is approximated, in words; empty if nothing is
    """

    rates: Floats
    curvatures: Floats
    sums_to_zero: bool = False
    clamped: bool = False
    approximate: str = ""


@dataclass(frozen=True, eq=False)
class CellTerm:
    """One term of a release's log likelihood, as in `CellNoise`, about its own points instead of one each.

    Attributes:
        observed: a point for each cell: the published number, unless that tells of an interval only
        rates: one for each cell
        curvatures: one for each cell
        precisions: about one over the variance of each number; None if that of the noise
    """

    observed: Integers | Floats
    rates: Floats
    curvatures: Floats
    precisions: Floats | None = None


@dataclass(frozen=True, eq=False)
class ParityTerm:
    """A release's log likelihood where it speaks of parities of binary columns, as in `CellNoise`.

    Attributes:
        columns: the sets of columns
        signed: whether a number is that of records with an even number of ones less that of the others; else
            it counts those with an odd number of ones
        observed: the published numbers, one for each set
        rate: of each
        curvature: of each
    """

    columns: tuple[tuple[str, ...], ...]
    signed: bool
    observed: tuple[int, ...]
    rate: float
    curvature: float


class Mechanism(ABC):
    """A release law: a frozen value.

    `release` and `log_likelihood` describe the same law; tests compare them by chi-square, and the
    enumeration audit compares `log_likelihood` with `guarantee`.
    """

    #: the name in files, what it does in few words, and where its randomness comes from
    name: ClassVar[str]
    about: ClassVar[str]
    randomness: ClassVar[str]
    #: the models that it is for
    models: ClassVar[tuple[type[Model], ...]]
    #: whether it is compared only if somebody asks for it by name
    on_request: ClassVar[bool] = False
    #: whether it is kept as published, for study: compared with the others, taken only if asked for by name
    for_study: ClassVar[bool] = False
    #: whether its numbers were made by others, so that nothing is released with it
    imported: ClassVar[bool] = False
    #: another name that it answers to, for models that know no mechanism of that name
    stands_for: ClassVar[str] = ""
    #: what may be said beside the budget, with what it is if nothing is said
    options: ClassVar[Mapping[str, object]] = {}
    #: whether the posterior itself is drawn from, so that nothing is added
    draws_posterior: ClassVar[bool] = False
    #: the numbers that are published are smaller than this, in absolute value
    largest: ClassVar[int] = 2**62
    #: the epsilon it was built for; a published mechanism may cost less
    epsilon: Fraction

    @classmethod
    def refusal(
        cls, what: str, *, asked: object = None, allowed: object = None, advice: str | None = None
    ) -> PlanError:
        """Return the error that says why such a mechanism cannot be, or does not fit."""
        return PlanError(what, where=cls.name, asked=asked, allowed=allowed, advice=advice)

    # How it is built

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build the mechanism that spends the budget, or raise PlanError if it does not fit."""
        raise NotImplementedError(f"{cls.__name__} has neither `built` nor `offers` and `at`")

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Return the ways to carry out what is asked, for a model of `models`: one, unless it says more."""
        return (Offer(cls.name, lambda: cls.built(asked)),)

    def at(self, asked: Asked) -> Self:
        """Return the same mechanism for another budget."""
        return self.built(asked)

    @property
    def taken(self) -> dict[str, Any]:
        """The options that it was built with."""
        return {name: getattr(self, name) for name in self.options}

    @abstractmethod
    def check(self, asked: Asked) -> None:
        """Raise PlanError if it is for another model, schema, neighbour relation or number of records."""

    # What it promises

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """How far one unit may move the statistics for the guarantee to hold."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What is promised whatever the data; in each of several disjoint groups, about one of them."""

    @property
    def earlier_reasons(self) -> tuple[str, ...]:
        """In which words, with their numbers, earlier versions gave the reason of this very guarantee."""
        return ()

    @property
    def replacing(self) -> Guarantee:
        """What all groups promise together if a record is replaced: one is removed, one added.

        The two may be of one group or of two, whatever the mechanism: a path of two steps.
        """
        return self.guarantee.replacing()

    @property
    def declared(self) -> bool:
        """Whether the guarantee is declared by code outside privior, which nobody here has proved."""
        return outside(type(self))

    @property
    def declaration(self) -> str:
        """Who declares the guarantee, where it is declared."""
        return "the guarantee is declared by code outside privior, which has not checked it"

    # What it publishes

    @property
    @abstractmethod
    def layouts(self) -> tuple[Layout, ...]:
        """What the arrays of a release look like."""

    @abstractmethod
    def release(self, statistics: Any) -> Observed:
        """Draw from the law, exactly, with randomness of the operating system.

        Args:
            statistics: `ExactStatistics`, or `ExactRecords` if that is what the model's readings are
        """

    @abstractmethod
    def log_likelihood(self, observed: Observed, statistics: Any) -> float:
        """Return the log probability of releasing `observed` if these are the true statistics."""

    @abstractmethod
    def admits(self, observed: Observed, records: int) -> bool:
        """Say whether some table of that many records could have given a release of this layout."""

    @property
    def cell_noise(self) -> CellNoise | None:
        """The noise as inference of tables sees it; None if the law is no noise on cells."""
        return None

    def cell_terms(self, observed: Observed, records: int) -> tuple[CellTerm, ...] | None:
        """What inference of tables is told of each cell; None if the law is no noise on cells.

        Args:
            observed: what was released
            records: the number of records, for laws that need it where it is public
        """
        noise = self.cell_noise
        return None if noise is None else (CellTerm(observed.amounts, noise.rates, noise.curvatures),)

    def parity_term(self, observed: Observed) -> ParityTerm | None:
        """What inference of networks is told of parities, instead of cells; None if the noise is on cells."""
        return None

    def drawn_sticks(self, observed: Observed) -> tuple[DrawnSticks, ...] | None:
        """What inference of networks is told of the draws of each table; None if none are released."""
        return None

    def parameters_drawn(self, observed: Observed) -> Floats | None:
        """Return the released draws of the parameters, one a row; None if none are released."""
        return None

    @property
    def draw_weight(self) -> Fraction:
        """The weight of a record in the posterior that draws come from: 1 is the posterior itself."""
        return Fraction(1)

    # Words and files

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say what else is declared or used, as named facts."""
        return []

    def memory(self, records: int) -> str:
        """Say how much memory a release of so many records takes; nothing if it is next to nothing."""
        return ""

    @property
    def slow(self) -> bool:
        """Whether building it for another budget takes seconds."""
        return False

    @property
    def drawback(self) -> str:
        """What to mind before one spends; nothing if there is nothing."""
        return ""

    @property
    def minimum(self) -> int:
        """How many records every cell has at least, as a declared public fact; 0 if none is used."""
        return 0

    @property
    def minimum_in_words(self) -> str:
        """What is declared about the smallest count."""
        return ""

    def small(self, cells: int, records: int, max_rows: int) -> TableMechanism:
        """Return the same law with so few outcomes that they can be listed, or raise PlanError."""
        raise self.refusal("has too many outcomes to be listed")

    def to_document(self) -> dict[str, object]:
        """Write the name and the fields as plain values; model and schema stand beside it in a plan."""
        return {"name": self.name, **plain_fields(self, "model", "schema")}

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read what `to_document` wrote, without the name: arguments of the constructor."""
        return cls(**entries)


MECHANISMS: Registry[type[Mechanism]] = Registry(
    "mechanism", "mechanism", "name", PlanError, ("privior.mechanisms",)
)

MechanismKind = TypeVar("MechanismKind", bound=Mechanism)


def offered_for(*models: type) -> Callable[[type[MechanismKind]], type[MechanismKind]]:
    """Register a mechanism that is compared with others for these models and those below them.

    Planning loads the files in which this decorator names the model's class, or one above it.
    """
    return partial(_registered, models, False)


def on_request_for(*models: type) -> Callable[[type[MechanismKind]], type[MechanismKind]]:
    """Register a mechanism for these models that is built only if somebody asks for it by name."""
    return partial(_registered, models, True)


def _registered(models: tuple[type, ...], on_request: bool, kind: type[MechanismKind]) -> type[MechanismKind]:
    kind.models, kind.on_request = models, on_request
    MECHANISMS.register(kind)
    return kind


def compared_for(model: Model) -> list[type[Mechanism]]:
    """Return the mechanisms that the planner looks at for a model, in their order; others are not loaded."""
    loaded = MECHANISMS.beside(type(model), offered_for.__name__)
    return [one for one in loaded if isinstance(model, one.models)]


def to_mechanism(document: object, model: Model, schema: Schema) -> Mechanism:
    """Read what `to_document` wrote; the mechanism's own checks refuse what does not hold together."""
    entries = {str(name): value for name, value in document.items()} if isinstance(document, dict) else {}
    kind = MECHANISMS.named(entries.pop("name", None))
    if not isinstance(model, kind.models):
        raise unsuited(kind, model)
    try:
        return kind.from_entries(entries, model, schema)
    except (TypeError, ValueError, OverflowError):
        raise PlanError("missing or unknown entries", where=kind.name, asked=", ".join(entries)) from None


def unsuited(kind: object, model: Model) -> PlanError:
    """Say that a mechanism is not for a model, and which ones are."""
    fit = [one for one in MECHANISMS if isinstance(model, one.models) and not one.imported]
    return PlanError(
        f"not a mechanism for {model.family}",
        where=getattr(kind, "name", "mechanism"),
        asked=getattr(kind, "name", None) or shown(kind),
        allowed=", ".join(f"pv.{one.__name__}" for one in fit),
    )
