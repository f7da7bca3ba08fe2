"""The posterior of one node's table: the chances of its levels given those of its parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.posterior.quantity import check_level, quantiles
from privior.posterior.summary import Summary
from privior.schema import Schema


@dataclass(frozen=True, repr=False, eq=False)
class NodeTable:
    """What is known of a table: arrays with an axis for each parent, in the model's order, the node's last.

    Attributes:
        node: whose table it is
        parents: of the node
        schema: the public facts of the columns
        draws: from the posterior, along the first axis
        noise_share: which part of the variance of the entries the privacy noise accounts for
        drowned: whether the noise is larger than the average count of a cell
        expected: the expected entries, where they are known better than by the draws
    """

    node: str
    parents: tuple[str, ...]
    schema: Schema
    draws: Floats
    noise_share: float
    drowned: bool
    expected: Floats | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the axes."""
        return (*self.parents, self.node)

    @cached_property
    def _mean(self) -> Floats:
        return np.asarray(self.draws.mean(axis=0)) if self.expected is None else self.expected

    def mean(self) -> Floats:
        """Return the expected entries; each row sums to 1."""
        return self._mean

    def stddev(self) -> Floats:
        """Return the standard deviation of each entry."""
        return np.asarray(self.draws.std(axis=0))

    def interval(self, level: float = 0.9) -> Floats:
        """Return the equal-tailed interval of each entry: lower and upper along a last axis."""
        return quantiles(self.draws, check_level(level))

    def width(self, level: float = 0.9) -> float:
        """Return the average width of the intervals."""
        ends = self.interval(level)
        return float((ends[..., 1] - ends[..., 0]).mean())

    def summary(self, level: float = 0.9) -> Summary:
        """Return every entry, with its levels."""
        ends = self.interval(level).reshape(-1, 2)
        numbers = self.mean().ravel(), self.stddev().ravel(), ends
        return Summary.of_cells(self.columns, self.schema, *numbers, level)

    def to_pandas(self, level: float = 0.9) -> Any:
        """Return a frame of pandas: mean, stddev, low and high by the levels of each entry."""
        return self.summary(level).to_pandas()

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        return {
            "node": self.node,
            "parents": list(self.parents),
            "mean": self.mean().tolist(),
            "interval": self.interval(level).tolist(),
            "noise": self.noise_share,
            "drowned": self.drowned,
        }

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        given = f" given {', '.join(self.parents)}" if self.parents else ""
        return f"<table of {self.node}{given}: {self._mean.size} entries>"
