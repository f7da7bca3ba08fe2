"""Flips: a ledger's file with a byte changed, what may not be granted then, and what it answers. T52."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ledger_places import fruit_plan

import privior as pv
from privior.ledger import sqlite, state_folder
from privior.ledger.pages import Page
from privior.ledger.quotas import share_of
from privior.ledger.request import Request
from privior.ledger.rules import next_entry

_SCHEMA = pv.Schema({"fruit": pv.Categorical(["apple", "pear", "plum"])}, population="orchard", unit="person")
_PAGE = 512  # bytes; small ones make trees of several levels
_SPENDS = 12


@dataclass(frozen=True)
class Flip:
    """One byte that another stands for."""

    place: int
    value: int


@dataclass
class FlippedLedger:
    """A ledger with keys, quotas and ends, whose cap and quotas are nearly used up."""

    path: Path
    whole: bytes = field(init=False)
    answers: list[object] = field(init=False)

    def __post_init__(self) -> None:
        self.cheap = fruit_plan(_SCHEMA, "0.01")
        self.wrong = {
            f"key {number} again": Request(self.cheap, key=f"key {number}", analyst=_analyst(number))
            for number in (0, 4, 7, 11)
        } | {
            "zoe beyond hers": Request(fruit_plan(_SCHEMA, "0.02"), analyst="zoe"),
            "ben beyond his": Request(self.cheap, analyst="ben"),
            "cat beyond the cap": Request(fruit_plan(_SCHEMA, "0.185"), analyst="cat"),
            "nobody": Request(self.cheap),
            "somebody without a quota": Request(self.cheap, analyst="eve"),
        }
        self.book = book = pv.Ledger.create(self.path, population="orchard", epsilon="0.3")
        book.allow("zoe", "1/4")
        book.allow("ben", "1/4")
        for number in range(_SPENDS):
            if number == _SPENDS // 2:
                book.allow("ben", "1/8")  # less than he has spent
                book.allow("cat", "5/8")  # more than the cap has left
            entry = book.spend(self.cheap, key=f"key {number}", analyst=_analyst(number))
            if number % 3:
                book.finish(entry, *["release " * 20] * (number % 3))
            elif number % 2:
                book.fail(entry)
        opening = book.entry(0)
        assert opening is not None
        (state_folder() / "anchors" / f"{opening.key}.json").unlink()  # let nobody know what was newest
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.execute(f"PRAGMA page_size={_PAGE}")
        connection.execute("VACUUM")
        connection.close()
        self.whole = self.path.read_bytes()
        self.answers = self.asked()
        assert all(not isinstance(answer, pv.PriviorError) for answer in self.answers)
        assert self.granted() == []
        book.verify()

    def put(self, *flips: Flip) -> None:
        """Write the ledger with these bytes."""
        content = bytearray(self.whole)
        for flip in flips:
            content[flip.place] = flip.value
        self.path.write_bytes(content)
        for ending in ("-journal", "-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    def long_open(self) -> None:
        """Let the process be one that has looked at the whole file before the damage."""
        facts = self.path.stat()
        sqlite._CHECKED.add((facts.st_dev, facts.st_ino))

    def first_open(self) -> None:
        """Let the process be one that opens the file for the first time."""
        facts = self.path.stat()
        sqlite._CHECKED.discard((facts.st_dev, facts.st_ino))

    def granted(self) -> list[str]:
        """Return what is granted of all that the whole ledger refuses."""
        try:
            with self.book._store.reading() as page:
                found = [name for name, request in self.wrong.items() if _grants(page, request)]
                shares = _answer(lambda: sum(share_of(page, name) for name in page.analysts()))
        except pv.LedgerError:
            return []
        return [*found, *(["another quota"] if shares != 1 and isinstance(shares, Fraction | int) else [])]

    def asked(self) -> list[object]:
        """Return what the ledger answers; a refusal is an answer too."""
        book = self.book

        def closings() -> list[object]:
            with book._store.reading() as page:
                entries = [page.entry(number) for number in range(_SPENDS + 4)]
                return [None if entry is None else page.closing(entry) for entry in entries]

        def keys() -> list[object]:
            with book._store.reading() as page:
                return [page.keyed(f"key {number}") for number in range(_SPENDS + 1)]

        questions: list[Callable[[], object]] = [
            keys,
            lambda: book.history().to_json(),
            book.quotas,
            lambda: book.bought(self.cheap),
            closings,
        ]
        return [_answer(question) for question in questions]

    def spends_on(self) -> list[str]:
        """Spend what the whole ledger allows, if that is granted, and return what is granted wrongly then."""
        try:
            self.book.spend(self.cheap, key="new", analyst="zoe")
            with self.book._store.reading() as page:
                again = _grants(page, Request(self.cheap, key="new", analyst="zoe"))
        except pv.LedgerError:
            again = False
        return [*self.granted(), *(["the new key again"] if again else [])]

    def refuted(self) -> bool:
        """Say whether verifying finds the damage."""
        try:
            self.book.verify()
        except pv.LedgerError:
            return True
        return False

    def faults(self, flip: Flip, *, answers: bool = True, writing: bool = False) -> list[str]:
        """Return what must not be with this byte, in words."""
        self.put(flip)
        self.long_open()
        found = [f"granted: {name}" for name in self.granted()]
        if answers and self.asked() != self.answers and not self.refuted():
            found.append("another answer, and verified")
        if writing:
            found += [f"granted after a spend: {name}" for name in self.spends_on()]
        return found


def _analyst(number: int) -> str:
    return "ben" if number < _SPENDS // 2 else "zoe"


def _grants(page: Page, request: Request) -> bool:
    try:
        next_entry(page, request)
    except (pv.LedgerError, sqlite3.Error, UnicodeError):  # what the store would tell as one of ours
        return False
    return True


def _answer(question: Callable[[], object]) -> object:
    try:
        return question()
    except (pv.LedgerError, sqlite3.Error, UnicodeError) as error:
        return error  # no two are equal


def drawn(whole: bytes, each_page: int, seed: int) -> Iterator[Flip]:
    """Yield flips on every page: its header and some of its bytes."""
    draw = random.Random(seed)
    for start in range(0, len(whole), _PAGE):
        places = [start + draw.randrange(12) for _ in range(each_page // 2)]
        places += [start + draw.randrange(_PAGE) for _ in range(each_page - each_page // 2)]
        for place in places:
            yield Flip(place, _other(whole[place], draw))


def hiding(whole: bytes) -> Iterator[Flip]:
    """Yield flips that let each page forget its last cell, or all, where it says how many it has."""
    for start in range(0, len(whole), _PAGE):
        place = start + (100 if start == 0 else 0) + 4
        yield from (Flip(place, value) for value in {0, max(whole[place] - 1, 0)} - {whole[place]})


def all_of(whole: bytes, values: int, seed: int) -> Iterator[Flip]:
    """Yield flips of every byte, to some values each."""
    draw = random.Random(seed)
    for place in range(len(whole)):
        for _ in range(values):
            yield Flip(place, _other(whole[place], draw))


def _other(value: int, draw: random.Random) -> int:
    """Return another value for a byte: one bit changed, a little more or less, or anything."""
    near = (value ^ (1 << draw.randrange(8)), (value + 1) % 256, (value - 1) % 256, 0, 255)
    found = draw.choice([*near, draw.randrange(256)])
    return found if found != value else value ^ 1
