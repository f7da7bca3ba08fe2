"""The folder for what the runs of a user remember: anchors of ledgers, the curator's log."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """Return the folder for what this user's runs remember."""
    own = os.environ.get("PRIVIOR_STATE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "privior"


def made_state_folder() -> Path:
    """Return that folder, made if it is not there; nobody else may look into it."""
    folder = state_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
