"""privior import: noisy numbers that others made, as a file that can be asked. Free, unless it is charged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.options import (
    AnalysisFile,
    Delta,
    Epsilon,
    Json,
    LedgerAddress,
    NeighboursName,
    Quiet,
    RecordsNumber,
    screen_of,
)

if TYPE_CHECKING:
    from privior.mechanisms import NoiseLaw, Treatment


def import_numbers(
    context: typer.Context,
    analysis: AnalysisFile,
    numbers: Annotated[
        Path,
        typer.Argument(
            metavar="NUMBERS",
            help="Their noisy numbers: CSV with a column for each column of the table, then the number, "
            "empty if it was suppressed; or JSON, a list in the order of the statistics.",
            show_default=False,
        ),
    ],
    source: Annotated[str, typer.Option(help="Who made them, in a line.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)],
    laplace_scale: Annotated[
        str | None, typer.Option(help="Their noise is Laplace, of this scale.", show_default=False)
    ] = None,
    stddev: Annotated[
        str | None, typer.Option(help="Their noise is Gaussian, of this stddev.", show_default=False)
    ] = None,
    discrete: Annotated[
        bool | None,
        typer.Option(
            "--discrete/--continuous", help="Whether it is on the whole numbers.", show_default=False
        ),
    ] = None,
    as_drawn: Annotated[
        bool, typer.Option("--as-drawn", help="Nothing was done to the noisy numbers.")
    ] = False,
    clipped_at: Annotated[
        str | None, typer.Option(help="Lower numbers were replaced by this one.", show_default=False)
    ] = None,
    rounded_to: Annotated[
        str | None, typer.Option(help="Numbers were rounded to multiples of this.", show_default=False)
    ] = None,
    suppressed_below: Annotated[
        str | None, typer.Option(help="Lower numbers were left blank.", show_default=False)
    ] = None,
    records: RecordsNumber = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    neighbours: NeighboursName = None,
    ledger: LedgerAddress = None,
    charge: Annotated[
        bool,
        typer.Option("--charge", help="Charge what they claim to the ledger (--accept-declared)."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Import noisy numbers that others made: ask, report and decide work with the file.

    The guarantee is theirs, as the analysis file claims it ([ask]: records, epsilon, delta, neighbours).
    """
    from privior.analyses import Analysis
    from privior.errors import PriviorError, ReleaseError
    from privior.release import charge_import, import_release, read_numbers

    screen = screen_of(context)
    asked = Analysis.read(analysis, records=records, epsilon=epsilon, delta=delta, neighbours=neighbours)
    if charge and ledger is None:
        raise typer.BadParameter("name the ledger: --ledger", param_hint="--charge")
    if output.exists():
        raise ReleaseError("the file exists already", where=str(output), advice="Name another with -o.")
    made = import_release(
        asked.model,
        asked.schema,
        read_numbers(numbers, asked.model.by),
        noise=_noise(laplace_scale, stddev, discrete),
        treatment=_treatment(as_drawn, suppressed_below, clipped_at, rounded_to),
        records=asked.records,
        epsilon=asked.budget.epsilon,
        delta=asked.budget.delta,
        neighbours=asked.neighbours,
        source=source,
    )
    made.write(output)
    try:
        entry = charge_import(made, ledger) if charge and ledger is not None else None
    except PriviorError:
        output.unlink()
        raise
    screen.document(
        {"release": str(output), "id": made.identifier, "entry": None if entry is None else entry.number}
    )
    screen.facts(made.facts())
    if made.plan.mechanism.drawback:
        screen.complain(f"WARNING: {made.plan.mechanism.drawback}")
    screen.text(f"Wrote {output}: {made.plan.mechanism.declaration}.")
    if entry is not None:
        screen.text(f"Charged once, as entry {entry.number}: {made.plan.cost}, as they claim.")
    if screen.quiet:
        screen.answer(str(output))


def _noise(laplace_scale: str | None, stddev: str | None, discrete: bool | None) -> NoiseLaw:
    from privior.mechanisms import GaussianNoise, LaplaceNoise

    if (laplace_scale is None) == (stddev is None):
        raise typer.BadParameter(
            "say either --laplace-scale or --stddev of the noise", param_hint="--laplace-scale"
        )
    if discrete is None:
        raise typer.BadParameter("say which the noise is", param_hint="--discrete / --continuous")
    if laplace_scale is not None:
        return LaplaceNoise(laplace_scale, discrete=discrete)
    return GaussianNoise(stddev, discrete=discrete)


def _treatment(
    as_drawn: bool, suppressed_below: str | None, clipped_at: str | None, rounded_to: str | None
) -> Treatment:
    from privior.mechanisms import AS_DRAWN, Treatment

    made = Treatment(suppressed_below=suppressed_below, clipped_at=clipped_at, rounded_to=rounded_to)
    if as_drawn is not (made == AS_DRAWN):
        raise typer.BadParameter(
            "say what was done to the noisy numbers: --as-drawn alone, or any of --clipped-at, --rounded-to, "
            "--suppressed-below",
            param_hint="--as-drawn",
        )
    return made
