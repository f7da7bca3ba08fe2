"""The program `privior`: its commands, and how every one of them ends."""

from __future__ import annotations

import os
import sys
from copy import copy
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from privior import __version__
from privior.cli.commands.analyse import analyse
from privior.cli.commands.ask import ask
from privior.cli.commands.batch import batch
from privior.cli.commands.check import check
from privior.cli.commands.check_fit import check_fit
from privior.cli.commands.decide import decide
from privior.cli.commands.demo import demo
from privior.cli.commands.doctor import doctor
from privior.cli.commands.guarantee import guarantee
from privior.cli.commands.import_numbers import import_numbers
from privior.cli.commands.init import init
from privior.cli.commands.ledger import ledger
from privior.cli.commands.plan import plan
from privior.cli.commands.predict import predict
from privior.cli.commands.release import release
from privior.cli.commands.report import report
from privior.cli.commands.review import review
from privior.cli.commands.study import study
from privior.cli.commands.verify import verify
from privior.cli.exit_codes import ExitCode, exit_code
from privior.cli.options import screen_of
from privior.cli.screen import Screen
from privior.cli.words import take_words
from privior.errors import PriviorError, ReleaseInterruptedError


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
            screen.error(error)
            raise typer.Exit(exit_code(error)) from None
        except ReleaseInterruptedError as interruption:
            screen.fail("Interrupted", str(interruption))
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        except KeyboardInterrupt:
            screen.fail("Interrupted", "interrupted. Nothing was spent.")
            raise typer.Exit(ExitCode.INTERRUPTED) from None


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


app.command()(demo)
app.command()(init)
app.command()(plan)
app.add_typer(ledger, name="ledger")
app.command()(check)
app.command()(release)
app.command()(batch)
app.command(name="import")(import_numbers)
app.command()(ask)
app.command()(predict)
app.command(name="check-fit")(check_fit)
app.command()(decide)
app.command()(report)
app.command()(review)
app.command()(verify)
app.command()(guarantee)
app.command()(analyse)
app.command()(study)
app.command()(doctor)


def _asked_for(first: list[str]) -> typer.Typer:
    """Return the program with the command that is asked for alone: Typer looks at every one that it has."""
    named = [one for one in app.registered_commands if one.callback and [one.callback.__name__] == first]
    if not named:
        return app
    chosen = copy(app)
    chosen.registered_commands, chosen.registered_groups = named, []
    return chosen


def run() -> None:
    """Run the program; what nobody foresaw is told in one line, since a trace may show what it handled."""
    screen = Screen()
    try:
        _asked_for(sys.argv[1:2])(prog_name="privior", obj=screen)
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
