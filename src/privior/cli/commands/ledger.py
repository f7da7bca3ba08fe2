"""privior ledger: what has been spent on a population, by whom, and whether all of it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, Quiet, screen_of
from privior.cli.screen import Screen

if TYPE_CHECKING:
    from privior.ledger import KnownSpend, Ledger, LedgerEntry
    from privior.privacy import Amount

ledger = typer.Typer(
    help="Create, read, check and share the ledger of a population.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Address = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER",
        envvar="PRIVIOR_LEDGER",
        help="The ledger: a file, or postgresql://...",
        show_default=False,
    ),
]
Releases = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[RELEASE]...", help="Releases of this population.", show_default=False),
]


@ledger.command()
def create(
    context: typer.Context,
    path: Address,
    population: Annotated[
        str, typer.Option("--population", "-p", help="Whose budget this is, as the schema says.")
    ],
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="What may be spent in all, exact.")],
    delta: Annotated[str, typer.Option("--delta", "-d", help="Likewise; 0: pure guarantees only.")] = "0",
    accounting: Annotated[
        str, typer.Option(help="How costs add up, for ever: basic, gaussian, concentrated or renyi.")
    ] = "basic",
    aside_epsilon: Annotated[
        str | None,
        typer.Option(
            help="The part of epsilon for what another accounting than basic cannot take.", show_default=False
        ),
    ] = None,
    aside_delta: Annotated[
        str | None, typer.Option(help="Likewise of delta; with --aside-epsilon.", show_default=False)
    ] = None,
    accept_declared: Annotated[
        bool,
        typer.Option(
            "--accept-declared",
            help="Take guarantees that code outside privior declares, for ever; totals then say so.",
        ),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help="Make it without asking, also if this population has a ledger already."
        ),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Open a new ledger with a cap. An existing one is never touched."""
    from privior.errors import LedgerError
    from privior.ledger import Ledger
    from privior.privacy import NOTHING, Budget

    screen = screen_of(context)
    if aside_epsilon is None and aside_delta is not None:
        raise LedgerError(
            "a delta is put aside, but no epsilon", asked=aside_delta, advice="Say --aside-epsilon too."
        )
    aside = NOTHING if aside_epsilon is None else Budget.of(aside_epsilon, aside_delta or 0)
    if not yes and not _one_more(screen, path, population):
        screen.fail("NotConfirmed", "not confirmed. No ledger was made.")
        raise typer.Exit(ExitCode.NO)
    made = Ledger.create(
        path,
        population=population,
        epsilon=epsilon,
        delta=delta,
        accounting=accounting,
        aside=aside,
        accept_declared=accept_declared,
    )
    screen.document(_document(made))
    screen.facts(made.facts())
    screen.text(
        "\nKeep it with the data: it is the only memory of what was spent. "
        "Every release of this population is charged to it."
    )


@ledger.command()
def show(context: typer.Context, path: Address, json: Json = False, quiet: Quiet = False) -> None:
    """Show how the budget stands."""
    from privior.errors import LedgerError
    from privior.ledger import Ledger

    screen = screen_of(context)
    opened = Ledger.open(path)
    try:
        with screen.waiting("checking every entry"):
            opened.verify()
        wrong = None
    except LedgerError as error:  # the numbers are shown all the same: they help to find what happened
        wrong = error
    screen.document({**_document(opened), "holds": wrong is None, "wrong": wrong and wrong.to_document()})
    screen.facts(opened.facts())
    screen.text(f"\n{opened.picture().text(screen.width)}")
    if screen.quiet and wrong is None:
        screen.answer(dict(opened.facts())["left"])
    if wrong is not None:
        screen.complain(f"these numbers are not to be trusted; release nothing from this ledger: {wrong}")
        raise typer.Exit(ExitCode.LEDGER)


