"""table(node) and most_probable(column, ... | event): what the tables of a network say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import ClassVar

from privior.pictures import listing
from privior.posterior import Belief
from privior.queries.answers import Answer, AnswerCells, QuantityAnswer, visible
from privior.queries.binding import Binding, Meant
from privior.queries.cells import CellsAnswer
from privior.queries.questions import AskedEvent, Question, Word, after_bar, question
from privior.queries.reading import Reader

_REFUSAL = "only a network has a table for each column"


@question("entries", "table(node)", refusal=_REFUSAL)
@dataclass(frozen=True)
class EntriesOf(Question):
    """The table of a node of a network: the chances of its levels given those of its parents."""

    node: Word

    @classmethod
    def inside(cls, reader: Reader) -> EntriesOf:
        """Read the name of a node, which is checked when the question is bound."""
        return EntriesOf(reader.word("a node"))

    def bound(self, binding: Binding) -> EntriesOf:
        """Refuse a node that the network does not have."""
        binding.check_columns((self.node,))
        return self

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> EntriesAnswer:
        """Return every entry, and its interval."""
        table = self.known(belief)(self.node.text)
        ends = table.interval(level).reshape(-1, 2)
        return EntriesAnswer(
            question=str(self),
            columns=table.columns,
            cells=tuple(product(*(belief.schema.column(name).labels for name in table.columns))),
            mean=tuple(table.mean().ravel().tolist()),
            stddev=tuple(table.stddev().ravel().tolist()),
            level=level,
            low=tuple(ends[:, 0].tolist()),
            high=tuple(ends[:, 1].tolist()),
            note=belief.about,
            warnings=belief.caveats,
        )

    def __str__(self) -> str:
        return f"table({self.node})"


@dataclass(frozen=True, repr=False)
class EntriesAnswer(CellsAnswer):
    """What a posterior says about the entries of a node's table: its parents' columns, then the node's."""

    kind: ClassVar[str] = "entries"
    noun: ClassVar[str] = "probability"

    @staticmethod
    def written(mean: float, stddev: float, low: float, high: float) -> list[str]:
        """Write four digits."""
        return [f"{mean:.4f}", f"{stddev:.2g}", f"{low:.4f} to {high:.4f}"]


@question(
    "most_probable",
    "most_probable(column, ... | event)",
    refusal="only a network is asked for the most probable levels",
    aliases=("map", "mpe", "likeliest"),
)
@dataclass(frozen=True)
class MostProbableOf(Question):
    """Which levels some columns most probably have, given others."""

    columns: tuple[Word, ...]
    given: AskedEvent = ()
    meant: Meant | None = field(default=None, compare=False, repr=False)

    @classmethod
    def inside(cls, reader: Reader) -> MostProbableOf:
        """Read columns, and what is conditioned on."""
        columns = [reader.word("a column")]
        while reader.token.is_sign(","):
            reader.at += 1
            columns.append(reader.word("a column"))
        return MostProbableOf(tuple(columns), reader.given(level_follows=False))

    def bound(self, binding: Binding) -> MostProbableOf:
        """Check the columns, and find the levels that are meant."""
        binding.check_columns(self.columns)
        given = binding.conditions(self.given)
        return replace(self, given=given, meant=binding.event(given) or None)

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> MostProbableAnswer:
        """Return the levels, and how probable they are."""
        known = self.known(belief)
        asked = self if self.meant or not self.given else self.bound(_binding(self, belief))
        found = known(*(word.text for word in self.columns), given=asked.meant)
        said = QuantityAnswer.of(str(self), found.probability, level, belief.caveats, belief.about)
        return MostProbableAnswer(str(self), tuple(found.levels.items()), said, found.sure, said.warnings)

    def __str__(self) -> str:
        return f"most_probable({', '.join(map(str, self.columns))}{after_bar(self.given)})"


def _binding(asked: Question, belief: Belief) -> Binding:
    return Binding.of(str(asked), belief.schema, belief.model)


@dataclass(frozen=True, repr=False)
class MostProbableAnswer(Answer):
    """The most probable levels of some columns.

    Attributes:
        question: the question in canonical form
        levels: of each column
        probability: of these levels together, given what is conditioned on
        sure: how probable it is that no other levels are more probable
        warnings: what must be known before the numbers are trusted
    """

    question: str
    levels: tuple[tuple[str, str], ...]
    probability: QuantityAnswer
    sure: float
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "most probable"

    def facts(self) -> dict[str, object]:
        """Name the levels, and the numbers of their probability."""
        return {"levels": dict(self.levels), "sure": self.sure, **self.probability.facts()}

    def table(self) -> AnswerCells:
        """Return a header and one row."""
        _, ((_, mean, stddev, interval),) = self.probability.table()
        header = [*(visible(name) for name, _ in self.levels), "probability", "stddev", "interval", "sure"]
        return header, [
            [*(visible(one) for _, one in self.levels), mean, stddev, interval, f"{self.sure:.2f}"]
        ]

    def __str__(self) -> str:
        levels = ", ".join(f"{visible(name)}={visible(level)}" for name, level in self.levels)
        numbers = str(self.probability).partition(" = ")[2].split("\n")[0]
        said = f"{visible(self.question)} = {levels}: {numbers}"
        sure = f"  no other is more probable with probability {self.sure:.2f}"
        return "\n".join([said, sure, f"  {self.probability.about}", *self.warnings])

    def text(self, width: int) -> str:
        """Return the answer as a sentence, in lines of this width."""
        return "\n".join(listing.wrapped(str(self), width))
