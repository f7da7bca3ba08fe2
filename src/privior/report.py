"""The report: one self-contained page that tells anybody what a release says, promises and does not say."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from privior.errors import ReleaseError, shown
from privior.pictures import Markup, markup
from privior.pictures.markup import element
from privior.posterior import Posterior, infer
from privior.posterior.findings import markup_of
from privior.privacy import REPLACE_ONE
from privior.release import Release
from privior.whole_files import write_whole


def write_report(release: Release, path: str | Path) -> None:
    """Write the page, whole or not at all."""
    page = page_of(release)
    try:
        write_whole(path, page)
    except (OSError, ValueError):
        raise ReleaseError("the report cannot be written there", where=shown(str(path))) from None


def page_of(release: Release, posterior: Posterior | None = None) -> str:
    """Return the page of a release as HTML: no script, nothing to load.

    Args:
        release: what to report
        posterior: what follows from it, if that is known already
    """
    found: Posterior = infer(release) if posterior is None else posterior
    plan = release.plan
    subject = " and ".join(plan.model.columns)
    return markup.page(
        f"{subject}, {plan.schema.population}",
        *_summary(release, found),
        _section("What follows from the release", *markup_of(found.findings())),
        _section("What is promised", *_promise(release)),
        _section("What the promise costs", *_cost(release)),
        _section("What may not be concluded", _items([*_limits(release), *found.assumptions])),
        _section("How to cite", element("p", _citation(release), class_="quote")),
        _section("How to verify", *_verification(release)),
        element(
            "footer",
            f"Made from the release alone, which privior {release.library} wrote: whoever has it can make "
            "this page again. It runs no script and loads nothing.",
        ),
    )


def _section(title: str, *children: Markup) -> Markup:
    return element("section", element("h2", title), *children)


def _items(texts: Iterable[str]) -> Markup:
    return element("ul", *(element("li", text) for text in texts))


def _summary(release: Release, posterior: Posterior) -> list[Markup]:
    plan = release.plan
    noun = plan.schema.unit.noun
    lead = (
        f"Learned from the records of {plan.schema.population} ({plan.records_in_words}), and published "
        f"under differential privacy, protecting one {noun}: {plan.cost}, {plan.neighbours}."
    )
    trial = (
        []
        if release.receipt.durable
        else ["A trial: the ledger lived in memory only, and nobody's budget was charged. Do not publish."]
    )
    return [
        element("p", lead, class_="lead"),
        *(element("p", text, class_="warning") for text in (*trial, *posterior.warnings, *plan.warnings)),
    ]


def _promise(release: Release) -> list[Markup]:
    plan = release.plan
    return [
        element("p", plan.guarantee.claim(), class_="claim"),
        markup.facts((name, value) for name, value in release.facts() if name != "that is"),
    ]


def _cost(release: Release) -> list[Markup]:
    bar = release.picture()
    return [release.plan.picture().html(), *([] if bar is None else [bar.html()])]


def _limits(release: Release) -> list[str]:
    plan = release.plan
    noun = plan.schema.unit.noun
    faster = "" if plan.cost.delta == 0 else ", and delta grows faster than that"
    number = f" and the number of {noun}s" if plan.neighbours is REPLACE_ONE else ""
    return [
        f"Nothing about whether or how any one {noun} was counted: probabilities describe the population.",
        f"Not that nothing is learned about anyone: what holds for all holds for each {noun} too, counted or "
        "not. The promise is that one record changes little.",
        f"Not the same promise for groups: for two {noun}s together epsilon counts twice, for ten tenfold"
        f"{faster}.",
        "No difference that is smaller than the intervals show.",
        "Not that the numbers in the file are the true counts: noisy counts may be negative or too large, "
        "draws and drawn records are random. The intervals and the true counts above account for that.",
        f"What the release states openly is not hidden: columns, levels, ranges, the prior{number}.",
        f"Missing, unknown or unreadable cells were not left blank ({plan.bad_cells_in_words}).",
        f"Other releases about the same {noun}s add up with this one; the ledger counts those charged to it, "
        "and no others.",
    ]


def _citation(release: Release) -> str:
    plan = release.plan
    return (
        f"{plan.schema.population}: {' x '.join(plan.model.columns)}. Differentially private release "
        f"{release.identifier} ({plan.cost}, {plan.neighbours}, protecting {plan.schema.unit}; "
        f"{plan.mechanism.name}), ledger entry {release.receipt.entry}. privior {release.library}."
    )


def _verification(release: Release) -> list[Markup]:
    return [
        element(
            "p",
            "Reading the release file recomputes its guarantee from the plan in it and refuses a file that "
            "does not hold together. Whoever keeps the ledger can confirm that this plan was charged.",
        ),
        element(
            "pre",
            "privior review RELEASE.json --ledger LEDGER\n"
            f'privior ask RELEASE.json "{release.plan.model.first_question}"',
        ),
        markup.facts(
            [
                ("SHA-256 of the release file", release.sha256),
                ("ledger entry", f"{release.receipt.entry} of {release.receipt.population}"),
                ("ledger head", release.receipt.head),
                ("plan", release.plan.digest),
            ]
        ),
    ]
