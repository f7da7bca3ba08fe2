"""Exact rational numbers from what people type: no float carries a budget, a bound or a prior."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Rational, Real

from privior.errors import NumberError, shown

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_RATIO = re.compile(r"[+-]?\d+/\d+")
_LONGEST = 400
_LONGEST_SUM = 6000
_MOST_BITS_OF_SUM = 9000
_MOST_PLACES = 120
_MOST_BITS = 1300  # of numerator and denominator together: they can be written in _LONGEST signs

#: binary places of square roots
_ROOT_PLACES = 64


def rational(value: object, name: str) -> Fraction:
    """Read a number exactly. A float is read as its shortest decimal: 0.1 is one tenth.

    >>> rational("0.1", "epsilon"), rational(0.1, "epsilon"), rational("1/3", "epsilon")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool):
        raise _unreadable(value, name)
    if isinstance(value, str):
        return _from_text(value.strip(), value, name)
    if isinstance(value, Integral):
        return _short(Fraction(int(value)), value, name)
    if isinstance(value, Rational):
        return _short(Fraction(int(value.numerator), int(value.denominator)), value, name)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _unreadable(value, name)
        return _from_text(str(value), value, name)
    if isinstance(value, Real):
        if not math.isfinite(value):
            raise _unreadable(value, name)
        return _from_text(repr(float(value)), value, name)
    raise _unreadable(value, name)


def positive(value: object, name: str, *, least: Fraction, most: Fraction) -> Fraction:
    """Read a number in [least, most], with an error that says both ends."""
    number = rational(value, name)
    if not least <= number <= most:
        allowed = f"{decimal(least)} to {decimal(most)}"
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed=allowed)
    return number


def decimal(number: Fraction) -> str:
    """Write a rational for people and files: a decimal where that is exact, else a ratio.

    >>> decimal(Fraction(1, 10)), decimal(Fraction(1, 3)), decimal(Fraction(1, 10**6))
    ('0.1', '1/3', '1e-6')
    """
    below, fives = number.denominator, 0
    twos = (below & -below).bit_length() - 1
    rest = below >> twos
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _MOST_PLACES:
        return f"{number.numerator}/{number.denominator}"
    sign = "-" if number.numerator < 0 else ""
    digits = str(abs(number.numerator) * 10**places // below)
    if places == 0:
        return sign + digits
    if len(digits) + 3 <= places:  # below a thousandth
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e-{places - len(digits) + 1}"
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def from_decimal(text: object, name: str) -> Fraction:
    """Read what `decimal` wrote, also a sum of many amounts, which is longer than what people type."""
    if not isinstance(text, str) or len(text) > _LONGEST_SUM:
        raise _unreadable(text, name)
    number = _written(text)
    if number is None:
        raise _unreadable(text, name)
    return number


@lru_cache(1024)
def _written(text: str) -> Fraction | None:
    """Read what `decimal` wrote; the entries of a ledger repeat most of it."""
    if not (_DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)):
        return None
    try:
        number = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    return None if bits > _MOST_BITS_OF_SUM else number


def round_up(number: Fraction) -> float:
    """Return the smallest float that is not below the number."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def round_down(number: Fraction) -> float:
    """Return the largest float that is not above the number."""
    return -round_up(-number)


def shortened_up(number: Fraction, digits: int = 12) -> Fraction:
    """Return the smallest decimal of so many digits that is not below a positive number.

    >>> shortened_up(Fraction(2, 3), 4), shortened_up(Fraction(1, 8), 4)
    (Fraction(6667, 10000), Fraction(1, 8))
    """
    if number == 0:
        return number
    unit = Fraction(10) ** (math.floor(math.log10(number)) - digits + 1)
    return unit * math.ceil(number / unit)


def root_down(number: Fraction) -> Fraction:
    """Return a number that is at most the square root of another, by less than 2^-64.

    >>> root_down(Fraction(9, 4)), root_up(Fraction(9, 4)) - Fraction(3, 2) < Fraction(1, 2**63)
    (Fraction(3, 2), True)
    """
    return Fraction(math.isqrt(math.floor(number * 4**_ROOT_PLACES)), 2**_ROOT_PLACES)


def root_up(number: Fraction) -> Fraction:
    """Return a number that is above the square root of another, by 2^-64 at most."""
    return root_down(number) + Fraction(1, 2**_ROOT_PLACES)


def _from_text(text: str, value: object, name: str) -> Fraction:
    if len(text) > _LONGEST or not (_DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)):
        raise _unreadable(value, name)
    try:
        return _short(Fraction(text), value, name)
    except ZeroDivisionError:
        raise _unreadable(value, name) from None


def _short(number: Fraction, value: object, name: str) -> Fraction:
    """Refuse what could not be written into a file and read back."""
    if number.numerator.bit_length() + number.denominator.bit_length() > _MOST_BITS:
        raise _unreadable(value, name)
    return number


def _unreadable(value: object, name: str) -> NumberError:
    comma = isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+,[0-9]+", value.strip())
    return NumberError(
        f"{name} cannot be read as a number",
        asked=shown(value),
        allowed='a decimal such as "0.1", a ratio such as "1/3", a whole number',
        advice="Numbers have a decimal point: " + str(value).strip().replace(",", ".") + "."
        if comma
        else None,
    )
