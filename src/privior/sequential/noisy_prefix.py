"""Noisy prefixes: a running vector of counts, published at public times by noise on pieces of it.

Flat: what came since the last time is published once, and the pieces are added up. Every interaction is in
one piece, so that it is paid for once, and after k times the noise has k times the variance of one piece.
Binary tree (Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010): pieces of 1, 2, 4, ... times; the
prefix of k times is the sum of as many pieces as k has binary ones, and an interaction is in at
most 1 + floor(log2 K) of them, K the number of all times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privior.arrays import Integers

Noise = Callable[[tuple[int, ...]], Integers]


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
        self.pieces = self._times = 0
        self._exact: dict[int, Integers] = {}
        self._noisy: dict[int, Integers] = {}

    def publish(self, noise: Noise) -> Integers:
        """Publish what is pending; return the noisy piece."""
        self._times += 1
        piece, self.pending = self.pending, np.zeros_like(self.pending)
        if not self.tree:
            noisy = piece + noise(piece.shape)
            self.estimate = self.estimate + noisy
            self.pieces += 1
            return noisy
        level = (self._times & -self._times).bit_length() - 1
        for lower in range(level):
            piece = piece + self._exact.pop(lower)
            self._noisy.pop(lower)
        self._exact[level] = piece
        noisy = self._noisy[level] = piece + noise(piece.shape)
        self.estimate = np.asarray(sum(self._noisy.values()))
        self.pieces = len(self._noisy)
        return noisy
