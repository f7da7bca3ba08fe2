"""The screen: where commands show what they found. Rich on a terminal, plain lines elsewhere, or JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Timer
from typing import TYPE_CHECKING, TextIO

from privior.cli.speech import spoken
from privior.errors import PriviorError

if TYPE_CHECKING:
    from rich.console import Console

#: seconds after which it is shown what is waited for
PATIENCE = 2.0
_WIDEST = 110
_LEAST_TEXT = 20


class Screen:
    """One command's output.

    Explanations (`facts`, `table`, `text`, `heading`, `progress`) are for people: `--quiet` and `--json`
    silence them. `answer` is what was asked for, `document` the same for programs.
    """

    def __init__(self) -> None:
        self.as_json = False
        self.quiet = False
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows another

    @property
    def explains(self) -> bool:
        """Whether somebody wants to read more than the answer."""
        return not (self.as_json or self.quiet)

    @property
    def width(self) -> int:
        """How many signs fit into a line."""
        return min(_WIDEST, shutil.get_terminal_size((80, 24)).columns) if _is_terminal(sys.stdout) else 80

    def heading(self, text: str) -> None:
        """Begin a section."""
        if not self.explains:
            return
        if _is_terminal(sys.stdout):
            console = self._rich(sys.stdout)
            console.print(f"\n{harmless(text)}", style="bold cyan", markup=False, highlight=False)
        else:
            print(f"\n{harmless(text)}\n{'-' * len(text)}")

    def text(self, text: str) -> None:
        """Show some lines; sentences that are longer than the terminal are wrapped."""
        if self.explains:
            print("\n".join(_fitting(harmless(text), self.width)))

    def facts(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show named facts."""
        if not self.explains:
            return
        if not _is_terminal(sys.stdout):
            print("\n".join(self._facts(pairs)))
            return
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(Text(harmless(name, "")), Text(harmless(value, "")))
        self._rich(sys.stdout).print(grid)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show a table."""
        if self.explains:
            self._table(header, rows)

    def answer(self, text: str) -> None:
        """Show what was asked for, also if the rest is silenced."""
        if not self.as_json:
            print("\n".join(_fitting(harmless(text), self.width) if self.explains else [harmless(text)]))

    def answer_table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show what was asked for as a table."""
        if not self.as_json:
            self._table(header, rows)

    def document(self, document: object) -> None:
        """Write what was asked for as JSON, if that is wanted."""
        if self.as_json:
            print(json.dumps(document, indent=1, allow_nan=False))

    def error(self, error: PriviorError, options: Container[str] = ()) -> None:
        """Show what went wrong: as JSON where the answer would have been, else on the error stream.

        What it advises is said in the words of the options of the command, if it has these.
        """
        error = spoken(error, options)
        if self.as_json:
            self.document({"error": error.to_document()})
            return
        self.complain(str(error))

    def fail(self, kind: str, text: str) -> None:
        """Show an end that no `PriviorError` tells: an interruption, an answer that was not yes, a fault."""
        self.document({"error": {"kind": kind, "what": text}})
        if not self.as_json:
            self.complain(text)

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Let nobody who stopped listening change how a command ends that has already done its work."""
        try:
            yield
            sys.stdout.flush()
        except OSError:
            _discard(1)

    def complain(self, text: str) -> None:
        """Say on the error stream that something went wrong, if anybody still listens there."""
        with _heard():
            self._complain(text)

    def warn(self, text: str) -> None:
        """Say on the error stream what must be known of an answer, in lines that fit; errors stay whole."""
        self.complain("\n".join(_fitting(harmless(text), 80 - len("privior: "))))

    def _complain(self, text: str) -> None:
        first, *rest = harmless(f"privior: {text}").split("\n")
        if _is_terminal(sys.stderr):
            console = self._rich(sys.stderr)
            console.print(first, style="bold red", markup=False, highlight=False)
            for line in rest:
                console.print(line, markup=False, highlight=False)
        else:
            print("\n".join([first, *rest]), file=sys.stderr)

    def confirmed(self, question: str) -> bool:
        """Ask on the terminal; only yes means yes."""
        print(f"{harmless(question)} [y/N] ", end="", file=sys.stderr, flush=True)
        try:
            return sys.stdin.readline().strip().lower() in ("y", "yes")
        except KeyboardInterrupt:
            print(file=sys.stderr)
            raise

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        return _is_terminal(sys.stdin)

    @contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """Give a function that shows the step that begins; on a terminal with a clock that runs."""
        if not self.explains:
            yield lambda step: None
        elif not _is_terminal(sys.stderr):
            yield self._step
        else:
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            with Progress(*columns, console=self._rich(sys.stderr), transient=True) as running:
                task = running.add_task("", total=None)
                yield lambda step: running.update(task, description=harmless(step))

    @contextmanager
    def waiting(self, step: str) -> Iterator[Callable[[float], None]]:
        """Show on a terminal what is waited for, with a clock, once it has lasted; elsewhere nothing.

        Gives a function that shows which part of the longest time it may take is over.
        """
        if not self.explains or not _is_terminal(sys.stderr):
            yield lambda part: None
            return
        with ExitStack() as shown:
            say: list[Callable[[str], None]] = []
            words = [step]

            def begin() -> None:
                say.append(shown.enter_context(self.progress()))
                say[0](words[0])

            def done(part: float) -> None:
                words[0] = f"{step}: {part:.0%} of the longest it may take"
                for one in say:
                    one(words[0])

            timer = Timer(PATIENCE, begin)
            timer.daemon = True
            timer.start()
            try:
                yield done
            finally:
                timer.cancel()
                timer.join()

    def _step(self, step: str) -> None:
        """Write a step on the error stream, if anybody still listens there."""
        with _heard():
            print(f"{harmless(step)} ...", file=sys.stderr, flush=True)

    def _table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        from privior.pictures import listing  # pictures take a while to import, and help shows none

        clean = [[harmless(cell, "") for cell in row] for row in rows]
        names = [harmless(name, "") for name in header]
        if not _is_terminal(sys.stdout):
            plain = listing.table(names, _broken(names, clean, self.width))
            if max(map(len, plain)) <= self.width:
                print("\n".join(plain))
                return
        elif _least_width(names, clean) <= self.width:
            self._grid(names, clean)
            return
        elif _least_width(high := _wrapped(names, clean), clean) <= self.width:
            self._grid(high, clean)
            return
        # Too narrow for columns: nothing is cut, each row is told as facts.
        for row in clean:
            told = [pair for pair in zip(names, row, strict=True) if pair[1]]
            print("\n".join([*self._facts(told), ""]))

    def _facts(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Return named facts in plain lines that fit."""
        from privior.pictures import listing

        wide = 2 + max(len(name) for name, _ in pairs)
        lines = [_fitting(line, self.width, " " * wide) for line in listing.facts(pairs)]
        return [line for some in lines for line in some]

    def _grid(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        last = len(header) - 1
        for place, name in enumerate(header):
            numeric = all(row[place][:1].isdigit() or not row[place] for row in rows)
            grid.add_column(Text(name), justify="right" if numeric else "left", no_wrap=place < last)
        for row in rows:
            grid.add_row(*map(Text, row))
        self._rich(sys.stdout).print(grid)

    def _rich(self, stream: TextIO) -> Console:
        from rich.console import Console

        return Console(file=stream, width=min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


@contextmanager
def _heard() -> Iterator[None]:
    """Write on the error stream; if nobody listens there any more, write nothing from now on."""
    try:
        yield
    except OSError:
        _discard(2)


def _discard(stream: int) -> None:
    """Let a stream lead nowhere, so that what is still in its buffer cannot fail at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


def _fitting(text: str, width: int, indent: str | None = None) -> list[str]:
    """Return a text in lines that fit; words and paths stay whole, and lines that follow are indented."""
    lines: list[str] = []
    for line in text.split("\n"):
        before = line[: len(line) - len(line.lstrip())] if indent is None else indent
        fits = textwrap.wrap(
            line, width, subsequent_indent=before, break_long_words=False, break_on_hyphens=False
        )
        lines += fits if len(line) > width else [line]
    return lines


def harmless(text: str, keep: str = "\n\t") -> str:
    """Replace control signs, with which a name in a file could otherwise command the terminal (T40)."""
    return "".join(sign if sign.isprintable() or sign in keep else "\ufffd" for sign in text)


def _least_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return the width below which a cell of a table would be cut; the last column may be wrapped."""
    widths = [max(map(len, "\n".join(cells).split("\n"))) for cells in zip(header, *rows, strict=True)]
    return sum(widths[:-1]) + min(widths[-1], _LEAST_TEXT) + 2 * len(widths) + 2


def _broken(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Break the last cell of each row between words, where the others leave it room."""
    room = width - sum(2 + max(map(len, cells)) for cells in list(zip(header, *rows, strict=True))[:-1])
    found: list[list[str]] = []
    for *others, last in rows:
        lines = _fitting(last, room) if room >= _LEAST_TEXT else [last]
        found += [[*(others if not place else [""] * len(others)), line] for place, line in enumerate(lines)]
    return found


def _wrapped(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Break the names of columns between words, so that they are hardly wider than what stands below."""
    found = []
    for name, *cells in zip(header, *rows, strict=True):
        width = max(map(len, (*cells, *name.split(), " ")))
        found.append(textwrap.fill(name, width))
    return found


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"
