"""The channel between the program that asks for a release and the process that reads the rows.

One JSON document a line. Errors before the spend travel as documents and are raised again as what they were.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO

from privior import errors
from privior.errors import PriviorError
from privior.whole_files import LARGEST_FILE

Message = dict[str, object]
#: how the name of the private temporary folder of the process that reads rows begins; no other is removed
FOLDER = "privior-rows-"

_KINDS: dict[str, type[PriviorError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, PriviorError)
}


class ChannelError(Exception):
    """The other side is gone, or says what it should not."""


@dataclass(frozen=True)
class Channel:
    """Two streams: what the other side says, and what it is told."""

    incoming: IO[bytes]
    outgoing: IO[bytes]

    def send(self, message: Message) -> None:
        """Send a message to the other process, in one line."""
        try:
            self.outgoing.write(json.dumps(message).encode("ascii") + b"\n")
            self.outgoing.flush()
        except (OSError, ValueError):
            raise ChannelError from None

    def receive(self) -> Message:
        """Wait for what the other side says next."""
        try:
            line = self.incoming.readline(LARGEST_FILE)
            message = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError, RecursionError):
            raise ChannelError from None
        if not isinstance(message, dict):
            raise ChannelError
        return message


def refusal(error: PriviorError) -> Message:
    """Write an error with all its fields; what is no plain value is written as it would be shown."""
    fields = {
        name: value if value is None or isinstance(value, (str, int)) else str(value)
        for name, value in vars(error).items()
    }
    return {"kind": type(error).__name__, "fields": fields}


def refused(document: object) -> PriviorError:
    """Read what `refusal` wrote."""
    if not isinstance(document, dict) or not isinstance(document.get("fields"), dict):
        raise ChannelError
    try:
        return _KINDS[document["kind"]](**document["fields"])
    except (KeyError, TypeError):
        raise ChannelError from None
