"""The contract of posteriors, and which posterior belongs to which model.

A concrete posterior is one file: a class that says of which model it is, `@posterior_for(Model)`, how it
follows from releases, `given`, and what it finds. `infer` looks for the class of a model, then for those that
the model's class derives from. Nothing lists posteriors, so one may be written outside this package.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from privior.checks import whole_number
from privior.errors import InferenceError
from privior.pictures import Picture, listing, markup
from privior.posterior.conflict import Conflict
from privior.posterior.events import Event
from privior.posterior.findings import Finding, markup_of, text_of
from privior.posterior.numbers import Floats, Numbers
from privior.posterior.ordered_quantity import OrderedQuantity, as_value
from privior.posterior.quantity import (
    DRAWS,
    Quantity,
    check_level,
    check_number,
    check_share,
    generator,
)
from privior.posterior.records import SampledRecords
from privior.posterior.summary import Summary
from privior.registry import ByClass
from privior.release import Release
from privior.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PosteriorKind = TypeVar("PosteriorKind", bound="type[Posterior]")


class BeliefQuestion(Protocol):
    """What may be put to a belief: it knows which of the belief's methods it needs."""

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> Any:
        """Return the belief's answer, with intervals of this level."""


class Belief(ABC):
    """What is held of a model's parameters: a law of them, which is asked about numbers.

    Posteriors are beliefs, and so are draws that are taken as they are. Draws are all that must be known:
    everything else follows from them, unless a kind of belief knows better.
    """

    #: what it follows from
    releases: tuple[Release, ...]
    #: the model, with the prior that was used
    model: Any
    #: whether noisy statistics were taken as true ones
    ignored: bool = False
    #: whether it knows how uncertain its numbers are; if not, there are estimates, and no draws or intervals
    uncertain: bool = True
    #: of what is drawn to read answers off: the same for the same one
    seed: int = 0
    #: the questions that it understands, by their names in the grammar, and the method that knows the answer
    understands: ClassVar[Mapping[str, str]] = {
        "p": "probability",
        "mean": "average",
        "median": "median",
        "quantile": "quantile",
    }

    @property
    def schema(self) -> Schema:
        """The public facts of the columns."""
        schema: Schema = self.releases[0].plan.schema
        return schema

    @cached_property
    def numbers(self) -> Numbers:
        """What parameters of the model say about records."""
        return numbers_of(self.model, self.schema)

    @property
    def noise_ignored(self) -> bool:
        """Whether noisy statistics were taken as true ones."""
        return self.ignored

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        return ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted and cannot be told from the releases, in words."""
        return ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What goes with every answer: the warnings."""
        return self.warnings

    def rests_on(self, given: Event | object | None, *, of_shape: bool) -> str:
        """Say what an answer rests on that nothing released can tell, such as "x is Poisson"; often nothing.

        Args:
            given: what is conditioned on
            of_shape: whether the answer is about the values of single records
        """
        assumption: str = self.model.assumption
        return assumption if of_shape else ""

    @property
    def about(self) -> str:
        """What its numbers are of: the process behind the table."""
        return f"of the next record, from the process behind the table{self.whose}"

    @property
    def whose(self) -> str:
        """Which records alone were counted, if only those of a group were."""
        group = self.releases[0].plan.group
        return "" if group is None else f", only records with {group}"

    @abstractmethod
    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the parameters, one a row."""

    def mode(self) -> float | Floats:
        """Return the most likely parameters, or refuse where they are not looked for."""
        raise InferenceError("the most likely parameters are not looked for")

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a number that follows from the parameters; by simulation, if nothing better."""
        return Quantity.of(name, function(self.draws(DRAWS, self.seed)))

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the law of the probability of an event, such as {"sex": "female"}.

        Args:
            event: a level, or several, for some columns: {"education": ["master", "doctorate"]}; for a
                model of one column a level alone will do. Where a column has a grid, values outside its
                bounds count as the nearest end.
            given: another event to condition on, for tables
        """
        return self.quantity(*self.numbers.probability(event, given))

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the law of the mean of a column of numbers, or of the share of true.

        Args:
            column: a column of whole numbers, of numbers on a grid, or true or false
            given: an event to condition on, for tables
        """
        return self.quantity(*self.numbers.average(column, given))

    def quantile(
        self, column: str, share: float, given: Event | object | None = None
    ) -> Quantity | OrderedQuantity:
        """Return the law of the least value of a column that at least this share of records does not exceed.

        Args:
            column: a column of whole numbers, of numbers on a grid, true or false, days or bins
            share: between 0 and 1, such as 0.9
            given: an event to condition on, for tables
        """
        found = self.quantity(*self.numbers.quantile(column, check_share(share), given))
        return as_value(found, self.schema.column(column))

    def median(self, column: str, given: Event | object | None = None) -> Quantity | OrderedQuantity:
        """Return the law of the median of a column: the quantile of a half."""
        return self.quantile(column, 0.5, given)

    def parameter_named(self, name: str) -> Quantity:
        """Return the law of one parameter of a family by its name, or by its column if it is the only one."""
        return self.quantity(*self.numbers.parameter(name))

    def knowing(self, question: str) -> Callable[..., Any] | None:
        """Return the method that knows the answers to questions of this name; None if they make no sense."""
        method = self.understands.get(question)
        return None if method is None else getattr(self, method)

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say why it does not understand a question, and what to ask instead, if it knows better words."""
        return None

    def answer(self, question: BeliefQuestion, *, level: float = 0.9, seed: int | None = None) -> Any:
        """Answer a question as `privior.queries.parse` reads it.

        Args:
            question: what is asked
            level: of intervals, where the question does not say another one
            seed: of the records of a sample
        """
        return question.asked(self, level=level, seed=seed)


class Posterior(Belief):
    """What follows from releases of one table of one population."""

    understands: ClassVar[Mapping[str, str]] = {**Belief.understands, "sample": "sample"}

    @classmethod
    @abstractmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer from releases of one table.

        Args:
            releases: one or more, which `infer` has checked to be of one table
            prior: the analyst's own; None for the model's
            ignore_noise: whether noisy statistics are taken as true ones
        """

    @property
    def state(self) -> object:
        """What took long to infer, made of values that can be written (`kept`); None if there is nothing."""
        return None

    @classmethod
    def with_state(cls, releases: tuple[Release, ...], prior: object, state: object) -> Self:
        """Return the posterior of which this is the state; the other arguments are those of `given`."""
        raise TypeError("its state is not kept")

    @staticmethod
    @abstractmethod
    def numbers_of(model: Any, schema: Schema) -> Numbers:
        """Return what parameters of the model say about records."""

    # What is known

    @abstractmethod
    def quantities(self) -> list[Quantity]:
        """Return every number that has a name, as a quantity."""

    def summary(self, level: float = 0.9) -> Summary:
        """Return every number that has a name, with its mean, standard deviation and interval."""
        return Summary.of(self.quantities(), check_level(level))

    @property
    def labels(self) -> list[str]:
        """The names of the numbers, in the order of `quantities`."""
        return [one.name for one in self.quantities()]

    def to_pandas(self, level: float = 0.9) -> Any:
        """Return the summary as a frame of pandas: mean, stddev, low and high by name."""
        return self.summary(level).to_pandas()

    @cached_property
    def conflict(self) -> Conflict | None:
        """How improbable the releases are under the model that was fitted; None where nothing can tell."""
        return None

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The warning that the releases contradict the model, if they do."""
        found = None if self.ignored else self.conflict
        if found is None or not found.found:
            return ()
        declared = any(one.plan.declared for one in self.releases)
        doubted = f"{self._doubted}, or what was declared of its noise" if declared else self._doubted
        return (
            f"WARNING: the release contradicts {doubted}: intervals are not to be trusted; "
            f"{self._instead} ({found.where}: so strange in {found.rarity} if it were right)",
        )

    #: what a contradiction is a contradiction of, and what to try instead, in words
    _doubted: ClassVar[str] = "this prior"
    _instead: ClassVar[str] = "try another: --prior, in Python infer(release, prior=...)"

    @property
    def dirichlet_prior(self) -> Floats | None:
        """The parameters of the prior that was used, if that is a Dirichlet law."""
        return None

    # What can be drawn

    @abstractmethod
    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw the parameters, one draw a row."""

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the parameters, one a row: for tables the probabilities of all cells."""
        return self._draws(check_number(n, "n", self.numbers.width), generator(seed))

    def sample(self, n: int, seed: int | None = None, *, released: int | None = None) -> SampledRecords:
        """Return n synthetic records, column by column: one draw of the parameters, then records from it.

        `sample(100).to_pandas()` is a frame of them.

        Args:
            n: how many
            seed: of the draw and the records
            released: take this one of the released draws, counted from 0, instead of a new draw
        """
        number, rng = check_number(n, "n", len(self.model.columns)), generator(seed)
        theta = self._draws(1, rng)[0] if released is None else self._released(released)
        return SampledRecords(self.numbers.records(theta, number, rng), self.schema)

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return what is predicted of a column for rows of one's own, or refuse where nothing is."""
        raise InferenceError(
            "this model predicts no column from others",
            asked=self.model.family,
            allowed="networks, naive Bayes, regressions and Gibbs posteriors",
            advice="Ask for the probability of an event given another.",
        )

    def _released(self, place: int) -> Floats:
        """Return one of the draws that were released, counted from 0."""
        draws = self.releases[0].draws
        no_draw = "there is no such draw in the release"
        whole_number(place, "place", 0, len(draws) - 1, what=no_draw, error=InferenceError)
        return np.asarray(draws[place])

    def to_arviz(self, draws: int = DRAWS, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            arviz = _arviz()
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        return arviz.from_dict(**self.numbers.variables(self.draws(draws, seed)))

    # How it is shown

    @abstractmethod
    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return what there is to say, with intervals of this level."""

    @abstractmethod
    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""

    @abstractmethod
    def picture(self, level: float = 0.9) -> Picture:
        """Draw intervals, with the part that the records alone would leave open."""

    @property
    def source(self) -> str:
        """What was spent, and whether the noise is accounted for."""
        cost = "; ".join(str(release.plan.cost) for release in self.releases)
        if len(self.releases) > 1:
            cost = f"{len(self.releases)} releases: {cost}"
        return f"privacy noise {'IGNORED' if self.noise_ignored else 'included'} ({cost})"

    @property
    def computed(self) -> tuple[str, ...]:
        """The source and how the numbers were computed, in lines."""
        return (self.source,)

    def _note(self, level: float) -> str:
        """What stands below a picture."""
        return f"{self.schema.population}: {100 * level:g}% intervals, {self.source}"

    def plot(self, level: float = 0.9) -> Figure:
        """Return the picture as a figure."""
        return self.picture(level).figure()

    def text(self, level: float = 0.9, width: int | None = None) -> str:
        """Return tables of what is known with intervals of this level, how that was computed, warnings.

        Args:
            level: of the intervals
            width: of a line; longer ones are wrapped, and long names cut and written in full below
        """
        group = [f"counted:{self.whose.removeprefix(',')}"] if self.whose else []
        said = "\n".join([*group, *self.computed, *self.warnings])
        lines = said.split("\n") if width is None else listing.wrapped(said, width)
        return "\n".join([*text_of(self.findings(level), width), *lines])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        warnings = [markup.element("p", warning, class_="warning") for warning in self.warnings]
        return markup.fragment(*warnings, *markup_of(self.findings()))


POSTERIORS: ByClass[type[Posterior]] = ByClass("posterior", InferenceError, "privior.posterior")


def posterior_for(model: type) -> Callable[[PosteriorKind], PosteriorKind]:
    """Say that a class has the posteriors of a model, and of the models that derive from it."""
    return POSTERIORS.register(model)  # type: ignore[return-value]


def posterior_of(model: object) -> type[Posterior]:
    """Return the class of a model's posteriors, or refuse a model that has none."""
    return POSTERIORS.of(type(model))


def numbers_of(model: Any, schema: Schema) -> Numbers:
    """Return what parameters of a model say about records."""
    return posterior_of(model).numbers_of(model, schema)


def with_prior(model: Any, prior: object) -> Any:
    """Return the model with an analyst's own prior, checked as the model's was; None leaves the model's."""
    return model if prior is None else model.with_prior(prior)


def _arviz() -> Any:
    """Import ArviZ, at the second attempt if need be.

    Each day's first import rewrites a file in the user's cache; of several processes one may find it missing.
    """
    try:
        import arviz
    except FileNotFoundError:
        import arviz
    return arviz


def released_draws(release: Release) -> bool:
    """Say whether a release holds draws from a posterior, instead of noisy statistics."""
    return bool(release.plan.mechanism.draws_posterior)
