"""Accountings: sums that keep the promise of a cap, with a part put aside for what they cannot take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from privior.errors import LedgerError, NumberError
from privior.privacy import (
    ADD_OR_REMOVE_ONE,
    NOTHING,
    Accounting,
    AccountingKind,
    Amount,
    Budget,
    Guarantee,
    SignedSteps,
    amount_document,
    read_amount,
)
from privior.privacy.pairs import BetaPair, DominatingPair, GaussianPair

F = Fraction
CAP = Budget.of(2, "0.05")
ASIDE = Budget.of("0.5", "0.02")
OTHERS = [kind for kind in AccountingKind if kind is not AccountingKind.BASIC]


def promised(pair: DominatingPair, cost: Budget) -> Guarantee:
    return Guarantee(pair, ADD_OR_REMOVE_ONE, cost, "a law of a test")


def pure(epsilon: F) -> Guarantee:
    return promised(SignedSteps(epsilon), Budget(epsilon, F(0)))


#: only its (epsilon, delta) is known to anybody: no sum but the basic one takes it
ROUGH = promised(BetaPair(F(1), F(1)), Budget.of("0.25", "0.01"))


@pytest.mark.parametrize("kind", OTHERS)
def test_the_limit_keeps_the_promise_and_no_larger_one_does(kind: AccountingKind) -> None:
    found = Accounting.of(kind, CAP, ASIDE)
    if found.limit is None:
        return
    larger = Accounting(kind, CAP, ASIDE, found.limit * F(1001, 1000))
    with pytest.raises(NumberError, match="more than the cap allows"):
        Accounting.from_document(larger.to_document())
    assert Accounting.from_document(found.to_document()) == found


@pytest.mark.parametrize("kind", list(AccountingKind))
def test_amounts_add_up_and_are_read_back(kind: AccountingKind) -> None:
    books = Accounting.of(kind, CAP)
    one = books.price([pure(F(1, 10))])
    two = books.price([pure(F(1, 10)), pure(F(1, 10))])
    assert books.add(one, one) == two
    assert read_amount(amount_document(two), books) == two
    assert books.admits(books.nothing)
    assert books.admits(one)
    assert one != books.nothing
    assert books.spent(books.nothing) == NOTHING
    assert books.spent(one).fits(CAP)
    assert "epsilon 2, delta 0.05" in books.promise()
    assert books.bar(one, one, "people").cap > 0
    assert "of" in books.in_words(one)


def test_what_a_kind_cannot_take_is_charged_aside_or_refused() -> None:
    for kind in (AccountingKind.GAUSSIAN, AccountingKind.CONCENTRATED):
        assert Accounting.of(kind, CAP, ASIDE).price([ROUGH]) == (F(0), F(1, 4), F(1, 100))
        with pytest.raises(LedgerError, match="nothing of the cap was put aside"):
            Accounting.of(kind, CAP).price([ROUGH])
    basic = Accounting.of(AccountingKind.BASIC, CAP)
    assert basic.price([ROUGH]) == (F(1, 4), F(1, 100))


def test_a_gaussian_sum_takes_gaussian_and_pure_guarantees() -> None:
    books = Accounting.of(AccountingKind.GAUSSIAN, CAP)
    (mu_squared, *_) = books.price([promised(GaussianPair(F(1, 4)), Budget.of(1, "0.1"))])
    assert mu_squared == F(1, 4)
    for epsilon in (F(1, 100), F(1), F(5), F(12)):
        (found, *_) = books.price([pure(epsilon)])
        assert found is not None
        pair = GaussianPair(found)
        for at in [0.0, float(epsilon) / 3, float(epsilon) * 0.99]:
            answer = -math.expm1(at - float(epsilon)) / (1 + math.exp(-float(epsilon)))
            assert pair.delta(at) >= answer * (1 - 1e-9)  # the Gaussian dominates randomised response
        touching = GaussianPair(found * F(999, 1000))
        assert touching.delta(0.0) < math.tanh(float(epsilon) / 2)  # and no smaller one does


@pytest.mark.parametrize("kind", list(AccountingKind))
def test_caps_that_allow_nothing_are_refused(kind: AccountingKind) -> None:
    if kind is AccountingKind.BASIC:
        with pytest.raises(LedgerError, match="nothing is put aside"):
            Accounting.of(kind, CAP, ASIDE)
        return
    for cap, aside in ((Budget.of(1), NOTHING), (CAP, CAP), (CAP, Budget.of(1, "0.05"))):
        with pytest.raises(LedgerError, match="needs an epsilon and a delta"):
            Accounting.of(kind, cap, aside)
    with pytest.raises(LedgerError, match="no such accounting"):
        Accounting.of("moments", CAP)


# ---- an adversary who mixes both sums, and looks ----------------------------------------------------------

Choice = tuple[str, F]  # "own": randomised response; "aside": the same, but for a chance of telling all
DEPTH = 7
SIZES = (F(1), F(1, 2), F(1, 4))
TELLING = F(1, 100)


def runs(
    books: Accounting, choose: Callable[[float], list[Choice]], *, cheat: bool = False
) -> Iterator[tuple[float, float]]:
    """Every run of releases whose kind and size depend on the loss so far: (P, loss) at its end."""

    def cost(choice: Choice) -> Amount:
        where, size = choice
        if where == "own":
            return books.price([pure(size)])
        return books.price([promised(BetaPair(F(1), F(1)), Budget(size, F(0) if cheat else TELLING))])

    def walk(total: Amount, chance: float, loss: float, depth: int) -> Iterator[tuple[float, float]]:
        for choice in choose(loss) if depth < DEPTH else []:
            after = books.add(total, cost(choice))
            if not books.admits(after):
                continue
            where, size = choice
            telling = float(TELLING) if where == "aside" else 0.0
            up = (1 - telling) / (1 + math.exp(-size))
            if telling:
                yield chance * telling, math.inf
            yield from walk(after, chance * up, loss + float(size), depth + 1)
            yield from walk(after, chance * (1 - telling - up), loss - float(size), depth + 1)
            return
        yield chance, loss

    return walk(books.nothing, 1.0, 0.0, 0)


OWN: list[Choice] = [("own", size) for size in SIZES]
BESIDE: list[Choice] = [("aside", size) for size in SIZES]
ADVERSARIES: list[Callable[[float], list[Choice]]] = [
    lambda loss: BESIDE + OWN,
    lambda loss: OWN + BESIDE,
    lambda loss: BESIDE + OWN if loss > 0 else OWN[::-1] + BESIDE,
    lambda loss: [] if loss > 1.5 else OWN + BESIDE,
]


def stick(found: Iterator[tuple[float, float]], epsilon: float) -> float:
    return math.fsum(chance * max(0.0, -math.expm1(epsilon - loss)) for chance, loss in found)


@pytest.mark.parametrize("choose", ADVERSARIES)
@pytest.mark.parametrize("kind", [AccountingKind.GAUSSIAN, AccountingKind.CONCENTRATED])
def test_no_adversary_exceeds_the_cap_with_both_sums(
    kind: AccountingKind, choose: Callable[[float], list[Choice]]
) -> None:
    books = Accounting.of(kind, CAP, ASIDE)
    assert stick(runs(books, choose), float(CAP.epsilon)) <= float(CAP.delta)


def test_an_accounting_that_forgets_delta_is_seen() -> None:
    books = Accounting.of(AccountingKind.CONCENTRATED, CAP, Budget.of("1.75", "0.02"))
    always: Callable[[float], list[Choice]] = lambda loss: [("aside", F(1, 4))]  # noqa: E731
    assert stick(runs(books, always, cheat=True), float(CAP.epsilon)) > float(CAP.delta)
    assert stick(runs(books, always), float(CAP.epsilon)) <= float(CAP.delta)


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("cap", [Budget.of(2), Budget.of("0.4", "0.05"), Budget.of(2, "0.01"), ASIDE])
def test_a_written_accounting_without_a_cap_of_its_own_is_refused(kind: AccountingKind, cap: Budget) -> None:
    written = Accounting(kind, CAP, ASIDE, Accounting.of(kind, CAP, ASIDE).limit).to_document()
    with pytest.raises((LedgerError, NumberError)):
        Accounting.from_document({**written, "cap": cap.to_document()})
