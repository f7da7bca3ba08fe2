"""Plain values: what a command line says, taken as it is where that is what a command wants.

Typer lets pydantic turn texts into the types of a command's parameters, and loading pydantic takes longer
than most commands do. A text that is to be a text or a path needs none of it. Whatever else is given goes
the usual way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


class _AsGiven:
    """Stands where typer keeps how it converts the value of a parameter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as the command takes it."""
        kind, several = param.type_descriptor.annotation, param.multiple or param.nargs == -1
        if value is None and not several:
            return None
        if isinstance(kind, type) and isinstance(value, kind):
            return value
        if kind is Path and isinstance(value, str):
            return Path(value)
        param._runtime_param = None  # typer makes its own
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def take_plainly(command: Any) -> None:
    """Let a command, and all commands of a group, take plain values as they are."""
    listed = command.get_params

    def get_params(context: Any) -> Any:
        found = listed(context)
        for param in found:
            if getattr(param, "_runtime_param", param) is None:  # older versions of typer have no such thing
                param._runtime_param = _AsGiven()
        return found

    command.get_params = get_params
    for inner in getattr(command, "commands", {}).values():
        take_plainly(inner)
