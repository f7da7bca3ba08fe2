"""Addresses of ledgers on a server: postgresql://user@host:port/database#name.

What is shown of an address has neither its password nor options; nothing that is refused is shown at all,
because a mistyped address may hold a password anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import parse_qsl, unquote, urlsplit

from privior.errors import LedgerError

_SCHEMES = ("postgresql", "postgres")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/(/?)")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:@,\[\]]*)(:[0-9]+)?")
_FORM = "postgresql://user@host:port/database#name"


def is_address(place: object) -> bool:
    """Say whether a place of a ledger is meant as the address of a server."""
    return _parts(place) is not None


def _parts(place: object) -> tuple[str, str] | None:
    """The scheme of an address and what follows its slashes; a path has lost one of them."""
    if not isinstance(place, (str, PurePath)):
        return None
    text = str(place)
    match = _ADDRESS.match(text)
    if match is None:
        return None
    scheme = match[1].lower()
    meant = scheme in _SCHEMES or (isinstance(place, str) and match[2] == "/")
    return (scheme, text[match.end() :]) if meant else None


@dataclass(frozen=True)
class ServerAddress:
    """Where a ledger is kept on a server.

    Attributes:
        text: all of it, as it was given: fit to connect, not to be shown
        server: the part that names the database
        name: the ledger's name in it
        where: what may be shown
        secrets: what may never be shown
    """

    text: str
    server: str
    name: str
    where: str
    secrets: tuple[str, ...]

    @staticmethod
    def of(place: object) -> ServerAddress:
        """Read the address of a ledger on a server, and refuse what is none."""
        scheme, rest = _parts(place) or ("", "")
        if scheme not in _SCHEMES:
            raise LedgerError("no server of this kind keeps ledgers", asked=scheme, allowed=_FORM)
        before, marked, name = rest.partition("#")
        server = f"{_SCHEMES[0]}://{before}"
        if marked and not _NAME.fullmatch(name):
            raise LedgerError(
                "not the name of a ledger on a server",
                allowed=f"after the #: letters, digits, _ and -, at most 40: {_FORM}",
                advice="A # in a password is written %23.",
            )
        try:
            split = urlsplit(server)
            options = dict(parse_qsl(split.query, strict_parsing=True)) if split.query else {}
        except ValueError:
            raise LedgerError("not the address of a ledger on a server", allowed=_FORM) from None
        who, _, host = split.netloc.partition("@") if "@" in split.netloc else ("", "", split.netloc)
        user, _, password = who.partition(":")
        database = split.path.removeprefix("/")
        if not database or {"/", "@"} & set(database) or not _HOST.fullmatch(host):
            raise LedgerError(
                "not the address of a ledger on a server: one server, and a database on it",
                allowed=_FORM,
                advice="Signs such as @ : / in a password are written %40 %3A %2F.",
            )
        name = name or "ledger"
        socket = "".join(f"?host={value}" for key, value in options.items() if key == "host" and not host)
        shown = f"{_SCHEMES[0]}://{user}{'@' if user else ''}{host}/{database}{socket}#{name}"
        secrets = [password, *(value for key, value in options.items() if "password" in key)]
        return ServerAddress(
            text=f"{server}#{name}",
            server=server,
            name=name,
            where=shown,
            secrets=tuple({form for secret in secrets if secret for form in (secret, unquote(secret))}),
        )

    def scrubbed(self, text: str) -> str:
        """Return a text of one line without the secrets."""
        line = " ".join(text.split())
        for secret in sorted(self.secrets, key=len, reverse=True):
            line = line.replace(secret, "...")
        return line[:300]
