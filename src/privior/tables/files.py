"""Paths and globs: which files a table consists of, without looking into them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from privior.errors import TableError, shown


class Form(Enum):
    """The two forms of files, and the endings that say which one a file has."""

    DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
    PARQUET = (".parquet", ".pq")


#: the device, the number and the size of a file, and when it was last written
Identity = tuple[int, int, int, int]


@dataclass(frozen=True)
class Files:
    """The files of a table, and which ones they were when their headers were looked at.

    Attributes:
        paths: where they are
        identities: of each of them
    """

    paths: tuple[Path, ...]
    identities: tuple[Identity, ...]

    @staticmethod
    def of(paths: tuple[Path, ...]) -> Files:
        """Look at the files as they are now; their headers are to be read within `unchanged`."""
        return Files(paths, tuple(_identity(path) for path in paths))

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Fail if a file is another one, or was written to, before or while it is read.

        Its header was looked at before: what is read now must still be what it was about.
        """
        self._check()
        yield
        self._check()

    def _check(self) -> None:
        if self.identities != tuple(_identity(path) for path in self.paths):
            raise ValueError("a file of the table changed after it was opened")


def _identity(path: Path) -> Identity:
    facts = os.stat(path)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


_LONGEST_SHOWN = 200
#: how the names of files end that can be read
ENDINGS = tuple(ending for form in Form for ending in form.value)


def find(path: str) -> tuple[tuple[Path, ...], Form]:
    """Return the files of a path or a glob, in the order of their names, and their common form."""
    try:
        found = _found(path)
        sizes = [file.stat().st_size for file in found]
    except OSError as error:
        raise TableError(f"the path cannot be read: {error.strerror}", where=path[:_LONGEST_SHOWN]) from None
    forms = {_form(file) for file in found}
    if len(forms) > 1:
        raise TableError(
            "the files of the glob have different forms", where=path, allowed=" or ".join(ENDINGS)
        )
    for file, size in zip(found, sizes, strict=True):
        if size == 0:
            raise TableError("the file is empty", where=str(file))
    return found, forms.pop()


def _found(path: str) -> tuple[Path, ...]:
    literal = Path(path)
    if not path or "\0" in path:
        raise TableError("there is no such file", where=shown(path))
    if literal.is_dir():
        raise TableError(
            "this is a directory, not a file",
            where=path,
            advice=f"Use a glob, for example {literal / '*.parquet'}",
        )
    if literal.is_file():
        return (literal,)
    if literal.exists():
        raise TableError("this is not a regular file", where=path)
    if not glob.has_magic(path):
        advice = (
            "URLs begin with https://, http:// or file://; pass an Ibis table for a database."
            if "://" in path
            else None
        )
        raise TableError("there is no such file", where=path, advice=advice)
    matches = tuple(Path(match) for match in sorted(glob.glob(path, recursive=True)) if Path(match).is_file())
    if not matches:
        raise TableError("no file matches the glob", where=path)
    return matches


def _form(path: Path) -> Form:
    name = path.name.lower()
    for form in Form:
        if name.endswith(form.value):
            return form
    raise TableError("unknown kind of file", where=str(path), allowed=", ".join(ENDINGS))
