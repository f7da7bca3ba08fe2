"""Options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.screen import Screen


def screen_of(context: typer.Context) -> Screen:
    """Return the screen that the program made for this command."""
    screen = context.find_root().obj
    assert isinstance(screen, Screen)  # noqa: S101 - the group puts it there before any command runs
    return screen


def _json(context: typer.Context, value: bool) -> bool:
    screen_of(context).as_json |= value
    return value


def _quiet(context: typer.Context, value: bool) -> bool:
    screen_of(context).quiet |= value
    return value


Json = Annotated[
    bool, typer.Option("--json", callback=_json, is_eager=True, help="Write JSON, for programs.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_quiet, is_eager=True, help="Only the answer.")
]
AnalysisFile = Annotated[
    Path,
    typer.Argument(
        metavar="ANALYSIS", help="The analysis file (TOML): schema, model, what is asked.", show_default=False
    ),
]
ReleaseFile = Annotated[Path, typer.Argument(metavar="RELEASE", help="The release file.", show_default=False)]
AlsoReleases = Annotated[
    list[Path] | None,
    typer.Option(
        "--also",
        metavar="RELEASE",
        help="Another release of the same table, used as well.",
        show_default=False,
    ),
]
LedgerAddress = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        "-l",
        envvar="PRIVIOR_LEDGER",
        help="The population's ledger: a file, or postgresql://...",
        show_default=False,
    ),
]
RecordsNumber = Annotated[
    int | None,
    typer.Option(
        "--records", "-n", help="How many persons: exact under replace-one, else at most.", show_default=False
    ),
]
Epsilon = Annotated[
    str | None,
    typer.Option("--epsilon", "-e", help='Privacy loss to allow, exact: "0.5", "1/3".', show_default=False),
]
Delta = Annotated[
    str | None,
    typer.Option("--delta", "-d", help='Chance of a larger loss, such as "1e-6".', show_default=False),
]
NeighboursName = Annotated[
    str | None,
    typer.Option("--neighbours", help="replace-one (default) or add-or-remove-one.", show_default=False),
]
ExpectName = Annotated[
    str,
    typer.Option("--expect", help="What the truth may look like: uniform, typical (of the prior), skewed."),
]
MechanismName = Annotated[
    str | None,
    typer.Option("--mechanism", "-m", help="Take this mechanism instead of the best.", show_default=False),
]
Least = Annotated[
    int,
    typer.Option(
        help="How many records every cell has at least, if that is public; with --mechanism "
        "dirichlet-draw or virtual-records."
    ),
]
Draws = Annotated[
    int | None,
    typer.Option(
        help="How many posterior draws to release, with --mechanism dirichlet-draw, posterior-draws, "
        "model-draws, network-draws, truncated-network-draws, ball-draw or gibbs-draws; 1 unless told.",
        show_default=False,
    ),
]
ConcentratedDraws = Annotated[
    bool,
    typer.Option(
        "--concentrated",
        help="With --mechanism network-draws: raise the prior until records may count in full, instead of "
        "letting each of them weigh less.",
    ),
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate",
        help="Release posterior draws: how many (unless --draws says), from a prior of which weight and cut, "
        "and the weight of records are chosen together.",
    ),
]
SpendKey = Annotated[
    str | None,
    typer.Option(
        help="Your own name for this spend: asked again, the same is given and not charged.",
        show_default=False,
    ),
]
BuyAgain = Annotated[
    bool, typer.Option("--again", help="With --yes: spend although the same was bought before.")
]
Analyst = Annotated[
    str | None, typer.Option(help="Who spends; needed if the ledger has quotas.", show_default=False)
]
TableVersion = Annotated[
    str | None, typer.Option(help="Which version of the table, for the history.", show_default=False)
]
