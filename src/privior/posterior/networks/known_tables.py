"""The contract of what is known of all tables of a network, however it was inferred."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.law import IntegerLaw


class KnownTables(ABC):
    """What is known of the true counts of each table, and of the chances of all of them."""

    @abstractmethod
    def counts(self, place: int) -> LatentCounts:
        """Return the posterior of the true counts of a table, by its place in the model."""

    @abstractmethod
    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw the entries of all tables together, one after the other, as (number, cells)."""

    @abstractmethod
    def mean(self, place: int) -> Floats | None:
        """Return the expected entries of a table, where they are known better than by draws."""

    @abstractmethod
    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return which part of the variance of a table's entries the privacy noise accounts for."""

    @property
    @abstractmethod
    def total(self) -> IntegerLaw | None:
        """The law of the number of records; None where each table has another one."""

    @abstractmethod
    def learned(self, place: int) -> bool:
        """Say whether a table's prior was learned."""

    @property
    @abstractmethod
    def how(self) -> str:
        """How the tables were inferred, in words."""

    @property
    @abstractmethod
    def together(self) -> bool:
        """Whether the tables describe one data set."""

    @abstractmethod
    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Return what must be known before the numbers are trusted.

        Args:
            entries: the names of the entries of all tables
            nodes: the names of the tables
        """
