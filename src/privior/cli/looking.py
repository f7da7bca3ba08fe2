"""Looking: what a curator may see of her own rows, on her own terminal, without a spend."""

from __future__ import annotations

import sys

from privior.cli.screen import Screen
from privior.errors import PlanError

PRIVATE = (
    "For your eyes alone: nothing of this is stored, and none of it may be published. A schema that is "
    "changed because of it is no longer public knowledge, and guarantees do not cover what it tells."
)


def refuse_other_eyes(screen: Screen, command: str, advice: str) -> None:
    """Refuse to show rows anywhere but on a terminal.

    Args:
        screen: of the command
        command: its name
        advice: what to do instead
    """
    if screen.as_json or screen.quiet or not sys.stdout.isatty():
        raise PlanError(
            "a look is for the curator's own eyes, on a terminal",
            where=command,
            asked="standard output is no terminal, or --json or --quiet",
            advice=advice,
        )
