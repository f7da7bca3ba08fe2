"""privior decide: the response that is best by a utility, given a release. Free, as often as one likes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.options import AlsoReleases, Json, Quiet, ReleaseFile, screen_of
from privior.cli.priors import OwnPrior, inferred, own_prior

if TYPE_CHECKING:
    from privior.cli.screen import Screen
    from privior.decisions import Utility

_TO = re.compile(r"\s*(\S+)\s+to\s+(\S+?)(?:\s*,?\s+in\s+(\d{1,6})\s+steps)?\s*")


def decide(
    context: typer.Context,
    release: ReleaseFile,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help='About one number: "P(a=x | b=y)", "mean(age)".')
    ],
    utility: Annotated[
        str | None,
        typer.Option("--utility", "-u", help="What an answer is worth. None: list them.", show_default=False),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help='What the utility needs, each by itself: level=0.9; lists by commas: names="wait, act"; '
            'rows by semicolons: costs="0,1; 5,0".',
            show_default=False,
        ),
    ] = None,
    responses: Annotated[
        str | None,
        typer.Option(
            "--responses",
            "-r",
            help='Candidates: "0.1, 0.2, 0.3", "0 to 1", "0 to 1 in 50 steps"; for interval-score '
            '"0.1 to 0.2, 0.1 to 0.3". None: all.',
            show_default=False,
        ),
    ] = None,
    also: AlsoReleases = None,
    prior: OwnPrior = None,
    compare: Annotated[
        bool, typer.Option("--compare", "-c", help="Also by the mode and by the released draws.")
    ] = False,
    failure: Annotated[
        str, typer.Option(help="The chance with which Lemma 11's bound for draws may fail.")
    ] = "0.05",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Decide by a utility, free: the best response, and what others lose.

    Example: privior decide FILE "P(smoker=yes)" --utility threshold --set at=0.2 --set miss=5. Without
    --utility all utilities are listed, with what can be set. With --prior it is shown what the release's own
    prior would lose.
    """
    from privior.decisions import Decision, utility_from_text
    from privior.decisions.choice import said_response
    from privior.release import Release

    screen = screen_of(context)
    if utility is None:
        _list(screen)
        return
    named = utility_from_text(utility, _settings(settings or []))
    decision = Decision(question, named, _responses(responses, named))
    releases = [Release.read(path) for path in (release, *(also or []))]
    own = own_prior(prior)
    posterior = inferred(screen, releases, own)
    choice = decision.decide(posterior)
    ways = decision.compare(posterior, failure=failure) if compare else None
    lost = decision.prior_loss(releases, prior=own) if own is not None else None
    screen.document(
        {
            "decision": decision.to_document(),
            "choice": choice.to_document(),
            **({} if ways is None else {"compared": ways.to_document()}),
            **({} if lost is None else {"other_prior": lost.to_document()}),
        }
    )
    screen.facts(choice.facts())
    screen.heading("Responses")
    screen.table(*choice.table())
    for warning in choice.warnings:
        screen.text(warning)
    if ways is not None:
        screen.heading("Three ways of answering")
        screen.table(*ways.table())
        screen.text(ways.said)
    if lost is not None:
        screen.heading("Your prior and that of the release")
        screen.facts(lost.facts()[1:])
    if screen.quiet:
        screen.answer(said_response(choice.response))


def _list(screen: Screen) -> None:
    from privior.decisions import UTILITIES, settings_of

    named = [(name, ", ".join(settings_of(kind)), kind.about) for name, kind in UTILITIES.items()]
    screen.document([{"utility": name, "settings": known, "about": about} for name, known, about in named])
    screen.answer_table(("utility", "settings", "about"), named)


def _settings(given: list[str]) -> dict[str, str]:
    """Read settings; each is said once."""
    from privior.errors import DecisionError, shown

    found: dict[str, str] = {}
    for each in given:
        key, sign, value = each.partition("=")
        name = key.strip().replace("-", "_")
        if not sign or not name:
            raise DecisionError("not a setting", where="--set", asked=shown(each), allowed="KEY=VALUE")
        if name in found:
            raise DecisionError("a setting is said twice", where="--set", asked=shown(name))
        if name == "name":
            raise DecisionError("the name of the utility is said by --utility", where="--set")
        found[name] = value
    return found


def _responses(text: str | None, utility: Utility) -> object:
    """Read candidates: of actions names, of intervals pairs of ends, else numbers, an interval or a grid."""
    from privior.decisions import ResponseGrid, ResponseInterval
    from privior.errors import DecisionError, shown

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if utility.pairs:
        pairs = [_TO.fullmatch(part) for part in parts]
        if any(pair is None or pair[3] for pair in pairs):
            raise DecisionError(
                "not intervals", where="--responses", asked=shown(text), allowed="0.1 to 0.2, 0.1 to 0.3"
            )
        return [(pair[1], pair[2]) for pair in pairs if pair]
    whole = _TO.fullmatch(text)
    if whole is None or utility.actions is not None:
        return parts
    if whole[3] is None:
        return ResponseInterval(whole[1], whole[2])
    return ResponseGrid(whole[1], whole[2], int(whole[3]))