@ledger.command()
def history(
    context: typer.Context,
    path: Address,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it to this file, .csv or .json.", show_default=False),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List every entry, after checking the whole chain."""
    from privior.errors import LedgerError
    from privior.ledger import Ledger
    from privior.whole_files import take_name, write_whole

    screen = screen_of(context)
    opened = Ledger.open(path)
    if output is not None and output.suffix not in (".csv", ".json"):
        raise LedgerError("a history is written as CSV or JSON", asked=output, allowed=".csv, .json")
    if output is not None and output.exists():
        raise LedgerError("the file exists already", where=str(output), advice="Choose another -o.")
    last, told = opened.verify(), opened.history()
    screen.document({**_document(opened), "entries": told.documents()})
    screen.answer_table(*told.table())
    many = "1 release" if last.spends == 1 else f"{last.spends} releases"
    screen.text(f"\nThe chain holds: {last.number + 1} entries, {many}; head {last.hash}.")
    _complain_of_uncharged(screen, opened)
    if output is not None:
        try:
            take_name(output)
            write_whole(output, told.to_csv() if output.suffix == ".csv" else told.to_json())
        except (OSError, ValueError):
            raise LedgerError("the file exists, or cannot be written there", where=str(output)) from None
        screen.text(f"Wrote {output}.")


@ledger.command()
def verify(
    context: typer.Context, path: Address, releases: Releases = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Check the whole chain, and that it has the entry of each release named."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    opened = Ledger.open(path)
    known = _known(screen, releases)
    last = opened.verify(known)
    screen.document({**_document(opened), "holds": True, "releases compared": len(known)})
    many = "1 release" if len(known) == 1 else f"{len(known)} releases"
    compared = f", with the entries of {many}" if known else ""
    screen.text(f"The chain holds: {last.number + 1} entries{compared}.")
    _complain_of_uncharged(screen, opened)
    screen.answer(last.hash)


@ledger.command()
def reconcile(
    context: typer.Context, path: Address, releases: Releases = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Charge again what a ledger forgot because an old copy of it was restored."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    opened = Ledger.open(path)
    _tell_charged(screen, opened, opened.reconcile(_known(screen, releases)))


@ledger.command()
def correct(context: typer.Context, path: Address, json: Json = False, quiet: Quiet = False) -> None:
    """Charge what privior 0.2 forgot to charge; the next release would do it too."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    opened = Ledger.open(path)
    _tell_charged(screen, opened, opened.correct())


@ledger.command()
def quota(
    context: typer.Context,
    path: Address,
    analyst: Annotated[str, typer.Argument(help="Whose quota.", show_default=False)],
    share: Annotated[str, typer.Argument(help='The share of the cap, exact: "1/4".', show_default=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let an analyst spend up to a share of the cap; from then on every spend names an analyst."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    opened = Ledger.open(path)
    opened.allow(analyst, share)
    screen.document(_document(opened))
    screen.facts(opened.facts())


@ledger.command("release")
def stored(
    context: typer.Context,
    path: Address,
    entry: Annotated[int, typer.Argument(help="The number of the entry.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write again what an entry released: free, since it is the same."""
    from privior.errors import LedgerError
    from privior.ledger import Ledger
    from privior.release import Release
    from privior.whole_files import take_name

    screen = screen_of(context)
    closing = Ledger.open(path).closing(entry)
    if closing is None or not closing.release:
        raise LedgerError("this entry released nothing that is stored", where=path, asked=entry)
    found = [Release.from_json(text) for text in closing.release]
    places = [
        output if len(found) == 1 else output.with_name(f"{output.stem}-{number}{output.suffix}")
        for number in range(1, len(found) + 1)
    ]
    for place, one in zip(places, found, strict=True):
        try:
            take_name(place)
        except (OSError, ValueError):
            raise LedgerError("the file exists, or cannot be written there", where=str(place)) from None
        one.write(place)
        screen.answer(str(place))
    screen.document({"entry": entry, "releases": [str(place) for place in places]})


def _one_more(screen: Screen, path: str, population: str) -> bool:
    """Ask whether a population that this machine knows shall have another ledger; nobody to ask: refuse."""
    from privior.errors import LedgerError
    from privior.ledger.anchors import known_ledgers

    known = known_ledgers(population)
    if not known or Path(path).exists():  # which is refused for that
        return True
    told = "; ".join(f"{one.spent} of {one.cap} by {one.day}" for one in known)
    what = "this machine knows a ledger of this population"
    if not screen.can_ask:
        raise LedgerError(
            what,
            where=path,
            asked=f"another one for {population}",
            spent=told,
            advice="Charge the ledger that there is: two of them promise twice as much as one. "
            "Say --yes if these are other people, or the old one is gone and nothing was released.",
        )
    screen.complain(f"{what}, with {told} spent. Two ledgers let the same people's budget be spent twice.")
    return screen.confirmed(f"Make another ledger for {population}?")


def _known(screen: Screen, releases: list[Path] | None) -> list[KnownSpend]:
    """Return what releases prove; those that prove nothing are named."""
    from privior.release import Release

    found = []
    for path in releases or ():
        release = Release.read(path)
        spend = None if release.paid is None else release.paid.known(release.plan, release.library)
        if spend is None:
            screen.complain(
                f"not compared: {path} is a trial, of others, or of format 1, which does not say its cost"
            )
        else:
            found.append(spend)
    return found


def _tell_charged(screen: Screen, opened: Ledger, made: list[LedgerEntry]) -> None:
    """Say what was charged for the past."""
    screen.document(
        {**_document(opened), "charged": [{"entry": entry.number, "about": entry.about} for entry in made]}
    )
    for entry in made:
        screen.text(f"Entry {entry.number}: charged for {entry.about}.")
    screen.text(f"{len(made) or 'Nothing'} charged; spent now {opened.spent} of {opened.cap}.")
    if screen.quiet:
        screen.answer(str(len(made)))


def _complain_of_uncharged(screen: Screen, opened: Ledger) -> None:
    from privior.ledger import uncharged_in_words

    due = opened.uncharged()
    if due:
        screen.complain(f"{uncharged_in_words(due)}; privior ledger correct charges it")


def _document(opened: Ledger) -> dict[str, object]:
    from privior.exact import decimal
    from privior.privacy import AccountingKind, amount_document

    last = opened.last()
    basic = last.accounting.kind is AccountingKind.BASIC

    def in_units(amount: Amount) -> dict[str, str | None]:
        return dict(zip(last.accounting.units, amount_document(amount), strict=True))

    return {
        "ledger": opened.where,
        "population": last.population,
        "cap": last.cap.to_document(),
        "accounting": last.accounting.to_document(),
        "promise": last.accounting.promise(),
        "spent": last.spent.to_document(),
        "total": in_units(last.total),
        "left": last.left.to_document() if basic else None,
        "over cap": not last.accounting.admits(last.total),
        "uncharged": [{"about": entry.about, "price": in_units(entry.price)} for entry in opened.uncharged()],
        "releases": last.spends,
        "accepts declared": last.accepts_declared,
        "declared releases": last.declared_spends,
        "quotas": [
            {"analyst": name, "share": decimal(share), "spent": in_units(own)}
            for name, share, own in opened.quotas()
        ],
        "unit": last.unit,
        "neighbours": None if last.neighbours is None else last.neighbours.value,
        "head": last.hash,
    }
