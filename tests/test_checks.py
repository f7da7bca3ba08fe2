"""What constructors ask of their arguments is asked in one way."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction

import numpy as np
import pytest

from privior.checks import (
    above_zero,
    fill,
    is_whole,
    known_as,
    plain_fields,
    strictly_within,
    told_by,
    whole_number,
    zero_or_above,
)
from privior.errors import ModelError, NumberError, PlanError
from privior.privacy import Neighbours


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


def test_a_mistake_is_told_by_whoever_asked() -> None:
    with pytest.raises(PlanError) as told, told_by(PlanError, "here"):
        whole_number(0, "draws")
    said = told.value
    assert (said.what, said.where, said.asked) == ("draws is out of range", "here", "0")
    assert said.allowed == "a whole number from 1"
    with pytest.raises(ModelError), told_by(PlanError, "here"):
        raise ModelError("another mistake")


def test_fields_are_written_as_their_constructor_reads_them() -> None:
    @dataclass(frozen=True)
    class Some:
        exact: Fraction
        pairs: tuple[tuple[Fraction, ...], ...]
        relation: Neighbours
        flag: bool = True
        nothing: int | None = None
        left: int = 3

    made = Some(Fraction(1, 3), ((Fraction(1, 2),),), Neighbours.of("replace-one"))
    written = {"exact": "1/3", "pairs": [["0.5"]], "relation": "replace-one", "flag": True}
    assert plain_fields(made, "left") == written
    assert plain_fields(object()) == {}
    assert known_as(Some, made) is made
    with pytest.raises(TypeError, match="not a Some"):
        known_as(Some, 3)
