"""The seed of an inference: what is drawn to infer, and to read answers off, is a function of it.

Whoever draws has a number of its own, so that no two draw alike; the seed that was said goes beside it.
Seed 0 is as if none was said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

_SAID: ContextVar[int] = ContextVar("seed", default=0)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let everything that is drawn within, or made within to be drawn from later, be of this seed."""
    before = _SAID.set(seed)
    try:
        yield
    finally:
        _SAID.reset(before)


def seed_said() -> int:
    """Return the seed that was said."""
    return _SAID.get()


def mixed(own: int, seed: int | None = None) -> int | list[int]:
    """Return from what a generator is made: its own number, and the seed that was said if it is not 0.

    Args:
        own: the number of whoever draws
        seed: the seed, if it was said earlier
    """
    said = seed_said() if seed is None else seed
    return [own, said] if said else own


def drawing(own: int, seed: int | None = None) -> np.random.Generator:
    """Return a generator; the arguments are those of `mixed`."""
    return np.random.default_rng(mixed(own, seed))
