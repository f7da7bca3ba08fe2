"""Uniform bits and whole numbers: exact, and not shared with a forked child."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable

import pytest

from chi_square import fits
from privior.randomness import Bits


class Words(Bits):
    """Bits whose 64-bit words are given."""

    def __init__(self, *words: int) -> None:
        super().__init__()
        self._words = list(reversed(words))


@pytest.mark.parametrize("upper", [1, 2, 3, 6, 7, 10, 255, 256, 257])
def test_small_bounds_are_uniform(upper: int) -> None:
    bits = Bits()
    sample = [bits.below(upper) for _ in range(20_000)]
    assert fits(sample, dict.fromkeys(range(upper), 1 / upper))


@pytest.mark.parametrize("upper", [2**63, 2**64 - 1, 2**64, 2**64 + 1, 3 * 2**70, 10**300])
def test_large_bounds_are_uniform(upper: int) -> None:
    bits = Bits()
    sample = [bits.below(upper) * 7 // upper for _ in range(5_000)]
    assert fits(sample, dict.fromkeys(range(7), 1 / 7))


def test_the_test_notices_a_bias() -> None:
    bits = Bits()
    sample = [bits.below(21) % 10 for _ in range(20_000)]  # a 0 has probability 3/21
    assert not fits(sample, dict.fromkeys(range(10), 1 / 10))


def test_words_beyond_the_last_whole_block_are_thrown_away() -> None:
    top = 2**64 - 1  # 2^64 = 3 m + 1: one word is left over
    assert Words(top, 4).below(3) == 1
    assert Words(top - 1, 4).below(3) == 2
    assert Words(top, 4).below(2**64) == top
    assert Words(top, 4).below(2**64 - 1) == 4


@pytest.mark.parametrize("count", [0, 1, 3, 63, 64, 65, 200])
def test_bits_fill_their_range(count: int) -> None:
    bits = Bits()
    sample = [bits.bits(count) for _ in range(2_000)]
    assert all(0 <= draw < 2**count for draw in sample)
    if count:
        assert fits([draw >> (count - 1) for draw in sample], {0: 0.5, 1: 0.5})
        assert fits([draw & 1 for draw in sample], {0: 0.5, 1: 0.5})


@pytest.mark.parametrize("wrong", [0, -1])
def test_an_empty_range_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Bits().below(wrong)
    with pytest.raises(ValueError, match="negative"):
        Bits().bits(-1)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_bits_are_not_copied(duplicate: Callable[[Bits], object]) -> None:
    with pytest.raises(TypeError, match="copied"):
        duplicate(Bits())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_t13_a_forked_child_drops_the_buffer() -> None:
    bits = Bits()
    bits.bits(64)  # the buffer is full now
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, bits.bits(64).to_bytes(8, "big"))
        os._exit(0)
    os.waitpid(child, 0)
    theirs = int.from_bytes(os.read(reader, 8), "big")
    os.close(reader)
    os.close(writer)
    assert theirs != bits.bits(64)
