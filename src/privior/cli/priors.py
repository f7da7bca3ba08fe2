"""An analyst's own prior on the command line, written as in analysis files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from privior.cli.screen import Screen
    from privior.plans import Plan
    from privior.posterior import Posterior
    from privior.release import Release

OwnPrior = Annotated[
    str | None,
    typer.Option(
        help='Your own prior, as in an analysis file: a number for every cell alike, "[2, 1, 1]", '
        "'{ law = \"gamma\", shape = 2, rate = 1 }'; or `learned`.",
        show_default=False,
    ),
]


def own_prior(text: str | None) -> object:
    """Read what was said after --prior; None if nothing was."""
    from privior.errors import ModelError, shown

    if text is None:
        return None
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return tomllib.loads(f"prior = {text}")["prior"]
    except (tomllib.TOMLDecodeError, RecursionError):
        raise ModelError(
            "a list or a law that cannot be read",
            where="--prior",
            asked=shown(text),
            allowed='what an analysis file may have: [2, 1, 1], { law = "gamma", shape = 2, rate = 1 }',
        ) from None


def inferred(screen: Screen, releases: Sequence[Release], prior: object) -> Posterior:
    """Infer, saying so if it lasts.

    Where a law was asked for and none that fits was said, the release's own is shown.
    """
    from privior.cache import inferred as taken_or_inferred
    from privior.errors import ModelError

    try:
        with screen.waiting(_waited_for(releases)) as say:
            return taken_or_inferred(releases, prior, say)
    except ModelError as error:
        own = releases[0].plan.model.to_document()["prior"]
        if prior is None or not isinstance(own, dict):
            raise
        raise ModelError(
            error.what, where="--prior", asked=error.asked, allowed=f"a law like {in_files(own)}"
        ) from None


#: inference from fewer numbers takes no time worth an estimate, which would take some itself
_FEW = 1000


def _waited_for(releases: Sequence[Release]) -> str:
    """Say what is being done, and about how long it takes if that is known to be long."""
    large = [release.plan for release in releases if len(release.statistics.counts) >= _FEW]
    efforts = [plan.effort for plan in large if plan.effort is not None]
    lasting = [about for effort in efforts if (about := effort.about)]
    return "inferring the posterior" + (f", {lasting[0]}" if lasting else "")


def notes(plan: Plan) -> Iterator[str]:
    """Yield what to know before one spends: also with which prior to ask, if draws are made with another."""
    yield from plan.notes
    inferred: Any = getattr(plan, "inferred", plan.model)
    if inferred != plan.model:
        own = quote(in_files(inferred.prior.to_document()))
        yield f"Ask with the prior of the analysis file: privior ask RELEASE --prior {own}"


def in_files(law: dict[str, object]) -> str:
    """Write a law as it stands in an analysis file."""
    entries = ", ".join(f"{name} = {json.dumps(value)}" for name, value in law.items())
    return f"{{ {entries} }}"
