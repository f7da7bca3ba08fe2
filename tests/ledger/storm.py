"""A storm: many processes spend from one budget while others are killed at random moments.

python tests/ledger/storm.py ADDRESS FOLDER --processes 64 --rounds 20

A round opens a fresh ledger (ADDRESS with the round's number for {}) whose cap allows a known number of
spends. Every process spends with keys of its own, says so, finishes the spend, and writes a file that names
its entry, until the budget refuses. Meanwhile random ones are killed (SIGKILL) and others take their place.
What is left is then judged. Prints the rounds as JSON. One process that has imported everything forks all
others, and has no threads.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from ledger_places import fruit_plan

import privior as pv
from privior.ledger import EntryKind, LedgerEntry, State
from privior.whole_files import write_whole

_SPENDS, _KILLS = 3, 1  # of a round, for each process of it
_LONGEST_GAP = 0.05  # seconds between two kills


@dataclass(frozen=True)
class Round:
    """How one round went.

    Attributes:
        granted: entries that spent
        killed: processes that were killed
        silent: entries of processes that were killed before they could say so
        reserved: spends that never ended
        unwritten: spends that ended, whose file was never written
        files: release files
        faults: what must not be, in words
    """

    granted: int
    killed: int
    silent: int
    reserved: int
    unwritten: int
    files: int
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a round happens: its ledger, its files, and what its processes say."""

    address: str
    folder: Path

    @property
    def said(self) -> Path:
        return self.folder / "said"

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.release.json"))


def spend_all(place: Place, plan: pv.Plan, name: str) -> None:
    """Be one process of a storm: spend until the budget refuses."""
    said = os.open(place.said, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        book = pv.Ledger.open(place.address)
        for number in range(10**6):
            key = f"{name}.{number}"
            entry = book.spend(plan, key=key)
            os.write(said, f"{entry.number} {entry.hash} {key}\n".encode())
            text = json.dumps({"entry": entry.number, "hash": entry.hash, "key": key})
            book.finish(entry, text)
            write_whole(place.folder / f"{key}.release.json", text)
    except pv.BudgetExceededError:
        pass
    except BaseException as error:
        os.write(said, f"fault {' '.join(repr(error).split())}\n".encode())


def fork(place: Place, plan: pv.Plan, name: str) -> int:
    """Start one process of a storm, and return its number."""
    child = os.fork()
    if child == 0:
        try:
            spend_all(place, plan, name)
        finally:
            os._exit(0)
    return child


def rage(place: Place, plan: pv.Plan, processes: int) -> set[str]:
    """Run the processes of a round, and return the names of those that were killed."""
    alive = {fork(place, plan, f"p{number}"): f"p{number}" for number in range(processes)}
    started, killed = processes, set[str]()
    while alive:
        if len(killed) < _KILLS * processes:
            time.sleep(random.uniform(0, _LONGEST_GAP))
            victim = random.choice(list(alive))
            os.kill(victim, signal.SIGKILL)
            _, status = os.waitpid(victim, 0)
            name = alive.pop(victim)
            if os.WIFSIGNALED(status):  # else it had ended by itself already
                killed.add(name)
                alive[fork(place, plan, f"p{started}")] = f"p{started}"
                started += 1
        else:
            ended, _ = os.wait()
            alive.pop(ended)
    return killed


def judge(place: Place, killed: set[str], allowed: int) -> Round:
    """Compare the ledger with what was said and written; the cap allows a number of spends exactly."""
    book = pv.Ledger.open(place.address)
    last = book.verify()
    entries = {entry.number: entry for entry in book.entries() if entry.kind is EntryKind.SPENT}
    said = place.said.read_text().splitlines()
    heard = [line.split(" ") for line in said if not line.startswith("fault ")]
    found = [line for line in said if line.startswith("fault ")]
    if sorted(entries) != list(range(1, allowed + 1)):
        found.append(f"{len(entries)} spends where the cap allows {allowed}")
    total = sum((entry.cost.epsilon for entry in entries.values()), Fraction(0))
    if not total == last.spent.epsilon == last.cap.epsilon:
        found.append(f"spent {total}, said {last.spent.epsilon}, cap {last.cap.epsilon}")
    for number, digest, key in heard:
        found += _differences(entries.get(int(number)), digest, key, "said")
    silent = {entry.key or "" for entry in entries.values()} - {key for _, _, key in heard}
    found += [f"{key}: spent in silence by one that lived" for key in silent if _owner(key) not in killed]
    found += _files(book, entries, place.files)
    states = book.history().states
    return Round(
        granted=len(entries),
        killed=len(killed),
        silent=len(silent),
        reserved=len(entries) - len(states),
        unwritten=len(states) - len(place.files),
        files=len(place.files),
        faults=tuple(found),
    )


def _owner(key: str) -> str:
    return key.partition(".")[0]


def _differences(entry: LedgerEntry | None, digest: str, key: str, how: str) -> list[str]:
    if entry is None or (entry.hash, entry.key) != (digest, key):
        return [f"{key}: {how}, and lost"]
    return []


def _files(book: pv.Ledger, entries: dict[int, LedgerEntry], files: Iterable[Path]) -> list[str]:
    found = []
    for file in files:
        text = file.read_text()
        document = json.loads(text)
        entry = entries.get(document["entry"])
        found += _differences(entry, document["hash"], document["key"], "released")
        closing = book.closing(document["entry"])
        if closing is None or closing.state is not State.RELEASED or closing.release != (text,):
            found.append(f"{document['key']}: released, and not what the ledger keeps")
    return found


def storm(address: str, folder: Path, processes: int, rounds: int) -> list[Round]:
    """Run rounds, each on a fresh ledger."""
    os.environ["PRIVIOR_STATE"] = str(folder / "state")
    schema = pv.Schema({"fruit": pv.Categorical(["apple", "pear"])}, population="orchard", unit="person")
    cost = Fraction(1, 7)  # no sum of it is a short decimal
    plan, allowed = fruit_plan(schema, cost), _SPENDS * processes
    found = []
    for number in range(rounds):
        place = Place(address.format(number), folder / f"round-{number}")
        place.folder.mkdir()
        pv.Ledger.create(place.address, population="orchard", epsilon=cost * allowed)
        found.append(judge(place, rage(place, plan, processes), allowed))
    return found


def run(address: str, folder: Path, processes: int, rounds: int, *, before: str = "") -> list[Round]:
    """Run a storm from a process of its own, after some code if that is asked."""
    code = f"{before}\nimport storm\nstorm.main()"
    command = [sys.executable, "-c", code, address, str(folder)]
    command += ["--processes", str(processes), "--rounds", str(rounds)]
    paths = [str(Path(__file__).parent), *sys.path]
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **alone, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return [Round(**{**found, "faults": tuple(found["faults"])}) for found in json.loads(done.stdout)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    rounds = storm(asked.address, asked.folder, asked.processes, asked.rounds)
    print(json.dumps([asdict(found) for found in rounds]))


if __name__ == "__main__":
    main()
