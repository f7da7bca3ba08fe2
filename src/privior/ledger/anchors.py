"""Anchors: the newest entry of each ledger that this user has made or spent from, kept outside the ledger.

A ledger that was restored from an old copy is a valid chain which forgot its newest spends. Its anchor
remembers one of them: a ledger without that entry is refused until it is reconciled. An anchor is a small
file in the folder of the user's state (`PRIVIOR_STATE`, else `XDG_STATE_HOME/privior`, else
`~/.local/state/privior`); where none can be written, only releases that are at hand tell of a rollback.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from privior.errors import LedgerError
from privior.ledger.entry import LedgerEntry, read_entry
from privior.ledger.state_folders import made_state_folder, state_folder
from privior.whole_files import write_whole


def anchor_of(identity: str) -> LedgerEntry | None:
    """Return the newest entry seen of the ledger with this identity, if any was."""
    return _anchor_at(_place(identity))


def _anchor_at(place: Path) -> LedgerEntry | None:
    try:
        document = json.loads(place.read_bytes())
        return read_entry(document["number"], document["body"], document["hash"], str(place))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, LedgerError):
        return None


def known_ledgers(population: str) -> list[LedgerEntry]:
    """Return the newest entry seen of each ledger of this population, in the order of their names."""
    with suppress(OSError, RuntimeError):
        places = sorted((state_folder() / "anchors").glob("*.json"))
        seen = [anchor_of(place.stem) for place in places]
        return [entry for entry in seen if entry is not None and entry.population == population]
    return []


def drop_anchor(identity: str | None, entry: LedgerEntry, *, anew: bool = False) -> None:
    """Remember an entry, if it is newer than the one remembered or that one is to be replaced.

    A ledger without a name of its own has no anchor.
    """
    if identity is None:
        return
    with suppress(OSError, ValueError, RuntimeError):
        place = _place(identity)
        before = None if anew else _anchor_at(place)
        if before is not None and before.number >= entry.number:
            return
        if not place.parent.is_dir():
            made_state_folder()
            place.parent.mkdir(mode=0o700, exist_ok=True)
        document = {"number": entry.number, "body": entry.body(), "hash": entry.hash}
        write_whole(place, json.dumps(document) + "\n")


def _place(identity: str) -> Path:
    return Path(f"{state_folder()}/anchors/{identity}.json")
