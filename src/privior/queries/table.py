"""table(question) and share(event | event): the table itself, instead of the process behind it.

With the same words, but of the records that were counted: privacy noise is all that is uncertain about them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from privior.posterior import Belief, Quantity
from privior.posterior.numbers import Named
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.queries.binding import Binding
from privior.queries.combined import number_read
from privior.queries.missing import LevelsAsked
from privior.queries.networks import EntriesOf
from privior.queries.probability import Probability
from privior.queries.questions import Number, Question, forms, question
from privior.queries.reading import Reader

_REFUSAL = "there is no table of counts"


class _AboutTable(Number):
    """A question about one number of the table."""

    of: Number
    of_table: ClassVar[bool] = True

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """Those of the question about the process."""
        return self.of.arguments(self.asks(belief))

    def levels_asked(self) -> list[LevelsAsked]:
        """Those of the question about the process."""
        return self.of.levels_asked()

    def asks(self, belief: Belief) -> Belief:
        """Return what is known of the table."""
        found: Belief = self.known(belief)()
        return found

    def quantity(self, belief: Belief) -> Quantity | OrderedQuantity:
        """Return what is known of the table's number."""
        return self.of.quantity(self.asks(belief))

    def named(self, belief: Belief) -> Named:
        """The number as a function of the shares of cells."""
        return self.of.named(belief)


@question("share", "share(event | event)", refusal=_REFUSAL, aliases=("proportion", "fraction"))
@dataclass(frozen=True)
class Share(_AboutTable):
    """The share of the table's records that are as an event says, among those that are as another says."""

    of: Probability

    @classmethod
    def inside(cls, reader: Reader) -> Share:
        """Read an event, and what is conditioned on."""
        return Share(Probability.inside(reader))

    def bound(self, binding: Binding) -> Share:
        """Find the levels that are meant."""
        return Share(self.of.bound(binding))

    def __str__(self) -> str:
        return f"share({self.of.words})"


@question("table", "table(question)", refusal=_REFUSAL)
@dataclass(frozen=True)
class OfTable(_AboutTable):
    """A number of the table: its mean, its median, its quantiles, its shares, or what lies between two."""

    of: Number

    @classmethod
    def kind_meant(cls, reader: Reader) -> type[Question]:
        """A name alone is a node of a network, whose own table is asked for."""
        at = reader.at + 1
        while at < len(reader.tokens) and reader.tokens[at].kind in ("word", "quoted"):
            at += 1
        node = at > reader.at + 1 and reader.token.is_sign("(") and reader.tokens[at].is_sign(")")
        return EntriesOf if node else cls

    @classmethod
    def inside(cls, reader: Reader) -> OfTable:
        """Read a question about one number."""
        kind = forms().get(reader.token.text.lower())
        nested = kind is not None and issubclass(kind, _AboutTable)  # seen before it is read
        wrong = "this is of the table already" if nested else "what is asked of the table is missing"
        allowed = "mean(column), median(column), quantile(column, share), P(event)"
        refusal = reader.error(wrong, allowed=allowed)
        of = None if nested else number_read(reader)
        if of is None:
            raise refusal
        return OfTable(of)

    def bound(self, binding: Binding) -> OfTable:
        """Bind the question about the number."""
        return replace(self, of=self.of.bound(binding))

    def __str__(self) -> str:
        return f"table({self.of})"
