"""What a study is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from privior.papers.published import Paper
from privior.pictures import Picture

#: one column of a table: numbers or words, None where there is none
StudyColumn = Sequence[float | int | str | None]
#: one row of a table
Row = dict[str, float | int | str | None]
#: what a study calls with each step that begins
Say = Callable[[str], None]


@dataclass(frozen=True)
class Findings:
    """What a study found.

    Attributes:
        tables: columns of equal length by name, by the name of the table
        pictures: by name
        text: one paragraph about what is seen
    """

    tables: Mapping[str, Mapping[str, StudyColumn]]
    pictures: Mapping[str, Picture]
    text: str

    def __post_init__(self) -> None:
        for name, columns in self.tables.items():
            if len({len(column) for column in columns.values()}) != 1:
                raise ValueError(f"the columns of {name} differ in length")
        if set(self.tables) & set(self.pictures):
            raise ValueError("a table and a picture cannot share a name")


@dataclass(frozen=True)
class Study:
    """One figure of a paper, made anew from the exact formulas.

    Attributes:
        name: what it is called on the command line
        about: one line about it
        paper: where the figure was printed
        figure: its number there
        carry_out: the work: takes whether it shall be quick, and what to tell each step to
    """

    name: str
    about: str
    paper: Paper
    figure: str
    carry_out: Callable[[bool, Say], Findings]

    def run(self, quick: bool = False, say: Say = lambda step: None) -> Findings:
        """Do the work: the same numbers every time; quick means a coarser grid and fewer repetitions."""
        return self.carry_out(quick, say)


class StudyRows(list[Row]):
    """The rows of a table, all with the same names."""

    def where(self, **facts: float | str) -> StudyRows:
        """Return the rows that have these values."""
        return StudyRows(row for row in self if all(row[name] == value for name, value in facts.items()))

    def numbers(self, name: str) -> list[float]:
        """Return the numbers of a column, without what is missing."""
        return [float(value) for value in (row[name] for row in self) if value is not None]

    def columns(self) -> dict[str, StudyColumn]:
        """Return the columns by name.

        >>> StudyRows([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).columns()
        {'a': [1, 2], 'b': ['x', 'y']}
        """
        return {name: [row[name] for row in self] for name in self[0]}
