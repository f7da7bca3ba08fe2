"""How the tables of a network are shown: a row for each table, the entries, and the network as a picture."""

from __future__ import annotations

from dataclasses import dataclass

from privior.pictures import NetworkChart
from privior.posterior.findings import MOST_ROWS, Finding, Table
from privior.posterior.networks.network_numbers import NetworkNumbers
from privior.posterior.networks.node_table import NodeTable
from privior.posterior.quantity import Quantity

#: entries that pages list
_MOST_LISTED = 400


@dataclass(frozen=True)
class TablesShown:
    """Tables with intervals of one level.

    Attributes:
        tables: of all nodes, in the model's order
        numbers: what their entries are called
        level: of the intervals
        note: what stands below a picture
        how: the tables were inferred, in words
        records: how many there are, where that is private
    """

    tables: tuple[NodeTable, ...]
    numbers: NetworkNumbers
    level: float
    note: str
    how: str
    records: Quantity | None = None

    def picture(self) -> NetworkChart:
        """Draw the network, and how much is known of each table."""
        places = {one.node: place for place, one in enumerate(self.tables)}
        return NetworkChart(
            [one.node for one in self.tables],
            [[places[name] for name in one.parents] for one in self.tables],
            [one.width(self.level) for one in self.tables],
            [one.noise_share for one in self.tables],
            [one.drowned for one in self.tables],
            title="The network and what is known of its tables",
            note=self.note,
        )

    def findings(self) -> list[Finding]:
        """Return what is known of each table, and the entries."""
        share = f"{100 * self.level:g}%"
        rows = [
            [
                one.node,
                ", ".join(one.parents),
                str(one.mean().size),
                f"{one.width(self.level):.3f}",
                f"{100 * one.noise_share:.0f}%{', drowned' if one.drowned else ''}",
            ]
            for one in self.tables
        ]
        header = ["table of", "given", "entries", f"average width of {share} intervals", "noise's part"]
        return [
            Finding("The tables", Table(header, rows), picture=self.picture),
            *self._number(),
            Finding(
                f"The entries with {share} intervals",
                self._entries(MOST_ROWS),
                lambda: self._entries(_MOST_LISTED),
                words=self._words,
                folded=True,
            ),
        ]

    def _number(self) -> list[Finding]:
        """Say how many records there are, where that is private."""
        if self.records is None:
            return []
        low, high = self.records.interval(self.level)
        row = [
            "records",
            f"{self.records.mean:.1f}",
            f"{self.records.stddev:.1f}",
            f"{low:.0f} to {high:.0f}",
        ]
        header = ["number of", "mean", "stddev", f"{100 * self.level:g}% interval"]
        return [Finding("How many records there are", Table(header, [row]))]

    def records_document(self) -> dict[str, object]:
        """Write how many records there are as plain values, where that is private."""
        if self.records is None:
            return {}
        low, high = self.records.interval(self.level)
        return {
            "records": {"mean": self.records.mean, "stddev": self.records.stddev, "low": low, "high": high}
        }

    def _entries(self, most: int) -> Table:
        rows: list[list[str]] = []
        for one in self.tables:
            mean, ends = one.mean().ravel(), one.interval(self.level).reshape(-1, 2)
            for place, levels in enumerate(self.numbers.entries(one.node)[: most - len(rows)]):
                name = self.numbers.entry_name(one.node, levels)
                rows.append([name, f"{mean[place]:.4f}", f"{ends[place, 0]:.4f} to {ends[place, 1]:.4f}"])
        more = self.numbers.width - len(rows)
        note = f"... and {more} more entries: table(node)" if more > 0 else ""
        return Table(["entry", "probability", f"{100 * self.level:g}% interval"], rows, note)

    def _words(self) -> str:
        share = sum(one.noise_share for one in self.tables) / len(self.tables)
        return (
            f"The privacy noise accounts for {100 * share:.0f}% of the variance of the entries, on average "
            "over the tables, the finite number of records for the rest. All intervals include both. "
            f"Inferred: {self.how}."
        )
