"""The program `privior`: its commands, and how every one of them ends."""

from __future__ import annotations

import os
import sys
from copy import copy
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from privior import __version__
from privior.cli.exit_codes import ExitCode, exit_code
from privior.cli.options import screen_of
from privior.cli.screen import Screen
from privior.cli.words import take_words
from privior.contents import contents, names
from privior.errors import PriviorError, ReleaseInterruptedError

_FILES = "privior.cli.commands"
#: the function of each command, by the name that people say; `import` cannot be the name of a function
COMMANDS = {"import" if name == "import_numbers" else name.replace("_", "-"): name for name in names(_FILES)}


class Program(TyperGroup):
    """The group of all commands: gives each a screen and turns every error into words and an exit code."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the words that come before the command."""
        take_words(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Find a command, and let it and those within it take plain words as they stand."""
        found = super().get_command(ctx, cmd_name)
        for command in (found, *getattr(found, "commands", {}).values()):
            if command is not None:
                take_words(command.get_params(ctx))
        return found

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """Find the command that was asked for; an option of the program after it is no misspelt other one."""
        if "--extension" in args[1:]:
            raise typer.BadParameter(
                "it stands before the command: privior --extension FILE COMMAND ...", param_hint="--extension"
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own type is private
        """Run the command that was asked for."""
        screen = screen_of(ctx)
        try:
            return super().invoke(ctx)
        except PriviorError as error:
            screen.error(error, self._options(ctx))
            raise typer.Exit(exit_code(error)) from None
        except ReleaseInterruptedError as interruption:
            screen.fail("Interrupted", str(interruption))
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        except KeyboardInterrupt:
            screen.fail("Interrupted", "interrupted. Nothing was spent.")
            raise typer.Exit(ExitCode.INTERRUPTED) from None

    def _options(self, ctx: typer.Context) -> set[str]:
        """Return the options of the command that was asked for."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        every = (command, *getattr(command, "commands", {}).values())
        return {word for one in every if one is not None for each in one.params for word in each.opts}


app = typer.Typer(
    cls=Program,
    name="privior",
    help="Publish what you learned from people's records, not whom you learned it from.",
    epilog="First: privior demo. Then: init, plan, ledger create, release, ask.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"privior {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    extension: Annotated[
        list[str] | None,
        typer.Option(
            help="Import somebody's own models and mechanisms first: a Python file, or an installed module. "
            "It runs as code; guarantees that rest on it are called declared.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Publish what you learned from people's records, not whom you learned it from."""
    for name in extension or []:
        from privior.registry import import_extension

        import_extension(name)


@cache
def program(first: str = "") -> typer.Typer:
    """Return the program with this command alone, if it has one of that name, else with all of them.

    Files of other commands are not loaded, and Typer looks at every command that it has.
    """
    chosen, found = copy(app), contents(_FILES)
    chosen.registered_commands, chosen.registered_groups = [], []
    for spoken in [first] if first in COMMANDS else COMMANDS:
        command: Any = found(COMMANDS[spoken])
        if isinstance(command, typer.Typer):
            chosen.add_typer(command, name=spoken)
        else:
            chosen.command(name=spoken)(command)
    return chosen


def run() -> None:
    """Run the program; what nobody foresaw is told in one line, since a trace may show what it handled."""
    screen = Screen()
    try:
        program(*sys.argv[1:2])(prog_name="privior", obj=screen)
    except Exception as error:
        if "PRIVIOR_DEBUG" in os.environ:
            raise
        from privior.registry import at_fault

        outside = at_fault(error)
        if outside:
            screen.fail("Extension", f"{type(error).__name__} in the extension, {outside}: {error}")
            sys.exit(ExitCode.UNEXPECTED)
        screen.fail(
            "Unexpected",
            f"unexpected {type(error).__name__}: a fault of privior, please report it.\n"
            "  Set PRIVIOR_DEBUG=1 to see where; the trace may show private values.",
        )
        sys.exit(ExitCode.UNEXPECTED)
