"""Noisy prefixes: a running vector of counts, published at public times by noise on pieces of it.

Flat: what came since the last time is published once, and the pieces are added up. Every interaction is in
one piece, so that it is paid for once, and after k times the noise has k times the variance of one piece.
Binary tree (Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010): pieces of 1, 2, 4, ... times; the
prefix of k times is the sum of as many pieces as k has binary ones, and an interaction is in at
most 1 + floor(log2 K) of them, K the number of all times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privior.arrays import Integers

DrawNoise = Callable[[tuple[int, ...]], Integers]


def pieces_with_one(times: int, *, tree: bool) -> int:
    """Return in how many pieces one interaction is at most, of so many times.

    >>> pieces_with_one(12, tree=True), pieces_with_one(12, tree=False)
    (4, 1)
    """
    return max(1, times).bit_length() if tree else 1


class NoisyPrefix:
    """One vector (copies x ...), what was published of it, and what was not yet.

    Attributes:
        pending: the exact counts that came since the last time: private
        estimate: the noisy prefix: public
        pieces: of how many noisy pieces the estimate is the sum
    """

    def __init__(self, shape: tuple[int, ...], *, tree: bool) -> None:
        self.tree = tree
        self.pending = np.zeros(shape, dtype=np.int64)
        self.estimate = np.zeros(shape, dtype=np.int64)
        self.pieces = 0
        self.begin()

    def begin(self) -> None:
        """Begin a block: times are counted anew, and what was published before stays as it is."""
        self._before, self._pieces_before = self.estimate.copy(), self.pieces
        self._times = 0
        self._exact: dict[int, Integers] = {}
        self._noisy: dict[int, Integers] = {}

    def piece(self) -> Integers:
        """Return the exact piece that the next time publishes: private."""
        return self.pending + sum(self._exact[lower] for lower in range(self._level(self._times + 1)))

    def take(self, noisy: Integers | None) -> None:
        """Take what the next time published of the piece; None if that was lost, and the piece with it.

        A piece of a tree that was lost is missing in the prefix until a larger one has it.
        """
        piece, level = self.piece(), self._level(self._times + 1)
        self._times += 1
        self.pending = np.zeros_like(self.pending)
        if not self.tree:
            if noisy is not None:
                self.estimate = self.estimate + noisy
                self.pieces += 1
            return
        for lower in range(level):
            self._exact.pop(lower)
            self._noisy.pop(lower, None)
        self._exact[level] = piece
        if noisy is not None:
            self._noisy[level] = noisy
        self.estimate = np.asarray(self._before + sum(self._noisy.values()))
        self.pieces = self._pieces_before + len(self._noisy)

    def publish(self, noise: DrawNoise) -> Integers:
        """Publish what is pending; return the noisy piece."""
        piece = self.piece()
        noisy = piece + noise(piece.shape)
        self.take(noisy)
        return noisy

    def _level(self, time: int) -> int:
        """How many times make the piece of this one, as a power of two; 0 if there is no tree."""
        return (time & -time).bit_length() - 1 if self.tree else 0

    def to_document(self) -> dict[str, object]:
        """Write everything, exact counts too, as plain values: private."""
        return {
            "pending": self.pending.tolist(),
            "estimate": self.estimate.tolist(),
            "pieces": self.pieces,
            "before": [self._before.tolist(), self._pieces_before],
            "times": self._times,
            "exact": {str(level): found.tolist() for level, found in self._exact.items()},
            "noisy": {str(level): found.tolist() for level, found in self._noisy.items()},
        }

    def restore(self, document: dict[str, Any]) -> None:
        """Take what `to_document` wrote."""

        def array(values: object) -> Integers:
            return np.array(values, dtype=np.int64).reshape(self.pending.shape)

        self.pending, self.estimate = array(document["pending"]), array(document["estimate"])
        self.pieces, self._times = int(document["pieces"]), int(document["times"])
        self._before, self._pieces_before = array(document["before"][0]), int(document["before"][1])
        self._exact = {int(level): array(found) for level, found in document["exact"].items()}
        self._noisy = {int(level): array(found) for level, found in document["noisy"].items()}
