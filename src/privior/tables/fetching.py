"""Tables behind a URL: fetched once, whole, into the temporary folder of the process that reads.

What is fetched is then a file like any other, so what is counted and what is read are the same bytes,
whatever the server does meanwhile. The process of a release removes its folder when it ends. Messages name
the scheme, the host and the path of a URL, never a password or a query, which may hold a key.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from privior.errors import TableError, shown
from privior.tables.files import ENDINGS

#: what a URL can begin with
SCHEMES = ("https", "http", "file")
#: seconds without a byte after which a server is given up
_PATIENCE = 30


def is_url(table: object) -> bool:
    """Say whether this names a table by a URL."""
    return isinstance(table, str) and table.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def without_secrets(url: str) -> str:
    """Return a URL as messages may show it; a path as it is."""
    if not is_url(url):
        return url
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
    except ValueError:
        return "the URL"


def fetched(url: str) -> Path:
    """Return the path of a file with what a URL names: its own for a file, else a copy."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, build_opener, url2pathname

    parts = _split(url)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    ending = next((one for one in ENDINGS if parts.path.lower().endswith(one)), None)
    if ending is None:
        raise TableError("unknown kind of file", where=without_secrets(url), allowed=", ".join(ENDINGS))
    copy = Path(tempfile.mkdtemp(prefix="privior-fetched-")) / f"table{ending}"
    try:
        request = Request(url, headers={"User-Agent": "privior"})  # noqa: S310 - the scheme was looked at
        with build_opener().open(request, timeout=_PATIENCE) as answer, copy.open("wb") as file:
            shutil.copyfileobj(answer, file)
            whole = answer.headers.get("Content-Length")
        if whole is not None and copy.stat().st_size != int(whole):  # a part would be released as the whole
            raise EOFError
    except HTTPError as error:
        raise TableError(f"the server answers {error.code}", where=without_secrets(url)) from None
    except EOFError:
        raise TableError("the server sent less or more than it said", where=without_secrets(url)) from None
    except (OSError, ValueError, HTTPException):
        raise TableError(
            "the URL cannot be read", where=without_secrets(url), advice="Check the address and the network."
        ) from None
    return copy


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        local = parts.scheme == "file"
        fine = parts.hostname in (None, "localhost") if local else bool(parts.hostname)
        if fine and parts.username is None and (parts.port is None or not local):
            return parts
    except ValueError:
        pass
    raise TableError(
        "not a URL of a table",
        where=without_secrets(url),
        asked=shown(without_secrets(url)),
        allowed="https://host/path, http://host/path, file:///path; without a user name",
    )
