"""Virtual records: drawn one by one from an urn, all sequences counted."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Number, Points, number

from privior.privacy.pairs import VirtualRecordsPair

F = Fraction


def urn(drawn: int, first: Fraction, second: Fraction, rate: Fraction) -> Points:
    """Draw the records one by one: a cell is as likely as its parameter plus what it has given."""

    def law(a: Fraction, b: Fraction) -> list[Number]:
        state = {0: Fraction(1)}
        for step in range(drawn):
            after: dict[int, Fraction] = {}
            for x, chance in state.items():
                up = chance * (a + x) / (a + b + step)
                after[x + 1] = after.get(x + 1, Fraction(0)) + up
                after[x] = after.get(x, Fraction(0)) + chance - up
            state = after
        return [number(state[x]) for x in range(drawn + 1)]

    with mp.workdps(DIGITS):
        return Points(law(first + rate, second), law(first, second + rate))


def cases() -> list[Case]:
    """Two cells and one record, where the pair is attained."""
    return [
        Case(
            "seven records from an urn",
            lambda: VirtualRecordsPair(7, F(3, 2), F(2), F(1, 2)),
            lambda: urn(7, F(3, 2), F(2), F(1, 2)),
        )
    ]
