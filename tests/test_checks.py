"""What constructors ask of their arguments is asked in one way."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction

import numpy as np
import pytest

from privior.checks import above_zero, fill, is_whole, strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, PlanError


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, np.int64(1), Fraction(1)])
def test_only_integers_are_whole(value: object) -> None:
    assert not is_whole(value)
    with pytest.raises(NumberError):
        whole_number(value, "draws")


def test_both_ends_are_allowed_and_nothing_beyond_them() -> None:
    assert [whole_number(value, "draws", 2, 4) for value in (2, 3, 4)] == [2, 3, 4]
    for value in (1, 5, 10**5000):
        with pytest.raises(PlanError) as caught:
            whole_number(value, "draws", 2, 4, what="not a number of draws", where="here", error=PlanError)
        assert (caught.value.what, caught.value.where) == ("not a number of draws", "here")
        assert caught.value.allowed == "2 to 4"


def test_numbers_are_read_exactly_and_refused_outside_their_range() -> None:
    assert above_zero(0.1, "rate") == strictly_within("0.1", "rate") == Fraction(1, 10)
    assert zero_or_above(0, "rate") == 0
    for read, bad in ((above_zero, 0), (zero_or_above, "-1/9"), (strictly_within, 0), (strictly_within, 1)):
        with pytest.raises(NumberError) as caught:
            read(bad, "rate")
        assert caught.value.what == "rate is out of range"


@dataclass(frozen=True, init=False)
class Filled:
    rate: int

    def __init__(self, name: str, rate: int) -> None:
        fill(self, **{name: rate})


def test_a_frozen_value_is_filled_once_with_fields_that_it_has() -> None:
    made = Filled("rate", 3)
    assert made.rate == 3
    with pytest.raises(FrozenInstanceError):
        made.rate = 4  # type: ignore[misc]
    with pytest.raises(AttributeError, match="no field 'rat'"):
        Filled("rat", 3)
